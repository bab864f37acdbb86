# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Test the node with a simulated arm, on simulated time."""

from pathlib import Path

import numpy as np
import pytest
import rclpy
from ament_index_python.packages import get_package_share_directory
from arm_holder.holder import Holder
from sensor_msgs.msg import JointState

ARM = Path(get_package_share_directory('robodyn_ros')) / 'config' / 'urdf' / 'two_link.urdf'
POSTURE = (0.5, -0.3)


@pytest.fixture
def arm(simulated_robot):
    """Return a simulated arm that the node commands."""
    robot = simulated_robot(ARM, command_topic='efforts', update_rate=200)
    rclpy.init()
    robot.spin(Holder(ARM, POSTURE))
    yield robot
    robot.close()
    rclpy.try_shutdown()


def test_the_arm_arrives_and_stays(arm):
    state = arm.advance(2.0)
    np.testing.assert_allclose(state.position, POSTURE, atol=1e-3)
    assert np.abs(state.effort).max() < 60.0


def test_a_push_is_made_good(arm):
    arm.advance(2.0)
    arm.push('tool0', force=(0.0, 0.0, 20.0), duration=0.1)
    assert np.abs(arm.advance(0.1).position - POSTURE).max() > 1e-3
    np.testing.assert_allclose(arm.advance(2.0).position, POSTURE, atol=1e-3)


def test_lost_states_are_borne(arm):
    arm.lose_states(0.3, 1.0, 1.5)
    states = arm.record(JointState, 'joint_states')
    np.testing.assert_allclose(arm.advance(3.0).position, POSTURE, atol=1e-3)
    states.wait(lambda state: state.header.stamp.sec == 3, 'the last state')
    assert sum(state.header.stamp.sec == 1 for state in states.messages) < 200
