# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Tolerances of a FollowJointTrajectory goal, and joints that miss the end of a trajectory."""

from typing import Sequence

import numpy as np

from robodyn_ros.control.supervisor.controller_states import Reason, State
from robodyn_ros.errors import ShapeError, UnknownNameError, shorten


def missed(supervisor):
    """Return the joint that is farthest from the end of its trajectory, and its distance.

    Returns `joint` (int): the joint; -1 unless such an end is held, beyond the `goal_tolerance` of
      the settings.
    Returns `distance` (float): measured position less reference [rad or m].
    """
    if supervisor.state is not State.HOLD or supervisor.reason != Reason.TRAJECTORY_END:
        return -1, 0.0
    away = supervisor.q - supervisor.reference[0]
    joint = int(np.abs(away).argmax())
    far = abs(away[joint]) > supervisor.settings.goal_tolerance
    return (joint, float(away[joint])) if far else (-1, 0.0)


class Tolerance:
    """Largest errors of each joint; joints and fields without a tolerance are not checked.

    `tolerances` (sequence of control_msgs/JointTolerance): the messages; 0 and below mean no
      tolerance. Accelerations are not checked, since they are not measured.
    `joint_names` (sequence of str): the robot's joints, in its order.
    Raises RobodynError: for an unknown joint or NaN.
    """

    def __init__(self, tolerances, joint_names: Sequence[str]):
        self._names = tuple(joint_names)
        self._limits = np.full((2, len(joint_names)), np.inf)
        for tolerance in tolerances:
            if tolerance.name not in joint_names:
                raise UnknownNameError(
                    f'A tolerance is for the joint {shorten(tolerance.name)}; '
                    f'expected one of {list(joint_names)}.'
                )
            asked = np.array((tolerance.position, tolerance.velocity))
            if np.isnan(asked).any():
                raise ShapeError(
                    f'A tolerance of the joint {tolerance.name} is not a number; '
                    'expected its largest error, or 0 to allow any.'
                )
            self._limits[:, self._names.index(tolerance.name)] = np.where(asked > 0, asked, np.inf)

    def violation(self, position_error: np.ndarray, velocity_error: np.ndarray) -> str:
        """Return a message about the first joint beyond its tolerance.

        `position_error`, `velocity_error`: errors of the joints [rad or m, rad/s or m/s].
        """
        errors = np.abs((position_error, velocity_error))
        wrong = np.argwhere(~(errors <= self._limits))
        if not len(wrong):
            return ''
        field, joint = wrong[0]
        what = ('position', 'velocity')[field]
        return (
            f'the {what} of {self._names[joint]} is {errors[field, joint]:.6g} off its '
            f'reference; expected at most {self._limits[field, joint]:g}'
        )
