# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Innovations factors as diagonalising operators, and their rates: Jain, sections 19.3 and 19.4.

    m = (1 + H phi K) D^1/2,   l = m^-1 = D^-1/2 (1 - H psi K)                            (19.20)
    d(D^1/2)/dt = D^-1/2 Ddot / 2                                                         (19.24)
    mdot = H phi [dw phi K + E_phi (dv phi G + taubar lambda H' D^-1)] D^1/2
           + (1 + H phi K) d(D^1/2)/dt                                                    (19.25)
    ldot = -l mdot l                                                                      (19.33)
    C(theta, eta) = D^-1/2 H psi [bar(V) M - (dw P + P dw - E_psi lambda + lambda E_psi'
                    + E_phi (dv P^+ - P^+ dv') E_phi') / 2] V                             (19.29)

dw = tilde(Delta^w), dv = bar(Delta^v), block diagonal. Dense, for reading, of Trees on hinges of
one freedom. For trees whose drives have no inertia, mdot is that of the book; as written here it
holds for all. At thd = e_i, mdot and ldot are the sensitivities to theta_i (19.34, 19.35).

Corrections to the print: (19.29) has the signs above. (19.28) is H' xi = tau' V. In (19.33) to
(19.35) it is bar(Delta^v), and (19.35) has phi G D.
"""

import numpy as np

from robodyn_ros.formulations.jain.diagonalised.coordinate_maps import one_freedom_each
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def factor(tree):
    """Return m, with mass matrix = m m' (19.20).

    `tree` (Tree): bodies at one configuration.
    Raises ModelError: if a hinge has several freedoms.
    """
    ops = _operators(tree)
    return ops.innovations_factor.array * _root(ops)


def inverse_factor(tree):
    """Return l = m^-1 (19.20).

    `tree` (Tree): bodies at one configuration.
    Raises ModelError: if a hinge has several freedoms.
    """
    ops = _operators(tree)
    return ops.inverse_factor.array / _root(ops)[:, None]


def factor_rate(tree, thd):
    """Return dm/dt (19.25).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Raises ModelError: if a hinge has several freedoms.
    """
    ops, root = _operators(tree), _root(_operators(tree))
    dw, dv, lam = spreads(ops, thd)
    H, phi, E, G = (each.array for each in (ops.H, ops.phi, ops.E_phi, ops.G))
    hinges = lam @ H.T @ ops.D_inverse.array
    inner = dw @ phi @ ops.K.array + E @ (dv @ phi @ G + ops.tau_bar.array @ hinges)
    return H @ phi @ inner * root + ops.innovations_factor.array * root_rate(tree, thd)


def inverse_factor_rate(tree, thd):
    """Return dl/dt = -l mdot l (19.33).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Raises ModelError: if a hinge has several freedoms.
    """
    inverse = inverse_factor(tree)
    return -inverse @ factor_rate(tree, thd) @ inverse


def root_rate(tree, thd):
    """Return the diagonal of d(D^1/2)/dt (19.24).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Raises ModelError: if a hinge has several freedoms.
    """
    ops = _operators(tree)
    D_rates = articulated_rates(tree, ops.articulated, thd).D
    return 0.5 * np.concatenate([np.diag(each) for each in D_rates]) / _root(ops)


def coriolis_vector(tree, thd):
    """Return C(theta, eta) by operators (19.29).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    Raises ModelError: if a hinge has several freedoms.
    """
    ops = _operators(tree)
    dw, dv, lam = spreads(ops, thd)
    P, P_plus, E, E_psi = (each.array for each in (ops.P, ops.P_plus, ops.E_phi, ops.E_psi))
    V = velocities(tree, thd)
    gyroscopic = np.concatenate([bar(v) @ M @ v for v, M in zip(V, tree.M)])
    inner = dw @ P + P @ dw - E_psi @ lam + lam @ E_psi.T
    inner = inner + E @ (dv @ P_plus - P_plus @ dv.T) @ E.T
    y = ops.psi.array @ (gyroscopic - 0.5 * inner @ V.ravel())
    return ops.H.array @ y / _root(ops)


def spreads(ops, thd):
    """Return tilde(Delta^w), bar(Delta^v) and lambda as block-diagonal matrices.

    `ops` (SpatialOperators): operators of a Tree.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    rates = articulated_rates(ops.tree, ops.articulated, thd)
    blocks = (
        [tilde(angular(each)) for each in rates.Delta],
        [bar(linear(each)) for each in rates.Delta],
        rates.lam,
    )
    return tuple(_on_diagonal(each) for each in blocks)


def _on_diagonal(blocks):
    """Return a block-diagonal matrix of (6, 6) blocks."""
    spread = np.zeros((len(blocks), 6, len(blocks), 6), np.result_type(*blocks))
    for k, block in enumerate(blocks):
        spread[k, :, k] = block
    return spread.reshape(6 * len(blocks), -1)


def _operators(tree):
    """Return the SpatialOperators of a tree whose hinges have one freedom each."""
    one_freedom_each(tree)
    return SpatialOperators(tree)


def _root(ops):
    """Return the diagonal of D^1/2."""
    return np.sqrt(np.diag(ops.D.array))
