# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of a tree in O(n^3), O(n^2) and O(n): Jain, chapter 7, and 9.5 for trees.

    thdd = M^-1 (T - C)                                          dense         O(n^3)    (7.2)
    L x = T - C,  L' thdd = D^-1 x,  L = 1 + H phi K             triangular    O(n^2)    (7.14)
    z = sum phi z^+ + P a + b - f_ext,  epsilon = T - H z,  nu = D^-1 epsilon            (7.21)
    thdd = nu - G' (alpha^+ + g)                                 articulated   O(n) (Alg 7.2, 9.5)
    f = P (alpha + g - a) + z = P^+ (alpha^+ + g) + z^+          between links O(n)    (7.40)

Corrections to the print: (7.29) has P a, not P alpha, and (7.30) has psi'. By (7.43) and (7.44),
the zeta of algorithm 7.3 adds phi f_c. As printed, it returns the response to forces ON the nodes,
which `response` computes.
"""

import numpy as np

from robodyn_ros.formulations.jain.articulated_bodies import (
    accelerations,
    articulated,
    biased_residual_forces,
    innovations_scaled,
)
from robodyn_ros.formulations.jain.composite_bodies import mass_matrix
from robodyn_ros.formulations.jain.inverse_dynamics import (
    bias,
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.tree_kinematics import velocities


def dense(tree, thd, T, f_ext=None, gravity=True):
    """Return the accelerations by the mass matrix and a dense solve (7.2).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    """
    return np.linalg.solve(mass_matrix(tree), T - bias(tree, thd, f_ext, gravity))


def triangular(tree, thd, T, f_ext=None, gravity=True):
    """Return the accelerations by the factors L D L' of the mass matrix, which is never formed.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    """
    art = articulated(tree)
    L = innovations_factor(tree, art)
    x = _forward_substitution(L, T - bias(tree, thd, f_ext, gravity))
    return _forward_substitution(L[::-1, ::-1].T, innovations_scaled(tree, art, x)[::-1])[::-1]


def innovations_factor(tree, art):
    """Return L = 1 + H phi K by paths: L(i, k) = H(i) A(i, up) K(up, k).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    """
    L = np.eye(tree.N, dtype=tree.dtype)
    for k, up in enumerate(tree.parent):
        X = art.K[k]
        while up < tree.n:
            L[tree.slices[up], tree.slices[k]] = tree.H[up] @ X
            X, up = tree.weights[up] @ X, tree.parent[up]
    return L


def _forward_substitution(L, y):
    """Return L^-1 y of a unit lower triangular L."""
    x = np.array(y)
    for i in range(len(x)):
        x[i] = x[i] - L[i, :i] @ x[:i]
    return x


def articulated_body(tree, thd, T, f_ext=None, gravity=True):
    """Return accelerations and hinge forces in O(n): Algorithm 7.2 (9.5).

    The hinge forces cost no sweep of their own.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `alpha` (n, 6): acceleration of each body, without gravity [rad/s2, m/s2].
    Returns `f` (n, 6): force on each body by its parent, at its origin in its axes [N m,
      N].
    """
    V, art = velocities(tree, thd), articulated(tree)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    own = np.array([P @ x for P, x in zip(art.P, a)]) + b
    z, _, epsilon = biased_residual_forces(tree, art, T, own if f_ext is None else own - f_ext)
    nu = innovations_scaled(tree, art, epsilon)
    g = gravity_accelerations(tree) if gravity else np.zeros((tree.n, 6))
    drop = np.concatenate([G.T @ x for G, x in zip(art.G, g)])
    thdd, alpha, _ = accelerations(tree, art, nu - drop, a)
    f = np.array([P @ x for P, x in zip(art.P, alpha + g - a)]) + z
    return thdd, alpha, f


def response(tree, f):
    """Return M^-1 J' f, the change of thdd by forces on the nodes, in O(n) (Alg 7.3).

    zeta(k) = sum psi(k, j) zeta(j) - f(k), nu = -D^-1 H zeta, then an outward sweep. For forces
    f_c that the bodies exert, as in (7.43) and (7.44), pass -f_c.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `f` (sequence of (m,) ndarray): force on each node [N m, N].
    """
    art = articulated(tree)
    zeta = [-each for each in f]
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            zeta[up] = zeta[up] + art.psi[k] @ zeta[k]
    epsilon = -np.concatenate([H @ each for H, each in zip(tree.H, zeta)])
    nu = innovations_scaled(tree, art, epsilon)
    return accelerations(tree, art, nu, [np.zeros(m) for m in tree.sizes])[0]
