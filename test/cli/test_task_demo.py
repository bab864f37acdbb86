# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The drives of the end effector, as their user runs them: a millimetre, no jump, and the same
numbers."""

import json
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.cli import task_demo
from robodyn_ros.demonstration.task_drives import DRIVES, EightDrive, WristDrive
from robodyn_ros.robot.robot import Robot
from tools.pages import simulated_tables

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = ROOT / 'doc' / 'operational_space.md'


@pytest.mark.slow
def test_the_command_makes_the_table_of_the_document(tmp_path, capsys):
    """Simulated time: the committed numbers come out again, and are what was promised."""
    assert task_demo.main(['--output', str(tmp_path / 'task')]) == 0
    assert simulated_tables.table_from(task_demo, tmp_path / 'task') in DOCUMENT.read_text()
    found = json.loads((tmp_path / 'task' / 'task.json').read_text())
    assert set(found) == set(DRIVES)
    assert found['eight']['max_error_m'] < 1e-3 and found['eight']['least_share'] == 1.0
    assert found['wrist']['max_error_m'] < 1e-3 and found['wrist']['least_share'] < 1e-3
    assert found['stretch']['last_error_m'] < 1e-3 and found['stretch']['least_share'] < 0.5
    for drive in found.values():
        assert drive['max_torque_rate'] < task_demo.EFFORT_RATE and drive['faults'] == 0
        assert drive['limited_cycles'] == 0 and drive['peak_effort_share'] < 1.0
    printed = capsys.readouterr().out
    assert all(drive.title in printed for _, drive in DRIVES.values())
    pytest.importorskip('matplotlib', reason='the command draws')
    assert (tmp_path / 'task' / 'task.png').read_bytes().startswith(b'\x89PNG')


@pytest.mark.parametrize(('urdf', 'drive'), [DRIVES['eight'], DRIVES['wrist']])
def test_published_quantities_are_consistent(urdf, drive):
    """Velocity of a drive is the derivative of its position, and it begins and ends at rest."""
    robot = Robot.from_urdf(ROOT / 'config' / 'urdf' / f'{urdf}.urdf')
    drive, h = drive(robot), 1e-5
    for t in np.linspace(0.1, drive.duration - 0.1, 40):
        slope = (drive.commanded(t + h)[0] - drive.commanded(t - h)[0]) / (2.0 * h)
        assert np.abs(drive.target(t).twist[:3] - slope).max() < 1e-8
    for t in (0.0, drive.duration):
        assert np.abs(drive.target(t).twist).max() < 1e-12
    assert isinstance(drive, (EightDrive, WristDrive))
    start = robot.pose(np.array(drive.start), 'flange')[:3, 3]
    assert np.abs(drive.commanded(0.0)[0] - start).max() < 1e-12


def test_a_worse_result_is_no_success():
    """The exit code is not zero for an error above a millimetre, or a torque rate above the limit.
    So it is for a fault and a refused target.
    """
    good = {
        name: {
            'max_error_m': 5e-4,
            'max_torque_rate': 900.0,
            'limited_cycles': 0,
            'refused': 0,
            'faults': 0,
        }
        for name in DRIVES
    }
    assert task_demo.succeeded(good)
    for name, field, value in (
        ('eight', 'max_error_m', 2e-3),
        ('wrist', 'max_torque_rate', 1e4),
        ('stretch', 'limited_cycles', 1),
        ('stretch', 'refused', 1),
        ('stretch', 'faults', 1),
    ):
        bad = {**good, name: {**good[name], field: value}}
        assert not task_demo.succeeded(bad), field
