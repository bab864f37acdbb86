# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages straight from and to the middleware: the same bytes as by rclpy, whatever happens."""

import gc
import subprocess
import sys
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.qos import QoSProfile, ReliabilityPolicy  # noqa: E402
from rclpy.serialization import deserialize_message, serialize_message  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from robodyn_ros.ros.transport import rcl_ffi  # noqa: E402
from robodyn_ros.ros.transport.polled_group import PolledGroup  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

QOS = QoSProfile(depth=20, reliability=ReliabilityPolicy.RELIABLE)


@pytest.fixture(params=['direct', 'rclpy'])
def way(request, monkeypatch):
    """Return which way messages go: by the middleware's functions, or by rclpy without them."""
    if request.param == 'direct':
        assert rcl_ffi.library() is not None
    else:
        monkeypatch.setattr(rcl_ffi, 'library', lambda: None)
    return request.param


@pytest.fixture
def ends(way):
    """Return a publisher and a BufferSubscription, on a topic of their own."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(f'wire_{way}', context=context)
    subscription = node.create_subscription(
        String, f'wire_{way}', lambda _: None, QOS, raw=True, callback_group=PolledGroup()
    )
    publisher = node.create_publisher(String, f'wire_{way}', QOS)
    incoming = rcl_ffi.BufferSubscription(subscription)
    until(publisher.get_subscription_count)
    yield publisher, incoming
    incoming.close()
    node.destroy_node()
    rclpy.shutdown(context=context)


def until(condition):
    """Wait for a condition, and return what it was."""
    deadline = time.monotonic() + PATIENCE
    while (found := condition()) in (None, 0, False):
        assert time.monotonic() < deadline, 'it did not come'
        time.sleep(0.001)
    return found


def taken(incoming):
    """Return the text of the next message."""
    found = []
    until(
        lambda: (
            (data := incoming.take_message()) is not None and (found.append(bytes(data)) or True)
        )
    )
    return deserialize_message(found[0], String).data


def test_row_67_states_of_many_lengths_leave_nothing_for_the_garbage_collector(ends):
    publisher, incoming = ends
    while gc.collect():  # finalizers of other tests' objects leave more
        pass
    for size in range(40):
        publisher.publish(String(data='x' * size))
        assert taken(incoming) == 'x' * size
    assert gc.collect() == 0


def test_messages_of_any_size_arrive_whole(ends):
    """Longer than the buffer, shorter again, many in a row: each with its own bytes."""
    publisher, incoming = ends
    assert incoming.take_message() is None
    for size in (3, 10, 10, 5000, 20, 300_000, 0, 10):
        text = chr(97 + size % 26) * size
        publisher.publish(String(data=text))
        assert taken(incoming) == text
    assert incoming.take_message() is None


def test_what_was_taken_is_read_only(ends):
    """The buffer is the middleware's."""
    publisher, incoming = ends
    publisher.publish(String(data='x'))
    found = []
    until(lambda: (data := incoming.take_message()) is not None and (found.append(data) or True))
    with pytest.raises(ValueError):
        found[0][:] = 0


def test_the_buffer_is_published_as_it_is_at_that_moment(ends):
    """Changed between two calls, it is another message; the first one is not touched."""
    publisher, incoming = ends
    buffer = bytearray(serialize_message(String(data='aaaa')))
    outgoing = rcl_ffi.BufferPublisher(publisher, buffer)
    outgoing.publish()
    at = buffer.index(b'aaaa')
    buffer[at : at + 4] = b'bbbb'
    outgoing.publish()
    assert [taken(incoming), taken(incoming)] == ['aaaa', 'bbbb']
    outgoing.close()


def test_a_publisher_in_use_outlives_its_destruction(ends, way):
    """It is gone when the BufferPublisher is closed, and not before: no call meets a dead one."""
    publisher, incoming = ends
    outgoing = rcl_ffi.BufferPublisher(
        publisher, bytearray(serialize_message(String(data='late')))
    )
    publisher.destroy()
    if way == 'direct':
        outgoing.publish()
        assert taken(incoming) == 'late'
    else:
        with pytest.raises(Exception, match='destruction'):
            outgoing.publish()
    outgoing.close()
    with pytest.raises(Exception, match='(?i)destruction|handle'):
        publisher.publish(String(data='never'))


AFTER_SHUTDOWN = """
import rclpy
from rclpy.serialization import serialize_message
from std_msgs.msg import String
from robodyn_ros.ros.transport import rcl_ffi as wire
from robodyn_ros.ros.transport.polled_group import PolledGroup
rclpy.init()
node = rclpy.create_node('wire_shutdown')
subscription = node.create_subscription(String, 'wire_shutdown', print, 1, raw=True,
                                        callback_group=PolledGroup())
incoming = wire.BufferSubscription(subscription)
outgoing = wire.BufferPublisher(node.create_publisher(String, 'wire_shutdown', 1),
                     bytearray(serialize_message(String(data='x'))))
outgoing.publish()
rclpy.shutdown()
for call in (outgoing.publish, incoming.take_message):
    try:
        call()
        print('nothing')
    except Exception as error:
        print(type(error).__name__)
outgoing.close()
incoming.close()
print('closed')
"""


def test_after_shutdown_the_buffer_is_published_and_nothing_crashes():
    """What is taken then is refused by rclpy, or is what had come before."""
    done = subprocess.run(
        [sys.executable, '-c', AFTER_SHUTDOWN], capture_output=True, text=True, timeout=PATIENCE
    )
    lines = done.stdout.split()
    assert done.returncode == 0, done.stderr
    refusals = 'RCLError', 'InvalidHandle'  # of Jazzy's rclpy, of Kilted's
    assert lines[0] == 'nothing' and lines[2:] == ['closed']
    assert lines[1] in (*refusals, 'nothing')


def test_a_library_of_another_layout_is_not_used(monkeypatch):
    """The struct is looked at before the first message; rclpy then does everything."""

    class Swapped(rcl_ffi.ctypes.Structure):
        _fields_ = [rcl_ffi._Octets._fields_[k] for k in (0, 2, 1, 3)]

    rcl_ffi.library.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(rcl_ffi, '_Octets', Swapped)
        assert rcl_ffi.library() is None
    rcl_ffi.library.cache_clear()
    assert rcl_ffi.library() is not None


def test_row_51_the_last_message_is_logged_after_the_context_has_gone():
    """rcl refuses then; the middleware still has the publisher, until it is destroyed."""
    contexts = [rclpy.Context() for _ in range(2)]
    for context in contexts:
        rclpy.init(context=context)
    sender, receiver = (
        rclpy.create_node(f'last_{k}', context=context) for k, context in enumerate(contexts)
    )
    heard = receiver.create_subscription(String, 'last_word', lambda _: None, QOS)
    publisher = sender.create_publisher(String, 'last_word', QOS)
    buffer = bytearray(serialize_message(String(data='the end')))
    outgoing = rcl_ffi.BufferPublisher(publisher, buffer)
    deadline = time.monotonic() + PATIENCE
    while publisher.get_subscription_count() == 0 and time.monotonic() < deadline:
        time.sleep(0.01)
    rclpy.shutdown(context=contexts[0])
    with pytest.raises(Exception, match='context|invalid'):
        publisher.publish(String(data='refused'))
    outgoing.publish()
    message = None
    while message is None and time.monotonic() < deadline:
        time.sleep(0.01)
        with heard.handle:
            message = heard.handle.take_message(String, False)
    outgoing.close()
    assert message is not None and message[0].data == 'the end'
    sender.destroy_node()
    receiver.destroy_node()
    rclpy.shutdown(context=contexts[1])


def test_row_9_a_large_message_leaves_no_large_buffer_behind(ends, way):
    publisher, incoming = ends
    for size in (10, 3_000_000, 20):
        publisher.publish(String(data='x' * size))
        until(lambda: incoming.take_message() is not None)
    incoming.take_message()
    assert way == 'rclpy' or incoming._octets.capacity < rcl_ffi.LARGEST_KEPT
