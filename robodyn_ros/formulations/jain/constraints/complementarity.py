# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Linear complementarity problems: Jain, section 11.5.1.

    w = F z + f,   0 <= w,   0 <= z,   w' z = 0                                    (11.50, 11.51)

The book gives no solver. `lemke` is the pivoting of Lemke (1965), for any copositive F, with the
lexicographic rule against cycling. `enumerate_active` tries all sets, as a reference for small
problems.
"""

import itertools

import numpy as np

#: Relative to the largest entry of a column; smaller ones are rounding.
SMALLEST_PIVOT = 1e-11
#: Ratios that differ by less are equal; the rounding of a well-conditioned basis is far below.
TIE = 1e-10


def lemke(F, f, largest=None):
    """Return z >= 0 with w = F z + f >= 0 and w' z = 0, by Lemke's pivoting.

    `F` (n, n): matrix of the problem.
    `f` (n,): constant part.
    `largest`: largest number of pivots; 50 n by default.
    Raises ValueError: if the pivoting ends on a ray or exceeds the number of pivots.
    """
    n = len(f)
    if n == 0 or np.min(f) >= 0.0:
        return np.zeros(n)
    # Columns: w, z, the covering variable z0, then the right side.
    whole = np.hstack((np.eye(n), -np.asarray(F), -np.ones((n, 1)), np.reshape(f, (n, 1))))
    basis, entering = list(range(n)), 2 * n
    row = int(np.argmin(f))
    for _ in range(largest or 50 * n):
        leaving, basis[row] = basis[row], entering
        # Solved from the basis each time: errors of an updated table end on a false ray.
        table = np.linalg.solve(whole[:, basis], whole)
        if leaving == 2 * n:
            z = np.zeros(2 * n + 1)
            z[basis] = table[:, -1]
            return np.maximum(z[n : 2 * n], 0.0)
        entering = leaving + n if leaving < n else leaving - n
        row = _leaving_row(table, entering, basis)
    raise ValueError(
        f'got no solution of {n} conditions in {largest or 50 * n} pivots; expected one'
    )


def _leaving_row(table, entering, basis):
    """Return the row of the smallest ratio; of ties z0, then the first in lexicographic order."""
    n = len(basis)
    column = table[:, entering]
    rows = np.flatnonzero(column > SMALLEST_PIVOT * max(1.0, np.abs(column).max()))
    if not rows.size:
        raise ValueError(
            f'got {n} complementarity conditions that end on a ray; expected a solvable problem: '
            'F positive semi-definite, and some z with F z + f >= 0'
        )
    rows = _least(rows, table[rows, -1] / column[rows])
    for i in rows:
        if basis[i] == 2 * n:
            return i
    for k in range(n):
        rows = _least(rows, table[rows, k] / column[rows])
    return rows[np.argmax(column[rows])]


def _least(rows, ratios):
    """Return the rows of the smallest ratio, ties included."""
    least = ratios.min()
    return rows[ratios <= least + TIE * max(1.0, abs(least))]


def enumerate_active(F, f, tolerance=1e-9):
    """Return all solutions z, by trying all 2^n sets of positive entries.

    `F` (n, n): matrix of the problem.
    `f` (n,): constant part.
    `tolerance`: entries of z and w above minus this count as not negative.
    """
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
    """Return whether z >= 0, w >= 0 and w' z = 0, each within a tolerance.

    `F` (n, n): matrix of the problem.
    `f` (n,): constant part.
    `z` (n,): candidate.
    `tolerance`: tolerance relative to the size of f.
    """
    w, scale = F @ z + f, tolerance * max(1.0, np.abs(f).max(initial=0.0))
    return bool(
        z.min(initial=0.0) >= -scale
        and w.min(initial=0.0) >= -scale
        and abs(w @ z) <= scale * max(1.0, np.abs(z).max(initial=0.0))
    )
