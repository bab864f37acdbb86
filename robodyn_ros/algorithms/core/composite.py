# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics and solves by the mass matrix, with less arithmetic for short chains.

The mass matrix of a tree factors as L^T D L without fill-in, in O(n depth^2). See Featherstone
2008, sections 6.4 and 6.5. L is in the entries of M whose column is nearer to the base, 1 / D on
the diagonal. The other entries are unused. Rows are used whole, since that is faster than a search
for nonzero entries.
"""

from robodyn_ros.algorithms.core.articulated import invert_pivot
from robodyn_ros.algorithms.core.crba import mass_matrix
from robodyn_ros.algorithms.core.jacobian import jacobian_columns
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.core.matrices import (
    clear,
    ordered,
    subtract_carriers,
    subtract_first,
    subtract_row,
)
from robodyn_ros.algorithms.core.rnea import torque_of_prescribed_motion
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work


@primitive
def factorise(topology, diagonal, M, size):
    """Factorise M + diag(diagonal) = L^T D L, in place (Featherstone 2008, Table 6.3).

    `M` (nv, nv): mass matrix, replaced by its factors.
    `size` (nv,), written: diagonal of M + diag(diagonal).
    """
    status, in_order = 0, ordered(topology)
    for k in range(size.shape[0]):
        M[k, k] = M[k, k] + diagonal[k]
        size[k] = M[k, k]
    for k in range(topology.shape[0] - 1, 0, -1):
        row = topology[k, V]
        inverse, status = invert_pivot(M[row, row], size[row], k, status)
        M[row, row] = inverse
        i = topology[k, PARENT]
        while i > 0:
            column = topology[i, V]
            share = M[row, column] * inverse
            subtract_row(M, column, share, row, column + 1 if in_order else size.shape[0])
            M[row, column] = share
            i = topology[i, PARENT]
    return status


@primitive
def solve_outer(topology, M, x):
    """Replace x by L^-T x (Featherstone 2008, Table 6.5).

    `M` (nv, nv): factors, as `factorise` writes them.
    """
    for k in range(topology.shape[0] - 1, 0, -1):
        row, i = topology[k, V], topology[k, PARENT]
        while i > 0:
            column = topology[i, V]
            x[column] = x[column] - M[row, column] * x[row]
            i = topology[i, PARENT]


@primitive
def solve_factorised(topology, M, x):
    """Replace x by (L^T D L)^-1 x (Featherstone 2008, Table 6.5).

    `M` (nv, nv): factors, as `factorise` writes them.
    """
    solve_outer(topology, M, x)
    for k in range(1, topology.shape[0]):
        row, i = topology[k, V], topology[k, PARENT]
        x[row] = M[row, row] * x[row]
        while i > 0:
            x[row] = x[row] - M[row, topology[i, V]] * x[topology[i, V]]
            i = topology[i, PARENT]


@primitive
def inverse_of_factors(topology, M, inverse):
    """Compute (L^T D L)^-1, symmetric, from the factors in M.

    In L M^-1 = D^-1 L^-T a row of the right side is 1 / D at its joint, and zero before it. So a
    row of M^-1 follows from the rows of the joints that carry it. The entries behind it follow
    from symmetry.

    `M` (nv, nv): factors, as `factorise` writes them.
    """
    clear(inverse)
    in_order = ordered(topology)
    for k in range(1, topology.shape[0]):
        row, i = topology[k, V], topology[k, PARENT]
        if in_order:
            subtract_first(inverse, row, M)
        else:
            subtract_carriers(topology, inverse, k, M)
        own = M[row, row]
        while i > 0:
            own = own - M[row, topology[i, V]] * inverse[row, topology[i, V]]
            i = topology[i, PARENT]
        for column in range(row if in_order else M.shape[0]):
            inverse[column, row] = inverse[row, column]
        inverse[row, row] = own


@primitive
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    diagonal: Vector,
    M: Matrix,
    bias: Vector,
    qdd: Vector,
):
    """Compute qdd = (M + diag(diagonal))^-1 (tau - C qd - g), in O(n depth^2).

    Walker and Orin 1982, method 3; Li 1989 counts its operations. A motion is prescribed whose
    torque needs few operations. This torque is subtracted from tau, and the motion is added to the
    solution.
    """
    mass_matrix(topology, constants, work, q, M)
    status = factorise(topology, diagonal, M, bias)
    torque_of_prescribed_motion(topology, constants, gravity, work, q, qd, qdd, bias)
    for k in range(qdd.shape[0]):
        bias[k] = tau[k] - bias[k] - diagonal[k] * qdd[k]
    solve_factorised(topology, M, bias)
    for k in range(qdd.shape[0]):
        qdd[k] = qdd[k] + bias[k]
    return status


@primitive
def mass_solve(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    b: Vector,
    M: Matrix,
    x: Vector,
):
    """Compute x = (M(q) + diag(diagonal))^-1 b, in O(n depth^2)."""
    mass_matrix(topology, constants, work, q, M)
    status = factorise(topology, diagonal, M, x)
    for k in range(x.shape[0]):
        x[k] = b[k]
    solve_factorised(topology, M, x)
    return status


@primitive
def mass_matrix_inverse(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    M: Matrix,
    bias: Vector,
    inverse: Matrix,
):
    """Compute (M(q) + diag(diagonal))^-1, in O(n^2 depth)."""
    mass_matrix(topology, constants, work, q, M)
    status = factorise(topology, diagonal, M, bias)
    inverse_of_factors(topology, M, inverse)
    return status


@primitive
def operational_space(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    M: Matrix,
    bias: Vector,
    spare: Matrix,
    J: Matrix,
    compliance: Matrix,
):
    """Compute J and Lambda^-1 = J M^-1 J^T = Y D^-1 Y^T of a frame, with Y = J L^-1."""
    mass_matrix(topology, constants, work, q, M)
    status = factorise(topology, diagonal, M, bias)
    poses_base_to_tip(topology, work)
    jacobian_columns(topology, constants, work, body, frame, J)
    for row in range(6):
        for k in range(J.shape[1]):
            spare[row, k] = J[row, k]
        solve_outer(topology, M, spare[row])
    for i in range(6):
        for j in range(i + 1):
            entry = 0.0
            for k in range(J.shape[1]):
                entry = entry + spare[i, k] * M[k, k] * spare[j, k]
            compliance[i, j] = entry
            compliance[j, i] = entry
    return status


@primitive
def joint_inertias(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    M: Matrix,
    D: Vector,
):
    """Compute D of M + diag(diagonal) = L^T D L."""
    mass_matrix(topology, constants, work, q, M)
    status = factorise(topology, diagonal, M, D)
    if status == 0:
        for k in range(D.shape[0]):
            D[k] = 1.0 / M[k, k]
    return status


@primitive
def mass_factors(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
):
    """Compute F and D of M + diag(diagonal) = F^T D F, as `mass_factors` does."""
    status = joint_inertias(topology, constants, work, q, diagonal, F, D)
    for k in range(1, topology.shape[0]):
        row, i = topology[k, V], topology[k, PARENT]
        F[row, row] = 1.0
        while i > 0:
            F[topology[i, V], row] = 0.0
            i = topology[i, PARENT]
    return status
