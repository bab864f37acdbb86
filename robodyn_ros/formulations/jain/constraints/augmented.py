# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constrained motion as a correction of free motion: Jain, section 11.2.

    thdd_f = M^-1 (T - C)                                    the tree without the constraint (11.9)
    lambda = -[G_c M^-1 G_c']^-1 (G_c thdd_f - Uacc)
    thdd = thdd_f + M^-1 G_c' lambda                                            (11.8, Alg 11.1)
    thdd = Y_C (T - C) + M^-1 G_c' [G_c M^-1 G_c']^-1 Uacc                                 (11.10)
    Y_C = M^-1 - M^-1 G_c' [G_c M^-1 G_c']^-1 G_c M^-1                                     (11.11)

O(N) for the tree and O(n_c^3) for the multipliers. Y_C is singular: Y_C G_c' = 0 (11.12), so that
a constrained system has no mass matrix in all its coordinates.
"""

from typing import NamedTuple

import numpy as np


class Corrected(NamedTuple):
    """thdd (N,), its free part thdd_f (N,), and the multipliers lambda (n_c,)."""

    thdd: np.ndarray
    free: np.ndarray
    multipliers: np.ndarray


def forward_dynamics(solve, force, G, acceleration):
    """Algorithm 11.1: the Corrected motion.

    Parameters
    ----------
    solve : function x (N,) or (N, k) -> M^-1 x, by any forward dynamics of the tree.
    force : (N,) T - C. G : (n_c, N). acceleration : (n_c,) Uacc.
    """
    free = solve(force)
    response = solve(G.T)
    multipliers = -np.linalg.solve(G @ response, G @ free - acceleration)
    return Corrected(free + response @ multipliers, free, multipliers)


def constrained_map(M, G):
    """Y_C (N, N): accelerations per torque under the constraint (11.11); M^-1 without one."""
    inverse = np.linalg.inv(M)
    if not len(G):
        return inverse
    response = inverse @ G.T
    return inverse - response @ np.linalg.solve(G @ response, response.T)
