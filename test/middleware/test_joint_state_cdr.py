# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages whose lengths lie are refused before the middleware prints a line about them."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as some  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_msgs.msg import Float64MultiArray, MultiArrayDimension  # noqa: E402

from robodyn_ros.errors import ShapeError  # noqa: E402
from robodyn_ros.middleware.float_array_cdr import array_fits  # noqa: E402
from robodyn_ros.middleware.joint_state_cdr import lengths_fit  # noqa: E402
from robodyn_ros.ros.common import joint_messages  # noqa: E402
from robodyn_ros.ros.common.joint_messages import UNREADABLE, JointStateReader  # noqa: E402
from robodyn_ros.ros.transport.checked_messages import decode_checked  # noqa: E402


def octets(**fields):
    message = JointState(**fields)
    message.header.frame_id = 'base'
    return np.frombuffer(serialize_message(message), np.uint8).copy()


rows = some.lists(some.floats(), max_size=4)


@settings(max_examples=200)
@given(some.lists(some.text('abü', max_size=6), max_size=4), rows, rows, rows)
def test_row_9_every_true_message_fits(names, position, velocity, effort):
    assert lengths_fit(octets(name=names, position=position, velocity=velocity, effort=effort))


@settings(max_examples=300)
@given(some.data())
def test_row_75_what_does_not_fit_is_never_decoded(data):
    """So the middleware, which prints a line for each, never sees it."""
    message = octets(name=['joint1', 'j2'], position=[1.0, 2.0], velocity=[0.0, 0.0])
    cut = message[: data.draw(some.integers(4, len(message)))]
    for where in data.draw(some.lists(some.integers(4, len(cut)), max_size=3)):
        cut[where - 1 : where] = data.draw(some.integers(0, 255))
    decoded, true = [], joint_messages.deserialize_message
    joint_messages.deserialize_message = lambda *given: decoded.append(1) or true(*given)
    try:
        reason = JointStateReader(['joint1', 'j2']).decode(cut)
    finally:
        joint_messages.deserialize_message = true
    assert not lengths_fit(cut) == (reason == UNREADABLE and not decoded)


@pytest.mark.parametrize('order', ['<', '>'])
@pytest.mark.parametrize('where', range(12, 60, 4))
def test_row_75_a_lying_length_prints_nothing(where, order, capfd):
    message = octets(name=['joint1', 'j2'], position=[1.0, 2.0], velocity=[0.0, 0.0])
    if order == '>':
        swap(message)
    message[where : where + 4] = 255
    JointStateReader(['joint1', 'j2']).decode(message)
    assert capfd.readouterr().err == ''


def swap(message):
    """Turn the head of a message, and the counts after it, to the other byte order."""
    message[1] = 0
    for at in range(4, len(message) - 3, 4):
        message[at : at + 4] = message[at : at + 4][::-1].copy()


def command(labels, numbers):
    message = Float64MultiArray(data=numbers)
    message.layout.dim = [MultiArrayDimension(label=each, size=2, stride=3) for each in labels]
    return serialize_message(message)


@settings(max_examples=200)
@given(some.lists(some.text('abü', max_size=6), max_size=4), rows)
def test_row_9_every_true_command_is_decoded(labels, numbers):
    message = decode_checked(command(labels, numbers), Float64MultiArray, 1000)
    assert np.array_equal(message.data, numbers, equal_nan=True)
    assert [each.label for each in message.layout.dim] == labels


@pytest.mark.parametrize('order', [0, 1])
@pytest.mark.parametrize('where', range(4, 68, 4))
def test_row_75_a_command_with_a_lying_length_prints_nothing(where, order, capfd):
    data = np.frombuffer(command(['ab', 'c'], [1.0, 2.0]), np.uint8).copy()
    data[1] = order
    data[where : where + 4] = 127
    try:
        decode_checked(data.tobytes(), Float64MultiArray, 1000)
    except ShapeError as error:
        assert 'claim more' in str(error) or 'UTF-8' in str(error)
    assert capfd.readouterr().err == ''


@pytest.mark.parametrize('keep', range(0, 68, 3))
def test_row_40_a_command_cut_off_is_refused_undecoded(keep):
    data = command(['ab', 'c'], [1.0, 2.0])[:keep]
    with pytest.raises(ShapeError, match='claim more|not plain CDR'):
        decode_checked(data, Float64MultiArray, 1000)


def test_row_40_a_command_that_is_too_large_is_refused_by_its_size():
    with pytest.raises(ShapeError, match='has .* bytes; expected at most 100'):
        decode_checked(command([], [0.0] * 20), Float64MultiArray, 100)


def test_what_fits_ends_with_the_last_number():
    """One octet less does not fit, so the check is no looser than the layout."""
    data = np.frombuffer(command(['ab'], [1.0, 2.0]), np.uint8)
    assert array_fits(data) and not array_fits(data[:-1])
