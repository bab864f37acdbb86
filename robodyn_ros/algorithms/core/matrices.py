# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Matrix operations of the recursions, on several rows at a time.

So the compiler vectorises over columns, and loads each number once for several sums.
"""

from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import inlined, primitive
from robodyn_ros.spatial.row_products import padded, subtract_two_products


@primitive
def clear(matrix):
    """Set every entry to zero.

    Parameters
    ----------
    matrix : (n, m) array
        Overwritten with zeros.
    """
    for row in range(matrix.shape[0]):
        for column in range(matrix.shape[1]):
            matrix[row, column] = 0.0


@primitive
def ordered(topology):
    """Return whether the columns are in the order of the bodies, parents first.

    Parameters
    ----------
    topology : array
        Structure of the robot: parent and joint of each body, see `model.layout`.

    Returns
    -------
    bool
        True if they are.
    """
    for k in range(1, topology.shape[0]):
        if topology[k, V] != k - 1:
            return False
    return True


@inlined
def subtract_row(X, row, share, other, width):
    """Subtract `share` times another row from a row, in the first columns.

    Parameters
    ----------
    X : (n, m) array
        Matrix, changed in place.
    row : int
        Row that changes, and row that is subtracted.
    share : float
        Factor.
    other : int
        Row that changes, and row that is subtracted.
    width : int
        Number of columns.
    """
    for column in range(width):
        X[row, column] = X[row, column] - share * X[other, column]


@inlined
def subtract_first(X, row, A):
    """Subtract A[row, k] X[k] from X[row] for every k < row, in the first `row` columns.

    Parameters
    ----------
    X : (n, n) array
        Matrix, changed in place.
    row : int
        Row that changes.
    A : (n, n) array
        Factors.
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

    Parameters
    ----------
    topology : array
        Structure of the robot: parent and joint of each body, see `model.layout`.
    X : (n, m) array
        Matrix, changed in place.
    k : int
        Row of the body of the joint.
    A : (n, n) array
        Factors.
    """
    row, i = topology[k, V], topology[k, PARENT]
    while i > 0:
        subtract_row(X, row, A[row, topology[i, V]], topology[i, V], X.shape[1])
        i = topology[i, PARENT]


def wide(n):
    """Return the shape of the working memory of `negative_products`.

    Parameters
    ----------
    n : int
        Size of the square matrices.

    Returns
    -------
    tuple of int
        Rows and columns.
    """
    return n + 2, padded(2 * n)


@primitive
def negative_products(A, B, C, work):
    """Replace B by -A B and C by -A C, in one pass over long rows.

    Parameters
    ----------
    A : (n, n) array
        Left factor of both products.
    B, C : (n, n) array
        Right factors, replaced.
    work : array
        Working memory, of the shape of `wide`.
    """
    n = A.shape[0]
    clear(work)
    for row in range(n):
        for column in range(n):
            work[row, column] = B[row, column]
        for column in range(n):
            work[row, n + column] = C[row, column]
    for row in range(0, n, 2):
        for below in range(n, n + 2):
            for column in range(work.shape[1]):
                work[below, column] = 0.0
        subtract_two_products(work, n, 2 * n, A, row, min(row + 1, n - 1), n)
        for below in range(row, min(row + 2, n)):
            for column in range(n):
                B[below, column] = work[n + below - row, column]
            for column in range(n):
                C[below, column] = work[n + below - row, n + column]
