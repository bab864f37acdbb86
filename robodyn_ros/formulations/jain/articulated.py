"""Articulated-body quantities: Jain, sections 6.1 to 6.3, and 9.4 for trees.

    P(k) = sum phi(k, j) P^+(j) phi'(k, j) + M(k)                               (Alg 6.1, 9.33)
    D = H P H' (+ J),  G = P H' D^-1,  tau = G H,  taubar = 1 - tau,  P^+ = taubar P
    psi(k + 1, k) = phi(k + 1, k) taubar(k),   K(k + 1, k) = phi(k + 1, k) G(k)

Any tree, O(n). Nothing here depends on velocities, forces or gravity. J, the inertia of the
drives at the hinges, is not in the book: it takes the place of the measurement noise of its
filter, and is zero in its systems (`Tree.without_rotors`); with it, H G is no longer 1.

Corrections to the print: (6.9) is about O_k^+; K in (6.36) is 6 x r; table 7.1 should read
P^+ = taubar P taubar', and its recursions add M(k + 1).
"""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Articulated:
    """Of every body: P, P_plus, taubar, tau, psi (n, 6, 6); of n matrices, D (r, r), G, K (6, r).

    psi and K lead to the parent: psi(parent(k), k), K(parent(k), k).
    """

    P: np.ndarray
    D: tuple
    G: tuple
    tau: np.ndarray
    taubar: np.ndarray
    P_plus: np.ndarray
    psi: np.ndarray
    K: tuple


def articulated(tree):
    """Algorithm 6.1 (9.33 for trees) on a Tree, tips to base: its Articulated quantities."""
    P = [M.astype(tree.R.dtype) for M in tree.M]
    rows = []
    for k, up in enumerate(tree.parent):
        H = tree.H[k]
        P[k] = 0.5 * (P[k] + P[k].T)
        D = H @ P[k] @ H.T + np.diag(tree.rotor[tree.slices[k]])
        G = np.linalg.solve(D, H @ P[k]).T
        tau = G @ H
        taubar = np.eye(6) - tau
        P_plus = taubar @ P[k]
        if up < tree.n:
            P[up] = P[up] + tree.phi[k] @ P_plus @ tree.phi[k].T
        rows.append((P[k], D, G, tau, taubar, P_plus, tree.phi[k] @ taubar, tree.phi[k] @ G))
    P, D, G, tau, taubar, P_plus, psi, K = zip(*rows)
    return Articulated(np.array(P), D, G, np.array(tau), np.array(taubar), np.array(P_plus),
                       np.array(psi), K)


def residual_forces(tree, art, T):
    """Algorithm 6.2: (z (n, 6), z_plus (n, 6), epsilon (N,)) at rest, of the torques T (N,).

    z(k) = sum phi(k, j) z^+(j), epsilon = T - H z, z^+ = z + G epsilon. The force f(k) on a body
    by its parent is z(k) + P(k) alpha(k): z depends on hinge torques only (table 6.1).
    """
    return biased_residual_forces(tree, art, T, np.zeros((tree.n, 6)))


def biased_residual_forces(tree, art, T, bias):
    """Algorithm 6.2 with a force `bias` (n, 6) on every body beside it (7.21)."""
    z = [each.astype(np.result_type(tree.R, T, bias)) for each in bias]
    z_plus, epsilon = [], np.zeros(tree.N, z[0].dtype)
    for k, up in enumerate(tree.parent):
        s = tree.slices[k]
        epsilon[s] = T[s] - tree.H[k] @ z[k]
        z_plus.append(z[k] + art.G[k] @ epsilon[s])
        if up < tree.n:
            z[up] = z[up] + tree.phi[k] @ z_plus[k]
    return np.array(z), np.array(z_plus), epsilon


def innovations_scaled(tree, art, epsilon):
    """nu = D^-1 epsilon (N,) (6.41)."""
    return np.concatenate([np.linalg.solve(D, epsilon[s]) for D, s in zip(art.D, tree.slices)])


def accelerations(tree, art, nu, a):
    """(thdd (N,), alpha (n, 6), alpha_plus (n, 6)), base to tips (6.42, 6.43, 7.32).

    alpha^+ = phi'(parent, k) alpha(parent), thdd = nu - G' alpha^+, alpha = alpha^+ + H' thdd + a.
    nu (N,); a (n, 6) Coriolis accelerations.
    """
    kind = np.result_type(tree.R, nu, a)
    thdd = np.zeros(tree.N, kind)
    alpha, alpha_plus = np.zeros((tree.n + 1, 6), kind), np.zeros((tree.n, 6), kind)
    for k in reversed(range(tree.n)):
        s = tree.slices[k]
        alpha_plus[k] = tree.phi[k].T @ alpha[tree.parent[k]]
        thdd[s] = nu[s] - art.G[k].T @ alpha_plus[k]
        alpha[k] = alpha_plus[k] + tree.H[k].T @ thdd[s] + a[k]
    return thdd, alpha[:-1], alpha_plus
