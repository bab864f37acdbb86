# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Free-flyers without a preferred base: Jain, sections 17.1, 17.2 and 17.4.

    S^+(k) = phi(k, up) [M + S + sum phi P^+ phi'](up) phi'(k, up)                        (17.3)
    D_d = H S^+ H',  G_d = -S^+ H' D_d^-1,  S = (1 + G_d H) S^+                           (17.4)
    z_d^+(k) = phi(k, up) [z_d + b + sum phi z^+](up) - S^+ a                     (17.7, Alg 17.2)
    epsilon_d = T + H z_d^+,  z_d = z_d^+ + G_d epsilon_d
    alpha(k) = -[P + S]^-1 [z + z_d - P a],  thdd = nu_d - G_d' alpha                 (Lemma 17.1)
    Upsilon(k)^-1 = P(k) + S(k),  Upsilon^+(k)^-1 = P^+(k) + S^+(k)          (17.50, Alg 17.5)

P holds the bodies outboard of hinge k, S all others. So every link finds its acceleration without
its neighbours. The sums, over the other children of the parent, extend the book's chain to a tree
(section 17.2.4). O(n) for a chain. S is zero at the base, and z_d there takes its wrench.

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
    """Of every body: S, S_plus (6, 6), D (r, r), G (6, r). At a base S is 0, the others None."""

    S: list
    S_plus: list
    D: list
    G: list


def dual(tree, art):
    """Return the Dual of a Tree whose base bodies are free, by algorithm 17.1.

    art : its Articulated. ModelError where a base body has not six freedoms.
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
        for j in _others(tree, k):
            rest = rest + tree.phi[j] @ art.P_plus[j] @ tree.phi[j].T
        back = phi_inverse(tree.phi[k])
        S_plus = back @ rest @ back.T
        D = H @ S_plus @ H.T + np.diag(tree.rotor[s])
        G = -np.linalg.solve(D, H @ S_plus).T
        S = S_plus + G @ H @ S_plus
        found.S[k], found.S_plus[k], found.D[k], found.G[k] = 0.5 * (S + S.T), S_plus, D, G
    return found


def operational_inertias(tree):
    """Return P(k) + S(k) of all bodies (n, 6, 6): Upsilon^-1, without an inverse (Alg 17.5)."""
    art = articulated(tree)
    return np.array([P + S for P, S in zip(art.P, dual(tree, art).S)])


def operational_inertias_inboard(tree):
    """Return P^+(k) + S^+(k) of all bodies: Upsilon^+^-1 (6, 6), of the inboard side of hinge k.

    This side is part of the parent. None at a base, which has none.
    """
    art = articulated(tree)
    found = dual(tree, art).S_plus
    return [None if S is None else P + S for P, S in zip(art.P_plus, found)]


def forward_dynamics(tree, thd, T, f_ext=None, gravity=True):
    """Return (thdd (N,), alpha (n, 6) without gravity) by algorithm 17.3, link by link.

    thd, T (N,) in the order of the tree, f_ext (n, 6) as of inverse_dynamics.newton_euler.
    ModelError where a base body has not six freedoms.
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
    """Return (alpha + g (n, 6), Dual, epsilon_d (N,)) by algorithm 17.2 and lemma 17.1.

    a (n, 6) : Coriolis accelerations. b (n, 6) : gyroscopic forces minus external ones. T (N,).
    """
    art = articulated(tree)
    at = residuals(tree, art, a, b, T)
    rest = at.z + at.z_dual - np.array([P @ x for P, x in zip(art.P, a)])
    felt = [-np.linalg.solve(P + S, x) for P, S, x in zip(art.P, at.dual.S, rest)]
    return np.array(felt), at.dual, at.epsilon_dual


class Residuals(NamedTuple):
    """z, z^+, z_d, z_d^+ (n, 6), epsilon_d (N,), and the Dual.

    At a base z_d^+ and epsilon_d are 0.

    The force of the parent on body k is f (17.9), (17.10):

        f = P (alpha - a) + z = P^+ alpha^+ + z^+,  -f = S alpha + z_d = S^+ (alpha^+ + a) + z_d^+
    """

    z: np.ndarray
    z_plus: np.ndarray
    z_dual: np.ndarray
    z_dual_plus: np.ndarray
    epsilon_dual: np.ndarray
    dual: Dual


def residuals(tree, art, a, b, T):
    """Return the Residuals of the two inward sweeps, of algorithms 9.5 and 17.2.

    art : its Articulated. a, b, T as of `felt_accelerations`.
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
        beside = sum((tree.phi[j] @ z_plus[j] for j in _others(tree, k)), np.zeros(6))
        rest = z_dual[up] + b[up] + beside
        z_dual_plus[k] = phi_inverse(tree.phi[k]) @ rest - other.S_plus[k] @ a[k]
        epsilon[s] = T[s] + H @ z_dual_plus[k]
        z_dual[k] = z_dual_plus[k] + other.G[k] @ epsilon[s]
    return Residuals(z, z_plus, z_dual, z_dual_plus, epsilon, other)


def _others(tree, k):
    """Children of the parent of body k but k itself."""
    return [j for j in tree.children[tree.parent[k]] if j != k]
