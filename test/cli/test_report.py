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


def test_rotors_are_reported_with_the_error_of_reflecting_them(capsys, tmp_path):
    """The error is zero for the joint of the wheel, and not for the one that turns its mount."""
    rotors = tmp_path / 'arm.yaml'
    rotors.write_text("""rotors:
  shoulder_pan_joint: {inertia: 1e-4, gear_ratio: 100}
  elbow_joint: {inertia: 1e-4, gear_ratio: -100}""")
    assert report.main([str(URDF / 'ur_like.urdf'), '--rotor-file', str(rotors)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert any('elbow_joint_rotor (follows elbow_joint, -100 to 1)' in line for line in lines)
    (start,) = (k for k, line in enumerate(lines) if line.startswith('Rotors, in the exact model'))
    assert lines[start + 1].split('  ')[-1].strip() == 'torque differs by'
    pan, elbow = (line.split() for line in lines[start + 2 : start + 4])
    assert pan[:4] == ['shoulder_pan_joint', '0.0001', '100', '1']
    assert elbow[:4] == ['elbow_joint', '0.0001', '-100', '1']
    assert float(pan[4]) < 1e-12 and float(pan[5]) < 1e-12  # its mount does not turn
    assert float(elbow[4]) == pytest.approx(1e-2, rel=1e-2)  # |gear ratio| J, with the lift joint


def test_a_robot_whose_joints_follow_others_has_a_report(capsys, tmp_path):
    """The table and what cannot hold itself; the rotors are reflected where asked for."""
    rotors = tmp_path / 'arm.yaml'
    rotors.write_text('rotors: {joint2: {inertia: 1e-4, gear_ratio: 100}}')
    words = [
        str(URDF / 'two_link.urdf'),
        '--rotor-file',
        str(rotors),
        '--rotor-model',
        'reflected',
    ]
    assert report.main(words) == 0
    told = capsys.readouterr().out
    assert 'Rotors, in the reflected model' in told and 'follows' not in told
