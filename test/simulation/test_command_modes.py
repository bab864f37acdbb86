# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Drives in position and velocity mode: their law, their limits, and changes of the mode."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation import Command, Faults, Plant, PlantSettings
from robodyn_ros.simulation.command_modes import UNCHANGED, has_drive
from support.robots.families import FAMILIES, MIXED

FREE = {'damping_scale': 0.0, 'friction_scale': 0.0}
EULER = 'semi_implicit_euler'
SCHEMES = [EULER, 'energy_rosenbrock', 'rk4', 'dop853']
POSITION, VELOCITY = ('position',), ('velocity',)

BODY = """<robot name="r"><link name="a"/><link name="b"><inertial><origin xyz="{arm} 0 0"/>
  <mass value="2"/><inertia ixx="1" ixy="0" ixz="0" iyy="0.3" iyz="0" izz="1"/></inertial></link>
  <joint name="j" type="{kind}"><parent link="a"/><child link="b"/><axis xyz="{axis}"/>
  <limit lower="-9" upper="9" effort="{effort}" velocity="2"/></joint></robot>"""


def slider(effort=1e6):
    """Return a mass of 2 kg on a horizontal rail: m a = tau."""
    return Robot.from_urdf(BODY.format(arm=0, kind='prismatic', axis='1 0 0', effort=effort))


def pendulum():
    """Return a body of 2 kg, 0.5 m from its joint: its weight on the joint is -m g l cos(q)."""
    return Robot.from_urdf(BODY.format(arm=0.5, kind='revolute', axis='0 1 0', effort=1e6))


def make(robot, position=None, velocity=None, **settings):
    """Return a plant whose command never is void."""
    return Plant(robot, PlantSettings(**{'command_timeout': inf} | settings), position, velocity)


def run(plant, command, steps, dt=1e-3):
    """Take steps under a command; return the plant."""
    for _ in range(steps):
        plant.step(command, dt)
    return plant


@pytest.mark.parametrize('scheme', SCHEMES)
def test_position_mode_sags_by_the_weight_over_the_stiffness(scheme):
    """Kp (q_d - q) = g(q), whose root another solver finds; with the weight carried, q = q_d."""
    settings = {'command_modes': POSITION, 'stiffness': (60.0,), 'rate_gain': (20.0,), **FREE}
    plant = make(pendulum(), integrator=scheme, carries_weight=False, **settings)
    weight = -2.0 * 9.81 * 0.5
    expected = brentq(lambda q: 60.0 * (0.4 - q) - weight * np.cos(q), -1.0, 1.0, xtol=1e-14)
    assert abs(expected - 0.4) > 0.1
    run(plant, [0.4], 3000, 5e-3)
    assert plant.q[0] == pytest.approx(expected, abs=1e-9)
    assert plant.effort[0] == pytest.approx(weight * np.cos(expected), rel=1e-9)
    carried = run(make(pendulum(), integrator=scheme, **settings), [0.4], 3000, 5e-3)
    assert carried.q[0] == pytest.approx(0.4, abs=1e-9)


def test_euler_takes_the_law_at_the_end_of_the_step():
    """m (v' - v) = h (Kp (q_d - q') - Kd v') with q' = q + h v', on a rail, to rounding."""
    m, h, stiffness, gain = 2.0, 0.02, 900.0, 30.0
    gains = {'stiffness': (900.0,), 'rate_gain': (30.0,)}
    plant = make(slider(), (0.3,), (-0.7,), command_modes=POSITION, integrator=EULER, **gains)
    q, v = 0.3, -0.7
    for target in np.sin(np.arange(50.0)):
        v = (m * v + h * stiffness * (target - q)) / (m + h * gain + h * h * stiffness)
        q += h * v
        plant.step([target], h)
        assert plant.q[0] == pytest.approx(q, abs=1e-13)
        effort = stiffness * (target - q) - gain * v
        assert plant.effort[0] == pytest.approx(effort, abs=1e-10)


def test_runge_kutta_follows_the_damped_oscillation():
    """q_d - q = e^(-a t) (cos w t + a/w sin w t), Kp and Kd of frequency 20 rad/s, damping 0.3."""
    a, w = 0.3 * 20.0, 20.0 * np.sqrt(1.0 - 0.3**2)
    gains = {'stiffness': (2.0 * 400.0,), 'rate_gain': (2.0 * 2.0 * a,)}
    plant = make(slider(), (1.0,), command_modes=POSITION, integrator='rk4', **gains)
    for k in range(1, 300):
        plant.step([2.0])
        t = 1e-3 * k
        error = np.exp(-a * t) * (np.cos(w * t) + a / w * np.sin(w * t))
        assert plant.q[0] == pytest.approx(2.0 - error, abs=1e-7)


@pytest.mark.parametrize('scheme, tolerance', [('semi_implicit_euler', 5e-3), ('rk4', 1e-8)])
def test_velocity_mode_against_another_integration(elbow, scheme, tolerance):
    """M qdd + C qd + g = Kv (v_d - qd) by an embedded pair of order 8, to the scheme's order."""
    gain, wanted = np.array([30.0, 3.0]), np.array([1.5, -2.0])
    q, qd = np.array([0.4, -0.9]), np.array([0.3, 0.8])

    def slope(_, state):
        effort = gain * (wanted - state[2:])
        return np.concatenate((state[2:], elbow.forward_dynamics(state[:2], state[2:], effort)))

    there = solve_ivp(
        slope, (0.0, 0.4), np.concatenate((q, qd)), 'DOP853', rtol=1e-11, atol=1e-12
    ).y[:, -1]
    plant = make(
        elbow,
        q,
        qd,
        integrator=scheme,
        command_modes=VELOCITY,
        velocity_gain=tuple(gain),
        carries_weight=False,
        **FREE,
    )
    run(plant, wanted, 400)
    assert np.concatenate((plant.q, plant.qd)) == pytest.approx(there, abs=tolerance)
    assert np.abs(plant.q - q).min() > 0.1


def test_full_effort_until_the_set_point_is_near():
    """v = t L / m, until the law itself asks for less than the limit L; then it comes to rest."""
    plant = make(
        slider(effort=10.0), command_modes=POSITION, stiffness=(800.0,), rate_gain=(80.0,)
    )
    run(plant, [1.0], 200)
    assert plant.effort[0] == 10.0
    assert plant.qd[0] == pytest.approx(0.2 * 10.0 / 2.0, rel=1e-12)
    given = []
    for _ in range(3000):
        plant.step([1.0])
        given.append(plant.effort[0])
    assert min(given) == -10.0 and max(given) == 10.0
    assert plant.q[0] == pytest.approx(1.0, abs=1e-9)


def test_every_effort_is_the_law_within_its_limit(arm, middle):
    """At the end of each Euler step, with friction, a weak motor, set-points far and near."""
    rng = np.random.default_rng(5)
    stiffness, gain = rng.uniform(300.0, 3000.0, (2, arm.nv)) * np.array([[1.0], [0.02]])
    plant = make(
        arm,
        middle,
        integrator=EULER,
        command_modes=POSITION,
        stiffness=tuple(stiffness),
        rate_gain=tuple(gain),
        carries_weight=False,
    )
    plant.injected_faults = Faults(effort_loss={'joint2': 0.4})
    strength = np.where(np.array(arm.joint_names) == 'joint2', 0.6, 1.0)
    limit, bounded = arm.limits.effort, np.zeros(arm.nv)
    for _ in range(200):
        target = middle + 10.0 ** rng.uniform(-4.0, -0.5) * rng.normal(size=arm.nv)
        plant.step(target)
        law = stiffness * (target - plant.q) - gain * plant.qd
        expected = strength * np.clip(law, -limit, limit)
        assert np.all(np.abs(plant.effort) <= strength * limit)
        assert np.all(np.abs(plant.effort - expected) <= 1e-9 * limit)
        bounded += np.abs(plant.effort) == strength * limit
    assert np.all(bounded > 5) and np.all(bounded < 195)


@pytest.mark.parametrize('name', [*FAMILIES, *MIXED])
def test_drives_move_a_robot_as_their_efforts_do(name):
    """Modes mixed: under the efforts that the drives gave, effort mode takes the same steps.

    Drives of Euler give one effort over a step, those of other schemes a mean.
    """
    robot = (FAMILIES | MIXED)[name].robot
    names = [('position', 'velocity', 'effort')[k % 3] for k in range(robot.nv)]
    for k, driven in enumerate(has_drive(robot.model)):
        if not driven:
            names[k] = 'effort'
        elif robot.model.coordinates[k] < 0:
            names[k] = 'velocity'
    names = tuple(names)
    rng = np.random.default_rng(7)
    q = robot.configuration.random(rng, reach=0.5)
    qd = rng.uniform(-0.5, 0.5, robot.nv)
    mixed = make(robot, q, qd, integrator=EULER, command_modes=names, friction_scale=0.0)
    plain = make(robot, q, qd, integrator=EULER, friction_scale=0.0)
    assert mixed.modes == names
    for _ in range(20):
        mixed.step(rng.normal(0.0, 0.5, robot.nv))
        plain.step(mixed.effort)
        slack = 1e-14 * np.linalg.cond(robot.mass_matrix(mixed.q)) + 1e-10
        assert np.abs(plain.q - mixed.q).max() <= slack
        assert np.abs(plain.qd - mixed.qd).max() <= 1e3 * slack
        plain.set_state(mixed.q, mixed.qd)
    assert mixed.effort.any()


def test_no_gain_is_too_high_for_the_step(arm, middle):
    """Euler: 1e9 N m/rad at 1 ms without a limit of effort settles, as does a derived gain."""
    unlimited = replace(arm.model.limits, effort=np.full(arm.nv, inf))
    robot, target = Robot(replace(arm.model, limits=unlimited)), middle + 0.01
    for gains in ({'stiffness': (1e9,), 'rate_gain': (1e6,)}, {}):
        plant = make(robot, middle, command_modes=POSITION, **FREE, **gains)
        run(plant, target, 300)
        assert not plant.fault
        assert plant.q == pytest.approx(target, abs=2e-4)


@pytest.mark.parametrize('scheme', SCHEMES)
def test_kinematic_joints_follow_their_commands(arm, middle, scheme):
    """To rounding, and at most as fast as the joint may; the effort is what that takes."""
    plant = make(
        arm, middle, integrator=scheme, command_modes=POSITION, kinematic=True, substeps=2
    )
    for k in range(100):
        target = middle + 0.02 * np.sin(0.01 * (k + 1)) * np.arange(1, 8)
        plant.step(target)
        assert plant.q == pytest.approx(target, abs=1e-14)
    slope = 0.02 * np.cos(0.01 * 99.5) * 10.0 * np.arange(1, 8)
    assert plant.qd == pytest.approx(slope, rel=1e-4)
    assert np.abs(plant.effort - arm.gravity_torque(plant.q)).max() < 20.0
    run(plant, target, 2)
    still = arm.gravity_torque(plant.q)
    assert plant.effort == pytest.approx(still, abs=1e-9) and np.abs(still).max() > 1.0
    plant.step(target + 1.0)
    assert plant.qd == pytest.approx(arm.limits.velocity)
    run(plant, target + 9.0, 4000)
    assert plant.q == pytest.approx(arm.limits.upper, abs=1e-12)


def test_kinematic_velocity_and_the_joints_beside_it(elbow):
    """The moved joint accelerates the free one: M_22 qdd_2 = tau_2 - (C qd + g)_2 - M_21 a."""
    plant = make(
        elbow,
        (0.3, 0.5),
        (0.7, -0.2),
        command_modes=('velocity', 'effort'),
        kinematic=True,
        **FREE,
    )
    q, qd = plant.q.copy(), plant.qd.copy()
    plant.step([0.9, 0.25], 1e-4)
    M = elbow.mass_matrix(q)
    bias = elbow.inverse_dynamics(q, qd, np.zeros(2))
    a = (0.9 - 0.7) / 1e-4
    free = (0.25 - bias[1] - M[1, 0] * a) / M[1, 1]
    assert plant.qd[0] == 0.9
    assert plant.qd[1] == pytest.approx(qd[1] + 1e-4 * free, rel=1e-9)
    assert plant.effort[0] == pytest.approx(M[0, 0] * a + M[0, 1] * free + bias[0], rel=1e-3)


def test_a_change_of_mode_makes_no_jump(arm, middle):
    """Position mode begins where the joint is, velocity mode at rest, effort mode as it was."""
    plant = make(arm, middle, command_modes=('any',), command_timeout=0.5)
    run(plant, arm.gravity_torque(middle) + 3.0, 30)
    plant.command_modes = 'position'
    here, speed = plant.q.copy(), plant.qd.copy()
    assert np.abs(here - middle).max() > 1e-4 and plant.modes == ('position',) * 7
    plant.step()
    assert np.abs(plant.qd - speed).max() < 0.2 * np.abs(speed).max() + 0.05
    run(plant, None, 300)
    assert plant.q == pytest.approx(here, abs=0.02)
    plant.step(plant.q + 0.05)
    run(plant, None, 20)
    moving = plant.qd.copy()
    assert np.abs(moving).max() > 0.1
    plant.command_modes = 'velocity'
    run(plant, None, 200)
    assert np.abs(plant.qd).max() < 0.05 * np.abs(moving).max()
    before = plant.effort.copy()
    plant.command_modes = 'effort'
    plant.step()
    assert np.array_equal(plant.effort, before)
    run(plant, None, 510)
    assert not plant.commanded.any() and not plant.effort.any() and not plant.qd.any()


def test_a_change_of_mode_frees_no_brake(arm, middle):
    """Before the first command, and after the last one was void."""
    plant = make(arm, middle, command_timeout=0.01)
    plant.command_modes = 'position'
    run(plant, None, 20)
    assert np.array_equal(plant.q, middle) and not plant.commanded.any()
    plant.step(middle + 0.1)
    run(plant, None, 30)
    there = plant.q.copy()
    assert not plant.qd.any() and np.abs(there - middle).max() > 1e-5
    plant.command_modes = ('velocity',) * 3 + ('any',) * 4
    run(plant, None, 20)
    assert np.array_equal(plant.q, there)


def test_an_old_command_is_not_taken_for_another_quantity(arm, middle):
    """An effort that was on its way while the mode changed is refused, not driven to."""
    plant = make(arm, middle, latency=2)
    plant.step(np.full(7, 20.0))
    plant.command_modes = 'position'
    run(plant, None, 5)
    assert plant.refused == {'mode': 1} and np.array_equal(plant.q, middle)


def test_nan_leaves_a_joint_to_its_brake(arm, middle):
    """Not commanded: braked before the first command and after it; the others go on."""
    plant, target = make(arm, middle, command_modes=POSITION, **FREE), middle + 0.05
    target[:3] = nan
    run(plant, target, 400)
    assert np.array_equal(plant.q[:3], middle[:3])
    assert plant.q[3:] == pytest.approx(target[3:], abs=1e-3)
    assert plant.commanded.tolist() == [False] * 3 + [True] * 4
    run(plant, middle + 0.1, 20)
    run(plant, target, 2)
    stopped = plant.q.copy()
    assert np.any(stopped[:3] != middle[:3]) and not plant.effort[:3].any()
    run(plant, target, 100)
    assert np.array_equal(plant.q[:3], stopped[:3])
    damped = make(arm, middle, command_modes=POSITION, void_command='damp')
    run(damped, middle + 0.1, 20)
    run(damped, target, 2)
    assert not damped.effort[:3].any() and damped.qd[:3].any()


def test_who_is_not_spoken_for_goes_on_and_expires_alone(arm, middle):
    """Two commanders of one arm: the silence of one is not hidden by the other."""
    plant = make(
        arm, middle, command_modes=('position',) * 2 + ('effort',) * 5, command_timeout=0.05
    )
    target = np.array([middle[0] + 0.1, middle[1] - 0.1] + [0.0] * 5)
    mode = np.array([1.0, 1.0] + [UNCHANGED] * 5)
    plant.step(Command(target, mode))
    efforts = Command(np.full(7, 2.0), np.array([UNCHANGED] * 2 + [0.0] * 5))
    for k in range(100):
        plant.step(efforts)
        assert plant.commanded[:2].all() == (k < 49)
        assert plant.commanded[2:].all() and np.array_equal(plant.effort[2:], [2.0] * 5)
    assert not plant.effort[:2].any() and not plant.qd[:2].any()


def test_the_mode_any_follows_the_command(elbow):
    """Each joint takes on the mode that the command names for it; the others keep theirs."""
    plant = make(elbow, (0.3, 0.2), command_modes=('any', 'effort'))
    assert plant.modes == ('effort', 'effort')
    plant.step(Command([0.5, 1.0], [1.0, 0.0]))
    assert plant.modes == ('position', 'effort') and plant.command_modes == ('any', 'effort')
    plant.step(Command([0.5, nan], [2.0, 0.0]))
    assert plant.modes == ('velocity', 'effort')
    plant.step(Command([0.5, 0.5], [0.0, 2.0]))
    assert plant.modes == ('velocity', 'effort') and plant.refused == {'mode': 1}


@pytest.mark.parametrize('value, quantity', [(2e6, 1.0), (inf, 1.0), (2e4, 2.0), (-inf, 2.0)])
def test_absurd_set_points_are_refused(elbow, value, quantity):
    plant = make(elbow, command_modes=('any',))
    plant.step(Command([value, 0.1], [quantity] * 2))
    assert plant.refused == {'value': 1} and not plant.commanded.any()


def test_a_robot_put_elsewhere_stays_there(arm, middle):
    """Joints in position mode do not return to their previous commands."""
    plant = run(make(arm, middle, command_modes=POSITION), middle, 5)
    there = middle + 0.2
    plant.set_state(there, np.zeros(7))
    run(plant, None, 100)
    assert plant.q == pytest.approx(there, abs=1e-3)


def test_modes_that_a_joint_cannot_have_are_refused():
    """A sentence with the joint; nothing has changed then."""
    ball = next(case.robot for case in MIXED.values() if case.robot.nq != case.robot.nv)
    plant = make(ball)
    with pytest.raises(ParameterError, match='has no (drive|position).*expected'):
        plant.command_modes = 'position'
    with pytest.raises(ParameterError, match=f'got 2 command modes; expected 1 or {ball.nv}'):
        plant.command_modes = ('effort', 'effort')
    assert set(plant.command_modes) == {'effort'}
    with pytest.raises(ParameterError, match="command_modes is 'torque'; expected one of"):
        PlantSettings(command_modes=('torque',))
    with pytest.raises(ParameterError, match='stiffness is -1'):
        PlantSettings(stiffness=(-1.0,))
    with pytest.raises(ParameterError, match='rate_gain has 3 entries; expected none, 1 or'):
        make(slider(), rate_gain=(1.0, 1.0, 1.0))
