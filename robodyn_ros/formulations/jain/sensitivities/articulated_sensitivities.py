# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of articulated-body quantities by a coordinate: Jain, section 18.6.

    lam_i(k) = tilde(H^w') P - P tilde(H^w')                                  k = i     (18.55)
             = phi [taubar lam_i taubar' + bar(H^v') P^+ - P^+ tilde(H^v')] phi'   k = parent(i)
             = psi lam_i psi'                                              beyond it
    P_i(k) = tilde(H^w'(i)) P(k) - P(k) tilde(H^w'(i)),  k <= i                         (18.56)
           = lam_i(k), k > i,   D_i(k) = H(k) P_i(k) H'(k), k > i                       (18.57)

All other bodies have zero. lam_i costs the depth of its body. `articulated_rates` at the unit
velocity e_i gives all quantities of all bodies, in O(n). There the rates of matrix entries are
zero from hinge i outwards.

Correction to the print: (18.55) has a bar over its first H^v. P_i(k) = psi P_i(i) psi' of (18.56)
holds for revolute hinges i only.
"""

import numpy as np

from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import map_gradients
from robodyn_ros.formulations.jain.spatial_algebra import angular, linear, tilde


def lambda_sensitivities(tree, art, i):
    """Return lam_i(k) of the body of freedom i and of its ancestors (18.55).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `i`: number of the freedom.
    """
    b = tree.owners[i]
    own = i - tree.slices[b].start
    h, P, P_plus, taubar = tree.H[b][own], art.P[b], art.P_plus[b], art.taubar[b]
    tilde_w, tilde_v = tilde(angular(h)), tilde(linear(h))
    # A hinge whose map turns, as the parent sees it; zero in the book.
    W = map_gradients(tree, b)[own] + tilde_w @ tree.H[b].T
    P_plus_term = P_plus @ (tilde_v + W @ art.G[b].T)
    found = {b: tilde_w @ P - P @ tilde_w}
    lam = taubar @ found[b] @ taubar.T - P_plus_term - P_plus_term.T
    A = tree.phi[b]
    for k in list(tree.path(b))[1:]:
        lam = found[k] = A @ lam @ A.T
        A = art.psi[k]
    return found


def inertia_sensitivities(tree, art, i):
    """Return P_i(k) of all bodies for the inertial observer (18.56).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `i`: number of the freedom.
    """
    b, found = tree.owners[i], np.zeros_like(art.P)
    w = {b: tree.H[b][i - tree.slices[b].start][:3]}
    for k, lam in lambda_sensitivities(tree, art, i).items():
        found[k] = lam
    for k in reversed(range(b)):
        if tree.parent[k] in w:
            w[k] = tree.R[k].T @ w[tree.parent[k]]
            tilde_w = tilde(np.concatenate((w[k], np.zeros(3))))
            found[k] = tilde_w @ art.P[k] - art.P[k] @ tilde_w
    return found
