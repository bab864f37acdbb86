# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states from any sender: byte orders, padding, encapsulations, damage; bytes of our own.

Messages are written by an encoder of the OMG's CDR that shares nothing with the middleware's.
"""

import struct
from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip('sensor_msgs', reason='the ROS messages are not installed')

from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402

from robodyn_ros.ros.common.joint_messages import JointStateReader  # noqa: E402

JOINTS = ('shoulder', 'elbow', 'wrist')
CDR_BIG, CDR_LITTLE, CDR2_BIG, CDR2_LITTLE = 0, 1, 6, 7


class Encoder:
    """Writes the members of a JointState one after the other, each aligned to its size."""

    def __init__(self, encapsulation, padding=0, options=0):
        self.order = '<' if encapsulation % 2 else '>'
        self.largest = 4 if encapsulation >= CDR2_BIG else 8  # alignment
        self.data, self.padding = struct.pack('>HH', encapsulation, options), padding

    def put(self, kind, value):
        size = struct.calcsize(kind)
        while (len(self.data) - 4) % min(size, self.largest):
            self.data += bytes([self.padding])
        self.data += struct.pack(self.order + kind, value)

    def text(self, value):
        octets = value.encode() + bytes(1)
        self.put('I', len(octets))
        self.data += octets

    def numbers(self, values):
        self.put('I', len(values))
        for value in values:
            self.put('d', value)


def encoded(message, encapsulation=CDR_LITTLE, padding=0, options=0):
    """
    Return the bytes of a JointState.

    The last two bits of the options say how many bytes fill up the end (OMG DDS-XTypes 1.3,
    7.6.3.1.2). The middleware of Jazzy ignores them, that of Kilted cuts so many off.
    """
    out = Encoder(encapsulation, padding, options)
    out.put('i', message.header.stamp.sec)
    out.put('I', message.header.stamp.nanosec)
    out.text(message.header.frame_id)
    out.put('I', len(message.name))
    for name in message.name:
        out.text(name)
    for values in (message.position, message.velocity, message.effort):
        out.numbers(values)
    return out.data + bytes([padding]) * (options % 4)


numbers = st.floats(allow_nan=False, width=64)
words = st.text(st.characters(blacklist_categories=['Cs'], blacklist_characters='\0'), max_size=9)


@st.composite
def states(draw, extra=words):
    """Return a JointState of JOINTS in any order, among other joints, with any frame."""
    names = draw(
        st.permutations(
            [
                *JOINTS,
                *sorted(draw(st.sets(extra.filter(lambda name: name not in JOINTS), max_size=3))),
            ]
        )
    )
    message = JointState(
        name=names,
        **{
            field: array('d', draw(st.lists(numbers, min_size=len(names), max_size=len(names))))
            for field in ('position', 'velocity')
        },
    )
    message.effort = array('d', draw(st.lists(numbers, max_size=4)))
    message.header.frame_id = draw(words)
    message.header.stamp.sec = draw(st.integers(-(2**31), 2**31 - 1))
    message.header.stamp.nanosec = draw(st.integers(0, 2**32 - 1))
    return message


def octets(data):
    """Return bytes as a reader takes them."""
    return np.frombuffer(data, np.uint8)


def expected(message):
    """Return positions, velocities and stamp as they should be read."""
    where = [message.name.index(name) for name in JOINTS]
    stamp = message.header.stamp
    return (
        np.array(message.position)[where],
        np.array(message.velocity)[where],
        (stamp.sec, stamp.nanosec),
    )


def assert_read(reader, message):
    q, qd, stamp = expected(message)
    assert np.array_equal(reader.state, [q, qd])
    assert reader.stamp == stamp


@given(states())
def test_the_encoder_of_these_tests_agrees_with_the_middleware(message):
    """Same length, but for what fills up the end; and it reads back what was meant."""
    data = encoded(message)
    assert 0 <= len(serialize_message(message)) - len(data) < 8
    assert deserialize_message(data, JointState) == message


@given(
    st.lists(
        st.tuples(
            states(),
            st.sampled_from([CDR_BIG, CDR_LITTLE]),
            st.integers(0, 255),
            st.integers(0, 3),
        ),
        min_size=1,
        max_size=4,
    )
)
def test_senders_of_either_byte_order_take_turns(turns):
    """Names, orders, lengths of names, frames, padding and options change from one to the next."""
    reader = JointStateReader(JOINTS)
    for message, encapsulation, padding, options in [*turns, *turns]:
        data = encoded(message, encapsulation, padding, options)
        assert reader.decode(octets(data)) == ''
        assert_read(reader, message)


@given(states(), st.lists(st.tuples(numbers, numbers), min_size=3, max_size=3))
def test_a_known_shape_is_read_like_an_unknown_one(message, values):
    """Another message of the same stream, by the quick way: only its numbers differ."""
    reader = JointStateReader(JOINTS)
    assert reader.decode(octets(encoded(message))) == '' and reader._shapes
    for (q, qd), name in zip(values, JOINTS):
        message.position[message.name.index(name)] = q
        message.velocity[message.name.index(name)] = qd
    data = encoded(message)
    state = np.full((2, 3), np.nan)
    assert reader._shapes[0].decode(octets(data), state)
    assert reader.decode(octets(data)) == '' and np.array_equal(reader.state, state)
    assert_read(reader, message)


@given(states(), st.sampled_from([CDR2_BIG, CDR2_LITTLE, 2, 3, 8, 9, 10, 11, 255, 0xC0DE]))
def test_other_encapsulations_are_read_right_or_refused(message, encapsulation):
    """XCDR2 aligns numbers to four bytes; parameter lists and unknown ones have other layouts."""
    reader = JointStateReader(JOINTS)
    layout = encapsulation if encapsulation in (CDR2_BIG, CDR2_LITTLE) else CDR_LITTLE
    data = bytearray(encoded(message, layout))
    data[:2] = struct.pack('>H', encapsulation)
    if reader.decode(octets(data)) == '':
        assert_read(reader, message)


@given(states(), st.data())
def test_damage_is_refused_or_read_as_the_middleware_reads_it(message, data):
    """Truncated, lengthened or with bytes changed. A reader with a cached layout returns the same
    as a new one, and neither raises.
    """
    whole = encoded(message)
    knowing, fresh = JointStateReader(JOINTS), JointStateReader(JOINTS)
    assert knowing.decode(octets(whole)) == ''
    damaged = bytearray(whole)
    for _ in range(data.draw(st.integers(0, 3))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    end = data.draw(st.integers(0, len(damaged)))
    damaged = bytes(damaged[:end]) + data.draw(st.binary(max_size=20))
    before = knowing.state.copy(), knowing.stamp
    reason = fresh.decode(octets(damaged))
    assert knowing.decode(octets(damaged)) == reason
    if reason:
        assert np.array_equal(knowing.state, before[0])
        assert knowing.stamp == before[1] and knowing.detail
    else:
        assert knowing.state.tobytes() == fresh.state.tobytes() and knowing.stamp == fresh.stamp


@given(st.integers(0, 2**32 - 1), st.sampled_from(['name', 'position', 'velocity', 'effort']))
def test_lengths_that_lie_take_no_memory(size, field):
    """A message of a hundred bytes claims a sequence of up to four billion entries."""
    message = JointState(
        name=list(JOINTS),
        position=array('d', [1.0, 2.0, 3.0]),
        velocity=array('d', [4.0, 5.0, 6.0]),
    )
    data = bytearray(encoded(message))
    places = {'name': 20 - 4, 'effort': len(data) - 4}
    start = data.index(struct.pack('<d', 1.0))
    places['position'], places['velocity'] = start - 4, start + 24
    where = places[field]
    while struct.unpack_from('<I', data, where)[0] not in (0, 3):
        where -= 4
    struct.pack_into('<I', data, where, size)
    reader = JointStateReader(JOINTS)
    if reader.decode(octets(data)) == '':
        assert_read(reader, message)


def test_zeros_do_not_hide_the_byte_order():
    """At rest at zero, at time zero, both orders look alike; afterwards they do not."""
    message = JointState(
        name=list(JOINTS), position=array('d', [0.0] * 3), velocity=array('d', [0.0] * 3)
    )
    reader = JointStateReader(JOINTS)
    assert reader.decode(octets(encoded(message, CDR_BIG))) == ''
    message.position = array('d', [1.0, 2.0, 3.0])
    assert reader.decode(octets(encoded(message, CDR_BIG))) == ''
    assert_read(reader, message)


def test_a_changed_number_of_efforts_is_seen():
    """A message as long as before whose last count lies is refused, not read the quick way."""
    message = JointState(
        name=list(JOINTS),
        position=array('d', [1.0, 2.0, 3.0]),
        velocity=array('d', [4.0, 5.0, 6.0]),
        effort=array('d', [7.0]),
    )
    reader, data = JointStateReader(JOINTS), bytearray(encoded(message))
    assert reader.decode(octets(data)) == '' and reader._shapes
    where = data.index(struct.pack('<d', 6.0)) + 8
    struct.pack_into('<I', data, where, 2)
    assert reader.decode(octets(data)) != ''


def test_one_odd_sender_does_not_make_the_others_slow():
    """A stream that cannot be learnt leaves the quick way open for those that can."""
    message = JointState(
        name=list(JOINTS),
        position=array('d', [1.0, 2.0, 3.0]),
        velocity=array('d', [4.0, 5.0, 6.0]),
    )
    reader = JointStateReader(JOINTS)
    for _ in range(3):
        assert reader.decode(octets(encoded(message, CDR_BIG))) == ''
    assert reader.decode(octets(encoded(message))) == ''
    data = octets(encoded(message))
    assert reader._shapes and reader._shapes[0].decode(data, np.empty((2, 3)))
