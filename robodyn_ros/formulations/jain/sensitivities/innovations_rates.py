# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of the factors of the mass matrix: Jain, section 18.7.

    L = 1 + H phi K,  dL/dt = H phi [tilde(Delta^w) phi K + E bar(Delta^v) phi G
                                     + taubar lam H' D^-1]                               (18.61)
    L^-1 = 1 - H psi K,  dL^-1/dt = - H psi [the same] L^-1                              (18.63)
    L(l, k) = H(l) X(l),  X(up) = K(up, k),  X(up) = phi(up, j) X(j), and its rate

By paths, O(sum of depths), in the axes of the bodies; and by operators in fixed axes. They hold
for any Tree. At the unit velocity e_i they are the sensitivities of exercise 18.14. dD/dt, and
with it (18.62), is in `articulated_rates`.

Correction to the print: (18.64) and (18.65) have bar(H^v), as (18.61) does.
"""

import numpy as np

from robodyn_ros.formulations.jain.sensitivities.articulated_operator_rates import (
    gain_rate,
    lambda_operator,
)
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.spatial_algebra import bar


def innovations_factor_rate(tree, art, thd):
    """Return dL/dt of L = 1 + H phi K, by paths.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    rates = articulated_rates(tree, art, thd).entries
    moving = [A @ bar(Delta) for A, Delta in zip(tree.phi, tree.hinge_velocity(thd))]
    return _by_paths(tree, thd, art.K, rates.K, tree.phi, moving)


def inverse_factor_rate(tree, art, thd):
    """Return d(L^-1)/dt, by paths.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    rates = articulated_rates(tree, art, thd).entries
    return -_by_paths(tree, thd, art.K, rates.K, art.psi, rates.psi)


def by_operators(ops):
    """Return dL/dt and d(L^-1)/dt by operators (18.61, 18.63).

    The last term has a factor E here, which the book leaves out. In the book both are equal, as
    drives without inertia have H taubar = 0.

    `ops` (MovingOperators): operators of the tree in fixed axes.
    Returns `L_rate` (BlockMatrix): rate of L, N x N.
    Returns `L_inverse_rate` (BlockMatrix): rate of L^-1, N x N.
    """
    H, phi, K, E = ops.H, ops.phi, ops.K, ops.E_phi
    bracket = ops.Delta_tilde_w @ phi @ K + E @ (
        ops.Delta_bar_v @ phi @ ops.G + gain_rate(ops, lambda_operator(ops))
    )
    bend, inverse = ops.H_seen @ phi @ K, ops.inverse_factor
    rate = (H @ ops.psi @ bracket + inverse @ bend) @ inverse
    return H @ phi @ bracket + bend, rate.same(-rate.array)


def _by_paths(tree, thd, K, K_rate, A, A_rate):
    """Return d(H A K)/dt (N, N), block by block along the path of each body."""
    maps = tree.hinge_map_rates(thd)
    found = np.zeros((tree.N, tree.N), np.result_type(tree.dtype, thd))
    for k, up in enumerate(tree.parent):
        X, X_rate = K[k], K_rate[k]
        while up < tree.n:
            found[tree.slices[up], tree.slices[k]] = tree.H[up] @ X_rate + maps[up].T @ X
            X_rate = A_rate[up] @ X + A[up] @ X_rate
            X, up = A[up] @ X, tree.parent[up]
    return found
