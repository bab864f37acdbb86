# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The gradient of log det M in O(n): the trace of M^-1 dM/dq, without either of the two."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.task_space.operational_space_inertia import (
    compliance_at_child,
    cross_joint,
    hold_base,
)
from robodyn_ros.model.layout import BALL_X, BALL_Y, KIND, PITCH, PRISMATIC, V
from robodyn_ros.spatial.articulated_inertia import load_general
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric
from robodyn_ros.spatial.types import Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import dot


@primitive
def rows_of(a):
    """Return the rows of a symmetric matrix, which are its columns.

    `a`: six numbers.
    """
    return (a[0], a[1], a[2]), (a[1], a[3], a[4]), (a[2], a[4], a[5])


@primitive
def rows_and_columns(b):
    """Return the rows of a 3x3 matrix, and its columns.

    `b`: nine numbers, row-major.
    """
    return (
        ((b[0], b[1], b[2]), (b[3], b[4], b[5]), (b[6], b[7], b[8])),
        ((b[0], b[3], b[6]), (b[1], b[4], b[7]), (b[2], b[5], b[8])),
    )


@primitive
def twist(left, right, j, k):
    """Return the difference of two opposite entries, (j, k) less (k, j), of a product of matrices.

    `left`: rows of the first matrix, three 3-vectors.
    `right`: columns of the second one.
    `j`, `k`: row and column.
    """
    return dot(left[j], right[k]) - dot(left[k], right[j])


@primitive
def turning(inertia, compliance, j, k):
    """Return Tr[P+ Upsilon+ bar(e)] of a rotation about an axis e.

    `inertia`, `compliance`: rows of A, rows and columns of B, and rows of C: blocks of P+ and
      Upsilon+.
    `j`, `k`: numbers of the other two axes, so that e_j x e_k = e.
    """
    (a, (b, b_columns), c), (x, (y, y_columns), z) = inertia, compliance
    return (twist(a, x, j, k) + twist(b, y, j, k) + twist(b_columns, y_columns, j, k)) + twist(
        c, z, j, k
    )


@primitive
def sliding(inertia, compliance):
    """Return Tr[P+ Upsilon+ bar(e)] of a displacement along the z axis e."""
    (_, (_, b_columns), c), (x, (y, _), _) = inertia, compliance
    return twist(b_columns, x, 0, 1) + twist(c, y, 0, 1)


@recursion
def log_det_gradient(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, gradient: Vector
):
    """Compute the gradient of log det (M + diag(diagonal)) along unit velocities, in O(n).

    The entry of a joint is 2 Tr[P+ Upsilon+ bar(H')]: Jain 2011, eq. (18.68) body by body. P+ is
    the articulated inertia across the joint, and Upsilon+ the compliance of the parent at the
    body. Half of it is Fixman's correction, without temperature.

    `gradient` (nv,), written: the gradient [1/rad or 1/m].
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    hold_base(work)
    for i in range(1, topology.shape[0]):
        kind, k = topology[i, KIND], topology[i, V]
        a, b, c = compliance_at_child(topology, work, i)
        inertia = (
            rows_of(load_symmetric(work[i].P.angular)),
            rows_and_columns(load_general(work[i].P.coupling)),
            rows_of(load_symmetric(work[i].P.linear)),
        )
        compliance = rows_of(a), rows_and_columns(b), rows_of(c)
        if kind == PRISMATIC:
            gradient[k] = 2.0 * sliding(inertia, compliance)
        elif kind < BALL_Y:
            turned = turning(inertia, compliance, 0, 1)
            if constants[i, PITCH] != 0.0:
                turned = turned + constants[i, PITCH] * sliding(inertia, compliance)
            gradient[k] = 2.0 * turned
            if kind == BALL_X:
                # its z axis is x of the joint, whose axes all turn with the last body
                gradient[k + 1] = 2.0 * turning(inertia, compliance, 1, 2)
                gradient[k + 2] = 2.0 * turning(inertia, compliance, 2, 0)
        cross_joint(topology, constants, work, i, a, b, c)
    return status
