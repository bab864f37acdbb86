# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A participant that records what the controller reports and commands, and sends messages."""

import contextlib
import threading
import time

import rclpy
from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, QoSProfile
from std_msgs.msg import Float64MultiArray

from robodyn_msgs.msg import ControllerStatus
from tools.soak.effort_rate import EffortRate
from tools.soak.nodes import SOON

LIMITS = (100.0, 50.0)  # [N m] of the two joints
NAME, COMMANDS = '/robodyn_controller', '/forward_effort_controller/commands'
LATCHED = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class Watcher:
    """Subscribes to status, diagnostics and efforts of the controller; publishes and calls.

    Parameters
    ----------
    most : float
        Largest allowed step from one effort to the next [N m].
    """

    def __init__(self, most):
        rclpy.init()
        self.node = rclpy.create_node('soak')
        self.state, self.reason = '', ''
        self.efforts, self.beyond, self.leaps, self.figures = 0, 0, 0, {}
        self._rate = EffortRate(most)
        self.node.create_subscription(ControllerStatus, f'{NAME}/status', self._status, LATCHED)
        self.node.create_subscription(Float64MultiArray, COMMANDS, self._effort, 100)
        self.node.create_subscription(DiagnosticArray, '/diagnostics', self._diagnose, 10)
        self.publishers, self.clients = {}, {}
        self.closing = False
        self.thread = threading.Thread(target=self._spin)
        self.thread.start()

    def _spin(self):
        with contextlib.suppress(rclpy.executors.ExternalShutdownException):
            while not self.closing:
                rclpy.spin_once(self.node, timeout_sec=0.05)

    def _status(self, message):
        self.state, self.reason = message.state_name, message.reason

    def _effort(self, message, info):
        self.efforts += 1
        good = len(message.data) == 2 and all(
            abs(effort) <= limit for effort, limit in zip(message.data, LIMITS)
        )
        self.beyond += not good  # NaN is not good either
        number, time_sent = info['publication_sequence_number'], 1e-9 * info['source_timestamp']
        self.leaps += self._rate.exceeded(message.data, number, time_sent)

    def _diagnose(self, message):
        for status in message.status:
            if status.name.startswith(NAME.strip('/')):
                self.figures |= {pair.key: pair.value for pair in status.values}

    def wait(self, condition, seconds=SOON):
        """Return whether a condition became true in time."""
        deadline = time.monotonic() + seconds
        while not condition() and time.monotonic() < deadline:
            time.sleep(0.005)
        return condition()

    def send(self, kind, topic, message, qos=10):
        """Publish a message, or bytes unchanged."""
        if topic not in self.publishers:
            self.publishers[topic] = self.node.create_publisher(kind, topic, qos)
        self.publishers[topic].publish(message)

    def call(self, kind, name, request=None, seconds=SOON):
        """Call a service; return its response, None if none came in time."""
        if name not in self.clients:
            self.clients[name] = self.node.create_client(kind, name)
        if not self.clients[name].wait_for_service(seconds):
            return None
        future = self.clients[name].call_async(request or kind.Request())
        done = threading.Event()
        future.add_done_callback(lambda _: done.set())
        return future.result() if done.wait(seconds) else None

    def close(self):
        """End the thread and the participant."""
        self.closing = True
        self.thread.join()
        self.node.destroy_node()
        rclpy.shutdown()
