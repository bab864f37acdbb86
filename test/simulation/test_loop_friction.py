# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Friction and stops of all joints of closed loops, whether they are independent or not."""

import itertools

import numpy as np
import pytest

from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.model.description import Limit
from robodyn_ros.robot.loops.embedding_matrix import embedding_matrix
from robodyn_ros.simulation.loops.loop_plant import LoopPlant
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from robodyn_ros.simulation.specialised_step import specialised_step
from support.robots.closed_loops import several_four_bars
from support.robots.mechanisms import five_bar

SETTINGS = PlantSettings(no_command='free')
WEIGHTLESS = (0.0, 0.0, 0.0)
FOUR_BAR = several_four_bars(1, further=0)
LEVELS = {'crank0': 1.0, 'coupler0': 2.0, 'rocker0': 3.0}  # [N m]
RUBBING = FOUR_BAR.with_joints(**{name: {'friction': x} for name, x in LEVELS.items()})


def rubbing_plant(independent='crank0', gravity=WEIGHTLESS, settings=SETTINGS, mechanism=RUBBING):
    """Return a LoopPlant of the four-bar at rest."""
    return LoopPlant(mechanism.build(gravity), settings, FOUR_BAR.near, independent=[independent])


def energy(plant):
    """Return the energy of a LoopPlant [J]."""
    return sum(plant.robot.energy(plant.plant.q, plant.plant.qd))


@pytest.mark.parametrize('independent', ['crank0', 'rocker0'])
def test_a_torque_moves_a_four_bar_if_it_beats_the_friction_of_all_its_joints(independent):
    """By virtual work it is the sum of f_k |dq_k/dq_crank|; a smaller one changes no bit."""
    plant = rubbing_plant(independent)
    rates = dict(zip(plant.robot.all_joint_names, plant.robot.expand(plant.plant.q, [1.0])[1]))
    least = sum(f * abs(rates[name] / rates['crank0']) for name, f in LEVELS.items())
    begin = plant.state()
    for sign in (1.0, -1.0):
        for _ in range(5):
            plant.step({'crank0': sign * (1.0 - 1e-6) * least})
        assert plant.state() == begin
    plant.step({'crank0': (1.0 + 1e-6) * least})
    assert plant.state()[1]['crank0'] > 0.0


def test_friction_holds_a_four_bar_against_gravity_without_creep():
    """Ten seconds change no bit, although only the friction of dependent joints suffices."""
    settings = PlantSettings(no_command='free', substeps=500)
    mechanism = RUBBING.with_joints(crank0={'friction': 0.0}, rocker0={'friction': 9.0})
    plant = rubbing_plant(gravity=(0.0, -9.81, 0.0), settings=settings, mechanism=mechanism)
    begin = plant.state()
    for _ in range(20):
        plant.step(dt=0.5)
    assert plant.state() == begin
    falling = rubbing_plant(gravity=(0.0, -9.81, 0.0), mechanism=FOUR_BAR)
    falling.step()
    assert falling.state()[1] != begin[1]


def test_code_for_one_robot_takes_the_same_steps():
    """Through motion and rest, to the rounding of the sums in both."""
    robot = RUBBING.robot(independent=['crank0'])
    settings = PlantSettings(no_command='free', integrator='semi_implicit_euler')
    plain, fast = (
        Plant(robot, settings, robot.model.closed_posture, [2.0], led_joints=True)
        for _ in range(2)
    )
    step = specialised_step(robot.model, settings.integrator, led_joints=True)
    fast.replace_kernel(step)
    moved = []
    for k in range(60):
        for plant in (plain, fast):
            plant.step([20.0 if k < 10 else 0.0])
        assert abs(plain.q - fast.q) < 1e-12 and abs(plain.qd - fast.qd) < 1e-10
        moved.append(plain.qd[0])
    assert moved[9] > 0.0 and moved[-1] == 0.0 and step is not plain.kernel


def test_friction_of_all_joints_brings_a_five_bar_to_rest_and_never_adds_energy():
    """It dissipates in every step, and then nothing moves any more."""
    names = 'left', 'left_elbow', 'right', 'right_elbow', 'quill'
    mechanism = five_bar().with_joints(**{name: {'friction': 0.3} for name in names})
    plant = LoopPlant(mechanism.build(WEIGHTLESS), SETTINGS, mechanism.near, {'left': 2.0})
    energies = [energy(plant)]
    while energies[-1] > 0.0:
        assert plant.t < 0.5
        plant.step(dt=2e-3)
        energies.append(energy(plant))
        assert energies[-1] < energies[-2]
    rest = plant.state()
    plant.step(dt=2e-3)
    assert len(energies) > 10 and plant.state() == rest


def enumerated(A, free, E, levels, low, high):
    """Return the velocity of least dissipation by trying all cases of all joints.

    It minimises (v - free)^T A^-1 (v - free) / 2 + sum levels |E v| over low <= E v <= high. Each
    joint slides either way, rests, or is at a bound. The least admissible result is the solution.
    """
    H, best, least = np.linalg.inv(A), None, np.inf
    n = len(free)
    tried = [
        [-1, 0, 1] + ['low'] * bool(a > -np.inf) + ['high'] * bool(b < np.inf)
        for a, b in zip(low, high)
    ]
    for cases in itertools.product(*tried):
        slides = np.array([case if isinstance(case, int) else 0 for case in cases])
        rests = [k for k, case in enumerate(cases) if case in (0, 'low', 'high')]
        target = [{'low': low[k], 'high': high[k]}.get(cases[k], 0.0) for k in rests]
        C = E[rests]
        system = np.block([[H, C.T], [C, np.zeros((len(rests),) * 2)]])
        right = np.concatenate((H @ free - E.T @ (levels * slides), target))
        v = np.linalg.lstsq(system, right, rcond=1e-12)[0][:n]
        rates = E @ v
        if np.all(rates >= low - 1e-9) and np.all(rates <= high + 1e-9):
            cost = 0.5 * (v - free) @ H @ (v - free) + levels @ np.abs(rates)
            if cost < least:
                best, least = v, cost
    return best


@pytest.mark.parametrize('seed', range(6))
def test_a_step_is_the_enumerated_solution(seed):
    """Random friction, damping, stops, state and torques of a five-bar: all joints together."""
    rng, h = np.random.default_rng(seed), 1e-3
    mechanism = five_bar()
    names = 'left', 'left_elbow', 'right', 'right_elbow'
    near = {name: mechanism.near[name] + rng.uniform(-0.1, 0.1) for name in names}
    plain = mechanism.robot(gravity=WEIGHTLESS, near=near)
    places = dict(zip(plain.all_position_names, plain.expand(plain.model.closed_posture)[0]))
    stops = {
        name: Limit(x - rng.uniform(0.0, 2e-3), x + rng.uniform(0.0, 2e-3))
        for name, x in places.items()
        if name in ('left', 'right_elbow')
    }
    values = {
        name: {'friction': rng.uniform(0.0, 3.0), 'damping': rng.uniform(0.0, 0.5)}
        for name in names
    }
    for name, limit in stops.items():
        values[name]['limit'] = limit
    robot = mechanism.with_joints(**values).robot(near=places)
    model = robot.model
    q, qd = model.closed_posture, rng.uniform(-1.5, 1.5, robot.nv) * rng.integers(0, 2, robot.nv)
    plant = Plant(robot, SETTINGS, q, qd, led_joints=True)
    tau = rng.uniform(-8.0, 8.0, robot.nv)
    plant.step(tau, h)

    E = embedding_matrix(robot, q)
    of = {name: E[robot.all_joint_names.index(name)] for name in names}
    rows = np.array([of[name] for name in names])
    damping, levels = (
        np.array([values[n][key] for n in names]) for key in ('damping', 'friction')
    )
    A = np.linalg.inv(robot.mass_matrix(q) + h * rows.T @ np.diag(damping) @ rows)
    bias = robot.inverse_dynamics(q, qd, np.zeros(robot.nv))
    free = A @ (robot.mass_matrix(q) @ qd + h * (tau - bias))
    low, high = np.full((2, len(names)), np.inf)
    low *= -1.0
    for name, limit in stops.items():
        k = names.index(name)
        low[k], high[k] = (limit.lower - places[name]) / h, (limit.upper - places[name]) / h
    expected = enumerated(A, free, rows, h * levels, low, high)
    assert np.abs(plant.qd - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize('independent', ['crank0', 'rocker0'])
@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'energy_rk4'])
def test_a_four_bar_halts_at_the_stop_of_any_joint(independent, integrator):
    """A crank drives the rocker against its stop, where it stays under load, and comes off."""
    stop = FOUR_BAR.near['rocker0'] + 0.05
    settings = PlantSettings(no_command='free', integrator=integrator)
    plant = LoopPlant(
        FOUR_BAR.with_joints(rocker0={'limit': Limit(-3.0, stop)}).build(WEIGHTLESS),
        settings,
        FOUR_BAR.near,
        independent=[independent],
    )
    rates = dict(zip(plant.robot.all_joint_names, plant.robot.expand(plant.plant.q, [1.0])[1]))
    push = 20.0 * np.sign(rates['rocker0'] / rates['crank0'])
    highest, speed = -np.inf, 0.0
    for _ in range(60):
        plant.step({'crank0': push}, 2e-3)
        highest = max(highest, plant.state()[0]['rocker0'])
        speed = max(speed, plant.state()[1]['rocker0'])
    assert speed > 0.5 and abs(highest - stop) < 1e-12
    assert plant.state()[0]['rocker0'] == pytest.approx(stop, abs=1e-12)
    assert abs(plant.state()[1]['rocker0']) < 1e-12
    for _ in range(5):
        plant.step({'crank0': -push}, 2e-3)
    assert plant.state()[0]['rocker0'] < stop - 1e-4 and not plant.fault


def test_a_loop_pushes_against_a_plane():
    """At rest the force follows from the torque of the crank by virtual work."""
    robot = FOUR_BAR.robot(gravity=WEIGHTLESS)
    q, tip = robot.model.closed_posture, np.array((0.4, 0.0, 0.0))
    pose = robot.pose(q, 'rocker0')
    centre = pose[:3, :3] @ tip + pose[:3, 3]
    J = robot.jacobian(q, 'rocker0')[:, 0]
    along = J[:3] + np.cross(J[3:], centre - pose[:3, 3])  # velocity of the tip, of the crank at 1
    normal = -along / np.linalg.norm(along)
    wall = Obstacle.plane(normal, centre - 0.0105 * normal, friction=0.0)
    contacts = Contacts([sphere('rocker0', 0.01, tip)], [wall])
    plant = LoopPlant(FOUR_BAR.build(WEIGHTLESS), SETTINGS, FOUR_BAR.near, contacts=contacts)
    for _ in range(60):
        plant.step({'crank0': 2.0}, 1e-3)
    (touch,) = plant.plant.contacts
    assert abs(plant.plant.qd[0]) < 1e-12
    q = plant.plant.q
    rate = robot.jacobian(q, 'rocker0')[:, 0]
    arm = touch.point - robot.pose(q, 'rocker0')[:3, 3]
    power = touch.force @ (rate[:3] + np.cross(rate[3:], arm))
    assert power == pytest.approx(-2.0, rel=1e-6)
