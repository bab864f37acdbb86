# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body quantities: Jain, sections 6.1 to 6.3, and 9.4 for trees.

    P(k) = sum phi(k, j) P^+(j) phi'(k, j) + M(k)                               (Alg 6.1, 9.33)
    D = H P H' (+ J),  G = P H' D^-1,  tau = G H,  taubar = 1 - tau,  P^+ = taubar P
    psi(k + 1, k) = phi(k + 1, k) taubar(k),   K(k + 1, k) = phi(k + 1, k) G(k)

Any Tree or SkoModel, whose weights A take the place of phi in the book's chapter 6. O(n). Nothing
here depends on velocities, forces or gravity. J, the inertia of the drives at the hinges, is not
in the book. In the analogy to its filter it is the measurement noise. It is zero in the book's
systems (`Tree.without_rotors`). With J, H G is no longer 1.

Corrections to the print: (6.9) is about O_k^+. K in (6.36) is 6 x r. Table 7.1 should read
P^+ = taubar P taubar'. Its recursions add M(k + 1).
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.jain.operators.sweeps import stacked


@dataclass(frozen=True, eq=False)
class Articulated:
    """Articulated-body quantities of every node; one array where all have one shape.

    `P`: articulated-body inertia.
    `D`: inertia about the hinge.
    `G`: Kalman gain.
    `tau`: G H.
    `taubar`: 1 - tau.
    `P_plus`: inertia felt across the hinge.
    `psi`: psi(parent(k), k).
    `K`: K(parent(k), k).
    """

    P: np.ndarray
    D: tuple
    G: tuple
    tau: np.ndarray
    taubar: np.ndarray
    P_plus: np.ndarray
    psi: np.ndarray
    K: tuple

    __repr__ = short_repr


def articulated(tree):
    """Return the articulated-body quantities, from tips to base (Algorithm 6.1, 9.33).

    `tree` (Tree or SkoModel): bodies at one configuration.
    """
    P = [M.astype(tree.dtype) for M in tree.M]
    rows = []
    for k, up in enumerate(tree.parent):
        H = tree.H[k]
        P[k] = 0.5 * (P[k] + P[k].T)
        D = H @ P[k] @ H.T + np.diag(tree.rotor[tree.slices[k]])
        G = np.linalg.solve(D, H @ P[k]).T
        tau = G @ H
        taubar = np.eye(len(tau)) - tau
        P_plus = taubar @ P[k]
        if up < tree.n:
            P[up] = P[up] + tree.weights[k] @ P_plus @ tree.weights[k].T
        A = tree.weights[k]
        rows.append((P[k], D, G, tau, taubar, P_plus, A @ taubar, A @ G))
    P, D, G, tau, taubar, P_plus, psi, K = zip(*rows)
    return Articulated(
        stacked(P), D, G, stacked(tau), stacked(taubar), stacked(P_plus), stacked(psi), K
    )


def residual_forces(tree, art, T):
    """Return the residual forces of given torques at rest: Algorithm 6.2.

    z(k) = sum phi(k, j) z^+(j), epsilon = T - H z, z^+ = z + G epsilon. The force on a body by its
    parent is f(k) = z(k) + P(k) alpha(k). z depends on hinge torques only (table 6.1).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    Returns `z` ((n, 6) ndarray or list of (m,) ndarray): residual force of each node [N m, N].
    Returns `z_plus` ((n, 6) ndarray or list of (m,) ndarray): the same across its hinge [N m, N].
    Returns `epsilon` (N,): innovations [N m, N].
    """
    return biased_residual_forces(tree, art, T, [np.zeros(m) for m in tree.sizes])


def biased_residual_forces(tree, art, T, bias):
    """Return the residual forces with a bias force on every node (7.21).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `bias` (sequence of (m,) ndarray): bias force of each node [N m, N].
    Returns `z` ((n, 6) ndarray or list of (m,) ndarray): residual force of each node [N m, N].
    Returns `z_plus` ((n, 6) ndarray or list of (m,) ndarray): the same across its hinge [N m, N].
    Returns `epsilon` (N,): innovations [N m, N].
    """
    z = [each.astype(np.result_type(tree.dtype, T, *bias)) for each in bias]
    z_plus, epsilon = [], np.zeros(tree.N, z[0].dtype)
    for k, up in enumerate(tree.parent):
        s = tree.slices[k]
        epsilon[s] = T[s] - tree.H[k] @ z[k]
        z_plus.append(z[k] + art.G[k] @ epsilon[s])
        if up < tree.n:
            z[up] = z[up] + tree.weights[k] @ z_plus[k]
    return stacked(z), stacked(z_plus), epsilon


def innovations_scaled(tree, art, epsilon):
    """Return nu = D^-1 epsilon (6.41).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `epsilon` (N,): innovations [N m, N].
    """
    return np.concatenate([np.linalg.solve(D, epsilon[s]) for D, s in zip(art.D, tree.slices)])


def accelerations(tree, art, nu, a):
    """Return the accelerations by a sweep from base to tips (6.42, 6.43, 7.32).

    alpha^+ = A'(parent, k) alpha(parent), thdd = nu - G' alpha^+, alpha = alpha^+ + H' thdd + a.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `nu` (N,): scaled innovations [rad/s2, m/s2].
    `a` (sequence of (m,) ndarray): Coriolis acceleration of each node [rad/s2, m/s2].
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `alpha` ((n, 6) ndarray or list of (m,) ndarray): acceleration of each node.
    Returns `alpha_plus` ((n, 6) ndarray or list of (m,) ndarray): the same on the inboard side of
      its hinge.
    """
    kind = np.result_type(tree.dtype, nu, *a)
    thdd = np.zeros(tree.N, kind)
    alpha_plus = [np.zeros(m, kind) for m in tree.sizes]
    alpha = [None] * tree.n
    for k in reversed(range(tree.n)):
        s, up = tree.slices[k], tree.parent[k]
        if up < tree.n:
            alpha_plus[k] = tree.weights[k].T @ alpha[up]
        thdd[s] = nu[s] - art.G[k].T @ alpha_plus[k]
        alpha[k] = alpha_plus[k] + tree.H[k].T @ thdd[s] + a[k]
    return thdd, stacked(alpha), stacked(alpha_plus)
