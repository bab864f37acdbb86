# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect other nodes that command the robot."""

import time

from rclpy.qos import QoSProfile, ReliabilityPolicy

from robodyn_ros.ros.transport.polled_group import PolledGroup

LISTENING = 0.5  # [s] in which a live controller publishes, even one that is starved


class CommandWatch:
    """Watch the command topic for other publishers.

    A publisher of another name counts at once. One with our own name may be a killed predecessor,
    which the middleware lists for 20 s by default. It counts only if its messages arrive. This
    node listens for them while it does not publish itself. Publishers without messages are
    recorded; any further one is another controller.

    Parameters
    ----------
    node
        The controller.
    kind
        Message type of the commands.
    topic : str
        Their topic.
    """

    def __init__(self, node, kind, topic: str):
        self.topic = node.resolve_topic_name(topic)
        self._node, self._kind, self._heard = node, kind, False
        self._own = _full_name(node.get_name(), node.get_namespace())
        self._silent: set[bytes] = set()
        self._ours: set[bytes] = set()
        self.start_listening()

    def start_listening(self):
        """Start listening."""
        qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._subscription = self._node.create_subscription(
            self._kind, self.topic, self._hear, qos, callback_group=PolledGroup(), raw=True
        )

    def stop_listening(self):
        """Stop listening."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def others(self) -> list[str]:
        """Return the full names of the other publishing nodes, before this one publishes.

        This takes the time LISTENING if one of them has our own name.
        """
        strangers, twins = self._publishers()
        if twins and not self._is_heard():
            self._silent, twins = twins, set()
        return strangers + [self._own] * bool(twins)

    def publish(self, make):
        """Create this node's publisher with make(), and return it."""
        before = self._publishers()[1]
        publisher = make()
        self._ours = self._publishers()[1] - before
        return publisher

    @property
    def comes_first(self) -> bool:
        """Whether all intruders have our own name, and ours has the least identity.

        All of them see the same identities, so this is true of exactly one.
        """
        strangers, twins = self._publishers()
        return not strangers and {min(twins - self._silent, default=None)} == self._ours

    def intruders(self) -> list[str]:
        """Return the full names of the other publishing nodes, while this one publishes."""
        strangers, twins = self._publishers()
        return strangers + [self._own] * (len(twins - self._silent) > 1)

    def listeners(self) -> list[str]:
        """Return the full names of the other nodes that receive the commands."""
        names = {
            _full_name(info.node_name, info.node_namespace)
            for info in self._node.get_subscriptions_info_by_topic(self.topic)
        }
        return sorted(names - {self._own})

    def _publishers(self):
        """Return other publishing nodes, and identities of publishers under our own name."""
        strangers, twins = [], set()
        for info in self._node.get_publishers_info_by_topic(self.topic):
            name = _full_name(info.node_name, info.node_namespace)
            if name == self._own:
                twins.add(bytes(info.endpoint_gid))
            else:
                strangers.append(name)
        return strangers, twins

    def _hear(self, _):
        self._heard = True  # the events executor ignores callback groups and delivers

    def _is_heard(self) -> bool:
        self._take()
        self._heard, deadline = False, time.monotonic() + LISTENING
        while not self._heard and time.monotonic() < deadline:
            time.sleep(0.005)
            self._heard = self._heard or self._take()
        return self._heard

    def _take(self) -> bool:
        with self._subscription.handle:
            return self._subscription.handle.take_message(self._kind, True) is not None


def _full_name(name: str, namespace: str) -> str:
    if 'UNKNOWN' in namespace:  # the middleware discovers the publisher before its node's name
        return 'one whose name is not known yet'
    return f'{namespace.rstrip("/")}/{name}'
