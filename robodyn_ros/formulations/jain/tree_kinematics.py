# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinematics of a tree: Jain, sections 3.3 and 3.6.

    T_I,k = T_I,parent T_parent,k                                                 (Alg 3.1, 3.10)
    V(k) = phi'(parent, k) V(parent) + H'(k) beta(k)                              (Alg 3.2, 3.19)
    J = B' phi' H',   J thd and J' f by sweeps                                      (3.47 to 3.53)

Any tree, O(n); the Jacobian of m nodes O(n m) at most.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.formulations.jain.operators.sweeps import gather, scatter
from robodyn_ros.formulations.jain.spatial_algebra import phi, transform
from robodyn_ros.formulations.posture import model_of


class Node(NamedTuple):
    """A point of interest on a body, with axes of its own.

    `body`: row of its body.
    `R`: its axes in those of the body.
    `p`: its origin in the axes of the body [m].
    """

    body: int
    R: np.ndarray
    p: np.ndarray

    @property
    def phi(self):
        """phi(k, node) (6, 6), from forces on the node to forces on its body."""
        return phi(self.p, self.R)


def node(tree, robot, frame):
    """Return the Node of a named frame.

    `tree` (Tree): tree made of the robot.
    `frame`: name of the frame.
    Raises UnknownNameError: if there is no such frame, or it is fixed to the base.
    """
    model = model_of(robot)
    found = model.frame(frame)
    if found.body == 0:
        raise UnknownNameError(
            f'robot {model.name!r}: frame {frame!r} is fixed to the base; '
            f'expected one on a body that moves: {", ".join(tree.names)}'
        )
    return Node(tree.names.index(model.body_names[found.body]), found.rotation, found.translation)


def poses(tree):
    """Return T_I,k of all bodies and, last, of the inertial frame (Alg 3.1).

    `tree` (Tree): bodies at one configuration.
    """
    T = np.zeros((tree.n + 1, 4, 4), tree.R.dtype)
    T[tree.n] = np.eye(4)
    for k in reversed(range(tree.n)):
        T[k] = T[tree.parent[k]] @ transform(tree.R[k], tree.l[k])
    return T


def relative_pose(tree, j, k):
    """Return T_j,k, the product along the path (3.10).

    `tree` (Tree): bodies at one configuration.
    `j`: an ancestor of body k.
    `k`: a body.
    Raises UnknownNameError: if j is no ancestor of k.
    """
    if j not in tree.path(k):
        raise UnknownNameError(
            f'got body {tree.names[j]!r} to see {tree.names[k]!r} from; '
            'expected one on the path to its base: '
            f'{", ".join(tree.names[i] for i in tree.path(k))}'
        )
    T = np.eye(4)
    while k != j:
        T, k = transform(tree.R[k], tree.l[k]) @ T, tree.parent[k]
    return T


def velocities(tree, thd, base=None):
    """Return V(k) of all bodies, in their own axes (Alg 3.2).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `base` (6,): velocity of the inertial frame, for a tree on a moving base; 0 by
      default [rad/s, m/s].
    """
    V = tree.hinge_velocity(thd)
    if base is not None:
        for k in tree.children[tree.n]:
            V[k] = V[k] + tree.phi[k].T @ base
    return scatter(tree, V, tree.phi)


def offset_velocities(tree, thd, offsets):
    """Return V(B_k) of body frames away from the hinges (3.21 to 3.23).

    The recursion has H_B' = phi'(O, B) H' and phi_B(k + 1, k) = phi(B, O) phi(O, O) phi(O, B).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `offsets` (n, 6, 6): phi(O_k, B_k), from the hinge to the body frame.
    """
    V = [off.T @ own for off, own in zip(offsets, tree.hinge_velocity(thd))]
    return scatter(tree, V, offset_weights(tree, offsets))


def offset_weights(tree, offsets):
    """Return phi(B_parent, B_k) of all bodies (3.23).

    `tree` (Tree): bodies at one configuration.
    `offsets` (n, 6, 6): phi(O_k, B_k), from the hinge to the body frame.
    """
    found = []
    for k, up in enumerate(tree.parent):
        inboard = np.linalg.inv(offsets[up]) if up < tree.n else np.eye(6)
        found.append(inboard @ tree.phi[k] @ offsets[k])
    return np.array(found)


def to_inertial(tree):
    """Return phi(I, O_k) of all bodies, from body axes to those of the inertial frame.

    `tree` (Tree): bodies at one configuration.
    """
    return np.array([phi(T[:3, 3], T[:3, :3]) for T in poses(tree)[:-1]])


def inertial_hinges(tree):
    """Return H_I'(k) = phi'(O_k, I) H'(k) of all bodies (3.25).

    `tree` (Tree): bodies at one configuration.
    """
    return [np.linalg.solve(X.T, H.T) for X, H in zip(to_inertial(tree), tree.H)]


def inertial_velocities(tree, thd):
    """Return V_I(k) = V_I(parent) + H_I'(k) beta(k), without body transformations (3.26).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = np.array([H @ thd[s] for H, s in zip(inertial_hinges(tree), tree.slices)])
    return scatter(tree, V, np.broadcast_to(np.eye(6), (tree.n, 6, 6)))


def node_velocities(tree, thd, nodes):
    """Return V_nd = J thd in O(n + m) (3.52).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `nodes` (sequence of Node): points of interest on the bodies.
    """
    V = velocities(tree, thd)
    return np.array([node.phi.T @ V[node.body] for node in nodes])


def node_torques(tree, forces, nodes):
    """Return J' f = H phi B f in O(n + m) (Alg 5.1).

    `tree` (Tree): bodies at one configuration.
    `forces` ((m, 6) array_like): force on each node, in its axes [N m, N].
    `nodes` (sequence of Node): points of interest on the bodies.
    """
    x = gather(tree, pick_off(tree, forces, nodes), tree.phi)
    return np.concatenate([H @ each for H, each in zip(tree.H, x)])


def pick_off(tree, forces, nodes):
    """Return B f, the forces on nodes as forces on their bodies (3.49).

    `tree` (Tree): bodies at one configuration.
    `forces` ((m, 6) array_like): force on each node, in its axes [N m, N].
    `nodes` (sequence of Node): points of interest on the bodies.
    """
    x = np.zeros((tree.n, 6), np.result_type(tree.R, np.asarray(forces)))
    for node, f in zip(nodes, forces):
        x[node.body] += node.phi @ f
    return x


def jacobian(tree, nodes):
    """Return J = B' phi' H', block by block along the path of each node (3.50).

    J(node, j) = phi'(k, node) phi'(j, k) H'(j) for the node's body k and its ancestors j. All
    other blocks are zero. O(sum of the depths of the nodes).

    `tree` (Tree): bodies at one configuration.
    `nodes` (sequence of Node): points of interest on the bodies.
    """
    J = np.zeros((6 * len(nodes), tree.N), tree.R.dtype)
    for rows, node in zip(np.arange(6 * len(nodes)).reshape(-1, 6), nodes):
        X = node.phi.T
        for j in tree.path(node.body):
            J[rows, tree.slices[j]] = X @ tree.H[j].T
            X = X @ tree.phi[j].T
    return J
