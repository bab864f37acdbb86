# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Measure how an arm comes to rest after each kind of stop: `python -m tools.pages.braking`.

Supervisor and simulated arm run in lock step, so that the table is the same on every machine.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, Trajectory
from robodyn_ros.control.laws.computed_torque import ComputedTorque
from robodyn_ros.simulation.plant import Plant
from tools.pages.markdown import renewed, table

ROOT = Path(__file__).resolve().parents[2]
PAGE, MARKER = ROOT / 'doc' / 'nodes' / 'controller.md', '<!-- numbers of braking -->'
PERIOD, REST = 1e-3, 0.01  # [s]; share of the kinetic energy
#: Postures in which the motion is fastest, near the middle of the ranges.
POSTURES = {
    'franka_like': (0.0, -0.3, 0.0, -1.8, 0.0, 1.6, 0.7),
    'ur_like': (0.0, -1.2, 1.2, -1.5, -1.6, 0.0),
    'two_link': (0.4, -0.7),
}
SHARE, FASTEST = 0.95, 3.0  # speed of each joint over its velocity limit; at most [rad/s]
TRAVEL = 1.2  # [rad] of the motion that is stopped half-way
WATCHED = 2.0  # [s] after the cause
STOPS = {
    'stop': '`~/stop`, FAULT',
    'states': 'joint states end',
    'frozen': 'joint states freeze',
    'references': 'targets end',
}
HEAD = (
    'Robot',
    'Its weight is held',
    'Stop',
    'Energy [J]',
    'Time to 1 % [s]',
    'Angle until then [rad]',
    'Energy after 2 s [J]',
)


class Rest(NamedTuple):
    """How an arm came to rest."""

    energy: float  # [J] kinetic energy when the cause began
    time: float  # [s] until REST of it was left; inf if that never happened
    angle: float  # [rad] that a joint moved until then, or in the whole time, the largest
    left: float  # [J] kinetic energy in the end
    supervisor: Supervisor


def brake(robot, compensated, kind, **changes):
    """Stop an arm in the middle of a fast motion.

    Parameters
    ----------
    robot : str
        A key of POSTURES.
    compensated : bool
        Whether the robot adds the gravity torque by itself.
    kind : str
        A key of STOPS.
    **changes
        Settings of the supervisor.

    Returns
    -------
    Rest
        How it came to rest.
    """
    arm = Robot.from_urdf(ROOT / 'config' / 'urdf' / f'{robot}.urdf')
    supervisor = supervise(arm, robot_compensates_gravity=compensated, **changes)
    begin, duration, way = motion(arm, robot)
    plant = Plant(arm, position=begin)
    cause = round(0.5 * duration / PERIOD)
    positions, energies = [], []
    for step in range(cause + round(WATCHED / PERIOD)):
        now, past = 10.0 + step * PERIOD, step >= cause
        if not past or kind != 'frozen':
            reading = plant.q.copy(), plant.qd.copy()
        if not past or kind != 'states':
            supervisor.measure(*reading, now)
        if step == 0:
            assert supervisor.activate(now) == ''
        if kind == 'references' and not past:
            t = (step + 1) * PERIOD / duration
            target = begin + (10.0 * t**3 - 15.0 * t**4 + 6.0 * t**5) * way
            rate = 30.0 * (t * (1.0 - t)) ** 2 * way / duration
            assert supervisor.stream_target(Trajectory([0.0], [target], [rate]), now) == ''
        elif kind != 'references' and step == 0:
            end = Trajectory([duration], [begin + way], *np.zeros((2, 1, arm.nv)))
            assert supervisor.follow(end, now) == ''
        elif kind == 'stop' and step == cause:
            supervisor.stop()
        supervisor.tick(now)
        helped = arm.gravity_torque(plant.q) if compensated else 0.0
        positions.append(plant.q.copy())
        energies.append(0.5 * plant.qd @ arm.mass_matrix(plant.q) @ plant.qd)
        plant.step(supervisor.command + helped, PERIOD)
    slow = np.flatnonzero(np.array(energies[cause:]) < REST * energies[cause])
    still = slow[0] if len(slow) else len(energies) - cause - 1
    ways = np.abs(np.array(positions[cause : cause + still + 1]) - positions[cause])
    time = still * PERIOD if len(slow) else np.inf
    return Rest(energies[cause], time, ways.max(), energies[-1], supervisor)


def motion(arm, name):
    """Return begin, duration and way of a quintic motion, fastest half-way."""
    speed = np.minimum(SHARE * arm.limits.velocity, FASTEST)
    duration = 15.0 / 8.0 * TRAVEL / speed.min()
    way = duration * speed * 8.0 / 15.0 * np.where(np.arange(arm.nv) % 2, -1.0, 1.0)
    return np.array(POSTURES[name]) - 0.5 * way, duration, way


def supervise(arm, **changes):
    """Return the supervisor of a robot under computed torque, with default limits."""
    n, limits = arm.nv, arm.limits
    return Supervisor(
        arm,
        ComputedTorque(arm),
        Settings(
            period=PERIOD,
            gains=np.array([[100.0] * n, [20.0] * n]),
            effort_limits=limits.effort,
            effort_rate=np.full(n, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
            **changes,
        ),
    )


def row(robot, compensated, kind, rest):
    """Return the cells of the table for one stop."""
    return (
        f'`{robot}`',
        'by itself' if compensated else 'by the controller',
        STOPS[kind],
        f'{rest.energy:.1f}',
        f'{rest.time:.2f}' if np.isfinite(rest.time) else '-',
        f'{rest.angle:.2f}',
        f'{rest.left:.1f}',
    )


def cases():
    """Return (robot, compensated, kind) of all rows."""
    return [(*each, kind) for each in itertools.product(POSTURES, (False, True)) for kind in STOPS]


def main():
    """Write the table into the page of the controller."""
    rows = [row(*case, brake(*case)) for case in cases()]
    PAGE.write_text(renewed(PAGE.read_text(), MARKER, table(HEAD, rows)))


if __name__ == '__main__':
    main()
