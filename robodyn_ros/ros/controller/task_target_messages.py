# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subscribe to targets of the end effector, and convert them to TaskTargets."""

from typing import Callable

from geometry_msgs.msg import AccelStamped, PoseStamped, TwistStamped, WrenchStamped

from robodyn_ros.control.reference.task_target import TaskTarget
from robodyn_ros.ros.controller.reference_messages import time_until
from robodyn_ros.ros.transport.bounded_subscription import SMALL, BoundedSubscription, decoder_for

DEPTH = 100  # several targets may be sent ahead at once


def task_subscriptions(
    node, accept: Callable[[Callable[[int], TaskTarget]], None], refuse: Callable[[str], None]
) -> list:
    """Subscribe to ~/target_pose, ~/target_twist, ~/target_acceleration and ~/target_wrench.

    header.frame_id is the frame of a message. header.stamp is the time of its pose, velocity or
    wrench; a stamp of zero means the time of receipt.

    `node` (ManagedNode): the node that subscribes.
    `accept`: called for each message with a function, which takes the ROS time [ns] and returns
      the TaskTarget.
    `refuse`: called with a sentence about a message that is too large or cannot be read.
    Returns the subscriptions.
    """

    def listen(kind, topic, parts):
        def deliver(message):
            accept(
                lambda ros_now: TaskTarget(
                    message.header.frame_id,
                    **parts(message),
                    delay=time_until(
                        message.header.stamp.sec, message.header.stamp.nanosec, ros_now
                    ),
                )
            )

        return BoundedSubscription(
            node, kind, topic, decoder_for(kind, deliver, refuse), DEPTH, SMALL, refuse
        )

    return [
        listen(PoseStamped, '~/target_pose', pose_parts),
        listen(
            TwistStamped,
            '~/target_twist',
            lambda message: {'twist': spatial_vector(message.twist.linear, message.twist.angular)},
        ),
        listen(
            AccelStamped,
            '~/target_acceleration',
            lambda message: {
                'acceleration': spatial_vector(message.accel.linear, message.accel.angular)
            },
        ),
        listen(
            WrenchStamped,
            '~/target_wrench',
            lambda message: {
                'wrench': spatial_vector(message.wrench.force, message.wrench.torque)
            },
        ),
    ]


def pose_parts(message: PoseStamped) -> dict[str, tuple[float, ...]]:
    """Return position [m] and quaternion x y z w of a pose, by these names.

    `message`: the pose.
    """
    position, quaternion = message.pose.position, message.pose.orientation
    return {
        'position': (position.x, position.y, position.z),
        'quaternion': (quaternion.x, quaternion.y, quaternion.z, quaternion.w),
    }


def spatial_vector(linear, angular) -> tuple[float, ...]:
    """Return the six numbers of two vectors.

    `linear` (Vector3): first vector.
    `angular` (Vector3): second vector.
    """
    return linear.x, linear.y, linear.z, angular.x, angular.y, angular.z
