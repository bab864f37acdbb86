# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plant of robots with quaternions: tops, free bodies and mixed joints move as they should."""

from dataclasses import replace
from math import inf

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.runner import Runner
from robodyn_ros.simulation.sensors.encoders import Sensor, SensorSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from support.robots.families import MIXED, states

FREE = {'no_command': 'free', 'damping_scale': 0.0, 'friction_scale': 0.0}
ACROSS, ALONG = 0.3, 0.5  # [kg m2] principal moments of the top
SPIN, NUTATION = 7.0, 2.0  # [rad/s] along the axis of the top, and across it


def top(gravity=(0.0, 0.0, 0.0)):
    """Return a symmetric body on a ball joint at its centre of mass."""
    body = Inertial(2.0, np.zeros(3), np.diag((ACROSS, ACROSS, ALONG)))
    return Robot.from_description(
        RobotDescription(
            'top',
            (Link('base'), Link('body', body)),
            (Joint('ball', 'spherical', 'base', 'body'),),
        ),
        gravity=gravity,
    )


def let_go(robot, q, qd, steps, time, **settings):
    """Return the plant after `steps` steps without effort."""
    plant = Plant(robot, PlantSettings(**FREE, **settings), q, qd)
    for _ in range(steps):
        plant.step(dt=time / steps)
    assert plant.fault == ''
    return plant


def top_after(time):
    """Return rotation and angular velocity of the top: it precesses about its momentum.

    omega turns about the axis of the body at (1 - along/across) spin. The body turns about the
    momentum L at |L| / across, and about its own axis by the rest (Euler).
    """
    L = np.array((ACROSS * NUTATION, 0.0, ALONG * SPIN))
    rest = (1.0 - ALONG / ACROSS) * SPIN
    turn = about(L, np.linalg.norm(L) / ACROSS * time) @ about((0.0, 0.0, 1.0), rest * time)
    return turn, about((0.0, 0.0, 1.0), rest * time).T @ (NUTATION, 0.0, SPIN)


def about(axis, angle):
    """Return the rotation about an axis (Rodrigues)."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array(((0.0, -z, y), (z, 0.0, -x), (-y, x, 0.0)))
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def top_error(steps, **settings):
    """Return how far rotation and velocity of the top are from the closed form after a second."""
    robot = top()
    plant = let_go(robot, None, (NUTATION, 0.0, SPIN), steps, 1.0, **settings)
    turn, omega = top_after(1.0)
    return max(
        np.abs(robot.pose(plant.q, 'body')[:3, :3] - turn).max(), np.abs(plant.qd - omega).max()
    )


def test_symmetric_top_precesses_as_euler_says():
    """Runge-Kutta is of order 4 on quaternions too: a sixteenth of the error for half the step."""
    errors = [top_error(steps, integrator='rk4') for steps in (100, 200, 400)]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.15)
    assert errors[1] / errors[2] == pytest.approx(16.0, rel=0.15)
    assert errors[2] < 1e-6


def test_symmetric_top_in_steps_of_any_length():
    """DOP853 divides them to a tolerance of 1e-13 a piece: some 1e-11 in all."""
    assert max(top_error(steps, integrator='dop853') for steps in (1, 10, 1000)) < 1e-11


def test_symmetric_top_by_the_exponential():
    """The semi-implicit scheme is of order 1."""
    steps = 1000, 2000, 4000
    errors = [top_error(each, integrator='semi_implicit_euler') for each in steps]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.1)


def test_quaternion_stays_of_length_one():
    """After ten thousand steps of a fast spin, by each scheme."""
    for integrator in ('semi_implicit_euler', 'energy_rosenbrock', 'rk4', 'dop853'):
        plant = let_go(top(), None, (0.0, 3.0, 40.0), 10_000, 10.0, integrator=integrator)
        assert np.linalg.norm(plant.q) == pytest.approx(1.0, abs=1e-15)


def test_free_body_falls_and_turns_about_its_centre_of_mass():
    """The centre of mass follows the parabola, whatever the body does about it."""
    robot = MIXED['one_free_body'].robot
    ((q, qd, _),) = states(robot, 1)
    model = robot.model
    mass, moment = model.constants[-1, 12], model.constants[-1, 13:16]
    link = model.frame('link1')
    com = np.append(link.rotation.T @ (moment / mass - link.translation), 1.0)

    def centre(q):
        return (robot.pose(q, 'link1') @ com)[:3]

    V = robot.velocity(q, qd, 'link1')
    arm = centre(q) - robot.pose(q, 'link1')[:3, 3]
    start, speed = centre(q), V[:3] + np.cross(V[3:], arm)
    plant = let_go(robot, q, qd, 1000, 0.5, integrator='rk4')
    expected = start + 0.5 * speed + 0.125 * np.array(model.gravity)
    assert centre(plant.q) == pytest.approx(expected, abs=1e-9)


def test_nothing_from_outside_nothing_gained():
    """A free-floating tree without gravity keeps energy and momentum, to the order of the step."""
    robot = MIXED['free_base'].robot.with_gravity((0.0, 0.0, 0.0))
    ((q, qd, _),) = states(robot, 1)

    def conserved(q, qd):
        # about the centre of mass: linear and angular momentum in base axes
        return np.concatenate(
            (robot.centroidal.momentum_about_base(q, qd), [robot.energy(q, qd)[0]])
        )

    before, changes = conserved(q, qd), []
    for steps in (250, 500):
        plant = let_go(robot, q, qd, steps, 0.5, integrator='rk4')
        assert np.abs(plant.q - q).max() > 0.1
        changes.append(np.abs(conserved(plant.q, plant.qd) - before).max())
    assert changes[1] < changes[0] / 10.0
    assert changes[1] < 1e-7 * np.abs(before).max()


@pytest.mark.parametrize('integrator', ['energy_rosenbrock', 'energy_rk4'])
def test_a_free_flyer_keeps_its_momentum_to_rounding(integrator):
    """2000 steps, each with rounding of 1e-16: at most 1e-12, and the energy too.

    Without the projection the scheme is off by its order; that of energy alone shares it.
    """
    robot = MIXED['free_base'].robot.with_gravity((0.0, 0.0, 0.0))
    ((q, qd, _),) = states(robot, 1)
    before, energy = robot.centroidal.momentum_about_base(q, qd), robot.energy(q, qd)[0]
    plant = let_go(robot, q, qd, 2000, 2.0, integrator=integrator)
    change = robot.centroidal.momentum_about_base(plant.q, plant.qd) - before
    assert np.abs(plant.q - q).max() > 0.1
    assert np.abs(change).max() < 1e-12 * np.abs(before).max()
    assert robot.energy(plant.q, plant.qd)[0] == pytest.approx(energy, rel=1e-12)


def described():
    """Return a free body that carries a ball, a joint and a slide, for us and for MuJoCo."""
    inertia = np.array(((0.08, 0.01, -0.02), (0.01, 0.09, 0.015), (-0.02, 0.015, 0.07)))
    places = {
        'free': (0.0, 0.0, 0.0),
        'ball': (0.3, 0.1, -0.2),
        'hinge': (0.1, -0.2, 0.4),
        'slide': (-0.2, 0.3, 0.1),
    }
    com = np.array((0.05, -0.03, 0.11))
    links = [Link('world'), *(Link(name, Inertial(1.5, com, inertia)) for name in places)]
    types = {'free': 'floating', 'ball': 'spherical', 'hinge': 'revolute', 'slide': 'prismatic'}
    joints, parent, bodies, ends = [], 'world', '', ''
    for name, place in places.items():
        joints.append(
            Joint(
                f'{name}_joint',
                types[name],
                parent,
                name,
                Placement(translation=np.array(place)),
                np.array((0.0, 0.6, 0.8)),
            )
        )
        six = ' '.join(map(str, inertia[(0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2)]))
        bodies += (
            f'<body name="{name}" pos="{place[0]} {place[1]} {place[2]}">'
            f'<joint name="{name}_joint" type="{name}" axis="0 0.6 0.8"/>'
            f'<inertial mass="1.5" pos="0.05 -0.03 0.11" fullinertia="{six}"/>'
        )
        ends, parent = f'{ends}</body>', name
    robot = Robot.from_description(
        RobotDescription('mixed', tuple(links), tuple(joints)),
        joints=[joint.name for joint in joints],
    )
    return robot, (
        f'<mujoco><option gravity="0 0 -9.81" timestep="0.001"/>'
        f'<worldbody>{bodies}{ends}</worldbody></mujoco>'
    )


def test_mujoco_takes_the_same_steps():
    """Free and ball joints have its conventions, but for the order in a quaternion."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    robot, text = described()
    theirs = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(theirs)
    assert (theirs.nq, theirs.nv) == (robot.nq, robot.nv) == (13, 11)
    ((q, qd, _),) = states(robot, 1)
    to_theirs = [0, 1, 2, 6, 3, 4, 5, 10, 7, 8, 9, 11, 12]
    settings = PlantSettings('semi_implicit_euler', **FREE | {'command_timeout': inf})
    ours = Plant(robot, settings, q, qd)
    data.qpos[:], data.qvel[:] = q[to_theirs], qd
    rng = np.random.default_rng(0)
    for _ in range(300):
        ours.step(rng.normal(size=robot.nv))
        data.qfrc_applied[:] = ours.effort
        mujoco.mj_step(theirs, data)
    assert np.abs(ours.q - q).max() > 0.1
    assert ours.q[to_theirs] == pytest.approx(data.qpos, abs=1e-10)
    assert ours.qd == pytest.approx(data.qvel, abs=1e-9)


def test_stops_next_to_a_ball():
    """Joints behind a quaternion stop where their limits are, and the ball goes on."""
    robot, _ = described()
    lower, upper = robot.limits.lower.copy(), robot.limits.upper.copy()
    lower[-2:], upper[-2:] = -0.05, 0.05
    model = replace(robot.model, limits=replace(robot.limits, lower=lower, upper=upper))
    plant = Plant(Robot(model), PlantSettings(**FREE), velocity=np.full(robot.nv, 2.0))
    for _ in range(500):
        plant.step()
        assert np.all(np.abs(plant.q[-2:]) <= 0.05)
    assert plant.fault == ''
    assert np.any(np.abs(plant.q[-2:]) == 0.05)


def test_specialised_step_is_the_same():
    """The step linked to the code of a robot with a ball passes its self-test."""
    assert specialised_step(MIXED['one_ball'].robot.model) is not None


def test_sensor_reads_quaternions():
    """A reading has as many positions as the plant, each with its own noise."""
    robot = top()
    sensor = Sensor(robot.nv, SensorSettings(position_noise=1e-3, velocity_noise=1e-2), robot.nq)
    runner = Runner(Plant(robot, PlantSettings(**FREE), velocity=(1.0, 2.0, 3.0)), sensor, 1000)
    runner.advance(10)
    for reading, truth, noise in (
        (sensor.position, runner.plant.q, 1e-3),
        (sensor.velocity, runner.plant.qd, 1e-2),
    ):
        assert reading.shape == truth.shape
        assert np.all(reading != truth) and np.abs(reading - truth).max() < 6.0 * noise


def test_sensor_reads_rotations():
    """Readings of quaternions have length one, at any resolution."""
    robot = top()
    for settings in (
        SensorSettings(position_noise=1e-2),
        SensorSettings(position_step=0.25),
        SensorSettings(position_step=50.0),
    ):
        sensor = Sensor(robot.nv, settings, robot.nq, robot.model.quaternions)
        runner = Runner(Plant(robot, PlantSettings(**FREE), velocity=(1.0, 2.0, 3.0)), sensor, 100)
        runner.advance(20)
        assert np.linalg.norm(sensor.position) == pytest.approx(1.0, abs=1e-15)
        coarse = settings.position_step == 50.0  # nothing is left but zeros
        assert np.all(sensor.position == runner.plant.q) == coarse


def test_nothing_holds_a_free_base():
    """Before a command its joints are braked, and it falls as one body; silence damps nothing."""
    robot = MIXED['free_base'].robot
    ((q, qd, _),) = states(robot, 1)
    qd[6:] = 0.0
    for settings in (
        {'no_command': 'hold'},
        {'no_command': 'gravity_compensated'},
        {'command_timeout': 1e-3},
    ):
        plant = Plant(robot, PlantSettings(integrator='rk4', **settings), q, qd)
        if 'command_timeout' in settings:
            plant.step(np.where(np.arange(robot.nv) < 6, 0.0, np.nan), 1e-3)
        start, com = plant.t, robot.centroidal.centre_of_mass(plant.q)
        speed = robot.centroidal.centre_of_mass_velocity(plant.q, plant.qd)
        for _ in range(200):
            plant.step(dt=1e-3)
        time = plant.t - start
        fall = np.array(robot.model.gravity)
        if settings.get('no_command') != 'gravity_compensated':
            assert plant.q[7:].tolist() == q[7:].tolist()
        assert robot.centroidal.centre_of_mass(plant.q) == pytest.approx(
            com + time * speed + 0.5 * time**2 * fall, abs=1e-8
        )


def test_a_base_whose_joint_is_stuck_is_a_locked_base():
    """All six stuck: the same motion as that of the robot which is held at that pose."""
    case = MIXED['free_base']
    ((q, qd, _),) = states(case.robot, 1)
    held = Robot.from_description(
        case.description, gravity=case.gravity, free_base=True, locked={'free_base': q[:7]}
    )
    stuck = Plant(
        case.robot, PlantSettings(**FREE, integrator='rk4'), q, np.append(np.zeros(6), qd[6:])
    )
    stuck.injected_faults = Faults(stuck_joints=case.robot.joint_names[:6])
    expected = Plant(held, PlantSettings(**FREE, integrator='rk4'), q[7:], qd[6:])
    for _ in range(300):
        stuck.step(dt=1e-3)
        expected.step(dt=1e-3)
    assert np.abs(expected.q - q[7:]).max() > 0.1
    assert stuck.q[:7] == pytest.approx(q[:7], abs=1e-15)
    assert stuck.q[7:] == pytest.approx(expected.q, abs=1e-10)
    assert stuck.qd[6:] == pytest.approx(expected.qd, abs=1e-9)


def test_a_raft_cannot_fall():
    """Stuck in z alone: what pushes in the plane is gravity, as for a body that nothing holds."""
    robot = MIXED['free_base'].robot
    ((q, qd, _),) = states(robot, 1)
    qd[2] = 0.0
    plant = Plant(robot, PlantSettings(**FREE, integrator='rk4'), q, qd)
    plant.injected_faults = Faults(stuck_joints=('free_base.z',))
    before = robot.centroidal.momentum_about_base(q, qd)
    for _ in range(200):
        plant.step(dt=1e-3)
    gained = robot.centroidal.momentum_about_base(plant.q, plant.qd) - before
    weight = robot.centroidal.mass * np.array(robot.model.gravity)
    assert plant.q[2] == q[2]
    assert gained[:2] == pytest.approx(0.2 * weight[:2], abs=1e-8)
    assert abs(gained[2] - 0.2 * weight[2]) > 0.1


def test_lost_quaternion_is_refused():
    """A plant is not put into a state without rotation."""
    with pytest.raises(ParameterError, match='ball.qx.*expected a unit quaternion'):
        Plant(top(), position=np.zeros(4))
