# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Least squares by Householder reflections, since closures may be redundant."""

from math import sqrt

from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Integer, Matrix

#: Smallest pivot of determined unknowns, as a share of the largest.
SMALLEST_PIVOT = 1e-9


@primitive
def solve(A: Matrix, d: Integer):
    """Minimise |A[:, :d] X - A[:, d:]|, column by column, in O(m d columns).

    Golub and Van Loan 2013, Algorithm 5.3.2. The solution X is left in A[:d, d:], and the rotated
    residual in A[d:, d:].

    `A` (m, columns): matrix and right-hand sides, overwritten.
    `d`: number of unknowns.
    Returns whether the unknowns are determined.
    """
    m, columns, largest, determined = A.shape[0], A.shape[1], 0.0, True
    for j in range(d):
        length = 0.0
        for i in range(j, m):
            length = length + A[i, j] * A[i, j]
        length = sqrt(length)
        largest = max(largest, length)
        if not length > SMALLEST_PIVOT * largest:
            determined = False
            break
        pivot = -length if A[j, j] > 0.0 else length
        A[j, j] = A[j, j] - pivot  # until the reflection is applied, the column holds its vector
        for column in range(j + 1, columns):
            share = 0.0
            for i in range(j, m):
                share = share + A[i, j] * A[i, column]
            share = share / (pivot * A[j, j])
            for i in range(j, m):
                A[i, column] = A[i, column] + share * A[i, j]
        A[j, j] = pivot
    if determined:
        for column in range(d, columns):
            for j in range(d - 1, -1, -1):
                entry = A[j, column]
                for k in range(j + 1, d):
                    entry = entry - A[j, k] * A[k, column]
                A[j, column] = entry / A[j, j]
    return determined
