# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories: refused with a sentence, or played by the rules of joint_trajectory_controller."""

import math
import re
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from robodyn_ros.control import Trajectory
from robodyn_ros.control.reference.path import BLOCK, ORDER, STRIDE, Path
from robodyn_ros.control.reference.polynomial import BLEND
from robodyn_ros.errors import ShapeError

NAMES = ('shoulder', 'elbow')
REST = np.array([[0.1, -0.2], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
MOVING = np.array([[0.1, -0.2], [0.7, -0.4], [1.5, 0.3], [5.0, -3.0]])
TIMES, Q = [0.5, 1.2, 2.0], [[0.4, 0.0], [0.5, 0.6], [-0.1, 0.2]]
QD = [[0.3, 0.5], [-0.2, 0.4], [0.0, 0.0]]
QDD = [[0.1, -1.0], [0.6, 0.2], [0.0, 0.0]]


def at(path, t):
    """Sample position, velocity and acceleration of a path."""
    reference = np.full((4, 2), np.nan)
    path.sample(t, reference)
    return reference[:3]


def spline(order, start):
    """Return the same motion from scipy, as a function of time that gives (3, nv)."""
    interpolate = pytest.importorskip('scipy.interpolate', reason='scipy is the oracle')
    rows = [np.vstack([start[row], values]) for row, values in enumerate((Q, QD, QDD)[:order])]
    curve = interpolate.BPoly.from_derivatives([0.0, *TIMES], np.stack(rows, axis=1))
    return lambda t: np.array([curve(t), curve.derivative()(t), curve.derivative(2)(t)])


@pytest.mark.parametrize('start', [REST, MOVING])
@pytest.mark.parametrize(('order', 'fields'), [(2, (Q, QD)), (3, (Q, QD, QDD))])
def test_cubic_with_velocities_and_quintic_with_accelerations(order, fields, start):
    """Position, velocity and acceleration against scipy's Bernstein polynomials."""
    path, oracle = Path.through(Trajectory(TIMES, *fields), start), spline(order, start)
    for t in np.linspace(0.0, 1.999, 333):
        assert np.allclose(at(path, t), oracle(t), rtol=0.0, atol=1e-10)


def test_positions_alone_are_joined_by_straight_lines():
    """Straight lines at constant velocity through the points, once the blend is over."""
    path = Path.through(Trajectory(TIMES, Q), REST)
    knots, points = [0.0, *TIMES], np.vstack([REST[0], Q])
    for t in np.linspace(BLEND, 1.999, 97):
        expected = [np.interp(t, knots, points[:, i]) for i in range(2)]
        k = np.searchsorted(TIMES, t, side='right')
        slope = (points[k + 1] - points[k]) / (knots[k + 1] - knots[k])
        assert np.allclose(at(path, t), [expected, slope, [0, 0]], atol=1e-12)


@pytest.mark.parametrize('fields', [(Q,), (Q, QD), (Q, QD, QDD)])
@pytest.mark.parametrize('start', [REST, MOVING])
def test_every_kind_starts_from_the_reference_in_force(fields, start):
    """Position and velocity continue; with accelerations, the acceleration too."""
    reference = at(Path.through(Trajectory(TIMES, *fields), start), 0.0)
    rows = 3 if len(fields) == 3 else 2
    assert np.allclose(reference[:rows], start[:rows], atol=1e-12)


@pytest.mark.parametrize('first', [0.02, BLEND, 0.5])
def test_linear_start_blends_within_a_tenth_of_a_second(first):
    """A moving reference is taken over by a cubic no longer than the first segment."""
    path = Path.through(Trajectory([first, 1.0], [[0.2, 0.2], [0.3, 0.3]]), MOVING)
    assert np.allclose(at(path, first)[0], 0.2, atol=1e-12)
    before, after = at(path, min(first, BLEND) - 1e-9), at(path, min(first, BLEND) + 1e-9)
    assert np.allclose(before[0], after[0], atol=1e-7)
    if first > BLEND:
        assert np.allclose(before[1], after[1], atol=1e-6)


@pytest.mark.parametrize('fields', [(Q,), (Q, QD), (Q, QD, QDD)])
@pytest.mark.parametrize('t', [2.0, 2.1, 1e9, math.inf, math.nan])
def test_end_is_held_at_rest(fields, t):
    """Whatever time comes, even none."""
    path = Path.through(Trajectory(TIMES, *fields), MOVING)
    assert np.array_equal(at(path, t), [Q[-1], [0, 0], [0, 0]])


def test_before_the_start_there_is_the_start():
    """A clock that lags behind does not extrapolate."""
    path = Path.through(Trajectory(TIMES, Q, QD), MOVING)
    assert np.array_equal(at(path, -1.0), at(path, 0.0))


def test_each_segment_has_the_degree_that_both_of_its_points_allow():
    """The rule of joint_trajectory_controller: the first segment has that of the first point."""
    given = [[True] * 4, [True, True, False, True], [True, False, False, True], [False] * 4]
    times, q = [0.5, 1.2, 2.0, 2.7], np.array([*Q, [0.0, 0.1]])
    qd, qdd = np.array([*QD, [0.0, 0.0]]), np.array([*QDD, [0.0, 0.0]])
    mixed = Path.through(Trajectory(times, q, qd, qdd, given=given), MOVING)
    quintic, cubic = spline(3, MOVING), spline(2, MOVING)
    for t in np.linspace(0.0, 0.499, 50):
        assert np.allclose(at(mixed, t), quintic(t), atol=1e-10)
    for t in np.linspace(0.5, 1.199, 50):
        assert np.allclose(at(mixed, t), cubic(t), atol=1e-10)
    for t in np.linspace(1.2, 2.699, 50):
        k = int(t >= 2.0) + 1
        slope = (q[k + 1] - q[k]) / (times[k + 1] - times[k])
        assert np.allclose(
            at(mixed, t), [q[k] + slope * (t - times[k]), slope, [0, 0]], atol=1e-12
        )


@pytest.mark.parametrize('fields', [(Q,), (Q, QD), (Q, QD, QDD)])
def test_efforts_are_linear_between_the_points_and_the_last_is_held(fields):
    """From that of the reference in force; a point without effort has none."""
    efforts = np.array([[3.0, -1.0], [7.0, 7.0], [2.0, 0.5]])
    given = np.ones((4, 3), bool)
    given[3, 1] = False
    wanted, reference = [MOVING[3], efforts[0], np.zeros(2), efforts[2]], np.empty((4, 2))
    efforts[1] = 0.0
    path = Path.through(Trajectory(TIMES, *fields, efforts=efforts, given=given), MOVING)
    for t in np.linspace(0.0, 3.0, 301):
        path.sample(t, reference)
        expected = [np.interp(t, [0.0, *TIMES], column) for column in np.transpose(wanted)]
        assert np.allclose(reference[3], expected, atol=1e-12)
    without = Path.through(Trajectory(TIMES, *fields), MOVING)
    without.sample(0.25, reference)
    assert np.allclose(reference[3], 0.5 * MOVING[3])
    without.sample(0.5, reference)
    assert np.array_equal(reference[3], [0.0, 0.0])


def test_a_joint_that_turns_without_end_takes_the_short_way():
    """As joint_trajectory_controller: to the first point, then as the points say."""
    turn = 2.0 * np.pi
    for start, first, expected in (
        (0.1, 0.1 + turn, 0.1),
        (0.1, 0.1 - 3.0 * turn, 0.1),
        (3.0, -3.0, turn - 3.0),
        (-40.0, 0.5, 0.5 - 6.0 * turn),
        (0.2, 0.2 + np.pi, 0.2 + np.pi),
        (0.2, 0.2 - np.pi, 0.2 - np.pi),
        (0.2, 0.2 - np.pi - 1e-12, 0.2 - np.pi),
    ):
        points = [[first, first], [first + 9.0, first]]
        got = Trajectory([1.0, 9.0], points).near(np.full(2, start), np.array([turn, 0.0]))
        expected = [[expected, first], [expected + 9.0, first]]
        np.testing.assert_allclose(got.positions, expected, atol=1e-11)
    late = Trajectory([1.0, 2.0, 3.0], [[0.0, 0.0], [6.2, 0.0], [6.4, 0.0]], delay=-2.5)
    got = late.near(np.array([0.0, 0.0]), np.array([turn, 0.0]))
    np.testing.assert_allclose(got.positions[:, 0], [-turn, 6.2 - turn, 6.4 - turn])


def time_optimal(v, a, length):
    """Return times and rows of a trapezoid of velocity, sampled as MoveIt does, every 0.1 s."""
    ramp, end = v / a, length / v + v / a
    t = np.append(np.arange(0.0, end - 1e-3, 0.1), end)
    left = end - t
    cruise = (t >= ramp) & (left > ramp)
    q = np.select([t < ramp, cruise], [a * t**2 / 2, v * (t - ramp / 2)], length - a * left**2 / 2)
    return t, q, np.minimum(np.minimum(a * t, v), a * left), a * (t < ramp) - a * (left <= ramp)


@given(st.floats(0.5, 2.0), st.floats(1.0, 10.0), st.floats(1.05, 4.0))
def test_plans_that_reach_the_velocity_limit_are_accepted(v, a, relative):
    """Their splines swing over the limit between the points, by up to a sixth."""
    t, *rows = time_optimal(v, a, relative * v * v / a)
    rows = [np.stack([row, 0.0 * row], axis=1) for row in rows]
    start, wide = np.zeros((4, 2)), np.full(2, 50.0)
    for fields in (rows[:2], rows):
        path = Path.through(Trajectory(t, *fields), start)
        assert path.refusal(start, -wide, wide, np.full(2, v), NAMES) == ''
        assert 'velocity' in path.refusal(
            start, -wide, wide, np.full(2, 0.99 * rows[1].max()), NAMES
        )


def test_first_point_at_time_zero_is_replaced_by_the_reference_in_force():
    """It is the sender's estimate of the position; the motion goes on to the second point."""
    points = [[0.11, -0.19], *Q]
    path = Path.through(Trajectory([0.0, *TIMES], points), REST)
    assert np.array_equal(at(path, 0.0)[0], REST[0])
    assert np.allclose(at(path, 0.5)[0], Q[0], atol=1e-12)


def test_delay_moves_every_point_and_leaves_out_what_has_passed():
    """A start in the future waits; one in the past joins the way at the next point."""
    late = Path.through(Trajectory(TIMES, Q, delay=1.0), REST)
    assert late.duration == 3.0 and np.allclose(at(late, 1.5)[0], Q[0], atol=1e-12)
    early = Trajectory(TIMES, Q, delay=-0.8)
    assert early.passed == 1 and early.refusal(NAMES) == ''
    assert np.allclose(at(Path.through(early, REST), 0.4)[0], Q[1], atol=1e-12)


def test_target_is_there_at_once_with_its_rates():
    """A streamed point that is due now."""
    path = Path.target(Trajectory([0.0], [[0.3, 0.4]], [[0.5, 0.6]], [[0.7, 0.8]]))
    assert path.duration == 0.0
    assert np.array_equal(at(path, 0.0), [[0.3, 0.4], [0.5, 0.6], [0.7, 0.8]])


@given(
    st.lists(st.floats(1e-3, 3.0), min_size=1, max_size=6),
    st.integers(1, 3),
    st.integers(0, 2**32 - 1),
)
def test_way_is_continuous_and_its_rates_are_its_derivatives(gaps, order, seed):
    """For any points: no jump at a knot, and rates are central differences of positions."""
    rng, times = np.random.default_rng(seed), np.cumsum(gaps)
    fields = [rng.uniform(-2.0, 2.0, (len(times), 2)) for _ in range(order)]
    if order > 1:
        fields[1][-1] = 0.0
    path = Path.through(Trajectory(times, *fields), rng.uniform(-1.0, 1.0, (4, 2)))
    for knot in path.knots[1:]:
        assert np.allclose(at(path, knot * (1 - 1e-12))[0], at(path, knot)[0], atol=1e-6)
    for k, (a, b) in enumerate(zip(path.knots[:-1], path.knots[1:])):
        t, h = a + 0.37 * (b - a), 1e-4 * (b - a)
        low, high, middle = at(path, t - h), at(path, t + h), at(path, t)
        for row in (0, 1):
            largest = np.abs(path.coefficients[STRIDE * k : STRIDE * k + ORDER]).max()
            slope = (high[row] - low[row]) / (2 * h)
            assert np.allclose(slope, middle[row + 1], atol=1e-4 * (1.0 + largest), rtol=1e-3)


@pytest.mark.parametrize(
    ('trajectory', 'sentence'),
    [
        (dict(times=[], positions=np.zeros((0, 2))), 'no points'),
        (
            dict(times=[1.0], positions=[[1.0]]),
            r'shape \(1, 1\); expected \(1, 2\), 1 points of the joints shoulder, elbow',
        ),
        (dict(times=[1.0, 2.0], positions=[[1.0, 1.0]]), r'shape \(1, 2\)'),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], velocities=[[0.0]]),
            'velocities: got an array of shape',
        ),
        (
            dict(times=[1.0], positions=[[1.0, math.nan]]),
            'positions: got nan for joint elbow in point 0',
        ),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], velocities=[[math.inf, 0.0]]),
            'velocities: got inf for joint shoulder',
        ),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], accelerations=[[0.0, 0.0]]),
            'accelerations without velocities',
        ),
        (dict(times=[1.0, 1.0], positions=[[1.0, 1.0]] * 2), 'strictly increasing'),
        (dict(times=[2.0, 1.0], positions=[[1.0, 1.0]] * 2), 'strictly increasing'),
        (dict(times=[-1.0, 1.0], positions=[[1.0, 1.0]] * 2), 'not negative'),
        (dict(times=[math.nan], positions=[[1.0, 1.0]]), 'expected finite'),
        (dict(times=[1.0, math.inf], positions=[[1.0, 1.0]] * 2), 'expected finite'),
        (dict(times=[1.0], positions=[[1.0, 1.0]], delay=math.nan), 'expected finite'),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], delay=-2.0),
            'the last point is due 1 s before now',
        ),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], velocities=[[0.0, 0.1]]),
            'got 0.1 for joint elbow in the last point',
        ),
        (
            dict(times=[1.0], positions=[[1.0, 1.0]], velocities=[[0.0, -1.2e-7]]),
            'got -1.2e-07 for joint elbow in the last point; expected 0, or rounding',
        ),
        (
            dict(
                times=[1.0, 2.0],
                positions=[[1.0, 1.0]] * 2,
                velocities=[[0.0, 0.0]] * 2,
                accelerations=[[0.0, 0.0]] * 2,
                given=[[1, 1], [1, 0], [1, 1], [0, 0]],
            ),
            'accelerations without velocities in point 1',
        ),
        (dict(times=[1.0], positions=[[1.0, 1.0]], efforts=[[math.nan, 0.0]]), 'efforts: got nan'),
        (dict(times=[1.0], positions=[[1.0, 1.0]], given=[[True]]), 'given: got'),
        (dict(times=1.0, positions=[[1.0, 1.0]]), 'no points'),
    ],
)
def test_senseless_trajectory_is_refused_with_a_sentence(trajectory, sentence):
    """One sentence that names what is wrong, and where."""
    got = Trajectory(**trajectory).refusal(NAMES)
    assert re.search(sentence, got), got


@pytest.mark.parametrize('rounding', [1e-17, -1e-9, 1.19e-7, -1.19e-7])
def test_velocities_of_rounding_at_the_end_are_accepted(rounding):
    """As of planners that compute them; the end is held at rest."""
    ends = Trajectory([1.0, 2.0], [[1.0, 1.0]] * 2, [[0.4, 0.0], [0.0, rounding]])
    assert ends.refusal(NAMES) == ''
    np.testing.assert_array_equal(at(Path.through(ends, REST), 2.0)[1], [0.0, 0.0])


@pytest.mark.parametrize('value', [[[1.0, 2.0], [1.0]], 'here', [[object()]]])
def test_ragged_or_wordy_fields_are_a_shape_error(value):
    """Arrays of numbers, or a sentence."""
    with pytest.raises(ShapeError, match='positions: got .*expected numbers'):
        Trajectory([1.0], value)


def test_streamed_target_may_be_due_and_may_move_but_is_one_point():
    """What a trajectory may not."""
    assert Trajectory([0.0], [[1.0, 1.0]], [[0.5, 0.5]]).refusal(NAMES, streamed=True) == ''
    assert 'expected one' in Trajectory([0.0, 1.0], [[1.0, 1.0]] * 2).refusal(NAMES, streamed=True)


LOWER, UPPER, SPEED = np.array([-1.0, -1.0]), np.array([1.0, 1.0]), np.array([2.0, 2.0])


def refusal(trajectory, start=REST):
    """What the limits say to a trajectory."""
    return Path.through(trajectory, start).refusal(start, LOWER, UPPER, SPEED, NAMES)


def test_way_within_limits_is_accepted():
    """All of the velocity limit may be used."""
    assert refusal(Trajectory(TIMES, Q, QD)) == ''
    start = np.array([[-1.0, -1.0], [2.0, 2.0], [0.0, 0.0], [0.0, 0.0]])
    assert refusal(Trajectory([1.0], [[1.0, 1.0]]), start) == ''


def test_position_beyond_a_limit_is_refused_by_name():
    """At a point, and between two points too."""
    assert 'joint elbow' in refusal(Trajectory([1.0, 5.0], [[0.0, 1.5], [0.0, 0.0]]))
    overshoot = Trajectory([1.0, 2.0], [[0.95, 0.0], [0.95, 0.0]], [[0.6, 0.0], [0.0, 0.0]])
    assert 'position: joint shoulder would be at' in refusal(overshoot)


def test_velocity_beyond_a_limit_is_refused_by_name():
    """Implied by positions, and by a cubic that swings."""
    assert 'velocity: joint shoulder' in refusal(Trajectory([0.1], [[0.9, -0.2]]))
    assert 'velocity: joint elbow' in refusal(Trajectory([0.6], [[0.1, 0.9]], [[0.0, 0.0]]))


@pytest.mark.parametrize('bad', [0, 5, BLOCK - 1, BLOCK, 2 * BLOCK - 1, 99])
def test_a_violation_is_found_and_reported_anywhere(bad):
    """In the first segment or the last, on either side of a block, with its time and value."""
    q = np.full((100, 2), 0.1)
    q[bad, 1] = 1.2
    trajectory = Trajectory(np.arange(1.0, 101.0), q)
    sentence = refusal(trajectory)
    words = re.search(r'elbow would be at (\S+) after (\S+) s', sentence).groups()
    value, t = (float(word) for word in words)
    assert bad < t <= bad + 1 and 1.0 < value <= 1.2
    assert np.isclose(at(Path.through(trajectory, REST), t)[0, 1], value, atol=1e-4)


def test_target_that_moves_too_fast_is_refused():
    """A path of no duration is its end."""
    path = Path.target(Trajectory([0.0], [[0.3, 0.4]], [[0.5, 2.5]]))
    sentence = path.refusal(REST, LOWER, UPPER, SPEED, NAMES)
    assert 'velocity: joint elbow would be at 2.5 after 0 s' in sentence


def test_arm_beyond_a_limit_may_come_back_in():
    """But not go farther out."""
    outside = np.array([[1.3, 0.0], [0.0, 0.0], [0.0, 0.0], [0.0, 0.0]])
    assert refusal(Trajectory([1.0], [[0.5, 0.0]]), outside) == ''
    assert 'joint shoulder' in refusal(Trajectory([1.0], [[1.4, 0.0]]), outside)


@pytest.mark.parametrize('huge', [1e300, 1e160, -1e308])
def test_numbers_that_overflow_are_refused_not_played(huge):
    """Finite points whose polynomials are not."""
    times, there_and_back, still = [1e-3, 1.0], [[huge, 0.0], [-huge, 0.0]], np.zeros((2, 2))
    assert refusal(Trajectory(times, there_and_back)) != ''
    assert refusal(Trajectory(times, still, [[huge, 0.0], [0.0, 0.0]])) != ''


def test_overflow_is_refused_even_where_there_are_no_limits():
    """A continuous joint has none: infinity lies between its limits, and is no position."""
    far = Trajectory([1e-3, 1.0], [[1e308, 0.0], [-1e308, 0.0]], np.zeros((2, 2)))
    path = Path.through(far, REST)
    no_limit = np.full(2, np.inf)
    assert 'joint shoulder' in path.refusal(REST, -no_limit, no_limit, no_limit, NAMES)


def test_sampling_allocates_nothing():
    """It runs in every tick."""
    path, reference = Path.through(Trajectory(TIMES, Q, QD, QDD), MOVING), np.zeros((4, 2))
    times = [0.001 * k for k in range(2500)]
    for t in times[:10]:
        path.sample(t, reference)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        tracemalloc.reset_peak()
        for t in times:
            path.sample(t, reference)
        now, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert now - before < 500 and peak - before < 2000
