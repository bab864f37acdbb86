# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coriolis vector of the normalised diagonal equations: Jain, section 19.4, algorithm 19.1.

    etadot + C(theta, eta) = zeta,   eta' C = 0                                    (19.14, 19.18)
    X = tilde(Delta^w) P,   Z(k) = sum phi(k, j) bar(Delta^v(j)) P^+(j) phi'(k, j)
    y(k) = sum psi(k, j) [y(j) + lambda(j) V(j)] - lambda taubar' V^+
           - [X - X' + Z - Z' - 2 bar(V) M] V,     C(k) = D^-1/2 H y / 2                 (Alg 19.1)

Any Tree on hinges of one freedom, O(n), also with the inertia of its drives. For other hinges
D^1/2' is the upper factor U of D. C then follows from the un-normalised vector:

    C(theta, eta) = U'^-1 C(theta, xi) - Q eta,   Q = Udot U^-1,   Q + Q' = U'^-1 Ddot U^-1

Corrections to the print: algorithm 19.1 has S = X + Z, and y has Z - Z' beside X - X'.
"""

import numpy as np

from robodyn_ros.formulations.jain.diagonalised import coordinate_maps, unnormalised_coriolis
from robodyn_ros.formulations.jain.diagonalised.coordinate_maps import one_freedom_each
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


def coriolis_vector(tree, art, moving):
    """Return C(theta, eta) of a tree on hinges of one freedom (Algorithm 19.1).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving` (Velocities): velocities of the tree.
    Raises ModelError: if a hinge has more than one degree of freedom.
    """
    one_freedom_each(tree)
    rates = articulated_rates(tree, art, moving.thd)
    y = np.zeros((tree.n, 6), np.result_type(tree.dtype, moving.thd))
    S = np.zeros((tree.n, 6, 6), y.dtype)
    for k, up in enumerate(tree.parent):
        V, lam, phi = moving.V[k], rates.lam[k], tree.phi[k]
        S[k] += tilde(angular(rates.Delta[k])) @ art.P[k]
        y[k] += (S[k].T - S[k] + 2.0 * bar(V) @ tree.M[k]) @ V
        y[k] -= lam @ art.taubar[k].T @ moving.V_plus[k]
        if up < tree.n:
            S[up] += phi @ bar(linear(rates.Delta[k])) @ art.P_plus[k] @ phi.T
            y[up] += art.psi[k] @ (y[k] + lam @ V)
    forces = np.concatenate([H @ each for H, each in zip(tree.H, y)])
    return 0.5 * coordinate_maps.normalised_forces(tree, art, forces)


def coriolis_vector_of_any_hinge(tree, art, moving):
    """Return C(theta, eta) of a tree on hinges of any freedom, by way of C(theta, xi).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `moving` (Velocities): velocities of the tree.
    """
    C = unnormalised_coriolis.coriolis_vector(tree, art, moving)
    D_rates = articulated_rates(tree, art, moving.thd).D
    factors = coordinate_maps.upper_factors(art)
    Q = [_rate_by_factor(U, D_rate) for U, D_rate in zip(factors, D_rates)]
    eta = coordinate_maps.normalised(tree, art, moving.xi)
    turned = coordinate_maps.by_hinges(tree, eta, Q, np.matmul)
    return coordinate_maps.normalised_forces(tree, art, C) - turned


def _rate_by_factor(U, D_rate):
    """Return Udot U^-1 of U' U = D: the upper half of U'^-1 Ddot U^-1, with half its diagonal."""
    both = np.linalg.solve(U.T, np.linalg.solve(U.T, D_rate).T)
    return np.triu(both) - 0.5 * np.diag(np.diag(both))
