"""Messages become arrays by joint name, and a bad message changes nothing."""
from array import array
import os
import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st
import numpy as np
import pytest

pytest.importorskip('sensor_msgs', reason='the ROS messages are not installed')

from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros.ros import messages  # noqa: E402
from robodyn_ros.ros.messages import EffortArray, EffortJointState, JointStateReader  # noqa: E402

JOINTS = ('shoulder', 'elbow', 'wrist')


def joint_state(names, position=None, velocity=None):
    count = len(names)
    return JointState(
        name=list(names),
        position=array('d', range(1, count + 1) if position is None else position),
        velocity=array('d', range(-1, -count - 1, -1) if velocity is None else velocity))


def test_the_order_of_the_message_does_not_matter():
    reader = JointStateReader(JOINTS)
    assert reader.read(joint_state(['wrist', 'gripper', 'shoulder', 'rail', 'elbow'])) == ''
    assert list(reader.q) == [3.0, 5.0, 1.0]
    assert list(reader.qd) == [-3.0, -5.0, -1.0]


@given(st.permutations(JOINTS + ('extra', 'rail')), st.permutations(JOINTS))
def test_every_permutation_is_read_by_name(first, second):
    reader = JointStateReader(JOINTS)
    for names in (first, second, first, first):
        value = {name: float(hash(name) % 1000) for name in names}
        message = joint_state(names, [value[n] for n in names], [-value[n] for n in names])
        assert reader.read(message) == ''
        np.testing.assert_array_equal(reader.q, [value[name] for name in JOINTS])
        np.testing.assert_array_equal(reader.qd, [-value[name] for name in JOINTS])


@pytest.mark.parametrize('message, reason', [
    (joint_state([]), messages.EMPTY),
    (joint_state(['shoulder', 'elbow']), messages.MISSING_JOINT),
    (joint_state(['a', 'b', 'c']), messages.MISSING_JOINT),
    (joint_state(['shoulder', 'elbow', 'wrist', 'elbow']), messages.DUPLICATE_JOINT),
    (joint_state([*JOINTS, 'rail', 'rail']), messages.DUPLICATE_JOINT),
    (joint_state(JOINTS, position=[1.0, 2.0]), messages.WRONG_LENGTH),
    (joint_state(JOINTS, position=[]), messages.WRONG_LENGTH),
    (joint_state(JOINTS, velocity=[1.0, 2.0]), messages.WRONG_LENGTH),
    (joint_state(JOINTS, velocity=[1.0, 2.0, 3.0, 4.0]), messages.WRONG_LENGTH),
    (joint_state(JOINTS, velocity=[]), messages.EMPTY_VELOCITY),
    (joint_state([str(k) for k in range(messages.MAX_NAMES + 1)]), messages.TOO_MANY_NAMES),
])
def test_a_bad_message_is_refused_with_its_reason_and_changes_nothing(message, reason):
    reader = JointStateReader(JOINTS)
    assert reader.read(joint_state(JOINTS)) == ''
    q, qd = reader.q.copy(), reader.qd.copy()
    assert reader.read(message) == reason
    assert reader.read(message) == reason
    np.testing.assert_array_equal(reader.q, q)
    np.testing.assert_array_equal(reader.qd, qd)
    assert reader.read(joint_state(JOINTS)) == ''


def test_values_that_are_not_finite_are_left_to_the_supervisor():
    reader = JointStateReader(JOINTS)
    assert reader.read(joint_state(JOINTS, position=[1.0, np.nan, np.inf])) == ''
    np.testing.assert_array_equal(reader.q, [1.0, np.nan, np.inf])


def test_effort_of_any_length_is_ignored():
    message = joint_state(JOINTS)
    message.effort = array('d', [1.0])
    assert JointStateReader(JOINTS).read(message) == ''


names = st.lists(st.sampled_from([*JOINTS, 'rail', '', 'wrist ']), max_size=6)
numbers = st.lists(st.floats(width=64), max_size=6)


@given(names, numbers, numbers, numbers)
def test_no_message_makes_the_reader_raise(name, position, velocity, effort):
    reader = JointStateReader(JOINTS)
    message = JointState(name=name, position=array('d', position), velocity=array('d', velocity),
                         effort=array('d', effort))
    reason = reader.read(message)
    complete = (set(JOINTS) <= set(name) and len(set(name)) == len(name)
                and len(position) == len(velocity) == len(name))
    assert (reason == '') == complete


def test_missing_joints_are_named():
    assert JointStateReader(JOINTS).index.missing(['elbow', 'rail']) == ['shoulder', 'wrist']


def test_many_alternating_name_lists_do_not_pile_up():
    index = JointStateReader(JOINTS).index
    for k in range(100):
        where, reason = index.locate([f'rail{k}', *JOINTS])
        assert reason == '' and list(where) == [1, 2, 3]
    assert len(index._known) <= 8


def test_a_list_that_is_changed_afterwards_is_searched_again():
    index = JointStateReader(JOINTS).index
    names = list(JOINTS)
    assert list(index.locate(names)[0]) == [0, 1, 2]
    names.reverse()
    assert list(index.locate(names)[0]) == [2, 1, 0]


@pytest.mark.parametrize('writer', [EffortArray, EffortJointState])
def test_one_message_is_refilled(writer):
    filler = writer(JOINTS)
    first = filler.fill(np.array([1.0, 2.0, 3.0]), 5_000_000_007)
    second = filler.fill(np.array([4.0, 5.0, 6.0]), 5_000_000_008)
    assert first is second
    data = second.data if writer is EffortArray else second.effort
    assert list(data) == [4.0, 5.0, 6.0]


def test_a_named_command_carries_a_stamp_and_nothing_but_effort():
    message = EffortJointState(JOINTS).fill(np.array([1.0, 2.0, 3.0]), 5_000_000_007)
    assert (message.header.stamp.sec, message.header.stamp.nanosec) == (5, 7)
    assert message.name == list(JOINTS)
    assert len(message.position) == len(message.velocity) == 0


CHECK_FIELDS = """
import numpy as np
from rclpy.serialization import deserialize_message, serialize_message
from robodyn_ros.ros.messages import EFFORT_WRITERS
for writer in EFFORT_WRITERS.values():
    filler = writer(['a', 'b'])
    effort = np.array([1.0, 2.0])
    sent = [serialize_message(filler.fill(effort, 1))]
    effort[:] = 8.0                      # the caller's array is not the message's
    assert sent[0] == serialize_message(filler.message)
    sent.append(serialize_message(filler.fill(np.array([3.0, 4.0]), 2)))
    read = [deserialize_message(data, writer.type) for data in sent]
    values = [list(getattr(message, 'data', None) or message.effort) for message in read]
    assert values == [[1.0, 2.0], [3.0, 4.0]], values
"""


@pytest.mark.parametrize('setting', ['', '1'])
def test_messages_do_not_alias_whether_fields_are_checked_or_not(setting):
    # Unset, a field's setter copies; with '1' it keeps a reference to the caller's array.
    environment = {**os.environ, 'ROS_PYTHON_CHECK_FIELDS': setting}
    subprocess.run([sys.executable, '-c', CHECK_FIELDS], env=environment, check=True, timeout=60)
