# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write a control law: a spring and a damper between the tool and a point in space.

    python examples/write_a_law.py

A law is a subclass of ControlLaw that fills in torque terms. This one is written with the
methods of a Robot. The node finds a law by an entry point of the package that contains it:

    entry_points={'robodyn_ros.control_laws': ['tool_spring = my_package:ToolSpring']}
"""

from pathlib import Path

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import ControlLaw, Settings, Supervisor
from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY
from robodyn_ros.simulation import Plant

URDF = Path(__file__).resolve().parents[1] / 'config' / 'urdf' / 'franka_like.urdf'
PERIOD = 1e-3  # [s]


class ToolSpring(ControlLaw):
    """tau = g(q) + J^T (K (x_0 - x) - D v) - Kd qd, about the point x_0 where it was activated."""

    name = 'tool_spring'
    equation = 'tau = g(q) + J^T (K (x_0 - x) - D v) - Kd qd'
    tracks = False  # the law follows no reference of the joints
    gain_unit = ('', 'N m s/rad')  # p is unused; d damps the joints
    stiffness, damping = 400.0, 40.0  # [N/m], [N s/m]

    def reset(self, q, qd):
        """Make the present position of the tool the origin of the spring."""
        self.origin = self.robot.pose(q, 'tool0')[:3, 3]

    def torques(self, q, qd, reference, gains, terms):
        """Write two of the six torque terms; the others stay zero."""
        robot = self.robot
        J = robot.jacobian(q, 'tool0')[:3]
        stretch = self.origin - robot.pose(q, 'tool0')[:3, 3]
        force = self.stiffness * stretch - self.damping * (J @ qd)
        terms[FEEDBACK] = J.T @ force - gains[1] * qd
        terms[GRAVITY] = robot.gravity_torque(q)


def main():
    """Pull the tool with 20 N, then let go; return its displacements [m] under load and after."""
    robot = Robot.from_urdf(URDF)
    limits = robot.limits
    supervisor = Supervisor(
        robot,
        ToolSpring(robot),
        Settings(
            period=PERIOD,
            gains=np.outer([0.0, 2.0], np.ones(robot.nv)),
            effort_limits=limits.effort,
            effort_rate=np.full(robot.nv, 1000.0),
            velocity_limits=limits.velocity,
            lower=limits.lower,
            upper=limits.upper,
        ),
    )
    plant = Plant(robot, position=[0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.8])
    supervisor.measure(plant.q, plant.qd, 0.0)
    refused = supervisor.activate(0.0)
    assert not refused, refused

    start = robot.pose(plant.q, 'tool0')
    pull = start[:3, :3].T @ [0.0, 0.0, -20.0]  # downwards, in axes of the tool
    plant.apply_wrench('tool0', [*pull, 0.0, 0.0, 0.0], duration=3.0)
    displacements = []
    for k in range(6000):
        supervisor.measure(plant.q, plant.qd, k * PERIOD)
        supervisor.tick(k * PERIOD)
        plant.step(supervisor.command, PERIOD)
        if k in (2999, 5999):
            displacements.append(robot.pose(plant.q, 'tool0')[:3, 3] - start[:3, 3])
    for what, moved in zip(('under 20 N', 'released'), displacements):
        print(f'{what:<12} tool moved by {1e3 * np.round(moved, 5)} mm')
    return displacements


if __name__ == '__main__':
    main()
