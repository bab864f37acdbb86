# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Dry friction sticks without creep, slides with its force, and never adds energy."""

from math import inf
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.model.extended.joint_friction import JointFriction
from robodyn_ros.simulation import joint_impulses
from robodyn_ros.simulation.joint_table import (
    AT,
    GAIN,
    IMPULSE,
    LEVEL,
    LOWER,
    UPPER,
    WIDTH,
    work_rows,
)
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings
from support.robots.families import FAMILIES

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'franka_like.urdf'
SCHEMES = ['semi_implicit_euler', 'rosenbrock', 'energy_rosenbrock', 'rk4', 'energy_rk4', 'dop853']
ALL = pytest.mark.parametrize('integrator', SCHEMES)
LENGTH, MASS, G = 0.5, 1.0, 9.81

PENDULUM = """<robot name="pendulum">
  <link name="base"/>
  <link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="1"/>
    <inertia ixx="0.01" ixy="0" ixz="0" iyy="0.01" iyz="0" izz="0.01"/></inertial></link>
  <joint name="hinge" type="continuous"><parent link="base"/><child link="rod"/>
    <axis xyz="0 1 0"/><dynamics damping="0" friction="{friction}"/>
    <limit velocity="99" effort="1000"/></joint>
</robot>"""

ROTOR = """<robot name="rotor">
  <link name="base"/>
  <link name="wheel"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.5"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="wheel"/>
    <axis xyz="0 0 1"/><dynamics damping="0" friction="{friction}"/>
    <limit velocity="9" effort="1000"/></joint>
</robot>"""


def wheel(friction):
    """Return one wheel about a vertical axis, inertia 0.5 kg m2."""
    return Robot.from_urdf(ROTOR.format(friction=friction))


@ALL
def test_pendulum_below_its_friction_does_not_creep(integrator):
    """4.9 N m of weight against 10 N m and against 4.91 N m: the same bits after 10 s."""
    for friction in (10.0, 4.91):
        robot = Robot.from_urdf(PENDULUM.format(friction=friction))
        plant = Plant(robot, PlantSettings(integrator=integrator, no_command='free'))
        for _ in range(10_000):
            plant.step()
        assert plant.q[0] == plant.qd[0] == 0.0


@ALL
def test_pendulum_above_its_friction_falls_with_the_excess(integrator):
    """The first acceleration is (m g l - f) / J."""
    robot = Robot.from_urdf(PENDULUM.format(friction=4.9))
    plant = Plant(robot, PlantSettings(integrator=integrator, no_command='free'))
    for _ in range(10):
        plant.step(dt=1e-5)
    inertia = 0.01 + MASS * LENGTH**2
    assert plant.qd[0] == pytest.approx((MASS * G * LENGTH - 4.9) / inertia * 1e-4, rel=1e-6)


@ALL
def test_arm_comes_to_rest_and_stays(arm, middle, integrator):
    """Seven coupled joints under twenty times their friction: at rest, then the same bits."""
    settings = PlantSettings(integrator=integrator, no_command='free', friction_scale=20.0)
    plant = Plant(arm, settings, middle, np.array([1.0, -0.5, 0.3, 0.7, -1.0, 2.0, 1.0]))
    while np.any(plant.qd != 0.0) and plant.t < 20.0:
        plant.step()
    rest = plant.q.copy()
    for _ in range(5000):
        plant.step()
    assert plant.t < 20.0
    assert np.array_equal(plant.q, rest)


@ALL
def test_friction_stops_the_wheel_in_due_time(integrator):
    """From 2 rad/s with 1 N m on 0.5 kg m2: after J w / f = 1 s and J w^2 / (2 f) = 1 rad."""
    settings = PlantSettings(integrator=integrator, no_command='free')
    plant = Plant(wheel(1.0), settings, velocity=[2.0])
    for _ in range(1002):
        plant.step(dt=1e-3)
    assert plant.q[0] == pytest.approx(
        1.0, abs=1.1e-3 if integrator == 'semi_implicit_euler' else 1e-9
    )
    assert plant.qd[0] == 0.0


@ALL
def test_joint_sticks_below_and_slips_above_its_friction(integrator):
    """0.9 of the friction moves nothing; 1.5 of it accelerates with the excess from the start."""
    plant = Plant(wheel(2.0), PlantSettings(integrator=integrator, command_timeout=inf))
    for _ in range(1000):
        plant.step([1.8])
    assert plant.q[0] == plant.qd[0] == 0.0
    for _ in range(1000):
        plant.step([3.0])
    assert plant.qd[0] == pytest.approx((3.0 - 2.0) / 0.5 * 1.0, rel=1e-12)


@ALL
def test_static_friction_holds_more_than_coulomb_friction(integrator):
    """With twice the static friction 1.8 times the friction holds; once it slides it goes on.

    Far above the Stribeck speed the wheel accelerates with what Coulomb friction leaves.
    """
    settings = PlantSettings(
        integrator=integrator, command_timeout=inf, static_friction=2.0, friction_speed=1e-2
    )
    plant = Plant(wheel(1.0), settings)
    for _ in range(100):
        plant.step([1.8])
    assert plant.qd[0] == 0.0
    plant.set_state(velocity=[1.0])
    for _ in range(1000):
        plant.step([1.8])
    # the curve adds vs^2 / v^2 of the Coulomb friction, at most 1e-4 here
    assert plant.qd[0] == pytest.approx(1.0 + 0.8 / 0.5, rel=1e-4)


@ALL
def test_gears_that_are_not_round_stick_where_they_bite(integrator):
    """Friction of 1 + 0.6 cos 2 q: an effort of 0.9 moves the wheel at pi/2, and not at 0."""
    robot = wheel(1.0).extended.with_joint_friction(
        {'spin': JointFriction(cosine=0.6, wavenumber=2.0)}
    )
    settings = PlantSettings(integrator=integrator, command_timeout=inf)
    for q, moves in ((0.0, False), (0.5 * np.pi, True)):
        plant = Plant(robot, settings, [q])
        for _ in range(10):
            plant.step([0.9], 1e-5)
        assert plant.qd[0] == pytest.approx(moves * (0.9 - 0.4) / 0.5 * 1e-4, rel=1e-6)


@ALL
def test_work_of_friction_is_its_integral_over_the_position(integrator):
    """J (v0^2 - v^2) / 2 = fc (q - q0) + (a sin w q - b cos w q) / w between the two positions."""
    a, b, w = 0.5, -0.7, 3.0
    friction = JointFriction(cosine=a, sine=b, wavenumber=w)
    robot = wheel(1.0).extended.with_joint_friction({'spin': friction})
    plant = Plant(robot, PlantSettings(integrator=integrator, no_command='free'), [0.4], [3.0])
    for _ in range(500):
        plant.step(dt=1e-3)

    def spare(q):
        return q + (a * np.sin(w * q) - b * np.cos(w * q)) / w

    lost = 0.25 * (3.0**2 - plant.qd[0] ** 2)
    # of order 1, 2, 2, and 4
    low = {'semi_implicit_euler': 2e-3, 'rosenbrock': 1e-5, 'energy_rosenbrock': 1e-5}
    tolerance = low.get(integrator, 1e-9)
    assert lost == pytest.approx(spare(plant.q[0]) - spare(0.4), rel=tolerance)
    assert abs(lost - (plant.q[0] - 0.4)) > 0.1  # what round gears would take


def test_a_joint_has_its_own_static_friction():
    """It holds up to fs = 1.5, and at vs half of fs - fc is left, whatever the settings are."""
    friction = JointFriction(static=1.5, stribeck_velocity=0.2)
    robot = wheel(1.0).extended.with_joint_friction({'spin': friction})
    plant = Plant(robot, PlantSettings(friction_speed=7e-4, command_timeout=inf))
    for _ in range(100):
        plant.step([1.49])
    assert plant.qd[0] == 0.0
    plant.set_state(velocity=[0.2])
    plant.step([0.0], 1e-7)
    assert (0.2 - plant.qd[0]) / 1e-7 == pytest.approx(1.25 / 0.5, rel=1e-6)


@pytest.mark.parametrize('exponent', [1.0, 2.0])
def test_a_joint_slows_down_along_its_exponential_curve(exponent):
    """It holds up to fs = 1.5. A slide either way is braked by fc + (fs - fc) exp(-(v / vs)^e)."""
    friction = JointFriction(static=1.5, stribeck_velocity=0.2, stribeck_exponent=exponent)
    robot = wheel(1.0).extended.with_joint_friction({'spin': friction})
    plant = Plant(robot, PlantSettings(command_timeout=inf))
    for _ in range(100):
        plant.step([1.49])
    assert plant.qd[0] == 0.0
    for speed in (0.13, -0.07, -0.31):
        plant.set_state(velocity=[speed])
        plant.step([0.0], 1e-7)
        expected = 1.0 + 0.5 * np.exp(-((abs(speed) / 0.2) ** exponent))
        braked = (speed - plant.qd[0]) / 1e-7 * np.sign(speed)
        assert braked == pytest.approx(expected / 0.5, rel=1e-6)


def test_runge_kutta_keeps_its_order_while_joints_slide(arm, middle):
    """Errors of a slide without a stop at 2 h and h are as sixteen to one, within a third."""
    qd = np.array([1.0, -1.5, 1.3, 1.7, -1.0, 2.0, 4.0])

    def end(steps):
        plant = Plant(arm, PlantSettings(integrator='rk4', no_command='free'), middle, qd)
        for _ in range(steps):
            plant.step(dt=0.064 / steps)
        return plant.q.copy()

    finest = end(256)
    errors = [np.abs(end(steps) - finest).max() for steps in (8, 16)]
    assert errors[0] / errors[1] == pytest.approx(16.0, rel=0.35)


def random_case(robot, rng, friction):
    """Return a joint table, a posture, a free velocity and friction of a random slip and stick."""
    n = robot.nv
    low, high = np.full(n, -1.0), np.full(n, 1.0)
    q = rng.uniform(-0.9, 0.9, n)
    close = rng.random(n) < 0.3
    q[close] = high[close] - 1e-3 * rng.random(close.sum())
    joints = np.zeros((n, WIDTH))
    joints[:, AT] = robot.model.coordinates
    joints[:, LOWER], joints[:, UPPER] = low, high
    qd = rng.normal(0.0, 1.0, n)
    level = friction * rng.uniform(0.0, 2.0, n) * np.diag(robot.mass_matrix(q)) / 1e-3
    level[rng.random(n) < 0.2] = 0.0
    return joints, q, qd, level


@pytest.mark.parametrize('name', FAMILIES)
@pytest.mark.parametrize('seed', range(3))
def test_impulses_satisfy_coulomb_law_at_every_joint(name, seed):
    """Karush-Kuhn-Tucker of the coupled problem, with M from another algorithm; energy falls.

    The condition of the mass matrix, up to 1e6 here, is what impulses lose.
    """
    robot, h = FAMILIES[name].robot, 1e-3
    rng, model, n = np.random.default_rng(seed), robot.model, robot.nv
    for friction in (0.03, 0.3):
        joints, q, qd, level = random_case(robot, rng, friction)
        spare, free = np.full((work_rows(n), n), np.nan), qd.copy()
        spare[LEVEL], spare[GAIN] = level, 0.0
        places = working_memory.allocate(model.topology)
        assert 0 == joint_impulses.resolve(
            model.topology, model.constants, joints, places, spare, h, q, qd
        )
        M, p, bound = robot.mass_matrix(q), spare[IMPULSE], h * level
        low, high = np.minimum(0.0, (-1.0 - q) / h), np.maximum(0.0, (1.0 - q) / h)
        assert qd @ M @ qd <= free @ M @ free
        assert np.all((low - 1e-12 <= qd) & (qd <= high + 1e-12))
        tiny = 1e-9 * np.abs(np.diag(M)) * np.abs(free).max()
        assert np.all(np.abs(M @ (qd - free) - p) <= tiny * 10.0)
        inside = (low < qd) & (qd < high)
        sliding = inside & (np.abs(qd) > 1e-12)
        assert np.all(np.abs(p + bound * np.sign(qd))[sliding] <= tiny[sliding])
        stuck = inside & ~sliding
        assert np.all(qd[stuck] == 0.0)
        assert np.all(np.abs(p[stuck]) <= bound[stuck] + tiny[stuck])
        assert np.all(p[qd == high] <= tiny[qd == high] - bound[qd == high])
        assert np.all(p[qd == low] >= bound[qd == low] - tiny[qd == low])


@ALL
def test_friction_only_takes_energy(integrator):
    """Without gravity and motors the kinetic energy of an arm falls at every step."""
    robot = Robot.from_urdf(URDF, gravity=(0.0, 0.0, 0.0))
    settings = PlantSettings(
        integrator=integrator, no_command='free', friction_scale=5.0, static_friction=1.5
    )
    q = 0.5 * (robot.limits.lower + robot.limits.upper)
    plant = Plant(robot, settings, q, [0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.9])
    energy = robot.energy(plant.q, plant.qd)[0]
    while energy > 0.0 and plant.t < 5.0:
        plant.step()
        before, energy = energy, robot.energy(plant.q, plant.qd)[0]
        assert energy < before
    assert energy == 0.0


@ALL
def test_swing_under_gravity_never_gains_energy_and_ends_at_rest(integrator):
    """An arm swings from its middle posture until all joints stick, and hangs askew."""
    robot = Robot.from_urdf(URDF)
    settings = PlantSettings(integrator=integrator, no_command='free', friction_scale=8.0)
    q = 0.5 * (robot.limits.lower + robot.limits.upper)
    plant = Plant(robot, settings, q, [0.4, -0.3, 0.2, 0.5, -0.6, 0.3, 0.9])
    energy = sum(robot.energy(plant.q, plant.qd))
    first, still = energy, 0
    # all may stand for one step where a joint turns back
    while still < 10 and plant.t < 20.0:
        plant.step()
        still = 0 if np.any(plant.qd != 0.0) else still + 1
        before, energy = energy, sum(robot.energy(plant.q, plant.qd))
        assert energy <= before + 1e-14 * abs(first)
    assert plant.t < 20.0 and energy < first - 1.0
    rest = plant.q.copy()
    for _ in range(10_000):
        plant.step()
    assert np.array_equal(plant.q, rest)
