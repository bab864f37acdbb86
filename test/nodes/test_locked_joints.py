# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Locked joints are in the joint states, so that robot_state_publisher knows every transform."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState

from support.nodes.node_harness import TWO_LINK

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']


def test_a_locked_joint_comes_last_at_its_position(simulated_robot):
    """Still, and without effort; the joints that move come first, in the order of commands."""
    robot = simulated_robot(TWO_LINK, locked=['joint1=0.4'], initial_position=[0.3])
    told = robot.record(JointState, '/joint_states')
    robot.command([1.5])
    state = robot.advance(0.05)
    message = told.wait(lambda message: message.position[0] == state.position[0])
    assert message.name == ['joint2', 'joint1']
    assert message.position.tolist() == [state.position[0], 0.4]
    assert message.velocity.tolist() == [state.velocity[0], 0.0] and state.velocity[0] != 0.0
    assert message.effort.tolist() == [1.5, 0.0]


def test_a_controller_passes_over_what_both_have_locked(controlled_robot):
    locked = ['joint1=0.4']
    robot = controlled_robot(TWO_LINK, {'locked': locked}, locked=locked, initial_position=[0.3])
    robot.go_to([0.5], 1.0)
    state = robot.advance(1.5)
    assert robot.status == 'HOLD TRAJECTORY_END'
    assert state.position == pytest.approx([0.5], abs=5e-3)
