# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run a drive of the end effector of a simulated arm under the supervisor, and record it."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.control import Settings, Supervisor, law_class
from robodyn_ros.control.reference.task_reference import ERROR, POSITION, QUATERNION, TURN
from robodyn_ros.errors import RobodynError
from robodyn_ros.simulation import Plant
from robodyn_ros.spatial.turning import turn_between

LAW, END_EFFECTOR = 'operational_space', 'flange'
PERIOD = 1e-3  # [s]
STREAM = 0.01  # [s] between targets of a stream
EFFORT_RATE = 1000.0  # [N m/s]
POSTURE_GAINS = 100.0, 20.0  # [1/s^2, 1/s] position and velocity gain of the posture


@dataclass(frozen=True, eq=False)
class Record:
    """One drive over time.

    Parameters
    ----------
    commanded, reached : (k, 3) ndarray
        Commanded and actual position of the end effector [m].
    rotation : (k,) ndarray
        Angle between commanded and actual orientation [rad].
    reference_error : (k, 6) ndarray
        Error of the end effector against the reference of the law [m, rad].
    shares : (k, 6) ndarray
        Share to which each direction is controlled, sorted [-].
    q, qd : (k, nv) ndarray
        State of the joints.
    torque : (k, nv) ndarray
        Torque of the law before the guards [N m].
    limited : int
        Cycles in which a guard changed the torque.
    refused, faults : int
        Number of refused targets, and of faults.
    limits : JointLimits
        Limits of the robot.
    """

    commanded: np.ndarray
    reached: np.ndarray
    rotation: np.ndarray
    reference_error: np.ndarray
    shares: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    limited: int
    refused: int
    faults: int
    limits: object

    @property
    def rate(self):
        """Largest rate of change of a joint's torque, (k - 1,) [N m/s]."""
        return np.abs(np.diff(self.torque, axis=0)).max(axis=1) / PERIOD

    @property
    def error(self):
        """Distance of the end effector from its commanded position, (k,) [m]."""
        return np.linalg.norm(self.commanded - self.reached, axis=1)

    @property
    def speed(self):
        """Largest joint velocity over its limit, (k,) [-]."""
        return np.abs(self.qd / self.limits.velocity).max(axis=1)

    @property
    def margin(self):
        """Least distance of a joint from its position limits, (k,) [rad]."""
        return np.minimum(self.q - self.limits.lower, self.limits.upper - self.q).min(axis=1)


def settings(robot):
    """Return the settings of a supervisor, with guards at the robot's limits.

    Parameters
    ----------
    robot : Robot
        The arm.

    Returns
    -------
    Settings
        The settings.
    """
    limits, one = robot.limits, np.ones(robot.nv)
    return Settings(
        period=PERIOD,
        gains=np.outer(POSTURE_GAINS, one),
        effort_limits=limits.effort,
        effort_rate=EFFORT_RATE * one,
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )


def run_drive(robot, drive, progress=lambda share: None):
    """Run one drive of the simulated arm under the supervisor, from activation to the end.

    Parameters
    ----------
    robot : Robot
        The arm.
    drive : object
        With start (nv,), duration [s], commanded(t) and target(t), see task_drives.py.
    progress : callable
        Called with the share done.

    Returns
    -------
    Record
        Its time series.

    Raises
    ------
    RobodynError
        If the arm cannot be activated.
    """
    law = law_class(LAW)(robot, END_EFFECTOR)
    supervisor, plant = Supervisor(robot, law, settings(robot)), Plant(robot, position=drive.start)
    steps, every = round(drive.duration / PERIOD), round(STREAM / PERIOD)
    commanded, reached = np.empty((2, steps, 3))
    rotation = np.empty(steps)
    reference_error, shares = np.empty((2, steps, 6))
    q, qd, torque = np.empty((3, steps, robot.nv))
    sentence = supervisor.measure(plant.q, plant.qd, 0.0) or supervisor.activate(0.0)
    if sentence:
        raise RobodynError(sentence)
    first, refused = 0, 0
    for k in range(steps):
        now = k * PERIOD
        target = drive.target(now) if k % every == 0 else None
        if target is not None:
            refused += supervisor.set_task_target(target, now) != ''
        supervisor.measure(plant.q, plant.qd, now)
        supervisor.tick(now)
        if k == 0:  # the rate limit counts this cycle, since no time has passed
            first = limited(supervisor)
        commanded[k], orientation = drive.commanded(now)
        reached[k] = law.task.measured[POSITION, :3]
        rotation[k] = np.linalg.norm(turn_between(orientation, law.task.measured[QUATERNION]))
        reference_error[k] = np.ravel(law.task.measured[ERROR : TURN + 1, :3])
        shares[k], torque[k] = np.sort(law.task.shares), supervisor.unlimited
        q[k], qd[k] = plant.q, plant.qd
        plant.step(supervisor.command, PERIOD)
        if k % 500 == 0:
            progress(k / steps)
    progress(1.0)
    return Record(
        commanded,
        reached,
        rotation,
        reference_error,
        shares,
        q,
        qd,
        torque,
        limited(supervisor) - first,
        refused,
        supervisor.counters['faults'] + plant.faults,
        robot.limits,
    )


def limited(supervisor):
    """Return the number of cycles in which a guard changed the torque.

    Parameters
    ----------
    supervisor : Supervisor
        The supervisor.
    """
    counters = supervisor.counters
    return sum(counters[name] for name in ('rate_limited', 'effort_limited', 'position_guarded'))
