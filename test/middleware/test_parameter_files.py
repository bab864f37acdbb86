# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A parameter file for other nodes causes a warning: mostly a name is misspelt."""

import errno
import subprocess
from pathlib import Path

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.middleware.parameter_files import for_others
from support.patience import PATIENCE

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'two_link.urdf'
NODE = '/left/robodyn_controller'


def sentences(tmp_path, *names, node=NODE):
    """Return the warnings about a file with parameters of these nodes."""
    path = tmp_path / 'arm.yaml'
    path.write_text('\n'.join(f'{name}: {{ros__parameters: {{rate: 1}}}}' for name in names))
    return for_others(['--ros-args', '--params-file', str(path)], node)


@pytest.mark.parametrize(
    'name',
    ['/**', NODE, 'left/robodyn_controller', '/**/robodyn_controller', '/*/robodyn_controller'],
)
def test_a_file_for_the_node_is_not_reported(tmp_path, name):
    assert sentences(tmp_path, 'somebody', name) == []


@pytest.mark.parametrize('name', ['robodyn_controller', '/left/robodyn_controler', '/*'])
def test_a_file_for_other_nodes_is_reported(tmp_path, name):
    (sentence,) = sentences(tmp_path, 'somebody', name)
    assert f"nothing for this node, '{NODE}'" in sentence
    assert f"it is for '/somebody', '/{name.strip('/')}'" in sentence


def test_namespaces_may_be_nested(tmp_path):
    path = tmp_path / 'arm.yaml'
    path.write_text('left:\n  robodyn_controller:\n    ros__parameters:\n      rate: 1\n')
    arguments = ['--ros-args', '--params-file', str(path)]
    assert for_others(arguments, NODE) == []
    assert "it is for '/left/robodyn_controller'" in for_others(arguments, '/other')[0]


def test_every_file_is_judged_and_none_is_needed(tmp_path):
    assert for_others(['--ros-args', '-p', 'rate:=1'], NODE) == []
    path = tmp_path / 'empty.yaml'
    path.write_text('')
    assert for_others(['--params-file', str(path)], NODE) == []


def test_a_file_that_can_no_longer_be_read_is_a_sentence(monkeypatch, tmp_path):
    """The node has its parameters already, and runs with them."""

    def refuse(*_, **__):
        raise PermissionError(errno.EACCES, 'Permission denied')

    monkeypatch.setattr(Path, 'read_text', refuse)
    assert for_others(['--params-file', '/arm.yaml'], NODE) == [
        "Parameter file '/arm.yaml' is not examined: Permission denied."
    ]


@pytest.mark.ros
def test_a_node_reports_it_at_its_start(tmp_path, node_command, node_environment):
    pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')
    path = tmp_path / 'arm.yaml'
    path.write_text('robodyn_simulater: {ros__parameters: {update_rate: 500}}')
    given = [f'urdf_path:={URDF}', 'initial_position:=[0.1]', 'end_when_refused:=true']
    words = [word for value in given for word in ('-p', value)]
    done = subprocess.run(
        node_command('simulator', *words, '--params-file', path),
        env=node_environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )
    assert done.returncode == 2
    assert "has nothing for this node, '/robodyn_simulator'" in done.stderr
