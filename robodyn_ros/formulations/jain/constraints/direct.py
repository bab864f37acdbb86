# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Constrained motion by one dense system of equations: Jain, section 11.1.2.

    [ M    G_c' ] [ thdd    ]   [ T - C ]
    [ G_c  0    ] [ -lambda ] = [ Uacc  ],    Uacc = dU/dt - Gdot_c thd                     (11.6)

O((N + n_c)^3), dense: the reference for all faster methods. In absolute coordinates M is constant
and block diagonal, and lambda holds the forces of all hinges too.

Correction to the print: one script letter denotes U, dU/dt and dU/dt - Gdot_c thd. The right side
of (11.6) is the last.
"""

import numpy as np


def forward_dynamics(M, force, G, acceleration):
    """Return accelerations and multipliers of a constrained system (11.6).

    `M` (N, N): mass matrix.
    `force` (N,): T - C [N m, N].
    `G` (n_c, N): constraint matrix G_c, of full row rank.
    `acceleration` (n_c,): uacc [rad/s2, m/s2].
    Returns `thdd` (N,): accelerations [rad/s2, m/s2].
    Returns `multipliers` (n_c,): lambda [N m, N].
    Raises LinAlgError: if G does not have full row rank.
    """
    N, n_c = M.shape[0], G.shape[0]
    matrix = np.block([[M, G.T], [G, np.zeros((n_c, n_c))]])
    solution = np.linalg.solve(matrix, np.concatenate((force, acceleration)))
    return solution[:N], -solution[N:]


def residual(G, thdd, acceleration):
    """Return d2 d/dt2 = G_c thdd - Uacc, the violation of the constraint (11.7).

    `G` (n_c, N): constraint matrix G_c, of full row rank.
    `thdd` (N,): hinge accelerations, in the order of the tree [rad/s2, m/s2].
    `acceleration` (n_c,): uacc [rad/s2, m/s2].
    """
    return G @ thdd - acceleration
