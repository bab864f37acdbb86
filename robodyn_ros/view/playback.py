# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Motions to play: the postures of a robot over time, from a trajectory or a recording."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robodyn_ros.control.reference import path as reference_path
from robodyn_ros.control.reference.trajectory_file import READERS, read_points
from robodyn_ros.errors import ShapeError, short_repr
from robodyn_ros.identification.joint_state_bag import read_bag


@dataclass(frozen=True, eq=False)
class Motion:
    """A motion of the joints of a robot.

    `duration`: time from the first posture to the last [s].
    `at`: returns the positions (nv,) [rad or m] at a time from 0 to `duration` [s].
    """

    duration: float
    at: Callable

    __repr__ = short_repr


def read_motion(path, robot, topic='/joint_states', messages=None):
    """Read the motion of a file: a trajectory as `robodyn_ros play` takes it, or a rosbag2.

    A trajectory moves between its points as the controller would: linear, cubic or quintic by the
    fields present. It begins at its first point.

    `path` (str or path): CSV, JSON or YAML file of a trajectory; a rosbag2 folder or file
      otherwise.
    `robot` (Robot): whose joints move. Other joints of the file are left out.
    `topic`: joint states of a bag.
    `messages` (callable): reads a bag, see `read_bag`.
    Returns motion
    Raises RobodynError: if there is no motion of all the joints in it; the sentence names missing
      fields.
    Raises OSError: if the file cannot be read.
    """
    robot.model.refuse_quaternions('a motion')
    if Path(path).suffix in READERS:
        return of_trajectory(read_points(path).of(robot.joint_names), robot.joint_names)
    recording = read_bag(path, robot.joint_names, topic, messages)
    return of_samples(recording.time, recording.q)


def of_samples(time, q):
    """Return the Motion along straight lines through samples.

    `time` ((k,) array_like): times in order [s].
    """
    time = np.asarray(time, dtype=float) - time[0]
    columns = np.array(q, dtype=float).T
    return Motion(
        float(time[-1]), lambda t: np.array([np.interp(t, time, column) for column in columns])
    )


def of_trajectory(trajectory, joint_names):
    """Return the Motion of a Trajectory, from its first point on.

    `joint_names` (sequence of str): joints of the robot.
    Raises ShapeError: if the controller would refuse the trajectory for its times or values.
    """
    sentence = trajectory.refusal(joint_names)
    if sentence:
        raise ShapeError(sentence)
    start = trajectory.rows[:, 0]
    begin = trajectory.times[0]
    path = reference_path.Path.through(trajectory, start)

    def at(t):
        state = np.empty_like(start)
        path.sample(begin + t, state)
        return state[0].copy()

    return Motion(path.duration - begin, at)
