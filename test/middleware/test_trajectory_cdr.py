# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories read from their bytes: as rclpy reads them, or refused with a sentence."""

import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from builtin_interfaces.msg import Duration  # noqa: E402
from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as some
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros.errors import RobodynError, ShapeError, UnknownNameError  # noqa: E402
from robodyn_ros.middleware import trajectory_cdr  # noqa: E402
from robodyn_ros.middleware.trajectory_cdr import (
    MAX_BYTES,
    MAX_POINTS,
    points,
    read_head,
    read_points,
)
from robodyn_ros.ros.controller.reference_messages import TrajectoryReader  # noqa: E402

NAMES = ('joint1', 'joint2', 'j3')


def octets(message):
    return np.frombuffer(serialize_message(message), np.uint8)


def point(time, *fields):
    message = JointTrajectoryPoint(
        time_from_start=Duration(sec=int(time // 1), nanosec=round(time % 1 * 1e9))
    )
    for name, values in zip(('positions', 'velocities', 'accelerations', 'effort'), fields):
        setattr(message, name, list(values))
    return message


def trajectory(*messages, names=NAMES, frame='base'):
    made = JointTrajectory(joint_names=list(names), points=list(messages))
    made.header.frame_id = frame
    made.header.stamp.sec, made.header.stamp.nanosec = 12, 34
    return made


numbers = some.floats(allow_nan=True, width=64)
rows = some.lists(numbers, max_size=5)
messages = some.builds(
    trajectory,
    *[some.builds(point, some.floats(-3.0, 1e6), rows, rows, rows, rows)] * 3,
    names=some.lists(some.text(alphabet='abü_3', max_size=7), max_size=4),
    frame=some.text(alphabet='wé', max_size=6),
)


@settings(max_examples=300)
@given(messages)
def test_row_19_every_message_is_read_as_the_middleware_reads_it(message):
    data = octets(message)
    expected = deserialize_message(data.tobytes(), JointTrajectory)
    head = read_head(data)
    assert head.joint_names == expected.joint_names and head.points == len(expected.points)
    assert head.stamp == (12, 34)
    where = np.arange(len(head.joint_names))
    times, read, sizes = read_points(data, head, where)
    for k, one in enumerate(expected.points):
        wanted = one.time_from_start
        assert times[k] == wanted.sec + 1e-9 * wanted.nanosec
        fields = one.positions, one.velocities, one.accelerations, one.effort
        for field, values in enumerate(fields):
            assert sizes[field, k] == len(values)
            if len(values) == len(where):
                assert np.array_equal(read[field, k], values, equal_nan=True)


@settings(max_examples=500)
@given(some.data())
def test_row_80_bytes_that_are_changed_or_cut_off_are_read_or_refused(data):
    whole = octets(trajectory(point(0.5, [1.0] * 3, [2.0] * 3), point(1.0, [3.0] * 3, [0.0] * 3)))
    spoilt = whole.copy()
    for where in data.draw(some.lists(some.integers(0, len(whole) - 1), max_size=4)):
        spoilt[where] = data.draw(some.integers(0, 255))
    spoilt = spoilt[: data.draw(some.integers(0, len(spoilt)))]
    try:
        head = read_head(spoilt)
        times, read, sizes = read_points(spoilt, head, np.arange(3))
    except RobodynError as error:
        assert str(error)
    else:
        assert len(times) == head.points == read.shape[1] == sizes.shape[1]


@pytest.mark.parametrize('claimed', [6, 1000, MAX_POINTS, MAX_POINTS + 1, 8_000_000, 2**32 - 1])
def test_row_9_a_lying_number_of_points_allocates_nothing(claimed, monkeypatch):
    """The size of the message is the bound on what it may claim."""
    data = octets(trajectory(point(0.5, [1.0] * 3), point(1.0, [3.0] * 3))).copy()
    head = read_head(data)
    data[head.start - 4 : head.start] = np.frombuffer(np.uint32(claimed).tobytes(), np.uint8)
    if claimed > 6:
        monkeypatch.setattr(trajectory_cdr.np, 'empty', None)  # nothing may be made
    with pytest.raises(ShapeError, match='points'):
        read_points(data, read_head(data), np.arange(3))


def test_row_9_what_is_too_large_is_refused_by_its_size_alone():
    with pytest.raises(ShapeError, match=f'{MAX_BYTES + 1} bytes'):
        read_head(np.zeros(MAX_BYTES + 1, np.uint8))


@pytest.mark.parametrize('names', [NAMES, NAMES[::-1], ('j3', 'joint1', 'joint2')])
def test_joints_come_in_any_order(names):
    order = [NAMES.index(name) for name in names]
    message = trajectory(point(1.0, np.array([0.1, 0.2, 0.3])[order]), names=names)
    read = TrajectoryReader(NAMES).read_bytes(octets(message), 12_000_000_034)
    assert np.array_equal(read.positions, [[0.1, 0.2, 0.3]]) and read.delay == 0.0


def test_each_point_has_the_fields_that_it_has():
    """As joint_trajectory_controller reads them: all but the positions may be empty in any."""
    first = point(1.0, [0.1] * 3, [], [], [4.0, 5.0, 6.0])
    second = point(2.0, [0.2] * 3, [0.0] * 3)
    read = TrajectoryReader(NAMES).read_bytes(octets(trajectory(first, second)), 12_000_000_034)
    assert read.refusal(NAMES) == '' and list(read.degrees) == [1, 3]
    np.testing.assert_array_equal(read.efforts, [[4.0, 5.0, 6.0], [0.0] * 3])
    assert read.accelerations is None and not read.velocities.any()
    for field in ('positions', 'velocities', 'accelerations', 'effort'):
        short = point(2.0, [0.2] * 3)
        setattr(short, field, [1.0, 2.0])
        with pytest.raises(ShapeError, match=f'Point 1 has 2 {field}; expected 3'):
            TrajectoryReader(NAMES).read_bytes(octets(trajectory(first, short)), 0)


def test_joints_that_are_missing_hold_if_the_reader_is_told_so():
    message = trajectory(point(1.0, [0.3, 0.1], [3.0, 1.0]), names=('j3', 'joint1'))
    reader = TrajectoryReader(NAMES)
    read = reader.read_bytes(octets(message), 12_000_000_034, partial=True)
    assert list(read.moved) == [True, False, True]
    np.testing.assert_array_equal(read.positions, [[0.1, 0.0, 0.3]])
    np.testing.assert_array_equal(read.velocities, [[1.0, 0.0, 3.0]])
    with pytest.raises(UnknownNameError, match='allow_partial_joints_goal'):
        reader.read_bytes(octets(message), 0)
    for names in ((), ('j3', 'j3'), ('j3', 'elbow')):
        message.joint_names = list(names)
        with pytest.raises(UnknownNameError):
            reader.read_bytes(octets(message), 0, partial=True)


def test_row_9_other_threads_run_while_a_trajectory_is_read():
    """Nothing but the compiled code runs for long, and that code leaves the GIL alone."""
    assert points.options['nogil'] and points.signature
    large = trajectory(*[point(1.0 + k, [0.0] * 3) for k in range(1000)])
    data = octets(large)
    head, done, laps = read_head(data), threading.Event(), 0

    def read():
        times, made, sizes = np.empty(1000), np.zeros((4, 1000, 3)), np.empty((4, 1000))
        for _ in range(2000):
            points(data, head.start, np.arange(3), 3, times, made, sizes)
        done.set()

    thread = threading.Thread(target=read)
    thread.start()
    while not done.is_set():
        laps += 1
    thread.join()
    assert laps > 0
