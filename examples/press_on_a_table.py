# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Press on a table: an arm lowers its fingertip, touches, and pushes with 20 N.

    python examples/press_on_a_table.py

The torque compensates gravity, applies a force at the fingertip, and damps. The plant computes the
force of the table. The torque does not depend on the place of the table.
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model.contacts import Contacts, Obstacle, sphere
from robodyn_ros.simulation import Plant, PlantSettings

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
START = [0.3, 0.4, -0.2, -1.9, 0.1, 2.3, 0.5]
PUSH = np.array([0.0, 0.0, -20.0])  # [N]
STEP, TIME = 1e-3, 2.0  # [s]


def main():
    """Print height and force; return rows of time, height [m] and normal force [N]."""
    robot = Robot.from_urdf(URDF)
    tip = robot.pose(START, 'tool0')[:3, 3]
    table = Obstacle.box((0.5, 0.5, 0.04), tip - [0.0, 0.0, 0.1], friction=0.6, name='table')
    plant = Plant(
        robot,
        PlantSettings(friction_scale=0.0),
        START,
        contacts=Contacts([sphere('tool0', 0.03)], [table]),
    )
    rows = []
    while plant.t < TIME:
        J = robot.jacobian(plant.q, 'tool0')
        plant.step(robot.gravity_torque(plant.q) + J[:3].T @ PUSH - 8.0 * plant.qd, STEP)
        height = robot.pose(plant.q, 'tool0')[2, 3] - tip[2]
        rows.append((plant.t, height, sum(touch.force[2] for touch in plant.contacts)))
    for time, height, force in rows[:: len(rows) // 10]:
        print(f'{time:5.2f} s  {1e3 * height:7.2f} mm  {force:6.2f} N')
    return np.array(rows)


if __name__ == '__main__':
    main()
