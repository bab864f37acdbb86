# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A few of the random drives through singular postures, among them the fastest of each kind."""

import itertools
import json

import numpy as np
import pytest

from robodyn_ros.cli import task_audit
from robodyn_ros.demonstration.task_run import EFFORT_RATE, END_EFFECTOR, PERIOD, run_drive

DRIVES = (
    'ur_like wrist circle 2 s #0',
    'ur_like elbow circle 6 s #1',
    'ur_like shoulder circle 2 s #2',
    'franka_like any circle 2 s #2',
)


@pytest.mark.slow
@pytest.mark.parametrize('name', DRIVES)
def test_hand_comes_back_and_nothing_races(name):
    """Within a millimetre of its target in five seconds, without a joint or a guard at a limit."""
    robot, drive = next(
        (robot, drive) for each, robot, drive in task_audit.drives(5) if each == name
    )
    record = run_drive(robot, drive)
    found = task_audit.figures(robot, record, drive.duration - task_audit.REST)
    assert found['least_share'] < 0.5, 'not near a singular posture'
    assert found['speed'] < 1.0 and found['torque_rate'] < EFFORT_RATE
    assert found['recovery_s'] is not None and found['last_error_m'] < 1e-3
    assert found['margin'] > 0.0
    assert found['limited_cycles'] == found['faults'] == 0


def test_drives_are_what_they_say():
    """Twists are the derivatives of poses, ends are at rest; the postures are singular."""
    h = 1e-5
    for name, robot, drive in itertools.islice(task_audit.drives(1), 16):
        way = drive.duration - task_audit.REST
        for t in np.linspace(0.05, 0.95, 7) * way:
            slope = (drive.commanded(t + h)[0] - drive.commanded(t - h)[0]) / (2.0 * h)
            assert np.abs(drive.target(t).twist[:3] - slope).max() < 1e-7, name
        assert np.abs(drive.target(way).twist).max() < 1e-12
        start = robot.pose(np.array(drive.start), END_EFFECTOR)[:3, 3]
        assert np.abs(drive.commanded(0.0)[0] - start).max() < 1e-12
    for robot_name in ('ur_like', 'franka_like'):
        robot = next(robot for name, robot, _ in task_audit.drives(1) if robot_name in name)
        q = task_audit.singular_posture(robot, np.random.default_rng(1))
        assert np.linalg.svd(robot.jacobian(q, END_EFFECTOR))[1][-1] < 1e-6
        assert np.all((q > robot.limits.lower) & (q < robot.limits.upper))


def test_command_prints_and_writes(tmp_path, capsys, monkeypatch):
    """A table and a file; the exit code says whether all went well."""
    good = {
        'speed': 0.5,
        'torque_rate': 100.0,
        'torque': 0.3,
        'kept_error_m': 1e-3,
        'largest_error_m': 0.1,
        'last_error_m': 1e-5,
        'recovery_s': 1.0,
        'least_share': 0.0,
        'margin': 0.1,
        'limited_cycles': 0,
        'refused': 3,
        'faults': 0,
    }

    class Drive:
        duration = task_audit.REST + 2000 * PERIOD

    monkeypatch.setattr(task_audit, 'warm_up', lambda kernels: None)
    monkeypatch.setattr(task_audit, 'run_drive', lambda robot, drive: None)
    monkeypatch.setattr(
        task_audit,
        'drives',
        lambda seeds: [(f'arm wrist line 2 s #{seed}', None, Drive) for seed in range(seeds)],
    )
    for changed, code in (
        ({}, 0),
        ({'speed': 1.01}, 1),
        ({'recovery_s': None}, 0),
        ({'limited_cycles': 1}, 1),
        ({'torque_rate': 1001.0}, 1),
    ):
        monkeypatch.setattr(task_audit, 'figures', lambda *_, changed=changed: good | changed)
        assert task_audit.main(['--seeds', '2', '--output', str(tmp_path), '--force']) == code
        printed = [line.split() for line in capsys.readouterr().out.splitlines()]
        first = next(k for k, line in enumerate(printed) if line[:1] == ['Postures'])
        assert printed[first][1:3] == ['arm', 'wrist'], printed[first]
        assert printed[first + 1][:2] == ['drives', '2'], printed[first + 1]
        assert len(json.loads((tmp_path / 'audit.json').read_text())) == 2
