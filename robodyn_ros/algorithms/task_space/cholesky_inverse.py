# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The operational-space inertia of a frame of full rank, without eigenvalues."""

from robodyn_ros.algorithms.core import composite
from robodyn_ros.algorithms.task_space import operational_space_inertia as compliances
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import (
    Constant,
    Indices,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)

#: Largest accepted condition number of J M^-1 J^T. It is far below 1 / RANK_TOLERANCE. So
#: `task_inertia` finds full rank too, and at least eight digits are correct.
MAX_CONDITION = 1e8


@primitive
def invert_definite(a, factor, inverse):
    """Compute the inverse of a positive definite matrix by its factors L D L^T.

    Golub and Van Loan, section 4.1.2.

    `a` (m, m): symmetric matrix.
    `inverse` (m, m), written: inverse.
    Returns 0; or 1 if a pivot is not positive, or the condition number may reach MAX_CONDITION.
      Its bound is trace(a) trace(a^-1).
    """
    m, status = a.shape[0], 0
    for j in range(m):  # D L^T on and above the diagonal, L below
        for i in range(j, m):
            rest = a[i, j]
            for k in range(j):
                rest = rest - factor[i, k] * factor[k, j]
            factor[j, i] = rest
        if not factor[j, j] > 0.0:
            status = 1
        factor[j, j] = 1.0 / factor[j, j] if status == 0 else 0.0
        for i in range(j + 1, m):
            factor[i, j] = factor[j, i] * factor[j, j]
    for j in range(m):  # L^-1 below the diagonal
        for i in range(j + 1, m):
            entry = factor[i, j]
            for k in range(j + 1, i):
                entry = entry + factor[i, k] * factor[k, j]
            factor[i, j] = -entry
    for i in range(m):  # D^-1 L^-1 on and above it
        for k in range(i + 1, m):
            factor[i, k] = factor[k, i] * factor[k, k]
    size, inverse_size = 0.0, 0.0
    for i in range(m):
        for j in range(i + 1):
            entry = factor[j, i]
            for k in range(i + 1, m):
                entry = entry + factor[i, k] * factor[k, j]
            inverse[i, j] = entry
            inverse[j, i] = entry
        size = size + a[i, i]
        inverse_size = inverse_size + inverse[i, i]
    if not MAX_CONDITION - size * inverse_size > 0.0:
        status = 1
    return status


@recursion
def of_axes(
    J: Matrix,
    compliance: Matrix,
    kept: Indices,
    damping: Scalar,
    damped: Matrix,
    factor: Matrix,
    jacobian: Matrix,
    inverse: Matrix,
    inertia: Matrix,
):
    """Compute Lambda = (J M^-1 J^T + damping^2 1)^-1 of some task axes, if no direction is lost.

    `J` (6, nv): Jacobian of all axes.
    `compliance` (6, 6): J M^-1 J^T of all axes.
    `kept` (m,): axes that are kept.
    `damping`: damping [square root of the unit of compliance].
    `jacobian` (m, nv), written: rows of the axes that are kept.
    `inverse` (m, m), written: undamped inverse of Lambda.
    `inertia` (m, m), written: lambda.
    Returns 0, or 1 if a direction is, or is almost, lost.
    """
    for i in range(kept.shape[0]):
        for k in range(J.shape[1]):
            jacobian[i, k] = J[kept[i], k]
        for j in range(kept.shape[0]):
            inverse[i, j] = damped[i, j] = compliance[kept[i], kept[j]]
        damped[i, i] = damped[i, i] + damping * damping
    return invert_definite(damped, factor, inertia)


@primitive
def by_compliances(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    body: Integer,
    frame: Constant,
    factor: Matrix,
    J: Matrix,
    compliance: Matrix,
    inertia: Matrix,
):
    """Compute J, J M^-1 J^T and Lambda of a frame, in O(n) (Jain 2011, Algorithm 10.3).

    `factor` (6, 6), written: Cholesky factor of the compliance.
    `inertia` (6, 6), written: task inertia Lambda [kg, kg m, kg m^2].
    Returns 0, or another number if a pivot is singular, or a direction is lost or almost lost.
    """
    status = compliances.operational_space(
        topology, constants, work, q, diagonal, body, frame, J, compliance
    )
    lost = invert_definite(compliance, factor, inertia)
    return status if status != 0 else lost


@primitive
def by_mass_matrix(
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
    factor: Matrix,
    J: Matrix,
    compliance: Matrix,
    inertia: Matrix,
):
    """Compute J, J M^-1 J^T and Lambda of a frame from the factors of M, in O(n depth^2).

    `inertia` (6, 6), written: task inertia Lambda [kg, kg m, kg m^2].
    Returns 0, or another number if a pivot is singular, or a direction is lost or almost lost.
    """
    status = composite.operational_space(
        topology, constants, work, q, diagonal, body, frame, M, bias, spare, J, compliance
    )
    lost = invert_definite(compliance, factor, inertia)
    return status if status != 0 else lost
