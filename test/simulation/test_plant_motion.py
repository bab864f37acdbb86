# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The plant moves as the laws of motion say, to the order of its integrator."""

from math import inf

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

START = (0.3, 0.7), (0.4, -0.6)
# Spong's elbow let go from START: state after 0.5 s by DOP853 at 1e-13, confirmed by RK4.
HALF_SECOND = np.array([-0.875536667748, 1.347683275942, -3.892511327395, -3.636991961796])
EULER = 'semi_implicit_euler'


def let_go(robot, steps, time, **settings):
    """Return the plant after `steps` steps without effort, and its error against HALF_SECOND."""
    plant = Plant(robot, PlantSettings(no_command='free', **settings), *START)
    for _ in range(steps):
        plant.step(dt=time / steps)
    return plant, np.max(np.abs(np.concatenate((plant.q, plant.qd)) - HALF_SECOND))


@pytest.mark.parametrize(
    'steps, error',
    [(50, 1.022e-6), (100, 6.26e-8), (200, 3.88e-9), (400, 2.41e-10), (800, 1.51e-11)],
)
def test_runge_kutta_has_the_published_error(elbow, steps, error):
    """Order 4: the error of a textbook RK4 on the same motion, to the digits that are given."""
    _, found = let_go(elbow, steps, 0.5, integrator='rk4')
    assert found == pytest.approx(error, rel=0.02, abs=1e-12)


def test_euler_error_halves_with_the_step(elbow):
    """Order 1: errors at N and 2 N steps are as two to one, within a tenth."""
    errors = [let_go(elbow, steps, 0.5, integrator=EULER)[1] for steps in (800, 1600, 3200)]
    assert errors[0] / errors[1] == pytest.approx(2.0, rel=0.1)
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.1)


@pytest.mark.parametrize('integrator', [EULER, 'energy_rosenbrock', 'rk4'])
def test_substeps_are_short_steps(elbow, integrator):
    """Eight substeps of a step are eight steps of an eighth, bit for bit (the eighth is exact)."""
    fine, _ = let_go(elbow, 512, 0.5, integrator=integrator)
    coarse, _ = let_go(elbow, 64, 0.5, integrator=integrator, substeps=8)
    assert np.array_equal(fine.q, coarse.q)
    assert np.array_equal(fine.qd, coarse.qd)


@pytest.mark.parametrize('integrator', [EULER, 'energy_rosenbrock', 'rk4'])
def test_a_tolerance_chooses_the_substeps(elbow, integrator):
    """Ten steps of 50 ms keep the error near the tolerance, in which fixed substeps lose.

    Errors of the steps add up and grow along the motion: ten of them to some fifty tolerances.
    """
    _, loose = let_go(elbow, 10, 0.5, integrator=integrator)
    errors = [
        let_go(elbow, 10, 0.5, integrator=integrator, tolerance=tolerance)[1]
        for tolerance in (1e-3, 1e-6)
    ]
    assert errors[0] < loose and errors[1] < 0.1 * errors[0]
    assert errors[1] < (50.0 / 0.05) * 1e-6  # of velocities, which count by the step of 50 ms


def test_fast_motions_take_more_substeps_and_slow_ones_fewer(elbow):
    """The number follows the motion, up and down again, and runs repeat bit for bit."""
    settings = PlantSettings(no_command='free', integrator='rk4', tolerance=1e-9)
    taken, runs = [], []
    for _ in range(2):
        plant = Plant(elbow, settings, *START)
        taken.append([])
        for push in (0.0, 200.0, 0.0):
            plant.set_state(*START)
            for _ in range(3):
                plant.step((push, -push), 0.02)
            taken[-1].append(plant._substeps)
        runs.append(plant.q.copy())
    slow, fast, again = taken[0]
    assert fast > slow and again < fast
    assert taken[0] == taken[1] and np.array_equal(*runs)
    with pytest.raises(ParameterError, match='tolerance'):
        plant.rollout(*START, np.zeros((2, 2)))
    with pytest.raises(ParameterError, match='tolerance'):
        PlantSettings(tolerance=-1.0)


def energy_error(robot, steps, **settings):
    """Return the largest change of the energy of a swing, in parts of what it started with."""
    plant = Plant(robot, PlantSettings(no_command='free', **settings), (-1.0, 0.5), (0.4, -0.6))
    first = sum(robot.energy(plant.q, plant.qd))
    lowest = robot.energy(np.array([-np.pi / 2, 0.0]), np.zeros(2))[1]
    worst = 0.0
    for k in range(steps):
        plant.step(dt=1e-3)
        if k % 20 == 0:
            worst = max(worst, abs(sum(robot.energy(plant.q, plant.qd)) - first))
    assert plant.fault == ''
    return worst / (first - lowest)


@pytest.mark.slow
def test_runge_kutta_keeps_the_energy(elbow):
    """Over 1e5 steps of 1 ms of a free swing, without friction; measured 1.3e-11."""
    assert energy_error(elbow, 100_000, integrator='rk4') < 1e-10


@pytest.mark.slow
def test_euler_bounds_the_energy(elbow):
    """Over 1e5 steps of 1 ms of a free swing, without friction; measured 6 %, order 1 in h."""
    coarse = energy_error(elbow, 100_000, integrator=EULER)
    fine = energy_error(elbow, 100_000, integrator=EULER, substeps=10)
    assert coarse < 0.1
    assert fine < coarse / 5.0


@pytest.mark.parametrize('integrator', [EULER, 'energy_rosenbrock', 'rk4'])
def test_first_acceleration_is_that_of_forward_dynamics(arm, middle, integrator):
    """(qd' - qd) / h tends to M^-1 (tau - h(q, qd)); exactly so for Euler without friction."""
    rng = np.random.default_rng(1)
    qd, effort = rng.uniform(-0.5, 0.5, arm.nv), rng.uniform(-5.0, 5.0, arm.nv)
    settings = PlantSettings(integrator=integrator, damping_scale=0.0, friction_scale=0.0)
    plant = Plant(arm, settings, middle, qd)
    plant.step(effort, dt=1e-6)
    expected = arm.forward_dynamics(middle, qd, effort)
    # cancellation for Euler, a term of first order for Runge-Kutta
    tolerance = 1e-8 if integrator == EULER else 1e-4
    assert (plant.qd - qd) / 1e-6 == pytest.approx(expected, rel=tolerance, abs=tolerance)
    assert np.array_equal(plant.effort, effort)


@pytest.mark.parametrize('frame', ['link4', 'joint6'])
def test_wrench_enters_as_jacobian_transpose(arm, middle, frame):
    """Inverse dynamics of the acceleration under a wrench on a link gives back the effort."""
    rng = np.random.default_rng(2)
    qd, effort = rng.uniform(-0.5, 0.5, arm.nv), rng.uniform(-5.0, 5.0, arm.nv)
    wrench = rng.uniform(-10.0, 10.0, 6)
    settings = PlantSettings(EULER, damping_scale=0.0, friction_scale=0.0)
    plant = Plant(arm, settings, middle, qd)
    plant.apply_wrench(frame, wrench)
    plant.step(effort, dt=1e-5)
    rotation = arm.pose(middle, frame)[:3, :3]
    in_base_axes = np.concatenate((rotation @ wrench[:3], rotation @ wrench[3:]))
    torque = arm.inverse_dynamics(middle, qd, (plant.qd - qd) / 1e-5, {frame: in_base_axes})
    assert torque == pytest.approx(effort, abs=1e-7)


def test_work_of_the_motors_becomes_energy(elbow):
    """Energy gained equals the integral of tau . qd, which constant effort makes tau . dq."""
    plant = Plant(elbow, PlantSettings(integrator='rk4', command_timeout=inf), *START)
    before, work, effort = sum(elbow.energy(plant.q, plant.qd)), 0.0, np.array([3.0, -1.0])
    for _ in range(1000):
        q = plant.q.copy()
        plant.step(effort, dt=1e-3)
        work += effort @ (plant.q - q)
    assert sum(elbow.energy(plant.q, plant.qd)) - before == pytest.approx(work, abs=1e-9)


RAIL = """<robot name="rail">
  <link name="base"/>
  <link name="carriage"><inertial><mass value="2"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="carriage"/>
    <axis xyz="0 0 1"/><limit lower="-10" upper="10" velocity="9" effort="9"/></joint>
</robot>"""


def test_carriage_falls_freely():
    """A carriage on a vertical rail falls g t^2 / 2."""
    plant = Plant(Robot.from_urdf(RAIL), PlantSettings(integrator='rk4', no_command='free'))
    for _ in range(1000):
        plant.step(dt=1e-3)
    assert plant.q[0] == pytest.approx(-0.5 * 9.81, rel=1e-12)
    assert plant.t == pytest.approx(1.0, rel=1e-12)
