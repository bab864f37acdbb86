# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses, velocities, accelerations and Jacobians of frames, in every reference."""

import numpy as np
import pinocchio as pin
import pytest

from robodyn_ros import Robot
from robodyn_ros.compile import generic
from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.robot.frames import REFERENCES
from robodyn_ros.spatial import se3
from support.calls import run
from support.compare import agree
from support.processes import ROOT
from support.robots.families import FAMILIES, states

PINOCCHIO = dict(zip(REFERENCES, (pin.WORLD, pin.LOCAL, pin.LOCAL_WORLD_ALIGNED), strict=True))
OFFSET = np.array((0.3, -0.2, 0.5))
ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'


def test_poses_of_all_frames_are_those_of_each(every_case):
    """One sweep for all: the same as frame by frame, in the order of the names."""
    robot = every_case.robot
    for q, _, _ in states(robot, 2):
        poses = robot.frames.poses(q)
        assert len(poses) == len(robot.frames)
        for name, X in zip(robot.frames, poses, strict=True):
            assert np.array_equal(X, robot.pose(q, name))


def test_relative_pose_leads_from_one_frame_to_the_other(every_case):
    """X_0A X_AB = X_0B."""
    robot = every_case.robot
    (q, _, _), a, b = states(robot, 1)[0], robot.frames[len(robot.frames) // 2], every_case.tip
    expected = robot.pose(q, b)
    agree(robot.pose(q, a) @ robot.frames.relative_pose(q, b, a), expected)


def test_jacobian_derivative_is_the_slope_of_the_jacobian(every_case):
    """By the complex step through the text of the Jacobian, for joints of every kind."""
    robot, dense = every_case.robot, every_case.dense
    for q, qd, _ in states(robot, 2):
        slope = dense.along(lambda x: run(robot, generic.jacobian, q=x), q, qd)
        size = max(np.abs(slope).max(), np.abs(qd).sum())
        agree(robot.frames.jacobian_derivative(q, qd, robot.frames[-1]), slope, scale=size)


@pytest.mark.parametrize('reference', REFERENCES)
def test_references_are_those_of_pinocchio(reference):
    """Jacobian, its derivative, velocity and acceleration, of frames at rest and moving."""
    robot, model = Robot.from_urdf(ARM), pin.buildModelFromUrdf(str(ARM))
    data, theirs = model.createData(), PINOCCHIO[reference]
    for q, qd, qdd in states(robot, 3):
        pin.computeJointJacobiansTimeVariation(model, data, q, qd)
        pin.forwardKinematics(model, data, q, qd, qdd)
        pin.updateFramePlacements(model, data)
        for frame in ('tool0', 'link4'):
            at = model.getFrameId(frame)
            agree(
                robot.frames.jacobian(q, frame, reference),
                pin.getFrameJacobian(model, data, at, theirs),
            )
            agree(
                robot.frames.jacobian_derivative(q, qd, frame, reference),
                pin.getFrameJacobianTimeVariation(model, data, at, theirs),
            )
            agree(
                robot.frames.velocity(q, qd, frame, reference),
                pin.getFrameVelocity(model, data, at, theirs).vector,
            )
            aligned = reference == 'world_aligned'
            take = pin.getFrameClassicalAcceleration if aligned else pin.getFrameAcceleration
            agree(
                robot.frames.acceleration(q, qd, qdd, frame, reference),
                take(model, data, at, theirs).vector,
            )


@pytest.mark.parametrize('reference', REFERENCES)
@pytest.mark.parametrize('family', ['permuted', 'sliding_tree', 'skew_chain'])
def test_offset_is_a_frame_of_its_own(family, reference):
    """A point of a link moves as a frame that is fixed to the link there."""
    case = FAMILIES[family]
    robot, tip = case.robot, case.tip
    for q, qd, qdd in states(robot, 2):
        J = robot.frames.jacobian(q, tip, reference, OFFSET)
        Jdot = robot.frames.jacobian_derivative(q, qd, tip, reference, OFFSET)
        agree(robot.frames.velocity(q, qd, tip, reference, OFFSET), J @ qd)
        agree(robot.frames.acceleration(q, qd, qdd, tip, reference, OFFSET), J @ qdd + Jdot @ qd)
        along = lambda x: pose_at(robot, x, tip) @ np.append(OFFSET, 1.0)  # noqa: E731
        rate = case.dense.along(along, q, qd)[:3]
        R, p = robot.pose(q, tip)[:3, :3], robot.pose(q, tip)[:3, 3] + 0.0
        omega = robot.velocity(q, qd, tip)[3:]
        expected = {
            'world_aligned': rate,
            'local': R.T @ rate,
            'world': rate - np.cross(omega, p + R @ OFFSET),
        }
        agree((J @ qd)[:3], expected[reference], scale=np.abs(J).max() * np.abs(qd).sum())


def pose_at(robot, q, frame):
    """Return the pose of a frame, also at complex positions."""
    body, place = robot._placement(frame)
    return run(robot, generic.pose, q=q, body=body, frame=place)


@pytest.mark.parametrize('reference', REFERENCES)
def test_hessian_times_a_velocity_is_the_rate(reference):
    """Jdot = (dJ/dq) qd, in every reference, with a point off the origin."""
    case = FAMILIES['permuted']
    for q, qd, _ in states(case.robot, 2):
        H = case.robot.frames.jacobian_hessian(q, case.tip, reference, OFFSET)
        Jdot = case.robot.frames.jacobian_derivative(q, qd, case.tip, reference, OFFSET)
        agree(H @ qd, Jdot, scale=np.abs(H).max() * np.abs(qd).sum())


def test_batches_and_lists_of_frames():
    """Row by row and frame by frame what one state and one frame give."""
    case = FAMILIES['sliding_tree']
    robot, names = case.robot, (case.tip, case.robot.frames[1])
    q, qd, qdd = (np.array(rows) for rows in zip(*states(robot, 4)))
    for reference in REFERENCES:
        J = robot.frames.jacobian(q, names, reference, OFFSET)
        Jdot = robot.frames.jacobian_derivative(q, qd, names, reference, OFFSET)
        A = robot.frames.acceleration(q, qd, qdd, names[0], reference, OFFSET)
        for k in range(4):
            agree(J[k], robot.frames.jacobian(q[k], names, reference, OFFSET))
            for j, name in enumerate(names):
                one = robot.frames.jacobian_derivative(q[k], qd[k], name, reference, OFFSET)
                agree(Jdot[k, j], one)
            one = robot.frames.acceleration(q[k], qd[k], qdd[k], names[0], reference, OFFSET)
            agree(A[k], one)
    assert np.array_equal(robot.frames.poses(q)[2], robot.frames.poses(q[2]))


def test_mistakes_about_frames_are_named():
    """Another reference, an unknown frame, a point of two numbers, a batch of Hessians."""
    robot = FAMILIES['skew_chain'].robot
    q = np.full(robot.nq, 0.1)
    with pytest.raises(UnknownNameError, match="got 'body'; expected one of world, local"):
        robot.frames.jacobian(q, robot.frames[-1], 'body')
    with pytest.raises(UnknownNameError, match='nowhere'):
        robot.frames.poses(q, ['nowhere'])
    with pytest.raises(ShapeError, match='three finite numbers'):
        robot.frames.jacobian(q, robot.frames[-1], 'local', (1.0, 2.0))
    with pytest.raises(ShapeError, match='a batch of 2 states'):
        robot.frames.jacobian_hessian(np.stack((q, q)), robot.frames[-1])


def test_names_are_a_sequence():
    """As the tuple that it stands for."""
    robot = FAMILIES['skew_chain'].robot
    names = tuple(robot.model.frames)
    assert tuple(robot.frames) == names and len(robot.frames) == len(names)
    assert names[-1] in robot.frames and robot.frames[1:] == names[1:]
    assert robot.frames.index(names[2]) == 2 and names[0] in repr(robot.frames)


def test_exponential_and_logarithm_are_inverse():
    """Turns up to half a one, tiny ones and none; against Pinocchio, batches as single ones."""
    rng = np.random.default_rng(0)
    axis = rng.normal(size=(40, 3))
    axis /= np.linalg.norm(axis, axis=1)[:, None]
    angles = np.concatenate(
        (
            np.logspace(-12, 0, 20),
            np.linspace(1.0, np.pi - 1e-3, 17),
            np.pi - np.logspace(-9, -6, 3),
        )
    )
    V = np.hstack((rng.normal(size=(40, 3)), angles[:, None] * axis))
    X = se3.exp(V)
    for twist, motion in zip(V, X, strict=True):
        agree(motion, pin.exp6(twist).homogeneous)
        agree(
            se3.log(motion), twist, tolerance=1e-9 if np.linalg.norm(twist[3:]) > 3.14 else 1e-12
        )
        agree(se3.exp(twist), motion)
    agree(se3.inverse(X) @ X, np.tile(np.eye(4), (40, 1, 1)))
    agree(se3.log(X), V)
    assert np.array_equal(se3.exp(np.zeros(6)), np.eye(4))
    assert np.array_equal(se3.log(np.eye(4)), np.zeros(6))
    with pytest.raises(ShapeError, match=r'expected \(6,\)'):
        se3.exp(np.zeros(5))
