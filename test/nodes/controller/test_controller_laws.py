# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The laws of Slotine and Li in lock step, with a load that is not in the controller's model."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerState
from robodyn_ros import Robot
from robodyn_ros.demonstration.motion import Motion
from support.nodes.node_harness import CONTROLLER, JOINTS, TWO_LINK, nanoseconds, wait_until

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ROBOT = Robot.from_urdf(str(TWO_LINK))
RATE = 200
LOAD = {'payload__frame': 'tool0', 'payload__mass': 0.7, 'payload__com': [0.1, 0.0, 0.05]}
MOTION = Motion(np.array([-0.9, 0.6]), np.array([0.7, 0.9]), np.array([0.2, 0.3]), 8.0)
KNOT = 0.1  # [s] between points of the trajectory
FREQUENCY = 6.0  # [rad/s] of the closed loop, with the right model critically damped
INERTIA = np.diag(ROBOT.mass_matrix(MOTION.centre))
LAWS = ('passivity', 'adaptive_computed_torque')


def trajectory():
    """Return the motion as a message."""
    times = np.arange(KNOT, MOTION.duration + 0.5 * KNOT, KNOT)
    message = JointTrajectory(joint_names=list(JOINTS))
    for t, *state in zip(times, *MOTION.at(times)):
        names = ('positions', 'velocities', 'accelerations')
        point = JointTrajectoryPoint(**{n: list(x) for n, x in zip(names, state)})
        point.time_from_start.sec = int(t + 1e-9)
        point.time_from_start.nanosec = round((t % 1.0) * 1e9) % 10**9
        message.points.append(point)
    return message


def carried(controlled_robot, law):
    """(RMS error of the second half [rad], largest torque learnt [N m]) with the load."""
    gains = {
        f'gains__{joint}__{kind}': float(value * size)
        for joint, size in zip(JOINTS, INERTIA)
        for kind, value in (('p', FREQUENCY**2), ('d', 2.0 * FREQUENCY))
    }
    if law == 'adaptive_computed_torque':
        gains |= {f'{law}__reach': 1.0, f'{law}__rate': 1.0}  # links of 1 m, and less haste
    arm = controlled_robot(
        TWO_LINK,
        {'law': law, 'max_start_error': 1.0, 'following_action': 'warn', **gains},
        update_rate=RATE,
        initial_position=MOTION.centre.tolist(),
        **LOAD,
    )
    told = arm.record(ControllerState, f'{CONTROLLER}/controller_state')
    assert arm.send('joint_trajectory', trajectory()) == ''
    for _ in range(round(MOTION.duration)):
        assert arm.status == 'ACTIVE FOLLOWING'
        arm.advance(1.0)
        wait_until(lambda: nanoseconds(told.last) > 1e9 * arm.time - 2e9 / RATE, 'its states')
    arm.advance(0.02)
    assert arm.status == 'HOLD TRAJECTORY_END'
    states = list(told.messages)
    assert {state.law for state in states} == {law}
    assert not any(any(state.effort_limited) for state in states)
    late = np.array([state.position_error for state in states[len(states) // 2 :]])
    return np.sqrt(np.mean(late**2)), max(abs(np.array(state.other)).max() for state in states)


def test_the_adaptive_law_learns_a_load_that_passivity_leaves_alone(controlled_robot):
    error, learnt = {}, {}
    for law in LAWS:
        error[law], learnt[law] = carried(controlled_robot, law)
    assert 0.3 < error['passivity'] < 0.5
    assert error['adaptive_computed_torque'] < 0.01 * error['passivity']
    assert learnt['passivity'] == 0.0
    weight = 9.81 * LOAD['payload__mass'] * 0.8  # [N m] of the load, on the arm stretched out
    assert weight < learnt['adaptive_computed_torque'] < 5.0 * weight
