# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every launch file: by launch_testing where it is installed, else by a minimal runner."""

import json
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from support.nodes.launched import TWO_LINK, by_runner
from support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]
HAS_LAUNCH = find_spec('launch_testing') is not None
ON_A_ROBOT = [
    f'description_file:={TWO_LINK}',
    'command_topic:=/efforts',
    'autostart:=true',
    f'params_file:={ROOT / "config" / "simulated_arm.yaml"}',
]
CASES = {
    'simulated_arm': ('simulated_arm', [], 'computed_torque'),
    'simulated_arm in a namespace': (
        'simulated_arm',
        ['namespace:=left', 'law:=gravity_compensation'],
        'gravity_compensation',
    ),
    'computed_torque': ('computed_torque', ON_A_ROBOT, 'computed_torque'),
    'gravity_compensation': ('gravity_compensation', ON_A_ROBOT, 'gravity_compensation'),
}


def by_launch_testing(tmp_path):
    """Run arm_under_launch.py, which goes through the same cases."""
    description = Path(__file__).parent / 'arm_under_launch.py'
    command = [sys.executable, '-m', 'launch_testing.launch_test', str(description)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=PATIENCE)
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Ran 0 tests' not in run.stdout + run.stderr


@pytest.mark.launch_file
@pytest.mark.parametrize('case', ['all'] if HAS_LAUNCH else CASES)
def test_every_launch_file_holds_the_arm_and_ends_cleanly(
    case, tmp_path, node_environment, node_command
):
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    if HAS_LAUNCH:
        by_launch_testing(tmp_path)
    else:
        by_runner(node_environment, node_command, tmp_path, *CASES[case])


RUN = """
import json
import sys
from support.nodes import launch_runner
print(json.dumps(launch_runner.commands(sys.argv[1], dict(a.split(':=') for a in sys.argv[2:]))))
"""


@pytest.mark.skipif(HAS_LAUNCH, reason='launch itself is installed, and runs the files')
@pytest.mark.parametrize(
    'name, argument, words',
    [
        ('simulated_arm', 'use_sim_time:=maybe', "use_sim_time: got 'maybe'"),
        ('controller', 'params_file:=/nowhere.yaml', "there is no file '/nowhere.yaml'"),
    ],
)
def test_a_wrong_argument_of_a_launch_file_is_refused(name, argument, words, node_environment):
    path = f'{ROOT / "test"}:{node_environment["PYTHONPATH"]}'
    command = [sys.executable, '-c', RUN, ROOT / 'launch' / f'{name}.launch.py', argument]
    done = subprocess.run(
        command, env=node_environment | {'PYTHONPATH': path}, capture_output=True, text=True
    )
    assert done.returncode != 0 and words in done.stderr


FOR_CONTROLLER = '/**/robodyn_controller: {ros__parameters: {law: pd}}'
FOR_SIMULATOR = '/left/robodyn_simulator: {ros__parameters: {update_rate: 500}}'


@pytest.mark.skipif(HAS_LAUNCH, reason='launch itself is installed, and runs the files')
@pytest.mark.parametrize(
    ('content', 'readers'),
    [
        (None, ['controller']),  # the default file
        (FOR_CONTROLLER, ['controller']),
        (FOR_SIMULATOR, ['simulator']),
        (f'{FOR_CONTROLLER}\n{FOR_SIMULATOR}', ['simulator', 'controller']),
        ('/**: {ros__parameters: {update_rate: 500}}', ['simulator', 'controller']),
        ('/other: {ros__parameters: {law: pd}}', ['simulator', 'controller']),  # each warns
    ],
    ids=['default', 'controller', 'simulator', 'both', 'any', 'none of them'],
)
def test_a_node_reads_a_parameter_file_that_is_for_it(
    content, readers, node_environment, tmp_path
):
    """So no node of a launch warns of a file that is for the other one."""
    pytest.importorskip('rclpy', reason='rclpy is not installed')
    given = ['namespace:=left']
    if content is not None:
        (tmp_path / 'arm.yaml').write_text(content)
        given.append(f'params_file:={tmp_path / "arm.yaml"}')
    path = f'{ROOT / "test"}:{node_environment["PYTHONPATH"]}'
    command = [sys.executable, '-c', RUN, ROOT / 'launch' / 'simulated_arm.launch.py', *given]
    done = subprocess.run(
        command, env=node_environment | {'PYTHONPATH': path}, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    commands = json.loads(done.stdout.splitlines()[-1])
    assert len(commands) == 2
    assert [Path(c[0]).name for c in commands if '--params-file' in c] == readers
