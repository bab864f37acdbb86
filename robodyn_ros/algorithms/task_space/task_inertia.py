# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Invert the compliance of a frame to the task inertia, damped or plain, with the rank."""

from numpy import sqrt

from robodyn_ros.algorithms.task_space.operational_space_inertia import RANK_TOLERANCE
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Matrix, Scalar, Vector

SWEEPS = 12  # of Jacobi rotations; six or seven diagonalise a 6 x 6 matrix to the last bit


@primitive
def diagonalise(a, v):
    """Diagonalise a symmetric matrix by cyclic Jacobi rotations (Golub and Van Loan, section 8.5).

    Jacobi rotations keep small eigenvalues of a positive matrix to high relative accuracy, which
    the decision on the rank needs.

    `a` (m, m): symmetric matrix, overwritten with its eigenvalues on the diagonal.
    `v` (m, m), written: eigenvectors in columns.
    """
    m = a.shape[0]
    for i in range(m):
        for j in range(m):
            v[i, j] = 1.0 if i == j else 0.0
    for _ in range(SWEEPS):
        rotated = False
        for i in range(m - 1):
            for j in range(i + 1, m):
                off = a[i, j]
                # a NaN is rotated too, so that it appears in the result
                if not off * off <= 1e-34 * abs(a[i, i] * a[j, j]):
                    rotated = True
                    theta = (a[j, j] - a[i, i]) / (off + off)
                    root = sqrt(theta * theta + 1.0)
                    t = 1.0 / (theta + root) if theta >= 0.0 else 1.0 / (theta - root)
                    c = 1.0 / sqrt(t * t + 1.0)
                    s = t * c
                    for k in range(m):
                        x, y = a[k, i], a[k, j]
                        a[k, i], a[k, j] = c * x - s * y, s * x + c * y
                    for k in range(m):
                        x, y = a[i, k], a[j, k]
                        a[i, k], a[j, k] = c * x - s * y, s * x + c * y
                    a[i, j], a[j, i] = 0.0, 0.0
                    for k in range(m):
                        x, y = v[k, i], v[k, j]
                        v[k, i], v[k, j] = c * x - s * y, s * x + c * y
        if not rotated:
            break


@recursion
def task_inertia(
    compliance: Matrix,
    damping: Scalar,
    spare: Matrix,
    vectors: Matrix,
    inertia: Matrix,
    singular_values: Vector,
):
    """Compute Lambda = (J M^-1 J^T + damping^2 1)^-1, and the singular values of J M^-1 J^T.

    For an undamped compliance without full rank, Lambda is the pseudo-inverse. It leaves out the
    infinite inertia along a lost direction.

    `compliance` (m, m): J M^-1 J^T.
    `damping`: damping [square root of the unit of compliance].
    `inertia` (m, m), written: lambda.
    `singular_values` (m,), written: singular values, the largest first.
    Returns rank.
    """
    m = compliance.shape[0]
    for i in range(m):
        for j in range(m):
            spare[i, j] = compliance[i, j]
    diagonalise(spare, vectors)
    largest = 0.0
    for k in range(m):
        largest = max(largest, spare[k, k])
    rank = 0
    for i in range(m):
        for j in range(m):
            inertia[i, j] = 0.0
    for k in range(m):
        value = 0.0 if spare[k, k] < 0.0 else spare[k, k]
        # so that a NaN appears in the result
        kept = not value <= RANK_TOLERANCE * largest
        if kept:
            rank += 1
        if kept or damping > 0.0:
            stiffness = 1.0 / (value + damping * damping)
            for i in range(m):
                for j in range(i + 1):
                    inertia[i, j] = inertia[i, j] + stiffness * vectors[i, k] * vectors[j, k]
                    inertia[j, i] = inertia[i, j]
        singular_values[k] = value
    for i in range(1, m):  # insertion sort, descending
        value, j = singular_values[i], i
        while j > 0 and singular_values[j - 1] < value:
            singular_values[j] = singular_values[j - 1]
            j -= 1
        singular_values[j] = value
    return rank
