# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random motions of an end effector through singular postures, with pass criteria. No ROS.

    robodyn_ros task_audit              48 drives: a table, audit/audit.json
    robodyn_ros task_audit --seeds 1    16 of them

The arms have six and seven joints. A quarter of the drives are joint motions through a singular
posture, which the arm can follow. The others are lines, circles and figure eights of the end
effector through its pose there. The arm cannot follow most of these. All are sent as pose and
twist, end at rest within reach, and take two, four or six seconds. Some exceed the limits of the
end effector, so that targets are refused.
"""

import argparse
import json
import re
import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.compile import warm_up
from robodyn_ros.console.robot_arguments import within
from robodyn_ros.control import Supervisor, TaskTarget
from robodyn_ros.control.laws.operational_space import HEAVIEST, LENGTH, OperationalSpace
from robodyn_ros.demonstration.result_files import ResultFolder, add_force
from robodyn_ros.demonstration.task_drives import quintic_rise
from robodyn_ros.demonstration.task_run import EFFORT_RATE, END_EFFECTOR, PERIOD, run_drive
from robodyn_ros.demonstration.text_table import aligned
from robodyn_ros.errors import RobodynError
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.spatial.turning import quaternion_of, turn_between, turn_by

REST = 5.0  # [s] at the end of a drive, for the end effector to return
RETURNED = 1e-3  # [m] largest distance plus rotation times `length` after the return
#: Arms, their kinds of singular postures, and the joints that are straight there.
ARMS = {'ur_like': {'wrist': (4,), 'elbow': (2,), 'shoulder': ()}, 'franka_like': {'any': None}}
SHAPES = 'joints', 'line', 'circle', 'eight'
HEAD = (
    'Postures',
    'drives',
    'largest joint speed / limit',
    'largest torque rate [N m/s]',
    'largest torque / limit',
    'error along controlled directions [mm]',
    'largest error [mm]',
    'error in the end [mm]',
    'longest return [s]',
    'not returned',
    'cycles limited',
)
#: Columns of largest values: name, factor and format.
LARGEST = (
    ('speed', 1.0, '.2f'),
    ('torque_rate', 1.0, '.0f'),
    ('torque', 1.0, '.2f'),
    ('kept_error_m', 1e3, '.1f'),
    ('largest_error_m', 1e3, '.0f'),
    ('last_error_m', 1e3, '.3f'),
    ('recovery_s', 1.0, '.1f'),
)


def singular_posture(robot, rng, straight=None):
    """Return a random singular posture within the limits, by Newton's method on sigma(q) = 0.

    Parameters
    ----------
    robot : Robot
        An arm of six or seven joints.
    rng : numpy.random.Generator
        Source of the random numbers.
    straight : sequence of int, optional
        Indices, of 2 and 4, of joints at zero; the other of them is far from zero. By default any.

    Returns
    -------
    (n,) ndarray
        The posture [rad].
    """
    lower, upper = np.maximum(robot.limits.lower, -2.5), np.minimum(robot.limits.upper, 2.5)
    room = 0.25 * (upper - lower)
    while True:
        q = rng.uniform(lower + room, upper - room)
        if straight is not None:
            q[list(straight)] = 0.0
        for _ in range(20):
            sigma, slope = least_singular_value(robot, q)
            if sigma < 1e-9:
                break
            q = q - sigma * slope / (slope @ slope)
        bent = straight is None or all(abs(np.sin(q[k])) > 0.3 for k in {2, 4} - set(straight))
        if sigma < 1e-6 and bent and np.all((q > lower + 0.5 * room) & (q < upper - 0.5 * room)):
            return q


def least_singular_value(robot, q, h=1e-6):
    """Return the least singular value of the Jacobian, and its gradient.

    The gradient is u^T dJ v with the singular vectors u and v.

    Parameters
    ----------
    robot : Robot
        An arm.
    q : (n,) ndarray
        Positions [rad].
    h : float
        Step of the finite differences [rad].

    Returns
    -------
    value : float
        The least singular value.
    gradient : (n,) ndarray
        Its derivatives by the positions.
    """
    U, sigma, V = np.linalg.svd(robot.jacobian(q, END_EFFECTOR), full_matrices=False)
    slope = np.empty(robot.nv)
    for k, step in enumerate(h * np.eye(robot.nv)):
        change = robot.jacobian(q + step, END_EFFECTOR) - robot.jacobian(q - step, END_EFFECTOR)
        slope[k] = U[:, -1] @ change @ V[-1] / (2.0 * h)
    return sigma[-1], slope


class JointsDrive:
    """A motion along a line in joint space, from one side of a singular posture to the other.

    Parameters
    ----------
    robot : Robot
        An arm.
    rng : numpy.random.Generator
        Source of the random numbers.
    singular : (n,) ndarray
        A singular posture [rad].
    across : (n,) ndarray
        Motion of the joints from the start to this posture [rad].
    duration : float
        Length of the motion [s]; REST follows.
    """

    def __init__(self, robot, rng, singular, across, duration):
        self._robot, self._base, self._moving = robot, robot.model.body_names[0], duration
        self._singular, self._across = singular, across
        self.start, self.duration = tuple(singular - across), duration + REST

    def _joints(self, t):
        """Return positions and rates of the joints at t."""
        s, ds, _ = quintic_rise(t / self._moving)
        return self._singular + (
            2.0 * s - 1.0
        ) * self._across, 2.0 * ds / self._moving * self._across

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
        twist = self._robot.velocity(*self._joints(t), END_EFFECTOR)
        return TaskTarget(self._base, *self.commanded(t), twist)


class ShapeDrive:
    """A line, a circle or an eight of the end effector through the singular pose and back.

    Parameters
    ----------
    robot : Robot
        An arm.
    rng : numpy.random.Generator
        Source of the random numbers.
    singular : (n,) ndarray
        A singular posture [rad].
    across : (n,) ndarray
        Motion of the joints from the start to this posture [rad].
    duration : float
        Length of the motion [s]; REST follows.
    shape : str
        'line', 'circle' or 'eight'.
    """

    def __init__(self, robot, rng, singular, across, duration, shape):
        start, middle = (robot.pose(q, END_EFFECTOR) for q in (singular - across, singular))
        self._base, self._moving, self._shape = robot.model.body_names[0], duration, shape
        self._place, self._quaternion = start[:3, 3], quaternion_of(*start[:3, :3].T)
        self._chord = middle[:3, 3] - start[:3, 3]
        side = np.cross(self._chord, rng.normal(size=3))
        self._side = 0.5 * np.linalg.norm(self._chord) * side / np.linalg.norm(side)
        self._turn = np.array(turn_between(quaternion_of(*middle[:3, :3].T), self._quaternion))
        self.start, self.duration = tuple(singular - across), duration + REST

    def _shares(self, t):
        """Return the shares of the chord (and rotation), and of the side, with their rates."""
        s, ds, _ = quintic_rise(t / self._moving)
        phi, rate = 2.0 * np.pi * s, 2.0 * np.pi * ds / self._moving
        if self._shape == 'line':
            return 1.0 - np.cos(phi), rate * np.sin(phi), 0.0, 0.0
        if self._shape == 'circle':
            return (
                0.5 - 0.5 * np.cos(phi),
                0.5 * rate * np.sin(phi),
                np.sin(phi),
                rate * np.cos(phi),
            )
        return np.sin(phi), rate * np.cos(phi), np.sin(2.0 * phi), 2.0 * rate * np.cos(2.0 * phi)

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
        along, _, beside, _ = self._shares(t)
        return (
            self._place + along * self._chord + beside * self._side,
            np.array(turn_by(along * self._turn, self._quaternion)),
        )

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
        _, along, _, beside = self._shares(t)
        return TaskTarget(
            self._base,
            *self.commanded(t),
            np.concatenate((along * self._chord + beside * self._side, along * self._turn)),
        )


def drives(seeds):
    """Yield every case, always the same ones.

    Parameters
    ----------
    seeds : int
        Number of drives of every kind.

    Yields
    ------
    name : str
        Name of the case.
    robot : Robot
        The robot.
    drive : JointsDrive or ShapeDrive
        The motion of its end effector.
    """
    for arm, kinds in ARMS.items():
        text = package_file(f'config/urdf/{arm}.urdf').read_text()
        # without joint friction, so that the final error is that of the law
        robot = Robot.from_urdf(re.sub('<dynamics[^>]*/>', '', text))
        for kind, straight in kinds.items():
            for seed in range(seeds):
                for k, shape in enumerate(SHAPES):
                    rng = np.random.default_rng((seed, k, len(kind)))
                    singular = singular_posture(robot, rng, straight)
                    across = rng.uniform(0.1, 0.4, robot.nv) * rng.choice((-1.0, 1.0), robot.nv)
                    across *= 1.0 if shape == 'joints' else 0.3
                    duration = float(rng.choice((2.0, 4.0, 6.0)))
                    name = f'{arm} {kind} {shape} {duration:g} s #{seed}'
                    yield (
                        name,
                        robot,
                        (
                            JointsDrive(robot, rng, singular, across, duration)
                            if shape == 'joints'
                            else ShapeDrive(robot, rng, singular, across, duration, shape)
                        ),
                    )


def figures(robot, record, duration):
    """Return the numbers of one drive.

    Parameters
    ----------
    robot : Robot
        The robot.
    record : Record
        Its time series.
    duration : float
        Length of the motion before REST [s].

    Returns
    -------
    dict
        {name: number}.
    """
    values = OperationalSpace(robot, END_EFFECTOR).values
    error = record.error + values[LENGTH] * record.rotation
    away = np.flatnonzero(error > RETURNED)
    last = away[-1] + 1 if away.size else 0
    return {
        'speed': float(record.speed.max()),
        'torque_rate': float(record.rate.max()),
        'torque': float((np.abs(record.torque) / record.limits.effort).max()),
        'kept_error_m': float(kept_error(robot, record, values).max()),
        'largest_error_m': float(error.max()),
        'last_error_m': float(error[-1]),
        'recovery_s': max(0.0, last * PERIOD - duration) if last < error.size else None,
        'least_share': float(record.shares.min()),
        'margin': float(record.margin.min()),
        'limited_cycles': record.limited,
        'refused': record.refused,
        'faults': record.faults,
    }


def kept_error(robot, record, values, every=10):
    """Return the error of the end effector along fully controlled directions.

    Parameters
    ----------
    robot : Robot
        The robot.
    record : Record
        The time series of a drive.
    values : dict
        Parameters of the law.
    every : int
        Cycles between two errors.

    Returns
    -------
    (k,) ndarray
        Errors [m]. Rotations count with the length of the law.
    """
    S = np.array([1.0] * 3 + [values[LENGTH]] * 3)
    compliance = robot.operational_space_inertia(record.q[::every], END_EFFECTOR).inverse
    value, vectors = np.linalg.eigh(S[:, None] * compliance * S)
    parts = np.einsum('kij,ki->kj', vectors, S * record.reference_error[::every])
    return np.sqrt((parts**2 * (value > 1.0 / values[HEAVIEST])).sum(axis=1))


def rows(found):
    """Return the cells of the table.

    Parameters
    ----------
    found : dict
        {name of the case: its numbers}.

    Returns
    -------
    list of tuple of str
        A row for each arm and kind of posture.
    """
    groups = {}
    for name, numbers in found.items():
        groups.setdefault(tuple(name.split()[:2]), []).append(numbers)
    return [
        (
            ' '.join(group),
            f'{len(each)}',
            *(
                f'{scale * max(numbers[key] or 0.0 for numbers in each):{form}}'
                for key, scale, form in LARGEST
            ),
            f'{sum(numbers["recovery_s"] is None for numbers in each)}',
            f'{sum(numbers["limited_cycles"] + numbers["faults"] for numbers in each)}',
        )
        for group, each in groups.items()
    ]


def succeeded(found):
    """Return whether no joint was too fast, and no guard acted.

    Parameters
    ----------
    found : dict
        {name of the case: its numbers}.
    """
    return all(
        numbers['speed'] < 1.0
        and numbers['torque_rate'] <= EFFORT_RATE
        and not numbers['limited_cycles']
        and not numbers['faults']
        for numbers in found.values()
    )


def main(args=None):
    """Run the drives.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments of the command; by default those of this process.

    Returns
    -------
    int
        The exit code: 0 if no joint was too fast and no guard acted, else 1.
    """
    parser = argparse.ArgumentParser(
        prog='robodyn_ros task_audit',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        '--seeds', type=within(int, 1, 1e6), default=3, help='drives of every kind'
    )
    parser.add_argument(
        '--output', type=Path, default=Path('audit'), help='folder for the results'
    )
    add_force(parser)
    options = parser.parse_args(args)
    try:
        results = ResultFolder(options, ('audit.json',), own=Path('audit'))
    except RobodynError as error:
        print(f'Refused: {error}', file=sys.stderr)
        return 1
    warm_up(Supervisor.kernels(OperationalSpace))
    found = {}
    for name, robot, drive in drives(options.seeds):
        found[name] = figures(robot, run_drive(robot, drive), drive.duration - REST)
        print(
            f'{name:34}',
            ' '.join(
                f'{key}={"never" if value is None else format(value, ".3g")}'
                for key, value in found[name].items()
            ),
            flush=True,
        )
    results.write('audit.json', json.dumps(found, indent=2) + '\n')
    print(aligned([*zip(HEAD, *rows(found))]))
    return 0 if succeeded(found) else 1


if __name__ == '__main__':
    sys.exit(main())
