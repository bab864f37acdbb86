# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot whose links move without inertia has kinematics; dynamics are refused with the links."""

import re

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.cli import report, terms, warmup
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.errors import ModelError
from robodyn_ros.model.rotors import Rotor
from robodyn_ros.simulation.plant import Plant

TEXT = example('franka_like').read_text()
BARE = re.sub('<inertial>.*?</inertial>', '', TEXT, flags=re.DOTALL)
Q = np.array((0.3, -0.5, 0.2, -1.8, 0.4, 1.6, -0.7))
QD = np.array((0.2, 0.4, -0.3, 0.6, -0.5, 0.1, 0.8))
LINKS = ', '.join(f"'link{k}'" for k in range(1, 8))


@pytest.fixture(scope='module')
def bare():
    return Robot.from_urdf(BARE)


def test_kinematics_are_those_of_the_robot_with_inertias(bare):
    """To the last bit: no inertia enters them."""
    whole = Robot.from_urdf(TEXT)
    for answer in (
        lambda robot: robot.pose(Q, 'tool0'),
        lambda robot: robot.velocity(Q, QD, 'tool0'),
        lambda robot: robot.jacobian(Q, 'tool0'),
        lambda robot: robot.jacobian_bias(Q, QD, 'tool0'),
        lambda robot: robot.frames.jacobian_derivative(Q, QD, 'tool0'),
        lambda robot: robot.frames.poses(Q),
        lambda robot: robot.configuration.integrate(Q, QD, 0.3),
        lambda robot: robot.inverse_kinematics(robot.pose(Q, 'tool0'), 'tool0').q,
    ):
        np.testing.assert_array_equal(answer(bare), answer(whole))


DYNAMICS = {
    'mass matrix': lambda robot: robot.mass_matrix(Q),
    'its inverse': lambda robot: robot.mass_matrix_inverse(Q),
    'inverse dynamics': lambda robot: robot.inverse_dynamics(Q, QD, QD),
    'a batch': lambda robot: robot.inverse_dynamics([Q, Q], QD, QD),
    'forward dynamics': lambda robot: robot.forward_dynamics(Q, QD, QD),
    'gravity': lambda robot: robot.gravity_torque(Q),
    'energy': lambda robot: robot.energy(Q, QD),
    'end effector': lambda robot: robot.operational_space_inertia(Q, 'tool0'),
    'derivatives': lambda robot: robot.derivatives.forward_dynamics(Q, QD, QD),
    'centre of mass': lambda robot: robot.centroidal.centre_of_mass(Q),
    'mass': lambda robot: robot.centroidal.mass,
    'wrenches': lambda robot: robot.links.joint_wrenches(Q, QD, QD),
    'its code': lambda robot: robot.specialised(),
    'a law': lambda robot: GravityCompensation(robot),
    'a plant': lambda robot: Plant(robot),
}


@pytest.mark.parametrize('what', DYNAMICS)
def test_dynamics_are_refused_with_the_links(bare, what):
    with pytest.raises(ModelError, match='has kinematics and no dynamics') as caught:
        DYNAMICS[what](bare)
    assert f'links {LINKS} move, but nothing on them' in str(caught.value)


def test_the_report_says_so_and_ends_well(bare, tmp_path, capsys):
    path = tmp_path / 'bare.urdf'
    path.write_text(BARE)
    assert report.main([str(path)]) == 0
    assert f'has kinematics and no dynamics: links {LINKS} move' in capsys.readouterr().out


def test_a_payload_gives_no_dynamics(bare):
    """Those of the payload alone would be wrong."""
    with pytest.raises(ModelError, match='has kinematics and no dynamics'):
        bare.with_payload('tool0', 2.0, (0.1, 0.0, 0.0), np.eye(3)).gravity_torque(Q)


@pytest.mark.parametrize('command', [warmup, terms])
def test_commands_refuse_before_they_work(command, tmp_path, capsys):
    path = tmp_path / 'bare.urdf'
    path.write_text(BARE)
    assert command.main([str(path)]) == 1
    told = capsys.readouterr()
    assert told.err.startswith("Refused: robot 'franka_like' has kinematics and no dynamics")
    assert told.out == ''


def test_each_remedy_gives_dynamics():
    """Inertia of the rotors, locked joints, or the inertia of the last link, which moves all."""
    rotors = {f'joint{k}': Rotor(1e-3) for k in range(1, 8)}
    robot = Robot.from_urdf(BARE, rotors=rotors, rotor_model='reflected')
    np.testing.assert_allclose(robot.mass_matrix(Q), 1e-3 * np.eye(7), rtol=0.0, atol=1e-18)
    last = re.sub('(<link name="link[1-6]">\\s*)<inertial>.*?</inertial>', r'\1', TEXT, flags=re.S)
    assert Robot.from_urdf(last).mass_matrix(Q)[6, 6] > 0.0
    held = {f'joint{k}': 0.0 for k in range(2, 8)}
    text = BARE.replace(
        '<link name="link1">',
        '<link name="link1"><inertial><mass value="2"/>'
        '<inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>',
        1,
    )
    assert Robot.from_urdf(text, locked=held).mass_matrix([0.3])[0, 0] == 1.0


@pytest.mark.parametrize(
    'old, new, words',
    [
        ('<mass ', '<weight ', 'has an inertial without <mass>, so that its inertia is unknown'),
        ('<inertia ', '<inertias ', 'has an inertial without <inertia>, so'),
        ('<inertia ixx=', '<inertia xx=', "has an inertial without 'ixx' of <inertia>, so"),
    ],
)
def test_an_inertial_that_is_not_complete_leaves_kinematics(old, new, words):
    """Of a link in the middle, where M would be regular without it, and wrong."""
    place = TEXT.index('<link name="link4">')
    text = TEXT[:place] + TEXT[place:].replace(old, new, 1)
    robot = Robot.from_urdf(text)
    assert f"link 'link4': {words}" in robot.report.warnings[0]
    np.testing.assert_array_equal(robot.pose(Q, 'tool0'), Robot.from_urdf(TEXT).pose(Q, 'tool0'))
    with pytest.raises(ModelError, match="the inertia of 'link4' is not complete; expected a com"):
        robot.gravity_torque(Q)
