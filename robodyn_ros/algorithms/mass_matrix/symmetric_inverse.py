# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The inverse of a symmetric positive matrix by its factors L^T D L, a row at a time.

Each row is a sum of other rows. With rows in the order of the bodies the entries of joints in
different branches stay zero (Featherstone 2008, section 6.4). This is for recordings, which have
no registers of several numbers.
"""

from robodyn_ros.algorithms.core.articulated import singular
from robodyn_ros.spatial.primitive import primitive


@primitive
def subtract_products(X, target, count, A, row, begin, end):
    """Subtract A[row, k] X[k] from X[target], for begin <= k < end, in the first columns.

    `target`: row that changes.
    `count`: number of columns.
    `A` (l, n): factors.
    `row`: row of the factors.
    `begin`, `end`: first row to subtract, and the one behind the last.
    """
    for column in range(count):
        for k in range(begin, end):
            X[target, column] = X[target, column] - A[row, k] * X[k, column]


@primitive
def factorise_rows(M, size):
    """Replace M by the factors of M = L^T D L, from the last row to the first.

    L is below the diagonal and 1 / D on it. The rows of D L are above it, in columns.

    `M` (n, m): matrix, replaced; m >= n.
    `size` (n,), written: its diagonal.
    Returns 0, or the number of the first row whose pivot is singular, counted from one.
    """
    status = 0
    for row in range(size.shape[0]):
        size[row] = M[row, row]
    for row in range(size.shape[0] - 1, -1, -1):
        subtract_products(M, row, row + 1, M, row, row + 1, size.shape[0])
        pivot = M[row, row]
        if singular(pivot, size[row]):
            inverse, status = 0.0, row + 1  # as if locked, so that the results stay finite
        else:
            inverse = 1.0 / pivot
        M[row, row] = inverse
        for column in range(row):
            M[column, row] = M[row, column]
        for column in range(row):
            M[row, column] = M[row, column] * inverse
    return status


@primitive
def inverse_of_rows(factors, spare, inverse):
    """Compute (L^T D L)^-1, symmetric, from the factors.

    In L M^-1 = D^-1 L^-T a row of the right side is 1 / D at its joint, and zero before it. So a
    row of M^-1 follows from the rows before it. The entries behind it follow from symmetry.

    `factors` (n, m): factors, as `factorise_rows` writes them.
    `spare` (p, m): working memory with p >= n and m >= n.
    `inverse` (n, n), written: the inverse.
    """
    for row in range(inverse.shape[0]):
        for column in range(factors.shape[1]):
            spare[row, column] = 0.0
        subtract_products(spare, row, row, factors, row, 0, row)
        own = factors[row, row]
        for k in range(row):
            own = own - factors[row, k] * spare[row, k]
        for k in range(row):
            spare[k, row] = spare[row, k]
        spare[row, row] = own
    for row in range(inverse.shape[0]):
        for column in range(inverse.shape[0]):
            inverse[row, column] = spare[row, column]
