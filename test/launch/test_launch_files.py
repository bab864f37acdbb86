# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every launch file: by launch_testing where it is installed, else by a minimal runner."""

import signal
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TWO_LINK = ROOT / 'config' / 'urdf' / 'two_link.urdf'
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
START_UP, END = 180.0, 60.0  # [s] for what would never come, on a busy machine


def by_launch_testing(tmp_path):
    """Run arm_under_launch.py, which goes through the same cases."""
    description = Path(__file__).parent / 'arm_under_launch.py'
    command = [sys.executable, '-m', 'launch_testing.launch_test', str(description)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Ran 0 tests' not in run.stdout + run.stderr


def by_runner(environment, node_command, tmp_path, name, arguments, law):
    """Start a launch file, and a simulator where it brings none; watch the arm; end it."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    from robodyn_msgs.msg import ControllerStatus
    from support.node_harness import Graph

    path = f'{ROOT / "test"}:{environment["PYTHONPATH"]}'
    runner = [sys.executable, '-m', 'support.launch_runner', ROOT / 'launch' / f'{name}.launch.py']
    commands = [[*runner, *arguments]]
    if name != 'simulated_arm':
        driver = {
            'urdf_path': TWO_LINK,
            'joint_states_topic': '/joint_states',
            'effort_command_topic': '/efforts',
        }
        given = [word for key, value in driver.items() for word in ('-p', f'{key}:={value}')]
        commands.append(node_command('simulator', *given))
    graph, log = Graph(), tmp_path / 'output.txt'
    with log.open('w') as output:
        started = [
            subprocess.Popen(
                command, env=environment | {'PYTHONPATH': path}, stdout=output, stderr=output
            )
            for command in commands
        ]
    try:
        namespace = '/left' if 'namespace:=left' in arguments else ''
        latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
        heard = graph.collect(ControllerStatus, f'{namespace}/robodyn_controller/status', latched)
        standing = (ControllerStatus.ACTIVE, ControllerStatus.HOLD)
        held = heard.wait(
            lambda status: status.state in standing, f'an arm that is held, under {name}', START_UP
        )
        assert held.law == law and len(held.joint_names) > 0
        for process in started:
            process.send_signal(signal.SIGINT)
        codes = [process.wait(END) for process in started]
        assert codes == [0] * len(started), log.read_text()
        assert 'Traceback' not in log.read_text()
    finally:
        for process in started:
            process.kill()
            process.wait()
        graph.close()


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
from support import launch_runner
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
