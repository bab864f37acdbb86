# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Targets of the end effector: topics in, and messages to TaskTargets."""

from typing import Callable

from geometry_msgs.msg import AccelStamped, PoseStamped, TwistStamped, WrenchStamped

from robodyn_ros.control.reference.task_target import TaskTarget
from robodyn_ros.ros.controller.reference_messages import delay
from robodyn_ros.ros.transport.bounded_subscription import SMALL, BoundedSubscription, decoding

DEPTH = 100  # targets may be sent ahead, many at once


def task_subscriptions(
    node, lead: Callable[[Callable[[int], TaskTarget]], None], refuse: Callable[[str], None]
) -> list:
    """Subscribe to ~/target_pose, ~/target_twist, ~/target_acceleration and ~/target_wrench.

    header.frame_id is the frame of a message, and header.stamp the time at which its pose,
    velocity or wrench holds. A stamp of zero means on receipt.

    Args:
      node: the node that subscribes.
      lead: called with what makes a TaskTarget of each message, given the ROS time [ns].
      refuse: called with a sentence about a message that is too large or cannot be read.

    """

    def listen(kind, topic, parts):
        def deliver(message):
            lead(
                lambda ros_now: TaskTarget(
                    message.header.frame_id,
                    **parts(message),
                    delay=delay(message.header.stamp.sec, message.header.stamp.nanosec, ros_now),
                )
            )

        return BoundedSubscription(
            node, kind, topic, decoding(kind, deliver, refuse), DEPTH, SMALL, refuse
        )

    return [
        listen(PoseStamped, '~/target_pose', pose_parts),
        listen(
            TwistStamped,
            '~/target_twist',
            lambda message: {'twist': pair(message.twist.linear, message.twist.angular)},
        ),
        listen(
            AccelStamped,
            '~/target_acceleration',
            lambda message: {'acceleration': pair(message.accel.linear, message.accel.angular)},
        ),
        listen(
            WrenchStamped,
            '~/target_wrench',
            lambda message: {'wrench': pair(message.wrench.force, message.wrench.torque)},
        ),
    ]


def pose_parts(message: PoseStamped) -> dict[str, tuple[float, ...]]:
    """Return the position and quaternion of a pose."""
    position, turn = message.pose.position, message.pose.orientation
    return {
        'position': (position.x, position.y, position.z),
        'quaternion': (turn.x, turn.y, turn.z, turn.w),
    }


def pair(linear, angular) -> tuple[float, ...]:
    """Six numbers of two vectors."""
    return linear.x, linear.y, linear.z, angular.x, angular.y, angular.z
