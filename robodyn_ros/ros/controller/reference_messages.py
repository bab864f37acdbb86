# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Convert JointTrajectory messages to trajectories in joint order, and stamps to delays."""

from typing import Sequence

import numpy as np

from robodyn_ros.control.reference.trajectory import FIELDS, Trajectory
from robodyn_ros.errors import RobodynError, ShapeError, UnknownNameError, shorten
from robodyn_ros.middleware.trajectory_cdr import MAX_POINTS, read_head, read_points
from robodyn_ros.ros.common.joint_messages import DUPLICATE_JOINT, MISSING_JOINT, JointIndex

WORDS = (*FIELDS[:3], 'effort')  # as the message names its fields


def is_empty(data: np.ndarray) -> bool:
    """Return whether a message is a trajectory without points, which stops a motion.

    `data`: the serialised message.
    """
    try:
        return read_head(data).points == 0
    except RobodynError:
        return False


class TrajectoryReader:
    """Read JointTrajectory messages for one robot, by joint name.

    `joint_names` (sequence of str): the n joints of the robot, in its order.
    """

    def __init__(self, joint_names: Sequence[str]):
        self._index = JointIndex(joint_names, extra=False)

    def read_bytes(
        self, data: np.ndarray, ros_now: int, most: int = MAX_POINTS, partial: bool = False
    ) -> Trajectory:
        """Return the trajectory of a message, read with the GIL released.

        A header.stamp other than zero is the start time.

        `data`: the serialised message, with the robot's joints in any order.
        `ros_now`: ROS time [ns].
        `most`: largest number of points accepted.
        `partial`: whether joints may be missing; they hold.
        Raises RobodynError: with a sentence, if it is not a trajectory of this robot. The
          supervisor judges its values.
        """
        head = read_head(data)
        if head.points == 0:
            raise ShapeError(
                'The trajectory has no points; expected some. To stop a motion, cancel its goal, '
                'or send no points to ~/joint_trajectory.'
            )
        where = self.require_joints(head.joint_names, partial)
        if head.points > most:
            raise ShapeError(
                f'The trajectory has {head.points} points; expected '
                + (f'from 1 to {most}.' if most > 1 else 'one, the target.')
            )
        times, rows, sizes = read_points(data, head, where)
        for field, size in zip(WORDS, sizes):
            _require_size(field, size, len(head.joint_names))
        seconds, nanoseconds = head.stamp
        return Trajectory(
            times=times,
            delay=time_until(seconds, nanoseconds, ros_now),
            given=sizes > 0,
            moved=where >= 0,
            **{field: values for field, values, size in zip(FIELDS, rows, sizes) if size.any()},
        )

    def require_joints(self, names: list[str], partial: bool = False) -> np.ndarray:
        """Find every joint of the robot in a list of names.

        `names`: names of a message.
        `partial`: whether joints of the robot may be missing.
        Returns index of each joint in the list, -1 if it is missing.
        Raises UnknownNameError: unless these are the robot's joints, each once, in any order.
        """
        where, reason = self._index.locate(names)
        if partial and reason == MISSING_JOINT and set(names) <= set(self._index.joint_names):
            place = {name: k for k, name in enumerate(names)}
            return np.array([place.get(name, -1) for name in self._index.joint_names])
        if where is None:
            raise self._refusal(reason, names)
        return where

    def _refusal(self, reason, names):
        given, expected = shorten(names), list(self._index.joint_names)
        if reason == MISSING_JOINT:
            missing = self._index.missing(names)
            return UnknownNameError(
                f'The trajectory lacks the joints {missing}; expected {expected}, got {given}. '
                "With the parameter 'allow_partial_joints_goal' missing joints hold."
            )
        if reason == DUPLICATE_JOINT:
            return UnknownNameError(f'The trajectory names a joint twice: {given}.')
        return UnknownNameError(
            f'The trajectory is for the joints {given} ({reason}); expected '
            f'{expected}, in any order.'
        )


def _require_size(field: str, sizes: np.ndarray, joints: int):
    """Refuse points with a wrong number of entries of a field; all but positions may be empty."""
    wrong = np.flatnonzero((sizes != joints) & ((sizes > 0) | (field == 'positions')))
    if wrong.size:
        raise ShapeError(
            f'Point {wrong[0]} has {int(sizes[wrong[0]])} {field}; expected {joints}'
            + ('.' if field == 'positions' else ', or none.')
        )


def time_until(seconds: int, nanoseconds: int, ros_now: int) -> float:
    """Return the time from now to a stamp.

    `seconds`: seconds of the stamp [s].
    `nanoseconds`: its remainder [ns].
    `ros_now`: ROS time [ns].
    Returns time [s], negative if the stamp has passed; 0 for the stamp zero.
    Raises RobodynError: with a sentence, if the stamp is not a valid time.
    """
    if seconds < 0 or nanoseconds >= 1_000_000_000:
        raise RobodynError(
            f'The message has the impossible stamp {seconds} s '
            f'{nanoseconds} ns; expected 0 s or more and below 1000000000 ns.'
        )
    stamp = 1_000_000_000 * seconds + nanoseconds
    return 1e-9 * (stamp - ros_now) if stamp else 0.0
