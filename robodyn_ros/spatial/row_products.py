# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sums of products with the rows of a matrix, and matrices with padded rows for them.

Kernels use machine code of `robodyn_ros.compile.simd.row_sums`. It takes LANES columns at a time.
"""

import numpy as np

from robodyn_ros.spatial.primitive import emitted

LANES = 8  # numbers that are added at a time
BYTES = 8  # of a number
CACHE_LINE = 64  # bytes; a register that spans two of them takes two loads


def padded(n):
    """Return the number of columns of a matrix whose rows are summed here.

    Parameters
    ----------
    n : int
        Number of columns in use.

    Returns
    -------
    int
        The next multiple of LANES.
    """
    return -(-n // LANES) * LANES


def aligned(shape):
    """Return working memory whose rows start at cache lines.

    Parameters
    ----------
    shape : tuple of int
        Rows and columns; the columns are a multiple of LANES.

    Returns
    -------
    ndarray
        Array without initial values.
    """
    size, spare = int(np.prod(shape)), CACHE_LINE // BYTES
    memory = np.empty(size + spare)
    start = -memory.ctypes.data % CACHE_LINE // BYTES
    return memory[start : start + size].reshape(shape)


@emitted
def subtract_products(X, target, count, A, row, begin, end):
    """Subtract A[row, k] X[k] from X[target], for begin <= k < end, in the first columns.

    Machine code changes further columns, up to the next multiple of LANES.

    Parameters
    ----------
    X : (n, m) array
        Matrix, changed in place; m is a multiple of LANES.
    target : int
        Row that changes.
    count : int
        Number of columns.
    A : (l, n) array
        Factors.
    row : int
        Row of the factors.
    begin, end : int
        First row to subtract, and the one behind the last.
    """
    for column in range(count):
        for k in range(begin, end):
            X[target, column] = X[target, column] - A[row, k] * X[k, column]
