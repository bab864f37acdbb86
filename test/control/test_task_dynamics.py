# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Task dynamics at a point on a link, in every reference, against definitions and differences."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.control.task_dynamics import BASE, LOCAL, WORLD_ALIGNED, TaskPoint, task_dynamics

ALL = [0, 1, 2, 3, 4, 5]
POINT = np.array((0.1, -0.2, 0.3))
STEP = 1e-6


@pytest.fixture(scope='module')
def robot(request):
    path = request.config.rootpath / 'config' / 'urdf' / 'franka_like.urdf'
    return Robot.from_urdf(str(path))


@pytest.fixture(scope='module')
def link(robot):
    return robot.model.body_names[-1]


def random_state(robot, seed):
    draw = np.random.default_rng(seed)
    low, high = (np.clip(limit, -3.0, 3.0) for limit in (robot.limits.lower, robot.limits.upper))
    return draw.uniform(low, high), draw.uniform(-1.0, 1.0, robot.nv)


def at_point(robot, q, link):
    """Rotation of the link and place of the point, in the base."""
    pose = robot.pose(q, link)
    return pose[:3, :3], pose[:3, 3] + pose[:3, :3] @ POINT


def reference_jacobian(robot, q, link, reference):
    """The Jacobian from differences of pose: column k is the velocity at unit speed of joint k."""
    columns = []
    R, p = at_point(robot, q, link)
    for k in range(robot.nv):
        forth, back = q.copy(), q.copy()
        forth[k] += STEP
        back[k] -= STEP
        (R1, p1), (R0, p0) = at_point(robot, forth, link), at_point(robot, back, link)
        v = (p1 - p0) / (2.0 * STEP)
        W = (R1 - R0) @ R.T / (2.0 * STEP)
        omega = np.array((W[2, 1], W[0, 2], W[1, 0]))
        if reference == LOCAL:
            v, omega = R.T @ v, R.T @ omega
        if reference == BASE:
            v = v - np.cross(omega, p)
        columns.append(np.concatenate((v, omega)))
    return np.array(columns).T


@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
@pytest.mark.parametrize('seed', range(3))
def test_the_jacobian_is_the_derivative_of_the_pose(robot, link, reference, seed):
    q, qd = random_state(robot, seed)
    task = task_dynamics(robot, q, qd, [TaskPoint(link, POINT)], reference, ALL, 0.0)
    np.testing.assert_allclose(
        task.inertia.jacobian, reference_jacobian(robot, q, link, reference), atol=1e-8
    )


@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
@pytest.mark.parametrize('seed', range(3))
def test_the_bias_is_the_derivative_of_the_jacobian(robot, link, reference, seed):
    q, qd = random_state(robot, seed)

    def jacobian(t):
        return task_dynamics(
            robot, q + t * qd, qd, [TaskPoint(link, POINT)], reference, ALL, 0.0
        ).inertia.jacobian

    expected = (jacobian(STEP) - jacobian(-STEP)) @ qd / (2.0 * STEP)
    task = task_dynamics(robot, q, qd, [TaskPoint(link, POINT)], reference, ALL, 0.0)
    np.testing.assert_allclose(task.jacobian_bias, expected, atol=1e-7)


@pytest.mark.parametrize('kept', [ALL, [0, 1, 2], [2], [0, 4]])
@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
def test_lambda_is_the_inverse_of_the_sub_block_kept(robot, link, reference, kept):
    q, qd = random_state(robot, 7)
    task = task_dynamics(robot, q, qd, [TaskPoint(link, POINT)], reference, kept, 0.0)
    J, found = task.inertia.jacobian, task.inertia
    compliance = J @ np.linalg.solve(robot.mass_matrix(q), J.T)
    np.testing.assert_allclose(found.inverse, compliance, atol=1e-9)
    np.testing.assert_allclose(found.inertia @ compliance, np.eye(len(kept)), atol=1e-8)
    np.testing.assert_allclose(J @ found.consistent_inverse, np.eye(len(kept)), atol=1e-8)
    assert found.rank == len(kept)


@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
def test_the_task_moves_as_the_task_dynamics_says(robot, link, reference):
    """Lambda xdd + mu + p = F when the joints are driven by tau = J^T F."""
    q, qd = random_state(robot, 11)
    task = task_dynamics(robot, q, qd, [TaskPoint(link, POINT)], reference, ALL, 0.0)
    force = np.array((3.0, -2.0, 5.0, 0.3, 0.2, -0.1))
    J = task.inertia.jacobian
    acceleration = J @ robot.forward_dynamics(q, qd, J.T @ force) + task.jacobian_bias
    np.testing.assert_allclose(
        task.inertia.inertia @ acceleration + task.bias + task.task_gravity, force, atol=1e-7
    )


@pytest.mark.parametrize('reference', [WORLD_ALIGNED, LOCAL, BASE])
def test_several_points_move_as_their_task_dynamics_says(robot, reference):
    """Two bodies, and two points on one of them: 12 rows of which 8 are kept, one joint left over.

    Lambda xdd + mu + p = F for tau = J^T F; each row as of its point alone.
    """
    q, qd = random_state(robot, 13)
    names = robot.model.body_names
    points = [
        TaskPoint(names[-1], POINT),
        TaskPoint(names[4], -POINT),
        TaskPoint(names[-1], np.array((0.0, 0.2, 0.1))),
    ]
    kept = [0, 2, 4, 8, 13, 15]
    task = task_dynamics(robot, q, qd, points, reference, kept, 0.0)
    for k, point in enumerate(points):
        rows = [row for row, number in enumerate(kept) if number // 6 == k]
        alone = task_dynamics(
            robot, q, qd, [point], reference, [kept[row] % 6 for row in rows], 0.0
        )
        np.testing.assert_allclose(task.inertia.jacobian[rows], alone.inertia.jacobian, atol=1e-12)
        np.testing.assert_allclose(task.jacobian_bias[rows], alone.jacobian_bias, atol=1e-12)
        np.testing.assert_allclose(
            task.inertia.inverse[np.ix_(rows, rows)], alone.inertia.inverse, atol=1e-9
        )
    J, found = task.inertia.jacobian, task.inertia
    np.testing.assert_allclose(
        found.inverse, J @ np.linalg.solve(robot.mass_matrix(q), J.T), atol=1e-9
    )
    force = np.linspace(-1.0, 2.0, len(kept))
    acceleration = J @ robot.forward_dynamics(q, qd, J.T @ force) + task.jacobian_bias
    np.testing.assert_allclose(
        found.inertia @ acceleration + task.bias + task.task_gravity, force, atol=1e-7
    )
