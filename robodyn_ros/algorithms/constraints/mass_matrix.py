# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix over independent coordinates, M = E^T M_tree E, its factors and solves.

M = L^T D L without fill-in beyond the reduced tree (model.dependent.embedding): Featherstone 2008,
sections 6.4 and 6.5, with the elimination tree in place of the robot's tree.
"""

from robodyn_ros.algorithms.constraints.aggregated_bodies import (
    aggregated_inertias,
    solve_aggregated,
)
from robodyn_ros.algorithms.constraints.expansion import (
    all_square,
    body_of,
    expand_positions,
    project_symmetric,
    reduced,
    square,
)
from robodyn_ros.algorithms.core import crba
from robodyn_ros.algorithms.core.composite import (
    factorise,
    inverse_of_factors,
    solve_factorised,
    solve_outer,
)
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Boolean, Matrix, Table, Topology, Vector, Work


@primitive
def mass_matrix(topology: Topology, constants: Table, work: Work, q: Vector, M: Matrix):
    """Compute M = E^T M_tree E, symmetric and positive definite (Jain 2011, eq. 15.8)."""
    everything = expand_positions(topology, constants, work, q)
    mass_matrix_at(topology, constants, work, everything, M)


@primitive
def mass_matrix_at(topology, constants, work, everything, M):
    """Compute the mass matrix at positions of all joints. Needs `expand_positions`."""
    M_tree = all_square(topology, work)
    crba.mass_matrix(topology, constants, work, everything, M_tree)
    project_symmetric(topology, work, M_tree, M)


@primitive
def factors(topology, constants, work, q, diagonal, size):
    """Factorise M + diag(diagonal) = L^T D L, in the memory of `square`."""
    M = square(topology, work)
    mass_matrix(topology, constants, work, q, M)
    return body_of(topology, factorise(reduced(topology), diagonal, M, size))


@primitive
def mass_solve(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    b: Vector,
    x: Vector,
):
    """Compute x = (M(q) + diag(diagonal))^-1 b, in O(n), by aggregated bodies."""
    everything = expand_positions(topology, constants, work, q)
    joint_transforms(topology, constants, work, everything)
    status = aggregated_inertias(topology, constants, work, diagonal)
    solve_aggregated(topology, constants, work, b, x)
    return status


@primitive
def mass_solve_by_factors(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    b: Vector,
    M: Matrix,
    x: Vector,
):
    """Compute x = (M(q) + diag(diagonal))^-1 b by the factors of the mass matrix."""
    mass_matrix(topology, constants, work, q, M)
    status = body_of(topology, factorise(reduced(topology), diagonal, M, x))
    for k in range(x.shape[0]):
        x[k] = b[k]
    solve_factorised(reduced(topology), M, x)
    return status


@primitive
def mass_matrix_inverse(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    motions: Matrix,
    inverse: Matrix,
):
    """Compute (M(q) + diag(diagonal))^-1.

    `motions`: not used.
    """
    status = factors(topology, constants, work, q, diagonal, inverse[0])
    inverse_of_factors(reduced(topology), square(topology, work), inverse)
    return status


@primitive
def mass_matrix_inverse_in_place(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, inverse: Matrix
):
    """Compute (M(q) + diag(diagonal))^-1, without an array for motions."""
    return mass_matrix_inverse(topology, constants, work, q, diagonal, inverse, inverse)


@primitive
def mass_product(
    topology: Topology, constants: Table, work: Work, q: Vector, x: Vector, y: Vector
):
    """Compute y = M(q) x."""
    M = square(topology, work)
    mass_matrix(topology, constants, work, q, M)
    for k in range(y.shape[0]):
        y[k] = 0.0
        for column in range(x.shape[0]):
            y[k] = y[k] + M[k, column] * x[column]


@primitive
def mass_matrix_diagonal(
    topology: Topology, constants: Table, work: Work, q: Vector, entries: Vector
):
    """Compute the diagonal of M(q).

    `entries` (nv,), written: diagonal of the mass matrix [kg m^2 or kg].
    """
    M = square(topology, work)
    mass_matrix(topology, constants, work, q, M)
    for k in range(entries.shape[0]):
        entries[k] = M[k, k]


@primitive
def joint_inertias(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, D: Vector
):
    """Compute D of M + diag(diagonal) = L^T D L."""
    status = factors(topology, constants, work, q, diagonal, D)
    M = square(topology, work)
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
    """Compute F and D of M + diag(diagonal) = F^T D F."""
    status = joint_inertias(topology, constants, work, q, diagonal, D)
    tree, L = reduced(topology), square(topology, work)
    for k in range(F.shape[0]):
        for column in range(F.shape[1]):
            F[k, column] = 1.0 if k == column else 0.0
    for k in range(1, tree.shape[0]):
        i = tree[k, PARENT]
        while i > 0:
            F[tree[k, V], tree[i, V]] = L[tree[k, V], tree[i, V]]
            i = tree[i, PARENT]
    return status


@primitive
def factor_product(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    x: Vector,
    transposed: Boolean,
    inverse: Boolean,
    y: Vector,
):
    """Compute y = F^T x, F x, F^-T x or F^-1 x, with M + diag(diagonal) = F^T D F.

    The names are those of L = F^T: F^T x by default, F x if transposed, F^-T x if inverse, F^-1 x
    if both.

    `transposed`: whether the factor L = F^T is transposed.
    `inverse`: whether the factor L = F^T is inverted.
    """
    status = factors(topology, constants, work, q, diagonal, y)
    tree, L = reduced(topology), square(topology, work)
    for k in range(y.shape[0]):
        y[k] = x[k]
    if inverse and not transposed:
        solve_outer(tree, L, y)
        return status
    for step in range(1, tree.shape[0]):
        # each row is computed before its entries of y change
        k = step if inverse or not transposed else tree.shape[0] - step
        row, i = tree[k, V], tree[k, PARENT]
        while i > 0:
            column = tree[i, V]
            if inverse:
                y[row] = y[row] - L[row, column] * y[column]
            elif transposed:
                y[row] = y[row] + L[row, column] * y[column]
            else:
                y[column] = y[column] + L[row, column] * x[row]
            i = tree[i, PARENT]
    return status
