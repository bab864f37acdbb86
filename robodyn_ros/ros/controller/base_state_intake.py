# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Receive the state of a moving base, for laws that need it."""

import importlib
from typing import Any, Mapping

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy

from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.control.twist_differences import TwistDifferences
from robodyn_ros.errors import ParameterError, RobodynError, UnknownNameError, shorten
from robodyn_ros.model.rotation_matrix import from_quaternion
from robodyn_ros.ros.common.parameter_table import ParamSpec, topic_name
from robodyn_ros.ros.transport.bounded_subscription import BoundedSubscription, decoder_for
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP

ODOMETRY, MULTI_DOF = 'odometry', 'multi_dof_joint_state'
TYPES = {ODOMETRY: ('nav_msgs', 'Odometry'), MULTI_DOF: ('sensor_msgs', 'MultiDOFJointState')}
BASE_STATE_PARAMETERS = (
    ParamSpec(
        'base_state.topic',
        'string',
        'robot_multi_dof_joint_states',
        '',
        'Topic of the state of a base that moves, for laws that need it.',
        judge=topic_name,
    ),
    ParamSpec(
        'base_state.type',
        'string',
        MULTI_DOF,
        '',
        'Message of the state of the base: sensor_msgs/MultiDOFJointState, or nav_msgs/Odometry, '
        'whose frame is that of `gravity`.',
        choices=(MULTI_DOF, ODOMETRY),
    ),
    ParamSpec(
        'base_state.joint',
        'string',
        'free_base',
        '',
        'Name of the joint of the base in a MultiDOFJointState.',
    ),
    ParamSpec(
        'base_state.acceleration_filter',
        'float',
        0.0,
        's',
        'Time constant of the acceleration of a moved base, from differences of its twists by '
        'their stamps. 0: the acceleration counts as zero.',
        lower=0.0,
        upper=10.0,
    ),
)
MOST_OCTETS = 65536  # of a message
#: Any publisher is compatible, and only the newest state is used.
QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


def from_odometry(message, _name: str = '') -> tuple[np.ndarray, np.ndarray]:
    """Return the state of the base in an Odometry, whose twist is in the axes of the base.

    `_name`: unused, as the message has one body.
    Returns `pose` (7,): position [m] and quaternion x y z w.
    Returns `twist` (6,): linear velocity in the axes of the world [m/s], angular
      velocity in those of the base [rad/s].
    """
    pose, twist = message.pose.pose, message.twist.twist
    position, linear, angular = map(_vector, (pose.position, twist.linear, twist.angular))
    quaternion = _quaternion(pose.orientation)
    return np.concatenate((position, quaternion)), np.concatenate(
        (_rotation(quaternion) @ linear, angular)
    )


def from_multi_dof(message, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the state of a floating joint, whose twist is in the axes of the world.

    `name`: name of the joint.
    Returns `pose` (7,): position [m] and quaternion x y z w.
    Returns `twist` (6,): linear velocity in the axes of the world [m/s], angular
      velocity in those of the base [rad/s].
    Raises UnknownNameError: if the message lacks the joint.
    Raises ParameterError: if the joint has no transform or no twist.
    """
    if name not in message.joint_names:
        found = ', '.join(map(shorten, message.joint_names[:8])) or 'none'
        raise UnknownNameError(f'got the joints {found}; expected {name!r}')
    k = message.joint_names.index(name)
    if not k < min(len(message.transforms), len(message.twist)):
        raise ParameterError(f'joint {name!r} has no transform or no twist; expected both')
    pose, twist = message.transforms[k], message.twist[k]
    position, linear, angular = map(_vector, (pose.translation, twist.linear, twist.angular))
    quaternion = _quaternion(pose.rotation)
    return np.concatenate((position, quaternion)), np.concatenate(
        (linear, _rotation(quaternion).T @ angular)
    )


READERS = {ODOMETRY: from_odometry, MULTI_DOF: from_multi_dof}


class BaseStateIntake:
    """Receive the state of the base, and pass it to a law.

    `node` (ManagedNode): the node that subscribes.
    `law` (ControlLaw): a law whose `floats` is true.
    `values` (mapping of str to object): the node's parameters by name.
    `accepted`, `rejected`: numbers of messages.
    `detail`: explanation of the last rejection.
    Raises ParameterError: in lock step, whose states have no base, or if the package of the
      message is missing.
    """

    def __init__(self, node, law: ControlLaw, values: Mapping[str, Any]):
        if values['trigger'] == LOCK_STEP:
            raise ParameterError(
                f"Law '{law.name}' needs the state of the base, which lock step does not have; "
                'expected another trigger.'
            )
        kind = values['base_state.type']
        package, name = TYPES[kind]
        try:
            message = getattr(importlib.import_module(f'{package}.msg'), name)
        except ModuleNotFoundError:
            raise ParameterError(
                f"Parameter 'base_state.type' is {kind!r}, but {package} is not installed."
            ) from None
        self.accepted = self.rejected = 0
        self.detail = ''
        self._node, self._law, self._joint = node, law, values['base_state.joint']
        self._read = READERS[kind]
        smoothing = values['base_state.acceleration_filter']
        self._differences = TwistDifferences(smoothing) if smoothing > 0.0 else None
        self._subscription = BoundedSubscription(
            node,
            message,
            values['base_state.topic'],
            decoder_for(message, self.receive, self._refuse),
            QOS,
            MOST_OCTETS,
            self._refuse,
        )

    @property
    def missing(self) -> str:
        """'', or a sentence if no state of the base has arrived yet."""
        if self._law.base_known:
            return ''
        return (
            f"No state of the base has come on '{self._subscription.topic}'. {self.detail}"
        ).rstrip()

    def receive(self, message):
        """Pass a state to the law, or count its rejection.

        `message` (Odometry or MultiDOFJointState): the state of the base.
        """
        try:
            self._accept(message)
        except RobodynError as error:
            self._refuse(f'{error}.')
        else:
            self.accepted += 1

    def _accept(self, message):
        pose, twist = self._read(message, self._joint)
        if self._differences is None:
            self._law.set_base(pose, twist)
            return
        stamp = message.header.stamp
        time = stamp.sec + 1e-9 * stamp.nanosec
        acceleration = self._differences.acceleration(time, twist)
        self._law.set_base(pose, twist, acceleration)
        self._differences.accept_twist(time, twist, acceleration)

    def close(self):
        """Stop receiving."""
        self._subscription.close()

    def _refuse(self, sentence: str):
        self.rejected += 1
        self.detail = f'The last one is refused: {sentence}'
        self._node.get_logger().warning(
            f'A state of the base is refused: {sentence}', throttle_duration_sec=5.0
        )


def _vector(vector):
    return np.array((vector.x, vector.y, vector.z))


def _quaternion(rotation):
    """Normalise a quaternion of about length 1; the law refuses any other."""
    quaternion = np.array((rotation.x, rotation.y, rotation.z, rotation.w))
    length = np.linalg.norm(quaternion)
    return quaternion / length if abs(length - 1.0) < 1e-3 else quaternion


def _rotation(quaternion):
    """Return the rotation matrix of a quaternion, which the law may still refuse."""
    return from_quaternion(*quaternion)
