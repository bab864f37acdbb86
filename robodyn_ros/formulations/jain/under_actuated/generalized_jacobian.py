# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generalised and disturbance Jacobian, and computed torque with them: Jain, section 16.3.

    alpha_nd = J_G thdd_a + ..., J_G = B' (psi' - Omega P) H_a' = J_a + J_p J_D   (16.19, 16.21)
    thdd_p   = J_D thdd_a + ..., J_D = -S_ap'                                     (16.20, 16.23)

Columns by algorithm 16.2 at rest, O(n N_a); the products with thdd_a in one such sweep, O(n).

Correction to the print: J_a of exercise 16.2 is B' phi' H_a'.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.jain.composite_bodies import composite_inertias
from robodyn_ros.formulations.jain.under_actuated.arms import chosen
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics


class Jacobians(NamedTuple):
    """J_G (6m, N_a) of m nodes, and J_D (N_p, N_a)."""

    J_G: np.ndarray
    J_D: np.ndarray


def products(tree, active, thdd_a, nodes):
    """Return (J_G thdd_a (6m,), J_D thdd_a (N_p,)) in one sweep (Algorithm 16.3).

    active (n,) of bool; nodes : of tree_kinematics.Node, or what has `body` and `phi`.
    """
    passive = ~chosen(tree, active)
    still = np.zeros(tree.N)
    motion = hybrid_dynamics(tree, active, still, thdd_a, still[passive], gravity=False)
    return _at_nodes(motion, nodes), motion.thdd[passive]


def jacobians(tree, active, nodes):
    """Return the Jacobians of m nodes, column by column (Algorithm 16.3)."""
    units = np.eye(int(chosen(tree, active).sum()))
    columns = [products(tree, active, unit, nodes) for unit in units]
    return Jacobians(*(np.array(each).T for each in zip(*columns)))


def computed_torque(tree, active, thd, alpha_nodes, T_p, nodes, hold=False):
    """Return the Motion that gives nodes the accelerations alpha_nodes (6m,): Algorithm 16.4.

    hold : ask the passive hinges for no acceleration as well, in the least squares of (16.25).
    Where there are more active freedoms than conditions, thdd_a is the smallest. alpha_nodes is
    the rate of the node's velocity as the node sees it, in its axes, without gravity.
    """
    driven = chosen(tree, active)
    drift = hybrid_dynamics(tree, active, thd, np.zeros(int(driven.sum())), T_p)
    found = jacobians(tree, active, nodes)
    J, wanted = found.J_G, alpha_nodes - _at_nodes(drift, nodes)
    if hold:
        J, wanted = np.vstack(found), np.concatenate((wanted, -drift.thdd[~driven]))
    return hybrid_dynamics(tree, active, thd, np.linalg.lstsq(J, wanted)[0], T_p)


def base_jacobian(tree):
    """Return J_D (6, N - 6) of a free-flyer by composite inertias: -R(n)^-1 phi R H' (16.28).

    V(n) = J_D thd_a where the momentum is zero. The base is the last body, on six freedoms.
    """
    R, columns = composite_inertias(tree), []
    for k in range(tree.n - 1):
        X, row = R[k] @ tree.H[k].T, k
        while tree.parent[row] < tree.n:
            X, row = tree.phi[row] @ X, tree.parent[row]
        columns.append(X)
    return -np.linalg.solve(R[-1], np.hstack(columns))


def _at_nodes(motion, nodes):
    return np.concatenate([node.phi.T @ motion.alpha[node.body] for node in nodes])
