# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Curvature of the mass matrix, and where it allows global diagonalisation: Jain, section 19.1.

    M = m m',  m' = grad g:    d^2 g/dt^2 = l T, without Coriolis forces           (Lemma 19.1)
    R_hijk = [d^2 M_hk/di dj + d^2 M_ij/dh dk - d^2 M_hj/di dk - d^2 M_ik/dh dj] / 2
             + sum_lm ([ij, l] [hk, m] - [ik, l] [hj, m]) (M^-1)_lm               (19.10, 19.11)

Such a g exists near theta only where all symbols vanish (Lemma 19.2). Second derivatives are sums
over a circle in the complex plane, exact to rounding. O(n^5), of a Robot of revolute and prismatic
joints or of Coordinates of any tree.

Correction to the print: N^2 (N^2 - 1)/12 of the symbols are independent, not N (N + 1)/2.
"""

import numpy as np

from robodyn_ros.formulations.jain.quasi_velocities import energies_of
from robodyn_ros.formulations.spong.christoffel import symbols_of

#: Points on the upper half of a circle; those of the lower half give the conjugates. The harmonics
#: of a mass matrix go up to four times an angle. With 24 points their error is 2^26/26!.
CIRCLE = 0.5 * np.exp(2j * np.pi * (np.arange(12) + 0.5) / 24)


def riemann_symbols(system, q):
    """Return the Riemann symbols R_hijk of the mass matrix (19.10).

    `system` (Robot, RobotModel or Coordinates): system of N coordinates.
    `q` ((N,) array_like): coordinates [rad, m].
    """
    second, products = _terms(system, q)
    return second + products


def is_flat(system, q, tolerance=1e-9):
    """Return whether all Riemann symbols vanish at q.

    `system` (Robot, RobotModel or Coordinates): system of N coordinates.
    `q` ((N,) array_like): coordinates [rad, m].
    `tolerance`: tolerance relative to the mass matrix and to the terms of the symbols.
    """
    terms = _terms(system, q)
    size = max(np.abs(each).max() for each in (*terms, energies_of(system)[0].mass_matrix(q)))
    return bool(np.abs(sum(terms)).max() <= tolerance * size)


def _terms(system, q):
    """Return the two sums of (19.10), of second and of first derivatives."""
    energies, q = energies_of(system, q)
    M = energies.mass_matrix
    return (
        second_order_terms(second_derivatives(M, q)),
        first_order_terms(M(q), symbols_of(M, q)),
    )


def second_order_terms(slopes):
    """Return the bracket of (19.10).

    `slopes` (N, N, N, N): second derivatives d^2 M_ab/dc dd at [a, b, c, d].
    """
    terms = ('hkij', 1), ('ijhk', 1), ('hjik', -1), ('ikhj', -1)
    return 0.5 * sum(sign * np.einsum(f'{each}->hijk', slopes) for each, sign in terms)


def first_order_terms(M, symbols):
    """Return the sum of (19.10) over the Christoffel symbols.

    `M` (N, N): mass matrix.
    `symbols` (N, N, N): [ij, l] at [i, j, l] (4.35).
    """
    raised = np.linalg.solve(M, symbols.reshape(-1, len(M)).T).T.reshape(symbols.shape)
    return np.einsum('ijl,hkl->hijk', raised, symbols) - np.einsum(
        'ikl,hjl->hijk', raised, symbols
    )


def second_derivatives(f, x):
    """Return d^2 f/dx_i dx_j of a matrix function.

    `f` (callable): `f(x)` returns a matrix, also of complex x.
    `x` (N,): point.
    """
    units = np.eye(len(x))

    def twice(u):
        return 2.0 * np.real(sum(f(x + z * u) / z**2 for z in CIRCLE)) / len(CIRCLE)

    own = [twice(u) for u in units]
    result = np.zeros((*own[0].shape, len(x), len(x)))
    for i, u in enumerate(units):
        result[..., i, i] = own[i]
        for j in range(i):
            mixed = 0.5 * (twice(u + units[j]) - own[i] - own[j])
            result[..., i, j] = result[..., j, i] = mixed
    return result
