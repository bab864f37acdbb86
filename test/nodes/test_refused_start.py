# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A start that the parameters make impossible: one error, and the end of the process if asked."""

import re

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes.node_harness import COLD, EASY, SIMULATED, TWO_LINK, wait_until

pytestmark = pytest.mark.ros

IMPOSSIBLE = {
    'controller': ({**EASY, 'law': 'nonsense'}, "control law: got 'nonsense'"),
    'simulator': (
        {'urdf_path': str(TWO_LINK), 'initial_position': [0.1]},
        "Parameter 'initial_position'",
    ),
}


@pytest.mark.parametrize('name', IMPOSSIBLE)
def test_a_refused_start_ends_the_process_if_the_launch_file_requires_it(start, name):
    parameters, sentence = IMPOSSIBLE[name]
    node = start(name, **parameters, end_when_refused=True)
    wait_until(lambda: not node.running, 'the end of the process', COLD)
    code, _ = node.stop()
    assert code == 2
    assert node.output.count(sentence) == 1 and 'ERROR' in node.output
    assert 'Traceback' not in node.output


def test_a_refused_start_leaves_the_node_to_be_mended_by_default(host, probe):
    node = host('controller', **SIMULATED, law='nonsense')
    node.wait_for_output("control law: got 'nonsense'", COLD)
    probe.wait_for('WAIT_MODEL')
    assert probe.set(law='computed_torque').successful
    assert probe.change_state('configure')
    assert node.running


WITHOUT_DYNAMICS = {
    'no inertias': (
        re.sub('<inertial>.*?</inertial>', '', TWO_LINK.read_text(), flags=re.DOTALL),
        "no dynamics: links 'link1', 'link2' move, but nothing on them",
    ),
    'no joints': (
        '<robot name="post"><link name="post"/></robot>',
        "robot 'post' has kinematics and no dynamics: no joint moves; expected one that is",
    ),
}


@pytest.mark.parametrize('name', ['controller', 'simulator'])
@pytest.mark.parametrize('kind', WITHOUT_DYNAMICS)
def test_a_robot_without_dynamics_is_refused_at_configure(host, name, kind, tmp_path):
    """With its links named: a wrong torque would be worse."""
    path = tmp_path / 'bare.urdf'
    path.write_text(WITHOUT_DYNAMICS[kind][0])
    given = SIMULATED if name == 'controller' else {}
    node = host(name, **{**given, 'urdf_path': str(path)})
    node.wait_for_output('Cannot configure', COLD)
    assert WITHOUT_DYNAMICS[kind][1] in node.output
    assert node.running
