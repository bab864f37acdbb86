# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dense linear equations by elimination with partial pivoting, factorised in place.

Golub and Van Loan 2013, Algorithm 3.4.1.
"""

from robodyn_ros.spatial.primitive import unfused


@unfused
def factorise(system, at, m, order):
    """Factorise a square matrix in the first m rows of a table, in O(m^3).

    `system` (r, c): matrix in some of its columns, and right-hand side.
    `at`: first column of the square matrix.
    `m`: number of equations.
    `order`: column for the row exchanges.
    Returns whether no pivot is zero.
    """
    for j in range(m):
        best = j
        for i in range(j + 1, m):
            if abs(system[i, at + j]) > abs(system[best, at + j]):
                best = i
        system[j, order] = best
        if not abs(system[best, at + j]) > 0.0:
            return False
        if best != j:
            for k in range(m):
                kept = system[j, at + k]
                system[j, at + k] = system[best, at + k]
                system[best, at + k] = kept
        for i in range(j + 1, m):
            factor = system[i, at + j] / system[j, at + j]
            system[i, at + j] = factor
            if factor != 0.0:
                for k in range(j + 1, m):
                    system[i, at + k] = system[i, at + k] - factor * system[j, at + k]
    return True


@unfused
def solve(system, at, m, order, right):
    """Solve for the right-hand side in a column, in place, in O(m^2). Needs `factorise`.

    `system` (r, c): matrix in some of its columns, and right-hand side.
    `at`: first column of the square matrix.
    `m`: number of equations.
    `order`: column for the row exchanges.
    `right`: column of the right-hand side.
    """
    for j in range(m):
        other = int(system[j, order])
        kept = system[other, right]
        system[other, right] = system[j, right]
        system[j, right] = kept
    for j in range(m):
        for i in range(j + 1, m):
            system[i, right] = system[i, right] - system[i, at + j] * system[j, right]
    for i in range(m - 1, -1, -1):
        total = system[i, right]
        for j in range(i + 1, m):
            total = total - system[i, at + j] * system[j, right]
        system[i, right] = total / system[i, at + i]
