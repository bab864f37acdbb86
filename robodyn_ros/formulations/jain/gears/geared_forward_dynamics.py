# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of geared links with 6 x 6 blocks, O(n): Jain, section 12.4.

    P_G = diag(M_m, P_l),   D_G = D_m + H_l P_l H_l',   G_l = P_l H_l' / D_G               (12.26)
    K(k+1, k) = L_m(k+1) / D_G + phi_l G_l,   P_l(k+1) = phi_l P_l phi_l' - K D_G K' + Mc(k+1)
    z(k) = [M_m a_m + b_m; phi_m z_m^+ + phi_l z_l^+ + P_l a_l + b_l]             (12.27, Alg 12.5)
    thdd = nu - G_G' alpha^+(k),   alpha^+(k) = [phi_m, phi_l]' alpha_l(k+1)

It costs little more than without gears. The standard form, algorithms 12.3 and 12.4, is
`sko.dynamics.forward_dynamics` of the geared SkoModel.

Corrections to the print: thdd of (12.25) and (12.27) takes alpha^+(k), not alpha^+(k + 1).
Algorithms 12.4 and 12.5 are for geared hinges, not for flexible ones.
"""

import numpy as np

from robodyn_ros.formulations.jain.gears.geared_mass_matrix import constants


def forward_dynamics(chain, T):
    """Return the accelerations of the links under given torques: Algorithm 12.5.

    `chain` (GearedChain): links and motors at one state.
    `T` ((n,) array_like): torques mu T_m + T_l [N m].
    """
    Mc, D_m, L_m = constants(chain)
    n, P, z = chain.n, np.zeros((6, 6)), np.zeros(6)
    G_m, G_l, nu = np.zeros((n, 6)), np.zeros((n, 6)), np.zeros(n)
    for k in range(n):
        P, H_m, H_l = P + Mc[k], chain.mu[k] * chain.H_m[k], chain.H_l[k]
        D = D_m[k] + H_l @ P @ H_l
        G_m[k], G_l[k] = chain.M_m[k] @ H_m / D, P @ H_l / D
        z_m = chain.M_m[k] @ chain.a_m[k] + chain.b_m[k]
        z_l = z + P @ chain.a_l[k] + chain.b_l[k]
        epsilon = T[k] - H_m @ z_m - H_l @ z_l
        nu[k] = epsilon / D
        z = chain.phi_m[k] @ (z_m + G_m[k] * epsilon) + chain.phi_l[k] @ (z_l + G_l[k] * epsilon)
        K = L_m[k] / D + chain.phi_l[k] @ G_l[k]
        P = chain.phi_l[k] @ P @ chain.phi_l[k].T - D * np.outer(K, K)
    thdd, alpha = np.zeros(n), np.zeros(6)
    for k in reversed(range(n)):
        alpha_m, alpha_l = chain.phi_m[k].T @ alpha, chain.phi_l[k].T @ alpha
        thdd[k] = nu[k] - G_m[k] @ alpha_m - G_l[k] @ alpha_l
        alpha = alpha_l + chain.H_l[k] * thdd[k] + chain.a_l[k]
    return thdd
