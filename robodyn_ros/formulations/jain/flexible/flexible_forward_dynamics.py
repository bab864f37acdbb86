# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of flexible links: Jain, section 13.7.2, algorithm 13.7.

    z = [z_m; z_cr] = A_fl phi(O_(k-1)^+, k-1) z_pr^+(k-1) + b_fl + K vartheta
    eps_m = T_m - z_m + Pi_B' z_cr,  nu_m = D_m^-1 eps_m,  z_pr = z_cr + g eps_m + P_pr a_mR
    eps_pr = T_pr - H_B z_pr,  nu_pr = D_pr^-1 eps_pr,  z_pr^+ = z_pr + G_pr eps_pr
    thddot = nu_pr - G_pr' alpha_pr^+,  alpha_pr = alpha_pr^+ + H_B' thddot + a_mR
    etaddot = nu_m - g' alpha_pr,  alpha_fl = [etaddot; alpha_pr - Pi_B etaddot]

O(n). The standard form, algorithm 13.4, is `sko.dynamics.forward_dynamics` of the SkoModel.
"""

import numpy as np

from robodyn_ros.formulations.jain.flexible.flexible_articulated import simplified
from robodyn_ros.formulations.jain.flexible.flexible_tree import (
    bias_forces,
    coriolis_accelerations,
    velocities,
)


def forward_dynamics(tree, rate, T, L=None, gravity=True):
    """Return the accelerations under given forces: Algorithm 13.7.

    `tree` (FlexibleTree): bodies at one configuration.
    `rate` (N,): velocities varthetadot, in the order of the tree.
    `T` (N,): generalised forces of modes and hinges, in the order of the tree. Those of
      the modes are zero if only motors act.
    `L` (tuple of ndarray): see `flexible_articulated.simplified`.
    `gravity`: whether gravity acts.
    Returns `varthetaddot` (N,): accelerations, in the order of the tree.
    Returns `alpha_fl` (list of (n_md + 6,) ndarray): acceleration of each body; with gravity,
      minus that of free fall.
    """
    art, V = simplified(tree, L), velocities(tree, rate)
    a, z = coriolis_accelerations(tree, V, rate), bias_forces(tree, V, rate)
    nu_m, nu_pr = [], []
    for k, up in enumerate(tree.parent):
        n = tree.modes[k]
        T_m, T_pr = tree.parts(T, k)
        eps_m = T_m - z[k][:n] + tree.Pi_B[k].T @ z[k][n:]
        z_pr = z[k][n:] + art.g[k] @ eps_m + art.P_pr[k] @ a[k]
        eps_pr = T_pr - tree.H_B[k] @ z_pr
        nu_m.append(art.D_m_inverse[k] @ eps_m)
        nu_pr.append(np.linalg.solve(art.D_pr[k], eps_pr))
        if up < tree.n:
            z_plus = z_pr + art.G_pr[k] @ eps_pr
            z[up] = z[up] + tree.A[k] @ (tree.phi[k] @ z_plus)
    found, alpha = np.zeros(tree.N), [None] * tree.n
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        above = alpha[up] if up < tree.n else tree.g if gravity else np.zeros(6)
        alpha_plus = tree.phi[k].T @ (tree.A[k].T @ above)
        theta2 = nu_pr[k] - art.G_pr[k].T @ alpha_plus
        alpha_pr = alpha_plus + tree.H_B[k].T @ theta2 + a[k]
        eta2 = nu_m[k] - art.g[k].T @ alpha_pr
        found[tree.slices[k]] = np.concatenate((eta2, theta2))
        alpha[k] = np.concatenate((eta2, alpha_pr - tree.Pi_B[k] @ eta2))
    return found, alpha
