# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node that holds an arm at a posture, by gravity compensation and springs."""

import numpy as np
import rclpy
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros import Robot


class Holder(Node):
    """Answers every joint state with efforts."""

    def __init__(self, urdf, posture, **options):
        super().__init__('holder', **options)
        self.robot, self.posture = Robot.from_urdf(urdf), np.array(posture)
        self.create_subscription(JointState, 'joint_states', self.hold, 10)
        self.efforts = self.create_publisher(Float64MultiArray, 'efforts', 10)

    def hold(self, state):
        """Publish the efforts for a joint state."""
        q, qd = np.array(state.position), np.array(state.velocity)
        acceleration = 100.0 * (self.posture - q) - 20.0 * qd
        effort = self.robot.inverse_dynamics(q, qd, acceleration)
        self.efforts.publish(Float64MultiArray(data=effort.tolist()))


def main():
    """Run the node with the path of a URDF and a posture as parameters."""
    rclpy.init()
    given = rclpy.create_node('holder_parameters')
    urdf = given.declare_parameter('urdf_path', '').value
    posture = given.declare_parameter('posture', [0.0, 0.0]).value
    given.destroy_node()
    rclpy.spin(Holder(urdf, posture))
