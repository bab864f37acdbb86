# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gains: which are missing, which suit a bandwidth, and what dry friction leaves of a motion."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import law_class
from robodyn_ros.control.gains import (
    friction_error,
    held_by_friction,
    inertia_range,
    joints_without_gains,
    proposed_gains,
)
from robodyn_ros.simulation import Plant, PlantSettings

SLED = """<robot name="sled"><link name="base"/>
<link name="box"><inertial><mass value="2"/>
  <inertia ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"/></inertial></link>
<joint name="rail" type="prismatic"><parent link="base"/><child link="box"/><axis xyz="1 0 0"/>
  <limit lower="-1" upper="1" velocity="2" effort="100"/><dynamics friction="6"/>
</joint></robot>"""
P, D = 80.0, 25.0
ERROR = friction_error(np.array([6.0]), np.array([P]))[0]


@pytest.mark.parametrize('share', [0.98, 1.02])
def test_a_plant_sticks_within_the_error_of_friction_and_slides_beyond(share):
    """Friction over stiffness; the plant's own friction is the referee."""
    plant = Plant(Robot.from_urdf(SLED), PlantSettings(no_command='hold'), [share * ERROR])
    for _ in range(2000):
        plant.step(-P * plant.q - D * plant.qd, 1e-3)
    assert ERROR == pytest.approx(6.0 / P)
    # from beyond it creeps to the error, with the time constant d / p
    assert plant.q[0] == pytest.approx(min(share, 1.0) * ERROR, rel=1e-5)


def test_without_friction_or_without_stiffness():
    """Nothing is left, or everything."""
    found = friction_error(np.array([0.0, 0.0, 2.0]), np.array([0.0, 5.0, 0.0]))
    assert found.tolist() == [0.0, 0.0, np.inf]


def test_proposed_gains_are_those_of_a_critically_damped_joint():
    """The poles of M s^2 + d s + p are both -w, for the inertia that was given."""
    inertia, w = np.array([0.3, 7.0]), 12.0
    for m, p, d in zip(inertia, *proposed_gains(inertia, w)):
        # a double root of rounded coefficients is off by the root of the rounding
        assert np.roots([m, d, p]) == pytest.approx([-w, -w], rel=1e-6)


@pytest.mark.parametrize(
    ('law', 'gains', 'told'),
    [
        ('pd', [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]], []),
        ('pd', [[1.0, 0.0, 0.0], [1.0, 1.0, 0.0]], [("'gains.<joint>.p' [N m/rad]", 'b, c: noth'),
                                                    ("'gains.<joint>.d' [N m s/rad]", 'c: noth')]),
        ('computed_torque', [[0.0, 1.0, 1.0], [1.0] * 3], [('[1/s^2]', 'a: nothing holds')]),
        ('diagonal_damping', [[0.0] * 3, [1.0, 0.0, 1.0]], [('[1/s]', 'b: nothing damps')]),
        ('gravity_compensation', [[0.0] * 3, [0.0] * 3], []),
    ],
)  # fmt: skip
def test_joints_without_gains_are_named_by_kind(law, gains, told):
    """Of the gains that the law has, with their unit."""
    found = joints_without_gains('abc', np.array(gains), law_class(law))
    assert len(found) == len(told)
    for sentence, words in zip(found, told):
        assert law in sentence and all(word in sentence for word in words), sentence


@pytest.mark.parametrize(
    ('law', 'p', 'told'),
    [
        # the mass is 2 kg: 6 N over 2 p, or over p
        ('computed_torque', 50.0, '[1/s^2]: rail 0.06 (p = 100 leaves 0.05).'),
        ('computed_torque', 61.0, None),
        ('pd_gravity', 100.0, '[N m/rad]: rail 0.06 (p = 200 leaves 0.05).'),
        ('passivity', 100.0, '[N m/rad]: rail 0.06 (p = 200 leaves 0.05).'),
        ('pd_gravity', 121.0, None),
        ('pd_gravity', 0.0, None),  # nothing holds it at all, which is told already
        ('diagonal_damping', 1.0, None),
        ('gravity_compensation', 1.0, None),
    ],
)  # fmt: skip
def test_friction_against_weak_gains_is_told_with_the_error_and_the_gain(law, p, told):
    """In one sentence for the robot; the gain that it names leaves what it says."""
    robot, law = Robot.from_urdf(SLED), law_class(law)
    inertia = inertia_range(robot)
    sentences = held_by_friction(robot, inertia, np.array([[p], [1.0]]), law)
    assert len(sentences) == (told is not None)
    assert all(sentence.endswith(told) for sentence in sentences), sentences
    if told:
        better = float(told.split('p = ')[1].split()[0])
        assert held_by_friction(robot, inertia, np.full((2, 1), better), law) == []


def test_a_robot_with_dependent_joints_has_no_such_sentence():
    """There is no M_ii of a joint alone."""
    lid = """<link name="lid"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
    <joint name="hinge" type="revolute"><parent link="box"/><child link="lid"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="1" effort="9"/>
    <mimic joint="rail"/></joint></robot>"""
    robot = Robot.from_urdf(SLED.replace('</robot>', lid))
    assert inertia_range(robot) is None
    assert held_by_friction(robot, None, np.ones((2, 1)), law_class('pd')) == []
