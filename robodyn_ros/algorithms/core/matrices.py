# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Matrix operations of the recursions, on several rows at a time.

A compiler then vectorises over columns, and loads each number once for several sums.
"""

from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import inlined, primitive


@primitive
def clear(matrix):
    """Set every entry to zero."""
    for row in range(matrix.shape[0]):
        for column in range(matrix.shape[1]):
            matrix[row, column] = 0.0


@primitive
def ordered(topology):
    """Return whether the columns are in the order of the bodies, parents first."""
    for k in range(1, topology.shape[0]):
        if topology[k, V] != k - 1:
            return False
    return True


@inlined
def subtract_row(X, row, share, other, width):
    """Subtract `share` times another row of X from a row of X, in the first `width` columns."""
    for column in range(width):
        X[row, column] = X[row, column] - share * X[other, column]


@inlined
def subtract_first(X, row, A):
    """Subtract A[row, k] X[k] from a row of X for each k below it, in as many columns."""
    for k in range(0, row, 4):
        p, q, r = min(k + 1, row - 1), min(k + 2, row - 1), min(k + 3, row - 1)
        a = A[row, k]
        b = A[row, p] if k + 1 < row else 0.0
        c = A[row, q] if k + 2 < row else 0.0
        d = A[row, r] if k + 3 < row else 0.0
        for column in range(row):
            X[row, column] = (
                X[row, column]
                - a * X[k, column]
                - b * X[p, column]
                - c * X[q, column]
                - d * X[r, column]
            )


@inlined
def subtract_carriers(topology, X, k, A):
    """Subtract A[k, i] X[i] from row k of X for every joint i that carries joint k."""
    row, i = topology[k, V], topology[k, PARENT]
    while i > 0:
        subtract_row(X, row, A[row, topology[i, V]], topology[i, V], X.shape[1])
        i = topology[i, PARENT]


@inlined
def subtract_product(A, row, B, first):
    """Subtract two rows of A times B, from `row`, from two rows of B, from `first`.

    B has two rows more than A has columns.
    """
    count, second, below = A.shape[1], first + 1, min(row + 1, A.shape[0] - 1)
    for k in range(0, count, 4):
        p, q, r = min(k + 1, count - 1), min(k + 2, count - 1), min(k + 3, count - 1)
        a, e = A[row, k], A[below, k]
        b, f = (A[row, p], A[below, p]) if k + 1 < count else (0.0, 0.0)
        c, g = (A[row, q], A[below, q]) if k + 2 < count else (0.0, 0.0)
        d, h = (A[row, r], A[below, r]) if k + 3 < count else (0.0, 0.0)
        for column in range(B.shape[1]):
            w, x, y, z = B[k, column], B[p, column], B[q, column], B[r, column]
            B[first, column] = B[first, column] - a * w - b * x - c * y - d * z
            B[second, column] = B[second, column] - e * w - f * x - g * y - h * z


def wide(n):
    """Return the shape of the scratch of `negative_products` for (n, n) matrices."""
    return n + 2, -(-2 * n // 16) * 16


@primitive
def negative_products(A, B, C, work):
    """Replace B by -A B and C by -A C, in one pass over long rows.

    Parameters
    ----------
    work
        As of `wide`, overwritten.
    """
    n = A.shape[0]
    clear(work)
    for row in range(n):
        for column in range(n):
            work[row, column] = B[row, column]
            work[row, n + column] = C[row, column]
    for row in range(0, n, 2):
        for column in range(work.shape[1]):
            work[n, column] = 0.0
            work[n + 1, column] = 0.0
        subtract_product(A, row, work, n)
        for below in range(row, min(row + 2, n)):
            for column in range(n):
                B[below, column] = work[n + below - row, column]
                C[below, column] = work[n + below - row, n + column]
