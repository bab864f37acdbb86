# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The newest joint positions on a topic, for occasional reads."""

import threading

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.qos import qos_profile_sensor_data
from sensor_msgs.msg import JointState

from robodyn_ros.middleware.fast_dds import leave_shared_memory
from robodyn_ros.ros.common.joint_messages import JointIndex


class JointStateFollower:
    """Follow joint states on a separate node and thread.

    `joint_names` (sequence of str): joints of the robot. Messages that lack one are skipped.
    `topic`: name of the topic.
    """

    def __init__(self, joint_names, topic):
        self._index, self._newest = JointIndex(joint_names), None
        leave_shared_memory()
        self._context = rclpy.Context()
        rclpy.init(context=self._context)
        self._node = rclpy.create_node('robodyn_view', context=self._context)
        self._node.create_subscription(JointState, topic, self._receive, qos_profile_sensor_data)
        self._executor = SingleThreadedExecutor(context=self._context)
        self._executor.add_node(self._node)
        self._thread = threading.Thread(target=self._spin, daemon=True)
        self._thread.start()

    def newest(self):
        """Return positions that have arrived since the last call."""
        found, self._newest = self._newest, None
        return found

    def close(self):
        """Stop the thread and remove the node from the ROS graph."""
        rclpy.shutdown(context=self._context)
        self._thread.join()
        self._executor.shutdown()
        self._node.destroy_node()

    def _spin(self):
        try:
            self._executor.spin()
        except ExternalShutdownException:
            pass

    def _receive(self, message):
        where, _ = self._index.locate(message.name)
        if where is None or len(message.position) != len(message.name):
            return
        positions = np.array(message.position).take(where)
        if np.isfinite(positions).all():
            self._newest = positions
