# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every setting is changed at random times, and no torque leaves its limit or its rate."""

import numpy as np
import pytest

from robodyn_ros.control import Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.supervisor.control_settings import (
    FOLLOWING_ACTIONS,
    STALE_ACTIONS,
    STUCK_ACTIONS,
)
from robodyn_ros.control.supervisor.guards import limit_torque
from support.supervised import PERIOD, TWO_LINK, Bench

TICKS = 1500


def draws(rng):
    """Return one function for each setting that may change, which draws a value of it."""
    return {
        'effort_limits': lambda: rng.choice([0.0, 1.0, 20.0, 80.0], 2),
        'effort_rate': lambda: 10.0 ** rng.uniform(-1.0, 4.0, 2),
        'velocity_limits': lambda: 10.0 ** rng.uniform(-2.0, 1.0, 2),
        'lower': lambda: rng.uniform(-2.5, 0.3, 2),
        'upper': lambda: rng.uniform(0.3, 2.5, 2),
        'gains': lambda: rng.uniform(0.0, 1e4, (2, 2)),
        'enabled': lambda: rng.random(6) < 0.5,
        'position_margin': lambda: rng.uniform(0.0, 0.1),
        'state_timeout': lambda: rng.uniform(0.0, 0.2),
        'reference_timeout': lambda: rng.uniform(0.0, 0.2),
        'stale_action': lambda: rng.choice(STALE_ACTIONS),
        'stale_hold': lambda: rng.uniform(0.0, 0.1),
        'following_error': lambda: 10.0 ** rng.uniform(-3.0, 1.0, 2),
        'following_action': lambda: rng.choice(FOLLOWING_ACTIONS),
        'stuck_time': lambda: rng.uniform(0.0, 0.1),
        'stuck_at_rest': lambda: bool(rng.integers(2)),
        'stuck_action': lambda: rng.choice(STUCK_ACTIONS),
        'recovery_states': lambda: int(rng.integers(1, 5)),
        'max_start_error': lambda: rng.uniform(0.0, 1.0),
        'goal_tolerance': lambda: rng.uniform(0.0, 1.0),
        'allow_nonzero_velocity_at_trajectory_end': lambda: bool(rng.integers(2)),
        'target_tolerance': lambda: rng.uniform(1e-3, 1.0, 2),
        'position_jump': lambda: rng.uniform(0.0, 1.0),
        'overspeed': lambda: rng.uniform(1.0, 1e3),
        'stop_time_constant': lambda: rng.uniform(0.0, 1.0),
        'robot_compensates_gravity': lambda: bool(rng.random() < 0.5),
    }


@pytest.mark.parametrize('seed', range(8))
def test_row_23_no_setting_takes_a_torque_beyond_its_limit_or_its_rate(seed):
    """`Bench.tick` checks both after every tick, against the settings in force."""
    rng = np.random.default_rng(seed)
    bench, changes = Bench(law=ComputedTorque), draws(rng)
    bench.activate()
    changed = dict.fromkeys(changes, 0)
    for tick in range(TICKS):
        if rng.random() < 0.1:
            name = rng.choice(list(changes))
            bench.supervisor.settings = bench.supervisor.settings.replace(
                **{name: changes[name]()}
            )
            changed[name] += 1
        if rng.random() < 0.01:
            goal = bench.q + rng.uniform(-0.5, 0.5, 2)
            rates = [rng.choice([0.0, 0.3], 2)]
            moving = Trajectory([rng.uniform(0.2, 2.0)], [goal], rates)
            bench.supervisor.follow(moving, bench.now)
        if tick % 200 == 199:
            bench.supervisor.stop()
        if rng.random() < 0.02:
            bench.supervisor.reset(bench.now)
        if rng.random() < 0.95:
            bench.q = bench.q + rng.normal(scale=1e-3, size=2)
            bench.measure(qd=rng.normal(scale=0.1, size=2), at=bench.now + PERIOD)
        bench.tick(PERIOD * rng.choice([1.0, 1.0, 1.0, 0.0, 2.0, 10.0]))
    assert min(changed.values()) > 0 and len(bench.torques) == TICKS + 1


@pytest.mark.parametrize('side', [1.0, -1.0])
def test_row_23_a_lowered_effort_limit_is_approached_at_the_rate(side):
    """One period after the other, and then kept to the last bit."""
    bench = Bench()
    bench.law.torque = side * np.array([60.0, 60.0])
    bench.activate().run(100)
    assert np.allclose(bench.command, 60.0 * side)
    bench.supervisor.settings = bench.supervisor.settings.replace(effort_limits=np.full(2, 20.0))
    bench.run(1)
    assert np.allclose(bench.command, 59.0 * side)
    bench.run(60)
    assert np.array_equal(bench.command, np.full(2, 20.0 * side))


def test_row_23_a_bit_rate_of_zero_time_keeps_the_torque():
    """No time has passed: a lowered limit changes nothing yet, nor does one of NaN."""
    for effort in (1.0, np.nan):
        torque = np.array([50.0])
        rows = np.array([[-1.0], [1.0], [1.0], [effort], [1000.0]])
        limit_torque(
            np.array([60.0]), np.zeros((2, 1)), rows, 0.0, torque, *np.zeros((3, 1), bool)
        )
        assert torque == [50.0]


def test_the_robot_of_these_tests_is_the_one_that_the_draws_are_for():
    """Two joints, and every setting but those that are fixed while a loop runs."""
    fixed = {'period', 'law_values', 'turns'}
    given = {
        name
        for name, field in type(Bench().supervisor.settings).__dataclass_fields__.items()
        if field.init
    }
    assert TWO_LINK.nv == 2 and given - fixed == set(draws(np.random.default_rng(0)))
