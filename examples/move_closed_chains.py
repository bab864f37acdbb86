# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Move a palletizer and a gripper: robots with closed loops, under computed torque.

    python examples/move_closed_chains.py [picture.png]

A URDF has the tree of the bars, and a YAML file has the pins that close the loops. The motors are
the independent joints. No motor keeps the plate of the palletizer level, or the fingers of the
gripper parallel: the loops do. Only the rotation of the plate about the vertical is free, and a
motor controls it.
"""

import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model import urdf
from robodyn_ros.model.sources.closure_file import loops_of
from robodyn_ros.simulation import Plant

FOLDER = Path(__file__).resolve().parents[1] / 'config' / 'mechanisms'
#: Robot, the link that does not tilt, and how far its motors move [rad].
MOTIONS = {
    'palletizer': ('plate', {'turn': 0.0, 'shoulder': -0.7, 'crank': 0.5, 'flange': 0.0}),
    'gripper': ('left_finger', {'left_knuckle': -0.5}),
}
PERIOD, SECONDS, GAINS = 1e-3, 1.5, (400.0, 40.0)


def robot_of(name):
    """Return a robot of config/mechanisms."""
    return Robot.from_urdf(FOLDER / f'{name}.urdf', closures=FOLDER / f'{name}.yaml')


def reference(start, travel, t):
    """Return position, velocity and acceleration of a smooth motion at time t."""
    s = min(t / SECONDS, 1.0)
    shape = (
        s**3 * (10.0 - 15.0 * s + 6.0 * s**2),
        30.0 * s**2 * (1.0 - s) ** 2 / SECONDS,
        60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / SECONDS**2,
    )
    return [start * (k == 0) + each * travel for k, each in enumerate(shape)]


def move(name):
    """Return positions (k, nq), errors (k, nv) and tilts of the level link (k,) of one motion."""
    robot, (level, travel) = robot_of(name), MOTIONS[name]
    plant = Plant(robot)
    start, travel = plant.q.copy(), np.array([travel[joint] for joint in robot.joint_names])
    vertical, found = robot.pose(start, level)[2, :3], []  # in axes of the level link
    for k in range(round(SECONDS / PERIOD)):
        q, qd, qdd = reference(start, travel, k * PERIOD)
        error = q - plant.q
        wanted = qdd + GAINS[0] * error + GAINS[1] * (qd - plant.qd)
        effort = robot.inverse_dynamics(plant.q, plant.qd, wanted)
        tilt = np.abs(robot.pose(plant.q, level)[2, :3] - vertical).max()
        found.append((plant.q.copy(), error, tilt))
        plant.step(effort, PERIOD)
    return [np.array(each) for each in zip(*found)]


def bars(name, robot, q):
    """Return the points (2, 3) of the bars of a robot: from each joint to the next ones."""
    ends = {}
    for joint in urdf.parse(FOLDER / f'{name}.urdf').joints:
        ends.setdefault(joint.parent, []).append(joint.placement.translation)
    for closure in loops_of(FOLDER / f'{name}.yaml').closures:
        for link, place in ((closure.a, closure.place_a), (closure.b, closure.place_b)):
            ends.setdefault(link, []).append(place.translation)
    for link, points in ends.items():
        X = robot.pose(q, link)
        for point in points:
            yield np.array([X[:3, 3], X[:3, :3] @ point + X[:3, 3]])


def draw(motions, file):
    """Write a picture of the motions, seen from the side."""
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(1, len(motions), figsize=(10, 4.5), layout='constrained')
    for axis, (name, (positions, *_)) in zip(axes, motions.items()):
        robot, shown = robot_of(name), positions[:: len(positions) // 5]
        for k, q in enumerate(shown):
            for bar in bars(name, robot, q):
                colour = pyplot.get_cmap('viridis')(k / len(shown))
                axis.plot(bar[:, 0], bar[:, 2], color=colour, linewidth=2.0, marker='.')
        axis.set(title=name, xlabel='x [m]', ylabel='z [m]', aspect='equal')
    figure.savefig(file, dpi=110)


def main(arguments=()):
    """Print tracking errors and tilts; return {robot: motion}."""
    motions = {name: move(name) for name in MOTIONS}
    for name, (_, errors, tilts) in motions.items():
        print(
            f'{name}: largest error {1e3 * np.abs(errors).max():.3f} mrad, '
            f'the {MOTIONS[name][0]} tilts by {tilts.max():.1g} rad'
        )
    for file in arguments[:1]:
        draw(motions, file)
    return motions


if __name__ == '__main__':
    main(sys.argv[1:])
