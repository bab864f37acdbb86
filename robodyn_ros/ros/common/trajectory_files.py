# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Read JointTrajectory messages from files, delay them, and find their durations."""

import os

from builtin_interfaces.msg import Duration
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros.control.reference.trajectory_file import NANOSECONDS, nanoseconds, read_points


def read_trajectory(path: str | os.PathLike) -> JointTrajectory:
    """Return the trajectory in a file as a message.

    `path`: a file as for `robodyn_ros.control.reference.trajectory_file.read_points`, which lists
      the errors.
    """
    read = read_points(path)
    return JointTrajectory(
        joint_names=read.joint_names,
        points=[
            JointTrajectoryPoint(time_from_start=_duration(time), **values)
            for time, values in zip(read.times, read.values)
        ],
    )


def delayed_trajectory(message: JointTrajectory, seconds: float) -> JointTrajectory:
    """Return a trajectory with all its points delayed.

    `message`: the trajectory, which stays unchanged.
    `seconds`: the delay [s].
    """
    later = [
        JointTrajectoryPoint(
            positions=point.positions,
            velocities=point.velocities,
            accelerations=point.accelerations,
            effort=point.effort,
            time_from_start=_duration(_nanoseconds(point.time_from_start) + seconds * NANOSECONDS),
        )
        for point in message.points
    ]
    return JointTrajectory(joint_names=message.joint_names, points=later)


def duration_of(message: JointTrajectory) -> float:
    """Return the time of the last point [s].

    `message`: the trajectory.
    """
    return _nanoseconds(message.points[-1].time_from_start) / NANOSECONDS


def _nanoseconds(duration):
    return duration.sec * NANOSECONDS + duration.nanosec


def _duration(value):
    sec, nanosec = divmod(nanoseconds(value), NANOSECONDS)
    return Duration(sec=sec, nanosec=nanosec)
