# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect other nodes that command the robot."""

import time

from rclpy.qos import QoSProfile, ReliabilityPolicy

from robodyn_ros.ros.transport.polled_group import PolledGroup

LISTENING = 0.5  # [s] in which a running controller publishes, even on an overloaded machine


class PublisherConflict:
    """Watch the command topic for other publishers.

    A publisher of another name counts at once. One with our own name may be a killed predecessor,
    which the middleware lists for 20 s by default. It counts only if its messages arrive. This
    node listens for them while it does not publish itself. Publishers without messages are
    recorded; any further one is another controller.

    `node` (rclpy Node): the controller node.
    `kind` (type): message type of the commands.
    `topic`: name of their topic.
    """

    def __init__(self, node, kind, topic: str):
        self.topic = node.resolve_topic_name(topic)
        self._node, self._kind = node, kind
        self._own = _full_name(node.get_name(), node.get_namespace())
        self._silent: set[bytes] = set()
        self._ours: set[bytes] = set()
        self.start_listening()

    def start_listening(self):
        """Subscribe to the commands of other nodes."""
        qos = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
        self._subscription = self._node.create_subscription(
            self._kind, self.topic, lambda _: None, qos, callback_group=PolledGroup(), raw=True
        )

    def stop_listening(self):
        """End the subscription."""
        if self._subscription is not None:
            self._node.destroy_subscription(self._subscription)
            self._subscription = None

    def other_publishers(self) -> list[str]:
        """Return the full names of the other publishing nodes, before this one publishes.

        This takes the time LISTENING if one of them has our own name.
        """
        other_names, same_name = self._publishers()
        if same_name and not self._receives():
            self._silent, same_name = same_name, set()
        return other_names + [self._own] * bool(same_name)

    def publish(self, make):
        """Create this node's publisher, and recognise it among those of the topic.

        `make` (callable): creates and returns the publisher.
        Returns the result of `make`.
        """
        before = self._publishers()[1]
        publisher = make()
        self._ours = self._publishers()[1] - before
        return publisher

    @property
    def comes_first(self) -> bool:
        """Whether all rivals have our own name, and ours has the smallest GID.

        All of them see the same GIDs, so this is true of exactly one.
        """
        other_names, same_name = self._publishers()
        return not other_names and {min(same_name - self._silent, default=None)} == self._ours

    def rivals(self) -> list[str]:
        """Return the full names of the other publishing nodes, while this one publishes."""
        other_names, same_name = self._publishers()
        return other_names + [self._own] * (len(same_name - self._silent) > 1)

    def receivers(self) -> list[str]:
        """Return the full names of the other nodes that receive the commands."""
        names = {
            _full_name(info.node_name, info.node_namespace)
            for info in self._node.get_subscriptions_info_by_topic(self.topic)
        }
        return sorted(names - {self._own})

    def _publishers(self):
        """Return names of other publishing nodes, and GIDs of publishers under our own name."""
        other_names, same_name = [], set()
        for info in self._node.get_publishers_info_by_topic(self.topic):
            name = _full_name(info.node_name, info.node_namespace)
            if name == self._own:
                same_name.add(bytes(info.endpoint_gid))
            else:
                other_names.append(name)
        return other_names, same_name

    def _receives(self) -> bool:
        self._take()
        received, deadline = False, time.monotonic() + LISTENING
        while not received and time.monotonic() < deadline:
            time.sleep(0.005)
            received = self._take()
        return received

    def _take(self) -> bool:
        with self._subscription.handle:
            return self._subscription.handle.take_message(self._kind, True) is not None


def _full_name(name: str, namespace: str) -> str:
    if 'UNKNOWN' in namespace:  # the middleware discovers the publisher before its node's name
        return 'one whose name is not known yet'
    return f'{namespace.rstrip("/")}/{name}'
