# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller has to know the rotors that the simulated arm has: both nodes, in lock step."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from tools.pages.rotor_picture import (  # noqa: E402
    AMPLITUDE,
    ARM,
    END,
    INERTIA,
    JOINTS,
    PERIOD,
    RATE,
    START,
    points,
    wanted,
)

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']


def sines():
    """Return the trajectory of the picture as a message."""
    message = JointTrajectory(joint_names=list(JOINTS))
    times, states = points()
    for t, q, qd, qdd in zip(times, *states):
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
        'following_action': 'warn',
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
    """0.76 rad without them; with them what is left is the step of the integrator, 3.6e-4 rad.

    A step h of the semi-implicit scheme moves h^2 a / 2 too far, so that positions drift at
    d = h A omega^2 / 2, and e'' + 20 e' + 100 e = d' + 20 d. Terms of order h^2 are left out.
    """
    unknown = worst_error(controlled_robot, tmp_path, knows=False)
    assert unknown == pytest.approx(0.76, rel=0.1)
    drift = 0.5 * PERIOD * AMPLITUDE * RATE**2
    left = drift * abs((20.0 + 1j * RATE) / (100.0 - RATE**2 + 20j * RATE))
    known = worst_error(controlled_robot, tmp_path, knows=True)
    assert known == pytest.approx(left, rel=0.03)
    assert known == pytest.approx(3.6e-4, rel=0.1)
