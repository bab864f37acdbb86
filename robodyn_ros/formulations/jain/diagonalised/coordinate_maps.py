# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Diagonalising velocities and forces of a tree: Jain, section 19.3.1, tables 19.1 and 19.2.

    eta = m' thd     V^+ = phi' V(up),  xi = thd + G' V^+,  eta = D^1/2' xi    base to tips
    thd = l' eta     thd = xi - G' V^+,  V = V^+ + H' thd
    zeta = l T       z = sum phi z^+,  epsilon = T - H z,  zeta = D^-1/2 epsilon   tips to base
    T = m zeta       T = epsilon + H z,  z^+ = z + G epsilon

m = (1 + H phi K) D^1/2 and l = m^-1 (19.20), each applied in O(n). xi and epsilon are those of the
un-normalised equations (19.36, 19.38). D^1/2 is the lower Cholesky factor of each block of D,
which is unique and smooth. The book treats hinges of one freedom, where it is a square root.

Corrections to the print: table 19.2 has z^+ = z + G D^1/2 zeta. Both its columns run from tips to
base.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.articulated_bodies import residual_forces
from robodyn_ros.formulations.jain.operators.sweeps import stacked
from robodyn_ros.formulations.jain.quasi_velocities import upper_factor


class Velocities(NamedTuple):
    """Velocities of a tree in its own and in diagonal coordinates.

    `thd`: hinge velocities [rad/s, m/s].
    `xi`: Un-normalised diagonal velocities.
    `V`: velocity of each body [rad/s, m/s].
    `V_plus`: velocity of its parent, V^+ = phi' V(up) [rad/s, m/s].
    """

    thd: np.ndarray
    xi: np.ndarray
    V: np.ndarray
    V_plus: np.ndarray


def velocities_of_rates(tree, art, thd):
    """Return the Velocities for given hinge velocities (table 19.1).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    return _outward(tree, art, lambda k, drag: (thd[k], thd[k] + drag), thd)


def velocities_of_xi(tree, art, xi):
    """Return the Velocities for given xi = (1 + H phi K)' thd (table 19.1).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `xi` (N,): Un-normalised diagonal velocities.
    """
    return _outward(tree, art, lambda k, drag: (xi[k] - drag, xi[k]), xi)


def _outward(tree, art, solve, given):
    """Return the Velocities; solve(slice, G' V^+) returns thd and xi of a hinge."""
    kind = np.result_type(tree.dtype, given)
    thd, xi = np.zeros(tree.N, kind), np.zeros(tree.N, kind)
    V, V_plus = [None] * tree.n, [np.zeros(m, kind) for m in tree.sizes]
    for k in reversed(range(tree.n)):
        s, up = tree.slices[k], tree.parent[k]
        if up < tree.n:
            V_plus[k] = tree.weights[k].T @ V[up]
        thd[s], xi[s] = solve(s, art.G[k].T @ V_plus[k])
        V[k] = V_plus[k] + tree.H[k].T @ thd[s]
    return Velocities(thd, xi, stacked(V), stacked(V_plus))


def normalised(tree, art, xi):
    """Return eta = D^1/2' xi, for which the kinetic energy is eta' eta / 2 (19.12).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `xi` (N,): Un-normalised diagonal velocities.
    """
    return by_hinges(tree, xi, upper_factors(art), np.matmul)


def unnormalised(tree, art, eta):
    """Return xi = D^-1/2' eta.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `eta` (N,): normalised diagonal velocities.
    """
    return by_hinges(tree, eta, upper_factors(art), np.linalg.solve)


def forces_of_torques(tree, art, T):
    """Return zeta = l T (table 19.2).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    """
    _, _, epsilon = residual_forces(tree, art, T)
    return normalised_forces(tree, art, epsilon)


def normalised_forces(tree, art, epsilon):
    """Return zeta = D^-1/2 epsilon.

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `epsilon` (N,): Un-normalised forces.
    """
    return by_hinges(tree, epsilon, [U.T for U in upper_factors(art)], np.linalg.solve)


def torques_of_forces(tree, art, zeta):
    """Return T = m zeta (table 19.2).

    `tree` (Tree): bodies at one configuration.
    `art` (Articulated): articulated-body quantities of the tree.
    `zeta` (N,): normalised forces.
    """
    epsilon = by_hinges(tree, zeta, [U.T for U in upper_factors(art)], np.matmul)
    kind = np.result_type(tree.dtype, epsilon)
    T, z = np.zeros(tree.N, kind), [np.zeros(m, kind) for m in tree.sizes]
    for k, up in enumerate(tree.parent):
        s = tree.slices[k]
        T[s] = epsilon[s] + tree.H[k] @ z[k]
        if up < tree.n:
            z[up] = z[up] + tree.weights[k] @ (z[k] + art.G[k] @ epsilon[s])
    return T


def upper_factors(art):
    """Return D^1/2' of every hinge: U with U' U = D.

    `art` (Articulated): articulated-body quantities of the tree.
    """
    return [upper_factor(D) for D in art.D]


def by_hinges(tree, x, blocks, function):
    """Return a vector to which a function of a block was applied hinge by hinge.

    `tree` (Tree): bodies at one configuration.
    `x` (N,): vector.
    `blocks` (sequence of (r, r) ndarray): block of each hinge.
    `function` (callable): `function(block, part)` returns the new part (r,).
    """
    return np.concatenate([function(block, x[s]) for block, s in zip(blocks, tree.slices)])


def one_freedom_each(tree):
    """Raise an error where a hinge has more than one degree of freedom.

    `tree` (Tree): bodies at one configuration.
    Raises ModelError: if a hinge has.
    """
    for name, H in zip(tree.names, tree.H):
        if len(H) > 1:
            raise ModelError(
                f'got body {name!r} on a hinge of {len(H)} freedoms; expected at most one, '
                'as in sections 19.2 to 19.4'
            )
