# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The ros2_control, RViz, PlotJuggler and Foxglove files fit the arms and messages they name."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from robodyn_ros.control import Settings
from support.robots.arm_figures import ARMS, CONFIG, moving_joints, urdf


@pytest.mark.parametrize(
    'plugin',
    (
        'joint_state_topic_hardware_interface/JointStateTopicSystem',
        'topic_based_ros2_control/TopicBasedSystem',
        None,
    ),
)
def test_ros2_control_tag_expands_for_every_joint(plugin):
    xacro = pytest.importorskip('xacro', reason='xacro is not installed')
    document = xacro.process_file(
        str(CONFIG / 'ros2_control/franka_like.urdf.xacro'),
        mappings={'plugin': plugin} if plugin else {},
    )
    robot = ElementTree.fromstring(document.toxml())
    system = robot.find('ros2_control')
    assert system.get('type') == 'system'
    assert system.findtext('hardware/plugin') == (
        plugin or 'joint_state_topic_hardware_interface/JointStateTopicSystem'
    )
    sockets = {p.get('name'): p.text for p in system.findall('hardware/param')}
    assert sockets.pop('trigger_joint_command_threshold') == '-1'
    yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')
    text = yaml.safe_load((CONFIG / 'ros2_control/simulator.yaml').read_text())
    simulator = text['/**/robodyn_simulator']['ros__parameters']
    assert simulator.pop('noise.position') > 0.0  # else an arm at rest looks like a lost one
    assert simulator == sockets and len(sockets) == 2  # so commands in order are off by default
    joints = list(moving_joints(urdf('franka_like')))
    assert [joint.get('name') for joint in system.findall('joint')] == joints
    for joint in system.findall('joint'):
        assert [i.get('name') for i in joint.findall('command_interface')] == ['effort']
        assert [i.get('name') for i in joint.findall('state_interface')] == [
            'position',
            'velocity',
            'effort',
        ]
    assert [link.get('name') for link in robot.findall('link')][-1] == 'tool0'


def test_joints_take_the_requested_commands():
    """The sockets of positions and velocities, beside that of efforts."""
    xacro = pytest.importorskip('xacro', reason='xacro is not installed')
    document = xacro.process_file(
        str(CONFIG / 'ros2_control/franka_like.urdf.xacro'),
        mappings={'commands': 'velocity position'},
    )
    for joint in ElementTree.fromstring(document.toxml()).iterfind('ros2_control/joint'):
        kinds = [i.get('name') for i in joint.findall('command_interface')]
        assert kinds == ['velocity', 'position']


def test_controllers_command_the_joints_of_the_arm_in_its_order():
    yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')
    text = yaml.safe_load((CONFIG / 'ros2_control/franka_like_controllers.yaml').read_text())
    forward = text['forward_effort_controller']['ros__parameters']
    assert forward['joints'] == list(moving_joints(urdf('franka_like')))
    assert forward['interface_name'] == 'effort'
    declared = text['controller_manager']['ros__parameters']
    assert {name for name in declared if isinstance(declared[name], dict)} == {
        'joint_state_broadcaster',
        'forward_effort_controller',
    }


def test_behind_a_broadcaster_the_controller_counts_states_that_repeat():
    """Whatever the torque does, and as lost."""
    yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')
    text = yaml.safe_load((CONFIG / 'ros2_control/controller.yaml').read_text())
    told = text['/**/robodyn_controller']['ros__parameters']
    assert told.pop('stuck_time') < Settings.stuck_time
    assert told == {'stuck_at_rest': True} and Settings.stuck_action == 'stale'


def test_views_show_what_exists():
    yaml = pytest.importorskip('yaml', reason='PyYAML is not installed')
    manager = yaml.safe_load((CONFIG / 'rviz/arm.rviz').read_text())['Visualization Manager']
    for arm in ARMS:
        assert f'<link name="{manager["Global Options"]["Fixed Frame"]}"' in urdf(arm).read_text()
    message = (CONFIG.parent / 'robodyn_msgs/msg/ControllerState.msg').read_text()
    curves = ElementTree.parse(CONFIG / 'plotjuggler/tracking.xml').getroot().iter('curve')
    fields = {re.search(r'controller_state/(\w+)\[[0-6]\]$', c.get('name'))[1] for c in curves}
    assert fields == {'position_error', 'effort'}
    for field in fields:
        assert re.search(rf'float64\[\]\s+{field}\b', message), field


def test_the_foxglove_layout_shows_what_exists():
    """Each panel is placed once, and each path is a field of the messages that we publish."""
    layout = json.loads((CONFIG / 'foxglove/tracking.json').read_text())
    panels = layout['configById']
    placed = re.findall(r'"(\w+!\w+)"', json.dumps(layout['layout']))
    assert sorted(placed) == sorted(panels)
    message = (CONFIG.parent / 'robodyn_msgs/msg/ControllerState.msg').read_text()
    paths = [path['value'] for panel in panels.values() for path in panel.get('paths', ())]
    assert len(paths) == 15
    for path in paths:
        field = re.fullmatch(r'/robodyn_controller/controller_state\.(\w+)(\[[0-6]\])?', path)
        kind = r'float64\[\]' if field[2] else 'string'
        assert re.search(rf'^{kind}\s+{field[1]}\b', message, re.MULTILINE), path
    scene = panels['3D!arm']
    assert scene['topics'] == {'/robot_description': {'visible': True}}
    for arm in ARMS:
        assert f'<link name="{scene["followTf"]}"' in urdf(arm).read_text()
