# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Free-flyers without a preferred base: Jain, sections 17.1, 17.2 and 17.4.

    S^+(k) = phi(k, up) [M + S + sum phi P^+ phi'](up) phi'(k, up)                        (17.3)
    D_d = H S^+ H',  G_d = -S^+ H' D_d^-1,  S = (1 + G_d H) S^+                           (17.4)
    z_d^+(k) = phi(k, up) [z_d + b + sum phi z^+](up) - S^+ a                     (17.7, Alg 17.2)
    epsilon_d = T + H z_d^+,  z_d = z_d^+ + G_d epsilon_d
    alpha(k) = -[P + S]^-1 [z + z_d - P a],  thdd = nu_d - G_d' alpha                 (Lemma 17.1)
    Upsilon(k)^-1 = P(k) + S(k),  Upsilon^+(k)^-1 = P^+(k) + S^+(k)          (17.50, Alg 17.5)

P contains the bodies outboard of hinge k, S all others. So the acceleration of every link is found
without that of its neighbours. The sums, over the other children of the parent, extend the book's
chain to a tree (section 17.2.4). O(n) for a chain. S is zero at the base. There z_d takes the
wrench on the base.

Corrections to the print: (17.7) is indexed by hinges, a_d(k) = -a(k). Algorithm 17.2 corrects by
z_d^+, and begins with the wrench on the base.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.articulated_bodies import articulated, biased_residual_forces
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from robodyn_ros.formulations.jain.tree_kinematics import velocities


class Dual(NamedTuple):
    """Dual articulated-body quantities: those of the bodies inboard of each hinge.

    `S`: dual articulated-body inertia; 0 at a base.
    `S_plus`: the same across the hinge; None at a base.
    `D`: inertia about the hinge; None at a base.
    `G`: gain; None at a base.
    """

    S: list
    S_plus: list
    D: list
    G: list


def dual(tree, art):
    """Return the dual articulated-body quantities by algorithm 17.1.

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    `art` (Articulated): articulated-body quantities of the tree.
    Raises ModelError: if a base body does not have six freedoms.
    """
    n = tree.n
    for k in tree.children[n]:
        if len(tree.H[k]) != 6:
            raise ModelError(
                f'got body {tree.names[k]!r} on a hinge of {len(tree.H[k])} freedoms; expected '
                'six, as of a free-flyer'
            )
    found = Dual([np.zeros((6, 6))] * n, [None] * n, [None] * n, [None] * n)
    for k in reversed(range(n)):
        up, H, s = tree.parent[k], tree.H[k], tree.slices[k]
        if up == n:
            continue
        rest = tree.M[up] + found.S[up]
        for j in _siblings(tree, k):
            rest = rest + tree.phi[j] @ art.P_plus[j] @ tree.phi[j].T
        back = phi_inverse(tree.phi[k])
        S_plus = back @ rest @ back.T
        D = H @ S_plus @ H.T + np.diag(tree.rotor[s])
        G = -np.linalg.solve(D, H @ S_plus).T
        S = S_plus + G @ H @ S_plus
        found.S[k], found.S_plus[k], found.D[k], found.G[k] = 0.5 * (S + S.T), S_plus, D, G
    return found


def operational_inertias(tree):
    """Return P(k) + S(k) = Upsilon(k)^-1 of all bodies, without an inverse (Alg 17.5).

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    """
    art = articulated(tree)
    return np.array([P + S for P, S in zip(art.P, dual(tree, art).S)])


def operational_inertias_inboard(tree):
    """Return P^+(k) + S^+(k) = Upsilon^+(k)^-1, for the inboard side of each hinge.

    That side is part of the parent. A base body has none.

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    """
    art = articulated(tree)
    found = dual(tree, art).S_plus
    return [None if S is None else P + S for P, S in zip(art.P_plus, found)]


def forward_dynamics(tree, thd, T, f_ext=None, gravity=True):
    """Return the accelerations by algorithm 17.3, link by link.

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques; of a base body its wrench, in its axes [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Returns `thdd` (N,): hinge accelerations [rad/s2, m/s2].
    Returns `alpha` (n, 6): acceleration of each body, without gravity [rad/s2, m/s2].
    Raises ModelError: if a base body does not have six freedoms.
    """
    V = velocities(tree, thd)
    a, b = coriolis_accelerations(tree, V, thd), gyroscopic_forces(tree, V)
    felt, other, epsilon = felt_accelerations(tree, a, b if f_ext is None else b - f_ext, T)
    thdd = np.zeros(tree.N)
    for k, (H, s) in enumerate(zip(tree.H, tree.slices)):
        if tree.parent[k] < tree.n:
            thdd[s] = np.linalg.solve(other.D[k], epsilon[s]) - other.G[k].T @ felt[k]
        else:
            g = tree.phi[k].T @ tree.g if gravity else 0.0
            thdd[s] = np.linalg.solve(H.T, felt[k] - a[k] - g)
    return thdd, felt - (gravity_accelerations(tree) if gravity else 0.0)


def felt_accelerations(tree, a, b, T):
    """Return the accelerations of the bodies by algorithm 17.2 and lemma 17.1.

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    `a` (n, 6): Coriolis accelerations [rad/s2, m/s2].
    `b` (n, 6): gyroscopic minus external forces [N m, N].
    `T` (N,): hinge torques; of a base body its wrench, in its axes [N m, N].
    Returns `alpha` (n, 6): accelerations minus that of free fall, alpha + g [rad/s2,
      m/s2].
    Returns `dual` (Dual): dual articulated-body quantities.
    Returns `epsilon` (N,): dual innovations epsilon_d [N m, N].
    """
    art = articulated(tree)
    at = residuals(tree, art, a, b, T)
    rest = at.z + at.z_dual - np.array([P @ x for P, x in zip(art.P, a)])
    felt = [-np.linalg.solve(P + S, x) for P, S, x in zip(art.P, at.dual.S, rest)]
    return np.array(felt), at.dual, at.epsilon_dual


class Residuals(NamedTuple):
    """Residual forces of both sides of every hinge.

    The force of the parent on body k is f (17.9), (17.10):

        f = P (alpha - a) + z = P^+ alpha^+ + z^+,  -f = S alpha + z_d = S^+ (alpha^+ + a) + z_d^+

    `z`: z [N m, N].
    `z_plus`: z^+ [N m, N].
    `z_dual`: z_d [N m, N].
    `z_dual_plus`: z_d^+; 0 at a base [N m, N].
    `epsilon_dual`: epsilon_d; 0 at a base [N m, N].
    `dual`: dual articulated-body quantities.
    """

    z: np.ndarray
    z_plus: np.ndarray
    z_dual: np.ndarray
    z_dual_plus: np.ndarray
    epsilon_dual: np.ndarray
    dual: Dual


def residuals(tree, art, a, b, T):
    """Return the residual forces by the two inward sweeps of algorithms 9.5 and 17.2.

    `tree` (Tree): bodies at one configuration, the base bodies on six freedoms.
    `art` (Articulated): articulated-body quantities of the tree.
    `a` (n, 6): Coriolis accelerations [rad/s2, m/s2].
    `b` (n, 6): gyroscopic minus external forces [N m, N].
    `T` (N,): hinge torques; of a base body its wrench, in its axes [N m, N].
    """
    other = dual(tree, art)
    bias = np.array([P @ x for P, x in zip(art.P, a)]) + b
    z, z_plus, _ = biased_residual_forces(tree, art, T, bias)
    z_dual, z_dual_plus, epsilon = np.zeros((tree.n, 6)), np.zeros((tree.n, 6)), np.zeros(tree.N)
    for k in reversed(range(tree.n)):
        up, H, s = tree.parent[k], tree.H[k], tree.slices[k]
        if up == tree.n:
            z_dual[k] = -np.linalg.solve(H, T[s])
            continue
        beside = sum((tree.phi[j] @ z_plus[j] for j in _siblings(tree, k)), np.zeros(6))
        rest = z_dual[up] + b[up] + beside
        z_dual_plus[k] = phi_inverse(tree.phi[k]) @ rest - other.S_plus[k] @ a[k]
        epsilon[s] = T[s] + H @ z_dual_plus[k]
        z_dual[k] = z_dual_plus[k] + other.G[k] @ epsilon[s]
    return Residuals(z, z_plus, z_dual, z_dual_plus, epsilon, other)


def _siblings(tree, k):
    """Return the siblings of body k."""
    return [j for j in tree.children[tree.parent[k]] if j != k]
