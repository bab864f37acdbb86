# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command that holds a robot to the books."""

from pathlib import Path

import pytest

from robodyn_ros.cli import check
from robodyn_ros.formulations import FORMULATIONS
from robodyn_ros.formulations.spong import properties
from robodyn_ros.robot.robot import Robot

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'two_link.urdf'


def test_every_formulation_and_every_property_is_printed(capsys):
    assert check.main([str(URDF)]) == 0
    told = capsys.readouterr().out
    for name in (*(form.name for form in FORMULATIONS), 'skew symmetry', 'passivity', 'linearity'):
        assert name in told
    assert told.count(' holds ') == 4 and 'FAILS' not in told


@pytest.mark.parametrize('wrong', ['inverse_dynamics', 'coriolis_matrix'])
def test_what_does_not_hold_is_exit_code_1(monkeypatch, capsys, wrong):
    right = getattr(Robot, wrong)
    monkeypatch.setattr(Robot, wrong, lambda robot, *state: 1.001 * right(robot, *state))
    monkeypatch.setattr(properties, 'inertia_bounds', lambda robot, seed: (1.0, 2.0))  # is slow
    assert check.main([str(URDF), '--seed', '3']) == 1
    told = capsys.readouterr().out
    assert ('FAILS' in told) == (wrong == 'coriolis_matrix')


def test_a_file_that_is_not_there_is_refused_in_words(capsys):
    assert check.main(['none.urdf']) == 1
    assert 'none.urdf' in capsys.readouterr().err
