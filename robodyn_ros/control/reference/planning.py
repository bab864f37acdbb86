# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plan paths for received references within the limits, or give the reason for a refusal."""

import numpy as np

from robodyn_ros.control.reference.path import Path
from robodyn_ros.control.supervisor.preconditions import refuse_far


def receive_trajectory(trajectory, start, settings, joint_names):
    """Plan the path of a trajectory from the present reference.

    Parameters
    ----------
    trajectory : Trajectory
        The trajectory.
    start : (3, nv) ndarray
        Reference at reception.
    settings : Settings
        Settings of the supervisor, with its limits.
    joint_names : sequence of str
        Names of the joints.

    Returns
    -------
    path : Path or None
        The path, None if it is refused.
    reason : str
        Reason of the refusal, or ''.
    """
    if trajectory.passed:
        sentence = refuse_far(
            trajectory.positions[trajectory.passed - 1],
            start[0],
            settings.max_start_error,
            joint_names,
            'start',
        )
        if sentence:
            return None, sentence
    return _within_limits(Path.through(trajectory, start), start, settings, joint_names)


def receive_target(trajectory, start, elapsed, settings, joint_names):
    """Plan the path to one streamed target.

    A target that is due at once is a step. It is limited by the joint's largest motion in the
    elapsed time. The first target is limited by the largest start error.

    Parameters
    ----------
    trajectory : Trajectory
        The target, a trajectory of one point.
    start : (3, nv) ndarray
        Reference at reception.
    elapsed : float
        Time since the previous target [s], infinite for the first.
    settings : Settings
        Settings of the supervisor, with its limits.
    joint_names : sequence of str
        Names of the joints.

    Returns
    -------
    path : Path or None
        The path, None if it is refused.
    reason : str
        Reason of the refusal, or ''.
    """
    if not trajectory.passed:
        return _within_limits(Path.through(trajectory, start), start, settings, joint_names)
    elapsed = max(elapsed, settings.period)
    reach = settings.velocity_limits * min(elapsed, settings.reference_timeout)
    if elapsed == np.inf:
        reach = np.minimum(reach, settings.max_start_error)
    sentence = refuse_far(trajectory.positions[0], start[0], reach, joint_names, 'step')
    if sentence:
        return None, f'{sentence}; use time_from_start to move there in a given time'
    return _within_limits(Path.target(trajectory), start, settings, joint_names)


def _within_limits(path, start, settings, joint_names):
    """Return a path that keeps to the limits and '', or None and the reason of the refusal."""
    margin = settings.position_margin
    sentence = path.refusal(
        start,
        settings.lower - margin,
        settings.upper + margin,
        settings.velocity_limits,
        joint_names,
    )
    return (None, sentence) if sentence else (path, '')
