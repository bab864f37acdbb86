# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The sensors of the simulator on their topics."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu, JointState

from robodyn_ros import Robot
from robodyn_ros.model.layout import MASS
from support.nodes.node_harness import TWO_LINK

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

START = [0.4, -0.7]
NODE = '/robodyn_simulator'


def vector(message):
    """Return a Vector3 as an array."""
    return np.array([message.x, message.y, message.z])


def test_sensors_of_an_arm_that_holds_a_load(simulated_robot):
    """Gravity on the IMU, the load on the force-torque sensor, its torque in the joints."""
    arm = simulated_robot(
        TWO_LINK,
        initial_position=START,
        imu__frames=['tool0'],
        force_torque__frames=['tool0'],
        joint_torque__enabled=True,
        motor_encoders__enabled=True,
        motor_encoders__position=[0.0, 0.0, 0.0, 0.25],
    )
    topics = {
        'imu/tool0': Imu,
        'force_torque/tool0': WrenchStamped,
        'joint_torques': JointState,
        'motor_states': JointState,
    }
    inboxes = [arm.record(kind, f'{NODE}/{topic}') for topic, kind in topics.items()]
    arm.simulator.node.session.runner.plant.attach('tool0', 2.0)
    arm.step(3)
    end = (0, 3_000_000)
    imu, wrench, torque, motors = (
        inbox.wait(lambda m: (m.header.stamp.sec, m.header.stamp.nanosec) == end)
        for inbox in inboxes
    )
    robot = Robot.from_urdf(TWO_LINK)
    R = robot.pose(START, 'tool0')[:3, :3]
    up = R.T @ [0.0, 0.0, 9.81]
    np.testing.assert_allclose(vector(imu.linear_acceleration), up, atol=1e-9)
    assert not vector(imu.angular_velocity).any() and imu.header.frame_id == 'tool0'
    assert imu.orientation_covariance[0] == -1.0
    force = vector(wrench.wrench.force)
    last_link = robot.model.constants[-1, MASS]
    np.testing.assert_allclose(force, -(2.0 + last_link) * up, atol=1e-9)
    loaded = robot.with_payload('tool0', 2.0, np.zeros(3), np.zeros((3, 3)))
    np.testing.assert_allclose(torque.effort, loaded.gravity_torque(START), rtol=1e-9)
    assert list(motors.name) == arm.joint_names
    np.testing.assert_allclose(motors.position, [0.5, -0.75], atol=1e-12)


def test_joint_states_are_late_and_velocities_are_differences(simulated_robot):
    """By the steps asked for; the stamps are those of the arrival."""
    arm = simulated_robot(
        TWO_LINK,
        initial_position=START,
        sensor_latency=5,
        velocity_source='differences',
        no_command='free',
    )
    states = arm.record(JointState, '/joint_states')
    earlier, last = (np.array(arm.step(k).position) for k in (9, 1))
    before = arm.state
    arm.step(5)
    message = states.wait(lambda m: m.header.stamp.nanosec == 15_000_000)
    np.testing.assert_allclose(message.position, before.position, atol=1e-15)
    assert np.abs(np.array(message.position) - arm.position).min() > 1e-6
    np.testing.assert_allclose(message.velocity, (last - earlier) / 1e-3, rtol=1e-9)
    np.testing.assert_array_equal(last, before.position)


def test_a_sensor_on_a_link_that_is_not_there_is_refused(simulated_robot):
    with pytest.raises(AssertionError, match="no frame 'hand'; valid: "):
        simulated_robot(TWO_LINK, imu__frames=['hand'])
