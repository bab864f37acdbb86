# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constrained motion as a correction of free motion: Jain, section 11.2.

    thdd_f = M^-1 (T - C)                                    the tree without the constraint (11.9)
    lambda = -[G_c M^-1 G_c']^-1 (G_c thdd_f - Uacc)
    thdd = thdd_f + M^-1 G_c' lambda                                            (11.8, Alg 11.1)
    thdd = Y_C (T - C) + M^-1 G_c' [G_c M^-1 G_c']^-1 Uacc                                 (11.10)
    Y_C = M^-1 - M^-1 G_c' [G_c M^-1 G_c']^-1 G_c M^-1                                     (11.11)

O(N) for the tree and O(n_c^3) for the multipliers. Y_C is singular: Y_C G_c' = 0 (11.12). So a
constrained system has no mass matrix in all its coordinates.
"""

from typing import NamedTuple

import numpy as np


class Corrected(NamedTuple):
    """A constrained motion, and the free motion that it corrects.

    `thdd`: accelerations [rad/s2, m/s2].
    `free`: accelerations thdd_f without the constraint [rad/s2, m/s2].
    `multipliers`: constraint forces lambda [N m, N].
    """

    thdd: np.ndarray
    free: np.ndarray
    multipliers: np.ndarray


def forward_dynamics(solve, force, G, acceleration):
    """Return the constrained motion: Algorithm 11.1.

    `solve` (callable): `solve(x)` returns M^-1 x for x (N,) or (N, k), by any forward dynamics of
      the tree.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): constraint matrix G_c.
    `acceleration` (n_c,): uacc [rad/s2, m/s2].
    """
    free = solve(force)
    response = solve(G.T)
    multipliers = -np.linalg.solve(G @ response, G @ free - acceleration)
    return Corrected(free + response @ multipliers, free, multipliers)


def constrained_map(M, G):
    """Return Y_C, the accelerations per torque under the constraint (11.11).

    `M` (N, N): mass matrix.
    `G` (n_c, N): constraint matrix G_c; with no rows, Y_C is M^-1.
    """
    inverse = np.linalg.inv(M)
    if not len(G):
        return inverse
    response = inverse @ G.T
    return inverse - response @ np.linalg.solve(G @ response, response.T)
