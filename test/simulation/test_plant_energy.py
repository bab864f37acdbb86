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

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
BALANCED = pytest.mark.parametrize('integrator', ['energy_rosenbrock', 'energy_rk4'])
FREE = {'no_command': 'free', 'damping_scale': 0.0, 'friction_scale': 0.0}
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
def test_work_of_motors_becomes_energy(elbow, integrator):
    """Energy gained equals tau . dq of constant efforts, to the order of the scheme."""
    plant = Plant(
        elbow, PlantSettings(integrator=integrator, command_timeout=inf), (0.3, 0.7), (0.4, -0.6)
    )
    before, work, effort = sum(elbow.energy(plant.q, plant.qd)), 0.0, np.array([3.0, -1.0])
    for _ in range(1000):
        q = plant.q.copy()
        plant.step(effort, dt=1e-3)
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
