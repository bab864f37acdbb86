# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot touches what a YAML file describes."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_ros import Robot
from support.nodes.node_harness import COLD, ROOT

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

URDF = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
START = [0.3, 0.4, -0.2, -1.9, 0.1, 2.3, 0.5]
FILE = """
shapes:
  fingertip: {link: tool0, sphere: 0.03}
obstacles:
  table: {box: [0.6, 0.6, 0.1], xyz: [%f, %f, %f], friction: 0.8}
"""


def test_the_simulated_arm_falls_on_a_table(simulated_robot, tmp_path):
    """Without torque it folds, with its fingertip on the table and never below it."""
    robot = Robot.from_urdf(URDF)
    tip = robot.pose(START, 'tool0')[:3, 3]
    path = tmp_path / 'contacts.yaml'
    path.write_text(FILE % (*tip[:2], tip[2] - 0.1))
    arm = simulated_robot(
        URDF,
        contacts_path=str(path),
        initial_position=START,
        friction_scale=0.0,
        no_command='free',
        specialise=False,
    )
    lowest, forces = np.inf, []
    while arm.time < 0.5:
        state = arm.advance(0.01)
        lowest = min(lowest, robot.pose(state.position, 'tool0')[2, 3])
        touches = arm._session.runner.plant.contacts
        forces += [touch.force[2] for touch in touches if touch.obstacle == 'table']
    assert lowest == pytest.approx(tip[2] - 0.02, abs=1e-5)
    assert max(forces) > 5.0


def test_a_file_without_obstacles_is_refused(host, tmp_path, monkeypatch):
    """By one sentence, with the name of the file; the node waits for another one."""
    monkeypatch.chdir(tmp_path)
    path = Path('contacts.yaml')
    path.write_text('obstacles: {floor: {ball: 1.0}}')
    node = host('simulator', urdf_path=str(URDF), contacts_path=str(path))
    node.wait_for_output("file 'contacts.yaml': obstacle 'floor' has", COLD)
    assert 'expected some of plane, box' in node.output and node.running
    assert 'Traceback' not in node.output
