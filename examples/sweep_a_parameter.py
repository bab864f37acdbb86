# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sweep a parameter: the joint damping that settles fastest, over 64 simulated arms.

    python examples/sweep_a_parameter.py

`Plant.rollout` steps many arms on all cores. Each has the same bits as a plant alone. All arms
start up to 0.2 rad from their target. Each rollout has its own damping ratio.
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.simulation import Plant, PlantSettings

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
STEP, STEPS = 1e-3, 3000  # [s], and their number
ARMS = 64
FREQUENCY = 10.0  # [rad/s] natural frequency of every joint
RATIOS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0, 1.5, 2.0)
SETTLED = 0.02  # [rad] largest error of a settled arm


def main():
    """Print the mean settling time of each damping ratio; return {ratio: time [s]}."""
    robot = Robot.from_urdf(URDF)
    plant = Plant(robot, PlantSettings(damping_scale=0.0, friction_scale=0.0))
    rng = np.random.default_rng(0)
    home = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    starts = home + rng.uniform(-0.2, 0.2, (ARMS, robot.nv))
    hold = np.tile(robot.gravity_torque(home), (STEPS, 1))
    target = np.broadcast_to([home, np.zeros(robot.nv)], (STEPS, 2, robot.nv))
    inertia = np.diag(robot.mass_matrix(home))

    times = {}
    print(f'{ARMS} arms, damping ratio and mean settling time')
    for ratio in RATIOS:
        gains = np.array([FREQUENCY**2 * inertia, 2.0 * ratio * FREQUENCY * inertia])
        states = plant.rollout(starts, np.zeros(robot.nv), hold, STEP, gains, target)
        errors = np.abs(states.position - home).max(axis=2)
        outside = errors > SETTLED
        last = STEPS - np.argmax(outside[:, ::-1], axis=1)  # the last step outside
        times[ratio] = STEP * np.mean(last)
        print(f'{ratio:5.2f} {times[ratio]:6.2f} s  {"#" * round(20 * times[ratio])}')
    return times


if __name__ == '__main__':
    main()
