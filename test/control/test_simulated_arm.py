# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated arm in C++ against the simulator in Python: same steps, friction and drives."""

import re
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.codegen.emission import c_package
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.control.laws.computed_torque import friction_torque
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.simulation.command_modes import Command
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.joint_table import EFFORT_MODE, POSITION_MODE, VELOCITY_MODE
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.c_libraries import EXACT, STRICT, built, compiler, emitted, run
from support.processes import ROOT
from support.supervised import CONFIG, FRANKA, TWO_LINK

SOURCES = ROOT / 'robodyn_control'
FLAGS = ['-std=c++17', '-O1', *STRICT, '-I', SOURCES / 'include']
DT, STEPS, CYCLES = 1e-3, 4, 400
EFFORT, VELOCITY, POSITION = range(3)  # modes of the program
MODES = {EFFORT: EFFORT_MODE, VELOCITY: VELOCITY_MODE, POSITION: POSITION_MODE}


def limited(name, reach=2.9, share=1.0, dry=True):
    """Return an arm of config/ with other limits.

    reach : distance of both stops from zero [rad].
    share : factor on the efforts of all motors.
    dry : whether it has dry friction.
    """
    text = (CONFIG / f'{name}.urdf').read_text()
    text = text if dry else re.sub(r' friction="[^"]*"', '', text)
    text = re.sub(r'lower="[^"]*" upper="[^"]*"', f'lower="-{reach}" upper="{reach}"', text)
    text = re.sub(r'effort="([^"]*)"', lambda it: f'effort="{share * float(it[1])}"', text)
    return Robot.from_urdf(text)


def curved():
    """Return an arm whose dry friction falls with the velocity, and varies with the position."""
    curves = {
        joint: JointFriction(
            coulomb=0.4 + 0.1 * k, static=1.0 + 0.2 * k, stribeck_velocity=0.05 * (k + 1),
            stribeck_exponent=float(k % 3) or None, cosine=0.1, sine=-0.05, wavenumber=3.0,
        )
        for k, joint in enumerate(FRANKA.joint_names)
    }  # fmt: skip
    return limited('franka_like').extended.with_joint_friction(curves)


#: Arms of which a library is compiled; limits are no part of it.
SMOOTH, CURVED = limited('franka_like', dry=False), curved()
ROBOTS = {
    'two_link': TWO_LINK,
    'franka_like': limited('franka_like'),
    'smooth': SMOOTH,
    'curved': CURVED,
}


@pytest.fixture(scope='module')
def folder(tmp_path_factory):
    """Return the folder with the test program and the dynamics of all arms."""
    folder = tmp_path_factory.mktemp('simulated_arm')
    names = ('simulated_arm', 'joint_impulses', 'emitted_model', 'sha256')
    sources = [SOURCES / 'src' / f'{name}.cpp' for name in names]
    sources += [SOURCES / 'test' / 'simulate.cpp']
    run([compiler('g++'), *FLAGS, *sources, '-o', folder / 'simulate', '-ldl'])
    for name, robot in ROBOTS.items():
        _, texts = emitted(
            robot.model, Style('arm'), ('inverse_dynamics',), laws=['computed_torque'],
            payloads=['tool0'],
        )  # fmt: skip
        c_package.write(folder / name, texts)
        built(folder / f'lib{name}.so', folder / name, ['gcc', '-std=c99', *EXACT, '-O1'])
    return folder


def simulated(folder, name, modes, commands, **changes):
    """Return positions, velocities and efforts of a simulated arm, each (cycles, nv).

    changes : of limits, gains (NaN for derived ones) and start, and of dt, steps, cycles, carries.
    """
    given = {
        'lower': -2.0, 'upper': 2.0, 'effort': 200.0, 'stiffness': np.nan, 'rate_gain': np.nan,
        'velocity_gain': np.nan, 'velocity': np.inf, 'strength': 1.0, 'stuck': 0.0, 'start': 0.0,
        'dt': DT, 'steps': STEPS, 'cycles': CYCLES, 'carries': 1, 'kinematic': 0,
        'payload': np.zeros(10),
    } | changes  # fmt: skip
    n = len(commands)
    columns = ('lower', 'upper', 'effort', 'stiffness', 'rate_gain', 'velocity_gain')
    columns += ('velocity', 'strength', 'stuck', 'start')
    table = [np.broadcast_to(given[column], n) for column in columns]
    rows = np.array([*table, np.broadcast_to(modes, n), commands], float).T.ravel().tolist()
    rows += [float(number) for number in given['payload']]
    arguments = [given[name] for name in ('carries', 'kinematic', 'dt', 'steps', 'cycles')]
    out = run(
        [folder / 'simulate', folder / f'lib{name}.so', *arguments],
        input=' '.join(map(repr, rows)),
    )
    return np.split(np.array([line.split() for line in out.splitlines()], float), 3, axis=1)


def expected(robot, modes, commands, start, faults=Faults(), payload=None, **changes):
    """Return what `simulated` does, by the plant of Python."""
    settings = PlantSettings(
        integrator='semi_implicit_euler', substeps=STEPS, command_modes=('any',),
        command_timeout=np.inf,
    )  # fmt: skip
    plant = Plant(robot, replace(settings, **changes), start)
    plant.injected_faults = faults
    if payload:
        plant.attach(*payload)
    command = Command(np.array(commands), np.array([MODES[mode] for mode in modes]))
    rows = []
    for _ in range(CYCLES):
        plant.step(command, DT)
        assert not plant.fault
        rows.append([plant.q.copy(), plant.qd.copy(), plant.effort.copy()])
    return np.moveaxis(np.array(rows), 1, 0)


def limits_of(robot):
    """Return the limits of a robot, as `simulated` takes them."""
    limits = robot.model.limits
    return {'lower': limits.lower, 'upper': limits.upper, 'effort': limits.effort}


def assert_same(found, wanted):
    """Require equal motions, to the rounding that 1600 steps of stiff drives accumulate."""
    for mine, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0.0, atol=1e-9 * np.abs(theirs).max())


@pytest.mark.parametrize('name', ['two_link', 'smooth'])
def test_it_moves_as_its_equation_says(folder, name):
    """Beside a Runge-Kutta integration of M qdd = tau - C qd - g - friction, to first order."""
    robot = ROBOTS[name]
    tau, end, n = np.linspace(4.0, 1.0, robot.nv), 0.05, robot.nv

    def slope(y):
        friction = np.zeros(n)
        friction_torque(robot.model.topology, robot.model.constants, y[:n], y[n:], friction)
        return np.concatenate([y[n:], robot.forward_dynamics(y[:n], y[n:], tau - friction)])

    y, h = np.zeros(2 * n), 5e-6
    for _ in range(round(end / h)):
        a = slope(y)
        b = slope(y + 0.5 * h * a)
        c = slope(y + 0.5 * h * b)
        y = y + h / 6.0 * (a + 2.0 * b + 2.0 * c + slope(y + h * c))
    errors = []
    for steps in (8, 16):
        q, qd, effort = simulated(folder, name, EFFORT, tau, steps=steps, cycles=50)
        assert (effort == tau).all()
        errors.append(np.abs(np.concatenate([q[-1], qd[-1]]) - y).max())
    assert errors[0] < 0.01 * np.abs(y).max() and 1.7 < errors[0] / errors[1] < 2.3


@pytest.mark.parametrize('mode', [VELOCITY, POSITION, None], ids=['velocity', 'position', 'mixed'])
@pytest.mark.parametrize('name', ['two_link', 'franka_like', 'curved'])
def test_drives_are_those_of_the_simulator(folder, name, mode):
    """With gains from the inertia, and the weight that they carry."""
    robot, rng = ROBOTS[name], np.random.default_rng(5)
    modes = rng.permutation(np.arange(robot.nv) % 3) if mode is None else [mode] * robot.nv
    start, commands = rng.uniform(-0.6, 0.6, (2, robot.nv))
    wanted = expected(robot, modes, commands, start)
    found = simulated(folder, name, modes, commands, start=start, **limits_of(robot))
    assert_same(found, wanted)
    sunk = expected(robot, modes, commands, start, carries_weight=False)
    found = simulated(folder, name, modes, commands, start=start, carries=0, **limits_of(robot))
    assert_same(found, sunk)
    assert np.abs(sunk[0] - wanted[0]).max() > 1e-3


@pytest.mark.parametrize('mode', [VELOCITY, POSITION], ids=['velocity', 'position'])
def test_gains_are_those_given(folder, mode):
    """One for each joint, and no more than the motors give."""
    rng, n = np.random.default_rng(6), CURVED.nv
    names = ('stiffness', 'rate_gain', 'velocity_gain')
    gains = dict(zip(names, rng.uniform(1.0, 2.0, (3, n)) * [[500.0], [50.0], [80.0]]))
    start, commands = rng.uniform(-0.6, 0.6, (2, n))
    wanted = expected(
        CURVED, [mode] * n, commands, start, **{name: tuple(gains[name]) for name in names}
    )
    found = simulated(folder, 'curved', mode, commands, start=start, **gains, **limits_of(CURVED))
    assert_same(found, wanted)


@pytest.mark.parametrize('mode', [VELOCITY, POSITION], ids=['velocity', 'position'])
@pytest.mark.parametrize('name', ['two_link', 'franka_like'])
def test_motors_saturate_as_those_of_the_simulator(folder, name, mode):
    """They reach their limits and return from them, as the drives need it."""
    robot, rng = limited(name, share=0.5), np.random.default_rng(7)
    start = rng.uniform(-0.2, 0.2, robot.nv)
    commands = start + rng.choice([-1.0, 1.0], robot.nv) * rng.uniform(0.8, 1.6, robot.nv)
    commands *= 5.0 if mode == VELOCITY else 1.0
    wanted = expected(robot, [mode] * robot.nv, commands, start)
    found = simulated(folder, name, mode, commands, start=start, **limits_of(robot))
    assert_same(found, wanted)
    saturated = np.abs(wanted[2]) == robot.model.limits.effort
    assert (saturated.any(axis=0) & ~saturated.all(axis=0)).sum() >= robot.nv // 2
    assert np.diff(saturated.astype(int), axis=0).min() < 0  # one returns


@pytest.mark.parametrize(
    'mode', [EFFORT, VELOCITY, POSITION], ids=['effort', 'velocity', 'position']
)
@pytest.mark.parametrize('name', ['two_link', 'franka_like'])
def test_stops_are_those_of_the_simulator(folder, name, mode):
    """A joint that meets its stop gives the others an impulse."""
    robot, rng = limited(name, reach=0.3), np.random.default_rng(8)
    start = rng.uniform(-0.25, 0.25, robot.nv)
    commands = rng.choice([-1.0, 1.0], robot.nv) * rng.uniform(0.8, 2.4, robot.nv)
    wanted = expected(robot, [mode] * robot.nv, commands, start)
    found = simulated(folder, name, mode, commands, start=start, **limits_of(robot))
    assert_same(found, wanted)
    at_a_stop = np.abs(wanted[0]) == 0.3
    assert (at_a_stop.any(axis=0) & ~at_a_stop.all(axis=0)).sum() > robot.nv // 2
    assert (np.abs(found[0]) <= 0.3).all()


def test_dry_friction_sticks_and_slips_as_that_of_the_simulator(folder):
    """Joints start when their load exceeds it; soft drives leave them stuck beside the goal."""
    robot, start = CURVED, np.array([0.3, -0.4, 0.2, -1.2, 0.1, 0.8, 0.0])
    commands = robot.gravity_torque(start) + np.array([0.2, 2.0, -0.3, 1.5, 0.25, -1.0, 0.4])
    soft = {'stiffness': 200.0, 'rate_gain': 10.0}
    starts = stops = 0
    for mode, command, gains in ((EFFORT, commands, {}), (POSITION, start + 0.1, soft)):
        given = {each: (value,) for each, value in gains.items()}
        wanted = expected(robot, [mode] * 7, command, start, **given)
        found = simulated(
            folder, 'curved', mode, command, start=start, **gains, **limits_of(robot)
        )
        assert_same(found, wanted)
        still = found[1] == 0.0
        assert (still == (wanted[1] == 0.0)).all()
        starts += (np.diff(still.astype(int), axis=0) < 0).sum()
        stops += (np.diff(still.astype(int), axis=0) > 0).sum()
        if mode == POSITION:
            assert still[-1].any() and np.abs(found[0][-1] - command)[still[-1]].min() > 1e-6
    assert starts >= 1 and stops >= 1


@pytest.mark.parametrize('mode', [VELOCITY, POSITION, None], ids=['velocity', 'position', 'mixed'])
def test_kinematic_drives_are_those_of_the_simulator(folder, mode):
    """They move as commanded, within limits of velocity and stops, with the effort that takes."""
    robot, rng = limited('franka_like', reach=0.8), np.random.default_rng(9)
    modes = rng.permutation(np.arange(robot.nv) % 3) if mode is None else [mode] * robot.nv
    start, commands = rng.uniform(-0.5, 0.5, robot.nv), rng.uniform(-1.2, 1.2, robot.nv)
    wanted = expected(robot, modes, commands, start, kinematic=True)
    limits = limits_of(robot) | {'velocity': robot.model.limits.velocity}
    found = simulated(folder, 'franka_like', modes, commands, start=start, kinematic=1, **limits)
    assert_same(found, wanted)
    assert (np.abs(found[0]) <= 0.8).all()
    if mode == POSITION:
        there = np.abs(found[0][-1] - np.clip(commands, -0.8, 0.8)) < 1e-12
        assert there.sum() >= 5 and (found[1][-1][there] == 0.0).all()


@pytest.mark.parametrize('mode', [EFFORT, POSITION], ids=['effort', 'position'])
def test_defects_are_those_of_the_simulator(folder, mode):
    """A stuck joint, and motors that have lost some of their effort, or all of it."""
    robot, rng = ROBOTS['franka_like'], np.random.default_rng(10)
    start, commands = rng.uniform(-0.5, 0.5, (2, robot.nv)) * [[1.0], [1.0 if mode else 8.0]]
    names, strength = robot.joint_names, np.ones(robot.nv)
    strength[[1, 3]] = 0.0, 0.3
    faults = Faults((names[2],), {names[1]: 1.0, names[3]: 0.7})
    wanted = expected(robot, [mode] * robot.nv, commands, start, faults)
    stuck = np.arange(robot.nv) == 2
    found = simulated(
        folder, 'franka_like', mode, commands, start=start, strength=strength, stuck=stuck,
        **limits_of(robot),
    )  # fmt: skip
    assert_same(found, wanted)
    assert (found[0][:, 2] == start[2]).all()
    sound = expected(robot, [mode] * robot.nv, commands, start)
    assert np.abs(sound[0] - wanted[0]).max() > 0.01


def test_a_payload_is_that_of_the_simulator(folder):
    """It is carried from the beginning."""
    robot, start = ROBOTS['franka_like'], np.full(7, 0.3)
    mass, com, inertia = 2.0, np.array([0.1, -0.05, 0.08]), np.diag([0.02, 0.03, 0.04])
    about = inertia + mass * (com @ com * np.eye(3) - np.outer(com, com))
    numbers = [mass, *(mass * com), *about[np.triu_indices(3)]]
    wanted = expected(
        robot, [EFFORT] * 7, np.zeros(7), start, payload=('tool0', mass, com, inertia)
    )
    found = simulated(
        folder,
        'franka_like',
        EFFORT,
        np.zeros(7),
        start=start,
        payload=numbers,
        **limits_of(robot),
    )
    assert_same(found, wanted)
    bare = expected(robot, [EFFORT] * 7, np.zeros(7), start)
    assert np.abs(bare[0] - wanted[0]).max() > 0.01


def test_stiff_drives_are_stable(folder):
    """Commands are reached at steps far above the drives' own time, without an error of weight."""
    goal, gains = np.array([0.3, -0.2]), {'stiffness': 1e7, 'rate_gain': 5e5, 'steps': 1}
    q, qd, effort = simulated(
        folder, 'two_link', POSITION, goal, cycles=1000, effort=np.inf, **gains
    )
    np.testing.assert_allclose(q[-1], goal, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(effort[-1], TWO_LINK.gravity_torque(goal), rtol=1e-6)
    _, qd, _ = simulated(
        folder, 'two_link', VELOCITY, goal, cycles=300, effort=np.inf, velocity_gain=5e5, steps=1
    )
    np.testing.assert_allclose(qd[-1], goal, rtol=0.0, atol=1e-3)
