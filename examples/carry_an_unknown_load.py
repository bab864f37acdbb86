# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Carry an unknown load: four control laws, of which one learns the load.

    python examples/carry_an_unknown_load.py [laws.png]

The supervisor is the one that runs in the controller node. Time is simulated, so the numbers are
the same on every machine.
"""

import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, Trajectory, law_class
from robodyn_ros.demonstration.motion import swaying_motion
from robodyn_ros.simulation import Plant

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
PERIOD = 1e-3  # [s] of the control loop
DURATION, PART = 20.0, 4.0  # [s] of a run, and of its first and last part, which are compared
FREQUENCY = 10.0  # [rad/s] of each joint, critically damped
SOFTEST = 0.1  # [kg m^2] smallest inertia for the stiffness, since that of a wrist is tiny
LOAD, COM, GYRATION = 3.0, (0.0, 0.0, 0.1), 0.05  # [kg, m, m] of the load at the flange
LAWS = {
    'pd_gravity': 'PD + gravity',
    'computed_torque': 'computed torque',
    'passivity': 'passivity',
    'adaptive_computed_torque': 'adaptive',
}


def main(picture=None):
    """Print the errors of each law; return {law: (errors, learnt mass, cells, faults)}."""
    robot = Robot.from_urdf(URDF)
    loaded = robot.with_payload('flange', LOAD, COM, LOAD * GYRATION**2 * np.eye(3))
    found = {law: carry(robot, loaded, law) for law in LAWS}
    print('mrad, mm            first    last largest   tip  torque  limited %')
    for law, (_, _, cells, _) in found.items():
        print(f'{LAWS[law]:<17}' + ''.join(f'{cell:>8}' for cell in cells))
    if picture:
        draw(found, picture)
    return found


def carry(robot, loaded, law):
    """Return joint errors [rad], learnt mass [kg], cells of the table and faults of one law."""
    motion = swaying_motion(robot.limits, DURATION)
    times = np.arange(0.05, DURATION + 0.025, 0.05)
    q, qd, qdd = motion.at(times)
    qd[-1] = 0.0  # not exactly zero by the sine of a rounded angle
    supervisor = Supervisor(robot, law_class(law)(robot), settings(robot, law, motion.centre))
    plant, steps = Plant(loaded, position=motion.centre), round(DURATION / PERIOD)
    supervisor.measure(plant.q, plant.qd, 0.0)
    refused = supervisor.activate(0.0) or supervisor.follow(Trajectory(times, q, qd, qdd), 0.0)
    assert not refused, refused
    (errors, efforts), tip, mass = np.empty((2, steps, robot.nv)), np.empty(steps), np.empty(steps)
    for k in range(steps):
        supervisor.measure(plant.q, plant.qd, k * PERIOD)
        supervisor.tick(k * PERIOD)
        wanted = supervisor.reference[0]
        errors[k], efforts[k] = wanted - plant.q, supervisor.command
        tip[k] = np.linalg.norm(
            robot.pose(wanted, 'flange')[:3, 3] - robot.pose(plant.q, 'flange')[:3, 3]
        )
        mass[k] = supervisor.law.learnt[:, 0].sum() if hasattr(supervisor.law, 'learnt') else 0.0
        plant.step(supervisor.command, PERIOD)
    part, counters = round(PART / PERIOD), supervisor.counters
    first, last, tip = (
        1e3 * np.sqrt(np.mean(each**2)) for each in (errors[:part], errors[-part:], tip[-part:])
    )
    cells = (
        f'{first:.1f}',
        f'{last:.1f}',
        f'{1e3 * np.abs(errors).max():.0f}',
        f'{tip:.1f}',
        f'{(np.abs(efforts) / robot.limits.effort).max():.2f}',
        f'{100 * counters["effort_limited"] / steps:.1f}',
    )
    return errors, mass, cells, counters['faults'] + plant.faults


def settings(robot, law, q):
    """Return the robot's own limits, and gains of the same stiffness for every law."""
    inertia = np.diag(robot.mass_matrix(q))
    stiffness = np.maximum(inertia, SOFTEST)
    if law == 'computed_torque':  # only its gains are per unit of inertia
        stiffness = stiffness / inertia
    limits = robot.limits
    return Settings(
        period=PERIOD,
        gains=np.array([FREQUENCY**2 * stiffness, 2.0 * FREQUENCY * stiffness]),
        effort_limits=limits.effort,
        effort_rate=np.full(robot.nv, 1000.0),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
        following_action='warn',  # the errors are what is shown
    )


def draw(found, path):
    """Plot the error of every law over time, and the learnt mass."""
    from matplotlib import pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(13, 4.5), layout='constrained')
    for law, (errors, _, _, _) in found.items():
        time, norm = PERIOD * np.arange(len(errors)), 1e3 * np.linalg.norm(errors, axis=1)
        left.semilogy(time, np.maximum(norm, 1e-4), lw=1.0, label=LAWS[law])
    left.set(xlabel='time [s]', ylabel='error, norm over the joints [mrad]', ylim=(0.5, None))
    right.plot(time, found['adaptive_computed_torque'][1], label='learnt by the adaptive law')
    right.axhline(LOAD, color='k', ls='--', lw=0.8, label='mass of the load')
    right.set(xlabel='time [s]', ylabel='[kg]')
    for axes in (left, right):
        axes.grid(alpha=0.3, which='both')
        axes.legend(loc='lower right')
    figure.savefig(path, dpi=100)


if __name__ == '__main__':
    main(*sys.argv[1:])
