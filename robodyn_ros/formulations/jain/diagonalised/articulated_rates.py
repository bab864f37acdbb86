# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of articulated-body quantities, seen from the inboard side of the hinges: Jain, 18.5.

    lambda(k) = sum phi(k, j) N(j) phi'(k, j) + X + X',   X = tilde(Delta^w) P          (Alg 18.1)
    N(k) = taubar lambda taubar' + Y + Y',   Y = bar(Delta^v) P^+ - P^+ W G'
    Ddot = H lambda H' + H P W + W' P H'                                            (18.43, 18.47)

lambda is dP/dt as the frame O_k^+ sees it, on the parent's side of hinge k. Any Tree, O(n), also
with the inertia of its drives. W = dH'/dt as seen from there is not in the book, whose hinge axes
stand still in that frame. It is zero for pins, slides and screws, and not for balls.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, tilde


class Rates(NamedTuple):
    """Of every body: Delta_V (n, 6), W (6, r), lambda (n, 6, 6) and Ddot (r, r)."""

    Delta: np.ndarray
    W: tuple
    lam: np.ndarray
    D: tuple


def articulated_rates(tree, art, thd):
    """Return the Rates of a Tree and its Articulated at velocities thd (N,), by algorithm 18.1."""
    Delta, W = tree.hinge_velocity(thd), hinge_rates(tree, thd)
    lam = np.zeros((tree.n, 6, 6), np.result_type(tree.dtype, Delta))
    D = []
    for k, up in enumerate(tree.parent):
        H, P, P_plus, taubar = tree.H[k], art.P[k], art.P_plus[k], art.taubar[k]
        X = tilde(angular(Delta[k])) @ P
        lam[k] = lam[k] + X + X.T
        turning = H @ P @ W[k]
        D.append(H @ lam[k] @ H.T + turning + turning.T)
        if up < tree.n:
            Y = bar(linear(Delta[k])) @ P_plus - P_plus @ W[k] @ art.G[k].T
            N = taubar @ lam[k] @ taubar.T + Y + Y.T
            lam[up] = lam[up] + tree.phi[k] @ N @ tree.phi[k].T
    return Rates(Delta, W, lam, tuple(D))


def hinge_rates(tree, thd):
    """Return W(k) = dH'/dt (6, r) of all bodies, as seen from the inboard side of their hinges."""
    return tuple(
        body.hinge.map_rate(theta, thd[s]) + tilde(angular(H.T @ thd[s])) @ H.T
        for body, theta, H, s in zip(tree.bodies, tree.theta, tree.H, tree.slices)
    )


def one_freedom_each(tree):
    """Raise ModelError where a hinge of a Tree has more than one degree of freedom."""
    for name, H in zip(tree.names, tree.H):
        if len(H) > 1:
            raise ModelError(
                f'got body {name!r} on a hinge of {len(H)} freedoms; expected at most one, '
                'as in sections 19.2 to 19.4'
            )
