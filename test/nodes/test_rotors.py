# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller has to know the rotors that the simulated arm has: both nodes, in lock step."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros import Robot  # noqa: E402
from support.nodes.node_harness import ROOT  # noqa: E402

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'ur_like.urdf'
JOINTS = Robot.from_urdf(ARM).joint_names
INERTIA = (1.0, 1.0, 0.8, 0.1, 0.1, 0.1)  # [kg m^2] at the joints
AMPLITUDE, RATE = 0.4, np.pi  # [rad], [rad/s]
PERIOD = 1e-3  # [s]
START, END = 2.0, 5.0  # [s] of the motion that is judged


def wanted(t):
    """Return positions, velocities and accelerations of sines out of phase, (3, 6)."""
    angle = RATE * t + 0.7 * np.arange(6)
    return AMPLITUDE * np.array((np.sin(angle), RATE * np.cos(angle), -(RATE**2) * np.sin(angle)))


def sines():
    """Return the trajectory: a second to get into the sines, four of them, a second to rest."""
    rest = np.zeros((2, 6))
    moments = [
        (0.0, (wanted(0.0)[0], *rest)),
        *((t, wanted(t)) for t in 1.0 + 0.04 * np.arange(101)),
        (6.0, (wanted(5.5)[0], *rest)),
    ]
    message = JointTrajectory(joint_names=list(JOINTS))
    for t, (q, qd, qdd) in moments:
        point = JointTrajectoryPoint(
            positions=q.tolist(), velocities=qd.tolist(), accelerations=qdd.tolist()
        )
        nanoseconds = round(1e9 * t)
        point.time_from_start.sec, point.time_from_start.nanosec = divmod(nanoseconds, 10**9)
        message.points.append(point)
    return message


def worst_error(controlled_robot, folder, knows):
    """Return the largest tracking error [rad] of computed torque at gains 100 and 20.

    The arm has the rotors by the parameter `rotors`; the controller, if it knows them, by a file.
    """
    file = folder / 'arm.yaml'
    file.write_text(
        'rotors:\n'
        + ''.join(f'  {joint}: {{inertia: {J}}}\n' for joint, J in zip(JOINTS, INERTIA))
    )
    controller = {
        'effort_limits': [1e4] * 6,  # the error is to be that of the model alone
        'max_effort_rate': [1e6],
        'velocity_limits': [100.0] * 6,
    }
    if knows:
        controller |= {'rotors_path': str(file), 'rotor_model': 'reflected'}
    robot = controlled_robot(
        ARM,
        controller=controller,
        rotors=[f'{joint}={J}' for joint, J in zip(JOINTS, INERTIA)],
        rotor_model='reflected',
        integrator='semi_implicit_euler',
        initial_position=wanted(0.0)[0].tolist(),
    )
    assert not robot.send('joint_trajectory', sines())
    worst = 0.0
    while robot.time < END:
        robot.advance(0.02)
        if robot.time > START:
            worst = max(worst, np.abs(robot.reference[0] - robot.position).max())
    return worst


def test_the_controller_has_to_know_the_rotors(controlled_robot, tmp_path):
    """Most of a radian without them; with them what is left is the step of the integrator.

    A step h of the semi-implicit scheme moves h^2 a / 2 too far, so that positions drift at
    d = h A omega^2 / 2, and e'' + 20 e' + 100 e = d' + 20 d. Terms of order h^2 are left out.
    """
    assert worst_error(controlled_robot, tmp_path, knows=False) > 0.5
    drift = 0.5 * PERIOD * AMPLITUDE * RATE**2
    left = drift * abs((20.0 + 1j * RATE) / (100.0 - RATE**2 + 20j * RATE))
    known = worst_error(controlled_robot, tmp_path, knows=True)
    assert known == pytest.approx(left, rel=0.03)
