# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""`report` doubts joints that cannot hold themselves, and masses out of all reason."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.cli import report
from robodyn_ros.console.holding import cannot_hold, largest_gravity_torques

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
