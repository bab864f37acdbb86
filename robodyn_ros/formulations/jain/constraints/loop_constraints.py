# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loop constraints between two nodes of a tree, or a node and the world: Jain, section 11.2.2.

    Qrel V_x = 0,   Qrel (V_x - V_y) = 0,   Q = [Qrel, -Qrel R_xy]                         (11.16)
    Q V_nd = U,   G_c = Q J = Q B' phi' H'                                         (11.17, 11.18)
    d2 d/dt2 = Q alpha_nd + Qdot V_nd - dU/dt                                              (11.19)

Velocities of nodes are in their own axes here. R_xy turns those of y into the axes of x. Both
nodes coincide while the loop is closed. The rate of R_xy is R_xy S(omega_y) - S(omega_x) R_xy.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.constraints.bilateral import Pfaffian
from robodyn_ros.formulations.jain.inverse_dynamics import coriolis_accelerations
from robodyn_ros.formulations.jain.operators.sweeps import scatter
from robodyn_ros.formulations.jain.tree_kinematics import (
    Node,
    jacobian,
    node_velocities,
    poses,
    velocities,
)
from robodyn_ros.formulations.posture import skew


class Loop(NamedTuple):
    """A cut edge: two nodes, and the relative motions that are blocked.

    `x`: first node.
    `y`: second node; None for the inertial frame.
    `Q`: qrel: blocked relative motions in the axes of x, angular part first. A weld has all six, a
      ball joint the last three, a hinge those across its axis.
    """

    x: Node
    y: Node | None
    Q: np.ndarray


WELD = np.eye(6)
BALL = np.eye(6)[3:]
#: A pin about the z axis of x. PLANAR_PIN is for links that can only move in one plane.
PIN = np.eye(6)[[0, 1, 3, 4, 5]]
PLANAR_PIN = np.eye(6)[3:5]


def nodes_of(loops):
    """Return all nodes of the loops, x before y."""
    return [node for loop in loops for node in (loop.x, loop.y) if node is not None]


def constraint_map(tree, loops):
    """Return Q on the stacked velocities of `nodes_of(loops)` (11.16).

    `tree` (Tree): bodies at one configuration.
    """
    return _stack(loops, lambda loop: loop.Q @ np.kron(np.eye(2), relative_rotation(tree, loop)))


def constraint_map_rate(tree, thd, loops):
    """Return Qdot, due to the rotation of x relative to y.

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    """
    V = velocities(tree, thd)

    def block(loop):
        R = relative_rotation(tree, loop)
        omega_x, omega_y = ((node.phi.T @ V[node.body])[:3] for node in (loop.x, loop.y))
        return loop.Q @ np.kron(np.eye(2), R @ skew(omega_y) - skew(omega_x) @ R)

    return _stack(loops, block, rate=True)


def relative_rotation(tree, loop):
    """Return R_xy, which turns axes of y into axes of x.

    `tree` (Tree): bodies at one configuration.
    `loop` (Loop): a loop.
    """
    T = poses(tree)
    R_x, R_y = (T[node.body, :3, :3] @ node.R for node in (loop.x, loop.y))
    return R_x.T @ R_y


def _stack(loops, block_of_y, rate=False):
    """Return rows [Qrel, -block of y] of every loop, or [0, -block of y] for a rate."""
    n_c, m = sum(len(loop.Q) for loop in loops), len(nodes_of(loops))
    blocks, row, column = [], 0, 0
    for loop in loops:
        if not rate:
            blocks.append((row, column, loop.Q))
        column += 6
        if loop.y is not None:
            blocks.append((row, column, -block_of_y(loop)))
            column += 6
        row += len(loop.Q)
    Q = np.zeros((n_c, 6 * m), np.result_type(float, *(block for *_, block in blocks)))
    for row, column, block in blocks:
        Q[row : row + len(block), column : column + 6] = block
    return Q


def constraint_jacobian(tree, loops):
    """Return G_c = Q J (11.18).

    `tree` (Tree): bodies at one configuration.
    """
    return constraint_map(tree, loops) @ jacobian(tree, nodes_of(loops))


def drift(tree, thd, loops, alpha=None):
    """Return the relative acceleration of the nodes, Q alpha_nd + Qdot V_nd (11.19).

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `alpha` (n, 6): accelerations of the bodies, without gravity. By default they are
      those of thdd = 0, and the result is Gdot_c thd.
    """
    nodes = nodes_of(loops)
    if alpha is None:
        V = velocities(tree, thd)
        alpha = scatter(tree, coriolis_accelerations(tree, V, thd), tree.phi)
    alpha_nd = np.concatenate([node.phi.T @ alpha[node.body] for node in nodes])
    V_nd = node_velocities(tree, thd, nodes).ravel()
    return constraint_map(tree, loops) @ alpha_nd + constraint_map_rate(tree, thd, loops) @ V_nd


def pfaffian(tree, thd, loops, U=0.0, U_rate=0.0):
    """Return the constraint of closed loops (11.17).

        G_c thd = U,   G_c thdd = dU/dt - Gdot_c thd

    `tree` (Tree): bodies at one configuration.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `U` ((n_c,) array_like): velocities of driven loops [rad/s, m/s].
    `U_rate` ((n_c,) array_like): their rates [rad/s2, m/s2].
    """
    acceleration = U_rate - drift(tree, thd, loops)
    return Pfaffian(
        constraint_jacobian(tree, loops), np.broadcast_to(U, acceleration.shape), acceleration
    )


def gap(tree, loop):
    """Return the position error of a loop.

    Only its Qrel part has to be zero in a closed loop.

    `tree` (Tree): bodies at one configuration.
    `loop` (Loop): the loop. Where its y is None, the inertial frame takes its place.
    Returns pose of x relative to y, in the axes of x. First the sine of the rotation angle times
      its axis, then the offset [m].
    """
    T = poses(tree)
    R_x, p_x = T[loop.x.body, :3, :3] @ loop.x.R, _place(T, loop.x)
    R_y, p_y = np.eye(3), np.zeros(3)
    if loop.y is not None:
        R_y, p_y = T[loop.y.body, :3, :3] @ loop.y.R, _place(T, loop.y)
    turn = R_y.T @ R_x
    axis = 0.5 * np.array(
        [turn[2, 1] - turn[1, 2], turn[0, 2] - turn[2, 0], turn[1, 0] - turn[0, 1]]
    )
    return np.concatenate((axis, R_x.T @ (p_x - p_y)))


def _place(T, node):
    """Return the origin of a node in the inertial frame."""
    return T[node.body, :3, 3] + T[node.body, :3, :3] @ node.p
