# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""`report` doubts joints that cannot hold themselves, and masses out of all reason."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import report
from robodyn_ros.control.holding import cannot_hold, largest_gravity_torques
from robodyn_ros.model.extended.joint_friction import JointFriction

MASSES, CENTRES, LENGTH, GRAVITY = (3.0, 2.0), (0.25, 0.3), 0.5, 9.81


def arm(effort=(100.0, 100.0), masses=MASSES, inertia=0.05, lower=-3.0, upper=3.0):
    """Return the URDF of two links that turn about horizontal axes, straight along x at zero."""
    links, joints = '<link name="l0"/>', ''
    for k, (mass, centre) in enumerate(zip(masses, CENTRES)):
        links += f"""<link name="l{k + 1}"><inertial><origin xyz="{centre} 0 0"/>
        <mass value="{mass}"/><inertia ixx="{inertia}" ixy="0" ixz="0" iyy="{inertia}" iyz="0"
        izz="{inertia}"/></inertial></link>"""
        joints += f"""<joint name="j{k + 1}" type="revolute"><origin xyz="{k * LENGTH} 0 0"/>
        <parent link="l{k}"/><child link="l{k + 1}"/><axis xyz="0 1 0"/>
        <limit lower="{lower}" upper="{upper}" velocity="1" effort="{effort[k]}"/></joint>"""
    return f'<robot name="arm">{links}{joints}</robot>'


def test_largest_gravity_torques_are_those_of_the_stretched_arm():
    """To a ten-thousandth: the last grid is that fine about a maximum of a cosine."""
    torque, q = largest_gravity_torques(Robot.from_urdf(arm()))
    second = MASSES[1] * GRAVITY * CENTRES[1]
    first = GRAVITY * (MASSES[0] * CENTRES[0] + MASSES[1] * (LENGTH + CENTRES[1]))
    np.testing.assert_allclose(torque, (first, second), rtol=1e-4)
    np.testing.assert_allclose(np.abs(np.cos((q[0, 0], q[1].sum()))), 1.0, atol=1e-3)


def test_ranges_bound_what_is_looked_at():
    """Where the arm may not stretch out, at the end of its range."""
    robot = Robot.from_urdf(arm(lower=1.0, upper=1.4))
    torque, _ = largest_gravity_torques(robot)
    expected = np.abs(robot.gravity_torque(np.array([[1.0, 1.0], [1.0, 1.4], [1.4, 1.4]])))
    np.testing.assert_allclose(torque, expected.max(axis=0), rtol=1e-6)


def test_a_joint_that_cannot_hold_itself_is_doubted(tmp_path, capsys):
    path = tmp_path / 'arm.urdf'
    path.write_text(arm(effort=(20.0, 6.0)))
    assert report.main([str(path)]) == 0
    told = capsys.readouterr().out
    assert "joint 'j1': cannot hold itself: gravity takes up to 23.05, its effort limit" in told
    assert "'j2': cannot" not in told and '1 warnings' in told


def test_a_joint_without_an_effort_limit_is_not_doubted():
    text = arm().replace(' effort="100.0"', '')
    assert cannot_hold(Robot.from_urdf(text)) == []


@pytest.mark.parametrize(
    'changes, words',
    [
        ({'masses': (3000.0, 2.0)}, "link 'l1': has a mass of 3000 kg"),
        ({'inertia': 1e-6}, "link 'l1': has less inertia than a ball of osmium of 3 kg"),
    ],
)
def test_masses_out_of_all_reason_are_doubted(tmp_path, capsys, changes, words):
    """Grams for kilograms, and inertias of millimetres beside masses of kilograms."""
    path = tmp_path / 'arm.urdf'
    path.write_text(arm(effort=(1e6, 1e6), **changes))
    assert report.main([str(path)]) == 0
    assert words in capsys.readouterr().out
    path.write_text(arm())
    assert report.main([str(path)]) == 0
    assert words not in capsys.readouterr().out


def test_a_payload_beyond_the_limits_is_told(tmp_path, capsys):
    """The second joint holds its own 5.9 N m of 20, and not 9 kg more at 0.3 m."""
    path = tmp_path / 'arm.urdf'
    path.write_text(arm((100.0, 20.0)))
    robot = Robot.from_urdf(path)
    assert cannot_hold(robot) == [] == report.beyond_limits(robot, 'l2', 2.0, [0.3, 0.0, 0.0])
    (finding,) = report.beyond_limits(robot, 'l2', 9.0, [0.3, 0.0, 0.0])
    assert finding.subject == "joint 'j2'"
    assert "cannot hold 9 kg at 'l2': gravity takes up to 32.37, its effort" in finding.sentence
    assert report.main([str(path), '--payload', 'l2=9 0.3 0 0']) == 0
    assert "cannot hold 9 kg at 'l2'" in capsys.readouterr().out
    for wrong in ('9', 'l2=', 'l2=9 1', 'l2=-1', 'l2=nan'):
        with pytest.raises(SystemExit):
            report.main([str(path), '--payload', wrong])
        assert "expected 'FRAME=MASS' or" in capsys.readouterr().err
    assert report.main([str(path), '--payload', 'hand=9']) == 1
    assert "no frame 'hand'" in capsys.readouterr().err


@pytest.mark.parametrize('friction', [19.0, 20.0, 21.0])
def test_friction_at_or_above_the_effort_limit_is_told(friction):
    """By the URDF, and by a file of friction at rest; friction below the limit is no finding."""
    text = arm((100.0, 20.0))
    place = text.index('name="j2"')
    text = text[:place] + text[place:].replace(
        '</joint>', f'<dynamics friction="{friction}"/></joint>', 1
    )
    found = [each for each in Robot.from_urdf(text).report.warnings if 'dry friction' in each]
    expected = f"joint 'j2': has dry friction {friction:g} at or above its effort limit 20, so"
    assert len(found) == (friction >= 20.0)
    assert all(each.startswith(expected) for each in found)
    rests = {'j2': JointFriction(coulomb=1.0, static=friction, stribeck_velocity=0.1)}
    found = Robot.from_urdf(arm((100.0, 20.0))).extended.with_joint_friction(rests)
    assert ('has dry friction' in str(found.report)) == (friction >= 20.0)
    less = found.extended.with_joint_friction({'j2': JointFriction(coulomb=1.0)})
    assert 'has dry friction' not in str(less.report)


def test_a_velocity_limit_of_zero_beside_an_effort_interface_is_told():
    control = (
        '<ros2_control><joint name="j2"><command_interface name="effort"/></joint>'
        '<joint name="j1"><command_interface name="position"/></joint></ros2_control></robot>'
    )
    text = arm().replace('velocity="1"', 'velocity="0"').replace('</robot>', control)
    warnings = Robot.from_urdf(text).report.warnings
    (found,) = [each for each in warnings if 'effort interface' in each]
    assert found.startswith("joint 'j2': has an effort interface in <ros2_control> and velocity")
    assert sum('velocity limit 0, which allows none' in each for each in warnings) == 2
