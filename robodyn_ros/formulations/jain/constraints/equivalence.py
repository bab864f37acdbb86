# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Equivalence of augmented and projected dynamics: Jain, section 11.4.

    y = P^-1 thdd,  T~ = P' (T - C),  M~ = P' M P,  G_c P = [G_r, 0]               (11.37, 11.41)

    [ M~11  M~12  G_r' ] [ y_1     ]   [ T~1  ]
    [ M~21  M~22  0    ] [ y_2     ] = [ T~2  ]                                           (11.42)
    [ G_r   0     0    ] [ -lambda ]   [ Uacc ]

    M~22 y_2 = T~2 - M~21 G_r^-1 Uacc                                                     (11.43)

M~22 = M_r and y_2 = thdd_r of the projected form, with the particular solution P [G_r^-1 Uacc; 0]
[Ex 11.7].
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.constraints.projected import dependent_first, transformation


class Partitioned(NamedTuple):
    """Equations of motion in the coordinates y of (11.37), dependent ones first.

    `M`: M~ (11.41).
    `force`: T~ (11.41).
    `G_r`: constraint matrix of the dependent coordinates.
    `P`: map from y to thdd (11.37).
    """

    M: np.ndarray
    force: np.ndarray
    G_r: np.ndarray
    P: np.ndarray


def partitioned(M, force, G):
    """Return the partitioned equations of motion (11.41).

    `M` (N, N): mass matrix.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): constraint matrix G_c, of full row rank.
    """
    dependent, independent = dependent_first(G)
    P = transformation(G, dependent, independent)
    return Partitioned(P.T @ M @ P, P.T @ force, G[:, dependent], P)


def reduced(M, force, G, acceleration):
    """Return accelerations and multipliers by (11.43) and the first row of (11.42).

    `M` (N, N): mass matrix.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): constraint matrix G_c, of full row rank.
    `acceleration` (n_c,): uacc [rad/s2, m/s2].
    Returns `thdd` (N,): accelerations [rad/s2, m/s2].
    Returns `multipliers` (n_c,): lambda [N m, N].
    """
    parts, n_c = partitioned(M, force, G), len(G)
    y_1 = np.linalg.solve(parts.G_r, acceleration)
    y_2 = np.linalg.solve(parts.M[n_c:, n_c:], parts.force[n_c:] - parts.M[n_c:, :n_c] @ y_1)
    y = np.concatenate((y_1, y_2))
    multipliers = np.linalg.solve(parts.G_r.T, parts.M[:n_c] @ y - parts.force[:n_c])
    return parts.P @ y, multipliers
