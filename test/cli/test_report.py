# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The model report for people."""

from pathlib import Path

import pytest

from robodyn_ros.cli import report

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf'


def test_report_names_every_joint_and_its_numbers(capsys):
    assert report.main([str(URDF / 'franka_like.urdf')]) == 0
    told = capsys.readouterr().out
    for joint in range(1, 8):
        assert f'joint{joint}' in told
    assert '87' in told and '0 warnings' in told


def test_what_is_not_given_is_a_dash(capsys, tmp_path):
    text = (URDF / 'two_link.urdf').read_text()
    path = tmp_path / 'weak.urdf'
    path.write_text(text.replace(' effort="100"', ''))
    assert report.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert told.splitlines()[2].split()[-3:] == ['-', '0', '0'] and 'nan' not in told


def test_locked_joints_are_gone(capsys):
    assert report.main([str(URDF / 'two_link.urdf'), '--locked', 'joint2=0.5']) == 0
    assert '1 joints' in capsys.readouterr().out


def test_refusals_are_sentences_and_exit_code_1(capsys, tmp_path):
    assert report.main([str(tmp_path / 'none.urdf')]) == 1
    assert 'none.urdf' in capsys.readouterr().err
    assert report.main([str(URDF / 'two_link.urdf'), '--locked', 'elbow']) == 1
    assert 'joint1' in capsys.readouterr().err


def test_an_angle_that_is_none_is_an_error_of_usage(capsys):
    with pytest.raises(SystemExit):
        report.main([str(URDF / 'two_link.urdf'), '--locked', 'joint2=much'])
    assert "'joint2=much'; expected" in capsys.readouterr().err
