# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read serialised JointTrajectory messages by compiled code that releases the GIL.

rclpy holds the GIL while it makes a Python object of every point, which blocks the control loop.
This module walks the layout, little-endian CDR (XCDR 1). It checks every length against the
remaining bytes before it allocates memory.
"""

import struct
from typing import NamedTuple

import numpy as np

from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.errors import ShapeError
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Indices, Integer, Matrix, Octets, Stack, Vector

MAX_BYTES = 2_000_000  # of one trajectory: 10 s of seven joints at 1 kHz, with all three fields
MAX_NAME_BYTES = 100_000
MAX_NAMES = 1000  # in one message; no robot has more joints
MAX_POINTS = 40_000  # of one trajectory

LITTLE_ENDIAN_CDR = b'\0\1'
ENCAPSULATION = 4  # octets before the body; alignment counts from its end
POINT_OCTETS = 24  # of the shortest point: four counts and a time
CUT_OFF, FIELDS = -1, 4

_HEADER = struct.Struct('<iII')
_COUNT = struct.Struct('<I')


class TrajectoryBytes(NamedTuple):
    """The contents of a message before its points.

    `stamp`: seconds and nanoseconds.
    `joint_names`: names in the message.
    `points`: number of points that the message claims.
    `start`: octet at which the points begin.
    """

    stamp: tuple[int, int]  # seconds, nanoseconds
    joint_names: list[str]
    points: int  # number of points that it claims
    start: int  # octet at which the points begin


def read_head(data: np.ndarray) -> TrajectoryBytes:
    """Read everything before the points of a serialised JointTrajectory.

    Returns stamp, names, and number and place of the points.
    Raises ShapeError: if the message is too large, is not plain CDR, or is shorter than it claims.
    """
    if len(data) > MAX_BYTES:
        raise ShapeError(f'The trajectory has {len(data)} bytes; expected at most {MAX_BYTES}.')
    if bytes(data[:2]) != LITTLE_ENDIAN_CDR:
        raise ShapeError(
            f'The trajectory begins with {bytes(data[:2]).hex() or "nothing"}; '
            'expected 0001, plain little-endian CDR.'
        )
    try:
        return _read_head(data)
    except (struct.error, UnicodeDecodeError):
        raise ShapeError(
            'The trajectory ends before its names do, or one of them is not UTF-8; '
            'expected a serialised JointTrajectory.'
        ) from None


def _read_head(data):
    seconds, nanoseconds, length = _HEADER.unpack_from(data, ENCAPSULATION)
    where = _aligned(ENCAPSULATION + _HEADER.size + length)
    (count,) = _COUNT.unpack_from(data, where)
    if count > MAX_NAMES:
        raise ShapeError(f'The trajectory has {count} joint names; expected at most {MAX_NAMES}.')
    names, where, end = [], where + _COUNT.size, where + MAX_NAME_BYTES
    for _ in range(count):
        (length,) = _COUNT.unpack_from(data, where)
        begin, where = where + _COUNT.size, where + _COUNT.size + length
        if where > min(len(data), end):
            raise ShapeError(
                f'The joint names claim more than the {len(data)} bytes of the '
                f'trajectory, or more than {MAX_NAME_BYTES}.'
            )
        names.append(bytes(data[begin:where]).rstrip(b'\0').decode())
        where = _aligned(where)
    (points,) = _COUNT.unpack_from(data, where)
    return TrajectoryBytes((seconds, nanoseconds), names, points, where + _COUNT.size)


def _aligned(where: int) -> int:
    return where + -(where - ENCAPSULATION) % 4


def read_points(data: np.ndarray, head: TrajectoryBytes, where: np.ndarray):
    """Read the points of a serialised JointTrajectory in the robot's joint order.

    `head`: result of `read_head`.
    `where`: index of each joint of the robot in the message; -1 if it is missing.
    Returns `times` (p,): time from the start [s].
    Returns `rows` (4, p, n): positions, velocities, accelerations [rad or m and their
      rates] and efforts [N m or N]. Zeros stand in a field with a wrong number of entries, and for
      a joint that is missing.
    Returns `sizes` ((4, p) ndarray of int): number of entries of each field.
    Raises ShapeError: if there are too many points, none, or fewer than the message claims.
    """
    count = head.points
    if not 1 <= count <= MAX_POINTS:
        raise ShapeError(
            f'The trajectory has {count or "no"} points; expected from 1 to {MAX_POINTS}.'
        )
    if count * POINT_OCTETS > len(data) - head.start:
        raise ShapeError(
            f'The trajectory claims {count} points in {len(data)} bytes; expected '
            f'at least {POINT_OCTETS} bytes for each.'
        )
    times, sizes = np.empty(count), np.empty((FIELDS, count))
    rows = np.zeros((FIELDS, count, len(where)))
    if (
        points(data, head.start, where.astype(np.int64), len(head.joint_names), times, rows, sizes)
        == CUT_OFF
    ):
        raise ShapeError(f'The trajectory ends before its {count} points do.')
    return times, rows, sizes


@primitive
def read_unsigned(data, where):
    """Read four octets, the lowest first.

    `data` (k,): the message.
    `where`: index of the first octet.
    """
    return (
        np.int64(data[where])
        | np.int64(data[where + 1]) << 8
        | np.int64(data[where + 2]) << 16
        | np.int64(data[where + 3]) << 24
    )


def _points(
    data: Octets,
    start: Integer,
    where: Indices,
    joints: Integer,
    times: Vector,
    rows: Stack,
    sizes: Matrix,
):
    """Read every point; return where the message ends, or CUT_OFF if it ends before them.

    `joints`: number of names in the message.
    """
    octets, n, at, last = rows.view(np.uint8), rows.shape[2], start, data.shape[0]
    for k in range(times.shape[0]):
        for field in range(FIELDS):
            at += -(at - ENCAPSULATION) % 4
            if at + 4 > last:
                return CUT_OFF
            size = read_unsigned(data, at)
            at += 4
            sizes[field, k] = size
            if size == 0:
                continue
            at += -(at - ENCAPSULATION) % 8
            if size > (last - at) // 8:
                return CUT_OFF
            if size == joints:
                for i in range(n):
                    if where[i] >= 0:
                        place = at + 8 * where[i]
                        for octet in range(8):
                            octets[field, k, 8 * i + octet] = data[place + octet]
            at += 8 * size
        at += -(at - ENCAPSULATION) % 4
        if at + 8 > last:
            return CUT_OFF
        seconds = read_unsigned(data, at)
        if seconds >= 1 << 31:
            seconds -= 1 << 32
        times[k] = seconds + 1e-9 * read_unsigned(data, at + 4)
        at += 8
    return at


points = Kernel(_points, 'middleware.trajectory_cdr.points', nogil=True, fastmath=False)
KERNELS = (points,)
