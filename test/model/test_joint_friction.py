# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Static, low-speed and position-dependent friction of a model, its file and its feed-forward."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core.friction import friction_torque
from robodyn_ros.codegen.specialise import record
from robodyn_ros.compile.embedded import of_model
from robodyn_ros.control.laws.law_recipes import COMPANIONS
from robodyn_ros.errors import ModelError, UnknownNameError
from robodyn_ros.formulations.angeles.dissipation import Friction
from robodyn_ros.model import urdf_writer
from robodyn_ros.model.extended.elastic_joints import ElasticJoint
from robodyn_ros.model.extended.joint_friction import JointFriction, friction_of
from robodyn_ros.model.layout import DAMPING, FRICTION, JOINT_FRICTION
from robodyn_ros.simulation.perturbation import Perturbation, perturbed
from support.referees.tape_results import by_the_tape

BODY = """<inertial><origin xyz="0.2 0 0.1"/><mass value="2"/>
<inertia ixx="0.1" ixy="0" ixz="0" iyy="0.2" iyz="0" izz="0.15"/></inertial>"""
ARM = f"""<robot name="arm"><link name="base"/><link name="upper">{BODY}</link>
<link name="lower">{BODY}</link>
<joint name="a" type="continuous"><parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
<dynamics damping="0.7" friction="2"/></joint>
<joint name="b" type="prismatic"><origin xyz="0.4 0 0"/><parent link="upper"/>
<child link="lower"/><axis xyz="0 1 0"/><dynamics damping="0.2" friction="3"/>
<limit lower="-1" upper="1" velocity="2" effort="30"/></joint></robot>"""
FILE = """
joint_friction:
  a: {damping: 0.5, static: 2.6, stribeck_velocity: 0.3, cosine: 1.2, sine: -0.9, dead_band: 0.02}
  b: {coulomb: 4, wavenumber: 12.5, static: 4.7, stribeck_velocity: 0.4, stribeck_exponent: 1}
"""


@pytest.fixture
def path(tmp_path):
    """Return the path of a file beside the description."""
    path = tmp_path / 'friction.yaml'
    path.write_text(FILE)
    return path


@pytest.fixture
def robot(path):
    """Return the arm with the friction of the file."""
    return Robot.from_urdf(ARM).extended.with_joint_friction(path)


def forward(robot, q, qd):
    """Return the friction that laws feed forward."""
    tau, model = np.zeros(robot.nv), robot.model
    of_model(model, friction_torque)(model.topology, model.constants, q, qd, tau)
    return tau


def test_a_file_gives_what_a_urdf_cannot(robot):
    """At moving states friction is the equation; what the file leaves out is of the URDF."""
    q, v = np.array([[0.4, 0.3], [-1.7, -0.2]]), np.array([[0.8, -0.5], [-0.15, 0.6]])
    slow = 0.6 / (1.0 + (v[:, 0] / 0.3) ** 2)
    dry = 2.0 + 1.2 * np.cos(q[:, 0]) - 0.9 * np.sin(q[:, 0]) + slow
    low = 4.0 + 0.7 * np.exp(-np.abs(v[:, 1]) / 0.4)
    expected = np.column_stack(
        (0.5 * v[:, 0] + dry * np.sign(v[:, 0]), 0.2 * v[:, 1] + low * np.sign(v[:, 1]))
    )
    np.testing.assert_allclose(friction_of(robot.model, q, v), expected, rtol=1e-14)


def test_laws_feed_forward_the_friction_of_a_moving_joint(robot):
    """Far above the 0.01 rad/s of the smooth sign it is the equation, to rounding."""
    rng = np.random.default_rng(2)
    for _ in range(10):
        q, v = rng.normal(size=2), rng.uniform(0.5, 2.0, 2) * rng.choice((-1.0, 1.0), 2)
        np.testing.assert_allclose(
            forward(robot, q, v), friction_of(robot.model, q, v), rtol=1e-13
        )


@pytest.mark.parametrize('exponent', [1.0, 2.0])
def test_exponential_curve_is_that_of_angeles_and_of_its_square(exponent):
    """Eq. 7.136 with gamma = 1 / vs; a Gaussian is it at v^2 / vs. The rational one is not."""
    rng, curve = np.random.default_rng(8), {'static': 3.5, 'stribeck_velocity': 0.3}
    given = JointFriction(**curve, stribeck_exponent=exponent)
    robot, rational = (
        Robot.from_urdf(ARM).extended.with_joint_friction({'a': each})
        for each in (given, JointFriction(**curve))
    )
    for _ in range(10):
        q, v = rng.normal(size=2), rng.uniform(0.1, 0.9, 2) * rng.choice((-1.0, 1.0), 2)
        same = v[0] if exponent == 1.0 else np.sign(v[0]) * v[0] ** 2 / 0.3
        law = Friction(coulomb=2.0, extra=1.5, decay=1.0 / 0.3)
        expected = 0.7 * v[0] - law.torque(same)
        assert friction_of(robot.model, q, v)[0] == pytest.approx(expected, rel=1e-14)
        assert forward(robot, q, v)[0] == pytest.approx(expected, rel=1e-7)
        emitted = SimpleNamespace(
            recording=record('friction_torque', COMPANIONS['friction_torque'], robot.model)
        )
        (found,) = by_the_tape(emitted, [q, v])
        np.testing.assert_allclose(found, forward(robot, q, v), rtol=1e-13)
        assert abs(friction_of(rational.model, q, v)[0] - expected) > 1e-3


def test_no_dry_friction_is_fed_forward_within_the_dead_band(robot):
    """Its share is odd, 2 % at a tenth of the band of 2 v0, and whole beyond ten times it."""
    still, q = Robot.from_urdf(ARM), np.array([0.4, 0.3])

    def share(speed, robot):
        viscous = robot.model.joint_values(DAMPING)[0] * speed
        sliding = friction_of(robot.model, q, np.array([speed, 1.0]))[0] - viscous
        return (forward(robot, q, np.array([speed, 1.0]))[0] - viscous) / abs(sliding)

    assert 0.0 < share(2e-3, robot) < 0.02 < 0.15 < share(2e-3, still)
    assert share(-2e-3, robot) == -share(2e-3, robot)
    assert share(0.2, robot) == pytest.approx(1.0, abs=1e-12)


def test_followers_take_part_with_their_ratio():
    """E^T of the friction of all joints: the leader's wave, and a follower's Coulomb friction."""
    link = '<link name="{}">' + BODY + '</link>'
    text = (
        ARM.replace('</robot>', '')
        + link.format('finger')
        + '<joint name="c" type="prismatic"><parent link="lower"/><child link="finger"/>'
        '<axis xyz="0 0 1"/><dynamics damping="0.3" friction="0.4"/><mimic joint="a" '
        'multiplier="-0.5"/><limit lower="-9" upper="9" velocity="2" effort="3"/></joint></robot>'
    )
    wave = JointFriction(cosine=1.2, sine=0.5, wavenumber=2.0)
    robot = Robot.from_urdf(text).extended.with_joint_friction({'a': wave})
    q, v = np.array([0.4, 0.3]), np.array([-1.3, 0.9])
    dry = 2.0 + 0.5 * 0.4 + 1.2 * np.cos(0.8) + 0.5 * np.sin(0.8)
    found = forward(robot, q, v)
    assert found[0] == pytest.approx(-(0.7 + 0.25 * 0.3) * 1.3 - dry, rel=1e-13)
    np.testing.assert_allclose(found, friction_of(robot.model, q, v), rtol=1e-13)


def test_a_written_file_is_read_back(robot, tmp_path):
    """Beside the URDF of the model; a robot without such friction has no file."""
    again = tmp_path / 'again.yaml'
    again.write_text(urdf_writer.friction_file(robot.model))
    text = urdf_writer.with_parameters(ARM, robot.model)
    model = Robot.from_urdf(text).extended.with_joint_friction(again).model
    for column in JOINT_FRICTION:
        np.testing.assert_allclose(
            model.joint_values(column), robot.model.joint_values(column), rtol=1e-15
        )
    assert urdf_writer.friction_file(Robot.from_urdf(ARM).model) == ''


def test_it_goes_to_the_motor_of_an_elastic_joint(robot):
    """The spring has none of it."""
    model = robot.extended.with_elastic_joints({'a': ElasticJoint(1e3, motor_inertia=0.2)}).model
    for column in JOINT_FRICTION:
        expected = np.append(robot.model.joint_values(column), 0.0)
        np.testing.assert_array_equal(model.joint_values(column), expected)


def test_an_error_of_friction_keeps_the_shape_of_its_curve(robot):
    """One factor for all efforts of dry friction, so that none drives."""
    model = perturbed(robot.model, Perturbation(friction=0.9, seed=4))
    factor = model.joint_values(FRICTION) / robot.model.joint_values(FRICTION)
    assert np.all(np.abs(factor - 1.0) > 0.01)
    q, v = np.array([0.4, 0.3]), np.array([0.8, -0.5])
    dry = [
        friction_of(each, q, v) - v * each.joint_values(DAMPING) for each in (model, robot.model)
    ]
    np.testing.assert_allclose(dry[0], factor * dry[1], rtol=1e-13)


@pytest.mark.parametrize(
    ('friction', 'words'),
    [
        (
            JointFriction(cosine=1.8, sine=0.9),
            "of joint 'a' has the amplitudes 1.8 and 0.9.*drive",
        ),
        (JointFriction(static=1.9, stribeck_velocity=1.0), 'static 1.9; expected at least.*2'),
        (JointFriction(static=2.5), 'expected stribeck_velocity too'),
        (JointFriction(stribeck_exponent=1.0), 'exponent alone; expected stribeck_velocity'),
        (JointFriction(stribeck_velocity=1.0, stribeck_exponent=3.0), 'exponent 3; expected 1, 2'),
        (JointFriction(damping=-1.0), 'damping -1; expected a finite number, 0 or more'),
        (JointFriction(cosine=np.nan), 'the amplitudes nan and 0'),
        (JointFriction(wavenumber=np.inf), 'wavenumber inf'),
    ],
)
def test_friction_that_is_not_possible_is_refused(friction, words):
    with pytest.raises(ModelError, match=words):
        Robot.from_urdf(ARM).extended.with_joint_friction({'a': friction})


def test_an_unknown_joint_or_entry_is_named(tmp_path):
    """The sentence says what would be valid."""
    with pytest.raises(UnknownNameError, match="no joint 'c' for friction; valid: a, b"):
        Robot.from_urdf(ARM).extended.with_joint_friction({'c': JointFriction()})
    path = Path(tmp_path) / 'friction.yaml'
    for text, words in (
        ('joint_friction: {a: {coulombs: 2}}', "joint 'a' has the entry 'coulombs'; .*coulomb, "),
        ('joint_friction: {a: 2}', "joint 'a' has 2; expected at least an empty {} for it"),
        ('joint_friction: {a: {coulomb: two}}', "joint 'a' has coulomb 'two'; expected a number"),
    ):
        path.write_text(text)
        with pytest.raises(ModelError, match=words):
            Robot.from_urdf(ARM).extended.with_joint_friction(path)


def test_the_velocity_of_a_spherical_joint_has_no_wave():
    """It has no position of its own."""
    robot = Robot.from_urdf(ARM, free_base=True)
    name = robot.joint_names[3]
    with pytest.raises(ModelError, match='expected no wave'):
        robot.extended.with_joint_friction({name: JointFriction(coulomb=1.0, cosine=0.5)})
