# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time derivatives of spatial operators: Jain, sections 18.2.1 and 18.2.3.

    dphi(up, k)/dt = tilde(V^w(up)) phi - phi tilde(V^w(up)) + bar(Delta^v(k))         (18.10b)
    dE/dt   = tilde(V^w) E - E tilde(V_S^w) + E bar(Delta^v)                           (18.12a)
    dH'/dt  = tilde(V_S^w) H',   dM/dt = tilde(V^w) M - M tilde(V^w)                (18.12b, c)
    dphi/dt = (phi - 1) bar(Delta) phi + tilde(V^w) phi - phi tilde(V^w)               (18.12d)
    dH phi/dt = H phi [tilde(Delta^w) phi + E bar(Delta^v) phi - tilde(V^w)]             (18.13)
    d(H phi M phi' H')/dt = X + X',
    X = H phi [tilde(Delta^w) + E bar(Delta^v)] phi M phi' H'                            (18.23)
    a_J = [tilde(V_S^w) - E' tilde(V^w) - tilde(Delta^v) E'] V                           (18.14)

All in fixed axes, O(n^3), for reading and testing. `mass_matrix_rate` is the recursion. A hinge
map may turn relative to the parent. The rate W of H' is in dH/dt, dH phi/dt, X and a_J.

Corrections to the print: (18.9d) has bars, phi bar(V) - bar(V) phi = (phi - 1) bar(Delta) phi. The
second Delta of (18.23) is the linear one, as in (18.13).
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.operators.block_matrix import BlockMatrix
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


class OperatorRates(NamedTuple):
    """Rates of the operators of the same names, and of H phi and phi M phi'.

    `E_phi`: 6n x 6n.
    `H`: N x 6n.
    `M`: 6n x 6n.
    `phi`: 6n x 6n.
    `H_phi`: N x 6n.
    `phi_M_phi`: 6n x 6n.
    `mass_matrix`: N x N.
    """

    E_phi: BlockMatrix
    H: BlockMatrix
    M: BlockMatrix
    phi: BlockMatrix
    H_phi: BlockMatrix
    phi_M_phi: BlockMatrix
    mass_matrix: BlockMatrix


def phi_rate(phi, V_up, Delta):
    """Return dphi(up, k)/dt in fixed axes (18.10b).

    `phi` (6, 6): phi(up, k).
    `V_up` (6,): velocity of the parent [rad/s, m/s].
    `Delta` (6,): velocity of body k relative to the parent [rad/s, m/s].
    """
    W = tilde(angular(V_up))
    return W @ phi - phi @ W + bar(linear(Delta))


def operator_rates(ops):
    """Return the rates of the spatial operators (18.12, 18.13, 18.23, 18.24).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    E, H, M, phi, phi_tilde = ops.E_phi, ops.H, ops.M, ops.phi, ops.phi_tilde
    W, W_S, bar_v = ops.V_tilde_w, ops.V_S_tilde_w, ops.Delta_bar_v
    H_phi, moving = H @ phi, ops.Delta_tilde_w + E @ bar_v
    phi_M_phi = phi @ M @ phi.T
    half = (phi_tilde @ ops.Delta_bar + W) @ phi_M_phi
    X = (H_phi @ moving + ops.H_seen) @ phi_M_phi @ H.T
    return OperatorRates(
        E_phi=W @ E - E @ W_S + E @ bar_v,
        H=ops.H_seen - H @ W_S,
        M=W @ M - M @ W,
        phi=phi_tilde @ ops.Delta_bar @ phi + W @ phi - phi @ W,
        H_phi=H_phi @ (moving @ phi - W) + ops.H_seen @ phi,
        phi_M_phi=half + half.T,
        mass_matrix=X + X.T,
    )


def coriolis_accelerations(ops):
    """Return a_J of inertial derivatives by operators (18.14).

    `ops` (MovingOperators): operators of the tree in fixed axes.
    """
    E, V = ops.E_phi, np.concatenate(ops.V)
    a = (ops.V_S_tilde_w - E.T @ ops.V_tilde_w - ops.Delta_tilde_v @ E.T) @ V
    return (a + ops.H_seen.T @ ops.thd).reshape(-1, 6)
