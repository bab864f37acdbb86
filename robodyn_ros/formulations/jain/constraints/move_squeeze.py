# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques that move and torques that only strain: Jain, section 11.2.1.

    T = T_mv + T_sq,  T_sq = P_ms T,  T_mv = (1 - P_ms) T                                  (11.15)
    P_ms = G_c' (X G_c')^-1 X                                                              (11.14)

Any T in the range of G_c' leaves the motion as it is. With X = G_c W, T_mv has the smallest norm
T' W T of all torques with that motion [Ex 11.2]. It is how actuators share a load.
"""

import numpy as np


def projection(G, X):
    """P_ms (N, N) onto squeeze torques (11.14); X (n_c, N) with X G_c' invertible."""
    return G.T @ np.linalg.solve(X @ G.T, X)


def decompose(T, G, weight=None):
    """(T_mv, T_sq), each (N,), with the smallest T_mv' W T_mv (11.15, Ex 11.2).

    weight : (N, N) symmetric and positive, 1 by default.
    """
    X = G if weight is None else G @ weight
    squeeze = projection(G, X) @ T
    return T - squeeze, squeeze
