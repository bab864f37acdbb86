# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Free-flyers whose links each have a pose and a velocity: Jain, section 17.2.2.

    Delta_V(k) = V(k) - phi'(up, k) V(up),  a(k) = tilde(V(k)) Delta_V(k)        (step 1, 5.15)
    alpha(k) = -[P + S]^-1 [z + z_d - P a]                              (step 3, Lemma 17.1)
    Rdot = R S(omega),  pdot = R v,  Vdot = alpha                                  (step 4)

Algorithm 17.4 has 6 n velocities, of which N are independent. Hinge coordinates appear nowhere, so
no link waits for the kinematics of another. In return the hinges drift apart: `drift` measures
this, and `closed` removes it. O(n) for a chain, with the constants of two articulated-body sweeps.

H' must be constant in the axes of its body. Otherwise it would depend on hinge coordinates.
"""

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.free_flying.base_invariant import felt_accelerations
from robodyn_ros.formulations.jain.inverse_dynamics import gravity_accelerations, gyroscopic_forces
from robodyn_ros.formulations.jain.spatial_algebra import tilde
from robodyn_ros.formulations.jain.tree_kinematics import poses

STEPS = 8  # Newton steps for the coordinates of a hinge; few, as the drift is small


class Links(NamedTuple):
    """State of all bodies.

    `R`: axes of each body in the inertial frame.
    `p`: origin of each body in the inertial frame [m].
    `V`: velocity of each body, in its axes [rad/s, m/s].
    """

    R: np.ndarray
    p: np.ndarray
    V: np.ndarray


def links_of(tree, V):
    """Return the state of the bodies of a tree at given velocities.

    `tree` (Tree): bodies at one configuration.
    `V` (n, 6): velocity of each body, in its axes [rad/s, m/s].
    """
    T = poses(tree)[:-1]
    return Links(T[:, :3, :3], T[:, :3, 3], np.asarray(V))


def tree_of_links(tree, links):
    """Return the tree with its bodies at given poses; its coordinates theta are not updated.

    `tree` (Tree): the bodies and hinges.
    `links` (Links): state of the bodies.
    Raises ModelError: if a base body does not have six freedoms, or the map of a hinge is not
      constant.
    """
    R, l = np.empty((tree.n, 3, 3)), np.empty((tree.n, 3))  # noqa: E741
    H = list(tree.H)
    for k, (up, body) in enumerate(zip(tree.parent, tree.bodies)):
        if up == tree.n:
            R[k], l[k], H[k] = links.R[k], links.p[k], np.eye(6)
            continue
        R[k] = links.R[up].T @ links.R[k]
        l[k] = links.R[up].T @ (links.p[k] - links.p[up])
        if np.any(body.hinge.map_rate(tree.theta[k], np.ones(len(H[k])))):
            raise ModelError(
                f'got body {body.name!r} on a hinge of kind {body.hinge.name!r}; expected one '
                "whose map H' is constant in the axes of the body"
            )
    return replace(tree, R=R, l=l, H=tuple(H))


def relative_velocities(tree, V):
    """Return Delta_V, the velocity of every body relative to its parent.

    `tree` (Tree): bodies at one configuration.
    `V` (n, 6): velocity of each body, in its axes [rad/s, m/s].
    """
    moved = [
        phi.T @ V[up] if up < tree.n else 0.0 * V[0] for phi, up in zip(tree.phi, tree.parent)
    ]
    return V - np.array(moved)


def accelerations(tree, links, T, f_ext=None, gravity=True):
    """Return alpha, the rates of V, by algorithm 17.4.

    `tree` (Tree): the bodies and hinges.
    `links` (Links): state of the bodies.
    `T` (N,): hinge torques; of a base body its wrench, in its axes [N m, N].
    `f_ext` (n, 6): external force on each body, at its origin in its axes [N m, N].
    `gravity`: whether gravity acts.
    Raises ModelError: see `tree_of_links`.
    """
    tree, V = tree_of_links(tree, links), links.V
    a = np.array([tilde(v) @ delta for v, delta in zip(V, relative_velocities(tree, V))])
    b = gyroscopic_forces(tree, V)
    felt, _, _ = felt_accelerations(tree, a, b if f_ext is None else b - f_ext, T)
    return felt - (gravity_accelerations(tree) if gravity else 0.0)


def drift(tree, links):
    """Return the position and velocity errors of the hinges.

    `tree` (Tree): bodies and hinges, with theta from which the search for hinge coordinates
      starts.
    `links` (Links): state of the bodies.
    Returns `gaps` (n, 6): position errors; zero at a base body [rad, m].
    Returns `rates` (n, 6): forbidden velocities; zero at a base body [rad/s, m/s].
    """
    found, beta = _coordinates(tree, links)
    at = tree_of_links(tree, links)
    gaps, rates = np.zeros((tree.n, 6)), np.zeros((tree.n, 6))
    Delta = relative_velocities(at, links.V)
    for k, body in enumerate(tree.bodies):
        if tree.parent[k] < tree.n:
            gaps[k] = _gap(body, found[k], at.R[k], at.l[k])
            rates[k] = Delta[k] - body.hinge.map(found[k]) @ beta[k]
    return gaps, rates


def closed(tree, links):
    """Return the state in which all hinges hold again.

    Each base body keeps its pose and velocity. The coordinates and velocities of every hinge are
    the nearest ones, by least squares.

    `tree` (Tree): bodies and hinges, with theta from which the search for hinge coordinates
      starts.
    `links` (Links): state of the bodies.
    """
    found, beta = _coordinates(tree, links)
    R, p, V = (np.array(each) for each in links)
    for k in reversed(range(tree.n)):
        up, body = tree.parent[k], tree.bodies[k]
        if up == tree.n:
            left, _, right = np.linalg.svd(R[k])
            R[k] = left @ right
            continue
        turned, moved = body.hinge.placement(found[k])
        R[k] = R[up] @ body.R @ turned
        p[k] = p[up] + R[up] @ (body.p + body.R @ moved)
    closed_tree = tree_of_links(tree, Links(R, p, V))
    for k in reversed(range(tree.n)):
        if tree.parent[k] < tree.n:
            V[k] = closed_tree.phi[k].T @ V[tree.parent[k]] + tree.H[k].T @ beta[k]
    return Links(R, p, V)


def _coordinates(tree, links):
    """Return the nearest theta and beta of every hinge."""
    at = tree_of_links(tree, links)
    Delta = relative_velocities(at, links.V)
    found, rates = list(tree.theta), [None] * tree.n
    for k, body in enumerate(tree.bodies):
        if tree.parent[k] == tree.n:
            continue
        inverse = np.linalg.pinv(tree.H[k].T)
        for _ in range(STEPS):
            step = inverse @ _gap(body, found[k], at.R[k], at.l[k])
            found[k] = found[k] + body.hinge.rates(found[k], step)
        rates[k] = inverse @ Delta[k]
    return found, rates


def _gap(body, theta, R, l):  # noqa: E741
    """Return rotation and offset (6,) of a body from where its hinge puts it, in its axes."""
    turned, moved = body.hinge.placement(theta)
    back = (body.R @ turned).T
    turn = back @ R
    spin = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    return np.concatenate((spin, back @ (l - body.p - body.R @ moved)))
