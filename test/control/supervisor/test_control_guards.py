# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The compiled guards: every one sees NaN, and the limits hold for anything that comes in."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.control_settings import EFFORT, LOWER, RATE, SPEED, UPPER

anything = st.floats(allow_nan=True, allow_infinity=True, width=64)
BAD = [math.nan, math.inf, -math.inf]
NEVER = 1e6  # overspeed
ROW = {'lower': LOWER, 'upper': UPPER, 'speed': SPEED, 'effort': EFFORT, 'rate': RATE}


def table(n, **rows):
    """Return a guard table of n joints."""
    values = np.array([[-1.0], [1.0], [2.0], [50.0], [1000.0]]) * np.ones(n)
    for name, row in rows.items():
        values[ROW[name]] = row
    return values


def limit(wanted, q, qd, last, dt=1e-3, python=False, **rows):
    """Return the limited torque and the three flags."""
    n = len(wanted)
    torque, flags = np.array(last, float), [np.zeros(n, bool) for _ in range(3)]
    state = np.array([q, qd], float)
    function = guards.limit_torque.python if python else guards.limit_torque
    bits = function(np.array(wanted, float), state, table(n, **rows), dt, torque, *flags)
    assert bits == sum(bit for bit, flag in zip((1, 2, 4), flags) if flag.any())
    return torque, flags


@pytest.mark.parametrize('value', BAD)
@pytest.mark.parametrize('joint', [0, 1, 2])
def test_compiled_guards_see_values_that_are_not_finite(value, joint):
    """Fast arithmetic must not assume NaN and infinity away."""
    x = np.zeros(3)
    x[joint] = value
    for k in range(3):
        reference = np.zeros((3, 3))
        reference[k] = x
        assert guards.first_behind(reference, np.zeros(3), np.ones(3)) == guards.NOT_FINITE
    still = np.zeros((2, 3))
    assert guards.judge(np.array([x, np.zeros(3)]), still, table(3), 1.0, 0.1, NEVER) == 1 + joint
    assert guards.judge(np.array([np.zeros(3), x]), still, table(3), 1.0, 0.1, NEVER) == 1 + joint
    assert guards.judge(still, still, table(3), 1.0, math.nan, NEVER) == guards.JUMPED
    assert guards.judge(still, np.array([x, x]), table(3), 1.0, 0.1, NEVER) == guards.JUMPED
    terms = np.zeros((6, 3))
    terms[2, joint] = value
    assert guards.add_terms(terms, np.ones(6, bool), np.zeros(3)) == joint


def test_guards_pass_what_is_fine():
    """No false alarm on an ordinary state."""
    state = np.array([[0.1, -0.2], [1.0, -1.0]])
    reference = np.vstack([state, state[1]])
    assert guards.first_behind(reference, state[0], np.ones(2)) == -1
    assert guards.judge(state, state, table(2), 0.0, 0.0, NEVER) == 0


@pytest.mark.parametrize('huge', [1e308, -1e308, 2e5])
def test_finite_but_impossible_measurements_are_refused(huge):
    """1e308 is finite, and would overflow in the first product."""
    for state in ([[0.0, huge], [0.0, 0.0]], [[0.0, 0.0], [0.0, huge]]):
        assert guards.judge(np.array(state), np.zeros((2, 2)), table(2), 1.0, 0.1, NEVER) == 2


def test_disabled_terms_are_cleared_even_where_they_are_nan():
    """What is reported is what is commanded."""
    terms = np.arange(12.0).reshape(6, 2)
    terms[3] = math.nan
    total = np.zeros(2)
    assert guards.add_terms(terms, np.array([True, True, True, False, True, False]), total) == -1
    assert (terms[3] == 0.0).all() and (terms[5] == 0.0).all()
    assert (total == terms.sum(axis=0)).all()


@pytest.mark.parametrize('side', list(itertools.product([-1, 0, 1], repeat=3)))
def test_beyond_a_position_limit_torque_only_acts_inwards(side):
    """Every corner of a three-joint box: outward torque is zero, all other torque passes."""
    q = np.array(side) * 1.5
    for wanted in itertools.product([-10.0, 10.0], repeat=3):
        torque, (guarded, *_) = limit(wanted, q, np.zeros(3), np.zeros(3), rate=1e9)
        outward = np.array(wanted) * np.array(side) > 0.0
        assert (torque == np.where(outward, 0.0, wanted)).all()
        assert (guarded == outward).all()


@pytest.mark.parametrize(
    ('qd', 'wanted', 'expected'),
    [
        (2.5, 10.0, 0.0),
        (2.5, -10.0, -10.0),
        (-2.5, -10.0, 0.0),
        (-2.5, 10.0, 10.0),
        (1.9, 10.0, 10.0),
        (math.nan, 10.0, 0.0),
        (math.nan, -10.0, 0.0),
    ],
)
def test_above_the_velocity_limit_torque_only_brakes(qd, wanted, expected):
    """Torque along the motion is zero; a velocity that is not a number allows no torque at all."""
    assert limit([wanted], [0.0], [qd], [0.0], rate=1e9)[0] == [expected]


def test_rate_limit_counts_from_the_last_published_torque():
    """1000 N m/s for 1 ms is 1 N m, in both directions."""
    torque, (_, rate_limited, _) = limit([50.0, -50.0, 5.5], np.zeros(3), np.zeros(3), [5.0] * 3)
    assert np.allclose(torque, [6.0, 4.0, 5.5], atol=1e-12)
    assert list(rate_limited) == [True, True, False]


@pytest.mark.parametrize(('last', 'expected'), [(80.0, 79.0), (50.5, 50.0), (-80.0, -79.0)])
def test_a_torque_beyond_a_limit_that_has_just_been_lowered_goes_there_at_the_rate(last, expected):
    """And no slower, whatever the law wants."""
    torque, (_, _, effort_limited) = limit([2.0 * last], [0.0], [0.0], [last])
    assert torque == [expected] and effort_limited.all()


def test_flags_name_the_limit_that_bites():
    """On the way to the effort limit it is the rate; once there, it is the effort."""
    for last, rate_limited, effort_limited in ((30.0, True, False), (50.0, False, True)):
        _, flags = limit([60.0], [0.0], [0.0], [last])
        assert [flag[0] for flag in flags] == [False, rate_limited, effort_limited]


@pytest.mark.parametrize('effort', [0.0, math.nan, -1.0])
def test_without_an_effort_limit_there_is_no_torque(effort):
    """0 means really zero, and so does nothing at all."""
    assert limit([100.0], [0.0], [0.0], [0.0], effort=effort, rate=1e9)[0] == [0.0]


@pytest.mark.parametrize('wanted', BAD)
@pytest.mark.parametrize('last', [5.0, -5.0])
def test_torque_that_is_not_finite_counts_as_zero(wanted, last):
    """It pulls the torque towards zero, not up to a limit."""
    torque, (_, rate_limited, _) = limit([wanted], [0.0], [0.0], [last])
    assert torque == [last - math.copysign(1.0, last)] and rate_limited.all()


def test_no_time_no_change():
    """With dt = 0 the torque stays what it was."""
    assert limit([50.0], [0.0], [0.0], [5.0], dt=0.0)[0] == [5.0]
    assert limit([50.0], [0.0], [0.0], [5.0], dt=0.0, rate=math.inf)[0] == [5.0]


@given(st.tuples(*[anything] * 4), st.floats(-50.0, 50.0), st.floats(0.0, 0.01))
def test_limited_torque_is_finite_in_limits_and_in_rate_for_any_input(values, last, dt):
    """The invariant that every published torque obeys; compiled and plain code agree on it."""
    wanted, q, qd, _ = ([value] for value in values)
    torque, flags = limit(wanted, q, qd, [last], dt=dt)
    assert math.isfinite(torque[0]) and abs(torque[0]) <= 50.0
    assert abs(torque[0] - last) <= 1000.0 * dt * (1.0 + 1e-9) + 1e-12
    plain, plain_flags = limit(wanted, q, qd, [last], dt=dt, python=True)
    assert torque == plain and np.array_equal(flags, plain_flags)


def test_jump_is_what_the_velocity_limit_does_not_explain():
    """2 rad/s for 10 ms and an allowance of 0.1 rad reach 0.12 rad."""

    def jump(step, elapsed=0.01, **rows):
        state = np.array([[0.0, step], [0.0, 0.0]])
        return guards.judge(state, np.zeros((2, 2)), table(2, **rows), elapsed, 0.1, NEVER)

    assert jump(0.119) == jump(-0.119) == 0
    assert jump(0.121) == jump(-0.121) == -1
    assert jump(0.11, elapsed=-5.0) == -1, 'time that runs backwards explains no motion'
    assert jump(0.29, speed=math.inf) == 0 and jump(0.31, speed=math.inf) == -1


@pytest.mark.parametrize('joint', [0, 1, 2])
@pytest.mark.parametrize('side', [1.0, -1.0])
def test_overspeed_is_a_multiple_of_the_velocity_limit(joint, side):
    """The limit is 3 times 2 rad/s. A jump is reported first, and a joint without a limit is never
    too fast."""

    def judge(rate, position=0.0, **rows):
        state = np.zeros((2, 3))
        state[0, joint], state[1, joint] = position, side * rate
        return guards.judge(state, np.zeros((2, 3)), table(3, **rows), 0.01, 0.1, 3.0)

    assert judge(6.0) == 0
    assert judge(6.001) == judge(1e4) == guards.TOO_FAST
    assert judge(6.001, position=0.5) == guards.JUMPED
    assert judge(1e4, speed=math.inf) == 0
