# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generalised and disturbance Jacobian, and computed torque with them: Jain, section 16.3.

    alpha_nd = J_G thdd_a + ..., J_G = B' (psi' - Omega P) H_a' = J_a + J_p J_D   (16.19, 16.21)
    thdd_p   = J_D thdd_a + ..., J_D = -S_ap'                                     (16.20, 16.23)

A column is algorithm 16.2 at rest, so all cost O(n N_a). The product with a given thdd_a is one
such sweep, O(n).

Correction to the print: J_a of exercise 16.2 is B' phi' H_a'.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.composite_bodies import composite_inertias
from robodyn_ros.formulations.jain.under_actuated.arms import chosen
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics


class Jacobians(NamedTuple):
    """Accelerations of nodes and of passive hinges per active acceleration.

    `J_G`: generalised Jacobian of m nodes.
    `J_D`: disturbance Jacobian.
    """

    J_G: np.ndarray
    J_D: np.ndarray


def products(tree, active, thdd_a, nodes):
    """Return J_G thdd_a and J_D thdd_a in one sweep (Algorithm 16.3).

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    `thdd_a` (N_a,): accelerations of the active freedoms [rad/s2, m/s2].
    `nodes` (sequence of Node): m points of interest, or other objects with `body` and `phi`.
    Returns `nodes` (6m,): accelerations of the nodes [rad/s2, m/s2].
    Returns `passive` (N_p,): accelerations of the passive freedoms [rad/s2, m/s2].
    """
    passive = ~chosen(tree, active)
    at_rest = np.zeros(tree.N)
    motion = hybrid_dynamics(tree, active, at_rest, thdd_a, at_rest[passive], gravity=False)
    return _at_nodes(motion, nodes), motion.thdd[passive]


def jacobians(tree, active, nodes):
    """Return both Jacobians, column by column (Algorithm 16.3).

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    `nodes` (sequence of Node): points of interest on the bodies.
    """
    units = np.eye(int(chosen(tree, active).sum()))
    columns = [products(tree, active, unit, nodes) for unit in units]
    return Jacobians(*(np.array(each).T for each in zip(*columns)))


def computed_torque(tree, active, thd, alpha_nodes, T_p, nodes, hold=False):
    """Return the motion that gives nodes wanted accelerations: Algorithm 16.4.

    Where there are more active freedoms than conditions, thdd_a is the smallest.

    `tree` (Tree): bodies at one configuration.
    `active` ((n,) array_like of bool): whether the hinge of each body is driven, tips first.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `alpha_nodes` (6m,): wanted rates of the nodes' velocities as the nodes see them, in
      their axes, without gravity.
    `T_p` (N_p,): torques of the passive freedoms [N m, N].
    `nodes` (sequence of Node): points of interest on the bodies.
    `hold`: whether the passive hinges should not accelerate either, in the least squares of
      (16.25).
    """
    driven = chosen(tree, active)
    drift = hybrid_dynamics(tree, active, thd, np.zeros(int(driven.sum())), T_p)
    found = jacobians(tree, active, nodes)
    J, wanted = found.J_G, alpha_nodes - _at_nodes(drift, nodes)
    if hold:
        J, wanted = np.vstack(found), np.concatenate((wanted, -drift.thdd[~driven]))
    return hybrid_dynamics(tree, active, thd, np.linalg.lstsq(J, wanted)[0], T_p)


def base_jacobian(tree):
    """Return J_D of a free-flyer by composite inertias, -R(n)^-1 phi R H' (16.28).

    V(n) = J_D thd_a where the momentum is zero.

    `tree` (Tree): bodies at one configuration. The last is the base, on six freedoms.
    """
    R, columns = composite_inertias(tree), []
    for k in range(tree.n - 1):
        X, row = R[k] @ tree.H[k].T, k
        while tree.parent[row] < tree.n:
            X, row = tree.phi[row] @ X, tree.parent[row]
        columns.append(X)
    return -np.linalg.solve(R[-1], np.hstack(columns))


def _at_nodes(motion, nodes):
    """Return the accelerations of nodes from those of their bodies."""
    return np.concatenate([node.phi.T @ motion.alpha[node.body] for node in nodes])
