# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 10.3.2 of Jain: C_os, the Coriolis and gravity forces of operational space."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import operational_space_operators as osd
from robodyn_ros.formulations.jain.composite_bodies import mass_matrix
from robodyn_ros.formulations.jain.forward_dynamics import articulated_body
from robodyn_ros.formulations.jain.inverse_dynamics import (
    base_acceleration,
    bias,
    coriolis_accelerations,
    gravity_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.operators.sweeps import scatter
from robodyn_ros.formulations.jain.tree_kinematics import (
    Node,
    jacobian,
    node,
    node_torques,
    velocities,
)
from support.compare import agree, solve_tolerance
from support.robots.families import FAMILIES
from support.robots.jain_trees import SOLVED, any_tree, configuration, nodes_of, robot_tree, unlike

pytestmark = pytest.mark.sensitive


def same(one, other, tolerance=SOLVED):
    agree(np.asarray(one), np.asarray(other), tolerance=tolerance)


def test_bias_force_by_two_sweeps(system):
    """Algorithm 10.5 against -Lambda {J M^-1 (T - C) + a_os} (10.8); the bracket always exists."""
    tree, thd, _, T = system
    nodes = nodes_of(tree)
    J = jacobian(tree, nodes)
    V = velocities(tree, thd)
    drift = scatter(tree, coriolis_accelerations(tree, V, thd), tree.phi)
    a_os = np.concatenate([each.phi.T @ drift[each.body] for each in nodes])
    for gravity in (True, False):
        C = bias(tree, thd, gravity=gravity)
        qdd = np.linalg.solve(mass_matrix(tree), T - C)
        expected = J @ qdd + a_os
        found = osd.node_accelerations(tree, thd, T, nodes, gravity)
        agree(found, expected, np.abs(J).max() * np.abs(qdd).sum() + np.abs(a_os).max(), SOLVED)
        _, alpha, _ = articulated_body(tree, thd, T, gravity=gravity)
        same(found, np.concatenate([each.phi.T @ alpha[each.body] for each in nodes]))


def test_operator_form_of_the_bias_force(system):
    """(10.42): B' [psi' {H' D^-1 H psi (P a_gr + b + K T) - (a_gr + H' D^-1 T)} + Ebar' g]."""
    tree, thd, _, T = system[0].without_rotors(), *system[1:]
    ops = SpatialOperators(tree)
    V = velocities(tree, thd)
    a_gr = (coriolis_accelerations(tree, V, thd) + base_acceleration(tree)).ravel()
    b, g = gyroscopic_forces(tree, V).ravel(), gravity_accelerations(tree).ravel()
    H, D_inverse, psi = ops.H.array, ops.D_inverse.array, ops.psi.array
    inner = psi @ (ops.P.array @ a_gr + b + ops.K.array @ T)
    zeta = psi.T @ (H.T @ D_inverse @ H @ inner - (a_gr + H.T @ D_inverse @ T)) + g
    _, alpha, _ = articulated_body(tree, thd, T)
    same(-zeta, alpha.ravel())
    every = [Node(k, np.eye(3), np.zeros(3)) for k in range(tree.n)]
    same(osd.node_accelerations(tree, thd, T, every), -zeta)


@pytest.mark.parametrize(
    'name, chosen',
    [
        ('skew_chain', (0,)),
        ('free base', (0,)),
        ('mixed chain', (0,)),
        ('tree of 20', (0,)),
        ('mixed tree', (0,)),
        ('mixed tree', (0, 3)),  # on different branches: one behind the other loses directions
    ],
)
def test_equations_of_motion_in_operational_space(name, chosen):
    """Lambda alpha_nd + C_os = f_nd for any T and f_nd (10.7); f_nd = Lambda u + C_os gives u.

    With Lambda^-1 before alpha_nd, as (10.7) prints it, neither holds.
    """
    tree, thd, _, T = any_tree(name)
    nodes, count = [nodes_of(tree)[k] for k in chosen], len(chosen)
    J, Lambda = jacobian(tree, nodes), osd.inertia(tree, nodes)
    assert np.linalg.cond(J) < 100.0  # else Lambda would mean nothing
    rng = np.random.default_rng(4)
    f, u = rng.normal(size=(2, 6 * count))
    C_os = osd.bias_force(tree, thd, T, nodes)
    V = velocities(tree, thd)
    a_phi = scatter(tree, coriolis_accelerations(tree, V, thd), tree.phi)
    drift = np.concatenate([each.phi.T @ a_phi[each.body] for each in nodes])

    def acceleration(f, T):
        tau = T + node_torques(tree, f.reshape(count, 6), nodes)
        return J @ np.linalg.solve(mass_matrix(tree), tau - bias(tree, thd)) + drift

    tolerance = 10.0 * solve_tolerance(Lambda)
    size = np.abs(Lambda).max() * np.abs(acceleration(f, T)).max()
    agree(Lambda @ acceleration(f, T) + C_os, f, size, tolerance)
    unlike(np.linalg.inv(Lambda) @ acceleration(f, T) + C_os, f, 1e-2)
    agree(acceleration(Lambda @ u + C_os, T), u, tolerance=tolerance)
    still = osd.control_force(tree, thd, u, nodes)  # as torques of the joints, at T = 0
    agree(acceleration(still, np.zeros(tree.N)), u, tolerance=tolerance)


def test_torque_and_gravity_of_algorithm_10_5_are_those_of_the_body():
    """T(k), not all of T; g in the axes of body k, not those of the inertial frame."""
    tree, thd, _, T = any_tree('skew_chain')
    _, alpha, _ = articulated_body(tree, thd, T)
    every = [Node(k, np.eye(3), np.zeros(3)) for k in range(tree.n)]
    zeta = -osd.node_accelerations(tree, thd, T, every).reshape(-1, 6)
    g = gravity_accelerations(tree)
    eta = zeta - g
    same(zeta, -alpha)
    unlike(eta + tree.g, -alpha)
    with pytest.raises(ValueError):  # H(k) vartheta(k) has one entry, T has seven
        tree.H[0].T @ (tree.H[0] @ eta[0] - T)


def test_package_reads_algorithm_10_5_where_forward_dynamics_ends():
    """The kernel task_acceleration, by the face: mu + p = -Lambda (node accelerations)."""
    case = FAMILIES['skew_chain']
    robot, (tree, thd, *_) = case.robot, robot_tree('skew_chain')
    q, qd = configuration(tree), tree.to_ours(thd)
    tip = robot.model.body_names[-1]
    found = robot.task_space.bias(q, qd, tip).free_acceleration
    alpha = osd.node_accelerations(tree, thd, np.zeros(tree.N), [node(tree, robot, tip)])
    R = robot.pose(q, tip)[:3, :3]
    V = robot.velocity(q, qd, tip)
    # alpha is the rate of V as the body sees it: omega x v is missing (2.19)
    same(found, np.concatenate((R @ alpha[3:] + np.cross(V[3:], V[:3]), R @ alpha[:3])))
