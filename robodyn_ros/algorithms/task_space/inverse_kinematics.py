# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse kinematics of a frame's pose: damped least squares within joint limits."""

from numpy import inf, sqrt

from robodyn_ros.algorithms.core.jacobian import jacobian_columns
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import frame_point, poses_base_to_tip
from robodyn_ros.algorithms.core.manifold import difference, integrate
from robodyn_ros.model.layout import Q, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.quaternion import logarithm
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.turning import quaternion_of
from robodyn_ros.spatial.types import (
    Constant,
    Integer,
    Matrix,
    Scalar,
    Table,
    Topology,
    Vector,
    Work,
)
from robodyn_ros.spatial.vec3 import sub

#: Ratio of the damping to the squared error. A larger one shortens the steps far from the target.
DAMPING = 0.05
#: Damping that remains at the target [m^2], which suppresses singular directions.
LEAST_DAMPING = 1e-12
#: Longest change of a coordinate in one step [rad or m].
LONGEST_STEP = 0.9
#: A seed fails if PATIENCE steps do not reduce the squared error to this share.
PROGRESS, PATIENCE = 0.5, 8
#: Longest entry of a step below which the preferred posture is left out from then on [rad or m].
SETTLED = 1e-6


@primitive
def pose_error(work, body, frame, target, weights, e):
    """Write the error [p_d - p; log(R_d R^T)] of a frame in base axes. Needs the poses.

    `e` (6,), written: error [m, rad]; rows of weight zero are zero.
    Returns squared length of the error.
    """
    axes = (
        rotate(work[body].world_rotation, (frame[0], frame[3], frame[6])),
        rotate(work[body].world_rotation, (frame[1], frame[4], frame[7])),
        rotate(work[body].world_rotation, (frame[2], frame[5], frame[8])),
    )
    place = frame_point(work, body, frame)
    e[0], e[1], e[2] = sub((target[0, 3], target[1, 3], target[2, 3]), place)
    e[3], e[4], e[5] = logarithm(
        quaternion_of(turned(target, axes, 0), turned(target, axes, 1), turned(target, axes, 2))
    )
    size = 0.0
    for i in range(6):
        e[i] = weights[i] * e[i]
        size = size + e[i] * e[i]
    return size


@primitive
def turned(target, axes, j):
    """Return column j of R_d R^T.

    `axes`: columns of R, each a 3-vector.
    `j`: column.
    """
    x, y, z = axes[0][j], axes[1][j], axes[2][j]
    return (
        target[0, 0] * x + target[0, 1] * y + target[0, 2] * z,
        target[1, 0] * x + target[1, 1] * y + target[1, 2] * z,
        target[2, 0] * x + target[2, 1] * y + target[2, 2] * z,
    )


@primitive
def factorise(J, weights, damping, A):
    """Write L of J J^T + damping 1 = L L^T.

    `damping`: damping [m^2].
    `A` (6, 6), written: L below and on the diagonal. Rows of weight zero are those of the
      identity.
    """
    for i in range(6):
        for j in range(i + 1):
            total = 0.0
            for k in range(J.shape[1]):
                total = total + J[i, k] * J[j, k]
            A[i, j] = total
            A[j, i] = 0.0 if j < i else total
        A[i, i] = A[i, i] + damping if weights[i] != 0.0 else 1.0
    for j in range(6):
        for i in range(j, 6):
            total = A[i, j]
            for k in range(j):
                total = total - A[i, k] * A[j, k]
            A[i, j] = total / A[j, j] if i > j else sqrt(total)


@primitive
def solve_factorised(A, x):
    """Replace x by (L L^T)^-1 x.

    `A` (6, 6): factor L.
    """
    for i in range(6):
        for k in range(i):
            x[i] = x[i] - A[i, k] * x[k]
        x[i] = x[i] / A[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            x[i] = x[i] - A[k, i] * x[k]
        x[i] = x[i] / A[i, i]


@primitive
def nearest_seed(target, weights, seed_poses, tried, first, last):
    """Return the untried seed whose frame is nearest to the target.

    The distance is |p_d - p|^2 + 3 - trace(R_d^T R).

    `seed_poses` (s, 12): rotation, row-major, and origin of the frame at each seed.
    `tried` (s,): zero for seeds not tried yet.
    `first`, `last`: range of seeds, the last one excluded.
    """
    best, least = -1, 0.0
    for s in range(first, last):
        if tried[s] != 0.0:
            continue
        place, turn = 0.0, 3.0
        for i in range(3):
            gap = weights[i] * (target[i, 3] - seed_poses[s, 9 + i])
            place = place + gap * gap
            for j in range(3):
                turn = turn - target[i, j] * seed_poses[s, 3 * i + j]
        distance = place + turn * weights[3] * weights[4] * weights[5]
        if best < 0 or distance < least:
            best, least = s, distance
    return best


@primitive
def place_bodies(topology, constants, work, q):
    """Compute the poses of all bodies."""
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)


@primitive
def hold_joint(lower, upper, k, j, trial, residual, columns):
    """Clear the column of a joint at a limit that the residual drives beyond it.

    `lower`, `upper` (nq,): limits of the positions [rad or m].
    `k`, `j`: indices of its position and of its velocity.
    `trial` (nq,): present positions [rad or m].
    `residual` (6,): error of the pose [m, rad].
    `columns` (6, nv): Jacobian of the frame, updated.
    """
    along = 0.0
    for row in range(6):
        along = along + columns[row, j] * residual[row]
    if (along > 0.0 and trial[k] >= upper[k]) or (along < 0.0 and trial[k] <= lower[k]):
        for row in range(6):
            columns[row, j] = 0.0


@primitive
def hold_at_limits(topology, lower, upper, trial, residual, columns):
    """Clear the columns of joints at a limit that the residual drives beyond it.

    `lower`, `upper` (nq,): limits of the positions [rad or m].
    `trial` (nq,): present positions [rad or m].
    `residual` (6,): error of the pose [m, rad].
    `columns` (6, nv): Jacobian of the frame.
    """
    for i in range(1, topology.shape[0]):
        k, j = topology[i, Q], topology[i, V]
        if not lower[k] < trial[k] < upper[k]:
            hold_joint(lower, upper, k, j, trial, residual, columns)


@primitive
def damped_step(columns, weights, damping, normal, residual, away, step):
    """Compute a step of damped least squares, n + J^T (J J^T + damping 1)^-1 (e - J n).

    `columns` (6, nv): Jacobian of the frame.
    `damping`: damping [m^2].
    `residual` (6,): error e of the pose, overwritten.
    `away` (nv,): motion n towards the preferred posture.
    `step` (nv,), written: step [rad or m].
    Returns largest entry of the step, without its sign.
    """
    for i in range(6):
        for j in range(columns.shape[1]):
            residual[i] = residual[i] - columns[i, j] * away[j]
    factorise(columns, weights, damping, normal)
    solve_factorised(normal, residual)
    longest = 0.0
    for j in range(columns.shape[1]):
        total = away[j]
        for i in range(6):
            total = total + columns[i, j] * residual[i]
        step[j] = total
        longest = max(longest, abs(total))
    return longest


@recursion
def inverse_kinematics(
    topology: Topology,
    constants: Table,
    work: Work,
    target: Matrix,
    body: Integer,
    frame: Constant,
    weights: Constant,
    lower: Constant,
    upper: Constant,
    posture: Constant,
    gain: Scalar,
    seeds: Table,
    seed_poses: Table,
    preferred: Integer,
    tolerance: Scalar,
    steps: Integer,
    tried: Vector,
    trial: Vector,
    step: Vector,
    away: Vector,
    columns: Matrix,
    normal: Matrix,
    residual: Vector,
    solution: Vector,
    outcome: Vector,
):
    """Solve X_0F(q) = X_d within limits by damped least squares, one seed after the other.

    A step is n + J^T (J J^T + mu |e|^2 1)^-1 (e - J n) with e = [p_d - p; log(R_d R^T)]. n is a
    gain times the distance to a preferred posture, and J excludes joints held at a limit. The
    posture acts in the first half of the steps.

    Nakamura and Hanafusa 1986; Chan and Lawrence 1988 for damping by the error; Siciliano et al.
    2009, section 3.5, for the null space.

    `weights` (6,): 1 for rows that count, else 0.
    `lower`, `upper` (nq,): limits, and the preferred posture.
    `posture` (nq,): preferred posture [rad or m].
    `gain`: share of the distance to the posture in one step; 0 without a posture.
    `seeds` (s, nq): positions to start from [rad or m]: the preferred ones, then the others. In
      each group the one nearest to the target is tried first.
    `seed_poses` (s, 12): rotation, row-major, and origin of the frame at each seed.
    `preferred`: number of preferred seeds.
    `tolerance`: length of e at which a solution is found.
    `steps`: most steps from one seed.
    `solution` (nq,), written: best positions found [rad or m].
    `outcome` (3,), written: length of e, number of all steps, number of seeds tried.
    """
    n, count, attempts, least = trial.shape[0], 0, 0, -1.0
    enough = tolerance * tolerance
    for s in range(seeds.shape[0]):
        tried[s] = 0.0
    for _ in range(seeds.shape[0]):
        attempts = attempts + 1
        seed = nearest_seed(target, weights, seed_poses, tried, 0, preferred)
        if seed < 0:
            seed = nearest_seed(target, weights, seed_poses, tried, preferred, seeds.shape[0])
        tried[seed] = 1.0
        for k in range(n):
            trial[k] = min(max(seeds[seed, k], lower[k]), upper[k])
        mark, waited, pull = -1.0, 0, gain
        for round_ in range(steps):
            place_bodies(topology, constants, work, trial)
            size = pose_error(work, body, frame, target, weights, residual)
            count = count + 1
            if not size < inf:  # a trial in which closed loops are open
                break
            if least < 0.0 or size < least or (gain > 0.0 and size < enough):
                least = size
                for k in range(n):
                    solution[k] = trial[k]
            if 2 * round_ >= steps:
                pull = 0.0
            if pull == 0.0:
                if size < enough:
                    break
                waited = waited + 1
                if mark < 0.0 or size < PROGRESS * mark:
                    mark, waited = size, 0
                if waited > PATIENCE:
                    break
            jacobian_columns(topology, constants, work, body, frame, columns)
            for i in range(6):
                for j in range(columns.shape[1]):
                    columns[i, j] = weights[i] * columns[i, j]
            hold_at_limits(topology, lower, upper, trial, residual, columns)
            if pull > 0.0:
                difference(topology, trial, posture, away)
            for j in range(away.shape[0]):
                away[j] = pull * away[j] if pull > 0.0 else 0.0
            longest = damped_step(
                columns, weights, DAMPING * size + LEAST_DAMPING, normal, residual, away, step
            )
            if longest < SETTLED:
                pull = 0.0
            share = LONGEST_STEP / longest if longest > LONGEST_STEP else 1.0
            integrate(topology, trial, step, share, trial)
            for k in range(n):
                trial[k] = min(max(trial[k], lower[k]), upper[k])
        if least < enough:
            break
    outcome[0], outcome[1], outcome[2] = sqrt(least), count, attempts
