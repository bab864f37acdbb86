# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages become arrays by joint name, and a bad message changes nothing."""

import itertools
import os
import subprocess
import sys
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('sensor_msgs', reason='the ROS messages are not installed')

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import BatteryState, JointState  # noqa: E402

from robodyn_ros.ros.common import joint_messages
from robodyn_ros.ros.common.joint_messages import (  # noqa: E402
    EffortArray,
    EffortJointState,
    JointIndex,
    JointStateReader,
)
from robodyn_ros.ros.transport import cdr  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

JOINTS = ('shoulder', 'elbow', 'wrist')


def octets(data):
    """Return bytes as a reader takes them."""
    return np.frombuffer(data, np.uint8)


def joint_state(names, position=None, velocity=None):
    count = len(names)
    return octets(
        serialize_message(
            JointState(
                name=list(names),
                position=array('d', range(1, count + 1) if position is None else position),
                velocity=array('d', range(-1, -count - 1, -1) if velocity is None else velocity),
            )
        )
    )


def test_the_order_of_the_message_does_not_matter():
    reader = JointStateReader(JOINTS)
    assert reader.decode(joint_state(['wrist', 'gripper', 'shoulder', 'rail', 'elbow'])) == ''
    assert list(reader.state[0]) == [3.0, 5.0, 1.0]
    assert list(reader.state[1]) == [-3.0, -5.0, -1.0]


@given(st.permutations(JOINTS + ('extra', 'rail')), st.permutations(JOINTS))
def test_every_permutation_is_read_by_name(first, second):
    reader = JointStateReader(JOINTS)
    for names in (first, second, first, first):
        value = {name: float(hash(name) % 1000) for name in names}
        message = joint_state(names, [value[n] for n in names], [-value[n] for n in names])
        assert reader.decode(message) == ''
        np.testing.assert_array_equal(reader.state[0], [value[name] for name in JOINTS])
        np.testing.assert_array_equal(reader.state[1], [-value[name] for name in JOINTS])


@pytest.mark.parametrize(
    'message, reason',
    [
        (joint_state([]), joint_messages.EMPTY),
        (joint_state(['shoulder', 'elbow']), joint_messages.MISSING_JOINT),
        (joint_state(['a', 'b', 'c']), joint_messages.MISSING_JOINT),
        (joint_state(['shoulder', 'elbow', 'wrist', 'elbow']), joint_messages.DUPLICATE_JOINT),
        (joint_state([*JOINTS, 'rail', 'rail']), joint_messages.DUPLICATE_JOINT),
        (joint_state(JOINTS, position=[1.0, 2.0]), joint_messages.WRONG_LENGTH),
        (joint_state(JOINTS, position=[]), joint_messages.WRONG_LENGTH),
        (joint_state(JOINTS, velocity=[1.0, 2.0]), joint_messages.WRONG_LENGTH),
        (joint_state(JOINTS, velocity=[1.0, 2.0, 3.0, 4.0]), joint_messages.WRONG_LENGTH),
        (joint_state(JOINTS, velocity=[]), joint_messages.EMPTY_VELOCITY),
        (
            joint_state([str(k) for k in range(joint_messages.MAX_NAMES + 1)]),
            joint_messages.TOO_MANY_NAMES,
        ),
    ],
)
def test_a_bad_message_is_refused_with_its_reason_and_changes_nothing(message, reason):
    reader = JointStateReader(JOINTS)
    assert reader.decode(joint_state(JOINTS)) == ''
    q, qd = reader.state[0].copy(), reader.state[1].copy()
    assert reader.decode(message) == reason
    assert reader.decode(message) == reason
    np.testing.assert_array_equal(reader.state[0], q)
    np.testing.assert_array_equal(reader.state[1], qd)
    assert reader.decode(joint_state(JOINTS)) == ''


def test_values_that_are_not_finite_are_left_to_the_supervisor():
    reader = JointStateReader(JOINTS)
    assert reader.decode(joint_state(JOINTS, position=[1.0, np.nan, np.inf])) == ''
    np.testing.assert_array_equal(reader.state[0], [1.0, np.nan, np.inf])


@pytest.mark.parametrize('size', range(5))
def test_effort_of_any_length_is_ignored(size):
    message = deserialize_message(bytes(joint_state(JOINTS)), JointState)
    message.effort = array('d', [1.0] * size)
    reader = JointStateReader(JOINTS)
    for _ in range(2):
        assert reader.decode(octets(serialize_message(message))) == ''
        assert list(reader.state[0]) == [1.0, 2.0, 3.0]


names = st.lists(st.sampled_from([*JOINTS, 'rail', '', 'wrist ']), max_size=6)
numbers = st.lists(st.floats(width=64), max_size=6)


@given(names, numbers, numbers, numbers)
def test_no_message_makes_the_reader_raise(name, position, velocity, effort):
    reader = JointStateReader(JOINTS)
    message = octets(
        serialize_message(
            JointState(
                name=name,
                position=array('d', position),
                velocity=array('d', velocity),
                effort=array('d', effort),
            )
        )
    )
    reason = reader.decode(message)
    assert reader.decode(message) == reason
    complete = (
        set(JOINTS) <= set(name)
        and len(set(name)) == len(name)
        and len(position) == len(velocity) == len(name)
    )
    assert (reason == '') == complete


def test_missing_joints_are_named():
    reader = JointStateReader(JOINTS)
    assert reader.decode(joint_state(['elbow', 'rail'])) == joint_messages.MISSING_JOINT
    assert reader.detail == "it lacks ['shoulder', 'wrist']"


def test_many_alternating_name_lists_do_not_pile_up():
    index = JointIndex(JOINTS)
    for k in range(100):
        where, reason = index.locate([f'rail{k}', *JOINTS])
        assert reason == '' and list(where) == [1, 2, 3]
    assert len(index._known) <= 8


def test_a_list_that_is_changed_afterwards_is_searched_again():
    index = JointIndex(JOINTS)
    names = list(JOINTS)
    assert list(index.locate(names)[0]) == [0, 1, 2]
    names.reverse()
    assert list(index.locate(names)[0]) == [2, 1, 0]


@given(
    st.lists(
        st.tuples(
            *[st.floats(allow_nan=True)] * 6,
            st.integers(-(2**31), 2**31 - 1),
            st.integers(0, 2**32 - 1),
        ),
        min_size=1,
        max_size=5,
    ),
    st.text(max_size=5),
    st.integers(0, 3),
)
def test_bytes_are_read_as_the_middleware_reads_them(rows, frame, efforts):
    reader = JointStateReader(JOINTS)
    for *numbers, seconds, nanoseconds in rows:
        message = JointState(
            name=[*JOINTS[::-1]],
            position=array('d', numbers[:3]),
            velocity=array('d', numbers[3:]),
            effort=array('d', [7.0] * efforts),
        )
        message.header.frame_id = frame.replace('\0', '')
        message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
        data = serialize_message(message)
        assert reader.decode(octets(data)) == ''
        expected = deserialize_message(data, JointState)
        np.testing.assert_array_equal(reader.state[0], expected.position[::-1])
        np.testing.assert_array_equal(reader.state[1], expected.velocity[::-1])
        assert reader.stamp == (seconds, nanoseconds)


def test_a_stream_is_learnt_once(monkeypatch):
    reader = JointStateReader(JOINTS)
    assert reader.decode(joint_state(JOINTS)) == ''
    monkeypatch.setattr(joint_messages, 'deserialize_message', pytest.fail)
    for k in range(3):
        assert reader.decode(joint_state(JOINTS, [k] * 3, [-k] * 3)) == ''
        assert list(reader.state[0]) == [k] * 3 and list(reader.state[1]) == [-k] * 3


def test_what_cannot_be_learnt_is_read_in_full(monkeypatch):
    def refuse(*_):
        raise joint_messages.RobodynError('laid out otherwise')

    monkeypatch.setattr(joint_messages, 'JointStateShape', refuse)
    reader = JointStateReader(JOINTS)
    for k in range(3):
        assert reader.decode(joint_state(JOINTS[::-1], [k, 1.0, 2.0])) == ''
        assert list(reader.state[0]) == [2.0, 1.0, k]


@pytest.mark.parametrize(
    'spoil',
    [lambda data, k=k: data[:k] for k in range(0, 120, 7)]
    + [
        lambda data: data + b'\0',
        lambda data: b'\xff' + data[1:],
        lambda data: data.replace(b'elbow', b'elb\xffw'),
        lambda data: b'\0\1\0\0' + b'\xff' * 60,
        lambda data: b'\0' * 100,
    ],
)
def test_bytes_that_are_no_joint_state_are_refused(spoil):
    reader = JointStateReader(JOINTS)
    good = joint_state(JOINTS, [1.0, 2.0, 3.0])
    assert reader.decode(good) == ''
    reason = reader.decode(octets(spoil(bytes(joint_state(JOINTS, [4.0, 5.0, 6.0])))))
    if reason:
        assert list(reader.state[0]) == [1.0, 2.0, 3.0]
    else:  # nothing but bytes that mean nothing was spoilt
        assert list(reader.state[0]) == [4.0, 5.0, 6.0]
    assert reader.decode(good) == '' and list(reader.state[0]) == [1.0, 2.0, 3.0]


def test_an_enormous_message_is_refused_by_its_size():
    reader = JointStateReader(JOINTS)
    assert (
        reader.decode(octets(b'\0' * (joint_messages.MAX_BYTES + 1))) == joint_messages.TOO_LARGE
    )


@pytest.mark.parametrize('writer', [EffortArray, EffortJointState])
def test_what_is_filled_in_is_what_is_read(writer):
    filler = writer(JOINTS)
    for k in range(3):
        effort = np.array([1.0, -2.0, 3.0]) * k
        filler.fill(effort, lambda: 5_000_000_007 + k)
        message = deserialize_message(filler.message.bytes(), writer.type)
        data = message.data if writer is EffortArray else message.effort
        assert list(data) == list(effort)
    if writer is EffortJointState:
        assert (message.header.stamp.sec, message.header.stamp.nanosec) == (5, 9)
        assert message.name == list(JOINTS)
        assert len(message.position) == len(message.velocity) == 0


def test_an_earlier_message_does_not_change_with_a_later_one():
    filler, effort = EffortArray(JOINTS), np.ones(3)
    filler.fill(effort, int)
    first, effort[:] = filler.message.bytes(), 8.0
    filler.fill(effort, int)
    second = filler.message.bytes()
    assert list(deserialize_message(first, EffortArray.type).data) == [1.0] * 3
    assert list(deserialize_message(second, EffortArray.type).data) == [8.0] * 3


@pytest.mark.parametrize('phase', [0, 1])
def test_bytes_between_the_fields_that_change_in_turns_are_not_taken_for_a_field(
    phase, monkeypatch
):
    count = itertools.count(phase)
    monkeypatch.setattr(
        cdr,
        'serialize_message',
        lambda message: serialize_message(message) + bytes([next(count) % 2]),
    )
    message = cdr.OutgoingMessage(BatteryState(), {}, {'power_supply_status': 1})
    message.octets['power_supply_status'][0] = 3
    assert deserialize_message(message.bytes()[:-1], BatteryState).power_supply_status == 3


CHECK_FIELDS = """
import numpy as np
from rclpy.serialization import deserialize_message
from robodyn_msgs.msg import ControllerState
from robodyn_ros.ros.transport.cdr import OutgoingMessage
message = OutgoingMessage(ControllerState(joint_names=['a', 'b']), {'gravity': 2, 'effort': 2},
                          {'state': 1, 'rate_limited': [True, True]})
message.doubles['gravity'][:], message.doubles['effort'][:] = (1.0, 2.0), (3.0, 4.0)
message.octets['state'][0] = 6
first = message.bytes()
message.doubles['gravity'][:] = 8.0
message.octets['rate_limited'][:] = np.array([False, True])
message.set_stamp(7_000_000_005)
second = message.bytes()
first, second = (deserialize_message(data, ControllerState) for data in (first, second))
assert (list(first.gravity), list(first.effort)) == ([1.0, 2.0], [3.0, 4.0])
assert (list(second.gravity), list(second.effort)) == ([8.0, 8.0], [3.0, 4.0])
assert first.state == second.state == 6 and first.joint_names == ['a', 'b']
assert (list(first.rate_limited), list(second.rate_limited)) == ([False] * 2, [False, True])
assert (second.header.stamp.sec, second.header.stamp.nanosec) == (7, 5)
assert not first.coriolis and first.header.stamp.sec == 0
"""


@pytest.mark.parametrize('setting', ['', '1'])
def test_an_outgoing_message_is_filled_in_place_despite_setters(setting):
    # Unset, a field's setter copies; with '1' it keeps a reference to the caller's array.
    pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
    environment = {**os.environ, 'ROS_PYTHON_CHECK_FIELDS': setting}
    subprocess.run(
        [sys.executable, '-c', CHECK_FIELDS], env=environment, check=True, timeout=PATIENCE
    )
