# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of sums of rows, beside the plain functions and NumPy."""

import numpy as np
import pytest
from numba import njit

from robodyn_ros.algorithms.core.matrices import negative_products, wide
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import factorise_rows, inverse_of_rows
from robodyn_ros.compile.kernel import OPTIONS
from robodyn_ros.spatial.row_products import CACHE_LINE, LANES, aligned, padded, subtract_products

#: One register and less, all of a block, more than a block, and no whole register.
SIZES = [1, 2, 7, 8, 9, 24, 31, 32, 33, 48, 70]
ROUNDING = 4.0 * np.finfo(float).eps


@njit(**OPTIONS)
def one(X, target, count, A, row, begin, end):
    subtract_products(X, target, count, A, row, begin, end)


@njit(**OPTIONS)
def factors(M, size):
    return factorise_rows(M, size)


@njit(**OPTIONS)
def inverse_of(M, work, inverse):
    inverse_of_rows(M, work, inverse)


@njit(**OPTIONS)
def products(A, B, C, work):
    negative_products(A, B, C, work)


def positive(n, rng):
    """Return a symmetric positive matrix in padded rows, with NaN behind its columns."""
    half = rng.normal(size=(n, n))
    M = half @ half.T + n * np.eye(n)
    rows = np.full((n, padded(n)), np.nan)
    rows[:, :n] = M
    return M, rows


@pytest.mark.parametrize('n', SIZES)
def test_machine_code_sums_the_rows_of_the_plain_function(n):
    """All rows and a part of them; other rows stay as they are."""
    rng = np.random.default_rng(n)
    X, A = rng.normal(size=(n + 2, padded(n))), rng.normal(size=(3, n))
    for given in (n, n, A, 1, n // 3, n), (n + 1, max(1, n // 2), A, 2, 0, (n + 1) // 2):
        mine, theirs = X.copy(), X.copy()
        one(mine, *given)
        subtract_products(theirs, *given)
        target, count = given[:2]
        size = np.abs(A) @ np.abs(X[:n])
        error = np.abs(mine[target, :count] - theirs[target, :count])
        assert (error <= n * ROUNDING * size.max()).all()
        assert not np.array_equal(mine[target, :count], X[target, :count])
        rest = np.arange(len(X)) != target
        assert np.array_equal(mine[rest], X[rest])


@pytest.mark.parametrize('n', SIZES)
def test_the_inverse_of_a_symmetric_matrix(n):
    """The product with the matrix is the identity, and the inverse is symmetric to the bit."""
    M, rows = positive(n, np.random.default_rng(n))
    work, inverse = np.full(wide(n), np.nan), np.full((n, n), np.nan)
    assert factors(rows, np.empty(n)) == 0
    inverse_of(rows, work, inverse)
    assert np.array_equal(inverse, inverse.T)
    allowed = n * ROUNDING * np.linalg.cond(M)
    assert np.abs(inverse @ M - np.eye(n)).max() <= allowed


def test_a_singular_pivot_is_told():
    """Counted from one, and the factors stay finite."""
    _, rows = positive(9, np.random.default_rng(0))
    rows[4, :9] = rows[:, 4] = 0.0
    assert factors(rows, np.empty(9)) == 5
    assert np.isfinite(np.tril(rows[:, :9])).all()


@pytest.mark.parametrize('n', SIZES)
def test_two_products_with_one_matrix(n):
    """-A B and -A C, of an odd and an even number of rows."""
    A, B, C = np.random.default_rng(n).normal(size=(3, n, n))
    expected = -A @ B, -A @ C
    size = (np.abs(A) @ np.maximum(np.abs(B), np.abs(C))).max()
    products(A, B, C, np.full(wide(n), np.nan))
    for mine, theirs in zip((B, C), expected, strict=True):
        assert np.abs(mine - theirs).max() <= n * ROUNDING * size


def test_rows_start_at_cache_lines():
    """For any number of rows."""
    for n in SIZES:
        memory = aligned((n, padded(n)))
        assert memory.shape == (n, padded(n)) and padded(n) % LANES == 0
        assert memory.ctypes.data % CACHE_LINE == 0 and memory.flags.c_contiguous
