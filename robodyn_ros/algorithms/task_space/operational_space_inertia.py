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
def axes_of_child(scratch, i):
    """Return the axes of body i before its rotation about z, in axes of its parent.

    They are the columns of the stored rotation.
    """
    R = scratch[i].rotation
    return (R[0], R[3], R[6]), (R[1], R[4], R[7]), (R[2], R[5], R[8])


@primitive
def turn_into_child(scratch, i, a):
    """Transform a symmetric matrix to axes of body i: R^T A R.

    `a`: symmetric matrix in axes of the parent, six numbers.
    """
    c, s = scratch[i].cos, scratch[i].sin
    x, y, z = axes_of_child(scratch, i)
    ax, ay, az = times(a, x), times(a, y), times(a, z)
    return turn_symmetric(
        c, -s, (dot(x, ax), dot(x, ay), dot(x, az), dot(y, ay), dot(y, az), dot(z, az))
    )


@primitive
def general_into_child(scratch, i, b):
    """Transform a 3x3 matrix to axes of body i: R^T B R.

    `b`: matrix in axes of the parent, nine numbers, row-major.
    Returns nine numbers.
    """
    c, s = scratch[i].cos, scratch[i].sin
    x, y, z = axes_of_child(scratch, i)
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
def cross_joint(topology, constants, scratch, i, a, b, c):
    """Compute the compliance Upsilon = Upsilon+ + S U - Z S^T of body i (Jain 2011, eq. 10.21).

    Upsilon+ is the compliance of its parent at body i. Z = Upsilon+ G, L = D^-1 + G^T Z and U = L
    S^T - Z^T.

    `a`: angular block of Upsilon+ in axes of body i, six numbers.
    `b`: coupling block, nine numbers.
    `c`: linear block, six numbers.
    Returns L, and angular and linear part of Z.
    """
    d = scratch[i].d_inverse
    g = scale(d, load(scratch[i].u_angular))
    k = scale(d, load(scratch[i].u_linear))
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
    store_symmetric(scratch[i].O.angular, a)
    store_general(scratch[i].O.coupling, b)
    store_symmetric(scratch[i].O.linear, c)
    return corner, angular, linear


@primitive
def compliance_at_child(topology, scratch, i):
    """Return Upsilon+, the compliance of the parent of body i at body i (Jain 2011, eq. 10.22).

    Returns angular block, coupling block and linear block, in axes of body i: 6, 9 and 6 numbers.
    """
    parent = topology[i, PARENT]
    a = load_symmetric(scratch[parent].O.angular)
    b, c = shift_compliance(
        a,
        load_general(scratch[parent].O.coupling),
        load_symmetric(scratch[parent].O.linear),
        load(scratch[i].position),
    )
    return (
        turn_into_child(scratch, i, a),
        general_into_child(scratch, i, b),
        turn_into_child(scratch, i, c),
    )


@primitive
def cross_to_child(topology, constants, scratch, i):
    """Compute the compliance of body i from that of its parent (Jain 2011, eq. 10.21, 10.22).

    Returns L, and angular and linear part of Z, as of `cross_joint`.
    """
    a, b, c = compliance_at_child(topology, scratch, i)
    return cross_joint(topology, constants, scratch, i, a, b, c)


@primitive
def hold_base(scratch):
    """Set the compliance of the base to zero."""
    for k in range(6):
        scratch[0].O.angular[k] = 0.0
        scratch[0].O.linear[k] = 0.0
    for k in range(9):
        scratch[0].O.coupling[k] = 0.0


@primitive
def clear_path(scratch, last):
    """Remove bodies 1 to last from the path.

    `last`: row of the last body.
    """
    for i in range(1, last + 1):
        scratch[i].on_path = 0.0


@primitive
def mark_path(topology, scratch, body):
    """Mark every body from the base to a body as path.

    `body`: row of the last body of the path.
    """
    i = body
    while i > 0:
        scratch[i].on_path = 1.0
        i = topology[i, PARENT]


@primitive
def compliance_base_to_tip(topology, constants, scratch, last):
    """Compute the compliance Upsilon of every body on the path up to a row.

    Needs the articulated inertias.

    `last`: row of the last body.
    """
    hold_base(scratch)
    for i in range(1, last + 1):
        if scratch[i].on_path == 1.0:
            cross_to_child(topology, constants, scratch, i)


@primitive
def frame_compliance(scratch, body, frame, compliance):
    """Write the compliance at the origin of a frame, in base axes, linear rows first."""
    a = load_symmetric(scratch[body].O.angular)
    b, c = shift_compliance(
        a,
        load_general(scratch[body].O.coupling),
        load_symmetric(scratch[body].O.linear),
        (frame[9], frame[10], frame[11]),
    )
    a = rotate_symmetric(scratch[body].world_rotation, a)
    b = rotate_general(scratch[body].world_rotation, 1.0, 0.0, b)
    c = rotate_symmetric(scratch[body].world_rotation, c)
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
    scratch: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and Lambda^-1 = J M^-1 J^T of a frame, at its origin in base axes, in O(n)."""
    joint_transforms(topology, constants, scratch, q)
    poses_base_to_tip(topology, scratch)
    jacobian_columns(topology, constants, scratch, body, frame, J)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    clear_path(scratch, body)
    mark_path(topology, scratch, body)
    compliance_base_to_tip(topology, constants, scratch, body)
    frame_compliance(scratch, body, frame, compliance)
    return status


@recursion
def task_solve(
    topology: Topology,
    constants: Table,
    scratch: Work,
    q: Vector,
    diagonal: Vector,
    J: Matrix,
    X: Matrix,
):
    """Compute X = J M^-1, row by row, in O(m n).

    `X` (m, nv), written: J M^-1.
    """
    joint_transforms(topology, constants, scratch, q)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    for row in range(J.shape[0]):
        solve_articulated(topology, constants, scratch, J[row], X[row])
    return status
