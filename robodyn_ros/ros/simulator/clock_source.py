# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulated time on /clock, from one source."""

import random
from threading import Lock
from typing import Callable

from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock

from robodyn_ros.ros.common.joint_messages import set_stamp

CLOCK_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
MAX_SKIPPED = 4  # checks that a source skips after it yielded


class ClockSource:
    """Publish simulated time, unless another node does.

    Two sources that start together see each other and both yield. Each then skips a random number
    of checks, so that one of them resumes first.

    `node` (rclpy Node): the node that publishes.
    `lock` (Lock): lock that the caller of `publish` holds.
    `draw` (callable): called with n; returns a random integer from 0 to n - 1.
    """

    def __init__(self, node, lock: Lock, draw: Callable[[int], int] = random.randrange):
        self._node, self._lock, self._draw = node, lock, draw
        self._message, self._publisher = Clock(), None
        self._skips = 0  # checks to skip

    @property
    def active(self) -> bool:
        """Whether this source publishes."""
        return self._publisher is not None

    def start_or_yield(self) -> str:
        """Start, continue or yield.

        Returns '', or why this source does not publish.
        """
        if self._node.count_publishers('/clock') > self.active:
            if self.active:
                self._skips = self._draw(MAX_SKIPPED + 1)
                self.close()
            return "Another node publishes '/clock', so this one does not: time has one source."
        if not self.active and not self._skips:
            self._publisher = self._node.create_publisher(Clock, '/clock', CLOCK_QOS)
        self._skips = max(0, self._skips - 1)
        return ''

    def publish(self, nanoseconds: int):
        """Publish a simulated time.

        `nanoseconds`: the time [ns].
        """
        if self._publisher is not None:
            set_stamp(self._message.clock, nanoseconds)
            self._publisher.publish(self._message)

    def close(self):
        """Stop publishing."""
        with self._lock:
            publisher, self._publisher = self._publisher, None
            if publisher is not None:
                self._node.destroy_publisher(publisher)
