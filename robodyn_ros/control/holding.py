# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find joints with an effort limit below their gravity torque somewhere in the range."""

import numpy as np

from robodyn_ros.errors import SingularityError
from robodyn_ros.model.model_report import NOTE, WARNING, Finding

SAMPLES = 1000  # postures that are tried first
GRID = 33  # values of one joint at a time
ROUNDS = 4  # over all joints, on successively finer grids


def largest_gravity_torques(robot, seed=0):
    """Find the largest gravity torque of every joint within the ranges.

    From the worst random posture, coordinate search moves each joint to its worst value.

    `robot` (Robot): with as many positions as velocities.
    `seed`: of the random postures.
    Returns `torque` (nv,): magnitudes [N m or N].
    Returns `q` (nv, nq): posture of each maximum [rad or m].
    """
    lower, upper = robot.model.ranges
    q = np.random.default_rng(seed).uniform(lower, upper, (SAMPLES, robot.nq))
    worst = q[np.argmax(np.abs(robot.gravity_torque(q)), axis=0)]
    for joint, posture in enumerate(worst):
        for turn in range(ROUNDS):
            for k in range(robot.nq):
                reach = (upper[k] - lower[k]) * (2.0 / GRID) ** turn
                values = np.clip(
                    posture[k] + np.linspace(-reach, reach, 2 * GRID - 1), lower[k], upper[k]
                )
                tried = np.tile(posture, (len(values), 1))
                tried[:, k] = values
                posture[:] = tried[np.argmax(np.abs(robot.gravity_torque(tried)[:, joint]))]
    return np.abs(np.diagonal(robot.gravity_torque(worst))).copy(), worst


def cannot_hold(robot, load='itself', limits=None):
    """Return a Finding for every joint whose effort limit is below its gravity torque somewhere.

    `robot` (Robot): a robot with quaternions or without dynamics gives no findings; one whose
      loops do not close everywhere in its ranges gives a note.
    `load`: what the joint carries, for messages.
    `limits` (nv,): effort limits [N m or N]; by default those of the description.
    """
    limits = robot.limits.effort if limits is None else limits
    if robot.nq != robot.nv or robot.model.dynamics_fault:
        return []
    try:
        torque, postures = largest_gravity_torques(robot)
    except SingularityError as error:
        return [
            Finding(NOTE, f'robot {robot.name!r}', f'whether it holds {load} is open: {error}')
        ]
    return [
        Finding(
            WARNING,
            f'joint {name!r}',
            f'cannot hold {load}: gravity takes up to {torque[k]:.4g}, its effort limit is '
            f'{limits[k]:g}; at q = {np.round(postures[k], 3).tolist()}',
        )
        for k, name in enumerate(robot.joint_names)
        if torque[k] > limits[k]
    ]


def cannot_carry(robot, loaded, load, limits=None):
    """Return a Finding for every joint that holds itself everywhere, but not with a payload.

    `robot`, `loaded` (Robot): the robot without and with the payload.
    `load`: the payload, for messages.
    `limits` (nv,): effort limits [N m or N]; by default those of the description.
    """
    without = {finding.subject for finding in cannot_hold(robot, limits=limits)}
    found = cannot_hold(loaded, load, limits)
    return [finding for finding in found if finding.subject not in without]
