# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Commands, silence, wrenches, broken parts: what a plant makes of what reaches it."""

from dataclasses import replace
from math import inf, nan

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError, ShapeError, UnknownNameError
from robodyn_ros.simulation.command_modes import CODES, UNCHANGED, Command
from robodyn_ros.simulation.faults import Faults
from robodyn_ros.simulation.plant import Plant
from robodyn_ros.simulation.plant_settings import PlantSettings

FREE = {'damping_scale': 0.0, 'friction_scale': 0.0}


def bits(plant):
    """Return the state of the plant as bytes."""
    return plant.q.tobytes() + plant.qd.tobytes() + plant.effort.tobytes()


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rk4'])
def test_same_calls_give_the_same_bits(arm, middle, integrator):
    """Commands, wrenches, stops and friction included; after a reset as well."""

    def run(plant):
        rng = np.random.default_rng(11)
        trace = []
        for k in range(500):
            if k % 100 == 0:
                plant.apply_wrench('link6', rng.normal(0.0, 20.0, 6), 0.05)
            plant.step(rng.normal(0.0, 30.0, arm.nv) if k % 3 == 0 else None)
            trace.append(bits(plant))
        return trace

    settings = PlantSettings(integrator=integrator, substeps=2, latency=3)
    one, other = Plant(arm, settings, middle), Plant(arm, settings, middle)
    first = run(one)
    assert run(other) == first
    one.reset()
    assert run(one) == first


def test_holds_bit_for_bit_until_the_first_command(arm, middle):
    """A brake: no drop of the position however long the wait, and none when the command comes."""
    plant = Plant(arm, position=middle)
    plant.apply_wrench('link7', [50.0, 50.0, 50.0, 5.0, 5.0, 5.0])
    for _ in range(1000):
        plant.step()
    assert np.array_equal(plant.q, middle)
    assert not plant.qd.any() and not plant.effort.any() and not plant.commanded.any()
    plant.step(arm.gravity_torque(middle))
    assert plant.commanded.all()
    assert plant.qd.any()


def test_free_and_gravity_compensated_before_the_first_command(arm, middle):
    """'free' falls as forward dynamics says; 'gravity_compensated' stays where it is.

    An Euler step from rest has the acceleration of its start.
    """
    settings = PlantSettings('semi_implicit_euler', no_command='free', **FREE)
    free = Plant(arm, settings, middle)
    free.step(dt=1e-5)
    fall = arm.forward_dynamics(middle, np.zeros(arm.nv), np.zeros(arm.nv))
    assert free.qd / 1e-5 == pytest.approx(fall, rel=1e-9)
    held = Plant(arm, PlantSettings(no_command='gravity_compensated', **FREE), middle)
    for _ in range(1000):
        held.step()
    assert held.q == pytest.approx(middle, abs=1e-12)
    assert held.effort == pytest.approx(arm.gravity_torque(middle), abs=1e-9)


def test_effort_is_clamped_to_the_motors_and_zero_means_zero(arm, middle):
    """An effort limit of the URDF holds, in both directions; a missing one does not bind."""
    plant = Plant(arm, position=middle)
    plant.step(np.array([1e3, -1e3, 1.0, 1e3, -1e3, 2.0, 1e3]))
    limit = arm.limits.effort
    assert np.array_equal(
        plant.effort, [limit[0], -limit[1], 1.0, limit[3], -limit[4], 2.0, limit[6]]
    )
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/>{}</joint></robot>"""
    for limit, given in (('', 123.0), ('<limit effort="0" velocity="1"/>', 0.0)):
        plant = Plant(Robot.from_urdf(text.format(limit)))
        plant.step([123.0])
        assert plant.effort[0] == given


def test_silence_voids_the_command(arm, middle):
    """After the time-out: no effort for ever, and the arm loses its energy to the damping."""
    settings = PlantSettings(command_timeout=0.05, void_command='damp', **FREE)
    plant = Plant(arm, settings, middle)
    plant.step(np.full(arm.nv, 5.0))
    for _ in range(49):
        plant.step()
        assert np.array_equal(plant.effort, np.full(arm.nv, 5.0))
    plant.step()
    energies = []
    for _ in range(4000):
        plant.step()
        assert not plant.effort.any()
        energies.append(sum(arm.energy(plant.q, plant.qd)))
    assert np.all(np.diff(energies) < 1e-6)
    assert np.max(np.abs(plant.qd)) < 0.5
    plant.step(np.full(arm.nv, 1.0))
    assert plant.effort == pytest.approx(np.ones(arm.nv))


def test_joint_without_a_command_keeps_its_brake_and_loses_its_effort(arm, middle):
    """NaN: braked before its first command, without effort after it."""
    plant = Plant(arm, position=middle)
    effort = arm.gravity_torque(middle)
    partial = effort.copy()
    partial[:4] = nan
    for _ in range(100):
        plant.step(partial)
    assert np.array_equal(plant.q[:4], middle[:4])
    assert not plant.effort[:4].any()
    assert plant.effort[4:] == pytest.approx(effort[4:])
    assert plant.commanded.tolist() == [False] * 4 + [True] * 3
    plant.step(effort)
    assert plant.commanded.all()
    plant.step(partial)
    assert plant.commanded.tolist() == [False] * 4 + [True] * 3
    assert not plant.effort[:4].any()
    plant.step()
    assert np.any(plant.q[:4] != middle[:4])


@pytest.mark.parametrize(
    'command, reason',
    [
        ([inf] + [0.0] * 6, 'value'),
        ([0.0] * 6 + [-inf], 'value'),
        ([nan] * 6 + [1e308], 'value'),
        ([nan] * 7, 'empty'),
    ],
)
def test_bad_command_is_ignored_whole_and_counted(arm, middle, command, reason):
    """Before the first command it does not free the brake; later the last good one goes on."""
    plant = Plant(arm, position=middle)
    plant.step(command)
    assert np.array_equal(plant.q, middle)
    assert plant.refused == {reason: 1}
    good = np.arange(7.0)
    plant.step(good)
    plant.step(command)
    assert np.array_equal(plant.effort, good)
    assert plant.refused == {reason: 2}
    for _ in range(200):
        plant.step(command)
    assert not plant.effort.any()  # a stream of bad commands is silence


@pytest.mark.parametrize(
    'command', [[1.0] * 6, [1.0] * 8, [], [[1.0] * 7], 1.0, ['a'] * 7, object()]
)
@pytest.mark.parametrize('latency', [0, 2])
def test_a_command_of_another_size_raises_and_changes_nothing(arm, middle, command, latency):
    plant = Plant(arm, PlantSettings(latency=latency), middle)
    plant.step(np.arange(7.0))
    before = bits(plant), plant.t
    with pytest.raises(ShapeError, match="'franka_like'.*expected an effort for each of joint1"):
        plant.step(command)
    assert (bits(plant), plant.t) == before
    plant.step(np.ones(7))
    assert plant.t > before[1] and not plant.refused


def test_latency_delays_by_whole_steps(arm, middle):
    """A command acts unchanged after the given number of steps."""
    plant = Plant(arm, PlantSettings(latency=3), middle)
    effort = np.arange(7.0)
    plant.step(effort)
    effort[:] = 99.0
    for _ in range(2):
        plant.step()
        assert not plant.commanded.any()
    plant.step()
    assert np.array_equal(plant.effort, np.arange(7.0))


def test_a_command_under_way_is_that_of_its_moment(arm, middle):
    """The caller may fill the same array again before the command arrives."""
    plants = [Plant(arm, PlantSettings(latency=2), middle) for _ in range(2)]
    reused = np.empty(arm.nv)
    for k in range(8):
        reused[:] = 5.0 * k
        plants[0].step(reused)
        plants[1].step(reused.copy())
        assert bits(plants[0]) == bits(plants[1])
        reused[:] = nan


def test_a_command_may_be_read_only(arm, middle):
    """As that of a message is, whose bytes the array shows."""
    plants = [Plant(arm, position=middle) for _ in range(2)]
    effort = np.linspace(-1.0, 1.0, arm.nv)
    received = np.frombuffer(effort.tobytes())
    plants[0].step(effort)
    plants[1].step(received)
    assert bits(plants[0]) == bits(plants[1])


def test_each_joint_times_out_by_its_own_command(arm, middle):
    """A renewed joint goes on while another's command is void, and both end to the step."""
    plant = Plant(arm, PlantSettings(command_timeout=0.005, **FREE), middle)
    effort, rest = np.zeros(arm.nv), np.full(arm.nv - 1, UNCHANGED)
    plant.step(effort)
    trace = []
    for k in range(10):
        mode = np.concatenate(([CODES['effort']], rest))
        plant.step(Command(effort, mode) if k < 3 else None)
        trace.append(plant.commanded[:2].tolist())
    assert [one for one, _ in trace] == [True] * 7 + [False] * 3
    assert [other for _, other in trace] == [True] * 4 + [False] * 6


@pytest.mark.parametrize('integrator', ['semi_implicit_euler', 'rk4'])
@pytest.mark.parametrize('effort', [1e8, -1e9])
def test_blow_up_leaves_the_last_valid_state(elbow, integrator, effort):
    """1e8 N m on an arm without limits: contained in that step, latched, reported, reset."""
    unlimited = replace(
        elbow.model.limits, effort=np.full(2, inf), lower=np.full(2, -inf), upper=np.full(2, inf)
    )
    robot = Robot(replace(elbow.model, limits=unlimited))
    plant = Plant(robot, PlantSettings(integrator=integrator), (0.1, 0.2), (0.3, -0.4))
    plant.step(np.zeros(2))
    q, qd = plant.q.copy(), plant.qd.copy()
    plant.step(np.array([0.0, effort]))
    assert np.array_equal(plant.q, q) and np.array_equal(plant.qd, qd)
    assert 'joint' in plant.fault and 'two_link' in plant.fault
    assert plant.faults == 1
    for _ in range(10):
        plant.step(np.array([1.0, 2.0]))
        assert np.array_equal(plant.q, q) and not plant.qd.any() and not plant.effort.any()
    assert plant.faults == 1
    plant.reset()
    assert plant.fault == '' and np.array_equal(plant.q, (0.1, 0.2))
    plant.step(np.array([1.0, 2.0]))
    assert np.array_equal(plant.effort, (1.0, 2.0))


def test_any_finite_input_leaves_a_finite_state(arm):
    """Random efforts and wrenches up to what is accepted at all, steps up to a second."""
    rng = np.random.default_rng(4)
    plant = Plant(arm, PlantSettings(integrator='rk4'))
    for _ in range(300):
        if plant.fault:
            plant.reset()
        plant.apply_wrench('link7', rng.normal(0.0, 1.0, 6) * 10.0 ** rng.uniform(0.0, 8.0))
        plant.step(
            rng.normal(0.0, 1.0, 7) * 10.0 ** rng.uniform(0.0, 8.0), 10.0 ** rng.uniform(-6.0, 0.0)
        )
        assert np.all(np.isfinite(plant.q)) and np.all(np.isfinite(plant.qd))
        assert np.all((arm.limits.lower <= plant.q) & (plant.q <= arm.limits.upper))
    assert plant.faults > 0


def test_wrench_acts_for_its_duration_and_is_replaced(arm, middle):
    """One wrench a frame, several frames add up, each ends in its own time.

    In an Euler step from rest the velocity is linear in the wrenches.
    """

    def pushed(*pushes):
        settings = PlantSettings('semi_implicit_euler', no_command='gravity_compensated', **FREE)
        plant = Plant(arm, settings, middle)
        for push in pushes:
            plant.apply_wrench(*push)
        plant.step()
        return plant

    force = [3.0, -2.0, 5.0, 0.1, 0.2, -0.3]
    both = pushed(('link3', force), ('link7', force)).qd
    apart = pushed(('link3', force)).qd + pushed(('link7', force)).qd
    assert both == pytest.approx(apart, rel=1e-9)
    replaced = pushed(('link7', [100.0] * 6), ('link7', force)).qd
    assert np.array_equal(replaced, pushed(('link7', force)).qd)
    ended = pushed(('link7', force), ('link7', np.zeros(6))).qd
    assert np.array_equal(ended, pushed().qd)
    short, long = pushed(('link7', force, 0.01)), pushed(('link7', force, 1.0))
    for _ in range(9):
        short.step()
        long.step()
    assert np.array_equal(short.qd, long.qd)
    short.step()
    long.step()
    assert np.max(np.abs(short.qd)) < np.max(np.abs(long.qd))


def test_wrench_turns_with_its_link():
    """A force along the link of a wheel drives it for ever: it is fixed to the body."""
    text = """<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/>
      <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial></link>
      <link name="tip"/>
      <joint name="j" type="continuous"><parent link="a"/><child link="b"/>
      <axis xyz="0 0 1"/></joint>
      <joint name="f" type="fixed"><parent link="b"/><child link="tip"/>
      <origin xyz="2 0 0" rpy="0 0 1.5707963267948966"/></joint></robot>"""
    plant = Plant(Robot.from_urdf(text), PlantSettings(integrator='rk4', no_command='free'))
    plant.apply_wrench('tip', [3.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # tip's x is the wheel's y
    for _ in range(1000):
        plant.step()
    assert plant.qd[0] == pytest.approx(6.0, rel=1e-9)


def test_lost_effort_and_stuck_joints(arm, middle):
    """A motor that lost its effort gives its share; a fault on an unknown joint is refused."""
    plant = Plant(arm, position=middle)
    plant.injected_faults = Faults(effort_loss={'joint2': 1.0, 'joint3': 0.25})
    plant.step(np.full(7, 8.0))
    assert np.array_equal(plant.effort, [8.0, 0.0, 6.0, 8.0, 8.0, 8.0, 8.0])
    with pytest.raises(UnknownNameError, match="'elbow'.*joint1"):
        plant.injected_faults = Faults(stuck_joints=('elbow',))
    assert plant.injected_faults.effort_loss == {'joint2': 1.0, 'joint3': 0.25}
    with pytest.raises(ParameterError, match='share'):
        Faults(dropped_states=1.5)


def test_state_is_checked_whole(arm, middle):
    """A state of the wrong shape, beyond a stop or not finite changes nothing."""
    plant = Plant(arm, position=middle)
    for position, velocity, error, words in (
        (middle[:6], None, ShapeError, 'shape'),
        (middle + 9.0, None, ParameterError, 'joint1'),
        (None, [nan] * 7, ParameterError, 'finite'),
        (middle, [1e9] * 7, ParameterError, '1'),
        (['x'] * 7, None, ShapeError, 'numbers'),
    ):
        with pytest.raises(error, match=words):
            plant.set_state(position, velocity)
        assert np.array_equal(plant.q, middle) and not plant.qd.any()
    plant.set_state(velocity=np.full(7, 5.0))
    assert plant.over_speed.all()
    with pytest.raises(ParameterError, match='step'):
        plant.step(dt=nan)


def test_default_start_is_the_nearest_to_zero_between_the_stops(arm):
    """Joint 4 of a Franka arm cannot be at zero."""
    plant = Plant(arm)
    assert plant.q[3] == arm.limits.upper[3] < 0.0
    assert np.array_equal(np.delete(plant.q, [3]), np.zeros(6))


@pytest.mark.parametrize(
    'change',
    [
        {'integrator': 'leapfrog'},
        {'substeps': 0},
        {'substeps': 1.5},
        {'substeps': True},
        {'no_command': 'drop'},
        {'command_timeout': 0.0},
        {'command_timeout': nan},
        {'timeout_damping': -1.0},
        {'latency': -1},
        {'damping_scale': inf},
        {'friction_scale': nan},
        {'friction_speed': 0.0},
        {'static_friction': 0.9},
        {'largest_speed': -1.0},
    ],
)
def test_settings_refuse_in_a_sentence(change):
    """The name of the setting and what would be accepted."""
    with pytest.raises(ParameterError, match=f'{next(iter(change))} is .*; expected'):
        PlantSettings(**change)


def test_row_41_a_command_that_is_not_renewed_ends_in_the_brake(arm, middle):
    """The watchdog of the drive: the arm stands where it is, until the next command."""
    plant = Plant(arm, PlantSettings(command_timeout=0.05, **FREE), middle)
    for _ in range(20):
        plant.step(arm.gravity_torque(plant.q))
    for _ in range(51):
        plant.step()
    stopped = plant.q.copy()
    for _ in range(1000):
        plant.step()
        assert not plant.effort.any() and not plant.qd.any()
    assert np.array_equal(plant.q, stopped)
    plant.step(np.full(arm.nv, 1.0))
    assert plant.effort == pytest.approx(np.ones(arm.nv)) and plant.qd.any()
