# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A torque that goes nowhere, computed ahead of a tick, changes nothing."""

import dataclasses

import numpy as np
import pytest

from robodyn_ros.control import Trajectory, law_class
from robodyn_ros.control.laws.law_registry import BUILT_IN
from robodyn_ros.control.supervisor.controller_states import Reason, State
from support.supervised import PERIOD, Bench

STATELESS = [name for name, law in BUILT_IN.items() if not law.stateful]


def test_which_laws_may_be_rehearsed():
    """Those that learn, or lead an end effector along its way, are left alone."""
    assert set(STATELESS) >= {
        'gravity_compensation',
        'pd',
        'pd_gravity',
        'computed_torque',
        'passivity',
    }
    assert not {'adaptive_computed_torque', 'operational_space'} & set(STATELESS)


@pytest.mark.parametrize('name', STATELESS)
def test_a_rehearsed_run_is_the_same_to_the_last_bit(name):
    """Torques, terms, limits that hit, states and counters, along a motion and out of it."""
    rng = np.random.default_rng(4)
    benches = [Bench(law=law_class(name)) for _ in range(2)]
    for bench in benches:
        bench.activate()
        if bench.law.tracks:
            bench.supervisor.follow(Trajectory([0.05], [[0.5, 0.6]]), bench.now)
    for _ in range(120):
        q, qd = benches[0].q + 0.01 * rng.normal(size=2), 0.3 * rng.normal(size=2)
        for bench in benches:
            bench.measure(q, qd, at=bench.now + PERIOD)
        benches[1].supervisor.rehearse(bench.now + PERIOD)
        for bench in benches:
            bench.tick()
        plain, rehearsed = (bench.supervisor for bench in benches)
        for attribute in ('command', 'unlimited', 'terms', 'rate_limited', 'effort_limited'):
            assert (getattr(plain, attribute) == getattr(rehearsed, attribute)).all(), attribute
        assert (plain.state, plain.reason) == (rehearsed.state, rehearsed.reason)
    assert plain.counters == rehearsed.counters and np.abs(plain.command).max() > 0.0
    assert plain.state in (State.HOLD, State.ACTIVE)


def test_a_stateful_law_has_no_extra_calls():
    """That is what a law is taken for that does not say."""
    bench = Bench()
    bench.activate()
    before = bench.law.calls
    bench.supervisor.rehearse(bench.now)
    assert bench.law.stateful and bench.law.calls == before
    bench.law.stateful = False
    bench.supervisor.rehearse(bench.now)
    assert bench.law.calls == before + 1


def test_nothing_is_rehearsed_before_activation_or_without_a_state():
    """There is no torque to compute."""
    bench = Bench()
    bench.law.stateful = False
    bench.supervisor.rehearse(bench.now)
    bench.measure()
    bench.tick()
    bench.supervisor.rehearse(bench.now)
    assert bench.law.calls == 0 and bench.state is State.READY


def test_a_failure_in_a_rehearsal_is_one_in_the_tick():
    """The rehearsal says nothing; the tick answers for it."""
    bench = Bench()
    bench.activate()
    bench.law.stateful, bench.law.error = False, RuntimeError('no gains')
    counters = dataclasses.asdict(bench.supervisor._counters)
    bench.supervisor.rehearse(bench.now)
    assert bench.state is State.HOLD
    assert dataclasses.asdict(bench.supervisor._counters) == counters
    bench.measure(at=bench.now + PERIOD)
    assert bench.tick() is State.FAULT and bench.reason == Reason.LAW_EXCEPTION
