# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The law of under-actuated robots under both nodes, in lock step: an arm that loses a motor."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros import Robot
from support.nodes.node_harness import ROOT

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
LAW = 'underactuated_computed_torque'
#: The forearm hangs 0.2 rad off its equilibrium, from joint4, which has lost its motor.
START = np.array([0.0, 1.2, 0.0, -1.97, 0.0, 1.6, 0.8])
SHIFT = np.array([0.3, -0.18, -0.24, 0.0, 0.24, 0.18, -0.3])
ELBOW, DRIVEN = 3, [0, 1, 2, 4, 5, 6]


#: The forearm hangs 0.1 rad off its equilibrium, and the other joints can move the tool anywhere.
ASIDE = np.array([0.0, 1.3, 0.0, -2.034, 1.57, 1.1, 0.8])


@pytest.fixture
def arm(controlled_robot):
    """Return the arm at rest, its elbow held until the first command."""
    return arm_under(controlled_robot, LAW, START)


def arm_under(controlled_robot, law, start, **options):
    """Return the arm under a law, with the options of that law."""
    loss = [0.0] * 7
    loss[ELBOW] = 1.0
    own = {f'{law}__{name}': value for name, value in options.items()}
    gains = {
        f'gains__{name}__{gain}': value
        for name in Robot.from_urdf(ARM).joint_names
        for gain, value in (('p', 400.0), ('d', 40.0))
    }
    return controlled_robot(
        ARM,
        {'law': law, f'{law}__passive_joints': ['joint4'], **own, **gains},
        initial_position=start.tolist(),
        fault__effort_loss=loss,
    )


def worst_errors(arm, target):
    """Return the largest error [rad] of each joint on the way to a target, and its elbow's way."""
    errors, elbow = [], []
    arm.go_to(target, 2.0)
    end = arm.time + 2.5
    while arm.time < end:
        arm.advance(0.02)
        errors.append(arm.reference[0] - arm.position)
        elbow.append(arm.position[ELBOW])
        assert arm.torque[ELBOW] == 0.0
    return np.abs(errors).max(axis=0), np.ptp(elbow)


def test_the_other_joints_track_while_the_elbow_swings(arm):
    """Within 2 mrad, the bound of the same law without nodes. The passive joint gets no effort."""
    errors, swing = worst_errors(arm, START + SHIFT)
    assert errors[DRIVEN].max() < 2e-3
    assert swing > 0.1
    assert arm.status.startswith(('HOLD', 'ACTIVE'))


def test_the_law_gets_the_brake_of_the_elbow_while_it_runs(arm):
    """`locked` is live: the arm then tracks as the arm with that joint locked, in any posture."""
    arm.set_parameters(fault__stuck_joints=['joint4'])
    arm.set_controller(**{f'{LAW}__locked': 1.0})
    errors, swing = worst_errors(arm, START + SHIFT)
    assert swing == 0.0 and errors[DRIVEN].max() < 2e-3


def test_the_tool_follows_while_the_elbow_swings(controlled_robot):
    """Within 1.5 mm of the path of the joint reference, by the law of the tool."""
    robot, misses, elbow = Robot.from_urdf(ARM), [], []
    arm = arm_under(controlled_robot, 'underactuated_operational_space', ASIDE, frame='tool0')
    arm.go_to(ASIDE + SHIFT, 2.0)
    end = arm.time + 2.5
    while arm.time < end:
        arm.advance(0.02)
        here, there = (robot.pose(q, 'tool0')[:3, 3] for q in (arm.position, arm.reference[0]))
        misses.append(np.linalg.norm(here - there))
        elbow.append(arm.position[ELBOW])
        assert arm.torque[ELBOW] == 0.0
    assert max(misses) < 1.5e-3 and np.ptp(elbow) > 0.1
