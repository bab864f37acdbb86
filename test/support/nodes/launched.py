# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A launch file under the minimal runner, watched until its arm is held, and then ended."""

import signal
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
TWO_LINK = ROOT / 'config' / 'urdf' / 'two_link.urdf'
START_UP, END = 180.0, 60.0  # [s] for what would never come, on a busy machine


def by_runner(environment, node_command, tmp_path, name, arguments, law):
    """Start a launch file, and a simulator where it brings none; watch the arm; end it."""
    from rclpy.qos import DurabilityPolicy, QoSProfile

    from robodyn_msgs.msg import ControllerStatus
    from support.nodes.node_harness import Graph

    path = f'{ROOT / "test"}:{environment["PYTHONPATH"]}'
    file = ROOT / 'launch' / f'{name}.launch.py'
    runner = [sys.executable, '-m', 'support.nodes.launch_runner', file]
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
        assert 'has nothing for this node' not in log.read_text()
    finally:
        for process in started:
            process.kill()
            process.wait()
        graph.close()
