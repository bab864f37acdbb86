# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories as planners send them, from the reference in force: what passes, and as what."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control import Reason, State, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.control.laws.law import OTHER
from robodyn_ros.control.reference.goal_tolerance import missed
from robodyn_ros.control.reference.polynomial import BLEND
from support.supervised import PERIOD, Bench

LAP = 2.0 * np.pi


def steady(**changes):
    """A bench whose arm has moved nowhere yet."""
    return Bench(law=ComputedTorque, **changes).activate()


def positions(bench, ticks):
    """References of the next ticks, (k, nv)."""
    found = []
    for _ in range(ticks):
        bench.run(1)
        found.append(bench.supervisor.reference[0].copy())
    return np.array(found)


@pytest.mark.parametrize('away', [0.0, 1e-9, -2e-3, 0.09])
def test_a_single_point_at_time_zero_is_reached_gently(away):
    """Planners that are at their goal send it; joint_trajectory_controller steps to it."""
    bench = steady()
    goal = bench.q + [away, -0.5 * away]
    point = Trajectory([0.0], [goal], np.zeros((1, 2)))
    assert bench.supervisor.follow(point, bench.now) == ''
    way = positions(bench, 800)
    assert np.abs(np.diff(way, axis=0)).max() <= 0.1 * 3.0 * PERIOD * 1.001
    np.testing.assert_allclose(way[-1], goal, atol=1e-12)
    assert bench.reason == Reason.TRAJECTORY_END and bench.supervisor.completed is point


def test_a_single_point_at_time_zero_that_is_far_is_refused_with_the_remedy():
    bench = steady()
    sentence = bench.supervisor.follow(Trajectory([0.0], [bench.q + [0.0, 0.2]]), bench.now)
    assert sentence.startswith('start of joint joint2') and 'use time_from_start' in sentence
    timed = Trajectory([1.0], [bench.q + [0.0, 0.2]])
    assert bench.supervisor.follow(timed, bench.now) == ''


@pytest.mark.parametrize('first', [0.0, 1e-6, 1e-3])
def test_a_first_point_too_soon_is_the_posture_that_the_sender_assumes(first):
    """It is a little off, by what the sender measures; no joint could be there in time."""
    bench = steady()
    assumed, goal = bench.q + [0.02, -0.01], bench.q + 0.3
    trajectory = Trajectory([first, 1.0], [assumed, goal], np.zeros((2, 2)))
    assert bench.supervisor.follow(trajectory, bench.now) == ''
    way = positions(bench, 1100)
    assert np.abs(np.diff(way, axis=0)).max() < 0.5 * PERIOD
    np.testing.assert_allclose(way[-1], goal, atol=1e-12)
    far = Trajectory([first, 1.0], [assumed + 0.2, goal], np.zeros((2, 2)))
    assert 'joint joint' in bench.supervisor.follow(far, bench.now)


def test_the_last_instant_counts_and_what_is_past_is_refused():
    """As of joint_trajectory_controller, which refuses a trajectory that ended before now."""
    bench = steady()
    ends = [[0.3, 0.5], [0.31, 0.5]]
    assert bench.supervisor.follow(Trajectory([0.1, 0.2], ends, delay=-0.2), bench.now) == ''
    sentence = bench.supervisor.follow(Trajectory([0.1, 0.2], ends, delay=-0.21), bench.now)
    assert sentence.startswith('the last point is due 0.01 s before now') and 'stamp 0' in sentence


def test_a_start_in_the_future_is_approached_until_then():
    bench = steady()
    later = Trajectory([0.0, 0.5], [bench.q + 0.05, bench.q + 0.1], np.zeros((2, 2)), delay=0.4)
    assert bench.supervisor.follow(later, bench.now) == ''
    way = positions(bench, 1000)
    np.testing.assert_allclose(way[399], bench.q + 0.05, atol=1e-3)
    np.testing.assert_allclose(way[-1], bench.q + 0.1, atol=1e-12)


def test_a_start_in_the_future_replaces_a_trajectory_only_then():
    """As of joint_trajectory_controller; but a first point at that time is approached at once."""
    bench, twin = steady(), steady()
    old = Trajectory([0.3, 0.8], [bench.q + 0.2, bench.q + 0.1], [[0.5, -0.4], [0.0, 0.0]])
    for each in (bench, twin):
        assert each.supervisor.follow(old, each.now) == ''
        each.run(100)
    points = [bench.q + 0.15, bench.q]
    later = Trajectory([0.2, 0.6], points, np.zeros((2, 2)), delay=0.4)
    assert bench.supervisor.follow(later, bench.now) == ''
    assert bench.supervisor.following is later
    np.testing.assert_allclose(positions(bench, 399), positions(twin, 399), atol=1e-12)
    before = bench.supervisor.reference[1].copy()
    way = positions(bench, 700)
    np.testing.assert_allclose(way[0] - way[1] + PERIOD * before, 0.0, atol=2e-5)
    np.testing.assert_allclose(way[200], points[0], atol=1e-5)
    np.testing.assert_allclose(way[-1], points[1], atol=1e-12)
    assert bench.supervisor.completed is later
    at_once = Trajectory([0.0, 0.6], points, np.zeros((2, 2)), delay=0.4)
    assert twin.supervisor.follow(at_once, twin.now) == ''
    np.testing.assert_allclose(positions(twin, 400)[-1], points[0], atol=1e-3)


def test_a_new_trajectory_in_motion_continues_without_a_step():
    """Whatever its fields are; the velocity is that of the old one."""
    for fields in (0, 1, 2):
        bench = steady()
        start = bench.q.copy()
        assert (
            bench.supervisor.follow(Trajectory([1.0], [start + 0.8], np.zeros((1, 2))), bench.now)
            == ''
        )
        bench.run(500)
        before = bench.supervisor.reference.copy()
        new = Trajectory([0.8], [start], *(np.zeros((1, 2)) for _ in range(fields)))
        assert bench.supervisor.follow(new, bench.now) == ''
        bench.run(1)
        assert before[1].min() > 1.0
        np.testing.assert_allclose(bench.supervisor.reference[1], before[1], atol=0.08)


def test_the_efforts_of_a_trajectory_are_added_and_that_of_its_end_is_held():
    """In the term 'other', until another reference, a hold or a fault."""
    bench = steady(effort_limits=np.full(2, 500.0), effort_rate=np.full(2, 1e6))
    ends, arm = np.array([[4.0, -1.0], [2.0, 3.0]]), bench.supervisor
    still = Trajectory([0.1, 0.3], [bench.q] * 2, np.zeros((2, 2)), efforts=ends)
    assert arm.follow(still, bench.now) == ''
    bench.run(201)
    np.testing.assert_allclose(arm.terms[OTHER], 0.5 * ends.sum(axis=0), atol=0.03)
    bench.run(200)
    assert bench.reason == Reason.TRAJECTORY_END
    np.testing.assert_array_equal(arm.terms[OTHER], ends[1])
    np.testing.assert_allclose(bench.command, bench.gravity + ends[1], rtol=1e-12)
    again = Trajectory([0.2], [bench.q], np.zeros((1, 2)))
    assert arm.follow(again, bench.now) == ''
    bench.run(100)
    np.testing.assert_allclose(arm.terms[OTHER], 0.5 * ends[1], atol=0.03)
    assert arm.stream_target(Trajectory([0.0], [bench.q], efforts=ends[:1]), bench.now) == ''
    bench.run(1)
    np.testing.assert_array_equal(arm.terms[OTHER], ends[0])
    arm.hold()
    bench.run(1)
    assert not arm.terms[OTHER].any()


def test_an_end_that_is_missed_is_told_with_the_joint_and_the_distance():
    bench = steady()
    goal = bench.q + [0.004, -0.05]
    assert missed(bench.supervisor) == (-1, 0.0)
    assert bench.supervisor.follow(Trajectory([0.1], [goal]), bench.now) == ''
    bench.run(50)
    assert missed(bench.supervisor) == (-1, 0.0)  # not yet there
    bench.run(100)
    joint, distance = missed(bench.supervisor)
    assert joint == 1 and np.isclose(distance, 0.05)
    bench.q = goal + [0.009, 0.0]
    bench.run(1)
    assert missed(bench.supervisor) == (-1, 0.0)


TURNING = (
    '<robot name="r"><link name="w"/>'
    + ''.join(f'<link name="l{k}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" '
              'ixy="0" ixz="0" iyz="0"/></inertial></link>' for k in range(5))
    + '<joint name="a" type="continuous"><parent link="w"/><child link="l0"/></joint>'
    '<joint name="b" type="revolute"><parent link="l0"/><child link="l1"/>'
    '<limit lower="-9" upper="9" effort="1" velocity="1"/></joint>'
    '<joint name="c" type="continuous"><parent link="l1"/><child link="l2"/></joint>'
    '<joint name="d" type="prismatic"><parent link="l2"/><child link="l3"/>'
    '<limit effort="1" velocity="1"/></joint>'
    '<joint name="e" type="continuous"><parent link="l3"/><child link="l4"/>'
    '<mimic joint="c" multiplier="0.4"/></joint></robot>'
)  # fmt: skip


def test_joints_that_turn_without_end_are_those_without_limits_that_nothing_follows():
    robot = Robot.from_urdf(TURNING)
    assert robot.joint_names == ('a', 'b', 'c', 'd')
    np.testing.assert_array_equal(robot.model.turns, [LAP, 0.0, 0.0, 0.0])


def test_the_node_lets_such_joints_turn_and_its_parameters_set_the_rest():
    pytest.importorskip('rcl_interfaces', reason='parameters are described in its messages')
    from robodyn_ros.ros.controller import controller_parameters as table

    robot = Robot.from_urdf(TURNING)
    declared = (
        *table.CONTROLLER_PARAMETERS,
        *table.gain_parameters(robot.joint_names, ComputedTorque),
    )
    values = {spec.name: spec.default for spec in declared} | {'goal_tolerance': 0.03}
    settings = table.control_settings(values, robot, ComputedTorque(robot))
    np.testing.assert_array_equal(settings.turns, [LAP, 0.0, 0.0, 0.0])
    assert settings.goal_tolerance == 0.03


@pytest.mark.parametrize('offset', [0.0, 14.0 * LAP, -3.0 * LAP])
def test_a_joint_that_turns_without_end_goes_on_over_the_jump_of_its_encoder(offset):
    """It reads -pi to pi, or counts from elsewhere; a goal may be given on any turn."""
    free = {'lower': np.full(2, -np.inf), 'upper': np.full(2, np.inf)}
    bench = steady(turns=np.array([LAP, 0.0]), **free)
    arm, begin = bench.supervisor, bench.q.copy()
    goal = begin + [3.5, 0.1] - [4.0 * LAP, 0.0]  # the short way is back, by 2 pi - 3.5
    assert arm.follow(Trajectory([2.0], [goal], np.zeros((1, 2))), bench.now) == ''
    seen = []
    for k in range(2100):
        true = arm.reference[0] if k else begin
        turned = true[0] + offset * (k > 300)
        bench.q = np.array([(turned + np.pi) % LAP - np.pi if offset == 0.0 else turned, true[1]])
        bench.qd = arm.reference[1].copy()
        bench.run(1)
        seen.append(arm.q[0])
    assert bench.reason == Reason.TRAJECTORY_END and arm.counters['jumps'] == 0
    np.testing.assert_allclose(arm.reference[0], begin + [3.5 - LAP, 0.1], atol=1e-9)
    assert np.abs(np.diff(seen)).max() < 0.01 and missed(arm) == (-1, 0.0)
    bench.q[0] += 0.3  # a joint that jumps within its turn has jumped
    bench.run(2)
    assert bench.reason == Reason.POSITION_JUMP and bench.state is State.HOLD
    target = bench.q + [5.0 * LAP + 0.01, 0.0]
    assert arm.stream_target(Trajectory([0.0], [target]), bench.now) == ''


def test_activation_takes_a_posture_on_any_turn():
    bench = Bench(law=ComputedTorque, turns=np.array([LAP, 0.0]))
    bench.measure()
    sentence = bench.supervisor.activate(bench.now, posture=bench.q + [0.0, LAP])
    assert sentence.startswith('posture of joint joint2')
    assert bench.supervisor.activate(bench.now, posture=bench.q - [2.0 * LAP, 0.0]) == ''


def test_a_joint_without_turns_still_refuses_a_turn():
    bench = steady(lower=np.full(2, -99.0), upper=np.full(2, 99.0))
    bench.q = bench.q + [LAP, 0.0]
    bench.run(1)
    assert bench.supervisor.rejection.reason == Reason.OUTLIER
    bench.run(1)
    assert bench.reason == Reason.POSITION_JUMP


def test_the_shortest_way_to_a_single_point_takes_the_blend_at_least():
    bench = steady()
    assert bench.supervisor.follow(Trajectory([0.0], [bench.q]), bench.now) == ''
    bench.run(int(BLEND / PERIOD) - 5)
    assert bench.state is State.ACTIVE
    bench.run(10)
    assert bench.state is State.HOLD
