"""Targets of the hand: messages in, and what has become of them out."""
from typing import Callable

from geometry_msgs.msg import PoseStamped, TwistStamped, WrenchStamped

from robodyn_ros.control.task_target import TaskTarget

DEPTH = 1   # the newest target counts


def task_subscriptions(node, lead: Callable[[TaskTarget], None]) -> list:
    """Subscribe to ~/target_pose, ~/target_twist and ~/target_wrench.

    header.frame_id says in whose axes a message is; header.stamp is not looked at, since a target
    counts from its receipt.

    Args:
      node: the node that subscribes.
      lead: called with each target.

    """
    def listen(kind, topic, read):
        return node.create_subscription(kind, topic, lambda message: lead(read(message)), DEPTH)
    return [listen(PoseStamped, '~/target_pose', pose_target),
            listen(TwistStamped, '~/target_twist', twist_target),
            listen(WrenchStamped, '~/target_wrench', wrench_target)]


def pose_target(message: PoseStamped) -> TaskTarget:
    """Where the hand shall be."""
    pose = message.pose
    return TaskTarget(message.header.frame_id, position=vector(pose.position),
                      quaternion=(*vector(pose.orientation), pose.orientation.w))


def twist_target(message: TwistStamped) -> TaskTarget:
    """How it shall move."""
    twist = message.twist
    return TaskTarget(message.header.frame_id,
                      twist=(*vector(twist.linear), *vector(twist.angular)))


def wrench_target(message: WrenchStamped) -> TaskTarget:
    """What it shall exert on what it touches."""
    wrench = message.wrench
    return TaskTarget(message.header.frame_id,
                      wrench=(*vector(wrench.force), *vector(wrench.torque)))


def vector(message) -> tuple[float, float, float]:
    """x, y and z of a message."""
    return message.x, message.y, message.z
