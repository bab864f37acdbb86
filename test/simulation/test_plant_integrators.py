# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Integrators for stiff joints and in diagonal velocities: order, closed forms, limits."""

from math import inf

import numpy as np
import pytest
from scipy.integrate import DOP853, solve_ivp

from robodyn_ros import Robot
from robodyn_ros.model.layout import DAMPING
from robodyn_ros.simulation import Plant, PlantSettings
from robodyn_ros.simulation.integrators.dormand_prince import (
    DIFFERENCE_3,
    DIFFERENCE_5,
    STAGE_WEIGHTS,
    WEIGHTS,
)
from robodyn_ros.simulation.joint_table import STAGES

BOTH = pytest.mark.parametrize('scheme, order', [('rosenbrock', 2), ('rk4', 4)])
START = np.array([0.3, 0.7]), np.array([0.4, -0.6])
BODY = """<robot name="r"><link name="a"/><link name="b"><inertial>
  <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
  <limit lower="-1e6" upper="1e6" effort="{effort}" velocity="2"/></joint></robot>"""
MASS = 2.0


def slider(effort=1e6):
    """Return a mass of 2 kg on a horizontal rail: m a = tau."""
    return Robot.from_urdf(BODY.format(effort=effort))


def make(robot, scheme, position=None, velocity=None, **settings):
    """Return a plant whose command never is void."""
    settings = PlantSettings(integrator=scheme, command_timeout=inf, **settings)
    return Plant(robot, settings, position, velocity)


def run(plant, command, steps, dt):
    """Take steps under a command; return the state."""
    for _ in range(steps):
        plant.step(command, dt)
    assert plant.fault == ''
    return np.concatenate((plant.q, plant.qd))


def truth(slope, state, time):
    """Return the state after a time, by an adaptive pair of order 8."""
    return solve_ivp(slope, (0.0, time), state, 'DOP853', rtol=1e-12, atol=1e-13).y[:, -1]


@BOTH
@pytest.mark.parametrize('mode', ['effort', 'velocity'])
def test_order_against_an_adaptive_scheme_of_order_eight(elbow, scheme, order, mode):
    """M qdd + C qd + g = tau - D qd, or Kv (v_d - qd) - D qd: errors at h and h / 2."""
    damping, gain = np.array([0.5, 0.2]), np.array([6.0, 2.0])
    robot = Robot(elbow.model.with_joint_values(DAMPING, damping))
    command = np.array([3.0, -1.0])

    def slope(_, state):
        q, qd = state[:2], state[2:]
        tau = command if mode == 'effort' else gain * (command - qd)
        return np.concatenate((qd, elbow.forward_dynamics(q, qd, tau - damping * qd)))

    there = truth(slope, np.concatenate(START), 0.4)
    settings = {'command_modes': (mode,), 'velocity_gain': tuple(gain), 'carries_weight': False}
    errors = [
        np.abs(run(make(robot, scheme, *START, **settings), command, n, 0.4 / n) - there).max()
        for n in (40, 80)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.25)


@pytest.mark.parametrize('mode', ['effort', 'velocity'])
def test_steps_of_any_length_meet_the_tolerance_of_order_eight(elbow, mode):
    """DOP853 divides long steps: the referee's own error of 1e-12 a step is all that is left."""
    damping, gain = np.array([0.5, 0.2]), np.array([6.0, 2.0])
    robot = Robot(elbow.model.with_joint_values(DAMPING, damping))
    command = np.array([3.0, -1.0])

    def slope(_, state):
        q, qd = state[:2], state[2:]
        tau = command if mode == 'effort' else gain * (command - qd)
        return np.concatenate((qd, elbow.forward_dynamics(q, qd, tau - damping * qd)))

    there = truth(slope, np.concatenate(START), 0.4)
    settings = {'command_modes': (mode,), 'velocity_gain': tuple(gain), 'carries_weight': False}
    for n in (1, 3, 400):
        state = run(make(robot, 'dop853', *START, **settings), command, n, 0.4 / n)
        assert np.abs(state - there).max() < 1e-11


def test_coefficients_of_order_eight_are_those_of_scipy():
    """And every stage is a weighted mean of slopes: the weights of a row sum to its time."""
    first = np.cumsum(np.arange(STAGES))
    for stage in range(1, STAGES):
        row = STAGE_WEIGHTS[first[stage - 1] : first[stage]]
        assert np.array_equal(row, DOP853.A[stage, :stage])
        assert row.sum() == pytest.approx(DOP853.C[stage], abs=1e-14)
    assert np.array_equal(WEIGHTS, DOP853.B)
    assert np.array_equal(DIFFERENCE_3, DOP853.E3[:STAGES])
    assert np.array_equal(DIFFERENCE_5, DOP853.E5[:STAGES])


def test_a_spring_of_any_stiffness_by_its_closed_form():
    """q_d - q = e^(-a t) (cos w t + a/w sin w t) to order 2."""
    a, w = 0.3 * 20.0, 20.0 * np.sqrt(1.0 - 0.3**2)
    gains = {'stiffness': (MASS * 400.0,), 'rate_gain': (MASS * 2.0 * a,)}
    expected = 2.0 - np.exp(-a * 0.2) * (np.cos(w * 0.2) + a / w * np.sin(w * 0.2))
    errors = [
        run(
            make(slider(), 'rosenbrock', (1.0,), command_modes=('position',), **gains),
            [2.0],
            n,
            0.2 / n,
        )[0]
        - expected
        for n in (50, 100)
    ]
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.1)
    assert abs(errors[1]) < 1e-3


def test_an_undamped_spring_far_too_stiff_for_the_step_comes_to_rest():
    """R(i h w) = (1 + (1 - 2 g) i h w) / (1 - g i h w)^2 for each step, h w = 1000."""
    w, g, h = 1000.0, 1.0 - np.sqrt(0.5), 1.0
    gains = {'stiffness': (MASS * w * w,), 'rate_gain': (0.0,)}
    plant = make(slider(), 'rosenbrock', (0.01,), command_modes=('position',), **gains)
    z, x = 1j * h * w, 0.01 + 0.0j
    for _ in range(3):
        x *= (1.0 + (1.0 - 2.0 * g) * z) / (1.0 - g * z) ** 2
        run(plant, [0.0], 1, h)
        assert plant.q[0] == pytest.approx(x.real, abs=1e-9 * 0.01)
    assert abs(plant.q[0]) < 1e-8
    explicit = make(slider(), 'rk4', (0.01,), command_modes=('position',), **gains)
    explicit.step([0.0], h)
    assert explicit.fault


def test_a_stiff_drive_leaves_the_slow_motion_beside_it_to_order_two(elbow):
    """The first joint is held by 1e8 N m/rad; the second swings as if that were rigid."""
    held = START[0][0]

    def slope(_, state):
        q, qd = np.array([held, state[0]]), np.array([0.0, state[1]])
        pull = elbow.inverse_dynamics(q, qd, np.zeros(2))[1]
        return state[1], -pull / elbow.mass_matrix(q)[1, 1]

    there = truth(slope, (START[0][1], -0.6), 0.4)
    settings = {
        'command_modes': ('position', 'effort'),
        'stiffness': (1e8, 0.0),
        'rate_gain': (0.0, 0.0),
        'carries_weight': False,
    }
    errors = []
    for n in (40, 80):
        plant = make(elbow, 'rosenbrock', START[0], (0.0, -0.6), **settings)
        state = run(plant, [held, 0.0], n, 0.4 / n)
        errors.append(np.abs(state[[1, 3]] - there).max())
        assert abs(state[0] - held) < 1e-6
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.25)


def test_no_drive_gives_more_than_it_can():
    """v = t L / m while the law asks for more than the limit L; then it comes to rest.

    m |v' - v| <= h L in every step, also where the stiff law begins to ask for less.
    """
    gains = {'stiffness': (8e4,), 'rate_gain': (8e4,)}
    plant = make(slider(effort=10.0), 'rosenbrock', command_modes=('position',), **gains)
    state = run(plant, [1.0], 100, 1e-3)
    assert state[1] == pytest.approx(0.1 * 10.0 / MASS, rel=1e-12)
    for _ in range(8000):
        before = plant.qd[0]
        plant.step([1.0])
        assert MASS * abs(plant.qd[0] - before) <= 1e-3 * 10.0 * (1.0 + 1e-9)
        assert plant.effort[0] == pytest.approx(MASS * (plant.qd[0] - before) / 1e-3, abs=1e-9)
    assert plant.q[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize('scheme', ['rosenbrock', 'energy_rosenbrock'])
def test_a_stiff_drive_stops_at_its_set_point(elbow, scheme):
    """Its law asks for its limit at every speed above 0.05 rad/s, so it must not switch late."""
    settings = {'stiffness': (4e4,), 'rate_gain': (2e3,)}
    plant = make(elbow, scheme, (0.3, -0.2), command_modes=('position',), **settings)
    state = run(plant, [0.6, 0.3], 1500, 1e-3)
    assert state == pytest.approx([0.6, 0.3, 0.0, 0.0], abs=1e-9)
