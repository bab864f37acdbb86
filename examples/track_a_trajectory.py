# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Track a trajectory: one simulated arm, one motion, three control laws.

    python examples/track_a_trajectory.py [tracking_example.png]

The supervisor is the one that runs in the controller node, with the same limits. Time is
simulated, so the numbers are the same on every machine.
"""

import sys
from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, Trajectory, law_class
from robodyn_ros.simulation import Plant

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
PERIOD = 1e-3  # [s] of the control loop
FREQUENCY = 20.0  # [rad/s] natural frequency of every joint
LAWS = ('pd', 'pd_gravity', 'computed_torque')


def main(picture=None):
    """Print the root mean square error of each law [mrad]; return {law: errors (k, nv) [rad]}."""
    robot = Robot.from_urdf(URDF)
    home = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    trajectory = there_and_back(home, home + 0.5)
    errors = {law: track(robot, law, home, trajectory) for law in LAWS}
    for law, error in errors.items():
        print(f'{law:<16} {1e3 * np.sqrt(np.mean(error**2)):8.3f} mrad')
    if picture:
        draw(errors, picture)
    return errors


def there_and_back(start, goal, duration=2.0):
    """Return a quintic motion from rest to rest, to the goal and back."""
    rest = np.zeros((3, len(start)))
    return Trajectory(
        times=[0.0, duration, 2.0 * duration],
        positions=[start, goal, start],
        velocities=rest,
        accelerations=rest,
    )


def track(robot, law, start, trajectory):
    """Return the tracking errors (k, nv) [rad] of one law."""
    supervisor = Supervisor(robot, law_class(law)(robot), settings(robot, law, start))
    plant = Plant(robot, position=start)
    supervisor.measure(plant.q, plant.qd, 0.0)
    refused = supervisor.activate(0.0) or supervisor.follow(trajectory, 0.0)
    assert not refused, refused
    errors = []
    for k in range(round(trajectory.times[-1] / PERIOD)):
        supervisor.measure(plant.q, plant.qd, k * PERIOD)
        supervisor.tick(k * PERIOD)
        errors.append(supervisor.reference[0] - plant.q)
        plant.step(supervisor.command, PERIOD)
    return np.array(errors)


def settings(robot, law, q):
    """Return the robot's own limits, and gains of the same stiffness for every law."""
    gains = np.outer([FREQUENCY**2, 2.0 * FREQUENCY], np.ones(robot.nv))
    if law != 'computed_torque':  # only its gains are per unit of inertia
        gains *= np.diag(robot.mass_matrix(q))
    limits = robot.limits
    return Settings(
        period=PERIOD,
        gains=gains,
        effort_limits=limits.effort,
        effort_rate=np.full(robot.nv, 1000.0),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )


def draw(errors, path):
    """Plot the largest joint error over time, on a logarithmic scale."""
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(8, 3.5), layout='constrained')
    for law, error in errors.items():
        axes.semilogy(PERIOD * np.arange(len(error)), 1e3 * np.abs(error).max(axis=1), label=law)
    axes.set(xlabel='time [s]', ylabel='largest joint error [mrad]')
    axes.legend()
    figure.savefig(path, dpi=110)


if __name__ == '__main__':
    main(*sys.argv[1:])
