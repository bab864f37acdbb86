# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Plan paths for received references within the limits, or give the reason for a refusal."""

import dataclasses

import numpy as np

from robodyn_ros.control.reference.path import SWING, Path
from robodyn_ros.control.reference.polynomial import BLEND
from robodyn_ros.control.reference.stopping import stopped_beyond
from robodyn_ros.control.supervisor.preconditions import refuse_far

GENTLE = 15.0  # [-] times the soonest arrival: a cubic then peaks at a tenth of the velocity limit
LATER = '; use time_from_start to move there in a given time'


def receive_trajectory(trajectory, start, stop, beyond, settings, joint_names):
    """Plan the path of a trajectory from the present reference.

    A joint that turns without end takes the short way to the first point. A first point near the
    reference, and too soon for the velocity limits, is the posture that the sender assumes. It is
    left out. Joints that the trajectory does not move come to rest.

    `start` (4, nv): reference at reception.
    `stop` (Path or None): path on which joints come to rest; it may be None if the trajectory
      moves all of them.
    `beyond` ((nv,) ndarray or None): times in which the joints come to rest beyond the last point;
      None if they rest there.
    `settings` (Settings): settings of the supervisor, with its limits.
    `joint_names` (sequence of str): names of the joints.
    Returns `path` (Path or None): the path, None if it is refused.
    Returns `reason` (str): reason of the refusal, or ''.
    """
    trajectory = trajectory.completed(start[0]).near(start[0], settings.turns)
    trajectory = _in_time(trajectory, start[0], settings)
    if trajectory.passed:
        sentence = refuse_far(
            trajectory.positions[trajectory.passed - 1],
            start[0],
            settings.max_start_error,
            joint_names,
            'start',
        )
        if sentence:
            return None, sentence + LATER * (trajectory.passed == trajectory.times.size)
    path = Path.through(trajectory, start)
    if beyond is not None and path.duration > 0.0:
        path = stopped_beyond(path, trajectory.rows[1, -1], beyond)
    if not trajectory.moves_all:  # last, since a stop may last longer than the trajectory
        path = path.merged(stop, trajectory.moved)
    return _within_limits(path, start, settings, joint_names)


def _in_time(trajectory, q, settings):
    """Return a trajectory whose next point is not due sooner than the velocity limits allow.

    A first point counts as due, if it is near. A last one comes later: planners that are at their
    goal send a single point at time 0.
    """
    passed, last = trajectory.passed, trajectory.times.size - 1
    k = min(passed, last)
    away = np.abs(trajectory.positions[k] - q)
    times = trajectory.times + trajectory.delay
    soonest = (away / settings.velocity_limits).max()
    near = bool((away <= settings.max_start_error).all())
    if not near or 0 < passed <= last or (times[k] >= soonest and times[k] > 0.0):
        return trajectory
    times[k] = 0.0 if k < last else max(BLEND, GENTLE * soonest)
    return dataclasses.replace(trajectory, times=times, delay=0.0)


def receive_target(trajectory, start, elapsed, settings, joint_names):
    """Plan the path to one streamed target.

    A target that is due at once is a step. It is limited by the joint's largest motion in the
    elapsed time. The first target is limited by the largest start error.

    `trajectory` (Trajectory): the target, a trajectory of one point.
    `elapsed`: time since the previous target [s], infinite for the first.
    `settings` (Settings): settings of the supervisor, with its limits.
    Returns `path` (Path or None): the path, None if it is refused.
    Returns `reason` (str): reason of the refusal, or ''.
    """
    trajectory = trajectory.completed(start[0]).near(start[0], settings.turns)
    if not trajectory.passed:
        return _within_limits(Path.through(trajectory, start), start, settings, joint_names)
    elapsed = max(elapsed, settings.period)
    reach = SWING * settings.velocity_limits * min(elapsed, settings.reference_timeout)
    if elapsed == np.inf:
        reach = np.minimum(reach, settings.max_start_error)
    sentence = refuse_far(trajectory.positions[0], start[0], reach, joint_names, 'step')
    if sentence:
        return None, sentence + LATER
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
