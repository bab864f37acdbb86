# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Changed messages on every subscription, as bytes, and changed requests to every service.

Only requests that can be decoded are sent; the part `undecodable` sends the others.
"""

import contextlib
import time
from collections import Counter

from rclpy.serialization import deserialize_message, serialize_message

from tools.fuzz import mutated
from tools.raw_requests import RawRequests
from tools.soak import second_arm
from tools.soak.growth import Growth
from tools.soak.interfaces import WORDS, filled, good, heard, is_decodable, served
from tools.soak.log_lines import LogLines
from tools.soak.soak_arm import START

#: With targets of the end effector, and the description from its topic, both are subscribed. Slow
#: loops leave the processor to the messages.
GIVEN = {'law': 'operational_space', 'urdf_path': "''", 'update_rate': 200}
SIMULATED = {'update_rate': 200}
NODES = (
    ('robodyn_controller', '/'),
    ('_robodyn_controller_stop', '/'),
    ('robodyn_simulator', '/'),
    second_arm.NODE,
)
ANSWERING = tuple(node for node in NODES if not node[0].startswith('_'))
DISCOVERY = 3.0  # [s] without a new endpoint
SETTLED = 0.05  # share of the run, after which growth of memory counts
MOST_GROWTH = 8.0  # [MB] in a million messages, eight bytes of each


def malformed(arm, count):
    """Send `count` changed messages; after each round every node must answer a good request."""
    with second_arm.second_arm(arm, SIMULATED) as node, _interfaces(arm) as interfaces:
        sent, unsent, growth = Counter(), 0, None
        nodes = {**arm.nodes, 'second simulator': node}
        lines = LogLines(nodes)
        for _ in arm.turns(count):
            if sum(sent.values()) >= count:
                break
            for name, (publish, data, decoded) in interfaces.items():
                changed = mutated(arm.rng, arm.rng.choice(data))
                taken = (
                    publish(changed) if decoded is None else _request(publish, changed, decoded)
                )
                sent[name] += taken
                unsent += not taken
            second_arm.answers(arm, ANSWERING)
            if growth is None and sum(sent.values()) >= SETTLED * count:
                growth = Growth(nodes)
        grown, logged = growth.judge(arm.expect, MOST_GROWTH), lines.judge(arm.expect)
        topics = sum(decoded is None for _, _, decoded in interfaces.values())
    arm.done = sum(sent.values())
    print(*(f'{number:8} {name}' for name, number in sent.most_common()), sep='\n', flush=True)
    arm.recover()
    (most, _), (least, _) = sent.most_common()[:: len(sent) - 1]
    return (
        f'{arm.done} on {topics} topics and {len(interfaces) - topics} services, from '
        f'{sent[least]} on {least} to {sent[most]} on {most}; {unsent} more not sent, being no '
        f'request or too long; {logged}; memory {grown}; alive and standing afterwards'
    )


@contextlib.contextmanager
def _interfaces(arm):
    """Yield {name: (publish, good messages, type of a request or None)}."""
    watcher, found = arm.watcher, {}
    there = watcher.wait(
        lambda: set(NODES) <= set(watcher.node.get_node_names_and_namespaces()), START
    )
    arm.expect(there, 'not every node is known')
    topics, services = _known(watcher)
    with contextlib.ExitStack() as stack:
        for topic, kind in topics.items():
            publish = _publisher(watcher, kind, topic)
            found[topic] = publish, [serialize_message(good(kind))], None
        for name, kind in services.items():
            raw = RawRequests(watcher.node, kind, name)
            stack.callback(raw.close)
            requests = [kind.Request(), *(filled(kind.Request, word) for word in WORDS)]
            found[name] = raw.publish, [serialize_message(each) for each in requests], kind.Request
        yield found


def _known(watcher):
    """Return subscriptions and services, as soon as discovery adds no more of them."""
    found, before = None, ()
    while found != before:
        before, found = found, (heard(watcher, NODES), served(watcher, NODES))
        time.sleep(DISCOVERY)
    return found


def _publisher(watcher, kind, topic):
    def publish(data):
        try:
            watcher.send(kind, topic, data)
        except RuntimeError:  # too long for the middleware
            return False
        return True

    return publish


def _request(publish, data, kind):
    """Send a request if ROS could serialise it; return whether it was sent."""
    return is_decodable(data, kind) and publish(serialize_message(deserialize_message(data, kind)))
