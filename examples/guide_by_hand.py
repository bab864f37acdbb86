# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Guide an arm by hand: gravity compensation, and a person who pushes the tool.

    python examples/guide_by_hand.py

The law compensates gravity and follows no reference. The tool moves during the push. Afterwards
joint friction stops the arm, which stays there.
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, law_class
from robodyn_ros.simulation import Plant

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
PERIOD = 1e-3  # [s]
PUSH = np.array([5.0, 0.0, 0.0, 0.0, 0.0, 0.0])  # [N, N m] along the tool's x axis
PUSHED, DURATION = 0.4, 4.0  # [s]
REPORTS = 8


def main():
    """Print positions of the tool over time; return them (k, 3) [m], and the last speed."""
    robot = Robot.from_urdf(URDF)
    limits = robot.limits
    supervisor = Supervisor(
        robot,
        law_class('gravity_compensation')(robot),
        Settings(
            period=PERIOD,
            gains=np.zeros((2, robot.nv)),
            effort_limits=limits.effort,
            effort_rate=np.full(robot.nv, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
        ),
    )
    plant = Plant(robot, position=[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    plant.apply_wrench('tool0', PUSH, PUSHED)
    supervisor.measure(plant.q, plant.qd, 0.0)
    refused = supervisor.activate(0.0)
    assert not refused, refused

    places, steps = [], round(DURATION / PERIOD)
    print('time [s]   tool x, y, z [m]           tool speed [m/s]')
    for k in range(steps + 1):
        places.append(robot.pose(plant.q, 'tool0')[:3, 3])
        speed = np.linalg.norm(robot.velocity(plant.q, plant.qd, 'tool0')[:3])
        if k % (steps // REPORTS) == 0:
            print(f'{plant.t:8.2f}   {np.round(places[-1], 4)!s:<24} {speed:10.5f}')
        supervisor.measure(plant.q, plant.qd, k * PERIOD)
        supervisor.tick(k * PERIOD)
        plant.step(supervisor.command, PERIOD)
    return np.array(places), speed


if __name__ == '__main__':
    main()
