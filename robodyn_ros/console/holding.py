# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find joints with an effort limit below their gravity torque somewhere in the range."""

import numpy as np

from robodyn_ros.errors import SingularityError
from robodyn_ros.formulations.spong.properties import ranges
from robodyn_ros.model.model_report import NOTE, WARNING, Finding

SAMPLES = 1000  # postures that are tried first
GRID = 33  # values of one joint at a time
ROUNDS = 4  # over all joints, on successively finer grids


def largest_gravity_torques(robot, seed=0):
    """Find the largest gravity torque of every joint within the ranges.

    From the worst random posture, coordinate search moves each joint to its worst value.

    Parameters
    ----------
    robot : Robot
        With as many positions as velocities.
    seed : int
        Of the random postures.

    Returns
    -------
    torque : (nv,) ndarray
        Magnitudes [N m or N].
    q : (nv, nq) ndarray
        Posture of each maximum [rad or m].
    """
    lower, upper = ranges(robot)
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


def cannot_hold(robot, load='itself'):
    """Return a Finding for every joint whose effort limit is below its gravity torque somewhere.

    Parameters
    ----------
    robot : Robot
        A robot with quaternions or without dynamics gives no findings. If its loops do not close
        everywhere in its ranges, there is a note.
    load : str
        What the joint carries, for messages.
    """
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
            f'{robot.limits.effort[k]:g}; at q = {np.round(postures[k], 3).tolist()}',
        )
        for k, name in enumerate(robot.joint_names)
        if torque[k] > robot.limits.effort[k]
    ]


def cannot_carry(robot, payload):
    """Return a Finding for every joint that holds itself everywhere, but not with a payload.

    Parameters
    ----------
    robot : Robot
        The robot.
    payload : tuple
        Frame, mass [kg], and centre of mass (3,) in the frame [m].

    Returns
    -------
    list of Finding
    """
    frame, mass, com = payload
    loaded = robot.with_payload(frame, mass, com)
    without = {finding.subject for finding in cannot_hold(robot)}
    found = cannot_hold(loaded, f'{mass:g} kg at {frame!r}')
    return [finding for finding in found if finding.subject not in without]
