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
from robodyn_ros.formulations.arm import model_of
from robodyn_ros.formulations.jain.operators.sweeps import gather, scatter
from robodyn_ros.formulations.jain.spatial_algebra import phi, transform


class Node(NamedTuple):
    """A point of interest: row of its body, axes R (3, 3) and origin p (3,) [m] in the body's."""

    body: int
    R: np.ndarray
    p: np.ndarray

    @property
    def phi(self):
        """phi(k, node) (6, 6): a force on the node as one on its body."""
        return phi(self.p, self.R)


def node(tree, robot, frame):
    """Return the Node of a named frame of the Robot that a tree was made of.

    UnknownNameError where there is no such frame, or where it is fixed to the base.
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
    """T_I,k (n + 1, 4, 4) of all bodies in the inertial frame, which is the last (Alg 3.1)."""
    T = np.zeros((tree.n + 1, 4, 4), tree.R.dtype)
    T[tree.n] = np.eye(4)
    for k in reversed(range(tree.n)):
        T[k] = T[tree.parent[k]] @ transform(tree.R[k], tree.l[k])
    return T


def relative_pose(tree, j, k):
    """T_j,k (4, 4) of body k as its ancestor j sees it, the product along the path (3.10).

    UnknownNameError where j does not carry k.
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
    """V(k) (n, 6) [rad/s, m/s] in the axes of each body (Alg 3.2).

    thd (N,) in the order of the tree. base (6,) : velocity of the inertial frame, for a base that
    is itself moved; 0 by default.
    """
    V = tree.hinge_velocity(thd)
    if base is not None:
        for k in tree.children[tree.n]:
            V[k] = V[k] + tree.phi[k].T @ base
    return scatter(tree, V, tree.phi)


def offset_velocities(tree, thd, offsets):
    """V(B_k) (n, 6) of body frames away from the hinges (3.21 to 3.23).

    offsets (n, 6, 6) : phi(O_k, B_k). The same recursion with H_B' = phi'(O, B) H' and
    phi_B(k + 1, k) = phi(B, O) phi(O, O) phi(O, B).
    """
    V = [off.T @ own for off, own in zip(offsets, tree.hinge_velocity(thd))]
    return scatter(tree, V, offset_weights(tree, offsets))


def offset_weights(tree, offsets):
    """phi(B_parent, B_k) of all bodies (n, 6, 6) (3.23)."""
    found = []
    for k, up in enumerate(tree.parent):
        inboard = np.linalg.inv(offsets[up]) if up < tree.n else np.eye(6)
        found.append(inboard @ tree.phi[k] @ offsets[k])
    return np.array(found)


def to_inertial(tree):
    """phi(I, O_k) of all bodies (n, 6, 6): from own axes at the hinge to base axes at the base."""
    return np.array([phi(T[:3, 3], T[:3, :3]) for T in poses(tree)[:-1]])


def inertial_hinges(tree):
    """H_I'(k) = phi'(O_k, I) H'(k) of all bodies, (6, r) each (3.25)."""
    return [np.linalg.solve(X.T, H.T) for X, H in zip(to_inertial(tree), tree.H)]


def inertial_velocities(tree, thd):
    """V_I(k) = V_I(parent) + H_I'(k) beta(k) (n, 6): no body transform is left (3.26)."""
    V = np.array([H @ thd[s] for H, s in zip(inertial_hinges(tree), tree.slices)])
    return scatter(tree, V, np.broadcast_to(np.eye(6), (tree.n, 6, 6)))


def node_velocities(tree, thd, nodes):
    """V_nd = J thd (m, 6), each in the axes of its node, in O(n + m) (3.52)."""
    V = velocities(tree, thd)
    return np.array([node.phi.T @ V[node.body] for node in nodes])


def node_torques(tree, forces, nodes):
    """J' f (N,) = H phi B f of forces (m, 6) in the axes of their nodes, in O(n + m) (Alg 5.1)."""
    x = gather(tree, pick_off(tree, forces, nodes), tree.phi)
    return np.concatenate([H @ each for H, each in zip(tree.H, x)])


def pick_off(tree, forces, nodes):
    """B f (n, 6): forces on nodes as forces on their bodies (3.49)."""
    x = np.zeros((tree.n, 6), np.result_type(tree.R, np.asarray(forces)))
    for node, f in zip(nodes, forces):
        x[node.body] += node.phi @ f
    return x


def jacobian(tree, nodes):
    """J = B' phi' H' (6 m, N), block by block along the path of each node (3.50).

    J(node, j) = phi'(k, node) phi'(j, k) H'(j) for the node's body k and what carries it; zero for
    all others. O(sum of the depths of the nodes).
    """
    J = np.zeros((6 * len(nodes), tree.N), tree.R.dtype)
    for rows, node in zip(np.arange(6 * len(nodes)).reshape(-1, 6), nodes):
        X = node.phi.T
        for j in tree.path(node.body):
            J[rows, tree.slices[j]] = X @ tree.H[j].T
            X = X @ tree.phi[j].T
    return J
