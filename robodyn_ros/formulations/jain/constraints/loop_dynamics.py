# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics with loops, by the operational-space compliance: Jain, section 11.2.2.

    thdd_f, alpha_nd^f        articulated bodies of the spanning tree, O(n)              (11.21a)
    lambda = -[Q Lambda^-1 Q']^-1 (Q alpha_nd^f + Qdot V_nd - dU/dt)                     (11.21b)
    thdd_d = [1 - H psi K]' D^-1 H psi B Q' lambda               one gather, one scatter (11.21c)
    thdd = thdd_f + thdd_d                                                    (11.20, Alg 11.2)

Lambda^-1 = B' Omega B of all nodes of all loops. Neither the mass matrix nor the Jacobian is
formed. O(n) and O(n_c^3).

Corrections to the print: Omega = psi' H' D^-1 H psi, where lemma 11.2 has D^-1 psi H. In (11.22)
the outer factors are c = D^-1/2 b, [1 - c (c' c)^-1 c'], not b. Algorithm 7.3 adds the response to
forces on the nodes. So step 3 takes f_c = + Q' lambda. U in (11.21b) is dU/dt.
"""

import numpy as np

from robodyn_ros.formulations.jain.constraints.augmented import Corrected
from robodyn_ros.formulations.jain.constraints.loop_constraints import (
    constraint_map,
    drift,
    nodes_of,
)
from robodyn_ros.formulations.jain.forward_dynamics import articulated_body, response
from robodyn_ros.formulations.jain.operational_space_operators import compliance
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.tree_kinematics import pick_off


def forward_dynamics(tree, thd, T, loops, U_rate=0.0):
    """Return the motion of a tree with closed loops: Algorithm 11.2.

    `tree` (Tree): spanning tree at a configuration that closes the loops.
    `thd` (N,): hinge velocities, in the order of the tree [rad/s, m/s].
    `T` (N,): hinge torques, in the order of the tree [N m, N].
    `loops` (sequence of Loop): the loops, independent of each other.
    `U_rate` ((n_c,) array_like): dU/dt of driven loops [rad/s2, m/s2].
    """
    nodes = nodes_of(loops)
    free, alpha, _ = articulated_body(tree, thd, T)
    Q = constraint_map(tree, loops)
    gap_acceleration = drift(tree, thd, loops, alpha) - U_rate
    multipliers = -np.linalg.solve(Q @ compliance(tree, nodes) @ Q.T, gap_acceleration)
    forces = pick_off(tree, (Q.T @ multipliers).reshape(-1, 6), nodes)
    return Corrected(free + response(tree, forces), free, multipliers)


def constrained_map(tree, loops):
    """Return Y_C by operators (11.22).

    `tree` (Tree): spanning tree at a configuration that closes the loops.
    `loops` (sequence of Loop): the loops; without any, Y_C is M^-1.
    """
    ops = SpatialOperators(tree)
    L = np.linalg.cholesky(ops.D_inverse.array)  # any root of D^-1 will do
    middle = np.eye(tree.N)
    if loops:
        B = np.zeros((6 * tree.n, 6 * len(nodes_of(loops))))
        for i, node in enumerate(nodes_of(loops)):
            B[tree.rows[node.body], 6 * i : 6 * i + 6] = node.phi
        b = ops.H.array @ ops.psi.array @ B @ constraint_map(tree, loops).T
        c = L.T @ b
        middle -= c @ np.linalg.solve(c.T @ c, c.T)
    factor = L.T @ ops.inverse_factor.array
    return factor.T @ middle @ factor
