# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Torques of chosen actuators against the dense system of the tree, to 1e-11 of the largest."""

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError, SingularityError, UnknownNameError
from robodyn_ros.formulations.jain.constraints.move_squeeze import decompose
from support.compare import agree
from support.robots.closed_loops import Referee
from support.robots.mechanisms import STANDARD

NEAR = 1e-11
STRENGTH = 1.0 / np.linspace(200.0, 20.0, 14) ** 2  # weight of motors, each by its limit
COUPLED = 0.1 * np.eye(14) + 0.01 * np.add.outer(range(14), range(14)) + 0.3 * np.ones((14, 14))


def moving(mechanism, seed=6):
    """Return the robot of a mechanism and a motion of it."""
    robot, rng = mechanism.robot(), np.random.default_rng(seed)
    q = robot.model.closed_posture + rng.uniform(-0.1, 0.1, robot.nv)
    return robot, (q, *rng.uniform(-1.0, 1.0, (2, robot.nv)))


@pytest.fixture(scope='module')
def arms():
    """Return two arms with a bar, a motion, its state in the tree of the referee, and E there."""
    mechanism = STANDARD['two arms with a bar']
    robot, motion = moving(mechanism)
    referee = Referee(mechanism)
    names = referee.tree.joint_names
    order = [robot.all_joint_names.index(name) for name in names]
    state = [each[order] for each in robot.expand(*motion)]
    return robot, motion, referee, state, referee.expansion(state[0], robot.joint_names)


@pytest.mark.parametrize('weight', [None, STRENGTH, COUPLED @ COUPLED], ids=['1', 'limits', 'any'])
def test_fourteen_motors_share_what_the_bar_leaves_to_them(arms, weight):
    """They move the tree as wanted, and are the move torques of Jain's (11.15)."""
    robot, motion, referee, (theta, rates, accelerations), E = arms
    torque, squeeze = robot.loops.actuator_torques(*motion, referee.tree.joint_names, weight)
    assert torque.shape == (14,) and squeeze.shape == (14, 6)
    agree(E.T @ torque, robot.inverse_dynamics(*motion), tolerance=NEAR)
    agree(referee.solve(theta, rates, torque)[0], accelerations, tolerance=NEAR)
    W = np.eye(14) if weight is None else np.diag(weight) if weight.ndim == 1 else weight
    J = referee.rows(theta, rates)[1]
    all_driven = referee.tree.inverse_dynamics(theta, rates, accelerations)
    agree(torque, decompose(all_driven, J, W)[0], np.abs(all_driven).max(), NEAR)


def test_squeeze_torques_only_strain(arms):
    """The motion stays, while every one of them makes the weighted norm larger."""
    robot, motion, referee, (theta, rates, accelerations), E = arms
    torque, squeeze = robot.loops.actuator_torques(*motion, referee.tree.joint_names, STRENGTH)
    agree(E.T @ squeeze, np.zeros((robot.nv, 6)), np.abs(E).max() * np.abs(squeeze).max(), NEAR)
    agree(squeeze.T @ (STRENGTH[:, None] * squeeze), np.eye(6), tolerance=NEAR)
    least = torque @ (STRENGTH * torque)
    rng = np.random.default_rng(2)
    for share in rng.normal(size=(20, 6)):
        other = torque + squeeze @ share
        agree(other @ (STRENGTH * other), least + share @ share, tolerance=NEAR)
        agree(referee.solve(theta, rates, other)[0], accelerations, tolerance=1e-10)


@pytest.mark.parametrize('name', ['palletizer', 'gripper', 'Delta'])
def test_motors_of_the_independent_joints_have_their_torques(name):
    """There is nothing to share, whatever the weight, with a push from outside too."""
    robot, motion = moving(STANDARD[name])
    push = {STANDARD[name].closures[0].b: np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))}
    weight = np.arange(1.0, robot.nv + 1.0)
    found = robot.loops.actuator_torques(*motion, robot.joint_names, weight, push)
    agree(found.torque, robot.inverse_dynamics(*motion, push), tolerance=NEAR)
    assert np.abs(found.torque - robot.inverse_dynamics(*motion)).max() > 1e-3
    assert found.squeeze.shape == (robot.nv, 0)


def test_a_motor_of_a_dependent_joint_may_lead():
    """The follower of a gripper alone: with its multiplier of 1 it takes the same torque."""
    robot, motion = moving(STANDARD['gripper'])
    found = robot.loops.actuator_torques(*motion, ['right_knuckle'])
    agree(found.torque, robot.inverse_dynamics(*motion), tolerance=NEAR)


def test_bad_actuators_are_refused():
    robot, motion = moving(STANDARD['palletizer'])
    with pytest.raises(SingularityError, match='turn do not lead all of its 4'):
        robot.loops.actuator_torques(*motion, ['turn'])
    with pytest.raises(UnknownNameError, match="no joint 'knee'"):
        robot.loops.actuator_torques(*motion, ['knee'])
    with pytest.raises(ParameterError, match='each joint once'):
        robot.loops.actuator_torques(*motion, [*robot.joint_names, 'turn'])
    for weight in (np.zeros(4), np.ones(3), np.triu(np.ones((4, 4)))):
        with pytest.raises(ParameterError, match='4 positive numbers'):
            robot.loops.actuator_torques(*motion, robot.joint_names, weight)
