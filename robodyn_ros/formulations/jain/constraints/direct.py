# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The direct solution of constrained motion, all unknowns at once: Jain, section 11.1.2.

    [ M    G_c' ] [ thdd    ]   [ T - C ]
    [ G_c  0    ] [ -lambda ] = [ Uacc  ],    Uacc = dU/dt - Gdot_c thd                     (11.6)

O((N + n_c)^3), dense: the referee of all that is faster. In absolute coordinates M is constant
and block diagonal, and lambda holds the forces of all hinges too.

Correction to the print: one script letter stands for U, for dU/dt and for dU/dt - Gdot_c thd. The
right side of (11.6) is the last.
"""

import numpy as np


def forward_dynamics(M, force, G, acceleration):
    """(thdd (N,), lambda (n_c,)) of a constrained system (11.6).

    Parameters
    ----------
    M : (N, N) mass matrix. force : (N,) T - C.
    G : (n_c, N) of full row rank. acceleration : (n_c,) Uacc.

    Raises
    ------
    LinAlgError where G has not full row rank.
    """
    N, n_c = M.shape[0], G.shape[0]
    matrix = np.block([[M, G.T], [G, np.zeros((n_c, n_c))]])
    solution = np.linalg.solve(matrix, np.concatenate((force, acceleration)))
    return solution[:N], -solution[N:]


def residual(G, thdd, acceleration):
    """d2 d/dt2 = G_c thdd - Uacc (n_c,): by how much accelerations leave the constraint (11.7)."""
    return G @ thdd - acceleration
