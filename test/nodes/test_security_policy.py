# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The security policy against the graph of running nodes: each name, in its direction."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

for package in ('control_msgs', 'nav_msgs', 'simulation_interfaces'):
    action_type.provide(package)

from robodyn_ros.ros.common.lifecycle_node import UNCONFIGURED
from support.nodes.node_harness import COLD, SIMULATED, TWO_LINK, wait_until
from support.security import allowed

pytestmark = [pytest.mark.ros, pytest.mark.slow]

PERMISSIONS = {
    'publishes': ('topic', {'publish': 'ALLOW'}),
    'subscribes': ('topic', {'subscribe': 'ALLOW'}),
    'replies': ('service', {'reply': 'ALLOW'}),
    'requests': ('service', {'request': 'ALLOW'}),
    'executes': ('action', {'execute': 'ALLOW'}),
}
UNSEEN = {'rosout'}  # only nodes in processes of their own have it
SIX_JOINTS = TWO_LINK.with_name('ur_like.urdf')
ARM = {'urdf_path': str(TWO_LINK)}
#: Parameters that open every optional topic, service and action of a node.
USES = {
    'controller': {
        'an arm': SIMULATED,
        'an end effector': {
            **SIMULATED,
            'law': 'operational_space',
            'urdf_path': str(SIX_JOINTS),
            'operational_space__frame': 'tool0',
            'osi_publish_rate': 100.0,
        },
        'a moving base': {
            **SIMULATED,
            'law': 'floating_base_computed_torque',
            'floating_base_computed_torque__base': 'moved',
        },
        'lock step': {**ARM, 'trigger': 'lock_step', 'robot_compensates_gravity': "'no'"},
        'a description by topic': {},
    },
    'simulator': {
        'all sensors': {
            **ARM,
            'publish_clock': True,
            'imu__frames': ['tool0'],
            'force_torque__frames': ['tool0'],
            'joint_torque__enabled': True,
            'motor_encoders__enabled': True,
        },
        'a free base': {**ARM, 'free_base': True, 'use_sim_time': True},
        'lock step': {**ARM, 'trigger': 'lock_step', 'lock_step__participants': ['someone']},
        'ros2_control': {**ARM, 'joint_states_topic': 'robot_joint_states'},
        'a description by topic': {},
    },
}
PUBLISHED_LAST = {'an arm': 'forward_effort_controller/commands', 'all sensors': 'clock'}


def listed(node, name):
    """Return what the graph says of a node, as {use: names without their leading slash}."""
    reading = {
        'publishes': node.get_publisher_names_and_types_by_node,
        'subscribes': node.get_subscriber_names_and_types_by_node,
        'replies': node.get_service_names_and_types_by_node,
        'requests': node.get_client_names_and_types_by_node,
    }
    found = {use: {each[1:] for each, _ in read(name, '/')} for use, read in reading.items()}
    found['executes'] = {
        each.partition('/_action/')[0] for each in found['replies'] if '/_action/' in each
    }
    return {
        use: {each for each in names if '/_action/' not in each} for use, names in found.items()
    }


def opened(node):
    """Return the names that a node has opened, as far as rclpy lists them."""
    topics = [each.topic_name for each in (*node.publishers, *node.subscriptions)]
    return {name[1:] for name in (*topics, *(each.service_name for each in node.services))}


def until_complete(graph, hosted, name, last):
    """Return {use: names} of a running node, with its participant for the emergency stop.

    last : a name that it publishes later than it is configured, or None.
    """
    last_opened = {f'robodyn_{name}': opened(hosted.node)}
    if name == 'controller':
        last_opened['_robodyn_controller_stop'] = {'robodyn_controller/emergency_stop'}

    def complete():
        if not set(last_opened) <= set(graph.node.get_node_names()):
            return None
        found = [listed(graph.node, each) for each in last_opened]
        for uses, names in zip(found, last_opened.values()):
            if not names <= set().union(*uses.values()):
                return None
        every = {use: set().union(*(each[use] for each in found)) for use in PERMISSIONS}
        return every if last is None or last in every['publishes'] else None

    return wait_until(complete, 'all names in the graph')


@pytest.mark.parametrize('name', USES)
def test_row_72_the_policy_allows_what_a_node_opens_and_nothing_else(request, graph, host, name):
    """Whatever its parameters turn on, each name in its direction."""
    if name == 'controller':
        request.getfixturevalue('arm')  # it publishes the clock, which a simulator then does not
    used = {use: set() for use in PERMISSIONS}
    for case, parameters in USES[name].items():
        hosted = host(name, **parameters)
        if parameters:
            wait_until(
                lambda: hosted.node.phase != UNCONFIGURED or hosted.node.complaint, case, COLD
            )
            # Later it may complain that what it listens to does not come.
            assert hosted.node.phase != UNCONFIGURED, hosted.node.complaint
        for use, names in until_complete(graph, hosted, name, PUBLISHED_LAST.get(case)).items():
            used[use] |= names
        hosted.close()
    for use, (kind, permission) in PERMISSIONS.items():
        permitted = allowed(name, kind, **permission)
        assert used[use] <= permitted, f'{name} {use} what the policy does not allow'
        assert permitted - UNSEEN <= used[use], f'{name} never {use} what the policy allows'
