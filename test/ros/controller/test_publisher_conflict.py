# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Who of several controllers on one topic comes first."""

from types import SimpleNamespace

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.ros.controller.publisher_conflict import PublisherConflict  # noqa: E402


class Node:
    """What a PublisherConflict asks of a node; publishers are seen by all who share them."""

    def __init__(self, publishers, identity):
        self.publishers, self.identity = publishers, identity

    def get_name(self):
        return 'controller'

    def get_namespace(self):
        return '/'

    def resolve_topic_name(self, topic):
        return topic

    def create_subscription(self, *_, **__):
        return None

    def get_publishers_info_by_topic(self, _):
        return self.publishers

    def publish(self):
        self.publishers.append(info(self.identity))


def info(identity, name='controller'):
    return SimpleNamespace(node_name=name, node_namespace='/', endpoint_gid=list(identity))


def watches(publishers, *identities):
    """Watches of nodes of one name that publish one after the other."""
    made = []
    for identity in identities:
        node = Node(publishers, identity)
        made.append(PublisherConflict(node, None, '/efforts'))
        made[-1].publish(node.publish)
    return made


@pytest.mark.parametrize('order', [(b'\1\7', b'\2\0', b'\3\3'), (b'\3\3', b'\1\7', b'\2\0')])
def test_of_several_that_see_each_other_one_comes_first(order):
    found = watches([], *order)
    assert [watch.comes_first for watch in found] == [each == min(order) for each in order]


def test_a_node_of_another_name_has_precedence_alone():
    publishers = [info(b'\x09', name='planner')]
    assert not any(watch.comes_first for watch in watches(publishers, b'\1', b'\2'))
    assert watches([], b'\1')[0].rivals() == []
