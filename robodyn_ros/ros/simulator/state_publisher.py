# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Publish the state of the simulated robot, in messages built once and refilled."""

from itertools import chain
from typing import Any, Callable, Mapping, Sequence

import numpy as np
from geometry_msgs.msg import Transform, Twist, Wrench
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState, MultiDOFJointState

from robodyn_ros.model.joint_types import has_quaternion
from robodyn_ros.model.robot_model import RobotModel
from robodyn_ros.ros.common.joint_messages import bound_array, set_stamp
from robodyn_ros.ros.common.multi_dof_messages import MultiDofJoint, multi_dof_joints, set_vector
from robodyn_ros.simulation.all_joints import AllJoints

STATE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)


def scalar_joints(model: RobotModel) -> list[int]:
    """Return the indices of the velocities that a JointState holds: all but quaternion rates."""
    free = [one.velocities for one in model.multi_dof_joints if has_quaternion(one.joint)]
    others = set(chain.from_iterable(range(model.nv)[where] for where in free))
    return [k for k in range(model.nv) if k not in others]


def state_topics(
    node,
    model: RobotModel,
    values: Mapping[str, Any],
    frame_id: str,
    extra_joints: Callable[[], tuple] | None = None,
    all_joints: Callable[..., tuple] | None = None,
):
    """Return the publisher of the state of a robot.

    `node` (rclpy Node): the node that publishes.
    `frame_id`: frame of the headers.
    `extra_joints`: returns names, positions, velocities and efforts of additional joints in the
      joint states.
    `all_joints`: as `AllJoints.state` of the robot, which is the default.
    """
    joints = multi_dof_joints(model)
    if joints:
        return MixedStates(node, model, joints, values, frame_id, extra_joints)
    if model.is_embedded:
        return AllJointStates(node, model, values, frame_id, extra_joints, all_joints)
    return JointStates(node, model.joint_names, values, frame_id, model.held, extra_joints)


class JointStates:
    """The state as a JointState; locked joints come last, so that TF is complete.

    `node` (rclpy Node): the node that publishes.
    `names` (sequence of str): the n joints of the robot, in its order.
    `values` (mapping of str to object): the node's parameters by name.
    `frame_id`: frame of the header.
    `held` (mapping of str to float): positions of the locked joints by name [rad or m].
    `extra_joints` (callable or None): returns names, positions, velocities and efforts of
      additional joints in the joint states.
    """

    def __init__(
        self,
        node,
        names: Sequence[str],
        values: Mapping[str, Any],
        frame_id: str,
        held: Mapping[str, float],
        extra_joints: Callable[[], tuple] | None = None,
    ):
        self._node = node
        self._publisher = node.create_publisher(
            JointState, values['joint_states_topic'], STATE_QOS
        )
        self._extra_joints = extra_joints
        more = extra_joints()[0] if extra_joints else ()
        self._message = JointState(name=[*names, *more, *held])
        self._message.header.frame_id = frame_id
        fields = ('position', 'velocity', *('effort',) * values['publish_effort'])
        count, end = len(self._message.name), len(names) + len(more)
        whole = [bound_array(self._message, field, count) for field in fields]
        whole[0][end:] = list(held.values())
        self._arrays = [array[: len(names)] for array in whole]
        self._more = [array[len(names) : end] for array in whole]

    @property
    def messages(self) -> tuple[JointState, MultiDOFJointState]:
        """The last published message; the next call of `publish` refills it."""
        return self._message, MultiDOFJointState()

    @property
    def has_subscribers(self) -> bool:
        """Whether the topic has a subscriber."""
        return self._publisher.get_subscription_count() > 0

    def publish(self, nanoseconds: int, *state: np.ndarray):
        """Publish the state."""
        set_stamp(self._message.header.stamp, nanoseconds)
        for array, value in zip(self._arrays, state):
            array[:] = value
        if self._extra_joints:
            for array, value in zip(self._more, self._extra_joints()[1:]):
                array[:] = value
        self._publisher.publish(self._message)

    def close(self):
        """Destroy the publisher."""
        self._node.destroy_publisher(self._publisher)


class AllJointStates(JointStates):
    """The state as a JointState, with dependent joints.

    `node` (rclpy Node): the node that publishes.
    `values` (mapping of str to object): the node's parameters by name.
    `frame_id`: frame of the header.
    `extra_joints` (callable or None): returns names, positions, velocities and efforts of
      additional joints in the joint states.
    `all_joints` (callable or None): as `AllJoints.state` of the robot, which is the default.
    """

    def __init__(
        self,
        node,
        model: RobotModel,
        values: Mapping[str, Any],
        frame_id: str,
        extra_joints: Callable[[], tuple] | None = None,
        all_joints: Callable[..., tuple] | None = None,
    ):
        super().__init__(node, model.all_joint_names, values, frame_id, model.held, extra_joints)
        self._all = all_joints or AllJoints(model).state

    def publish(self, nanoseconds: int, *state: np.ndarray):
        """Publish all joints from the state of the independent ones."""
        super().publish(nanoseconds, *self._all(*state))


class MixedStates:
    """Multi-DOF joints in a MultiDOFJointState, the others in a JointState.

    The JointState is omitted if it would be empty.

    `node` (rclpy Node): the node that publishes.
    `joints` (sequence of MultiDofJoint): its multi-DOF joints.
    `values` (mapping of str to object): the node's parameters by name.
    `frame_id`: frame of the headers.
    `extra_joints` (callable or None): returns names, positions, velocities and efforts of
      additional joints in the joint states.
    """

    def __init__(
        self,
        node,
        model: RobotModel,
        joints: Sequence[MultiDofJoint],
        values: Mapping[str, Any],
        frame_id: str,
        extra_joints: Callable[[], tuple] | None = None,
    ):
        self._node, self._joints = node, joints
        self._all = AllJoints(model) if model.is_embedded else None
        left_out = {*model.joint_names} - {model.joint_names[k] for k in scalar_joints(model)}
        rows = [k for k, name in enumerate(model.all_joint_names) if name not in left_out]
        names = [model.all_joint_names[k] for k in rows]
        self._velocities = rows
        self._positions = [model.all_position_names.index(name) for name in names]
        held = model.held
        self._scalars = (
            JointStates(node, names, values, frame_id, held, extra_joints) if names else None
        )
        self._publisher = node.create_publisher(
            MultiDOFJointState, values['multi_dof_joint_states_topic'], STATE_QOS
        )
        self._message = message = MultiDOFJointState(
            joint_names=[joint.name for joint in joints],
            transforms=[Transform() for _ in joints],
            twist=[Twist() for _ in joints],
        )
        message.header.frame_id = frame_id
        if values['publish_effort']:
            message.wrench = [Wrench() for _ in joints]

    @property
    def messages(self) -> tuple[JointState, MultiDOFJointState]:
        """The last published message; the next call of `publish` refills it."""
        scalars = self._scalars.messages[0] if self._scalars else JointState()
        return scalars, self._message

    @property
    def has_subscribers(self) -> bool:
        """Whether any topic has a subscriber."""
        scalars = self._scalars is not None and self._scalars.has_subscribers
        return scalars or self._publisher.get_subscription_count() > 0

    def publish(
        self, nanoseconds: int, position: np.ndarray, velocity: np.ndarray, effort: np.ndarray
    ):
        """Publish the state.

        `position`: positions [rad or m], and quaternions.
        `velocity`: velocities [rad/s or m/s].
        `effort`: efforts [N m or N].
        """
        message = self._message
        set_stamp(message.header.stamp, nanoseconds)
        for k, joint in enumerate(self._joints):
            translation, rotation = joint.pose(position)
            set_vector(message.transforms[k].translation, translation)
            set_vector(message.transforms[k].rotation, rotation)
            motion = joint.along_axes(position, velocity)
            set_vector(message.twist[k].linear, motion[:3])
            set_vector(message.twist[k].angular, motion[3:])
            if message.wrench:
                action = joint.along_axes(position, effort)
                set_vector(message.wrench[k].force, action[:3])
                set_vector(message.wrench[k].torque, action[3:])
        self._publisher.publish(message)
        if self._scalars:
            if self._all:
                position, velocity, effort = self._all.state(position, velocity, effort)
            self._scalars.publish(
                nanoseconds,
                position[self._positions],
                velocity[self._velocities],
                effort[self._velocities],
            )

    def close(self):
        """Destroy the publishers."""
        self._node.destroy_publisher(self._publisher)
        if self._scalars:
            self._scalars.close()
