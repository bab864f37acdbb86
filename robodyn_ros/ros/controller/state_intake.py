# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Receive joint states from the topic for the supervisor."""

import time
from collections import Counter
from typing import Callable, Sequence

import numpy as np
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from robodyn_ros.ros.common.joint_messages import JointStateReader
from robodyn_ros.ros.transport.polled_group import PolledGroup
from robodyn_ros.ros.transport.rcl_ffi import BufferSubscription

# Best effort is compatible with any publisher, and depth one keeps the newest state. A deadline
# would exclude every publisher that offers none.
STATE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class StateIntake:
    """Receive `joint_states`, sort them by joint name and pass them to the supervisor.

    Either the loop takes them with `poll` at the start of each cycle, or the executor delivers
    each on arrival. Polling costs less processor time, and no slow callback delays it.

    `node` (rclpy Node): the node that subscribes.
    `joint_names` (sequence of str): the n joints of the robot, in its order.
    `measure` (callable): called with positions and velocities (2, n), time of receipt [s], lag [s]
      and stamp. Returns '' or the reason of a refusal.
    `polled`: whether the loop takes the messages.
    `delivered` (callable): called with the time [s] after each accepted message that the executor
      delivered.
    `lag` (callable): called with a stamp on receipt; returns its age [s].
    `clock` (callable): returns the time of receipt [s].
    `receive_time`: time to receive the last accepted state [s].
    `accepted`: number of accepted messages.
    `rejected` (Counter): number of refused messages by reason.
    `detail`: explanation of the last refusal.
    """

    def __init__(
        self,
        node,
        joint_names: Sequence[str],
        measure: Callable[..., str],
        polled: bool,
        delivered: Callable[[float], None] = lambda _: None,
        lag: Callable[[tuple[int, int]], float] = lambda _: 0.0,
        clock: Callable[[], float] = time.monotonic,
    ):
        self.receive_time = 0.0
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.detail = ''
        self._reader, self._measure = JointStateReader(joint_names), measure
        self._delivered, self._lag, self._node, self._clock = delivered, lag, node, clock
        group = PolledGroup() if polled else None
        self._subscription = node.create_subscription(
            JointState, 'joint_states', self._deliver, STATE_QOS, callback_group=group, raw=True
        )
        self.topic, self.kind = self._subscription.topic_name, 'sensor_msgs/msg/JointState'
        self._incoming = BufferSubscription(self._subscription) if polled else None
        self._take = self._incoming.take_message if self._incoming else lambda: None

    def poll(self, now: float):
        """Take the newest message, if any.

        `now`: time of receipt [s].
        """
        data = self._take()
        if data is not None:
            self.receive(data, now)

    def take_waiting(self):
        """Take a message in place of the executor, which waits for the caller."""
        if self._incoming is None:
            handle = self._subscription.handle
            with handle:
                taken = handle.take_message(self._subscription.msg_type, True)
            if taken is not None:
                self._deliver(taken[0])

    def rehearse(self, _now: float):
        """Decode an earlier message without effect; see JointStateReader.

        `_now`: unused.
        """
        self._reader.rehearse()

    def receive(self, data: np.ndarray, now: float) -> bool:
        """Accept a message, or count its refusal.

        `data`: the serialised JointState.
        `now`: time of receipt [s].
        Returns whether it is accepted.
        """
        reader = self._reader
        reason = reader.decode(data)
        if reason:
            return self._refuse(reason, reader.detail)
        reason = self._measure(reader.state, now, self._lag(reader.stamp), reader.stamp)
        if reason:
            return self._refuse(reason, '')
        self.receive_time = self._clock() - now
        self.accepted += 1
        return True

    def _refuse(self, reason, detail):
        self.rejected[reason] += 1
        self.detail = f'{reason}: {detail}' if detail else reason
        return False

    def close(self):
        """Stop receiving; the loop must have ended."""
        if self._incoming is not None:
            self._incoming.close()
        self._node.destroy_subscription(self._subscription)

    def _deliver(self, data: bytes):
        if self.receive(np.frombuffer(data, np.uint8), self._clock()):
            self._delivered(self._clock())
