# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Polynomials of several variables in Chebyshev form."""

import numpy as np

DEGREES = {1: 14, 2: 7, 3: 4}  # of the polynomial by the number of independent joints; else 2


def powers_of_terms(c):
    """Return the powers of all terms of a polynomial.

    `c`: number of variables.
    """
    if c in DEGREES:
        degree = DEGREES[c]
        return np.array([p for p in np.ndindex(*[degree + 1] * c) if sum(p) <= degree])
    unit = np.eye(c, dtype=int)
    pairs = [unit[i] + unit[j] for i in range(c) for j in range(i + 1)]
    return np.array([np.zeros(c, dtype=int), *unit, *pairs])


def chebyshev_terms(powers, x):
    """Return the terms: products of Chebyshev polynomials of the variables.

    `powers` ((terms, c) ndarray of int): degree of each term in each variable.
    `x` (sequence of float, ndarray or Recorded): variables from -1 to 1.
    """
    tables = []
    for value, most in zip(x, powers.max(axis=0)):
        table = [1.0 + 0.0 * value, value]
        for _ in range(most - 1):
            table.append(2.0 * (value * table[-1]) - table[-2])
        tables.append(table)
    terms = []
    for power in powers:
        term = None
        for table, k in zip(tables, power):
            if k:
                term = table[k] if term is None else term * table[k]
        terms.append(1.0 + 0.0 * x[0] if term is None else term)
    return np.array(terms)
