# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by the dense mass matrix and its L D L^T factor, in O(n^3)."""

from robodyn_ros.algorithms.core.articulated import singular
from robodyn_ros.algorithms.core.crba import mass_matrix
from robodyn_ros.algorithms.variants.factored_forward_dynamics import torque_left
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work


@primitive
def factorise_dense(M, status):
    """Factorise M = L D L^T in its lower triangle, row by row (Golub and Van Loan, section 4.1.2).

    There are no roots, and every sum runs along two rows.

    `M` (n, n): mass matrix; its lower triangle is replaced by L, its diagonal by 1 / D.
    `status`: status so far.
    Returns the given status, or 1 plus the row of a singular pivot.
    """
    for k in range(M.shape[0]):
        for i in range(k):
            for j in range(i):
                M[k, i] = M[k, i] - M[k, j] * M[i, j]  # row k of L D, row i of L
        pivot = M[k, k]
        size = pivot
        for j in range(k):
            entry = M[k, j] * M[j, j]
            pivot = pivot - entry * M[k, j]
            M[k, j] = entry
        if singular(pivot, size):
            M[k, k], status = 0.0, 1 + k  # as if locked, so that the results stay finite
        else:
            M[k, k] = 1.0 / pivot
    return status


@primitive
def solve_dense(M, x):
    """Replace x by (L D L^T)^-1 x.

    `M` (n, n): factors, as `factorise_dense` writes them.
    """
    n = M.shape[0]
    for k in range(n):
        for j in range(k):
            x[k] = x[k] - M[k, j] * x[j]
    for k in range(n - 1, -1, -1):
        x[k] = x[k] * M[k, k]
        for j in range(k + 1, n):
            x[k] = x[k] - M[j, k] * x[j]


@recursion
def forward_dynamics_dense(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    M: Matrix,
    bias: Vector,
    qdd: Vector,
):
    """Solve (M + diag(diagonal)) qdd = tau - C qd - g + J^T f_ext by a dense L D L^T, O(n^3)."""
    torque_left(topology, constants, gravity, work, q, qd, tau, f_ext, bias, qdd)
    mass_matrix(topology, constants, work, q, M)
    for k in range(M.shape[0]):
        M[k, k] = M[k, k] + diagonal[k]
    row = factorise_dense(M, 0)
    solve_dense(M, qdd)
    status = 0
    for i in range(1, topology.shape[0]):
        if topology[i, V] == row - 1:
            status = i
    return status
