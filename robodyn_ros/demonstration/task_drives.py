# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The three drives of the demonstration of operational-space control."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.control import TaskTarget
from robodyn_ros.demonstration.task_run import END_EFFECTOR
from robodyn_ros.spatial.turning import quaternion_of

#: Initial postures, with elbow and wrist bent [rad].
REACH = (0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8)  # of the arm with seven joints
STRETCH = (0.0, -1.0, 1.2, -1.2, -1.4, 0.0)  # of the arm with six joints
SHOULDER = np.array([0.0, 0.0, 0.1625])  # [m] of the arm with six joints, in its base
BEYOND = 0.45  # [m] from the initial position to the target out of reach
ALIGNED = np.array([0.3, -1.3, 1.6, -0.9, 0.0, 0.4])  # axes 4 and 6 of six are parallel
ACROSS = np.array([0.25, 0.15, 0.2, -0.2, 0.7, 0.3])  # from this posture to either side


def quintic_rise(x):
    """Return a quintic from 0 to 1 over x in [0, 1].

    Parameters
    ----------
    x : float or ndarray
        The argument; outside of [0, 1] the value is constant.

    Returns
    -------
    value, first, second : float or ndarray
        The quintic, its first and its second derivative.
    """
    x = np.clip(x, 0.0, 1.0)
    return (
        x**3 * (10.0 + x * (6.0 * x - 15.0)),
        30.0 * x**2 * (1.0 - x) ** 2,
        60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
    )


@dataclass(frozen=True, eq=False)
class FigureEight:
    """A figure eight about a pose in the y-z plane, with smoothly varying amplitude.

    Parameters
    ----------
    pose : (4, 4) ndarray
        Pose of the end effector, whose orientation is constant.
    duration : float
        Length of the motion [s].
    width, height : float
        Amplitudes along y and z [m].
    frequency : float
        Frequency of the figure [Hz].
    ramp : float
        Time in which the amplitude grows, and decays [s].
    """

    pose: np.ndarray
    duration: float = 16.0
    width: float = 0.14
    height: float = 0.06
    frequency: float = 0.2
    ramp: float = 3.0

    @property
    def quaternion(self):
        """Orientation of the end effector (x, y, z, w)."""
        return quaternion_of(*self.pose[:3, :3].T)

    def at(self, t):
        """Return the motion at a time.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        position, velocity, acceleration : (3,) ndarray
            Motion of the end effector [m, m/s, m/s^2].
        """
        rising = t < 0.5 * self.duration
        sign = 1.0 if rising else -1.0
        s, ds, dds = quintic_rise((t if rising else self.duration - t) / self.ramp)
        ds, dds = sign * ds / self.ramp, dds / self.ramp**2
        w = 2.0 * np.pi * self.frequency
        a = np.array([0.0, self.width * np.sin(w * t), self.height * np.sin(2.0 * w * t)])
        da = w * np.array(
            [0.0, self.width * np.cos(w * t), 2.0 * self.height * np.cos(2.0 * w * t)]
        )
        dda = -w * w * a * [1.0, 1.0, 4.0]
        return (self.pose[:3, 3] + s * a, ds * a + s * da, dds * a + 2.0 * ds * da + s * dda)


def stretched_target(robot):
    """Return a point out of reach, on the line from the shoulder to the end effector.

    Parameters
    ----------
    robot : Robot
        The arm with six joints.

    Returns
    -------
    (3,) ndarray
        The point [m].
    """
    tip = robot.pose(np.array(STRETCH), END_EFFECTOR)[:3, 3]
    return tip + BEYOND * (tip - SHOULDER) / np.linalg.norm(tip - SHOULDER)


class EightDrive:
    """The figure eight, as targets of pose and twist a hundred times a second.

    Parameters
    ----------
    robot : Robot
        The arm.
    """

    title, start = 'figure eight, 7 joints', REACH

    def __init__(self, robot):
        self._base = robot.model.body_names[0]
        self._eight = FigureEight(robot.pose(np.array(self.start), END_EFFECTOR))
        self.duration = self._eight.duration

    def commanded(self, t):
        """Return the commanded pose.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        position : (3,) ndarray
            Position [m].
        quaternion : (4,) ndarray
            Orientation (x, y, z, w).
        """
        return self._eight.at(t)[0], self._eight.quaternion

    def target(self, t):
        """Return the target of the law, pose and twist.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        TaskTarget
            The target.
        """
        position, velocity, _ = self._eight.at(t)
        return TaskTarget(
            self._base, position, self._eight.quaternion, np.concatenate((velocity, np.zeros(3)))
        )


class WristDrive:
    """A joint motion through the alignment of two wrist axes, as targets of pose and twist.

    Parameters
    ----------
    robot : Robot
        The arm.
    """

    title, start, duration = 'through wrist alignment, 6 joints', tuple(ALIGNED - ACROSS), 7.0

    def __init__(self, robot):
        self._robot, self._base = robot, robot.model.body_names[0]

    def _joints(self, t):
        """Return positions and rates of the joints at t."""
        s, ds, _ = quintic_rise(t / (self.duration - 1.0))
        return ALIGNED + (2.0 * s - 1.0) * ACROSS, 2.0 * ds / (self.duration - 1.0) * ACROSS

    def commanded(self, t):
        """Return the commanded pose.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        position : (3,) ndarray
            Position [m].
        quaternion : (4,) ndarray
            Orientation (x, y, z, w).
        """
        pose = self._robot.pose(self._joints(t)[0], END_EFFECTOR)
        return pose[:3, 3], quaternion_of(*pose[:3, :3].T)

    def target(self, t):
        """Return the target of the law, pose and twist.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        TaskTarget
            The target.
        """
        return TaskTarget(
            self._base, *self.commanded(t), self._robot.velocity(*self._joints(t), END_EFFECTOR)
        )


class StretchDrive:
    """Two single targets: one out of reach, and after half of the time the start.

    Parameters
    ----------
    robot : Robot
        The arm.
    """

    title, start, duration = 'stretched beyond reach and back, 6 joints', STRETCH, 9.0

    def __init__(self, robot):
        self._base = robot.model.body_names[0]
        pose = robot.pose(np.array(self.start), END_EFFECTOR)
        self._quaternion = quaternion_of(*pose[:3, :3].T)
        self._places = pose[:3, 3], stretched_target(robot)
        self._last = None

    def commanded(self, t):
        """Return the commanded pose.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        position : (3,) ndarray
            Position [m].
        quaternion : (4,) ndarray
            Orientation (x, y, z, w).
        """
        return self._places[t < 0.5 * self.duration], self._quaternion

    def target(self, t):
        """Return the target of the law, a pose.

        Parameters
        ----------
        t : float
            Time [s].

        Returns
        -------
        TaskTarget or None
            None if it equals the last target.
        """
        position = self.commanded(t)[0]
        if position is self._last:
            return None
        self._last = position
        return TaskTarget(self._base, position, self._quaternion)


#: {name of the drive: (arm of config/urdf, class)}.
DRIVES = {
    'eight': ('franka_like', EightDrive),
    'wrist': ('ur_like', WristDrive),
    'stretch': ('ur_like', StretchDrive),
}
