# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The operational-space inertia of a frame, from compliances propagated base to tip."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.jacobian import jacobian_columns
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import solve_articulated
from robodyn_ros.model.layout import KIND, PARENT, PITCH, PRISMATIC
from robodyn_ros.spatial.articulated_inertia import (
    load_general,
    rotate_general,
    store_general,
    times_general,
    transpose_times,
)
from robodyn_ros.spatial.compliance import shift_compliance
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate_symmetric, turn_symmetric
from robodyn_ros.spatial.rotational_inertia import load_symmetric, store_symmetric, times
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, dot, load, scale

#: Share of the largest eigenvalue of J M^-1 J^T below which others count as zero. Rounding leaves
#: about 1e-15.
RANK_TOLERANCE = 1e-12


@primitive
def axes_of_child(work, i):
    """Return the axes of body i before its rotation about z, in axes of its parent.

    They are the columns of the stored rotation.
    """
    R = work[i].rotation
    return (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])


@primitive
def turn_into_child(work, i, a):
    """Transform a symmetric matrix to axes of body i: R^T A R.

    `a`: symmetric matrix in axes of the parent, six numbers.
    """
    c, s = work[i].cos, work[i].sin
    x, y, z = axes_of_child(work, i)
    ax, ay, az = times(a, x), times(a, y), times(a, z)
    return turn_symmetric(
        c, -s, (dot(x, ax), dot(x, ay), dot(x, az), dot(y, ay), dot(y, az), dot(z, az))
    )


@primitive
def general_into_child(work, i, b):
    """Transform a 3x3 matrix to axes of body i: R^T B R.

    `b`: matrix in axes of the parent, nine numbers, row-major.
    Returns nine numbers.
    """
    c, s = work[i].cos, work[i].sin
    x, y, z = axes_of_child(work, i)
    # the columns of R0 Rz
    u = add(scale(c, x), scale(s, y))
    v = add(scale(c, y), scale(-s, x))
    bu, bv, bz = times_general(b, u), times_general(b, v), times_general(b, z)
    return (
        dot(u, bu),
        dot(u, bv),
        dot(u, bz),
        dot(v, bu),
        dot(v, bv),
        dot(v, bz),
        dot(z, bu),
        dot(z, bv),
        dot(z, bz),
    )


@primitive
def cross_joint(topology, constants, work, i, a, b, c):
    """Compute the compliance Upsilon = Upsilon+ + S U - Z S^T of body i (Jain 2011, eq. 10.21).

    Upsilon+ is the compliance of its parent at body i. Z = Upsilon+ G, L = D^-1 + G^T Z and U = L
    S^T - Z^T.

    `a`: angular block of Upsilon+ in axes of body i, six numbers.
    `b`: coupling block, nine numbers.
    `c`: linear block, six numbers.
    Returns L, and angular and linear part of Z.
    """
    d = work[i].d_inverse
    g = scale(d, load(work[i].u_angular))
    k = scale(d, load(work[i].u_linear))
    angular = add(times(a, g), times_general(b, k))
    linear = add(transpose_times(b, g), times(c, k))
    corner = dot(g, angular) + dot(k, linear) + d
    if topology[i, KIND] == PRISMATIC:
        b = (
            b[0],
            b[1],
            b[2] - angular[0],
            b[3],
            b[4],
            b[5] - angular[1],
            b[6],
            b[7],
            b[8] - angular[2],
        )
        c = (
            c[0],
            c[1],
            c[2] - linear[0],
            c[3],
            c[4] - linear[1],
            c[5] - linear[2] - linear[2] + corner,
        )
    else:
        a = (
            a[0],
            a[1],
            a[2] - angular[0],
            a[3],
            a[4] - angular[1],
            a[5] - angular[2] - angular[2] + corner,
        )
        pitch = constants[i, PITCH]
        b = (
            b[0],
            b[1],
            b[2] - pitch * angular[0],
            b[3],
            b[4],
            b[5] - pitch * angular[1],
            b[6] - linear[0],
            b[7] - linear[1],
            b[8] - linear[2] - pitch * (angular[2] - corner),
        )
        c = (
            c[0],
            c[1],
            c[2] - pitch * linear[0],
            c[3],
            c[4] - pitch * linear[1],
            c[5] - pitch * (linear[2] + linear[2] - pitch * corner),
        )
    store_symmetric(work[i].O.angular, a)
    store_general(work[i].O.coupling, b)
    store_symmetric(work[i].O.linear, c)
    return corner, angular, linear


@primitive
def compliance_at_child(topology, work, i):
    """Return Upsilon+, the compliance of the parent of body i at body i (Jain 2011, eq. 10.22).

    Returns angular block, coupling block and linear block, in axes of body i: 6, 9 and 6 numbers.
    """
    parent = topology[i, PARENT]
    a = load_symmetric(work[parent].O.angular)
    b, c = shift_compliance(
        a,
        load_general(work[parent].O.coupling),
        load_symmetric(work[parent].O.linear),
        load(work[i].position),
    )
    return (
        turn_into_child(work, i, a),
        general_into_child(work, i, b),
        turn_into_child(work, i, c),
    )


@primitive
def cross_to_child(topology, constants, work, i):
    """Compute the compliance of body i from that of its parent (Jain 2011, eq. 10.21, 10.22).

    Returns L, and angular and linear part of Z, as of `cross_joint`.
    """
    a, b, c = compliance_at_child(topology, work, i)
    return cross_joint(topology, constants, work, i, a, b, c)


@primitive
def hold_base(work):
    """Set the compliance of the base to zero."""
    for k in range(6):
        work[0].O.angular[k] = 0.0
        work[0].O.linear[k] = 0.0
    for k in range(9):
        work[0].O.coupling[k] = 0.0


@primitive
def clear_path(work, last):
    """Remove bodies 1 to last from the path.

    `last`: row of the last body.
    """
    for i in range(1, last + 1):
        work[i].on_path = 0.0


@primitive
def mark_path(topology, work, body):
    """Mark every body from the base to a body as path.

    `body`: row of the last body of the path.
    """
    i = body
    while i > 0:
        work[i].on_path = 1.0
        i = topology[i, PARENT]


@primitive
def compliance_base_to_tip(topology, constants, work, last):
    """Compute the compliance Upsilon of every body on the path up to a row.

    Needs the articulated inertias.

    `last`: row of the last body.
    """
    hold_base(work)
    for i in range(1, last + 1):
        if work[i].on_path == 1.0:
            cross_to_child(topology, constants, work, i)


@primitive
def frame_compliance(work, body, frame, compliance):
    """Write the compliance at the origin of a frame, in base axes, linear rows first."""
    a = load_symmetric(work[body].O.angular)
    b, c = shift_compliance(
        a,
        load_general(work[body].O.coupling),
        load_symmetric(work[body].O.linear),
        (frame[9], frame[10], frame[11]),
    )
    a = rotate_symmetric(work[body].world_rotation, a)
    b = rotate_general(work[body].world_rotation, 1.0, 0.0, b)
    c = rotate_symmetric(work[body].world_rotation, c)
    for i in range(3):
        for j in range(3):
            k = (i * (5 - i)) // 2 + j if i <= j else (j * (5 - j)) // 2 + i
            compliance[i, j] = c[k]
            compliance[3 + i, 3 + j] = a[k]
            compliance[3 + i, j] = b[3 * i + j]
            compliance[j, 3 + i] = b[3 * i + j]


@recursion
def operational_space(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and Lambda^-1 = J M^-1 J^T of a frame, at its origin in base axes, in O(n)."""
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    jacobian_columns(topology, constants, work, body, frame, J)
    status = articulated_inertias(topology, constants, work, diagonal)
    clear_path(work, body)
    mark_path(topology, work, body)
    compliance_base_to_tip(topology, constants, work, body)
    frame_compliance(work, body, frame, compliance)
    return status


@recursion
def task_solve(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    J: Matrix,
    X: Matrix,
):
    """Compute X = J M^-1, row by row, in O(m n).

    `X` (m, nv), written: J M^-1.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    for row in range(J.shape[0]):
        solve_articulated(topology, constants, work, J[row], X[row])
    return status
