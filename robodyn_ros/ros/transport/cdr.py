# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Serialised messages whose numbers are read and written in place.

The messages of one stream differ only in their numbers: names, sizes and frame stay. Reading or
writing these in place avoids the conversion to and from Python objects. Their offsets are found by
serialising a message of the same layout with marker numbers. So this module does not depend on the
format.
"""

import builtins
import struct
from array import array
from typing import Any, Mapping, cast

import numpy as np
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState

from robodyn_ros.compile import kernel
from robodyn_ros.errors import RobodynError
from robodyn_ros.spatial.types import Indices, Matrix, Octets

STAMP = struct.Struct('=iI')  # seconds, nanoseconds
COUNT = 4  # bytes of the length field of an array
_STAMP_MARK = (0x51A3B5C7, 0x2B3C4D5E)
#: Irregular sequence of both values of a flag, for serialising samples.
_SAMPLES = np.random.default_rng(0).permutation(np.repeat((0, 1), 12))


def _marks(size: int, seed: int = 0) -> array:
    """Return `size` marker numbers as float64, which occur nowhere else in a message."""
    return array('d', np.random.default_rng(seed).uniform(1e100, 1e200, size).tobytes())


def _find(data: bytes, wanted: bytes) -> int:
    """Return the offset of the only occurrence; refuse none or several."""
    if data.count(wanted) != 1:
        raise RobodynError(
            'The middleware does not keep the numbers of a message in one piece; '
            'expected plain CDR.'
        )
    return data.index(wanted)


class OutgoingMessage:
    """A message serialised once, whose numbers are then written directly into its bytes.

    `message` (ROS message): message, complete but for the numbers; it must not change afterwards.
    `doubles` (mapping of str to int): size of each float64[] field.
    `octets` (mapping of str to object): value 1 for each uint8 or bool field, a list of True for
      each bool[] field.
    `doubles` (dict of str to (size,) ndarray): writable view of each float64[] field.
    `octets` (dict of str to (size,) uint8): writable view of each uint8, bool or bool[] field.
    `buffer` (bytearray): the serialised message, always the same object.
    Raises RobodynError: if the middleware serialises in an unexpected format.
    """

    def __init__(self, message, doubles: Mapping[str, int], octets: Mapping[str, Any] = {}):
        self._message = message
        for name, size in doubles.items():
            setattr(message, name, array('d', bytes(8 * size)))
        for name, value in octets.items():
            setattr(message, name, [False] * len(value) if isinstance(value, list) else 0)
        self.buffer = bytearray(serialize_message(message))
        self.doubles = {name: self._doubles(name, size) for name, size in doubles.items()}
        self.octets = {name: self._octets(name, value) for name, value in octets.items()}
        self._stamp: int | None = self._find_stamp() if hasattr(message, 'header') else None

    def set_stamp(self, nanoseconds: int):
        """Write the stamp of the header.

        `nanoseconds`: time [ns].
        """
        offset = cast(int, self._stamp)  # None only for a message without header
        STAMP.pack_into(self.buffer, offset, *divmod(nanoseconds, 1_000_000_000))

    def bytes(self) -> builtins.bytes:
        """Return the serialised message."""
        return bytes(self.buffer)

    def _with(self, name, value) -> builtins.bytes:
        """Return the serialised message with another value in one field."""
        before = getattr(self._message, name)
        setattr(self._message, name, value)
        data = serialize_message(self._message)
        setattr(self._message, name, before)
        return data

    def _doubles(self, name, size):
        marks = _marks(size)
        return np.frombuffer(
            self.buffer, float, size, _find(self._with(name, marks), marks.tobytes())
        )

    def _octets(self, name, value):
        # Padding bytes are undefined, so one sample does not show the bytes of the field. Padding
        # may repeat an earlier message, so zeros and ones alternate irregularly.
        choices = getattr(self._message, name), value
        samples = np.array(
            [np.frombuffer(self._with(name, choices[k]), np.uint8) for k in _SAMPLES]
        )
        where = np.flatnonzero((samples == _SAMPLES[:, None]).all(axis=0))
        size = len(value) if isinstance(value, list) else 1
        if len(where) != size or where[-1] - where[0] != size - 1:
            raise RobodynError(
                f'The middleware does not keep {name} in one piece of {size} '
                'bytes; expected plain CDR.'
            )
        return np.frombuffer(self.buffer, np.uint8, size, where[0])

    def _find_stamp(self):
        stamp = self._message.header.stamp
        stamp.sec, stamp.nanosec = _STAMP_MARK
        where = _find(serialize_message(self._message), STAMP.pack(*_STAMP_MARK))
        stamp.sec = stamp.nanosec = 0
        return where


SPANS = 4  # ranges of bytes that are equal in all messages of one stream


@kernel
def read_numbers(data: Octets, form: Octets, plan: Indices, state: Matrix):
    """Read positions and velocities from a message, if it has a known layout.

    `form`: a message of the known layout.
    `plan`: start and end of each of the SPANS of constant bytes, then the offset of each number.
    `state`: positions and velocities, written.
    Returns whether the message has the layout; else nothing is written.
    """
    if data.shape[0] != form.shape[0]:
        return False
    differences = 0
    for k in range(SPANS):
        for i in range(plan[2 * k], plan[2 * k + 1]):
            differences |= data[i] ^ form[i]
    if differences:
        return False
    octets, n = state.view(np.uint8), state.shape[1]
    for row in range(2):
        for i in range(n):
            offset = plan[2 * SPANS + n * row + i]
            for k in range(8):  # byte by byte: numbers are aligned to 4 bytes only
                octets[row, 8 * i + k] = data[offset + k]
    return True


class JointStateShape:
    """The common layout of the joint states of one stream, learned from one of them.

    Padding bytes belong to it, because a writer leaves earlier contents of its buffer in them.

    `data` ((k,) uint8): a serialised message.
    `message` (JointState): the same message.
    `where` (n,): index of each joint of the robot in the message.
    `form` ((k,) uint8): a copy of the serialised message.
    Raises RobodynError: if its numbers are not at the expected offsets.
    """

    def __init__(self, data: np.ndarray, message: JointState, where: np.ndarray):
        sizes = [len(values) for values in (message.position, message.velocity, message.effort)]
        position, velocity, effort = (_marks(size, seed) for seed, size in enumerate(sizes))
        probe = JointState(name=message.name, position=position, velocity=velocity, effort=effort)
        probe.header.frame_id = message.header.frame_id
        probe.header.stamp.sec, probe.header.stamp.nanosec = _STAMP_MARK
        form = serialize_message(probe)
        first, second = _find(form, position.tobytes()), _find(form, velocity.tobytes())
        self._stamp = _find(form, STAMP.pack(*_STAMP_MARK))
        end = second + 8 * sizes[1]
        spans = [
            (0, self._stamp),
            (self._stamp + STAMP.size, first),
            (first + 8 * sizes[0], second),
            (end, end + COUNT),  # the number of efforts
        ]
        self.form, state = data.copy(), np.empty((2, len(where)))
        self._plan = np.array([*np.ravel(spans), *(first + 8 * where), *(second + 8 * where)])
        self._read = read_numbers.vectorcall
        stamp, (q, qd) = message.header.stamp, (message.position, message.velocity)
        # Zeros are equal in both byte orders, and some writers omit the final padding.
        if (
            bytes(data[:2]) != form[:2]
            or abs(len(form) - len(data)) >= 8
            or end + COUNT > len(data)
            or not self.decode(data, state)
            or self.stamp(data) != (stamp.sec, stamp.nanosec)
            or state.tobytes() != np.array([q, qd])[:, where].tobytes()
        ):
            raise RobodynError('The layout of this joint state differs from that of our own.')

    def decode(self, data: np.ndarray, state: np.ndarray) -> bool:
        """Read positions and velocities of a message with the learned layout.

        `state`: positions and velocities in the robot's order, written.
        Returns whether the message has the learned layout; else nothing is written.
        """
        return self._read(data, self.form, self._plan, state)

    def stamp(self, data: np.ndarray) -> tuple[int, int]:
        """Return the stamp of a message of this layout.

        Returns `seconds` (int): whole seconds [s].
        Returns `nanoseconds` (int): remainder [ns].
        """
        # Python 3.10 has no type for buffers, such as arrays.
        return STAMP.unpack_from(data, self._stamp)  # type: ignore[arg-type]
