# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Subscriptions and services of nodes, and a valid message of each type."""

import importlib
import re

from rclpy.serialization import deserialize_message

from tools.soak.nodes import URDF
from tools.soak.soak_arm import JOINTS
from tools.soak.watcher import COMMANDS

WORDS = (*JOINTS, 'link2', 'effort_limits', 'state_timeout')
UNTOUCHED = (  # by the parts, each for its own reason
    COMMANDS,  # the watcher checks the commands; /garbage has a topic of the same type
    '/parameter_events',
    '/clock',
)


def loaded(text):
    """Return the class of a type such as std_msgs/msg/Bool."""
    package, folder, name = text.split('/')
    return getattr(importlib.import_module(f'{package}.{folder}'), name)


def filled(kind, word):
    """Return a message without an empty field, with the word in every text."""
    message = kind()
    for name, text in kind.get_fields_and_field_types().items():
        inner = re.fullmatch(r'sequence<([^,]+)(?:, \d+)?>', text)
        if inner:
            setattr(message, name, [_value(inner[1], word) for _ in JOINTS])
        elif '[' not in text:
            setattr(message, name, _value(text, word))
    return message


def _value(text, word):
    if text.startswith('string'):
        return word
    if '/' in text:
        package, name = text.split('/')
        return filled(loaded(f'{package}/msg/{name}'), word)
    if text == 'octet':
        return b'\1'
    return {'boolean': True, 'float': 0.1, 'double': 0.1}.get(text, 1)


def good(kind):
    """Return a valid message of a subscribed type, which controller and arm accept."""
    message = filled(kind, JOINTS[0])
    for field in ('joint_names', 'name'):
        if hasattr(message, field):
            setattr(message, field, list(JOINTS))
    if hasattr(message, 'header'):
        message.header.stamp.sec = message.header.stamp.nanosec = 0
        message.header.frame_id = ''
    if kind.__name__ == 'String':
        message.data = URDF.read_text()
    return message


def is_decodable(data, kind):
    """Return whether bytes are a valid message of a type."""
    try:
        deserialize_message(data, kind)
    except Exception:  # of the middleware, such as RCLError or UnicodeDecodeError
        return False
    return True


def heard(watcher, nodes):
    """Return {topic: type} of the subscriptions of nodes, each given as (name, namespace)."""
    found = {
        topic: loaded(types[0])
        for node in nodes
        for topic, types in watcher.node.get_subscriber_names_and_types_by_node(*node)
    }
    return {topic: kind for topic, kind in found.items() if topic not in UNTOUCHED}


def served(watcher, nodes):
    """Return {service: type} of the services of nodes, each given as (name, namespace).

    ~/change_state is left out: a request that is valid by chance would rightly end the node.
    """
    return {
        name: loaded(types[0])
        for node in nodes
        for name, types in watcher.node.get_service_names_and_types_by_node(*node)
        if not name.endswith('/change_state')
    }
