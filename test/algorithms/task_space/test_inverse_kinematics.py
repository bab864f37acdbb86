# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Postures that bring a frame to a pose."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.spatial import se3
from support.compare import agree
from support.processes import ROOT
from support.robots.families import MIXED, describe
from support.robots.mechanisms import STANDARD
from support.robots.real_robots import robot as real

ARMS = {'franka_like': 'tool0', 'ur_like': 'tool0'}
COUNT = 500


@pytest.fixture(params=ARMS)
def arm(request):
    """Return an arm of seven and one of six joints, the name of its tool, reachable poses."""
    robot, tool = real(request.param).robot, ARMS[request.param]
    rng = np.random.default_rng(1)
    q = np.array([robot.configuration.random(rng) for _ in range(COUNT)])
    return robot, tool, robot.pose(q, tool)


def within(robot, q):
    """Return whether postures keep the limits."""
    return ((q >= robot.limits.lower) & (q <= robot.limits.upper)).all()


def error(robot, q, tool, target):
    """Return the length of [p_d - p; log(R_d R^T)], by the logarithm of spatial.se3."""
    X = robot.pose(q, tool)
    turn = np.tile(np.eye(4), (*X.shape[:-2], 1, 1))
    turn[..., :3, :3] = target[..., :3, :3] @ X[..., :3, :3].swapaxes(-1, -2)
    place = target[..., :3, 3] - X[..., :3, 3]
    return np.linalg.norm(np.concatenate((place, se3.log(turn)[..., 3:]), axis=-1), axis=-1)


def test_reachable_poses_are_reached(arm):
    """Poses are reached to 1e-8 within the limits, and the reported error is the actual one."""
    robot, tool, targets = arm
    found = robot.inverse_kinematics(targets, tool)
    assert found.success.all() and within(robot, found.q)
    assert (found.error < 1e-8).all()
    assert np.abs(error(robot, found.q, tool, targets) - found.error).max() < 1e-13


def test_batches_give_what_single_targets_give(arm):
    """The same seeds in the same order, whatever the cores."""
    robot, tool, targets = arm
    together = robot.inverse_kinematics(targets[:20], tool)
    for k in range(20):
        alone = robot.inverse_kinematics(targets[k], tool)
        assert np.array_equal(alone.q, together.q[k])
        assert (alone.success, alone.steps, alone.seeds) == (
            together.success[k],
            together.steps[k],
            together.seeds[k],
        )


def test_a_seed_close_by_keeps_its_branch(arm):
    """A step along a path: one seed, few iterations, a posture beside the seed."""
    robot, tool, _ = arm
    rng = np.random.default_rng(2)
    for _ in range(20):
        q = 0.9 * robot.configuration.random(rng)
        target = robot.pose(q, tool) @ se3.exp(1e-3 * rng.normal(size=6))
        found = robot.inverse_kinematics(target, tool, seed=q, restarts=0)
        if np.linalg.svd(robot.jacobian(q, tool), compute_uv=False)[-1] > 0.05:
            assert found.success and found.steps <= 6 and found.seeds == 1
            assert np.abs(found.q - q).max() < 0.2


def test_a_preferred_posture_uses_the_null_space():
    """Where the pose is reached, the remaining way to the posture lies across the null space.
    Moving along it brings the posture no nearer.
    """
    robot, tool = real('franka_like').robot, 'tool0'
    rng, near = np.random.default_rng(3), 0
    for _ in range(20):
        q, wanted = (0.7 * robot.configuration.random(rng) for _ in range(2))
        target = robot.pose(q, tool)
        plain = robot.inverse_kinematics(target, tool, seed=q, restarts=0)
        found = robot.inverse_kinematics(target, tool, seed=q, restarts=0, posture=wanted)
        assert plain.success
        limited = (found.q <= robot.limits.lower) | (found.q >= robot.limits.upper)
        if not found.success or limited.any():
            continue
        null = np.linalg.svd(robot.jacobian(found.q, tool))[2][6]
        assert abs(null @ (wanted - found.q)) < 1e-3
        assert np.linalg.norm(wanted - found.q) <= np.linalg.norm(wanted - plain.q) + 1e-6
        near += 1
    assert near >= 10


def test_axes_left_out_are_free(arm):
    """Only the place is asked for: it is reached, the orientation is whatever it is."""
    robot, tool, targets = arm
    found = robot.inverse_kinematics(targets, tool, axes='x y z')
    assert found.success.all()
    agree(robot.pose(found.q, tool)[:, :3, 3], targets[:, :3, 3], scale=1.0, tolerance=1e-8)


def test_a_pose_out_of_reach_is_reported(arm):
    """No success, the best posture and its error; still within the limits and finite."""
    robot, tool, targets = arm
    far = targets[0].copy()
    far[:3, 3] = (3.0, 0.0, 0.0)
    found = robot.inverse_kinematics(far, tool)
    assert not found.success and found.error > 1.0 and found.seeds == 64
    assert within(robot, found.q) and np.isfinite(found.q).all()
    assert found.error == pytest.approx(error(robot, found.q, tool, far), rel=1e-12)


@pytest.mark.parametrize('name', ['Delta', 'palletizer', 'arm with a four-bar'])
def test_closed_loops_lead_a_tool_to_its_place(name):
    """Wherever their independent joints have brought it, to 1e-8, in the same assembly mode."""
    robot = STANDARD[name].robot()
    tool, rng = robot.frames[-1], np.random.default_rng(4)
    closed = robot.model.closed_posture
    q = closed + rng.uniform(-0.6, 0.6, (60, robot.nq))
    targets = robot.pose(q, tool)
    found = robot.inverse_kinematics(targets, tool, axes='x y z')
    assert found.success.all() and within(robot, found.q)
    agree(robot.pose(found.q, tool)[:, :3, 3], targets[:, :3, 3], scale=1.0, tolerance=1e-8)
    near = robot.inverse_kinematics(targets, tool, seed=closed, axes='x y z', restarts=0)
    assert near.success.mean() > 0.9  # most by one seed
    far = targets[0].copy()
    far[:3, 3] = (9.0, 0.0, 0.0)
    lost = robot.inverse_kinematics(far, tool, axes='x y z')
    assert not lost.success and np.isfinite(lost.q).all() and lost.error > 1.0


def test_mimic_joints_lead_a_finger_to_its_pose():
    """The error is that of the pose, which the joints that follow change, too."""
    description = describe('followers', 9, kinds=('revolute',))
    joints = tuple(
        replace(each, mimic='joint3', multiplier=-0.7, offset=0.2)
        if each.name == 'joint8'
        else replace(each, mimic='joint2', multiplier=0.5)
        if each.name == 'joint5'
        else each
        for each in description.joints
    )
    robot = Robot.from_description(replace(description, joints=joints))
    tool, rng = robot.frames[-1], np.random.default_rng(5)
    assert robot.nv == 7
    targets = robot.pose(np.array([robot.configuration.random(rng, 2.0) for _ in range(60)]), tool)
    found = robot.inverse_kinematics(targets, tool)
    assert found.success.all()
    assert np.abs(error(robot, found.q, tool, targets) - found.error).max() < 1e-13


def test_limits_may_be_left_out():
    """Without limits a posture may pass them; with them it does not."""
    robot, tool = real('franka_like').robot, 'tool0'
    q = robot.limits.upper + 0.2
    found = robot.inverse_kinematics(robot.pose(q, tool), tool, seed=q, limits=False)
    assert found.success and found.seeds == 1 and not within(robot, found.q)
    assert within(robot, robot.inverse_kinematics(robot.pose(q, tool), tool, seed=q).q)


def test_joints_of_several_freedoms_reach_too():
    """Quaternions stay of length one."""
    case = MIXED['mixed_tree']
    robot = case.robot
    rng = np.random.default_rng(4)
    targets = robot.pose(np.array([robot.configuration.random(rng) for _ in range(20)]), case.tip)
    found = robot.inverse_kinematics(targets, case.tip)
    assert found.success.mean() > 0.9
    for k in robot.model.quaternions:
        agree(np.linalg.norm(found.q[:, k : k + 4], axis=1), np.ones(20))


def test_an_impossible_request_is_refused_with_its_fault():
    """No rotation, no frame, nothing to begin with, a tolerance below zero."""
    robot = Robot.from_urdf(ROOT / 'config' / 'urdf' / 'franka_like.urdf')
    X = robot.pose(np.zeros(7), 'tool0')
    for wrong in (2.0 * X, np.diag((1.0, 1.0, -1.0, 1.0)), X[:3], np.full((4, 4), np.nan)):
        with pytest.raises(ShapeError, match="pose of frame 'tool0'"):
            robot.inverse_kinematics(wrong, 'tool0')
    with pytest.raises(UnknownNameError, match='nowhere'):
        robot.inverse_kinematics(X, 'nowhere')
    with pytest.raises(ShapeError, match='no seed and no restarts'):
        robot.inverse_kinematics(X, 'tool0', restarts=0)
    with pytest.raises(ShapeError, match='tolerance'):
        robot.inverse_kinematics(X, 'tool0', tolerance=-1.0)
    with pytest.raises(ShapeError, match='joint3'):
        robot.inverse_kinematics(X, 'tool0', seed=(0, 0, np.nan, 0, 0, 0, 0))
