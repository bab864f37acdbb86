# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convert messages to arrays by joint name, and write arrays into preallocated messages.

Sizes are checked before any loop over received data. A message is accepted or refused as a whole;
a refusal has a reason. The supervisor judges the values: finite numbers, limits and jumps.
"""

import contextlib
from array import array
from typing import Callable, Sequence

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros.errors import RobodynError, shorten
from robodyn_ros.middleware.joint_state_cdr import PLAIN_CDR, lengths_fit
from robodyn_ros.middleware.trajectory_cdr import MAX_NAMES
from robodyn_ros.ros.transport.cdr import JointStateShape, OutgoingMessage, read_numbers

MAX_BYTES = 200 * MAX_NAMES
MAX_LAYOUTS = 100  # that a reader learns; later ones are decoded, since learning is slow

# Reasons for refusing a message.
EMPTY, TOO_MANY_NAMES, WRONG_LENGTH = 'EMPTY', 'TOO_MANY_NAMES', 'WRONG_LENGTH'
DUPLICATE_JOINT, MISSING_JOINT, UNKNOWN_JOINT = 'DUPLICATE_JOINT', 'MISSING_JOINT', 'UNKNOWN_JOINT'
EMPTY_VELOCITY, TOO_LARGE, UNREADABLE = 'EMPTY_VELOCITY', 'TOO_LARGE', 'UNREADABLE'


class JointIndex:
    """Find a robot's joints in the name list of a message, in any order.

    `joint_names` (sequence of str): the robot's joints, in its order.
    `extra`: whether the list may hold further joints, which are then ignored.
    """

    def __init__(self, joint_names: Sequence[str], extra: bool = True):
        self.joint_names = tuple(joint_names)
        self._extra = extra
        self._names: list[str] = []
        self._known: dict[tuple[str, ...], tuple[np.ndarray | None, str]] = {}
        self._current: tuple[np.ndarray | None, str] = (None, EMPTY)

    def locate(self, names: list[str]) -> tuple[np.ndarray | None, str]:
        """Find every joint of the robot in a list of names.

        A list equal to the last one costs a single comparison. When two publishers alternate, a
        list costs one look-up. A new list costs O(n).

        `names`: names of a message.
        Returns `where` ((n,) ndarray or None): index of each joint in the list; None if the list
          is refused.
        Returns `reason` (str): why the list is refused; '' if it is accepted.
        """
        if names == self._names:
            return self._current
        if not names:
            return None, EMPTY
        if len(names) > MAX_NAMES:
            return None, TOO_MANY_NAMES
        key = tuple(names)
        if key not in self._known:
            if len(self._known) >= 8:
                self._known.clear()
            self._known[key] = self._search(key)
        self._names, self._current = list(names), self._known[key]
        return self._current

    def missing(self, names: Sequence[str]) -> list[str]:
        """Return the joints of the robot that a list lacks.

        `names`: names of a message.
        """
        return [name for name in self.joint_names if name not in set(names[:MAX_NAMES])]

    def _search(self, names):
        place = {name: k for k, name in enumerate(names)}
        if len(place) != len(names):
            return None, DUPLICATE_JOINT
        if any(name not in place for name in self.joint_names):
            return None, MISSING_JOINT
        if not self._extra and len(names) != len(self.joint_names):
            return None, UNKNOWN_JOINT
        return np.array([place[name] for name in self.joint_names], dtype=np.intp), ''


class JointStateReader:
    """Decode positions and velocities of serialised JointStates in the robot's order.

    `joint_names` (sequence of str): the n joints of the robot, in its order.
    `state` (2, n): positions [rad or m] and velocities [rad/s or m/s] of the last
      accepted message; a new array for each message.
    `stamp` (tuple of int): seconds and nanoseconds in the header of the last accepted message.
    `detail`: explanation of the last refusal.
    """

    def __init__(self, joint_names: Sequence[str]):
        self.state = np.zeros((2, len(joint_names)))
        self.stamp, self.detail = (0, 0), ''
        self._index = JointIndex(joint_names)
        self._shapes: list[JointStateShape] = []  # the newest first
        self._layouts_left = MAX_LAYOUTS
        read_numbers.vectorcall  # noqa: B018  created now, as it would delay the first message

    def decode(self, data: np.ndarray) -> str:
        """Decode a message; a refused one changes neither `state` nor `stamp`.

        It is fast while the layout is that of an earlier message.

        `data`: the message in CDR.
        Returns '', or the reason of the refusal.
        """
        state = np.empty_like(self.state)
        for shape in self._shapes:
            if shape.decode(data, state):
                self.state, self.stamp = state, shape.stamp(data)
                return ''
        return self._read_in_full(data)

    def rehearse(self):
        """Decode a message of a known layout without effect, to warm the caches."""
        if self._shapes:
            shape = self._shapes[0]
            shape.decode(shape.form, np.empty_like(self.state))
            shape.stamp(shape.form)

    def _read_in_full(self, data: np.ndarray) -> str:
        """Decode a message of an unknown layout by the middleware."""
        if len(data) > MAX_BYTES:
            self.detail = f'{len(data)} bytes'
            return TOO_LARGE
        encapsulation = bytes(data[:2])
        if encapsulation not in PLAIN_CDR:
            self.detail = f'encapsulation {encapsulation.hex() or "missing"} is not plain CDR'
            return UNREADABLE
        if not lengths_fit(data):
            self.detail = f'its lengths claim more than its {len(data)} bytes'
            return UNREADABLE
        try:
            message = deserialize_message(bytes(data), JointState)
        except Exception as error:  # an error of the middleware, or a name that is not UTF-8
            self.detail = shorten(error)
            return UNREADABLE
        where, reason = self._judge(message)
        if where is None:
            self.detail = (
                f'it lacks {shorten(self._index.missing(message.name))}'
                if reason == MISSING_JOINT
                else f'{len(message.name)} names, {len(message.position)} positions, '
                f'{len(message.velocity)} velocities'
            )
            return reason
        self.state = np.array([message.position, message.velocity]).take(where, axis=1)
        self.stamp = message.header.stamp.sec, message.header.stamp.nanosec
        self._learn(data, message, where)
        return ''

    def _judge(self, message: JointState) -> tuple[np.ndarray | None, str]:
        size = len(message.name)
        if size > MAX_NAMES:
            return None, TOO_MANY_NAMES
        if len(message.position) != size or len(message.velocity) not in (0, size):
            return None, WRONG_LENGTH
        where, reason = self._index.locate(message.name)
        if where is not None and not message.velocity:
            return None, EMPTY_VELOCITY
        return where, reason

    def _learn(self, data: np.ndarray, message: JointState, where: np.ndarray):
        """Keep the layouts of the last four different writers or buffers."""
        if self._layouts_left > 0:
            self._layouts_left -= 1
            # A layout that cannot be learned is decoded by the middleware each time.
            with contextlib.suppress(RobodynError):
                self._shapes = [JointStateShape(data, message, where), *self._shapes[:3]]


def bound_array(message, field: str, size: int) -> np.ndarray:
    """Return a view of the buffer of a float64[] field: writing to it fills the message.

    The field's setter copies, or keeps a reference if ROS_PYTHON_CHECK_FIELDS is '1'. The getter
    returns the message's own buffer in both cases.

    `message` (ROS message): message whose field is resized.
    `field`: name of the field.
    `size`: number of entries.
    """
    setattr(message, field, array('d', bytes(8 * size)))
    return np.frombuffer(getattr(message, field))


def set_stamp(stamp: Time, nanoseconds: int):
    """Fill a stamp from a clock reading.

    `stamp`: message to fill.
    `nanoseconds`: time [ns].
    """
    stamp.sec, stamp.nanosec = divmod(nanoseconds, 1_000_000_000)


class EffortArray:
    """Float64MultiArray in the robot's joint order, as a ForwardCommandController reads it.

    It carries neither names nor a stamp.

    `joint_names` (sequence of str): the n joints of the robot, in its order.
    `message` (OutgoingMessage): the message that `fill` writes.
    """

    type = Float64MultiArray

    def __init__(self, joint_names: Sequence[str]):
        self.message = OutgoingMessage(Float64MultiArray(), {'data': len(joint_names)})
        self._effort = self.message.doubles['data']

    def fill(self, effort: np.ndarray, _stamp: Callable[[], int]):
        """Write efforts into the message.

        `effort`: joint efforts [N m or N].
        `_stamp`: unused, as the message has no stamp.
        """
        self._effort[:] = effort


class EffortJointState:
    """JointState with names and efforts; position and velocity stay empty, which means no command.

    joint_state_topic_hardware_interface/JointStateTopicSystem expects this form.

    `joint_names` (sequence of str): the n joints of the robot, in its order.
    `message` (OutgoingMessage): the message that `fill` writes.
    """

    type = JointState

    def __init__(self, joint_names: Sequence[str]):
        names = list(joint_names)
        self.message = OutgoingMessage(JointState(name=names), {'effort': len(names)})
        self._effort = self.message.doubles['effort']

    def fill(self, effort: np.ndarray, stamp: Callable[[], int]):
        """Write efforts and a stamp into the message.

        `effort`: joint efforts [N m or N].
        `stamp`: returns the ROS time [ns].
        """
        self._effort[:] = effort
        self.message.set_stamp(stamp())


EFFORT_WRITERS: dict[str, type[EffortArray] | type[EffortJointState]] = {
    'float64_multi_array': EffortArray,
    'joint_state': EffortJointState,
}
