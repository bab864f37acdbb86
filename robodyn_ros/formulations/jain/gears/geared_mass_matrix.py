# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix of geared links with 6 x 6 blocks: Jain, section 12.3.

    R_G(k) = diag(M_m(k), R_l(k)),   R_l(k) = phi_l R_l(k-1) phi_l' + Mc(k)        (12.18, 12.19)
    Mc(k) = phi_m(k, k-1) M_m(k-1) phi_m'(k, k-1) + M_l(k)   link k and the motor mounted on it
    D_m(k) = mu^2 H_m M_m H_m',   L_m(k+1) = mu phi_m(k+1, k) M_m H_m'                     (12.20)

Mc, D_m and L_m are constant in the axes of their links, and computed once. The approximation adds
D_m to the diagonal and leaves out L_m and the motors' mass: phi_m = 0 (12.3.1). The standard form,
algorithm 12.1 with (12.17), is `composite_bodies.mass_matrix` of the geared SkoModel.

Corrections to the print: (12.14) has Phi_G(k, k-1). The second term of (12.16) is lower and the
last upper triangular. H_m and H_l of (12.20) and algorithm 12.5 are columns, H_m' and H_l', and mu
is mu(k).
"""

from typing import NamedTuple

import numpy as np


class Constants(NamedTuple):
    """Quantities of a chain that do not depend on its configuration (12.20).

    `Mc`: inertia of each link and the motor on it.
    `D_m`: reflected inertia of each motor.
    `L_m`: coupling of motor k to link k + 1.
    """

    Mc: np.ndarray
    D_m: np.ndarray
    L_m: np.ndarray


def constants(chain):
    """Return the quantities that do not depend on the configuration (12.20).

    `chain` (GearedChain): links and motors at one state.
    """
    Mc = np.array(chain.M_l)
    for k in range(1, chain.n):
        Mc[k] += chain.phi_m[k - 1] @ chain.M_m[k - 1] @ chain.phi_m[k - 1].T
    momentum = [mu * M @ H for mu, M, H in zip(chain.mu, chain.M_m, chain.H_m)]
    D_m = np.array([mu * H @ x for mu, H, x in zip(chain.mu, chain.H_m, momentum)])
    return Constants(Mc, D_m, np.array([phi @ x for phi, x in zip(chain.phi_m, momentum)]))


def mass_matrix(chain):
    """Return M_G by Algorithm 12.2 in O(n^2), with the exact coupling of the motors.

    `chain` (GearedChain): links and motors at one state.
    """
    return _mass_matrix(chain, constants(chain))


def approximate_mass_matrix(chain):
    """Return M_G with rotors on the diagonal only, and motors without mass (12.3.1).

    `chain` (GearedChain): links and motors at one state.
    """
    _, D_m, L_m = constants(chain)
    return _mass_matrix(chain, Constants(chain.M_l, D_m, np.zeros_like(L_m)))


def _mass_matrix(chain, parts):
    """Return M_G from given constants."""
    matrix, R = np.zeros((chain.n, chain.n)), np.zeros((6, 6))
    for k in range(chain.n):
        if k:
            R = chain.phi_l[k - 1] @ R @ chain.phi_l[k - 1].T
        R = R + parts.Mc[k]
        X = R @ chain.H_l[k]
        matrix[k, k] = parts.D_m[k] + chain.H_l[k] @ X
        X = parts.L_m[k] + chain.phi_l[k] @ X
        for j in range(k + 1, chain.n):
            matrix[j, k] = matrix[k, j] = chain.H_l[j] @ X
            X = chain.phi_l[j] @ X
    return matrix
