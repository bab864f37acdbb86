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
    assert '87' in told and '3 warnings' in told


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


SLED = """<robot name="sled"><link name="base"/>
<link name="box"><inertial><mass value="{mass}"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" velocity="2" effort="100"/><dynamics friction="{friction}"/>
</joint></robot>"""


@pytest.mark.parametrize(
    ('mass', 'friction', 'told'),
    [
        (2.0, 30.0, 'dry friction of 30 may hold it 0.15 from its reference'),
        (2.0, 9.9, None),  # 0.0495 m
        (2.0, 10.1, 'may hold it 0.0505 from its reference'),
        (60.0, 30.0, None),
        (2.0, 0.0, None),
    ],
)
def test_dry_friction_against_the_default_gains_is_a_warning(
    capsys, tmp_path, mass, friction, told
):
    """The error is friction / (M p), here of a mass on a rail with p = 100 1/s^2."""
    path = tmp_path / 'sled.urdf'
    path.write_text(SLED.format(mass=mass, friction=friction))
    assert report.main([str(path)]) == 0
    text = capsys.readouterr().out
    assert ('dry friction' in text) is (told is not None) and (told or '') in text
    assert '0 warnings' in text or told


def test_gains_for_a_bandwidth_are_those_of_a_critically_damped_mass(capsys, tmp_path):
    """p = m w^2 and d = 2 m w; friction / p is left, and as much with p = w^2 by M."""
    path = tmp_path / 'sled.urdf'
    path.write_text(SLED.format(mass=2.0, friction=30.0))
    assert report.main([str(path), '--bandwidth', '20']) == 0
    lines = capsys.readouterr().out.splitlines()
    _, row = (line.split() for line in lines if line.startswith('rail '))
    assert row == ['rail', '800', '80', '0.0375', '0.0375']
    assert any('p = 400 and d = 40' in line for line in lines)
