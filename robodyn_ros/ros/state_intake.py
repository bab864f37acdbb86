"""Joint states on their way from the topic to the supervisor."""
import time
from collections import Counter
from typing import Callable, NamedTuple, Sequence

import numpy as np
from rclpy.callback_groups import CallbackGroup
from rclpy.qos import QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState

from robodyn_ros.ros.messages import JointStateReader

# Best effort and one deep: the newest state counts, and any publisher is compatible. No deadline:
# asking for one silences every publisher that offers none.
STATE_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class PolledGroup(CallbackGroup):
    """Keeps a subscription out of the executor, because somebody else takes its messages."""

    def can_execute(self, entity) -> bool:
        """Never by an executor."""
        return False

    def beginning_execution(self, entity) -> bool:
        """Never by an executor."""
        return False

    def ending_execution(self, entity):
        """Nothing was begun."""


class StateSnapshot(NamedTuple):
    """An accepted joint state; its arrays are never written to again."""

    q: np.ndarray    # (n,) [rad | m]
    qd: np.ndarray   # (n,) [rad/s | m/s]
    stamp: tuple[int, int]   # seconds and nanoseconds, of the message
    time: float      # of receipt, on the monotonic clock [s]


class StateIntake:
    """Takes joint states from `joint_states`, maps them by name and hands them to the supervisor.

    Either the loop takes them with `poll` at the start of each cycle, which costs a third of what
    the executor needs for it (measured: 11 to 15 % of a core at 1 kHz against 33 %) and which no
    slow callback delays, or the executor delivers each as it comes.

    Args:
      node: the node that subscribes.
      joint_names: the robot's joints, in its order.
      measure: called with q, qd, time of receipt; returns '' or the reason of a refusal.
      polled: whether the loop takes the messages.
      delivered: called with the time [s] after each message that the executor delivered.

    """

    def __init__(self, node, joint_names: Sequence[str], measure: Callable[..., str],
                 polled: bool, delivered: Callable[[float], None] = lambda _: None):
        self.latest: StateSnapshot | None = None
        self.accepted = 0
        self.rejected: Counter[str] = Counter()
        self.detail = ''   # about the last message that was refused, for people
        self._reader, self._measure = JointStateReader(joint_names), measure
        self._delivered, self._node = delivered, node
        group = PolledGroup() if polled else None
        self._subscription = node.create_subscription(
            JointState, 'joint_states', self._deliver, STATE_QOS, callback_group=group, raw=True)
        self.topic = self._subscription.topic_name
        self._handle = self._subscription.handle

    def poll(self, now: float):
        """Take the newest message, if there is one; `now` [s] counts as its receipt."""
        with self._handle:
            taken = self._handle.take_message(JointState, True)
        if taken is not None:
            self.receive(taken[0], now)

    def receive(self, data: bytes, now: float) -> bool:
        """Accept a serialised message or count its refusal; whether it was accepted."""
        reader = self._reader
        reason, detail = reader.read(data), reader.detail
        if not reason:
            reason, detail = self._measure(reader.q, reader.qd, now), ''
        if reason:
            self.rejected[reason] += 1
            self.detail = f'{reason}: {detail}' if detail else reason
            return False
        self.latest = StateSnapshot(reader.q, reader.qd, reader.stamp, now)
        self.accepted += 1
        return True

    def close(self):
        """Stop receiving."""
        self._node.destroy_subscription(self._subscription)

    def _deliver(self, data: bytes):
        now = time.monotonic()
        if self.receive(data, now):
            self._delivered(now)
