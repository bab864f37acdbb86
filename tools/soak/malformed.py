# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Changed messages on every subscription, as bytes, and changed requests to every service.

A request is sent if it can be decoded: Fast CDR 2.2 reads beyond the end of one that cannot.
"""

import contextlib
import time
from collections import Counter

from lifecycle_msgs.srv import GetState
from rclpy.serialization import deserialize_message, serialize_message
from std_msgs.msg import String

from tools.fuzz import mutated
from tools.raw_requests import RawRequests
from tools.soak.interfaces import WORDS, filled, good, heard, served
from tools.soak.nodes import URDF, Node
from tools.soak.soak_arm import START
from tools.soak.watcher import LATCHED

#: The end effector has targets, and the description comes by topic, so both are subscribed. Slow
#: loops leave the processor to what is sent.
GIVEN = {'law': 'operational_space', 'urdf_path': "''", 'update_rate': 200}
SIMULATED = {'update_rate': 200}
NODES = (
    ('robodyn_controller', '/'),
    ('_robodyn_controller_stop', '/'),
    ('robodyn_simulator', '/'),
    ('robodyn_simulator', '/garbage'),
)
ANSWERING = tuple(node for node in NODES if not node[0].startswith('_'))
PATIENCE = 20.0  # [s] for an answer of a node that is busy with what was sent
SETTLED = 0.05  # of the length: memory counts from here on


def malformed(arm, count):
    """Send `count` changed messages; after each round every node has answered a good request."""
    with _second_arm(arm), _interfaces(arm) as interfaces:
        sent, unsent, settled, begin = Counter(), 0, False, time.monotonic()
        memory = arm.controller.memory()
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
            _answers(arm)
            if not settled and sum(sent.values()) >= SETTLED * count:
                settled, memory = True, arm.controller.memory()
        seconds, last = time.monotonic() - begin, arm.controller.memory()
        topics = sum(decoded is None for _, _, decoded in interfaces.values())
    arm.done = sum(sent.values())
    arm.recover()
    return (
        f'{arm.done} on {topics} topics and {len(interfaces) - topics} services, at '
        f'least {min(sent.values())} on each; {unsent} more not sent, being no request or too '
        f'long; {_log_rate(arm, seconds)}; controller: memory {last[0] - memory[0]:+.1f} MB, '
        f'threads {last[1] - memory[1]:+d}, files {last[2] - memory[2]:+d}; alive and standing '
        'afterwards'
    )


@contextlib.contextmanager
def _second_arm(arm):
    """Run a simulated arm that receives only garbage, commands included."""
    topics = {'joint_states_topic': 'joint_states', 'effort_command_topic': 'efforts'}
    node = Node(
        'simulator', arm.folder, ['-r', '__ns:=/garbage'], urdf_path="''", **topics, **SIMULATED
    )
    try:
        description = String(data=URDF.read_text())
        arm.watcher.send(String, '/garbage/robot_description', description, LATCHED)
        known = arm.watcher.node.get_node_names_and_namespaces
        there = arm.watcher.wait(lambda: set(NODES) <= set(known()), START)
        arm.expect(there, 'not every node is known')
        _answers(arm)
        yield
        arm.expect(node.lives and 'Traceback' not in node.output(), node.log.name)
    finally:
        arm.expect(node.end() == 0, f'{node.log.name} did not end well')


@contextlib.contextmanager
def _interfaces(arm):
    """Yield {name: (publish, good messages, type of a request or None)}."""
    watcher, found = arm.watcher, {}
    with contextlib.ExitStack() as stack:
        for topic, kind in heard(watcher, NODES).items():
            publish = _publisher(watcher, kind, topic)
            found[topic] = publish, [serialize_message(good(kind))], None
        for name, kind in served(watcher, NODES).items():
            raw = RawRequests(watcher.node, kind, name)
            stack.callback(raw.close)
            requests = [kind.Request(), *(filled(kind.Request, word) for word in WORDS)]
            found[name] = raw.publish, [serialize_message(each) for each in requests], kind.Request
        yield found


def _publisher(watcher, kind, topic):
    def publish(data):
        try:
            watcher.send(kind, topic, data)
        except RuntimeError:  # too long for the middleware
            return False
        return True

    return publish


def _request(publish, data, kind):
    """Send a request if it is one; return whether."""
    try:
        data = serialize_message(deserialize_message(data, kind))
    except Exception:  # as the middleware says it: RCLError, UnicodeDecodeError
        return False
    return publish(data)


def _answers(arm):
    """Wait until each node has answered: it has met what was sent before."""
    for name, namespace in ANSWERING:
        service = f'{namespace.rstrip("/")}/{name}/get_state'
        if arm.watcher.call(GetState, service, seconds=PATIENCE) is None:
            arm.expect(False, f'{name} does not answer')


def _log_rate(arm, seconds):
    """Return how many lines a second the nodes logged."""
    lines = [len(node.output().splitlines()) for node in (arm.controller, arm.simulator)]
    return f'{lines[0] / seconds:.2f} and {lines[1] / seconds:.2f} lines of log a second'
