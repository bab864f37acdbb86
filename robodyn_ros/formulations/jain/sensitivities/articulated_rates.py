# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time derivatives of articulated-body quantities: Jain, section 18.5.

    Prate(k) = sum phi(k, j) Q^+(j) phi'(k, j)                                    (Alg 18.1, 18.48)
    lam = Prate + tilde(Delta^w) P - P tilde(Delta^w)
    Q^+ = taubar lam taubar' + bar(Delta^v) P^+ - P^+ tilde(Delta^v)
    dD/dt = H lam H',  dG/dt = taubar lam H' D^-1,  dtau/dt = dG/dt H                (18.43, 18.50)

Of any Tree in motion, O(n), in one sweep inward. Prate is the rate of P as body k sees it, lam as
its parent sees it (18.51). The last line is also seen from the parent. For inertial observers:
`articulated_operator_rates`.

In the book, H' is constant for the body and for its parent. For other hinges, W is the rate of H'
that the parent sees. It matters for a universal joint, and for a ball joint with drives.

Correction to the print: the last term of (18.49) is subtracted.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.articulated_bodies import Articulated
from robodyn_ros.formulations.jain.operators.sweeps import stacked
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


@dataclass(frozen=True, eq=False)
class ArticulatedRates:
    """Rates of all articulated-body quantities of a Tree, in the axes of the bodies.

    `Delta`: velocity of each body relative to its parent [rad/s, m/s].
    `W`: rates of H' as the parents see them; zero in the book.
    `lam`: rates of P as the parents see them.
    `entries`: rates of the matrix entries of the fields of the same names.
    """

    Delta: np.ndarray
    W: tuple
    lam: np.ndarray
    entries: Articulated

    __repr__ = short_repr

    @property
    def D(self):  # noqa: N802  the book's letter
        """Rates of D (r, r) of all bodies, the same for every observer."""
        return self.entries.D


def hinge_rates(tree, thd):
    """Return W(k) = dH'/dt of all bodies, as their parents see it (3.8).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    return tuple(
        B + tilde(angular(Delta)) @ H.T
        for B, Delta, H in zip(tree.hinge_map_rates(thd), tree.hinge_velocity(thd), tree.H)
    )


def articulated_rates(tree, art, thd):
    """Return the rates of all articulated-body quantities by algorithm 18.1.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities, with or without the inertia of drives. This
      is constant, so both are right.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    Delta, W = tree.hinge_velocity(thd), hinge_rates(tree, thd)
    P_rate = np.zeros((tree.n, 6, 6), np.result_type(tree.dtype, thd))
    rows = []
    for k, up in enumerate(tree.parent):
        H, P, P_plus, G, taubar = tree.H[k], art.P[k], art.P_plus[k], art.G[k], art.taubar[k]
        tilde_w, bar_v, phi = tilde(angular(Delta[k])), bar(linear(Delta[k])), tree.phi[k]
        lam = P_rate[k] + tilde_w @ P - P @ tilde_w
        D = H @ lam @ H.T + W[k].T @ P @ H.T + H @ P @ W[k]
        gain = np.linalg.solve(art.D[k], H @ lam @ taubar.T + W[k].T @ P_plus).T
        G_seen = gain - G @ W[k].T @ G
        W_term = P_plus @ W[k] @ G.T
        P_plus_seen = taubar @ lam @ taubar.T - W_term - W_term.T
        if up < tree.n:
            carried = P_plus_seen + bar_v @ P_plus + P_plus @ bar_v.T
            P_rate[up] = P_rate[up] + phi @ carried @ phi.T
        # Seen from the body, which turns at Delta^w relative to its parent:
        G_rate = G_seen - tilde_w @ G
        tau = G_rate @ H + G @ (W[k] - tilde_w @ H.T).T
        P_plus_rate = P_plus_seen - tilde_w @ P_plus + P_plus @ tilde_w
        moving = phi @ bar(Delta[k])  # d phi(up, k)/dt in axes of both bodies (1.42)
        psi, K = moving @ taubar - phi @ tau, moving @ G + phi @ G_rate
        rows.append((lam, P_rate[k], D, G_rate, tau, -tau, P_plus_rate, psi, K))
    lam, P, D, G, tau, taubar, P_plus, psi, K = zip(*rows)
    return ArticulatedRates(
        Delta,
        W,
        stacked(lam),
        Articulated(
            stacked(P), D, G, stacked(tau), stacked(taubar), stacked(P_plus), stacked(psi), K
        ),
    )
