# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gear ratios and rotors from transmissions of a URDF, and from a YAML file beside it."""

import re

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError, ParameterError, UnknownNameError
from robodyn_ros.model import urdf
from robodyn_ros.model.rotors import Rotor, known_rotors
from robodyn_ros.model.sources import rotor_file

BODY = """<inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>"""
LIMIT = '<limit lower="-1" upper="1" velocity="2" effort="30"/>'
ARM = f"""<robot name="arm" xmlns:drake="http://drake.mit.edu"><link name="base"/>
<link name="upper">{BODY}</link><link name="lower">{BODY}</link><link name="tool"/>
<joint name="a" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
{LIMIT}</joint>
<joint name="b" type="prismatic"><origin xyz="0.4 0 0"/><parent link="upper"/>
<child link="lower"/><axis xyz="0 1 0"/>{LIMIT}</joint>
<joint name="weld" type="fixed"><parent link="lower"/><child link="tool"/></joint>@</robot>"""


def arm(transmissions):
    """Return the URDF of the arm with these elements."""
    return ARM.replace('@', transmissions)


def ros(name, joint, motor):
    """Return a transmission as ROS 1 writes it."""
    return (
        f'<transmission name="{name}"><type>SimpleTransmission</type><joint name="{joint}">'
        f'<hardwareInterface>Effort</hardwareInterface></joint>'
        f'<actuator name="m">{motor}</actuator></transmission>'
    )


DRAKE = '<drake:gear_ratio value="50"/><drake:rotor_inertia value="1e-3"/>'
CONTROL = """<ros2_control name="s" type="system"><transmission name="t"><plugin>p</plugin>
<actuator name="m" role="m"/><joint name="a" role="j">
<mechanical_reduction> -120.5 </mechanical_reduction></joint></transmission></ros2_control>"""


@pytest.mark.parametrize(
    'elements, ratio, inertia',
    [
        (ros('t', 'a', '<mechanicalReduction>50</mechanicalReduction>'), 50.0, 0.0),
        (
            ros(
                't',
                'a',
                '<mechanicalReduction>9</mechanicalReduction><motorInertia>2e-4</motorInertia>',
            ),
            9.0,
            2e-4,
        ),
        (ros('t', 'a', DRAKE), 50.0, 1e-3),
        (CONTROL, -120.5, 0.0),
        (ros('t', 'a', '<mechanicalReduction/>'), None, 0.0),
        (ros('t', 'a', DRAKE) + ros('u', 'a', ''), 50.0, 1e-3),
    ],
)
def test_the_transmission_of_a_joint_has_its_rotor(elements, ratio, inertia):
    """Of ROS 1, of Drake and of ros2_control."""
    found = urdf.parse(arm(elements)).rotors
    assert list(found) == ['a']
    assert found['a'].gear_ratio == ratio and found['a'].inertia == inertia


@pytest.mark.parametrize(
    'elements',
    [
        ros('t', 'weld', DRAKE),
        ros('t', 'elsewhere', DRAKE),
        f'<transmission name="t"><joint name="a"/><joint name="b"/><actuator>{DRAKE}</actuator>'
        '</transmission>',
        f'<transmission name="t"><joint name="a"/><actuator>{DRAKE}</actuator>'
        f'<actuator>{DRAKE}</actuator></transmission>',
    ],
)
def test_what_has_no_ratio_of_one_joint_is_passed_over(elements):
    """Differentials, and joints that are not there or do not move."""
    assert not urdf.parse(arm(elements)).rotors


@pytest.mark.parametrize(
    'elements, sentence',
    [
        (
            ros('t', 'a', '<mechanicalReduction>1:50</mechanicalReduction>'),
            "transmission of joint 'a' element <mechanicalReduction> is '1:50'",
        ),
        (
            ros('t', 'a', '<mechanicalReduction>0</mechanicalReduction>'),
            "transmission of joint 'a' has gear ratio 0",
        ),
        (
            ros('t', 'a', DRAKE) + CONTROL,
            'has transmissions with the gear ratios 50 and -120.5; the first',
        ),
    ],
)
def test_a_ratio_that_is_none_is_a_warning(elements, sentence):
    """As urdfdom reads no transmissions: the robot is that without them, or with the first."""
    found = urdf.parse(arm(elements))
    (warning,) = found.findings
    assert warning.subject == "joint 'a'" and re.search(sentence, warning.sentence)
    assert {name: each.gear_ratio for name, each in found.rotors.items()} in ({}, {'a': 50.0})


def test_a_robot_has_the_rotors_of_its_description():
    """Inertia of the URDF counts without a word; a given rotor takes its place, not its ratio."""
    q = (0.3, 0.1)
    text = arm(ros('t', 'a', DRAKE))
    plain = Robot.from_urdf(arm('')).mass_matrix(q)[0, 0]
    own = Robot.from_urdf(text, rotor_model='reflected').mass_matrix(q)[0, 0]
    given = Robot.from_urdf(text, rotors={'a': Rotor(2e-3)}, rotor_model='reflected')
    np.testing.assert_allclose(
        (own - plain, given.mass_matrix(q)[0, 0] - plain), (2.5, 5.0), rtol=1e-13
    )
    assert Robot.from_urdf(text).all_joint_names == ('a', 'b', 'a_rotor')


def test_a_ratio_alone_moves_nothing():
    """No inertia is known, so there is no body: the robot stays the tree that it was."""
    text = arm(ros('t', 'a', '<mechanicalReduction>50</mechanicalReduction>'))
    robot, plain = Robot.from_urdf(text), Robot.from_urdf(arm(''))
    assert not robot.model.is_embedded
    np.testing.assert_array_equal(robot.model.constants, plain.model.constants)


def test_a_file_has_every_entry_of_a_rotor(tmp_path):
    """As of Python; numbers may have no point, which is text to YAML."""
    path = tmp_path / 'arm.yaml'
    path.write_text(
        """rotors:
  a: {inertia: 1e-4, gear_ratio: -80, axis: [0, 0.6, 8e-1], mass: 0.3, position: [0, 1, 2],
      across: 6e-5}
  b: {inertia: 1.5}
"""
    )
    found = rotor_file.rotors_of(path)
    expected = Rotor(1e-4, -80.0, np.array((0.0, 0.6, 0.8)), 0.3, np.array((0.0, 1.0, 2.0)), 6e-5)
    for name in ('inertia', 'gear_ratio', 'axis', 'mass', 'position', 'across'):
        np.testing.assert_array_equal(getattr(found['a'], name), getattr(expected, name))
    assert found['b'].gear_ratio is None
    q, qd = (0.3, 0.1), (0.7, -0.4)
    filed, given = (
        Robot.from_urdf(arm(''), rotors=rotors)
        for rotors in (str(path), {'a': expected, 'b': Rotor(1.5)})
    )
    np.testing.assert_array_equal(filed.bias_torque(q, qd), given.bias_torque(q, qd))
    text = arm(ros('t', 'b', '<mechanicalReduction>50</mechanicalReduction>'))
    assert known_rotors(urdf.parse(text), found)['b'].gear_ratio == 50.0


@pytest.mark.parametrize(
    'text, sentence',
    [
        ('a: {inertia: 1}', 'expected rotors, and nothing but closures, independent, near'),
        ('- rotors', 'expected rotors, and nothing but closures, independent, near'),
        ('rotors: [a]', 'expected them by names'),
        ('rotors: {a: 1}', "joint 'a' has 1; expected at least inertia"),
        ('rotors: {a: {gear_ratio: 2}}', 'expected at least inertia'),
        ('rotors: {a: {inertia: 1, teeth: 9}}', "entry 'teeth'; expected some of inertia"),
        ('rotors: {a: {inertia: yes}}', 'has inertia True; expected a number'),
        ('rotors: {a: {inertia: [1, 2]}}', 'expected a number'),
        ('rotors: {a: {inertia: 1, axis: [1, 2]}}', 'expected three numbers'),
        ('rotors: &x {a: {inertia: 1}}', 'has anchors; expected plain YAML'),
        ('rotors: {a: [', 'is no YAML'),
    ],
)
def test_a_file_that_is_none_is_a_sentence(tmp_path, text, sentence):
    """It names the file, the joint and the entry."""
    path = tmp_path / 'arm.yaml'
    path.write_text(text)
    with pytest.raises(ModelError, match=f'file .*{sentence}'):
        Robot.from_urdf(arm(''), rotors=path)


def test_files_and_joints_that_are_not_there(tmp_path):
    with pytest.raises(ModelError, match='cannot be read: No such file'):
        Robot.from_urdf(arm(''), rotors=tmp_path / 'none.yaml')
    path = tmp_path / 'arm.yaml'
    path.write_text('rotors: {elbow: {inertia: 1}}')
    with pytest.raises(UnknownNameError, match="no joint 'elbow' for a rotor; valid: a, b"):
        Robot.from_urdf(arm(''), rotors=path)
    path.write_text('rotors: {weld: {inertia: 1}}')
    with pytest.raises(ModelError, match="rotor of joint 'weld' drives a fixed joint"):
        Robot.from_urdf(arm(''), rotors=path)
    with pytest.raises(ParameterError, match="'a='; expected 'joint=inertia' or"):
        rotor_file.rotor('a=')
