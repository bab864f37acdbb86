# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A payload of the simulated robot, and in the model of its controller."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from robodyn_msgs.srv import SetPayload
from robodyn_ros import Robot
from support.nodes.node_harness import TWO_LINK

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

START = [0.4, -0.7]
SIMULATOR, CONTROLLER = '/robodyn_simulator', '/robodyn_controller'
MASS, COM = 1.5, (0.05, 0.1, -0.02)


def set_payload(arm, node, ramp=0.0, frame='tool0', mass=MASS, com=COM, ixx=0.0):
    """Call the service of a node; return its answer."""
    request = SetPayload.Request()
    request.payload.header.frame_id = frame
    body = request.payload.inertia
    body.m, body.ixx = float(mass), float(ixx)
    body.com.x, body.com.y, body.com.z = map(float, com)
    request.ramp.sec = int(ramp // 1)
    request.ramp.nanosec = round(1e9 * (ramp % 1))
    return arm.participant.call(SetPayload, f'{node}/set_payload', request, again=True)


def test_an_arm_with_its_payload_in_the_model_holds_it(controlled_robot):
    """With an unmodelled payload it sags by the weight over the stiffness. With a modelled one it
    returns, and again without any."""
    arm = controlled_robot(TWO_LINK, initial_position=START, friction_scale=0.0)
    assert set_payload(arm, SIMULATOR).success
    sag = np.abs(arm.advance(1.0).position - START).max()
    assert sag > 5e-3
    answer = set_payload(arm, CONTROLLER, ramp=0.5)
    assert answer.success, answer.message
    np.testing.assert_allclose(arm.advance(2.5).position, START, atol=0.01 * sag)
    robot = Robot.from_urdf(TWO_LINK).with_payload('tool0', MASS, COM, np.zeros((3, 3)))
    np.testing.assert_allclose(arm.torque, robot.gravity_torque(arm.position), atol=1e-2)
    for node in (SIMULATOR, CONTROLLER):
        assert set_payload(arm, node, mass=0.0, com=(0.0, 0.0, 0.0)).success
    np.testing.assert_allclose(arm.advance(2.0).position, START, atol=0.01 * sag)


def test_a_payload_that_the_arm_cannot_hold_is_refused(controlled_robot):
    """Such as one in grams. The arm holds on as before, and takes what it can hold.

    The answer warns of a payload that it holds here, and not in every posture.
    """
    arm = controlled_robot(TWO_LINK, initial_position=START)
    before = arm.advance(1.0).position
    heavy = 200.0 * MASS
    answer = set_payload(arm, CONTROLLER, mass=heavy)
    assert not answer.success
    limit = arm.controller.node.session.supervisor.settings.effort_limits[0]
    robot = Robot.from_urdf(TWO_LINK).with_payload('tool0', heavy, COM, np.zeros((3, 3)))
    needed = abs(robot.gravity_torque(before)[0])
    assert answer.message == (
        f'HOLD: The payload: joint joint1 needs {needed:.6g} to hold it in the measured posture; '
        f'expected at most its effort limit, {limit:g} (masses are in kg)'
    )
    np.testing.assert_allclose(arm.advance(0.5).position, before, atol=1e-6)
    assert arm.controller.node.session.supervisor._payload.empty
    answer = set_payload(arm, CONTROLLER)
    assert answer.success and answer.message == 'HOLD: The payload is carried after 0 s.'
    answer = set_payload(arm, CONTROLLER, mass=4.6, com=(0.0, 0.0, 0.0))
    assert answer.success and answer.message.startswith(
        "HOLD: The payload is carried after 0 s. Warning: joint 'joint1' cannot hold the payload: "
        'gravity takes up to 102.3, its effort limit is 100; at q = ['
    )


def test_the_effort_goes_to_the_payload_within_its_ramp(controlled_robot):
    """Linearly, to a step of the ramp, while the joints cannot move."""
    arm = controlled_robot(
        TWO_LINK, initial_position=START, fault__stuck_joints=['joint1', 'joint2']
    )
    arm.advance(0.1)
    effort = arm.controller.node.session.supervisor.command  # refilled in every cycle
    before = effort.copy()
    robot = Robot.from_urdf(TWO_LINK).with_payload('tool0', MASS, COM, np.zeros((3, 3)))
    weight = robot.gravity_torque(np.array(START))
    assert set_payload(arm, CONTROLLER, ramp=0.4).success
    for share in (0.25, 0.5, 0.75, 1.0, 1.0):
        arm.advance(0.1)
        np.testing.assert_allclose(effort, before + share * (weight - before), rtol=5e-3)
    np.testing.assert_allclose(effort, weight, rtol=1e-9)


def test_payloads_that_cannot_be_are_refused(controlled_robot):
    """By both nodes, in a sentence; the arm holds on as it did."""
    arm = controlled_robot(TWO_LINK, initial_position=START, friction_scale=0.0)
    arm.advance(0.1)
    for node in (SIMULATOR, CONTROLLER):
        for change, words in (
            ({'frame': 'hand'}, "'hand'"),
            ({'mass': -1.0}, 'mass'),
            ({'mass': float('nan')}, 'mass'),
            ({'ixx': 1.0}, 'triangle'),
            ({'mass': 0.0}, 'expected a positive mass'),
            ({'ramp': 61.0}, 'ramp'),
        ):
            answer = set_payload(arm, node, **change)
            assert not answer.success and words in answer.message, answer.message
    refused = set_payload(arm, SIMULATOR, ramp=0.5)
    assert not refused.success and 'expected 0' in refused.message
    np.testing.assert_allclose(arm.advance(0.5).position, START, atol=1e-6)
