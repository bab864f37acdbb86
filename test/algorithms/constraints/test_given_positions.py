# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Positions of all joints of a robot with closed loops, in place of those of the independent ones.

Newton's method ends at the same closed positions from either, up to rounding times the condition
of the closures, below 1e3 here: 1e-12 of the largest entry.
"""

import numpy as np
import pytest

from robodyn_ros.errors import NotFiniteError, ShapeError, SingularityError
from support.compare import agree
from support.robots.closed_loops import MECHANISMS, Referee
from support.robots.mechanisms import FIVE_BAR, STANDARD

ALL = MECHANISMS | STANDARD
NEAR = 1e-12
NAMES = ('four-bar with rotors', 'rod of constant length', 'palletizer', 'gripper', 'Delta')


def states(robot, count=4, reach=0.1):
    """Return positions, velocities and efforts of independent joints, a row for each state."""
    rng = np.random.default_rng(8)
    q = robot.model.closed_posture + rng.uniform(-reach, reach, (count, robot.nq))
    return q, *rng.uniform(-1.5, 1.5, (2, count, robot.nv))


@pytest.mark.parametrize('name', [*NAMES, 'two arms with a bar'])
def test_answers_are_those_of_the_independent_positions(name):
    """Also in a batch, where given positions are 1e-3 off, as those of encoders."""
    robot = ALL[name].robot()
    q, qd, tau = states(robot, reach=0.05)
    every, rng = robot.expand(q)[0], np.random.default_rng(3)
    dependent = ~np.isin(robot.all_position_names, robot.position_names)
    rough = every + 1e-3 * dependent * rng.uniform(-1.0, 1.0, every.shape)
    frame = robot.frames[-1]
    calls = {
        'positions': lambda x, v, u: robot.expand(x, v, u)[0],
        'accelerations': lambda x, v, u: robot.expand(x, v, u)[2],
        'forward dynamics': robot.forward_dynamics,
        'inverse dynamics': robot.inverse_dynamics,
        'mass matrix': lambda x, v, u: robot.mass_matrix(x),
        'bias torque': lambda x, v, u: robot.bias_torque(x, v),
        'potential energy': lambda x, v, u: robot.energy(x, v)[1],
        'pose': lambda x, v, u: robot.pose(x, frame),
        'Jacobian': lambda x, v, u: robot.jacobian(x, frame),
        'wrench': lambda x, v, u: robot.forward_dynamics(x, v, u, {frame: np.arange(6.0)}),
    }
    for what, call in calls.items():
        expected = call(q, qd, tau)
        for given in (every, rough):
            agree(call(given, qd, tau), expected, tolerance=NEAR, what=what)
            agree(call(given[1], qd[1], tau[1]), expected[1], tolerance=NEAR, what=what)


def test_a_quaternion_is_among_the_given_positions():
    """Of a base that floats; its length is free, but not zero."""
    robot = ALL['four-bar in a tree'].robot(free_base=True)
    q, qd, tau = states(robot)
    every = robot.expand(q)[0]
    assert every.shape == (4, robot.nq + 2)
    agree(
        robot.inverse_dynamics(every, qd, tau), robot.inverse_dynamics(q, qd, tau), tolerance=NEAR
    )
    names = robot.all_position_names
    turn = [k for k, name in enumerate(names) if name not in robot.all_joint_names][-4:]
    every[2, turn] = 0.0
    with pytest.raises(ShapeError, match=f'quaternion of length 0 for {names[turn[0]]}'):
        robot.gravity_torque(every)


def test_positions_of_joints_that_follow_are_not_read():
    """Mimic joints have fixed ratios: those of a leader, and of a dependent joint of a loop."""
    mechanism = ALL['gripper']
    robot = mechanism.robot()
    q, qd, tau = (each[0] for each in states(robot))
    every = robot.expand(q)[0]
    followers = [robot.all_joint_names.index(each.name) for each in mechanism.followers]
    assert followers
    wrong = every.copy()
    wrong[followers] += 0.7
    np.testing.assert_array_equal(robot.expand(wrong)[0], robot.expand(every)[0])
    agree(robot.forward_dynamics(wrong, qd, tau), robot.forward_dynamics(q, qd, tau), None, NEAR)


def other_mode(robot, q):
    """Return all positions of a five-bar whose couplers meet on the other side of its elbows."""
    ground, crank, _ = FIVE_BAR.values()
    by_name = dict(zip(robot.all_joint_names, robot.expand(q)[0]))
    left, right = by_name['left'], by_name['right']
    apart = np.array((ground, 0.0)) + crank * np.array(
        (np.cos(right) - np.cos(left), np.sin(right) - np.sin(left))
    )
    twice = 2.0 * np.arctan2(apart[1], apart[0])
    by_name['left_elbow'] = twice - (left + by_name['left_elbow']) - left
    by_name['right_elbow'] = twice - (right + by_name['right_elbow']) - right
    return np.array([by_name[name] for name in robot.all_joint_names])


def test_given_positions_choose_the_assembly_mode():
    """That of the other meeting of two circles, where the dense system has the accelerations."""
    mechanism = STANDARD['five-bar']
    robot, referee = mechanism.robot(), Referee(mechanism)
    q, qd, tau = (each[0] for each in states(robot))
    every = other_mode(robot, q)
    theta, rates, _ = robot.expand(every, qd)
    agree(theta, every, 1.0, NEAR)
    assert np.abs(theta - robot.expand(q)[0]).max() > 0.5
    names = referee.tree.joint_names
    lead = [names.index(name) for name in robot.joint_names]
    driven = np.zeros(len(names))
    driven[lead] = tau
    order = [robot.all_joint_names.index(name) for name in names]
    expected, _ = referee.solve(theta[order], rates[order], driven)
    agree(robot.forward_dynamics(every, qd, tau), expected[lead], tolerance=1e-11)


def test_positions_that_are_fed_back_stay_in_their_mode():
    """For a turn of both cranks by steps of 0.02 rad, each from the positions of the last one."""
    robot = STANDARD['five-bar'].robot()
    every = other_mode(robot, robot.model.closed_posture)
    cranks = [robot.all_joint_names.index(name) for name in ('left', 'right')]
    for _ in range(50):
        every[cranks] += 0.02
        before = every.copy()
        every = robot.expand(every)[0]
        assert np.abs(every - before).max() < 0.05
    q = every[[robot.all_joint_names.index(name) for name in robot.joint_names]]
    agree(other_mode(robot, q), every, 1.0, 1e-11)


def test_half_a_turn_does_not_close_a_weld():
    """There its three rotations have no gap either."""
    robot = ALL['two arms with a bar'].robot()
    every = robot.expand(robot.model.closed_posture)[0]
    agree(robot.expand(every)[0], every, 1.0, NEAR)
    every[robot.all_joint_names.index('right6')] += np.pi
    with pytest.raises(SingularityError, match='right6 there: they cannot be closed'):
        robot.gravity_torque(every)


def test_positions_that_are_far_from_closed_are_refused():
    """And those of a dead centre, with the joints and the distance that is allowed."""
    robot = STANDARD['five-bar'].robot()
    names = robot.all_joint_names
    every = robot.expand(robot.model.closed_posture)[0]
    every[names.index('left_elbow')] += 0.3
    with pytest.raises(SingularityError, match='left_elbow.*at most 0.1 rad or m from closed'):
        robot.mass_matrix(every)
    ground, crank, _ = FIVE_BAR.values()
    left = np.arccos(0.5 * ground / crank)
    folded = {'left': left, 'right': np.pi - left}  # both elbows at one place
    folded |= {'left_elbow': 1.0 - left, 'right_elbow': 1.0 - np.pi + left}
    dead = np.array([folded.get(name, 0.0) for name in names])
    with pytest.raises(SingularityError, match='singular on the way'):
        robot.mass_matrix(np.array((dead, dead)))


def test_other_lengths_are_refused_with_both_that_fit():
    """Where results have the length of q, all positions do not fit either."""
    robot = ALL['Delta'].robot()
    every = robot.expand(robot.model.closed_posture)[0]
    with pytest.raises(ShapeError, match=r'\(3,\) or .* arm2; or \(18,\) .* all joints, .*arm0, '):
        robot.gravity_torque(every[:-1])
    every[4] = np.inf
    with pytest.raises(NotFiniteError, match=f'got inf for joint {robot.all_joint_names[4]!r}'):
        robot.gravity_torque(every)
    every[4] = 0.0
    pose = robot.pose(robot.model.closed_posture, 'tool')
    for call in (
        lambda: robot.configuration.integrate(every, np.ones(3), 0.1),
        lambda: robot.configuration.difference(every, every),
        lambda: robot.inverse_kinematics(pose, 'tool', seed=every),
    ):
        with pytest.raises(ShapeError, match=r'state 1 goes on after joint .arm2.'):
            call()


def test_mimic_joints_without_loops_need_no_positions():
    """Their ratios are fixed, so only independent positions are taken."""
    robot = STANDARD['gripper'].tree()
    assert not robot.model.has_loops
    with pytest.raises(ShapeError, match='goes on after joint'):
        robot.gravity_torque(np.zeros(robot.nq + 1))
