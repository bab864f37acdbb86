# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of products with one matrix, and the inverse for which recordings use them."""

import numpy as np
import pytest
from numba import njit

from robodyn_ros.algorithms.core.matrices import negative_products, wide
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import factorise_rows, inverse_of_rows
from robodyn_ros.compile.kernel import OPTIONS
from robodyn_ros.spatial.row_products import CACHE_LINE, LANES, aligned, padded

#: One register and less, all of a block, more than a block, and no whole register.
SIZES = [1, 2, 7, 8, 9, 24, 31, 32, 33, 48, 70]
ROUNDING = 4.0 * np.finfo(float).eps


@njit(**OPTIONS)
def products(A, B, C, work):
    negative_products(A, B, C, work)


def positive(n, rng):
    """Return a symmetric positive matrix."""
    half = rng.normal(size=(n, n))
    return half @ half.T + n * np.eye(n)


@pytest.mark.parametrize('n', [1, 2, 7, 24])
def test_the_inverse_of_a_symmetric_matrix(n):
    """The product with the matrix is the identity, and the inverse is symmetric to the bit."""
    M = positive(n, np.random.default_rng(n))
    factors, work, inverse = M.copy(), np.full((n, n), np.nan), np.full((n, n), np.nan)
    assert factorise_rows(factors, np.empty(n)) == 0
    inverse_of_rows(factors, work, inverse)
    assert np.array_equal(inverse, inverse.T)
    allowed = n * ROUNDING * np.linalg.cond(M)
    assert np.abs(inverse @ M - np.eye(n)).max() <= allowed


def test_a_singular_pivot_is_told():
    """Counted from one, and the factors stay finite."""
    M = positive(9, np.random.default_rng(0))
    M[4] = M[:, 4] = 0.0
    assert factorise_rows(M, np.empty(9)) == 5
    assert np.isfinite(M).all()


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
