# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The emergency stop acts while the controller's own executor does not run at all."""

import signal
import threading
import time

import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')

from rclpy.executors import SingleThreadedExecutor  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from std_srvs.srv import Trigger  # noqa: E402

from robodyn_ros.ros.common.process import wake_on_signals  # noqa: E402
from robodyn_ros.ros.controller.emergency_stop import EmergencyStop  # noqa: E402
from support.patience import PATIENCE  # noqa: E402

ENCLAVE = '/robodyn/controller'
PREFIX = 12  # octets of an identity that name the participant


class Bench:
    """A controller without an executor, its emergency stop, and a client."""

    def __init__(self):
        self.context = rclpy.Context()
        rclpy.init(args=['--ros-args', '--enclave', ENCLAVE], context=self.context)
        self.node = rclpy.create_node('arm', namespace='left', context=self.context)
        self.asker = rclpy.create_node('asker', context=self.context)
        self.executor = SingleThreadedExecutor(context=self.context)
        self.executor.add_node(self.asker)
        self.stopped, self.answer = [], (True, 'FAULT: It has been stopped.')
        self.stop = EmergencyStop(self.node, self.note)

    def note(self):
        self.stopped.append(threading.current_thread().name)
        return self.answer

    def spin(self, done):
        deadline = time.monotonic() + PATIENCE
        while not done() and time.monotonic() < deadline:
            self.executor.spin_once(timeout_sec=0.05)
        assert done()

    def call(self):
        client = self.asker.create_client(Trigger, '/left/arm/stop')
        self.spin(client.service_is_ready)
        future = client.call_async(Trigger.Request())
        self.spin(future.done)
        return future.result()

    def close(self):
        self.stop.close()
        self.executor.shutdown()
        self.asker.destroy_node()
        self.node.destroy_node()
        rclpy.try_shutdown(context=self.context)


@pytest.fixture
def bench():
    made = Bench()
    yield made
    made.close()


def test_row_79_the_service_waits_for_no_executor_of_the_controller(bench):
    for wanted in (bench.answer, (False, 'WAIT_MODEL: There is nothing to stop.')):
        bench.answer = wanted
        answer = bench.call()
        assert (answer.success, answer.message) == wanted
    assert bench.stopped == ['robodyn_stop'] * 2


def test_row_79_the_topic_stops_and_its_release_does_nothing(bench):
    publisher = bench.asker.create_publisher(Bool, '/left/arm/emergency_stop', 1)
    bench.spin(lambda: publisher.get_subscription_count() == 1)
    publisher.publish(Bool(data=True))
    bench.spin(lambda: len(bench.stopped) == 1)
    publisher.publish(Bool(data=False))
    publisher.publish(Bool(data=True))
    bench.spin(lambda: len(bench.stopped) == 2)


def test_row_79_a_request_shares_no_socket_with_large_messages(bench):
    """Each participant has its own; the second one is in the enclave of the first."""
    topic, find = '/left/arm/emergency_stop', bench.asker.get_subscriptions_info_by_topic
    bench.node.create_subscription(Bool, 'large', lambda _: None, 1)
    bench.spin(lambda: find(topic) and find('/left/large'))
    participants = [
        tuple(info.endpoint_gid[:PREFIX]) for name in (topic, '/left/large') for info in find(name)
    ]
    assert len(participants) == 2 and participants[0] != participants[1]
    nodes = bench.asker.get_node_names_and_namespaces_with_enclaves
    bench.spin(lambda: '_arm_stop' in [name for name, _, _ in nodes()])
    assert {enclave for _, _, enclave in nodes()} == {ENCLAVE}


def test_row_49_it_ends_with_the_context(bench):
    rclpy.shutdown(context=bench.context)
    bench.stop._thread.join(PATIENCE)
    assert not bench.stop._thread.is_alive()


def test_row_79_the_signal_stops_from_a_thread_of_its_own():
    """While the main thread waits for it in here, and so cannot run any handler's work."""
    stopped = threading.Event()

    class Executor:
        def wake(self):
            pass

    before = signal.signal(signal.SIGUSR1, lambda *_: None)
    try:
        wake_on_signals(Executor(), stopped.set)
        signal.raise_signal(signal.SIGUSR1)
        assert stopped.wait(PATIENCE)
    finally:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGUSR1, before)
