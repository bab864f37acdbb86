# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convert JointTrajectory messages to trajectories in joint order, and stamps to delays."""

from typing import Sequence

import numpy as np

from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.errors import RobodynError, ShapeError, UnknownNameError, shorten
from robodyn_ros.middleware.trajectory_cdr import MAX_POINTS, read_head, read_points
from robodyn_ros.ros.common.joint_messages import DUPLICATE_JOINT, MISSING_JOINT, JointIndex

FIELDS = ('positions', 'velocities', 'accelerations')


class TrajectoryReader:
    """Read JointTrajectory messages for one robot, by joint name.

    Efforts in the points are ignored, since the law computes them.

    Parameters
    ----------
    joint_names : sequence of str
        The n joints of the robot, in its order.
    """

    def __init__(self, joint_names: Sequence[str]):
        self._index = JointIndex(joint_names, extra=False)

    def read_bytes(self, data: np.ndarray, ros_now: int, most: int = MAX_POINTS) -> Trajectory:
        """Return the trajectory of a message, read with the GIL released.

        A header.stamp other than zero is the start time.

        Parameters
        ----------
        data : (k,) uint8
            The serialised message, with exactly the robot's joints in any order.
        ros_now : int
            ROS time [ns].
        most : int
            Largest number of points accepted.

        Raises
        ------
        RobodynError
            With a sentence, if it is not a trajectory of this robot. The supervisor judges its
            values.
        """
        head = read_head(data)
        where = self.require_joints(head.joint_names)
        if not 1 <= head.points <= most:
            raise ShapeError(
                f'The trajectory has {head.points or "no"} points; expected '
                + (f'from 1 to {most}.' if most > 1 else 'one, the target.')
            )
        times, rows, sizes = read_points(data, head, where)
        fields = {
            field: _field(field, values, size, len(where))
            for field, values, size in zip(FIELDS, rows, sizes)
        }
        seconds, nanoseconds = head.stamp
        return Trajectory(times=times, delay=time_until(seconds, nanoseconds, ros_now), **fields)

    def require_joints(self, names: list[str]) -> np.ndarray:
        """Find every joint of the robot in a list of names.

        Parameters
        ----------
        names : list of str
            Names of a message.

        Returns
        -------
        (n,) ndarray
            Index of each joint in the list.

        Raises
        ------
        UnknownNameError
            Unless these are the robot's joints, each once, in any order.
        """
        where, reason = self._index.locate(names)
        if where is None:
            raise self._refusal(reason, names)
        return where

    def _refusal(self, reason, names):
        given, expected = shorten(names), list(self._index.joint_names)
        if reason == MISSING_JOINT:
            missing = self._index.missing(names)
            return UnknownNameError(
                f'The trajectory lacks the joints {missing}; expected {expected}, got {given}.'
            )
        if reason == DUPLICATE_JOINT:
            return UnknownNameError(f'The trajectory names a joint twice: {given}.')
        return UnknownNameError(
            f'The trajectory is for the joints {given} ({reason}); expected '
            f'{expected}, in any order.'
        )


def _field(field: str, values: np.ndarray, sizes: np.ndarray, joints: int):
    """Return one field of the points (k, n), or None if they omit it."""
    if not sizes.any() and field != 'positions':
        return None
    if (sizes != joints).any():
        raise ShapeError(
            f'The points have {np.unique(sizes)[:5].astype(int).tolist()} {field}; '
            f'expected {joints} in every point'
            + ('.' if field == 'positions' else ', or in none.')
        )
    return values


def time_until(seconds: int, nanoseconds: int, ros_now: int) -> float:
    """Return the time from now to a stamp.

    Parameters
    ----------
    seconds : int
        Seconds of the stamp [s].
    nanoseconds : int
        Its remainder [ns].
    ros_now : int
        ROS time [ns].

    Returns
    -------
    float
        Time [s], negative if the stamp has passed; 0 for the stamp zero.

    Raises
    ------
    RobodynError
        With a sentence, if the stamp is not a valid time.
    """
    if seconds < 0 or nanoseconds >= 1_000_000_000:
        raise RobodynError(
            f'The message has the impossible stamp {seconds} s '
            f'{nanoseconds} ns; expected 0 s or more and below 1000000000 ns.'
        )
    stamp = 1_000_000_000 * seconds + nanoseconds
    return 1e-9 * (stamp - ros_now) if stamp else 0.0
