# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the supervisor does when inputs, the law or time itself go wrong, by fault row."""

import gc
import math
import sys
import threading
import time
import tracemalloc

import numpy as np
import pytest

from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.reference import reception
from support.patience import PATIENCE
from support.supervised import PERIOD, Bench

FAR = Trajectory([1.0], [[0.8, 0.9]])
TIMEOUT = 0.02


def moving(**changes):
    """Return a bench that follows a trajectory, its law asking for torque far from gravity."""
    bench = Bench(**changes)
    bench.law.torque = np.array([60.0, -40.0])
    bench.activate()
    assert bench.supervisor.follow(FAR, bench.now) == ''
    bench.run(100)
    return bench


def resting(**changes):
    """Return a bench at rest, its law asking for just the torque that keeps it there."""
    bench = Bench(**changes)
    compensated = bench.supervisor.settings.robot_compensates_gravity
    bench.law.torque = np.zeros(2) if compensated else bench.gravity
    bench.activate().run(100)
    return bench


# ------------------------------------------------------------------------ joint states


@pytest.mark.parametrize('joint', [0, 1])
@pytest.mark.parametrize('field', [0, 1])
@pytest.mark.parametrize(
    ('value', 'reason'),
    [
        (math.nan, Reason.NOT_FINITE),
        (math.inf, Reason.NOT_FINITE),
        (-math.inf, Reason.NOT_FINITE),
        (1e308, Reason.IMPLAUSIBLE),
        (-1e308, Reason.IMPLAUSIBLE),
    ],
)
def test_row_7_state_that_is_not_finite_is_rejected_whole(joint, field, value, reason):
    """The last valid one stays in use, both halves of it; joint and value are named."""
    bench = Bench().activate()
    state = np.array([bench.q + 0.01, bench.qd + 0.01])
    state[field, joint] = value
    assert bench.measure(*state) == reason
    bench.tick()
    assert np.array_equal(bench.supervisor.q, bench.q)
    assert np.array_equal(bench.supervisor.qd, bench.qd)
    rejection = bench.supervisor.rejection
    assert (rejection.reason, rejection.joint) == (reason, joint)
    assert np.array_equal(rejection.value, value, equal_nan=True)
    assert bench.supervisor.counters['rejected_states'] == 1


def test_row_7_subnormal_numbers_are_numbers():
    """They are accepted, and give a finite torque."""
    bench = Bench(law=ComputedTorque)
    bench.q, bench.qd = np.array([5e-324, -5e-324]), np.array([5e-324, 0.0])
    assert bench.activate().run(10) is State.HOLD


def test_row_7_persisting_rejection_becomes_stale():
    """Bad messages are no sign of life."""
    bench = moving()
    for _ in range(40):
        assert bench.measure(q=[math.nan, 0.0], at=bench.now + PERIOD) == Reason.NOT_FINITE
        bench.tick()
    assert bench.state is State.STALE and bench.supervisor.counters['rejected_states'] == 40


@pytest.mark.parametrize(
    ('q', 'qd'),
    [
        ([], []),
        ([0.1], [0.0]),
        ([0.1] * 3, [0.0] * 3),
        ([0.1] * 2, []),
        ([0.1] * 2, [0.0]),
        (0.1, 0.1),
        (None, None),
        (['a', 'b'], [0.0, 0.0]),
        ([[0.1], [0.2]], [0.0, 0.0]),
        (np.zeros(10**6), np.zeros(10**6)),
    ],
)
def test_row_9_state_of_a_wrong_size_is_rejected(q, qd):
    """By a reason, not by an exception, and never broadcast."""
    bench = Bench().activate()
    assert bench.supervisor.measure(q, qd, bench.now) == Reason.WRONG_SIZE
    bench.tick()
    assert np.array_equal(bench.supervisor.q, bench.q)


def test_state_is_copied_on_receipt():
    """A caller that reuses its buffer does not reach into the loop."""
    bench = Bench().activate()
    buffer = bench.q.copy()
    bench.measure(q=buffer)
    buffer[:] = math.nan
    bench.tick()
    assert np.isfinite(bench.supervisor.q).all()


def test_row_61_position_jump_is_held_at_the_new_posture():
    """A simulator that starts again elsewhere: the arm is not pulled back."""
    bench = moving()
    bench.q = bench.q + [1.0, 0.0]
    assert bench.run(1) is State.ACTIVE and bench.run(1) is State.HOLD  # once it is confirmed
    assert bench.reason == Reason.POSITION_JUMP and bench.supervisor.following is None
    assert np.array_equal(bench.law.resets[-1], bench.q)
    bench.run(50)
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])
    assert bench.supervisor.counters['jumps'] == 1


def test_fast_but_possible_motion_is_no_jump():
    """At the velocity limit, with messages that come in pairs."""
    bench = moving()
    for _ in range(50):
        bench.q = bench.q + 3.0 * 2 * PERIOD
        bench.measure(at=bench.now + PERIOD)
        bench.measure(at=bench.now + PERIOD)
        bench.tick()
        bench.tick()
    assert bench.state is State.ACTIVE and bench.supervisor.counters['jumps'] == 0


@pytest.mark.parametrize(('further', 'jumps'), [(0.0, 0), (0.5, 1)])
def test_a_state_that_waited_while_the_controller_stood_still_is_no_jump(further, jumps):
    """Two states that lie 0.1 s apart come within a period: 2 rad/s, as before. More is a jump."""
    bench = moving()
    begin, start, bench.qd = bench.now, bench.q, np.array([2.0, -2.0])
    for sent, received in ((1, 1), (2, 2), (3, 102), (103, 103), (104, 104), (105, 105)):
        bench.now = begin + received * PERIOD
        bench.q = start + sent * PERIOD * bench.qd + (further if sent >= 104 else 0.0)
        bench.measure(at=bench.now)
        bench.supervisor.tick(bench.now)
    assert bench.supervisor.counters['jumps'] == jumps


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_row_16_beyond_a_position_limit_torque_is_only_inwards(side):
    """Outward torque fades to zero at the rate limit, inward torque passes."""
    bench = Bench(lower=[-0.6, -2.0], upper=[0.6, 2.0]).activate()
    bench.law.torque = np.array([50.0 * side, 50.0])
    bench.q = np.array([0.61 * side, 0.5])
    bench.supervisor.settings = bench.supervisor.settings.replace(position_jump=10.0)
    bench.run(100)
    assert np.allclose(bench.command, [0.0, 50.0])
    assert list(bench.supervisor.position_guarded) == [True, False]
    bench.law.torque = np.array([-50.0 * side, 50.0])
    bench.run(100)
    assert np.allclose(bench.command, [-50.0 * side, 50.0])
    assert not bench.supervisor.position_guarded.any()


def test_row_16_within_the_margin_torque_passes():
    """A limit may be touched: 0.002 rad."""
    bench = Bench(lower=[-0.6, -2.0], upper=[0.301, 2.0])
    bench.q = np.array([0.3025, 0.5])
    bench.law.torque = np.array([50.0, 50.0])
    bench.activate().run(100)
    assert np.allclose(bench.command, 50.0)


def test_row_17_above_the_velocity_limit_torque_only_brakes():
    """As ros2_control's effort limits."""
    bench = Bench()
    bench.law.torque = np.array([50.0, -50.0])
    bench.activate()
    bench.qd = np.array([3.1, 3.1])
    bench.run(100)
    assert np.allclose(bench.command, [0.0, -50.0])


@pytest.mark.parametrize('joint', [0, 1])
@pytest.mark.parametrize('side', [1.0, -1.0])
def test_an_arm_that_races_gets_the_safe_torque(joint, side):
    """Twice its velocity limit of 3 rad/s in three states in a row; it stays so until a reset."""
    bench = moving(position_jump=10.0, stop_time_constant=0.5)
    slow, fast = bench.qd, np.where(np.arange(2) == joint, 6.1 * side, 0.0)
    for bench.qd in (fast, fast, slow, fast, fast):
        bench.run(1)
    assert bench.state is State.ACTIVE, 'two in a row may be outliers'
    bench.run(1)
    assert bench.state is State.FAULT and bench.reason == Reason.OVERSPEED
    assert (bench.supervisor.joint, bench.supervisor.value) == (joint, fast[joint])
    braked = bench.gravity - bench.robot.mass_matrix(bench.q) @ fast / 0.5
    assert np.allclose(bench.supervisor.unlimited, braked, atol=1e-12)
    bench.qd = slow
    bench.run(100)
    assert bench.state is State.FAULT and np.allclose(bench.command, bench.gravity)
    assert bench.supervisor.reset(bench.now) == ''
    assert bench.run(1) is State.HOLD


def test_a_state_that_is_used_again_is_not_counted_again():
    bench = moving(position_jump=10.0)
    bench.qd = np.array([6.1, 0.0])
    bench.run(2)
    bench.run(5, fresh=False)
    assert bench.state is State.ACTIVE


@pytest.mark.parametrize('overspeed', [1.0, 1.5, 100.0])
def test_overspeed_can_be_set(overspeed):
    bench = moving(overspeed=overspeed, position_jump=10.0)
    bench.qd = np.array([0.0, -2.9 * overspeed])
    assert bench.run(10) is State.ACTIVE
    bench.qd = np.array([0.0, -3.1 * overspeed])
    assert bench.run(10) is State.FAULT


# ------------------------------------------------------------------------ stale


def test_row_4_stale_within_the_timeout_plus_two_periods():
    """From the last state to STALE; the torque of the law is dropped at once."""
    bench = moving()
    last = bench.now
    while bench.state is not State.STALE:
        bench.tick()
        assert bench.now - last <= TIMEOUT + 2 * PERIOD
    assert bench.reason == Reason.STATE_TIMEOUT and bench.supervisor.value > TIMEOUT
    calls = bench.law.calls
    bench.run(5, fresh=False)
    assert bench.law.calls == calls and (bench.supervisor.terms[[1, 2, 4, 5]] == 0.0).all()
    assert bench.supervisor.following is None
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])


def test_row_4_stale_holds_gravity_and_then_goes_to_zero_still_publishing():
    """If asked for: gravity for 0.1 s, a ramp at the rate limit, then zeros."""
    bench = resting(stale_action='zero')
    bench.run(22, fresh=False)
    calls = bench.law.calls
    bench.run(70, fresh=False)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)
    bench.run(500, fresh=False)
    assert (bench.command == 0.0).all() and bench.supervisor.publishing
    assert bench.state is State.STALE and bench.law.calls == calls
    assert bench.supervisor.counters['stale_episodes'] == 1


def test_stale_never_lets_go_by_default():
    """An arm at rest stays, and does not fall."""
    bench = resting()
    bench.run(5000, fresh=False)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)


def test_stale_torque_is_zero_where_the_robot_compensates_gravity():
    """Its own gravity torque acts anyway."""
    bench = resting(robot_compensates_gravity=True)
    bench.run(300, fresh=False)
    assert np.abs(bench.command).max() < 1e-12


def test_row_4_recovery_holds_the_new_posture_and_does_not_resume():
    """Three fresh states in a row; the old reference is gone, the law begins anew, no bump."""
    bench = moving()
    bench.run(200, fresh=False)
    bench.q = bench.q + 0.05
    assert bench.run(2) is State.STALE
    assert bench.run(1) is State.HOLD and bench.reason == Reason.STATE_RECOVERED
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])
    assert np.array_equal(bench.law.resets[-1], bench.q)
    assert bench.run(200) is State.HOLD and bench.supervisor.following is None


def test_recovery_needs_new_states_not_old_ones_seen_again():
    """One message, looked at three times, is one message."""
    bench = moving()
    bench.run(50, fresh=False)
    bench.measure(at=bench.now + PERIOD)
    for _ in range(10):
        assert bench.tick() is State.STALE


def test_recovery_needs_states_in_a_row():
    """A source that stutters slower than the timeout does not toggle the state."""
    bench = moving()
    for _ in range(20):
        bench.run(40, fresh=False)
        assert bench.run(1) is State.STALE
    assert bench.supervisor.counters['stale_episodes'] == 1


def test_stale_refuses_references():
    """The sentence says why."""
    bench = moving()
    bench.run(50, fresh=False)
    assert 'STALE (STATE_TIMEOUT)' in bench.supervisor.follow(FAR, bench.now)
    assert 'STALE' in bench.supervisor.stream_target(Trajectory([0.0], [bench.q]), bench.now)


@pytest.mark.parametrize('receipt', [math.nan, math.inf, -math.inf, 1e9])
def test_row_6_receipt_in_the_future_is_not_fresh_for_ever(receipt):
    """A wrong clock ends in STALE, not in trust."""
    bench = moving()
    bench.measure(at=receipt)
    assert bench.run(30, fresh=False) is State.STALE


# ------------------------------------------------------------------------ references


def test_row_20_stream_that_stops_is_held_within_its_timeout():
    """Reference loss is not state loss: HOLD at the measured posture."""
    bench = Bench().activate()
    for _ in range(50):
        point = Trajectory([0.0], [bench.supervisor.reference[0] + 5e-4])
        assert bench.supervisor.stream_target(point, bench.now) == ''
        assert bench.run(1) is State.ACTIVE
    last = bench.now
    while bench.state is State.ACTIVE:
        bench.run(1)
        assert bench.now - last <= 0.1 + 2 * PERIOD
    assert bench.state is State.HOLD and bench.reason == Reason.REFERENCE_TIMEOUT
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])


@pytest.mark.parametrize(
    ('step', 'accepted'),
    [(1e-3, True), (0.0179, True), (0.0181, False), (0.1, False), (10.0, False)],
)
def test_row_18_step_of_a_stream_is_bounded_by_the_velocity_limit(step, accepted):
    """Targets every 5 ms at 1.2 times 3 rad/s: 0.018 rad. A refused one leaves the last."""
    bench = Bench(lower=[-20.0] * 2, upper=[20.0] * 2).activate()
    for _ in range(3):
        assert bench.supervisor.stream_target(Trajectory([0.0], [bench.q]), bench.now) == ''
        bench.run(5)
    sentence = bench.supervisor.stream_target(
        Trajectory([0.0], [bench.q + [0.0, step]]), bench.now
    )
    assert (sentence == '') == accepted
    assert accepted or sentence.startswith('step of joint joint2')
    bench.run(1)
    assert np.allclose(bench.supervisor.reference[0], bench.q + [0.0, step * accepted], atol=1e-15)


@pytest.mark.parametrize(('step', 'accepted'), [(0.09, True), (0.11, False)])
def test_first_target_of_a_stream_begins_near_the_arm(step, accepted):
    """As activation: within max_start_error, unless it says how long it takes."""
    bench = Bench().activate()
    bench.run(500)
    far = bench.q + [0.0, step]
    assert (bench.supervisor.stream_target(Trajectory([0.0], [far]), bench.now) == '') == accepted
    assert bench.supervisor.stream_target(Trajectory([0.5], [far]), bench.now) == ''
    assert bench.run(600) is State.ACTIVE, 'its time and the timeout are not over'
    assert bench.run(5) is State.HOLD


def test_reference_that_overflows_under_way_is_held():
    """Without limits, points may be finite whose acceleration is not."""
    bench = Bench(lower=[-np.inf] * 2, upper=[np.inf] * 2, velocity_limits=[np.inf] * 2).activate()
    huge = Trajectory([1.0], [[5e307, 0.0]], np.zeros((1, 2)))
    assert bench.supervisor.follow(huge, bench.now) == ''
    assert bench.run(1) is State.HOLD and bench.reason == Reason.REFERENCE_NOT_FINITE
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])


def test_streamed_rates_reach_the_law():
    """Velocity and acceleration are fed forward as they come."""
    bench = Bench().activate()
    bench.supervisor.stream_target(
        Trajectory([0.0], [bench.q], [[0.5, -0.5]], [[2.0, 3.0]]), bench.now
    )
    bench.run(1)
    assert np.array_equal(bench.law.seen[2], [bench.q, [0.5, -0.5], [2.0, 3.0]])


@pytest.mark.parametrize(
    ('event', 'state'), [('stop', State.FAULT), ('hold', State.HOLD), ('deactivate', State.READY)]
)
def test_reference_is_refused_if_the_controller_moved_on_while_it_was_checked(
    monkeypatch, event, state
):
    """Checking a long trajectory takes longer than a period; what happens meanwhile wins."""
    bench = moving()
    check = reception.receive_trajectory

    def interrupted(*arguments):
        getattr(bench.supervisor, event)()
        return check(*arguments)

    monkeypatch.setattr(reception, 'receive_trajectory', interrupted)
    assert 'changed meanwhile' in bench.supervisor.follow(FAR, bench.now)
    assert bench.run(1) is state and bench.supervisor.following is None


@pytest.mark.parametrize('value', [math.nan, math.inf, 1e308])
def test_streamed_target_that_is_not_finite_is_refused(value):
    """Whole, wherever it is."""
    bench = Bench(lower=[-np.inf] * 2, upper=[np.inf] * 2, velocity_limits=[np.inf] * 2).activate()
    for point in (
        Trajectory([0.0], [[value, 0.5]]),
        Trajectory([0.0], [bench.q], [[value, 0.0]]),
        Trajectory([0.1], [[value, 0.5]]),
    ):
        sentence = bench.supervisor.stream_target(point, bench.now)
        assert sentence != '' or abs(value) < math.inf
        assert bench.run(3) in (State.HOLD, State.ACTIVE)


# ------------------------------------------------------------------------ the law


@pytest.mark.parametrize('value', [math.nan, math.inf, -math.inf])
def test_torque_that_is_not_finite_is_a_fault_with_joint_and_value(value):
    """Safe torque from that very tick on."""
    bench = moving()
    bench.law.torque = np.array([0.0, value])
    assert bench.run(1) is State.FAULT
    assert (bench.reason, bench.supervisor.joint) == (Reason.TORQUE_NOT_FINITE, 1)
    assert np.array_equal(bench.supervisor.value, value, equal_nan=True)
    bench.run(200)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12) and bench.supervisor.publishing


def test_row_50_exception_in_the_law_is_a_fault_and_the_safe_torque_goes_on():
    """With the text of the exception, cut to a bearable length."""
    bench = moving()
    bench.law.error = RuntimeError('the law lost its mind ' + 'x' * 1000)
    assert bench.run(1) is State.FAULT
    assert bench.reason == Reason.LAW_EXCEPTION
    assert bench.supervisor.detail.startswith('RuntimeError: the law lost its mind')
    assert len(bench.supervisor.detail) <= 200
    bench.run(200)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)


def test_row_37_status_of_a_kernel_is_a_fault():
    """A singular pivot, by the number of its body."""
    bench = moving()
    bench.law.status = 2
    assert bench.run(1) is State.FAULT
    assert (bench.reason, bench.supervisor.value) == (Reason.KERNEL_STATUS, 2.0)


def test_law_that_cannot_be_reset_does_not_start():
    """It starts neither at activation nor at a hold, and the reason is reported."""
    bench = Bench()
    bench.law.reset_error = ValueError('no memory')
    bench.measure()
    assert 'scripted cannot start: ValueError: no memory' in bench.supervisor.activate(bench.now)
    assert bench.run(10) is State.FAULT and not bench.supervisor.publishing
    bench = moving()
    bench.law.reset_error = ValueError('no memory')
    bench.q = bench.q + 1.0
    assert bench.run(2) is State.FAULT and bench.reason == Reason.LAW_EXCEPTION


def test_fault_latches_until_reset_and_keeps_its_first_cause():
    """Even when the cause is gone, and another one comes."""
    bench = moving()
    bench.law.error = RuntimeError('once')
    bench.run(1)
    bench.law.error = None
    bench.run(500)
    bench.supervisor.stop()
    assert bench.state is State.FAULT and bench.reason == Reason.LAW_EXCEPTION
    assert 'FAULT' in bench.supervisor.follow(FAR, bench.now)
    assert bench.supervisor.counters['faults'] == 1


def test_reset_needs_a_fresh_state_and_holds_the_posture():
    """It does not move the arm, and does not resume."""
    bench = moving()
    bench.law.status = 1
    bench.run(1)
    bench.law.status = 0
    bench.run(100, fresh=False)
    assert 'old' in bench.supervisor.reset(bench.now) and bench.state is State.FAULT
    bench.q = bench.q + 0.05
    bench.run(1)
    assert bench.supervisor.reset(bench.now) == ''
    assert bench.run(1) is State.HOLD and bench.reason == Reason.RESET
    assert np.array_equal(bench.supervisor.reference, [bench.q, [0, 0], [0, 0]])


def test_reset_without_fault_changes_nothing():
    """A trajectory goes on."""
    bench = moving()
    assert bench.supervisor.reset(bench.now) == '' and bench.run(1) is State.ACTIVE


def test_fault_survives_deactivation_and_bars_activation():
    """Only a reset clears it."""
    bench = moving()
    bench.supervisor.stop()
    bench.supervisor.deactivate()
    assert bench.run(200) is State.FAULT and not bench.supervisor.publishing
    assert 'reset it first' in bench.supervisor.activate(bench.now)
    assert bench.supervisor.reset(bench.now) == '' and bench.run(1) is State.READY
    bench.activate()
    assert bench.state is State.HOLD


def test_row_79_emergency_stop_acts_in_the_next_tick_and_latches():
    """Towards the safe torque at the rate limit; from any state, active or not."""
    bench = moving()
    before = bench.command.copy()
    bench.supervisor.stop()
    assert bench.run(1) is State.FAULT and bench.reason == Reason.STOPPED
    assert np.allclose(np.abs(bench.command - before), 1.0)
    bench.run(100)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)
    idle = Bench()
    idle.run(3)
    idle.supervisor.stop()
    assert idle.run(3) is State.FAULT and not idle.supervisor.publishing


def test_fault_brakes_by_the_momentum():
    """g(q) - M(q) qd / T, with the time constant of the settings, live."""
    bench = moving(stop_time_constant=0.5)
    bench.supervisor.stop()
    for T in (0.5, 2.0):
        bench.supervisor.settings = bench.supervisor.settings.replace(stop_time_constant=T)
        bench.qd = np.array([1.0, -2.0]) * T
        for _ in range(200):
            bench.q = bench.q + 1e-12  # else the reading would contradict itself
            bench.run(1)
        braked = bench.gravity - bench.robot.mass_matrix(bench.q) @ bench.qd / T
        assert np.allclose(bench.command, braked, atol=1e-12)


def test_a_time_constant_below_two_periods_would_not_be_stable():
    assert Bench(stop_time_constant=1e-9).supervisor.settings.stop_time_constant == 2 * PERIOD


def test_fault_without_joint_states_goes_the_way_of_stale():
    """To zero, if that is asked for."""
    bench = resting(stale_action='zero')
    bench.supervisor.stop()
    bench.run(500, fresh=False)
    assert bench.state is State.FAULT and (bench.command == 0.0).all()
    bench.run(200)
    assert np.allclose(bench.command, bench.gravity, atol=1e-12)


# ------------------------------------------------------------------------ time


@pytest.mark.parametrize('dt', [0.0, -1e-4, -0.01])
def test_row_54_no_or_negative_time_changes_nothing_but_is_counted(dt):
    """The torque and the reference stay where they are."""
    bench = moving()
    command, reference = bench.command.copy(), bench.supervisor.reference.copy()
    bench.tick(dt)
    assert np.array_equal(bench.command, command)
    assert np.array_equal(bench.supervisor.reference, reference)
    assert bench.supervisor.counters['dt_clamps'] == 1


def test_row_54_long_gap_advances_three_periods_and_is_counted():
    """Neither the torque nor the reference leaps after a pause."""
    bench = moving()
    before = bench.supervisor.reference.copy()
    bench.measure(at=bench.now + 10 * PERIOD)
    bench.tick(10 * PERIOD)
    expected = before[0] + 3 * PERIOD * before[1]
    assert np.allclose(bench.supervisor.reference[0], expected, atol=1e-12)
    assert bench.supervisor.counters['dt_clamps'] == 1


def test_missed_cycle_is_made_up_for_exactly():
    """The reference is where it belongs; the torque may use the time that passed."""
    bench, twin = moving(), moving()
    bench.measure(at=bench.now + 2 * PERIOD)
    bench.tick(2 * PERIOD)
    twin.run(2)
    assert np.allclose(bench.supervisor.reference, twin.supervisor.reference, atol=1e-12)
    assert bench.supervisor.counters['dt_clamps'] == 0


@pytest.mark.parametrize('now', [math.nan, math.inf, -math.inf])
def test_time_that_is_none_is_stale_not_an_exception(now):
    """And it recovers with the clock."""
    bench = moving()
    before = bench.command.copy()
    bench.supervisor.tick(now)
    assert bench.state is State.STALE
    assert np.isfinite(bench.command).all() and np.abs(bench.command - before).max() <= 3.0 + 1e-9
    bench.published = None  # to the bench, which knows no infinite time, this is a new start
    assert bench.run(10) is State.HOLD


def test_row_53_clock_that_jumps_back_goes_on_from_there():
    """States and ticks of the new time work; the reference does not leap."""
    bench = moving()
    bench.tick(-3600.0)
    assert bench.state is State.STALE
    assert bench.run(10) is State.HOLD


# ------------------------------------------------------------------------ threads and memory


def test_row_70_loop_never_sees_halves_of_two_states():
    """A writer hammers states whose velocity repeats their position, while the loop ticks."""
    bench = Bench(
        velocity_limits=[np.inf] * 2, position_jump=1e4, lower=[-1e3] * 2, upper=[1e3] * 2
    )
    bench.q = bench.qd = np.zeros(2)
    bench.activate()
    stop = threading.Event()

    def write():
        k = 0
        while not stop.is_set():
            k += 1
            value = np.full(2, (k % 1000) * 1e-3)
            bench.measure(q=value, qd=value)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        seen, deadline = set(), time.monotonic() + PATIENCE
        while len(seen) < 100 and time.monotonic() < deadline:  # each another turn of the writer
            for _ in range(200):
                bench.supervisor.tick(bench.now)
                q, qd = bench.law.seen[:2]
                assert q[0] == q[1] == qd[0] == qd[1]
                seen.add(q[0])
    finally:
        stop.set()
        writer.join()
    assert len(seen) >= 100


@pytest.mark.parametrize('robot_law', [ComputedTorque, None])
def test_row_68_tick_keeps_no_memory_and_makes_no_arrays(robot_law):
    """Following, holding and stale: what tracemalloc sees is flat, and small at its peak."""
    if robot_law is None:
        bench = Bench(tracks=False)
        bench.law.torques = lambda *arguments: None
    else:
        bench = Bench(law=robot_law)
    bench.activate()
    bench.supervisor.follow(Trajectory([100.0], [[0.8, 0.9]]), bench.now)
    supervisor, tick = bench.supervisor, bench.supervisor.tick
    times = [bench.now + 5e-6 * k for k in range(1, 2001)]
    for now in times[:200]:
        tick(now)
    tracer = sys.gettrace()
    sys.settrace(None)  # neither the memory of a tracer nor callbacks of gc are part of a tick
    gc.disable()
    tracemalloc.start()
    try:
        before, highest = tracemalloc.get_traced_memory()[0], 0
        for now in times[200:]:
            tracemalloc.reset_peak()
            low = tracemalloc.get_traced_memory()[0]
            tick(now)
            highest = max(highest, tracemalloc.get_traced_memory()[1] - low)
        left = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
        gc.enable()
        sys.settrace(tracer)
    assert supervisor.state is State.ACTIVE
    assert left < 1000, 'memory stays behind'
    assert highest < 1000, 'more than numbers and arguments pass through a tick'


def test_tick_survives_requests_from_another_thread():
    """Activation, stops, resets and references at any moment; the bench checks every torque."""
    bench = Bench(effort_rate=[1e5] * 2)
    stop = threading.Event()
    errors = []

    def ask():
        rng, supervisor = np.random.default_rng(5), bench.supervisor
        try:
            while not stop.is_set():
                choice = rng.integers(7)
                (
                    lambda: supervisor.activate(bench.now),
                    supervisor.deactivate,
                    supervisor.stop,
                    lambda: supervisor.reset(bench.now),
                    lambda: supervisor.follow(Trajectory([0.5], [[0.5, 0.6]]), bench.now),
                    lambda: supervisor.stream_target(Trajectory([0.0], [bench.q]), bench.now),
                    supervisor.hold,
                )[choice]()
        except Exception as error:
            errors.append(error)

    thread, states = threading.Thread(target=ask), set()
    interval = sys.getswitchinterval()
    sys.setswitchinterval(5e-5)
    thread.start()
    try:
        for k in range(100000):
            bench.measure(at=bench.now + PERIOD)
            bench.now += PERIOD
            states.add(bench.supervisor.tick(bench.now))
            assert np.isfinite(bench.command).all() and (np.abs(bench.command) <= 80.0).all()
            if k > 3000 and {State.READY, State.HOLD, State.ACTIVE, State.FAULT} <= states:
                break
    finally:
        stop.set()
        thread.join()
        sys.setswitchinterval(interval)
    assert not errors and {State.READY, State.HOLD, State.ACTIVE, State.FAULT} <= states


def test_row_50_exception_around_the_tick_is_reported_as_such():
    """It is not reported as a requested stop; the torque is safe until a reset."""
    bench = moving()
    bench.supervisor.fail(ValueError('a defect'))
    bench.run(1)
    assert (bench.state, bench.reason) == (State.FAULT, Reason.LOOP_EXCEPTION)
    assert bench.supervisor.detail == 'ValueError: a defect'
    bench.run(200)
    assert np.allclose(bench.command, bench.gravity)
