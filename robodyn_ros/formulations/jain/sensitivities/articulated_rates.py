# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time derivatives of articulated-body quantities: Jain, section 18.5.

    Prate(k) = sum phi(k, j) Q^+(j) phi'(k, j)                                    (Alg 18.1, 18.48)
    lam = Prate + tilde(Delta^w) P - P tilde(Delta^w)
    Q^+ = taubar lam taubar' + bar(Delta^v) P^+ - P^+ tilde(Delta^v)
    dD/dt = H lam H',  dG/dt = taubar lam H' D^-1,  dtau/dt = dG/dt H                (18.43, 18.50)

Of any Tree at thd, O(n), inward with the articulated inertias. Prate is the rate of P as body k
sees it, lam as its parent sees it (18.51); the last line is also seen from the parent. For
observers in the inertial frame: `articulated_operator_rates`.

The book's H' is constant for the body and for its parent. Other hinges, such as a universal
joint, add B, the rate of H' that the parent sees, and so do balls with drives.

Correction to the print: the last term of (18.49) is subtracted.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import Articulated
from robodyn_ros.formulations.jain.operators.sweeps import stacked
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


@dataclass(frozen=True, eq=False)
class ArticulatedRates:
    """Rates of all articulated quantities of a Tree.

    lam : (n, 6, 6) rates of P as the parents see them, in the axes of the bodies.
    entries : Articulated, whose fields are the rates of the entries of these fields.
    """

    lam: np.ndarray
    entries: Articulated


def articulated_rates(tree, art, thd):
    """Return the ArticulatedRates of a Tree at velocities thd (N,), by algorithm 18.1.

    art : its Articulated. The inertia of drives is constant: it may be there or not.
    """
    Delta, maps = tree.hinge_velocity(thd), tree.hinge_map_rates(thd)
    P_rate = np.zeros((tree.n, 6, 6), np.result_type(tree.dtype, thd))
    rows = []
    for k, up in enumerate(tree.parent):
        H, P, P_plus, G, taubar = tree.H[k], art.P[k], art.P_plus[k], art.G[k], art.taubar[k]
        turn, slide, phi = tilde(angular(Delta[k])), bar(linear(Delta[k])), tree.phi[k]
        lam = P_rate[k] + turn @ P - P @ turn
        B = maps[k] + turn @ H.T
        D = H @ lam @ H.T + B.T @ P @ H.T + H @ P @ B
        G_seen = np.linalg.solve(art.D[k], H @ lam @ taubar.T + B.T @ P_plus).T - G @ B.T @ G
        P_plus_seen = taubar @ lam @ taubar.T - P_plus @ B @ G.T - G @ B.T @ P_plus
        if up < tree.n:
            carried = P_plus_seen + slide @ P_plus + P_plus @ slide.T
            P_rate[up] = P_rate[up] + phi @ carried @ phi.T
        # Seen from the body, which turns at Delta^w relative to its parent:
        G_rate = G_seen - turn @ G
        tau = G_rate @ H + G @ maps[k].T
        P_plus_rate = P_plus_seen - turn @ P_plus + P_plus @ turn
        moving = phi @ bar(Delta[k])  # d phi(up, k)/dt in axes of both bodies (1.42)
        psi, K = moving @ taubar - phi @ tau, moving @ G + phi @ G_rate
        rows.append((lam, P_rate[k], D, G_rate, tau, -tau, P_plus_rate, psi, K))
    lam, P, D, G, tau, taubar, P_plus, psi, K = zip(*rows)
    return ArticulatedRates(
        stacked(lam),
        Articulated(
            stacked(P), D, G, stacked(tau), stacked(taubar), stacked(P_plus), stacked(psi), K
        ),
    )
