# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""States of the supervisor, from the first joint state to the last torque."""

import math

import numpy as np
import pytest

from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.supervisor.reference_clock import MAX_PERIODS, Clock
from robodyn_ros.control.supervisor.torque_limiter import LAST_BRAKING
from robodyn_ros.errors import ParameterError
from robodyn_ros.simulation.plant import Plant
from support.supervised import FRANKA, PERIOD, TWO_LINK, Bench, settings_for

FAR = Trajectory([1.0], [[0.8, 0.9]])


def test_without_joint_state_it_waits_and_publishes_nothing():
    """Fault row 3."""
    bench = Bench()
    assert bench.run(50, fresh=False) is State.WAIT_STATE
    assert not bench.supervisor.publishing
    assert bench.supervisor.activate(bench.now) == 'there is no joint state yet'


def test_ready_with_fresh_states_and_waiting_again_without():
    """Inactive, it says whether it could be activated."""
    bench = Bench()
    assert bench.run(3) is State.READY
    assert bench.run(100, fresh=False) is State.WAIT_STATE
    assert not bench.supervisor.publishing


def test_activation_with_an_old_state_is_refused():
    """The sentence gives the age."""
    bench = Bench()
    bench.measure()
    assert 'the last joint state is 0.5 s old' in bench.supervisor.activate(bench.now + 0.5)


@pytest.mark.parametrize('missing', [0, 1])
def test_activation_without_effort_limit_is_refused_by_name(missing):
    """Fault row 36: an unknown limit is not an unlimited motor."""
    limits = np.full(2, 50.0)
    limits[missing] = math.nan
    bench = Bench(effort_limits=limits)
    bench.measure()
    assert TWO_LINK.joint_names[missing] in bench.supervisor.activate(bench.now)
    assert bench.run(5) is State.READY and not bench.supervisor.publishing


def test_activation_far_from_the_expected_posture_is_refused():
    """As libfranka's start_pose_invalid: within 0.1 rad, or not at all."""
    bench = Bench()
    bench.measure()
    sentence = bench.supervisor.activate(bench.now, posture=bench.q + [0.0, 0.15])
    assert sentence.startswith('posture of joint joint2: got')
    assert bench.supervisor.activate(bench.now, posture=bench.q + [0.0, 0.05]) == ''


def test_second_activation_is_refused():
    """It is active already, and stays so."""
    bench = Bench().activate()
    assert 'active already' in bench.supervisor.activate(bench.now)
    assert bench.state is State.HOLD


@pytest.mark.parametrize('robot', [TWO_LINK, FRANKA])
def test_first_torque_is_the_gravity_torque_of_the_measured_posture(robot):
    """Bumpless whatever the law wants; the rate limit takes it from there."""
    bench = Bench(robot, lower=np.full(robot.nv, -3.0), upper=np.full(robot.nv, 3.0))
    bench.law.torque = np.full(robot.nv, 60.0)
    bench.run(3)
    bench.activate()
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)
    before = bench.command.copy()
    bench.run(1)
    assert np.allclose(bench.command, before + np.sign(60.0 - before) * 1.0, atol=1e-9)


def test_first_torque_is_zero_where_the_robot_compensates_gravity():
    """The drive carries the arm: adding gravity would lift it."""
    bench = Bench(robot_compensates_gravity=True).activate()
    assert (bench.command == 0.0).all()
    assert (bench.supervisor.terms[3] == 0.0).all()


def test_first_torque_keeps_within_the_effort_limit():
    """Gravity beyond what the motor may give."""
    bench = Bench(effort_limits=[2.0, 1.0]).activate()
    assert (np.abs(bench.command) == [2.0, 1.0]).all()


def test_hold_tracks_the_posture_measured_at_its_entry():
    """At rest, wherever the arm is pushed to afterwards."""
    bench = Bench().activate()
    entry = bench.q.copy()
    bench.q = entry + 0.02
    assert bench.run(20) is State.HOLD
    assert np.array_equal(bench.law.seen[2], [entry, [0, 0], [0, 0]])
    assert np.array_equal(bench.law.seen[0], bench.q)


def test_law_that_follows_no_reference_is_active_without_one():
    """A sent reference is refused with a sentence."""
    bench = Bench(tracks=False).activate()
    assert bench.run(5) is State.ACTIVE
    assert 'follows no reference' in bench.supervisor.follow(FAR, bench.now)


def test_trajectory_is_followed_and_its_end_is_held():
    """ACTIVE under way, HOLD at the end point, not at the measured one."""
    bench = Bench().activate()
    trajectory = Trajectory([0.05], [bench.q + 0.04])
    assert bench.supervisor.follow(trajectory, bench.now) == ''
    assert bench.state is State.ACTIVE and bench.supervisor.following is trajectory
    assert bench.run(49) is State.ACTIVE
    assert bench.run(2) is State.HOLD
    assert bench.reason == Reason.TRAJECTORY_END and bench.supervisor.following is None
    bench.run(500)
    assert np.allclose(bench.supervisor.reference, [bench.q + 0.04, [0, 0], [0, 0]], atol=1e-15)


def test_replaced_trajectory_continues_in_position_and_velocity():
    """The reference has no step at reception, wherever between two ticks that is."""
    bench = Bench(velocity_limits=np.full(2, 10.0)).activate()
    bench.supervisor.follow(Trajectory([0.4], [bench.q + 0.5], np.zeros((1, 2))), bench.now)
    bench.run(200)
    before = bench.supervisor.reference.copy()
    other = Trajectory([0.5], [bench.q - 0.3])
    assert bench.supervisor.follow(other, bench.now + 0.4 * PERIOD) == ''
    bench.run(1)
    after = bench.supervisor.reference
    assert np.abs(before[1]).min() > 1.0
    assert np.allclose(after[0], before[0] + PERIOD * before[1], atol=2e-4)
    assert np.allclose(after[1], before[1], atol=0.15)
    assert bench.state is State.ACTIVE


@pytest.mark.parametrize(
    'trajectory',
    [
        Trajectory([1.0], [[math.nan, 0.0]]),
        Trajectory([1.0], [[0.0]]),
        Trajectory([], np.zeros((0, 2))),
        Trajectory([1.0, 0.5], [[0.3, 0.5]] * 2),
        Trajectory([1.0], [[9.0, 0.0]]),
        Trajectory([1e-3], [[0.8, 0.5]]),
        Trajectory([0.0, 1.0], [[0.8, 0.5], [0.9, 0.5]]),
        Trajectory([1.0], [[0.3, 0.5]], [[0.1, 0.0]]),
    ],
)
def test_refused_reference_leaves_the_running_one_as_it_was(trajectory):
    """Fault row 19: refused whole, counted, and what was good goes on."""
    bench, twin = Bench().activate(), Bench().activate()
    for one in (bench, twin):
        assert one.supervisor.follow(FAR, one.now) == ''
        one.run(300)
    assert bench.supervisor.follow(trajectory, bench.now) != ''
    bench.run(10), twin.run(10)
    assert np.array_equal(bench.supervisor.reference, twin.supervisor.reference)
    assert bench.supervisor.counters['rejected_references'] == 1


def test_reference_before_activation_is_discarded():
    """Fault row 21: neither taken then, nor remembered."""
    bench = Bench()
    bench.run(3)
    refusal = bench.supervisor.follow(FAR, bench.now)
    assert refusal == 'the controller is in READY and takes no reference; activate it first'
    bench.activate()
    assert bench.run(20) is State.HOLD and np.array_equal(bench.supervisor.reference[0], bench.q)


def test_reference_from_before_a_deactivation_is_not_resumed():
    """Fault row 21."""
    bench = Bench().activate()
    bench.supervisor.follow(FAR, bench.now)
    bench.run(100)
    bench.supervisor.deactivate()
    bench.run(100)
    bench.activate()
    assert bench.run(20) is State.HOLD and np.array_equal(bench.supervisor.reference[0], bench.q)


def test_clock_between_two_ticks_is_never_far_ahead():
    """What `tick` would drop of a gap, a reference that comes in it does not see either."""
    clock = Clock()
    assert clock.at(5.0, PERIOD) == 0.0
    for k in range(3):
        clock.tick(5.0 + k * PERIOD, PERIOD)
    last, time = 5.0 + 2 * PERIOD, clock.time
    assert clock.at(last + 0.5 * PERIOD, PERIOD) == pytest.approx(2.5 * PERIOD, rel=1e-9)
    for now in (last, last - 1.0, last + 1.01 * MAX_PERIODS * PERIOD):
        assert clock.at(now, PERIOD) == time


def test_deactivation_goes_to_the_safe_torque_and_then_ends():
    """At the rate limit; the last torque published is gravity, which a latching driver keeps."""
    bench = Bench()
    bench.law.torque = np.array([60.0, -40.0])
    bench.activate()
    bench.run(100)
    bench.supervisor.deactivate()
    assert bench.run(10) is State.READY and bench.supervisor.publishing
    bench.run(200)
    assert not bench.supervisor.publishing
    assert np.allclose(bench.torques[-1], bench.gravity, atol=1e-12)
    assert bench.law.calls == 101


@pytest.mark.parametrize('lost', [False, True], ids=['states come', 'states end'])
@pytest.mark.parametrize('by_robot', [False, True], ids=['weight held', 'by the robot'])
def test_deactivation_in_motion_brakes_the_arm_before_it_ends(by_robot, lost):
    """Within the limits, the bench checks; the last torque is the weight without any brake."""
    bench = Bench(robot_compensates_gravity=by_robot).activate()
    plant = Plant(bench.robot, position=bench.q, velocity=[2.0, -2.5])
    weight, ticks = bench.robot.gravity_torque, 0
    for k in range(2000):
        bench.q, bench.qd = plant.q.copy(), plant.qd.copy()
        if k == 20:
            bench.supervisor.deactivate()
        bench.run(1, fresh=k < 20 or not lost)
        if k >= 20 and not bench.supervisor.publishing:
            break
        ticks, last, posture = k - 19, bench.command.copy(), plant.q.copy()
        plant.step(last + by_robot * weight(plant.q), PERIOD)
    assert bench.state is (State.WAIT_STATE if lost else State.READY)
    assert 200 < ticks < 1000
    # without states a predicted motion is braked, and an arm without friction differs from it
    assert np.abs(plant.qd).max() < (1.25 if lost else 0.05)
    expected = 0.0 * posture if by_robot else weight(posture)
    assert np.abs(last - expected).max() < (5.0 if lost else 0.1)


def test_an_arm_that_cannot_be_braked_is_let_go_after_the_longest_time():
    """Such as one on a conveyor, or with a slow brake; the bench's arm keeps its velocity."""
    bench = Bench(stop_time_constant=5.0).activate()
    bench.qd = np.array([0.5, 0.0])
    bench.run(10)
    bench.supervisor.deactivate()
    bench.run(round(LAST_BRAKING / PERIOD) - 10)
    assert bench.supervisor.publishing
    bench.run(300)
    assert not bench.supervisor.publishing
    assert np.allclose(bench.torques[-1], bench.gravity, atol=1e-12)


def test_activation_during_deactivation_goes_on_from_the_last_torque():
    """No second start while torque is still being published."""
    bench = Bench()
    bench.law.torque = np.array([60.0, -40.0])
    bench.activate()
    bench.run(100)
    bench.supervisor.deactivate()
    bench.run(5)
    assert bench.supervisor.activate(bench.now) == ''
    bench.run(5)  # the bench checks the rate of every torque
    assert bench.supervisor.publishing and bench.state is State.HOLD


def test_hold_request_drops_the_reference():
    """What the cancelling of an action asks for."""
    bench = Bench().activate()
    bench.supervisor.follow(FAR, bench.now)
    bench.run(100)
    bench.supervisor.hold()
    assert bench.state is State.HOLD and bench.reason == Reason.HOLD_REQUESTED
    assert np.array_equal(bench.supervisor.reference[0], bench.q)


def test_gain_change_while_moving_is_continuous():
    """Fault row 25: whole, between two ticks, under the rate limit (the bench checks it)."""
    from robodyn_ros.control.laws.pd import PD

    bench = Bench(law=PD).activate()
    bench.supervisor.follow(FAR, bench.now)
    bench.run(300)
    before = bench.command.copy()
    stiffer = bench.supervisor.settings.replace(gains=np.array([[900.0] * 2, [60.0] * 2]))
    bench.supervisor.settings = stiffer
    bench.run(1)
    assert np.abs(bench.command - before).max() <= 1.0 + 1e-9
    assert np.abs(bench.supervisor.unlimited - before).max() > 10.0
    bench.run(300)
    assert bench.state is State.ACTIVE


def test_settings_of_another_robot_or_without_effort_limit_are_refused_whole():
    """The running ones stay in force, the same object."""
    bench = Bench().activate()
    running = bench.supervisor.settings
    with pytest.raises(ParameterError, match='got 7 joints; expected 2'):
        bench.supervisor.settings = settings_for(FRANKA)
    with pytest.raises(ParameterError, match='effort_limits: got none for joint1'):
        bench.supervisor.settings = running.replace(effort_limits=[math.nan, 1.0])
    assert bench.supervisor.settings is running


def test_disabled_terms_are_neither_commanded_nor_reported():
    """The terms that are reported add up to the torque before limits."""
    from robodyn_ros.control.laws.computed_torque import ComputedTorque

    bench = Bench(law=ComputedTorque, enabled=[1, 1, 0, 0, 1, 1]).activate()
    bench.qd = np.array([0.5, -0.4])
    bench.run(3)
    supervisor = bench.supervisor
    assert (supervisor.terms[2:4] == 0.0).all() and np.abs(supervisor.terms[0]).min() > 0.1
    assert np.allclose(supervisor.terms.sum(axis=0), supervisor.unlimited, atol=1e-12)


def test_counters_count_what_happened():
    """Every one has its event, and cycles are ticks with torque."""
    bench = Bench(effort_limits=[50.0, 40.0])
    bench.law.torque = np.array([60.0, -60.0])
    bench.run(10)
    bench.activate()
    bench.run(99)
    counters = bench.supervisor.counters
    assert counters['cycles'] == 100 == len(bench.torques)
    assert 0 < counters['rate_limited'] < 100 and 0 < counters['effort_limited'] < 100
    assert counters['stale_episodes'] == counters['faults'] == counters['jumps'] == 0


def test_kernels_to_warm_up_are_all_a_tick_needs():
    """Compiled beforehand, nothing is compiled in the loop."""
    from robodyn_ros.control.laws.computed_torque import ComputedTorque
    from robodyn_ros.control.supervisor.supervisor import Supervisor

    bench = Bench(law=ComputedTorque).activate()
    kernels = Supervisor.kernels(ComputedTorque)
    assert len(kernels) == len(set(kernels)) == 11
    bench.supervisor.follow(FAR, bench.now)
    bench.run(20)
    bench.run(40, fresh=False)
    assert all(kernel.is_compiled and len(kernel.compiled.signatures) == 1 for kernel in kernels)
