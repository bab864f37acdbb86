# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every recursion against Pinocchio and against the dense referee, on robots of every sort.

The referees share nothing with the recursions: one is another library, the other writes the
definitions down link by link. States are random and zero nowhere.
"""

import numpy as np
import pytest

from robodyn_ros.model.layout import MASS
from support.compare import agree, solve_tolerance
from support.robots.families import states

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture(scope='session')
def every_case(every_joint_type):
    """Return one robot after the other, with as many coordinates as velocities or more."""
    return every_joint_type


def test_inverse_dynamics_agrees_with_the_dense_referee(every_case, referee):
    """Torques of a motion."""
    robot = every_case.robot
    for q, qd, qdd in states(robot):
        agree(robot.inverse_dynamics(q, qd, qdd), referee.inverse_dynamics(q, qd, qdd))


def test_inverse_dynamics_subtracts_the_torque_of_wrenches(every_case, referee):
    """Torques of a motion with one wrench at the tip and another half-way."""
    robot = every_case.robot
    links = [name for name in robot.model.body_names if name in robot.frames]
    f_ext = {every_case.tip: WRENCH, links[len(links) // 2]: -0.5 * WRENCH}
    for q, qd, qdd in states(robot):
        agree(
            robot.inverse_dynamics(q, qd, qdd, f_ext), referee.inverse_dynamics(q, qd, qdd, f_ext)
        )


def test_gravity_torque_agrees_with_the_dense_referee(every_case, referee):
    """Torques at rest; zero where gravity is along every axis, so relative to all the weight."""
    robot = every_case.robot
    for q, _, _ in states(robot):
        agree(robot.gravity_torque(q), referee.gravity_torque(q), scale=weight(every_case))


def test_bias_torque_agrees_with_the_dense_referee(every_case, referee):
    """Torques without acceleration."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        agree(robot.bias_torque(q, qd), referee.bias_torque(q, qd))


def test_mass_matrix_agrees_with_the_dense_referee(every_case, referee):
    """Composite bodies."""
    for q, _, _ in states(every_case.robot):
        agree(every_case.robot.mass_matrix(q), referee.mass_matrix(q))


def test_coriolis_matrix_agrees_with_the_dense_referee(every_case, referee):
    """Christoffel symbols; a single joint has none, so relative to M qd."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        scale = np.abs(robot.mass_matrix(q)).max() * np.abs(qd).sum()
        agree(robot.coriolis_matrix(q, qd), referee.coriolis_matrix(q, qd), scale)


def test_forward_dynamics_agrees_with_the_dense_referee(every_case, referee):
    """Accelerations under torques, with and without a wrench."""
    robot, f_ext = every_case.robot, {every_case.tip: WRENCH}
    for q, qd, tau in states(robot):
        tolerance = solve_tolerance(robot.mass_matrix(q))
        agree(
            robot.forward_dynamics(q, qd, tau),
            referee.forward_dynamics(q, qd, tau),
            tolerance=tolerance,
        )
        agree(
            robot.forward_dynamics(q, qd, tau, f_ext),
            referee.forward_dynamics(q, qd, tau, f_ext),
            tolerance=tolerance,
        )


def test_mass_matrix_inverse_agrees_with_the_dense_referee(every_case, referee):
    """Compliances, base to tip (Jain 2011, Algorithm 10.4)."""
    robot = every_case.robot
    for q, _, _ in states(robot):
        agree(
            robot.mass_matrix_inverse(q),
            referee.mass_matrix_inverse(q),
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )


def test_mass_solve_agrees_with_the_dense_referee(every_case, referee):
    """M^-1 b."""
    robot = every_case.robot
    for q, b, _ in states(robot):
        M = referee.mass_matrix(q)
        agree(robot.mass_operator.solve(q, b), np.linalg.solve(M, b), tolerance=solve_tolerance(M))


def test_energy_agrees_with_the_dense_referee(every_case, referee):
    """Kinetic and potential energy; the latter may be zero, so relative to all the weight."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        kinetic, potential = robot.energy(q, qd)
        expected = referee.energy(q, qd)
        agree(kinetic, expected[0])
        agree(potential, expected[1], scale=weight(every_case))


def test_pose_agrees_with_the_dense_referee(every_case, referee):
    """Rotation and origin of the tip."""
    for q, _, _ in states(every_case.robot):
        agree(every_case.robot.pose(q, every_case.tip), referee.pose(q, every_case.tip))


def test_velocity_agrees_with_the_dense_referee(every_case, referee):
    """Velocity of the tip."""
    for q, qd, _ in states(every_case.robot):
        agree(
            every_case.robot.velocity(q, qd, every_case.tip),
            referee.velocity(q, qd, every_case.tip),
        )


def test_jacobian_agrees_with_the_dense_referee(every_case, referee):
    """Jacobian of the tip."""
    for q, _, _ in states(every_case.robot):
        agree(every_case.robot.jacobian(q, every_case.tip), referee.jacobian(q, every_case.tip))


def test_jacobian_bias_agrees_with_the_dense_referee(every_case, referee):
    """Acceleration of the tip by velocity alone; a slide has none, so relative to |qd|^2."""
    robot = every_case.robot
    for q, qd, _ in states(robot):
        agree(
            robot.jacobian_bias(q, qd, every_case.tip),
            referee.jacobian_bias(q, qd, every_case.tip),
            scale=qd @ qd,
        )


def test_compliance_agrees_with_the_dense_referee(every_case, referee):
    """J M^-1 J^T of the tip, from compliances carried outwards."""
    robot = every_case.robot
    for q, _, _ in states(robot):
        agree(
            robot.operational_space_inertia(q, every_case.tip).inverse,
            referee.compliance(q, every_case.tip),
            tolerance=solve_tolerance(robot.mass_matrix(q)),
        )


def weight(case):
    """Return the torque [N m] that all the weight has about a metre's lever."""
    model = case.robot.model
    return np.linalg.norm(model.gravity) * model.constants[1:, MASS].sum()
