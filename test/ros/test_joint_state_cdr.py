# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states whose lengths lie are refused before the middleware prints a line about them."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from hypothesis import given, settings  # noqa: E402
from hypothesis import strategies as some  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros.ros.common import joint_messages  # noqa: E402
from robodyn_ros.ros.common.joint_messages import UNREADABLE, JointStateReader  # noqa: E402
from robodyn_ros.ros.transport.joint_state_cdr import fits  # noqa: E402


def octets(**fields):
    message = JointState(**fields)
    message.header.frame_id = 'base'
    return np.frombuffer(serialize_message(message), np.uint8).copy()


rows = some.lists(some.floats(), max_size=4)


@settings(max_examples=200)
@given(some.lists(some.text('abü', max_size=6), max_size=4), rows, rows, rows)
def test_row_9_every_true_message_fits(names, position, velocity, effort):
    assert fits(octets(name=names, position=position, velocity=velocity, effort=effort))


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
        reason = JointStateReader(['joint1', 'j2']).read(cut)
    finally:
        joint_messages.deserialize_message = true
    assert not fits(cut) == (reason == UNREADABLE and not decoded)


@pytest.mark.parametrize('where', range(12, 60, 4))
def test_row_75_a_lying_length_prints_nothing(where, capfd):
    message = octets(name=['joint1', 'j2'], position=[1.0, 2.0], velocity=[0.0, 0.0])
    message[where : where + 4] = 255
    JointStateReader(['joint1', 'j2']).read(message)
    assert capfd.readouterr().err == ''
