# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A reference that is dropped in motion: the joints come to rest within the limits."""

import numpy as np
import pytest

from robodyn_ros.control import Reason, State, Supervisor, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.reference.path import Path
from robodyn_ros.control.reference.stopping import LONGEST, SHARE, stopping_path, stopping_times
from support.supervised import FRANKA, PERIOD, TWO_LINK, Bench, by_robot, settings_for

TURN = 2.0 * np.pi


def sampled(path, times):
    """Position, velocity and acceleration of a path at some times, (3, k, nv)."""
    rows, found = np.empty_like(path.end), []
    for t in times:
        path.sample(t, rows)
        found.append(rows[:3].copy())
    return np.array(found).transpose(1, 0, 2)


def times_of(robot, q, qd, settings):
    """Stopping times, with the momentum and the weight of the robot's own kernels."""
    momentum = robot.mass_matrix(q) @ qd
    return stopping_times(q, qd, momentum, robot.gravity_torque(q), settings)


def test_each_joint_comes_to_rest_in_its_time_without_a_step_of_the_acceleration():
    q, qd = np.array([0.3, -1.0, 2.0, 0.7]), np.array([1.5, -0.8, 0.4, 0.0])
    T = np.array([0.2, 0.5, 0.5, 0.0])
    path = stopping_path(q, qd, T)
    t = np.linspace(0.0, 0.7, 701)[:, None]
    x = np.divide(t, T, out=np.ones((701, 4)), where=T > 0.0).clip(0.0, 1.0)
    got = sampled(path, t[:, 0])
    np.testing.assert_allclose(got[0], q + qd * T * (x - x**3 + x**4 / 2), atol=1e-13)
    np.testing.assert_allclose(got[1], qd * (1 - 3 * x**2 + 2 * x**3) * (T > 0), atol=1e-13)
    bend = np.divide(6.0 * qd, T, out=np.zeros(4), where=T > 0.0)
    np.testing.assert_allclose(got[2], bend * (x**2 - x), atol=1e-11)
    assert path.duration == 0.5 and not got[1:, -1].any()
    np.testing.assert_allclose(path.end[0], q + 0.5 * qd * T)
    still = stopping_path(q, 0.0 * qd, 0.0 * T)
    assert still.duration == 0.0 and np.array_equal(still.end[0], q)


@by_robot
def test_the_torque_of_a_stop_is_within_the_limits_and_uses_them(robot):
    """By the inverse dynamics over the whole stop, from random states up to full speed."""
    rng, limits = np.random.default_rng(7), robot.limits
    settings = settings_for(
        robot,
        effort_limits=limits.effort,
        velocity_limits=limits.velocity,
        effort_rate=np.full(robot.nv, 1e9),
        lower=np.full(robot.nv, -99.0),
        upper=np.full(robot.nv, 99.0),
    )
    used = []
    for _ in range(60):
        q, qd = rng.uniform(-1.0, 1.0, (2, robot.nv))
        qd *= np.minimum(limits.velocity, 3.0)
        held = np.abs(robot.gravity_torque(q)) < 0.6 * limits.effort
        T = times_of(robot, q, qd, settings)
        if not held.all() or T.max() >= LONGEST:
            continue
        rows = sampled(stopping_path(q, qd, T), np.linspace(0.0, T.max() * (1 - 1e-9), 50))
        share = np.abs(robot.inverse_dynamics(*rows)) / limits.effort
        assert share.max() <= 1.0
        used.append(share.max())
    assert len(used) > 20 and np.median(used) > 0.9 * SHARE


def test_a_stop_heeds_the_rate_of_the_effort():
    """At its steepest the torque of the stop changes at the rate of the limit."""
    slow = np.full(2, 50.0)
    settings = settings_for(TWO_LINK, effort_rate=slow)
    q, qd = np.array([0.2, -0.3]), np.array([1.5, -1.0])
    momentum, T = TWO_LINK.mass_matrix(q) @ qd, times_of(TWO_LINK, q, qd, settings)
    np.testing.assert_allclose((6.0 * np.abs(momentum) / T**2 / slow).max(), 1.0)


def test_a_joint_near_its_limit_stops_at_it_and_the_others_take_their_time():
    settings = settings_for(TWO_LINK, effort_limits=np.full(2, 200.0))
    q, qd = np.array([2.49, 0.3]), np.array([0.5, 1.5])
    free = times_of(TWO_LINK, np.array([2.0, 0.3]), qd, settings)
    T = times_of(TWO_LINK, q, qd, settings)
    np.testing.assert_allclose(T[0], 2.0 * 0.01 / 0.5)
    np.testing.assert_allclose(T[1], free.max(), rtol=0.5)
    path = stopping_path(q, qd, T)
    np.testing.assert_allclose(path.end[0], [2.5, 0.3 + 0.5 * 1.5 * T[1]])
    beyond = times_of(TWO_LINK, np.array([2.6, 0.3]), qd, settings)
    assert beyond[0] == 0.0 and beyond[1] > 0.0


def test_an_arm_that_can_hardly_hold_its_weight_stops_in_a_bounded_time():
    """And a joint without torque, which no limit can stop, does not count."""
    weak = settings_for(TWO_LINK, effort_limits=np.abs(TWO_LINK.gravity_torque(np.zeros(2))))
    qd = np.array([1.0, 0.5])
    np.testing.assert_array_equal(times_of(TWO_LINK, np.zeros(2), -qd, weak), LONGEST)
    assert times_of(TWO_LINK, np.zeros(2), qd, weak).max() < 0.3  # its weight stops it
    passive = settings_for(TWO_LINK, effort_limits=np.array([80.0, 0.0]))
    assert 0.0 < times_of(TWO_LINK, np.zeros(2), qd, passive).max() < LONGEST


@pytest.mark.parametrize('size', [5e-324, 7e-297, 1e-30, 1e-9])
def test_a_joint_that_hardly_moves_stops_at_once(size):
    """Its powers of the time would be no numbers."""
    settings, q, qd = settings_for(TWO_LINK), np.array([0.2, -0.3]), np.array([size, -size])
    T = times_of(TWO_LINK, q, qd, settings)
    np.testing.assert_array_equal(T, 0.0)
    np.testing.assert_array_equal(stopping_path(q, qd, T).end[0], q)
    moving = times_of(TWO_LINK, q, np.array([1e-3, size]), settings)
    assert np.isfinite(stopping_path(q, qd, moving).coefficients).all() and moving[0] > 1e-4


@pytest.mark.parametrize('how', ['hold', 'timeout'])
@pytest.mark.parametrize('robot', [TWO_LINK, FRANKA], ids=lambda robot: robot.name)
def test_an_arm_whose_reference_is_dropped_in_motion_stops_within_the_limits(robot, how):
    """In closed loop: the reference has no step, no torque is at a limit, and the arm rests."""
    n, rng = robot.nv, np.random.default_rng(2)
    settings = settings_for(robot, lower=np.full(n, -3.1), upper=np.full(n, 3.1),
        effort_limits=robot.limits.effort, velocity_limits=np.full(n, 3.0))  # fmt: skip
    arm = Supervisor(robot, ComputedTorque(robot), settings)
    q, qd, now = rng.uniform(-0.4, 0.4, n), np.zeros(n), 10.0
    way = np.sign(rng.uniform(-1.0, 1.0, n)) * np.linspace(1.0, 0.4, n)
    arm.measure(q, qd, now)
    assert arm.activate(now) == ''
    assert arm.follow(Trajectory([1.0], [q + way], np.zeros((1, n))), now) == ''
    references, held = [], None
    for k in range(1600):
        now += PERIOD
        qdd = robot.forward_dynamics(q, qd, arm.command)
        qd = qd + PERIOD * qdd
        q = q + PERIOD * qd
        arm.measure(q, qd, now)
        if k == 500 and how == 'hold':
            speed = np.abs(arm.reference[1]).max()
            arm.hold()
        elif how == 'timeout' and 400 <= k < 500:
            speed = np.abs(arm.reference[1]).max()
            point = arm.reference[0] + PERIOD * arm.reference[1], arm.reference[1].copy()
            assert arm.stream_target(Trajectory([0.0], *([row] for row in point)), now) == ''
        arm.tick(now)
        references.append(arm.reference.copy())
        if held is None and arm.state is State.HOLD:
            held, moving = k, qd.copy()
    assert speed > 1.2 and arm.state is State.HOLD
    assert arm.reason == {'hold': Reason.HOLD_REQUESTED, 'timeout': Reason.REFERENCE_TIMEOUT}[how]
    assert arm.counters['effort_limited'] == 0
    position, velocity, acceleration = np.array(references)[held:].transpose(1, 0, 2)
    np.testing.assert_allclose(velocity[0], moving, atol=0.01)
    assert np.abs(np.diff(velocity, axis=0)).max() < 0.02 * speed
    assert not velocity[-300:].any() and not acceleration[-300:].any()
    assert np.abs(q - position[-1]).max() < 1e-3 and np.abs(qd).max() < 5e-3


def test_a_stop_is_no_reference_that_is_followed():
    """A second request changes nothing, and a new trajectory continues from the stop."""
    bench = Bench(law=ComputedTorque).activate()
    bench.qd = np.array([1.0, -0.5])
    assert bench.supervisor.follow(Trajectory([1.0], [bench.q + 0.1]), bench.now) == ''
    bench.run(20)
    bench.supervisor.hold()
    moving = bench.supervisor.reference[1].copy()
    np.testing.assert_array_equal(moving, bench.qd)
    bench.run(5)
    arm = bench.supervisor
    assert arm.following is None and bench.state is State.HOLD and arm.completed is None
    reference = arm.reference.copy()
    arm.hold()
    np.testing.assert_array_equal(arm.reference, reference)
    assert arm.follow(Trajectory([2.0], [bench.q], np.zeros((1, 2))), bench.now) == ''
    bench.run(1)
    assert np.abs(arm.reference[1] - reference[1]).max() < 0.1 and arm.reference[1].any()
    bench.qd = np.zeros(2)
    arm.hold()
    bench.run(50)
    assert bench.reason == Reason.HOLD_REQUESTED and arm.completed is None


def test_joints_that_a_trajectory_does_not_move_come_to_rest():
    """While the others move; each by its own polynomials, however the knots lie."""
    start = np.zeros((4, 2))
    start[0], start[1] = (0.1, -0.2), (0.6, -0.9)
    stop = stopping_path(start[0], start[1], np.array([0.0, 0.35]))
    points = Trajectory([0.2, 0.9, 1.5], [[0.3, 9.0], [0.2, 9.0], [0.5, 9.0]],
        [[0.5, 0.0], [0.1, 0.0], [0.0, 0.0]], efforts=[[1.0, 0.0], [3.0, 0.0], [2.0, 0.0]],
        moved=[True, False])  # fmt: skip
    whole = Path.through(points, start)
    merged = whole.merged(stop, points.moved)
    rows, expected = np.empty((4, 2)), np.empty((4, 2))
    for t in np.linspace(0.0, 2.0, 401):
        merged.sample(t, rows)
        whole.sample(t, expected)
        np.testing.assert_allclose(rows[:, 0], expected[:, 0], atol=1e-12)
        stop.sample(t, expected)
        np.testing.assert_allclose(rows[:, 1], expected[:, 1], atol=1e-12)


def test_a_partial_trajectory_holds_the_joints_that_it_lacks():
    bench = Bench(law=ComputedTorque).activate()
    begin = bench.q.copy()
    partial = Trajectory([0.02], [[begin[0] + 0.01, 0.0]], [[0.0, 0.0]], moved=[True, False])
    assert bench.supervisor.follow(partial, bench.now) == ''
    bench.run(40)
    expected = [begin[0] + 0.01, begin[1]]
    np.testing.assert_allclose(bench.supervisor.reference[0], expected, atol=1e-12)
    assert bench.reason == Reason.TRAJECTORY_END and bench.supervisor.completed is partial
    streamed = Trajectory([0.0], [[begin[0], 0.0]], moved=[True, False])
    assert bench.supervisor.stream_target(streamed, bench.now) == ''
    bench.run(1)
    np.testing.assert_allclose(bench.supervisor.reference[0], begin, atol=1e-12)


def ends_moving(**changes):
    """Return a bench whose trajectories may end with a velocity."""
    return Bench(allow_nonzero_velocity_at_trajectory_end=True, **changes).activate()


def references(bench, ticks):
    """Reference of position, velocity, acceleration, and the effort, tick by tick, (4, k, n)."""
    rows = []
    for _ in range(ticks):
        bench.run(1)
        rows.append(np.vstack([bench.supervisor.reference, bench.supervisor._feedforward]))
    return np.array(rows).transpose(1, 0, 2)


def test_joints_come_to_rest_beyond_a_last_point_with_a_velocity():
    """Only if the parameter of joint_trajectory_controller allows it; the effort stays."""
    bench = Bench().activate()
    end, velocity, effort = bench.q + [0.4, -0.2], np.array([0.8, -0.5]), np.array([3.0, -1.0])
    moving = Trajectory([0.5], [end], [velocity], efforts=[effort])
    refused = bench.supervisor.follow(moving, bench.now)
    assert 'With allow_nonzero_velocity_at_trajectory_end the joints stop beyond it' in refused
    bench = ends_moving()
    assert bench.supervisor.follow(moving, bench.now) == ''
    q, qd, qdd, tau = references(bench, 1500)
    at = np.argmin(np.abs(q - end).sum(axis=1))
    assert abs(at - 500) <= 2
    np.testing.assert_allclose(q[at], end, atol=1e-3)
    np.testing.assert_allclose(qd[at], velocity, atol=1e-2)
    assert np.abs(np.diff(qd, axis=0)).max() < 0.02  # no step of the velocity
    assert bench.state is State.HOLD and bench.reason == Reason.TRAJECTORY_END
    assert not qd[-1].any() and not qdd[-1].any()
    assert (np.sign(q[-1] - end) == np.sign(velocity)).all()
    # the effort of the last point is held through the stop, and after it
    np.testing.assert_allclose(tau[at + 2 :], np.tile(effort, (len(tau) - at - 2, 1)), atol=1e-9)


def test_points_with_velocities_that_come_in_a_stream_are_followed_without_stops():
    """As MoveIt Servo sends them: one point each, due in the period of its stream."""
    bench = ends_moving()
    begin, velocity = bench.q.copy(), np.array([0.5, -0.4])
    seen = []
    for k in range(1, 61):
        point = Trajectory([0.02], [begin + 0.01 * k * velocity], [velocity])
        assert bench.supervisor.follow(point, bench.now) == ''
        seen.append(references(bench, 10)[1])
    steady = np.concatenate(seen[10:])
    np.testing.assert_allclose(steady, np.tile(velocity, (len(steady), 1)), atol=0.02)
    rest = references(bench, 1000)
    assert bench.reason == Reason.TRAJECTORY_END and not rest[1, -1].any()
    assert (np.abs(rest[0, -1] - begin - 0.6 * velocity) < 0.2).all()


def test_a_partial_trajectory_that_ends_in_motion_makes_no_step():
    """Though a joint that it does not move needs longer to come to rest than the trajectory."""
    bench = ends_moving(law=ComputedTorque)
    begin, velocity = bench.q.copy(), np.array([0.5, -1.5])
    both = Trajectory([0.4], [begin + 0.2 * velocity], [velocity])
    assert bench.supervisor.follow(both, bench.now) == ''
    moved = references(bench, 400)
    q = bench.supervisor.reference[0]
    partial = Trajectory([0.02], [[q[0] + 0.01, 0.0]], [[0.5, 0.0]], moved=[True, False])
    assert bench.supervisor.follow(partial, bench.now) == ''
    moved = np.concatenate((moved[:, -1:], references(bench, 1000)), axis=1)
    assert np.abs(np.diff(moved[1], axis=0)).max() < 0.05
    assert not moved[1, -1].any() and moved[1, 30, 0] > 0.1 > 0.0 > moved[1, 30, 1]


def test_what_lies_beyond_the_last_point_keeps_to_the_range():
    """A joint near its limit stops there, and a velocity beyond the limit is refused."""
    bench = ends_moving(effort_limits=[1.0] * 2)  # a weak arm needs long
    upper = bench.supervisor.settings.upper
    near = Trajectory([3.0], [[upper[0] - 0.01, 0.5]], [[0.5, 0.3]])
    assert bench.supervisor.follow(near, bench.now) == ''
    q, qd, *_ = references(bench, 5000)
    assert not qd[-1].any() and q[-1, 0] == pytest.approx(upper[0], abs=1e-9)
    assert (q <= upper + 1e-9).all()
    fast = Trajectory([1.0], [[0.5, 0.5]], [[3.9, 0.0]])
    assert 'velocity: joint joint1 would be at' in bench.supervisor.follow(fast, bench.now)
