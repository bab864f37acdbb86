# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Robots with closed loops by the routes of chapters 11 and 15, and the command that prints them.

To 1e-11: dense systems lose the condition of the constraints, below 1e3 here.
"""

import numpy as np
import pytest

from robodyn_ros.cli import check
from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain.embedding.closed_robot import compare_closed
from support.robots.closed_loops import MECHANISMS
from support.robots.mechanisms import CONFIG, STANDARD

FILES = [str(CONFIG / 'gripper.urdf'), '--closure-file', str(CONFIG / 'gripper.yaml')]


@pytest.mark.parametrize('name', ['four-bar in a tree', 'palletizer', 'gripper'])
def test_every_route_has_the_torques_and_accelerations_of_the_robot(name):
    """Loops with redundant rows, several loops, and loops coupled by a mimic joint."""
    robot = (MECHANISMS | STANDARD)[name].robot()
    rng = np.random.default_rng(3)
    q = robot.model.closed_posture + rng.uniform(-0.1, 0.1, robot.nv)
    found = compare_closed(robot, q, *rng.uniform(-2.0, 2.0, (2, robot.nv)))
    assert found.worst < 1e-11
    assert len(found.torque) == len(found.mass) == 3
    assert ('Augmented, Algorithm 11.2' in found.acceleration) == (name != 'gripper')
    assert np.abs(found.acceleration['Robot']).min() > 1e-3


def test_closures_whose_origins_part_are_refused():
    """Jain's loops join two nodes at one point."""
    robot = MECHANISMS['rod of constant length'].robot()
    with pytest.raises(ModelError, match='do not coincide'):
        compare_closed(robot, robot.model.closed_posture, *np.ones((2, robot.nv)))


def test_the_command_prints_the_routes(capsys):
    """With the files of the gripper; its exit code says that they agree."""
    assert check.main(FILES) == 0
    printed = capsys.readouterr().out
    assert 'Dense system, (11.6)' in printed and 'left_knuckle' in printed
