# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A second simulated arm, which receives only garbage, and a check that nodes still answer."""

import contextlib

from lifecycle_msgs.srv import GetState
from std_msgs.msg import String

from tools.soak.nodes import URDF, Node
from tools.soak.soak_arm import START
from tools.soak.watcher import LATCHED

NODE = ('robodyn_simulator', '/garbage')
PATIENCE = 20.0  # [s] for an answer of a node that is busy with messages


@contextlib.contextmanager
def second_arm(arm, simulated):
    """Yield the node of the arm, with parameters; it gets its description by the topic."""
    topics = {'joint_states_topic': 'joint_states', 'effort_command_topic': 'efforts'}
    remaps = ['-r', f'__ns:={NODE[1]}']
    node = Node('simulator', arm.folder, remaps, urdf_path="''", **topics, **simulated)
    try:
        description = String(data=URDF.read_text())
        arm.watcher.send(String, f'{NODE[1]}/robot_description', description, LATCHED)
        known = arm.watcher.node.get_node_names_and_namespaces
        arm.expect(arm.watcher.wait(lambda: NODE in known(), START), 'the second arm is unknown')
        # during its start a node does not yet have all of its threads
        active = arm.watcher.wait(lambda: _state(arm, NODE, PATIENCE) == 'active', START)
        arm.expect(active, 'the second arm does not become active')
        yield node
        arm.expect(node.lives and 'Traceback' not in node.output(), node.log.name)
    finally:
        arm.expect(node.end() == 0, f'{node.log.name} did not end well')


def answers(arm, nodes, patience=PATIENCE):
    """Wait until each (name, namespace) has answered, so that it has read all earlier messages."""
    for node in nodes:
        arm.expect(_state(arm, node, patience), f'{node[0]} does not answer')


def _state(arm, node, patience):
    """Return the state of the life cycle, '' without an answer."""
    name, namespace = node
    service = f'{namespace.rstrip("/")}/{name}/get_state'
    answer = arm.watcher.call(GetState, service, seconds=patience)
    return answer.current_state.label if answer else ''
