# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear complementarity problems: Jain, section 11.5.1.

    w = F z + f,   0 <= w,   0 <= z,   w' z = 0                                    (11.50, 11.51)

The book gives no solver. `lemke` is the pivoting of Lemke (1965), for any copositive F,
with the lexicographic rule against cycling. `enumerate_active` tries all sets: the oracle of small
problems.
"""

import itertools

import numpy as np


def lemke(F, f, largest=None):
    """z (n,) >= 0 with w = F z + f >= 0 and w' z = 0.

    Parameters
    ----------
    F : (n, n). f : (n,). largest : most pivots, 50 n by default.

    Raises
    ------
    ValueError where a ray is met: no solution is found.
    """
    n = len(f)
    if n == 0 or np.min(f) >= 0.0:
        return np.zeros(n)
    # Columns: w, z, the covering variable z0, then the right side.
    table = np.hstack((np.eye(n), -np.asarray(F), -np.ones((n, 1)), np.reshape(f, (n, 1))))
    basis, entering = list(range(n)), 2 * n
    row = int(np.argmin(f))
    for _ in range(largest or 50 * n):
        leaving, basis[row] = basis[row], entering
        table[row] /= table[row, entering]
        for other in range(n):
            if other != row:
                table[other] -= table[other, entering] * table[row]
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = table[:, -1]
            return z[n : 2 * n]
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving_row(table, entering, basis)
    raise ValueError(f'got no solution of {n} conditions in {largest or 50 * n} pivots')


def _leaving_row(table, entering, basis):
    """Row of the smallest ratio, ties by the lexicographic order of the rows; z0 goes first."""
    n = len(basis)
    column = table[:, entering]
    scale = max(1.0, np.abs(table).max())
    rows = [i for i in range(n) if column[i] > 1e-12 * scale]
    if not rows:
        raise ValueError(
            f'got {n} complementarity conditions that end on a ray; expected a solvable problem: '
            'F positive semi-definite, and some z with F z + f >= 0'
        )
    ratios = {i: table[i, -1] / column[i] for i in rows}
    least = min(ratios.values())
    tied = [i for i in rows if ratios[i] <= least + 1e-12 * max(1.0, abs(least))]
    for i in tied:
        if basis[i] == 2 * n:
            return i
    return min(tied, key=lambda i: tuple(table[i, :n] / column[i]))


def enumerate_active(F, f, tolerance=1e-9):
    """Return all solutions z of the problem, by trying all 2^n sets of z that may be positive."""
    n, found = len(f), []
    for size in range(n + 1):
        for active in map(list, itertools.combinations(range(n), size)):
            z = np.zeros(n)
            block = F[np.ix_(active, active)]
            if active and np.linalg.matrix_rank(block) < size:
                continue
            z[active] = np.linalg.solve(block, -f[active]) if active else []
            if z.min(initial=0.0) >= -tolerance and (F @ z + f).min(initial=0.0) >= -tolerance:
                found.append(z)
    return found


def is_solution(F, f, z, tolerance=1e-9):
    """Return whether z >= 0, w >= 0 and w' z = 0, each to the tolerance times the size of f."""
    w, scale = F @ z + f, tolerance * max(1.0, np.abs(f).max(initial=0.0))
    return bool(
        z.min(initial=0.0) >= -scale
        and w.min(initial=0.0) >= -scale
        and abs(w @ z) <= scale * max(1.0, np.abs(z).max(initial=0.0))
    )
