# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Move an end effector: an eight, a singular posture, and a target out of reach.

    python examples/move_an_end_effector.py [operational_space.png]

The supervisor is the one that runs in the controller node, under `operational_space`. Time is
simulated, so the numbers are the same on every machine.
"""

import sys
from pathlib import Path
from typing import Callable, NamedTuple

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, TaskTarget, law_class
from robodyn_ros.control.reference.task_reference import POSITION, QUATERNION
from robodyn_ros.simulation import Plant
from robodyn_ros.spatial.turning import quaternion_of, turn_between

FOLDER = Path(__file__).resolve().parents[1] / 'config' / 'urdf'
PERIOD, STREAM = 1e-3, 10  # [s] of the control loop, and cycles between targets
EFFORT_RATE = 1000.0  # [N m/s]
REACH = np.array([0.0, -0.4, 0.0, -2.0, 0.0, 1.6, 0.8])  # elbow and wrist bent, seven joints
STRETCH = np.array([0.0, -1.0, 1.2, -1.2, -1.4, 0.0])  # the same of six joints
ALIGNED = np.array([0.3, -1.3, 1.6, -0.9, 0.0, 0.4])  # axes 4 and 6 of six are parallel
ACROSS = np.array([0.25, 0.15, 0.2, -0.2, 0.7, 0.3])  # from this posture to either side
SHOULDER, BEYOND = np.array([0.0, 0.0, 0.1625]), 0.45  # [m] of six joints, and a target's distance


class Drive(NamedTuple):
    """A motion: `pose(t)` is position and quaternion, `twist(t)` None for single targets."""

    start: np.ndarray
    duration: float
    pose: Callable
    twist: Callable | None


class Record(NamedTuple):
    """A drive over time: places [m], angles [rad], shares, states, torques [N m], and counts."""

    commanded: np.ndarray
    reached: np.ndarray
    rotation: np.ndarray
    shares: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    torque: np.ndarray
    limited: int
    refused: int
    faults: int

    @property
    def error(self):
        """Distance of the end effector from its commanded position [m]."""
        return np.linalg.norm(self.commanded - self.reached, axis=1)

    @property
    def rate(self):
        """Largest rate of change of a joint's torque [N m/s]."""
        return np.abs(np.diff(self.torque, axis=0)).max() / PERIOD


def main(picture=None):
    """Print the figures of each drive; return {name: (record, cells)}."""
    found = {}
    print('                            mm    mrad     end   share   N m/s  torque limited')
    for name, (urdf, drive) in DRIVES.items():
        robot = Robot.from_urdf(FOLDER / f'{urdf}.urdf')
        record = run(robot, drive(robot))
        found[name] = record, cells(record, robot.limits)
        print(f'{name:<22}' + ''.join(f'{cell:>8}' for cell in found[name][1]))
    if picture:
        draw({name: record for name, (record, _) in found.items()}, picture)
    return found


def rise(x):
    """Return a quintic from 0 to 1 over x in [0, 1], and its first and second derivative."""
    x = np.clip(x, 0.0, 1.0)
    return (
        x**3 * (10.0 + x * (6.0 * x - 15.0)),
        30.0 * x**2 * (1.0 - x) ** 2,
        60.0 * x * (1.0 - x) * (1.0 - 2.0 * x),
    )


def quaternion(pose):
    """Return the orientation of a pose (4, 4) as x, y, z, w."""
    return np.array(quaternion_of(*pose[:3, :3].T))


def eight_about(centre, duration=16.0, width=0.14, height=0.06, frequency=0.2, ramp=3.0):
    """Return a function of time: position and velocity [m, m/s] of an eight in the y-z plane."""
    w = 2.0 * np.pi * frequency

    def at(t):
        rising = t < 0.5 * duration
        s, ds, _ = rise((t if rising else duration - t) / ramp)
        ds *= (1.0 if rising else -1.0) / ramp
        a = np.array([0.0, width * np.sin(w * t), height * np.sin(2.0 * w * t)])
        da = w * np.array([0.0, width * np.cos(w * t), 2.0 * height * np.cos(2.0 * w * t)])
        return centre + s * a, ds * a + s * da

    return at


def eight(robot, start=REACH):
    """A figure eight of 0.28 m width, with the orientation at the start."""
    pose, duration = robot.pose(start, 'flange'), 16.0
    at, turned = eight_about(pose[:3, 3], duration), quaternion(pose)
    return Drive(
        start,
        duration,
        lambda t: (at(t)[0], turned),
        lambda t: np.concatenate((at(t)[1], np.zeros(3))),
    )


def through(robot, middle=ALIGNED, across=ACROSS, moving=6.0, rest=1.0):
    """A line in joint space from one side of a posture to the other, as poses and twists."""

    def joints(t):
        s, ds, _ = rise(t / moving)
        return middle + (2.0 * s - 1.0) * across, 2.0 * ds / moving * across

    def pose(t):
        at = robot.pose(joints(t)[0], 'flange')
        return at[:3, 3], quaternion(at)

    return Drive(
        middle - across, moving + rest, pose, lambda t: robot.velocity(*joints(t), 'flange')
    )


def beyond(robot):
    """Return a point out of reach, on the line from the shoulder to the end effector."""
    tip = robot.pose(STRETCH, 'flange')[:3, 3]
    return tip + BEYOND * (tip - SHOULDER) / np.linalg.norm(tip - SHOULDER)


def stretch(robot):
    """Two single targets: one out of reach, and after half of the time the start."""
    pose, duration = robot.pose(STRETCH, 'flange'), 9.0
    places, turned = (pose[:3, 3], beyond(robot)), quaternion(pose)
    return Drive(STRETCH, duration, lambda t: (places[t < 0.5 * duration], turned), None)


def run(robot, drive):
    """Run one drive of the simulated arm under the supervisor, from activation to the end."""
    law, limits, one = (
        law_class('operational_space')(robot, 'flange'),
        robot.limits,
        np.ones(robot.nv),
    )
    settings = Settings(
        period=PERIOD,
        gains=np.outer([100.0, 20.0], one),  # of the posture
        effort_limits=limits.effort,
        effort_rate=EFFORT_RATE * one,
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )
    supervisor, plant = Supervisor(robot, law, settings), Plant(robot, position=drive.start)
    refusal = supervisor.measure(plant.q, plant.qd, 0.0) or supervisor.activate(0.0)
    assert not refusal, refusal
    base, last, refused, first, rows = robot.model.body_names[0], None, 0, 0, []
    for k in range(round(drive.duration / PERIOD)):
        now = k * PERIOD
        position, turned = drive.pose(now)
        if k % STREAM == 0 and (drive.twist or position is not last):
            twist, last = drive.twist and drive.twist(now), position
            refused += (
                supervisor.set_task_target(TaskTarget(base, position, turned, twist), now) != ''
            )
        supervisor.measure(plant.q, plant.qd, now)
        supervisor.tick(now)
        if k == 0:  # the rate limit counts this cycle, since no time has passed
            first = limited(supervisor)
        measured = law.task.measured
        rows.append(
            (
                position,
                measured[POSITION, :3].copy(),
                np.linalg.norm(turn_between(turned, measured[QUATERNION])),
                np.sort(law.task.shares),
                plant.q.copy(),
                plant.qd.copy(),
                supervisor.unlimited.copy(),
            )
        )
        plant.step(supervisor.command, PERIOD)
    counts = limited(supervisor) - first, refused, supervisor.counters['faults'] + plant.faults
    return Record(*map(np.array, zip(*rows)), *counts)


def limited(supervisor):
    """Return the number of cycles in which a guard changed the torque."""
    names = 'rate_limited', 'effort_limited', 'position_guarded'
    return sum(supervisor.counters[name] for name in names)


def cells(record, limits):
    """Return the cells of the table of a drive."""
    return (
        f'{1e3 * record.error.max():.2f}',
        f'{1e3 * record.rotation.max():.1f}',
        f'{1e3 * record.error[-1]:.2f}',
        f'{record.shares.min():.2f}',
        f'{record.rate:.0f}',
        f'{(np.abs(record.torque) / limits.effort).max():.2f}',
        f'{record.limited}',
    )


def draw(records, path):
    """Plot the eight, and errors and shares of both singular drives over time."""
    from matplotlib import pyplot as plt

    figure, (left, *others) = plt.subplots(1, 3, figsize=(14, 4), layout='constrained')
    (name, record), *singular = records.items()
    left.plot(*1e3 * record.commanded[:, 1:].T, 'k--', lw=1.2, label='commanded')
    left.plot(*1e3 * record.reached[:, 1:].T, lw=0.8, label='reached')
    left.set(title=name, xlabel='y [mm]', ylabel='z [mm]', aspect='equal')
    left.legend(loc='upper right')
    for axes, (name, record) in zip(others, singular):
        time, right = PERIOD * np.arange(len(record.error)), axes.twinx()
        axes.plot(time, 1e3 * record.error, 'k', lw=0.9)
        axes.set(title=name, xlabel='time [s]', ylabel='position error [mm]')
        right.plot(time, record.shares[:, 0], 'tab:orange', lw=1.2)
        right.set_ylim(-0.05, 1.05)
        right.set_ylabel('least share controlled', color='tab:orange')
    figure.savefig(path, dpi=100)


#: {name of the drive: (arm of config/urdf, function of the robot)}.
DRIVES = {
    'figure eight': ('franka_like', eight),
    'wrist alignment': ('ur_like', through),
    'stretch and back': ('ur_like', stretch),
}


if __name__ == '__main__':
    main(*sys.argv[1:])
