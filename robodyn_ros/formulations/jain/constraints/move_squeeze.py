# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that move and torques that only strain: Jain, section 11.2.1.

    T = T_mv + T_sq,  T_sq = P_ms T,  T_mv = (1 - P_ms) T                                  (11.15)
    P_ms = G_c' (X G_c')^-1 X                                                              (11.14)

A torque in the range of G_c' does not change the motion. With X = G_c W, T_mv has the smallest
norm T' W T of all torques with that motion [Ex 11.2]. This distributes a load over the actuators.
"""

import numpy as np


def projection(G, X):
    """Return P_ms, the projection onto squeeze torques (11.14).

    `G` (n_c, N): constraint matrix G_c.
    `X` (n_c, N): any matrix with X G_c' invertible.
    """
    return G.T @ np.linalg.solve(X @ G.T, X)


def decompose(T, G, weight=None):
    """Return torques as the part that moves and the part that squeezes (11.15, Ex 11.2).

    `T` (N,): torques [N m, N].
    `G` (n_c, N): constraint matrix G_c.
    `weight` (N, N): W of the norm, symmetric positive definite; 1 by default.
    Returns `T_mv` (N,): part that moves, of smallest T_mv' W T_mv.
    Returns `T_sq` (N,): part that squeezes.
    """
    X = G if weight is None else G @ weight
    squeeze = projection(G, X) @ T
    return T - squeeze, squeeze
