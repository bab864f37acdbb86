# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint states out of order, stuck ones, and one that cannot be true."""

import numpy as np
import pytest

from robodyn_ros.control import Reason, State, Trajectory
from support.supervised import PERIOD, Bench

FAR = Trajectory([1.0], [[0.8, 0.9]])


def stamp(nanoseconds):
    return divmod(nanoseconds, 1_000_000_000)


def following(**changes):
    """Return a bench that follows a trajectory."""
    bench = Bench(**changes).activate()
    assert bench.supervisor.follow(FAR, bench.now) == ''
    bench.run(10)
    return bench


def put(bench, nanoseconds, q=None):
    q = bench.q if q is None else q
    return bench.supervisor.measure(q, bench.qd, bench.now, stamp=stamp(nanoseconds))


def test_row_15_states_older_than_the_newest_are_dropped_and_counted():
    """Every other one is late: the torque is what it is without them."""
    bench = following()
    late, seen = bench.q + 0.05, []
    for k in range(100, 200):
        assert put(bench, 1_000_000 * k) == Reason.NONE
        assert put(bench, 1_000_000 * (k - 50), late) == Reason.OUT_OF_ORDER
        bench.tick()
        seen.append(bench.supervisor.q.copy())
    assert np.array_equal(seen, [bench.q] * 100)
    assert bench.supervisor.counters['rejected_states'] == 100
    assert bench.supervisor.rejection.reason == Reason.OUT_OF_ORDER


@pytest.mark.parametrize('back', [1, 10**9, 3600 * 10**9])
def test_row_52_a_clock_that_is_set_back_costs_two_states(back):
    """What goes on in order from there is the present, whatever it says it is."""
    bench, at = following(), 10**13
    for k in range(5):
        assert put(bench, at + k * 10**6) == Reason.NONE
    reasons = [put(bench, at + 4 * 10**6 - back - 10 * (5 - k)) for k in range(5)]
    assert reasons == [Reason.OUT_OF_ORDER] * 2 + [Reason.NONE] * 3
    assert bench.run(1) is State.ACTIVE


@pytest.mark.parametrize('useless', [(0, 0), (-5, 0), (1, 4_000_000_000), None])
def test_row_6_a_meaningless_stamp_orders_nothing(useless):
    bench = following()
    for one in (stamp(5), useless, stamp(5), useless, useless, stamp(3)):
        assert bench.supervisor.measure(bench.q, bench.qd, bench.now, stamp=one) == Reason.NONE


def test_row_15_a_repeated_stamp_is_no_old_one():
    """A sender that has no clock, or one that repeats itself in lock step."""
    bench = following()
    assert [put(bench, 77) for _ in range(5)] == [Reason.NONE] * 5


def sticking(**changes):
    """Return a bench whose reading never changes while a reference moves and the torque grows."""
    bench = following(effort_rate=np.full(2, 1000.0), **changes)
    bench.law.torque = bench.gravity
    bench.run(100)
    assert not bench.supervisor.stuck
    bench.law.torque = np.array([80.0, -80.0])
    return bench


def test_row_5_stuck_states_under_changing_torque_are_reported():
    """Half of the effort limit, 40 N m, is reached in the cycle after 40."""
    bench = sticking()
    bench.run(39)
    assert not bench.supervisor.stuck
    bench.run(3)
    assert bench.supervisor.stuck and bench.state is State.ACTIVE
    assert bench.supervisor.stuck_joint in (0, 1)
    assert bench.supervisor.counters['stuck_episodes'] == 1
    bench.q = bench.q + 1e-15
    bench.run(1)
    assert not bench.supervisor.stuck


def test_row_5_stuck_states_may_be_a_loss_of_the_state():
    bench = sticking(stuck_action='stale')
    assert bench.run(100) is State.STALE and bench.reason == Reason.STATE_STUCK
    assert bench.supervisor.joint == bench.supervisor.stuck_joint >= 0
    assert bench.supervisor.value > 0.1
    assert bench.run(100) is State.STALE
    for _ in range(3):
        bench.q = bench.q + 1e-15
        bench.run(1)
    assert (bench.state, bench.reason) == (State.HOLD, Reason.STATE_RECOVERED)


def test_row_5_stuck_states_that_end_are_a_timeout():
    """A warning of states that repeat themselves is no reason for the loss of the state."""
    bench = sticking()
    bench.run(70)
    assert bench.supervisor.stuck and bench.state is State.ACTIVE
    assert bench.run(100, fresh=False) is State.STALE and bench.reason == Reason.STATE_TIMEOUT
    late = bench.now - bench.supervisor.measurement.time
    assert 0.0 < bench.supervisor.value < late


@pytest.mark.parametrize('push', [0.0, 60.0])
def test_row_5_an_arm_at_rest_is_not_stuck(push):
    """Whatever the effort does: dry friction may hold it, and its encoders have no noise."""
    bench = Bench(stuck_time=0.05)
    bench.law.torque = bench.gravity
    bench.activate()
    bench.law.torque = bench.gravity + push
    bench.run(500)
    assert not bench.supervisor.stuck and not bench.supervisor.counters['stuck_episodes']


@pytest.mark.parametrize('joint', [0, 1])
@pytest.mark.parametrize('stop', [False, True])
def test_row_5_a_joint_whose_reading_contradicts_itself_is_stuck(joint, stop):
    """Its velocity says that it moves, and its position does not, for longer than the timeout."""
    bench = Bench(stuck_action='warn' if stop else 'stale')
    bench.law.torque = bench.gravity
    bench.qd = np.array([0.4, -0.5])
    bench.activate()
    if stop:
        bench.supervisor.stop()
    for k in range(60):
        moving = np.arange(2) != joint
        bench.q = bench.q + 1e-3 * bench.qd * (moving | (k < 20))
        bench.run(1)
        assert bench.supervisor.stuck == (k >= 40)
    assert bench.supervisor.stuck_joint == joint
    if stop:  # never braked by the frozen velocity: the torque would turn the joint round
        bench.run(2000)
        assert np.abs(bench.supervisor.terms[0]).max() < 1e-12
    else:
        assert (bench.state, bench.reason) == (State.STALE, Reason.STATE_STUCK)
        assert bench.supervisor.joint == joint


@pytest.mark.parametrize('ticks', [1e-3, 2e-3])
@pytest.mark.parametrize('speed', [2e-3, 0.05, 1.0])
def test_row_5_a_coarse_encoder_is_not_stuck(ticks, speed):
    """Positions in steps, and velocities in steps beside them."""
    bench = Bench()
    bench.law.torque = bench.gravity
    bench.activate()
    start = bench.q
    for k in range(1000):
        way = speed * 1e-3 * k * np.ones(2)
        bench.q = start + np.round(way / ticks) * ticks
        bench.qd = np.round(speed / 0.02) * 0.02 * np.ones(2)
        bench.run(1)
    assert bench.supervisor.counters['stuck_episodes'] == 0


def test_row_5_states_that_come_slowly_are_not_stuck():
    """A broadcaster that repeats each state for 18 cycles at 2 rad/s."""
    bench = Bench()
    bench.law.torque, bench.qd = bench.gravity, np.array([2.0, -2.0])
    bench.activate()
    for _ in range(30):
        bench.q = bench.q + 18e-3 * bench.qd
        bench.run(18)
    assert bench.supervisor.counters['stuck_episodes'] == 0


def test_row_5_activation_forgets_a_stuck_joint():
    """Otherwise an arm that is held by its own friction could not be enabled again."""
    bench = sticking(stuck_action='stale')
    assert bench.run(100) is State.STALE
    bench.supervisor.deactivate()
    bench.run(200)
    bench.activate()
    assert bench.run(100) is State.HOLD and not bench.supervisor.stuck


@pytest.mark.parametrize('action', ['warn', 'stale'])
def test_row_5_states_that_repeat_under_a_torque_at_rest_may_be_stuck(action):
    """A broadcaster behind a lost robot, while the posture is held with one torque."""
    bench = Bench(stuck_time=0.05, stuck_at_rest=True, stuck_action=action)
    bench.law.torque = bench.gravity
    bench.activate().run(40)
    assert not bench.supervisor.stuck
    bench.run(20)
    assert bench.supervisor.stuck and bench.supervisor.counters['stuck_episodes'] == 1
    found = bench.state is State.STALE and bench.reason == Reason.STATE_STUCK
    assert found == (action == 'stale')
    for _ in range(3):
        bench.q = bench.q + 1e-15
        bench.run(1)
    assert not bench.supervisor.stuck and bench.state is not State.STALE


def test_row_61_one_impossible_state_ends_no_trajectory():
    bench = following()
    for _ in range(5):
        assert bench.measure(q=bench.q + [1.0, 0.0], at=bench.now + PERIOD) == Reason.OUTLIER
        bench.tick()
        assert bench.supervisor.rejection.joint == 0
        assert np.array_equal(bench.supervisor.q, bench.q)
        bench.run(1)
    assert bench.state is State.ACTIVE and bench.supervisor.following is FAR
    assert bench.supervisor.counters['jumps'] == 0


def test_row_61_impossible_states_that_contradict_one_another_become_stale():
    bench, rng = following(), np.random.default_rng(1)
    for k in range(50):
        bench.measure(
            q=bench.q + [(-1.0) ** k * rng.uniform(1.0, 2.0), 0.0], at=bench.now + PERIOD
        )
        bench.tick()
    assert bench.state is State.STALE
