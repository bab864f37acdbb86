# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that follow several others: a differential wrist, alone and beside loops.

Random robots are in test_mimic_joints, with and without such joints.
"""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.errors import ModelError, UnknownNameError, UnlockedError
from robodyn_ros.formulations.jain.embedding.closed_robot import compare_closed
from robodyn_ros.model.dependent.coupling import Coupling, with_couplings
from robodyn_ros.robot.robot import Robot
from robodyn_ros.simulation.all_joints import AllJoints
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.compare import agree
from support.referees.mechanism_referees import of_pinocchio
from support.robots.closed_loops import GRAVITY, Referee, several_four_bars
from support.robots.families import describe
from support.robots.mechanisms import CONFIG, wrist

URDF, FILE = CONFIG / 'wrist.urdf', CONFIG / 'wrist.yaml'
MOTORS = (Coupling('left_motor', {'pitch': 40.0, 'roll': 40.0}, 0.3),)


def motions(robot, centre, count=3):
    """Yield q, qd and tau of random states around one, none of them zero."""
    rng = np.random.default_rng(9)
    for _ in range(count):
        yield centre + rng.uniform(-0.3, 0.3, robot.nv), *rng.uniform(-1.5, 1.5, (2, robot.nv))


def by_name(robot, *values):
    """Return {joint: value} of values of all joints."""
    return [dict(zip(robot.all_joint_names, each)) for each in values]


def test_a_differential_wrist_accelerates_as_in_pinocchio():
    """Its tree is read by Pinocchio, and two multipliers of ours hold the gears together."""
    pytest.importorskip('pinocchio')
    mechanism, robot = wrist(), wrist().robot()
    assert robot.joint_names == ('shoulder', 'elbow', 'pitch', 'roll')
    for q, qd, tau in motions(robot, np.array((0.5, 0.8, 0.4, 0.7))):
        found = robot.expand(q, qd, robot.forward_dynamics(q, qd, tau))
        positions, rates, accelerations = by_name(robot, *found)
        torques = dict(zip(robot.joint_names, tau))
        expected = of_pinocchio(mechanism, positions, rates, torques)
        agree([accelerations[name] for name in expected], list(expected.values()))


def test_couplings_of_the_file_and_of_python_are_the_same():
    """Each motor is where both axes put it, and its offset moves it alone."""
    filed = Robot.from_urdf(URDF, closures=FILE)
    left, right = filed.model.coupled.values()
    assert [*left.values()] == [40.0, 40.0] and [*right.values()] == [40.0, -40.0]
    q = np.array((0.3, -0.4, 0.5, 0.2))
    (position,) = by_name(filed, filed.expand(q)[0])
    assert position['left_motor'] == 40.0 * 0.5 + 40.0 * 0.2
    assert position['right_motor'] == 40.0 * 0.5 - 40.0 * 0.2
    one = Robot.from_urdf(URDF, couplings=MOTORS, locked={'right_motor': 0.0})
    assert one.joint_names == filed.joint_names
    assert by_name(one, one.expand(q)[0])[0]['left_motor'] == 40.0 * 0.5 + 40.0 * 0.2 + 0.3
    held = Robot.from_urdf(URDF, closures=FILE, locked={'roll': 0.25})
    assert by_name(held, held.expand(q[:3])[0])[0]['right_motor'] == 40.0 * 0.5 - 40.0 * 0.25


def test_motors_of_a_differential_share_the_torques_of_its_axes():
    """Half the sum, and half the difference, through the reduction; each has one answer."""
    robot = wrist().robot()
    for q, qd, qdd in motions(robot, np.array((0.5, 0.8, 0.4, 0.7))):
        tau = robot.inverse_dynamics(q, qd, qdd)
        driven = ['shoulder', 'elbow', 'left_motor', 'right_motor']
        found = robot.loops.actuator_torques(q, qd, qdd, driven)
        share = (tau[2] + tau[3]) / 80.0, (tau[2] - tau[3]) / 80.0
        agree(found.torque, [*tau[:2], *share], np.abs(tau).max())
        assert found.squeeze.shape == (4, 0)


def test_a_coupled_joint_may_stand_beside_a_loop():
    """Its leaders are a crank and a joint on the coupler, against the dense system of the tree."""
    plain = several_four_bars(1, further=3)
    ways = {'crank0': 0.8, 'arm0_1': -1.3}
    coupled = with_couplings(plain.description, [Coupling('arm0_2', ways, 0.2)])
    mechanism = replace(plain, description=coupled)
    robot, referee = mechanism.robot(), Referee(mechanism)
    assert robot.joint_names == ('crank0', 'arm0_0', 'arm0_1')
    names = referee.tree.joint_names
    order = [robot.all_joint_names.index(name) for name in names]
    lead = [names.index(name) for name in robot.joint_names]
    for q, qd, tau in motions(robot, robot.model.closed_posture):
        torques = np.zeros(len(names))
        torques[lead] = tau
        found = robot.expand(q, qd, robot.forward_dynamics(q, qd, tau))
        position, rates, accelerations = (each[order] for each in found)
        gaps, J, _ = referee.rows(position, rates)
        agree(gaps, 0.0 * gaps, 1.0)
        agree(J @ rates, 0.0 * gaps, np.abs(rates).max())
        agree(accelerations, referee.solve(position, rates, torques)[0], tolerance=1e-11)


def test_a_plant_swings_a_differential_and_keeps_its_energy():
    """Published motors stay where both axes put them."""
    robot = wrist().robot(gravity=GRAVITY)
    settings = PlantSettings(integrator='energy_rk4', no_command='free')
    plant = Plant(robot, settings, np.array((0.3, 0.4, 0.5, 0.6)), np.array((1, -0.5, 0.8, 2.0)))
    begin, all_joints = sum(robot.energy(plant.q, plant.qd)), AllJoints(robot.model)
    for _ in range(100):
        plant.step(dt=1e-3)
    assert not plant.fault and np.abs(plant.q - (0.3, 0.4, 0.5, 0.6)).max() > 0.1
    agree(sum(robot.energy(plant.q, plant.qd)), begin)
    state = all_joints.state(plant.q, plant.qd, plant.effort)
    for joints, own in zip(by_name(robot, *state[:2]), (plant.q, plant.qd)):
        agree(joints['left_motor'], 40.0 * (own[2] + own[3]))
        agree(joints['right_motor'], 40.0 * (own[2] - own[3]))


def test_code_for_one_differential_gives_the_same_numbers():
    """The ratios are constants of the code."""
    robot = wrist().robot()
    mine = robot.specialised()
    assert not mine.generic
    for q, qd, x in motions(robot, np.array((0.5, 0.8, 0.4, 0.7))):
        agree(mine.forward_dynamics(q, qd, x), robot.forward_dynamics(q, qd, x), tolerance=1e-11)
        agree(mine.inverse_dynamics(q, qd, x), robot.inverse_dynamics(q, qd, x))


def test_routes_of_the_book_agree(capsys):
    """Jain's embedding takes a coupled joint as an aggregate of all joints that it follows."""
    robot = wrist().robot()
    q, qd, qdd = next(motions(robot, np.array((0.5, 0.8, 0.4, 0.7))))
    assert compare_closed(robot, q, qd, qdd).worst < 1e-11
    assert 'Embedded articulated bodies' in capsys.readouterr().out


def test_friction_and_limits_of_a_coupled_joint_are_reported():
    """Like those of joints that loops lead: nothing is dropped without a word."""
    joints = tuple(
        replace(joint, damping=0.1) if joint.name == 'left_motor' else joint
        for joint in wrist().description.joints
    )
    robot = Robot.from_description(replace(wrist().description, joints=joints))
    found = [str(each) for each in robot.model.report.findings if 'left_motor' in str(each)]
    assert any('its limits are not checked' in each for each in found)
    assert any('its damping and friction are left out' in each for each in found)


@pytest.mark.parametrize(
    'couplings, error, sentence',
    [
        ([Coupling('thumb', {'roll': 1.0})], UnknownNameError, "no joint 'thumb' to couple"),
        ([Coupling('roll', {})], ModelError, "'roll' follows no joint; expected one coupling"),
        ([Coupling('roll', {'knee': 1.0})], UnlockedError, "follows 'knee', which is no movable"),
        ([Coupling('roll', {'pitch': np.nan})], ModelError, 'with multiplier nan; expected'),
        (
            [Coupling('roll', {'pitch': 1.0, 'elbow': 1.0}), Coupling('elbow', {'roll': 1.0})],
            UnlockedError,
            'a loop of joints that follow one another',
        ),
        (
            [Coupling('roll', {'pitch': 1.0}), Coupling('roll', {'elbow': 1.0})],
            ModelError,
            "'roll' follows pitch; expected one coupling",
        ),
    ],
)
def test_what_cannot_be_coupled_is_a_sentence(couplings, error, sentence):
    """It names the joints."""
    with pytest.raises(error, match=sentence):
        Robot.from_urdf(URDF, couplings=couplings)


def test_couplings_that_the_robot_cannot_have_are_refused():
    """A quaternion between the leaders, a leader that a loop leads, a coupled joint in a loop."""
    kinds = ('revolute', 'revolute', 'spherical', 'revolute')
    ball = describe('ball', 4, kinds=kinds)
    ways = Coupling('joint4', {'joint1': 1.0, 'joint3': 1.0})
    with pytest.raises(ModelError, match="'joint3', which have a joint with a quaternion"):
        Robot.from_description(ball, couplings=[ways])
    plain = several_four_bars(1, further=1)
    for ways, sentence in (
        (Coupling('arm0_0', {'crank0': 1.0, 'coupler0': 1.0}), "'coupler0', which depends on"),
        (Coupling('rocker0', {'crank0': 1.0, 'arm0_0': 1.0}), "'rocker0' in its loop, which"),
    ):
        near = {name: angle for name, angle in plain.near.items() if name != ways.joint}
        description = with_couplings(plain.description, [ways])
        with pytest.raises(ModelError, match=sentence):
            replace(plain, description=description).robot(near=near)


def test_a_file_may_have_couplings_alone_or_wrong_ones(tmp_path):
    path = tmp_path / 'wrist.yaml'
    for text, sentence in (
        ('couplings: {left_motor: {offset: 1}}', "coupling of 'left_motor' has .* least follows"),
        ('couplings: {left_motor: {follows: pitch}}', 'follows .*; expected them by names'),
        ('couplings: {left_motor: {follows: {pitch: up}}}', "pitch 'up'; expected a number"),
    ):
        path.write_text(text)
        with pytest.raises(ModelError, match=sentence):
            Robot.from_urdf(URDF, closures=path)
