# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Matrix operations of the recursions, on several rows at a time.

So the compiler vectorises over columns, and loads each number once for several sums.
"""

from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import emitted, inlined, primitive
from robodyn_ros.spatial.row_products import padded


@primitive
def clear(matrix):
    """Set every entry to zero.

    `matrix` (n, m): overwritten with zeros.
    """
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
    """Subtract `share` times another row from a row, in the first columns.

    `row`: row that changes, and row that is subtracted.
    `other`: row that changes, and row that is subtracted.
    `width`: number of columns.
    """
    for column in range(width):
        X[row, column] = X[row, column] - share * X[other, column]


@inlined
def subtract_first(X, row, A):
    """Subtract A[row, k] X[k] from X[row] for every k < row, in the first `row` columns.

    `row`: row that changes.
    `A` (n, n): factors.
    """
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
    """Subtract A[row, column] X[column] from X[row] for every joint that carries joint k.

    The row is that of joint k, the columns are those of the joints that carry it.

    `A` (n, n): factors.
    """
    row, i = topology[k, V], topology[k, PARENT]
    while i > 0:
        subtract_row(X, row, A[row, topology[i, V]], topology[i, V], X.shape[1])
        i = topology[i, PARENT]


def wide(n):
    """Return the shape of the working memory of `negative_products`.

    `n`: size of the square matrices.
    """
    return n, 2 * padded(n)


@emitted
def negative_products(A, B, C, spare):
    """Replace B by -A B and C by -A C.

    `A` (n, n): left factor of both products.
    `B`, `C` (n, n): right factors, replaced.
    `spare`: working memory, of the shape of `wide`.
    """
    n = A.shape[0]
    for row in range(n):
        for column in range(n):
            spare[row, column], spare[row, n + column] = B[row, column], C[row, column]
    for row in range(0, n, 2):
        below = min(row + 1, n - 1)
        for column in range(2 * n):
            first, second = 0.0, 0.0
            for k in range(n):
                first = first - A[row, k] * spare[k, column]
                second = second - A[below, k] * spare[k, column]
            if column < n:
                B[row, column], B[below, column] = first, second
            else:
                C[row, column - n], C[below, column - n] = first, second
