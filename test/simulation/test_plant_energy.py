# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integrators that balance the energy: no drift, the right work, and still their order."""

from math import inf
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model.layout import DAMPING
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.robots.closed_loops import several_four_bars

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
BALANCED = pytest.mark.parametrize('integrator', ['energy_rosenbrock', 'energy_rk4'])
FREE = {'no_command': 'free', 'damping_scale': 0.0, 'friction_scale': 0.0}
PENDULUM = """<robot name="pendulum"><link name="base"/><link name="rod"><inertial>
<origin xyz="0.5 0 0"/><mass value="1"/>
<inertia ixx="0.01" iyy="0.08" izz="0.08" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pin" type="continuous"><parent link="base"/><child link="rod"/><axis xyz="0 -1 0"/>
</joint></robot>"""
START = np.array([0.3, 0.7, -0.4, -1.5, 0.5, 1.0, 0.2])


@pytest.fixture(scope='module')
def swinging():
    """Return the 7-joint arm without stops."""
    return Robot.from_urdf(URDF.read_text().replace('type="revolute"', 'type="continuous"'))


def energy_error(robot, steps, **settings):
    """Return the largest energy error of a wild swing at 1 kHz in its largest kinetic energy."""
    plant = Plant(robot, PlantSettings(**settings, **FREE), START)
    states = []
    if 'tolerance' in settings:
        for step in range(steps):
            plant.step()
            if step % 50 == 0:
                states.append((plant.q.copy(), plant.qd.copy()))
    else:
        found = plant.rollout(START, np.zeros(7), np.zeros((steps, 7)))
        states += zip(found.position[0, ::50], found.velocity[0, ::50])
        assert found.blown_up[0] == -1
    energies = np.array([robot.energy(q, qd) for q, qd in states])
    error = energies.sum(axis=1) - sum(robot.energy(START, np.zeros(7)))
    assert plant.fault == '' and np.abs([qd for _, qd in states]).max() > 20.0
    return np.abs(error).max() / energies[:, 0].max()


@pytest.mark.parametrize('integrator', [PlantSettings.integrator, 'energy_rk4'])
def test_energy_of_a_wild_swing_stays(swinging, integrator):
    """By the default too: rounding of 1e-16 of the largest kinetic energy a step.

    20 s at 1 kHz without friction. Rounding adds up like a random walk, to some 2e-14. A bias of
    half a unit in the last place would give 1e-12.
    """
    assert energy_error(swinging, 20_000, integrator=integrator) < 2e-13


def test_energy_of_a_wild_swing_stays_without_a_projection(swinging):
    """By order 8, for a minute at 1 kHz: 1e-10 of the largest kinetic energy.

    60 000 steps with errors of 1e-15 each, all to one side, would make 6e-11.
    """
    assert energy_error(swinging, 60_000, integrator='dop853') < 1e-10


def test_a_tolerance_bounds_the_energy_error_of_order_four(swinging):
    """1e-12 rad a step: twenty times that of energy a step, over 10 000 steps, if they walk."""
    assert energy_error(swinging, 10_000, integrator='rk4', tolerance=1e-12) < 1e-10


@BALANCED
@pytest.mark.parametrize('dt, steps', [(0.01, 500), (0.1, 200), (1.0, 30)])
@pytest.mark.parametrize('name', ['two_link', 'franka_like', 'ur_like'])
def test_energy_stays_in_steps_of_any_length(name, dt, steps, integrator):
    """Without friction and stops, up to the longest step there is.

    A step of 1 s has up to 1024 pieces. Rounding of 1e-16 of the largest kinetic energy a piece
    adds up to 5e-14, if it walks.
    """
    robot = Robot.from_urdf(
        (URDF.parent / f'{name}.urdf').read_text().replace('"revolute"', '"continuous"')
    )
    start = START[: robot.nv]
    plant = Plant(robot, PlantSettings(integrator=integrator, **FREE), start)
    found = plant.rollout(start, np.zeros(robot.nv), np.zeros((steps, robot.nv)), dt)
    energies = np.array(
        [robot.energy(q, qd) for q, qd in zip(found.position[0], found.velocity[0])]
    )
    kinetic = energies[:, 0].max()
    assert found.blown_up[0] == -1 and dt * np.abs(found.velocity).max() > 0.1
    assert np.abs(energies.sum(axis=1) - energies[0].sum()).max() < 2e-13 * kinetic


@BALANCED
@pytest.mark.parametrize(
    'dt, speed', [(0.1, 1e3), (0.3, 100.0), (0.3, 1e3), (1.0, 20.0), (1.0, 1e3)]
)
@pytest.mark.parametrize('name', ['two_link', 'franka_like'])
def test_a_step_keeps_the_energy_or_is_refused(name, dt, speed, integrator):
    """Joints that turn by 20 to 1000 rad in a step: none drifts without a word, none is singular.

    Tolerance as above. A refused step leaves the state before it, and says what helps.
    """
    robot = Robot.from_urdf(
        (URDF.parent / f'{name}.urdf').read_text().replace('"revolute"', '"continuous"')
    )
    n, rng = robot.nv, np.random.default_rng(4)
    state = rng.normal(size=n), speed * rng.uniform(-1.0, 1.0, n)
    settings = PlantSettings(integrator=integrator, **FREE)
    plant = Plant(robot, settings, *state)
    kinetic, potential = robot.energy(*state)
    for _ in range(10):
        before = plant.q.copy()
        plant.step(dt=dt)
        if plant.fault:
            assert (plant.q == before).all() and not plant.fault.count('singular')
            assert 'too long' in plant.fault or 'too large' in plant.fault
            break
        largest = max(kinetic, robot.energy(plant.q, plant.qd)[0])
        error = sum(robot.energy(plant.q, plant.qd)) - kinetic - potential
        assert abs(error) < 2e-13 * largest
    plant.set_state(*state)
    plant.step(dt=1e-4)
    assert not plant.fault


def test_the_refusal_of_a_long_step_says_that_shorter_ones_help():
    """Joints of 1000 rad/s turn by 1000 rad in a step of 1 s: 1 rad in its smallest piece."""
    robot = Robot.from_urdf(
        (URDF.parent / 'two_link.urdf').read_text().replace('"revolute"', '"continuous"')
    )
    start, speed = START[:2], np.full(2, 1e3)
    plant = Plant(robot, PlantSettings(**FREE), start, speed)
    plant.step(dt=1.0)
    assert plant.fault.startswith(
        "robot 'two_link': the step is too long for the speed of its joints; shorter ones "
        'keep energy at t = 0 s'
    )
    found = plant.rollout(start, speed, np.zeros((1, 2)), 1.0)
    assert found.blown_up[0] == 0 and 'too long for the speed' in found.faults[0]


@BALANCED
def test_a_tolerance_divides_a_step_that_is_too_long_for_the_energy(integrator):
    """As more substeps would: the fault is for plants that have neither."""
    robot = Robot.from_urdf(
        (URDF.parent / 'two_link.urdf').read_text().replace('"revolute"', '"continuous"')
    )
    state, found = (START[:2], np.full(2, 1e3)), []
    for changes in ({}, {'tolerance': 1e-3}):
        plant = Plant(robot, PlantSettings(integrator=integrator, **changes, **FREE), *state)
        plant.step(dt=1.0)
        found.append(plant.fault)
    assert 'too long' in found[0] and found[1] == ''


@BALANCED
@pytest.mark.parametrize('dt, steps', [(0.01, 2000), (0.1, 500), (1.0, 50)])
def test_energy_stays_where_all_joints_turn_back(dt, steps, integrator):
    """A pendulum has no velocity to scale at its turning points; yet nothing is lost there.

    Rounding of 1e-16 a step adds up to 4e-15 of the energy, or 2e-13 in one direction.
    """
    pendulum = Robot.from_urdf(PENDULUM)
    plant = Plant(pendulum, PlantSettings(integrator=integrator, **FREE), [0.4])
    found = plant.rollout([0.4], [0.0], np.zeros((steps, 1)), dt)
    energies = np.array(
        [pendulum.energy(q, qd) for q, qd in zip(found.position[0], found.velocity[0])]
    )
    assert (np.diff(np.sign(found.velocity[0, 1:, 0])) != 0.0).sum() > 2
    assert np.abs(energies.sum(axis=1) - energies[0].sum()).max() < 2e-13 * energies[:, 0].max()


@BALANCED
@pytest.mark.parametrize('dt, steps', [(0.01, 100), (0.1, 20)])
def test_energy_of_a_closed_loop_stays_in_steps_of_any_length(dt, steps, integrator):
    """A four-bar whose crank turns at 9 rad/s and more, to the longest step of the simulator.

    Tolerance as above.
    """
    mechanism = several_four_bars(1, further=0)
    robot = mechanism.build()(['crank0'], mechanism.near)
    settings = PlantSettings(integrator=integrator, **FREE)
    plant = Plant(robot, settings, robot.model.closed_posture, [9.0])
    before = robot.energy(plant.q, plant.qd)
    for _ in range(steps):
        plant.step(dt=dt)
        error = sum(robot.energy(plant.q, plant.qd)) - sum(before)
        assert abs(error) < 2e-13 * before[0] and plant.fault == ''
    assert abs(plant.q[0]) > 5.0


@pytest.mark.parametrize('damping', [50.0, 5000.0])
def test_stiff_friction_is_left_to_the_stable_scheme(elbow, damping):
    """Where friction takes most of a step's energy, this is a step of `rosenbrock`, bit for bit.

    The step does not resolve the work of that friction, and shorter ones would take forever.
    """
    robot = Robot(elbow.model.with_joint_values(DAMPING, [damping, damping]))
    ends = []
    for integrator in ('energy_rosenbrock', 'rosenbrock'):
        settings = PlantSettings(integrator=integrator, no_command='free')
        plant = Plant(robot, settings, (0.3, 0.7), (0.4, -0.6))
        plant.step(dt=0.1)
        ends.append(np.concatenate((plant.q, plant.qd)))
    assert (ends[0] == ends[1]).all()
    assert 0.0 < np.abs(ends[0][2:]).max() < 0.5


@pytest.mark.parametrize('integrator, order', [('energy_rosenbrock', 2), ('energy_rk4', 4)])
def test_order_with_motors_and_viscous_friction(elbow, integrator, order):
    """Errors at h and h / 2 are as 2^order to one, against rk4 at a step of a hundredth."""
    robot = Robot(elbow.model.with_joint_values(DAMPING, [0.5, 0.2]))
    effort = np.array([3.0, -1.0])

    def end(steps, scheme):
        settings = PlantSettings(integrator=scheme, command_timeout=inf)
        plant = Plant(robot, settings, (0.3, 0.7), (0.4, -0.6))
        for _ in range(steps):
            plant.step(effort, dt=0.4 / steps)
        return np.concatenate((plant.q, plant.qd))

    truth = end(4000, 'rk4')
    errors = [np.abs(end(steps, integrator) - truth).max() for steps in (40, 80)]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25)


@BALANCED
@pytest.mark.parametrize('dt, steps', [(1e-3, 1000), (0.1, 10)])
def test_work_of_motors_becomes_energy(elbow, integrator, dt, steps):
    """Energy gained equals tau . dq of constant efforts, in steps of any length."""
    plant = Plant(
        elbow, PlantSettings(integrator=integrator, command_timeout=inf), (0.3, 0.7), (0.4, -0.6)
    )
    before, work, effort = sum(elbow.energy(plant.q, plant.qd)), 0.0, np.array([3.0, -1.0])
    for _ in range(steps):
        q = plant.q.copy()
        plant.step(effort, dt=dt)
        work += effort @ (plant.q - q)
    gained = sum(elbow.energy(plant.q, plant.qd)) - before
    assert gained == pytest.approx(work, rel=1e-11)


@BALANCED
def test_friction_takes_what_it_should(integrator):
    """An arm without gravity and motors comes to rest under dry friction, and stays there."""
    robot = Robot.from_urdf(URDF, gravity=(0.0, 0.0, 0.0))
    q = 0.5 * (robot.limits.lower + robot.limits.upper)
    settings = PlantSettings(integrator=integrator, no_command='free', friction_scale=5.0)
    plant = Plant(robot, settings, q, [0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.9])
    energy = robot.energy(plant.q, plant.qd)[0]
    while energy > 0.0 and plant.t < 5.0:
        plant.step()
        before, energy = energy, robot.energy(plant.q, plant.qd)[0]
        assert energy < before
    assert energy == 0.0


@BALANCED
def test_a_pushed_arm_is_not_corrected(elbow, integrator):
    """The work of a wrench is not known: the first acceleration is that of forward dynamics."""
    plant = Plant(elbow, PlantSettings(integrator=integrator, **FREE), (0.3, 0.7))
    plant.apply_wrench(elbow.frames[-1], (5.0, -2.0, 1.0, 0.3, 0.1, -0.2))
    plant.step(dt=1e-4)
    other = Plant(elbow, PlantSettings(integrator='rk4', **FREE), (0.3, 0.7))
    other.apply_wrench(elbow.frames[-1], (5.0, -2.0, 1.0, 0.3, 0.1, -0.2))
    other.step(dt=1e-4)
    assert plant.qd == pytest.approx(other.qd, rel=1e-6)
    assert np.abs(other.qd).max() > 1e-4


@BALANCED
def test_at_rest_it_stays_at_rest(elbow, integrator):
    """Gravity compensated by the motors: rounding of the energy moves nothing."""
    plant = Plant(elbow, PlantSettings(integrator=integrator, command_timeout=inf), (0.3, 0.7))
    effort = elbow.gravity_torque(plant.q)
    for _ in range(1000):
        plant.step(effort)
    assert np.abs(plant.qd).max() < 1e-12
