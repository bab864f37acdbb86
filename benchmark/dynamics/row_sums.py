# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Factors, inverse and products with M^-1, with sums of rows in registers or by plain loops.

These are the dense part of the derivatives of forward dynamics. The loops run over columns inside,
so that compilers can vectorise them. Both ways take turns. See
robodyn_ros.compile.simd.
"""

import time

import numpy as np

from benchmark import table
from robodyn_ros.algorithms.core.matrices import negative_products, wide
from robodyn_ros.algorithms.mass_matrix.symmetric_inverse import factorise_rows, inverse_of_rows
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.row_products import aligned, padded, subtract_products
from robodyn_ros.spatial.types import Integer, Matrix, Vector

SIZES, ROUNDS, SPAN = (7, 14, 30, 48), 60, 2e-3  # joints, rounds, time of a measurement [s]


@primitive
def subtract_in_loops(X, target, count, A, row, begin, end):
    """Subtract A[row, k] X[k] from X[target], for begin <= k < end, in the first columns."""
    for k in range(begin, end):
        factor = A[row, k]
        for column in range(count):
            X[target, column] = X[target, column] - factor * X[k, column]


@primitive
def products_in_loops(A, B, C, work):
    """Replace B by -A B and C by -A C."""
    n = A.shape[0]
    for row in range(n):
        for column in range(n):
            work[row, column], work[row, n + column] = B[row, column], C[row, column]
            B[row, column] = C[row, column] = 0.0
    for row in range(n):
        for k in range(n):
            factor = A[row, k]
            for column in range(n):
                B[row, column] = B[row, column] - factor * work[k, column]
            for column in range(n):
                C[row, column] = C[row, column] - factor * work[k, n + column]


def solve(
    count: Integer,
    given: Matrix,
    slopes: Matrix,
    factors: Matrix,
    bias: Vector,
    work: Matrix,
    inverse: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
):
    """Compute M^-1, and its products with two matrices, `count` times."""
    for _ in range(count):
        factors[:, :] = given
        by_q[:, :] = slopes
        by_qd[:, :] = slopes
        factorise_rows(factors, bias)
        inverse_of_rows(factors, work, inverse)
        negative_products(inverse, by_q, by_qd, work)


def measure():
    """Return {joints: {'registers', 'loops': us}}, the least of interleaved rounds."""
    plain = {subtract_products: subtract_in_loops, negative_products: products_in_loops}
    kernels = {'registers': Kernel(solve), 'loops': Kernel(rebound(solve, plain))}
    for kernel in kernels.values():
        vars(kernel)['_code'] = None  # both have one name in the cache
    return {str(n): _alternating(kernels, n) for n in SIZES}


def _alternating(kernels, n):
    """Return the least time of a solution by each kernel [us]."""
    rng, given = np.random.default_rng(n), np.zeros((n, padded(n)))
    root = rng.standard_normal((n, n))
    given[:, :n] = root @ root.T + n * np.eye(n)
    memory = aligned((n, padded(n))), np.empty(n), aligned(wide(n)), np.empty((n, n))
    slopes, found = rng.standard_normal((n, n)), {}
    for way, kernel in kernels.items():
        found[way] = np.empty((2, n, n))
        kernel(1, given, slopes, *memory, *found[way])
    np.testing.assert_allclose(found['registers'], found['loops'], rtol=0.0, atol=1e-12)
    results = found['loops']
    begin = time.perf_counter()
    kernels['loops'](10, given, slopes, *memory, *results)
    count = max(1, int(10 * SPAN / (time.perf_counter() - begin)))
    best = dict.fromkeys(kernels, np.inf)
    for _ in range(ROUNDS):
        for way, kernel in kernels.items():
            begin = time.perf_counter()
            kernel(count, given, slopes, *memory, *results)
            best[way] = min(best[way], 1e6 * (time.perf_counter() - begin) / count)
    return best


def show(result):
    """Show both times and their ratio."""
    table.show(
        'M^-1 and its products with two matrices [us]',
        ('joints', 'registers', 'loops', 'ratio'),
        [
            (n, f'{row["registers"]:.2f}', f'{row["loops"]:.2f}',
             f'{row["loops"] / row["registers"]:.2f}')
            for n, row in ((n, result[n]) for n in map(str, SIZES))
        ],
    )  # fmt: skip
