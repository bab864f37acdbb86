# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publish the sensors of the simulated robot besides its encoders."""

import re
from typing import Sequence

import numpy as np
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import Imu as ImuMessage
from sensor_msgs.msg import JointState

from robodyn_ros.ros.common.joint_messages import set_stamp
from robodyn_ros.ros.common.multi_dof_messages import set_vector
from robodyn_ros.ros.simulator.state_publisher import STATE_QOS
from robodyn_ros.simulation.sensors.link_sensors import (
    ForceTorque,
    Imu,
    JointTorque,
    LinkSensor,
    MotorEncoders,
)

NOT_MEASURED = -1.0  # first entry of a covariance, as sensor_msgs/Imu defines


class SensorTopics:
    """One topic for each sensor.

    `node` (rclpy Node): the node that publishes.
    `instruments` (sequence of LinkSensor): the sensors.
    `joint_names` (sequence of str): joints of the robot, in its order.
    """

    def __init__(self, node, instruments: Sequence[LinkSensor], joint_names: Sequence[str]):
        self._node, self._topics = node, []
        for instrument in instruments:
            topic, message, fill = _MESSAGES[type(instrument)](instrument, joint_names)
            publisher = node.create_publisher(type(message), f'~/{topic}', STATE_QOS)
            self._topics.append((publisher, message, fill, instrument))

    @property
    def has_subscribers(self) -> bool:
        """Whether any topic has a subscriber."""
        return any(publisher.get_subscription_count() > 0 for publisher, *_ in self._topics)

    def publish(self, nanoseconds: int):
        """Publish the last readings."""
        for publisher, message, fill, instrument in self._topics:
            set_stamp(message.header.stamp, nanoseconds)
            fill(message, instrument.value)
            publisher.publish(message)

    def close(self):
        """Destroy the publishers."""
        for publisher, *_ in self._topics:
            self._node.destroy_publisher(publisher)


def _imu(instrument, _names):
    message = ImuMessage()
    message.header.frame_id = instrument.frame
    message.orientation_covariance[0] = NOT_MEASURED
    return f'imu/{_topic_part(instrument.frame)}', message, _fill_imu


def _fill_imu(message, value: np.ndarray):
    set_vector(message.angular_velocity, value[:3])
    set_vector(message.linear_acceleration, value[3:])


def _force_torque(instrument, _names):
    message = WrenchStamped()
    message.header.frame_id = instrument.frame
    return f'force_torque/{_topic_part(instrument.frame)}', message, _fill_wrench


def _fill_wrench(message, value: np.ndarray):
    set_vector(message.wrench.force, value[:3])
    set_vector(message.wrench.torque, value[3:])


def _joint_torque(_instrument, names):
    return 'joint_torques', JointState(name=list(names)), _fill_effort


def _fill_effort(message, value: np.ndarray):
    message.effort = value.tolist()


def _motors(_instrument, names):
    return 'motor_states', JointState(name=list(names)), _fill_motors


def _fill_motors(message, value: np.ndarray):
    half = len(value) // 2
    message.position, message.velocity = value[:half].tolist(), value[half:].tolist()


def _topic_part(frame: str) -> str:
    """Return the name of a frame in a form that is valid in a topic name."""
    plain = re.sub(r'\W', '_', frame, flags=re.ASCII)
    return f'_{plain}' if plain[0].isdigit() else plain


_MESSAGES = {
    Imu: _imu,
    ForceTorque: _force_torque,
    JointTorque: _joint_torque,
    MotorEncoders: _motors,
}
