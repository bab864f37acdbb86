# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Carry a load by crane: two driven joints, and a cable that no motor turns.

    python examples/carry_a_load_by_crane.py

The trolley and the hoist follow their reference while the load swings below them. The law does
not control the swing. The motion takes three periods of it, so that little swing is left.
"""

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.control import Settings, Supervisor, Trajectory, law_class
from robodyn_ros.simulation import Plant

URDF = """<robot name="crane">
  <link name="rail"/>
  <link name="trolley"><inertial><mass value="20"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="cable"><inertial><mass value="0.5"/>
    <inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="load"><inertial><mass value="30"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="travel" type="prismatic"><parent link="rail"/><child link="trolley"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="6" velocity="3" effort="2000"/></joint>
  <joint name="swing" type="revolute"><parent link="trolley"/><child link="cable"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" velocity="3" effort="0"/>
    <dynamics damping="2"/></joint>
  <joint name="hoist" type="prismatic"><parent link="cable"/><child link="load"/>
    <axis xyz="0 0 -1"/><limit lower="0.5" upper="4" velocity="2" effort="2000"/></joint>
</robot>"""
PERIOD = 1e-3  # [s] of the control loop
START, GOAL = np.array([0.5, 0.0, 3.0]), np.array([4.5, 0.0, 2.0])  # [m, rad, m]


def main():
    """Print the errors of two laws [mm] and the sway [deg]; return {law: (errors, angles)}."""
    robot = Robot.from_urdf(URDF)
    laws = {
        'computed_torque': law_class('computed_torque')(robot),
        'underactuated_computed_torque': law_class('underactuated_computed_torque')(
            robot, passive_joints=['swing']
        ),
    }
    found = {name: carry(robot, law) for name, law in laws.items()}
    for name, (errors, angles) in found.items():
        driven = 1e3 * np.abs(errors[:, [0, 2]]).max()
        print(
            f'{name:<30} largest error {driven:8.3f} mm, '
            f'sway {np.degrees(np.abs(angles).max()):5.1f} deg'
        )
    return found


def carry(robot, law, seconds=12.0, duration=9.0):
    """Return errors (k, 3) [m, rad, m] and angles of the cable (k,) [rad] of one law."""
    limits, rest = robot.limits, np.zeros((2, robot.nv))
    settings = Settings(
        period=PERIOD,
        gains=np.outer([25.0, 10.0], np.ones(robot.nv)),
        effort_limits=limits.effort,
        effort_rate=np.full(robot.nv, 1e5),
        velocity_limits=limits.velocity,
        lower=limits.lower,
        upper=limits.upper,
    )
    supervisor, plant = Supervisor(robot, law, settings), Plant(robot, position=START)
    motion = Trajectory(
        times=[0.0, duration], positions=[START, GOAL], velocities=rest, accelerations=rest
    )
    supervisor.measure(plant.q, plant.qd, 0.0)
    refused = supervisor.activate(0.0) or supervisor.follow(motion, 0.0)
    assert not refused, refused
    errors, angles = [], []
    for k in range(round(seconds / PERIOD)):
        supervisor.measure(plant.q, plant.qd, k * PERIOD)
        supervisor.tick(k * PERIOD)
        errors.append(supervisor.reference[0] - plant.q)
        angles.append(plant.q[1])
        plant.step(supervisor.command, PERIOD)
    return np.array(errors), np.array(angles)


if __name__ == '__main__':
    main()
