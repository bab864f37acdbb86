# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Messages are bounded by their bytes before anything of them is decoded."""

import ctypes
import gc
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from rclpy.serialization import serialize_message  # noqa: E402
from std_msgs.msg import String  # noqa: E402

from robodyn_ros.ros.common.robot_source import RobotSource  # noqa: E402
from robodyn_ros.ros.transport import bounded_subscription as bounded  # noqa: E402
from robodyn_ros.ros.transport.bounded_subscription import BoundedSubscription, decoder_for
from robodyn_ros.ros.transport.rcl_ffi import library  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

MOST = 2000


class Bench:
    """A publisher and a subscriber in one executor."""

    def __init__(self, most=MOST):
        self.context = rclpy.Context()
        rclpy.init(context=self.context)
        self.node = rclpy.create_node('bench', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.node)
        self.texts, self.refused = [], []
        self.subscription = BoundedSubscription(
            self.node,
            String,
            'text',
            decoder_for(String, self.keep, self.refused.append),
            10,
            most,
            self.refused.append,
        )
        self.publisher = self.node.create_publisher(String, 'text', 10)

    def keep(self, message):
        self.texts.append(message.data)

    def spin(self, done):
        deadline = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.1)
        assert done()

    def close(self):
        self.subscription.close()
        self.executor.shutdown()
        self.node.destroy_node()
        rclpy.shutdown(context=self.context)


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.close()


def test_row_9_a_large_message_is_dropped_with_nothing_of_it_decoded(bench, monkeypatch):
    decoded = []
    true = bounded.deserialize_message
    monkeypatch.setattr(
        bounded,
        'deserialize_message',
        lambda data, kind: decoded.append(len(data)) or true(data, kind),
    )
    bench.spin(lambda: bench.publisher.get_subscription_count() == 1)
    for text in ('first', 'x' * 1_000_000, 'last'):
        bench.publisher.publish(String(data=text))
    bench.spin(lambda: len(bench.texts) + len(bench.refused) == 3)
    assert bench.texts == ['first', 'last'] and max(decoded) < MOST
    assert bench.refused == ['it has 1000012 bytes; at most 2000 are accepted.'] or (
        '1000009' in bench.refused[0]
    )


def test_row_67_messages_of_many_lengths_leave_nothing_for_the_garbage_collector(bench):
    """It does not run while a controller is active, so that what waits for it is a leak."""
    bench.spin(lambda: bench.publisher.get_subscription_count() == 1)
    while gc.collect():  # finalizers of other tests' objects leave more
        pass
    for length in range(60):
        bench.publisher.publish(String(data='x' * length))
        bench.spin(lambda: len(bench.texts) == length + 1)
    assert gc.collect() == 0


def test_what_cannot_be_decoded_is_refused_with_a_sentence(bench):
    bench.subscription._judge(np.arange(16, dtype=np.uint8))
    assert not bench.texts and bench.refused[0].startswith('it cannot be read: ')


def test_row_9_the_middleware_is_called_without_the_gil(bench):
    """The loop goes on while a large message is copied out of the middleware, and freed."""
    assert library() is not None
    python_api = 0x4  # FUNCFLAG_PYTHONAPI of ctypes: the GIL is kept
    assert not bench.subscription._take._flags_ & python_api
    assert not library().free._flags_ & python_api
    assert ctypes.PyDLL(None).Py_IncRef._flags_ & python_api


class Listener:
    """What a RobotSource asks of its node."""

    parameters = {'robot_description': '', 'urdf_path': ''}

    def create_subscription(self, kind, topic, receive, qos, **_):
        self.topic_name, self.receive = f'/{topic}', receive
        return self

    def get_logger(self):
        return self

    default_callback_group = property(lambda self: self)

    def add_entity(self, _):
        pass

    def warning(self, sentence, **_):
        self.warned = sentence


@pytest.mark.parametrize('text', ['<robot name="ü"/>', '<robot/>', 'x'])
def test_row_2_a_description_is_kept_unchanged_and_reported_once(text, monkeypatch):
    from rclpy.serialization import serialize_message

    monkeypatch.setattr(bounded, 'library', lambda: None)
    told, node = [], Listener()
    source = RobotSource(node, node.parameters, lambda: told.append(1))
    assert not source.available
    for _ in range(2):
        node.receive(serialize_message(String(data=text)))
    assert source.available and told == [1]
    assert source._octets.tobytes().decode() == text
    node.receive(serialize_message(String(data=text + ' ')))
    assert told == [1, 1]
    node.receive(serialize_message(String(data=text))[:7])
    assert told == [1, 1] and 'shorter than it says' in node.warned


def test_what_has_arrived_is_taken_in_order_without_the_executor(bench):
    """Too large messages are refused in their turn; what is taken elsewhere is delivered, too."""
    bench.spin(lambda: bench.publisher.get_subscription_count() == 1)
    for text in ('first', 'x' * MOST, 'second'):
        bench.publisher.publish(String(data=text))
    deadline = time.monotonic() + PATIENCE
    while bench.subscription.delivered < 3 and time.monotonic() < deadline:
        bench.subscription.take_waiting()
    bench.subscription.deliver(serialize_message(String(data='third')))
    assert bench.texts == ['first', 'second', 'third'] and len(bench.refused) == 1
    assert bench.subscription.delivered == 4
