# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hints about a topic on which messages are missing."""

from rclpy.qos import QoSCompatibility, qos_check_compatible
from rclpy.topic_endpoint_info import TopicEndpointTypeEnum

MOST = 3  # number of other topics that a hint names


def silent_topic(node, topic: str, kind: str) -> str:
    """Return a sentence that names the publishers of a topic, or other topics of its type.

    `node` (rclpy Node): the node that subscribes.
    `topic`: full name of the silent topic.
    `kind`: type of its messages, as 'sensor_msgs/msg/JointState'.
    """
    types = dict(node.get_topic_names_and_types())
    count = node.count_publishers(topic)
    if count:
        publishing = 'one node publishes' if count == 1 else f'{count} nodes publish'
        known = types.get(topic, [])
        other = [name for name in known if name != kind]
        other_types = f' {", ".join(other)} instead of {kind}' if other else ''
        return f"Nothing has come on '{topic}', where {publishing}{other_types}."
    others = [
        name
        for name, kinds in types.items()
        if kind in kinds and name != topic and _others_publish(node, name)
    ]
    others.sort(key=lambda name: (not _similar(name, topic), name))
    if not others:
        return f"Nothing has come on '{topic}': no node publishes {kind} there, nor elsewhere."
    listed = ', '.join(f"'{name}'" for name in others[:MOST])
    return f"No node publishes on '{topic}'; {kind} is published on {listed}."


def incompatible_publishers(node) -> list[str]:
    """Return a sentence for each publisher with an incompatible quality of service.

    `node` (rclpy Node): the node that subscribes.
    """
    sentences = []
    for subscription in node.subscriptions:
        topic, ours = subscription.topic_name, subscription.qos_profile
        for info in node.get_publishers_info_by_topic(topic):
            compatible, why = qos_check_compatible(info.qos_profile, ours)
            if compatible == QoSCompatibility.ERROR:
                name = f'{info.node_namespace.rstrip("/")}/{info.node_name}'
                policies = why.removeprefix('ERROR: ').rstrip('; ').lower()
                sentences.append(f"'{name}' does not reach '{topic}': {policies}.")
    return sentences


def _others_publish(node, topic):
    return any(
        info.endpoint_type is TopicEndpointTypeEnum.PUBLISHER and info.node_name != node.get_name()
        for info in node.get_publishers_info_by_topic(topic)
    )


def _similar(name, topic):
    """Return whether the last part of one name contains that of the other."""
    first, second = (each.rpartition('/')[2] for each in (name, topic))
    return first in second or second in first
