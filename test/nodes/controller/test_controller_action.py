# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""FollowJointTrajectory: goals succeed, are refused, cancelled, replaced and aborted."""

import re

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide()

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointComponentTolerance, JointTolerance
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint, MultiDOFJointTrajectory

from support.nodes import node_harness as harness
from support.nodes.node_harness import COLD, JOINTS, POSTURE, SIMULATED, ControllerProbe, FakeArm

pytestmark = pytest.mark.ros

NEAR = (POSTURE[0] + 0.05, POSTURE[1] - 0.05)
RESULT = FollowJointTrajectory.Result


@pytest.fixture(scope='module')
def probe(graph, host_shared):
    controller = ControllerProbe(graph)
    controller.node = host_shared('controller', **SIMULATED)
    arm = FakeArm(graph, JOINTS, POSTURE)
    controller.wait_for('HOLD', timeout=COLD)
    yield controller
    arm.stop()


@pytest.fixture(scope='module')
def lasting_client(graph, probe):
    # kept for the life of the graph: destroying one under a spinning executor is a race
    made = ActionClient(graph.node, FollowJointTrajectory, f'{probe.name}/follow_joint_trajectory')
    assert made.wait_for_server(harness.SOON)
    return made


@pytest.fixture
def client(lasting_client, probe):
    assert probe.enable(False).success and probe.enable().success
    probe.wait_for('HOLD', 'ACTIVATED')
    return lasting_client


def goal(positions=NEAR, seconds=1, **fields):
    point = JointTrajectoryPoint(positions=list(positions))
    point.time_from_start.sec = seconds
    return FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(JOINTS), points=[point]), **fields
    )


def send(client, request):
    feedback = []
    handle = harness.action_answer(
        client,
        lambda: client.send_goal_async(request, feedback_callback=feedback.append),
        'an answer to the goal',
    )
    return handle, feedback


def finish(client, handle):
    return harness.action_answer(client, handle.get_result_async, 'a result')


def test_a_goal_succeeds_at_its_end(client, probe):
    handle, _ = send(client, goal())
    assert handle.accepted
    answer = finish(client, handle)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_SUCCEEDED,
        RESULT.SUCCESSFUL,
    )
    assert re.search(r'joint[12] is [+-]0\.05 from it', answer.result.error_string)
    status = probe.wait_for('HOLD', 'TRAJECTORY_END')
    assert status.joint in JOINTS and abs(status.value) == pytest.approx(0.05)
    assert f'{status.joint} is {status.value:+.3g} from it' in status.message


def test_a_goal_gives_feedback_until_it_is_cancelled(client, probe):
    handle, feedback = send(client, goal(seconds=300))
    probe.wait_for('ACTIVE')
    harness.wait_until(lambda: len(feedback) >= 5, 'feedback')
    for each in feedback:
        last = each.feedback
        assert tuple(last.joint_names) == JOINTS
        np.testing.assert_allclose(last.actual.positions, POSTURE)
        np.testing.assert_allclose(
            np.subtract(last.desired.positions, last.actual.positions), last.error.positions
        )
    harness.action_answer(client, handle.cancel_goal_async, 'an answer to the cancellation')
    assert finish(client, handle).status == GoalStatus.STATUS_CANCELED
    probe.wait_for('HOLD', 'HOLD_REQUESTED')


def test_a_goal_is_aborted_by_another(client, probe):
    first, _ = send(client, goal(seconds=300))
    probe.wait_for('ACTIVE')
    second, _ = send(client, goal(POSTURE, seconds=1))
    assert finish(client, first).status == GoalStatus.STATUS_ABORTED
    assert finish(client, second).status == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_is_aborted_by_a_stop(client, probe):
    handle, _ = send(client, goal(seconds=300))
    probe.wait_for('ACTIVE')
    assert probe.trigger('stop').success
    answer = finish(client, handle)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert 'STOPPED' in answer.result.error_string
    assert probe.trigger('reset').success


def test_an_arm_off_its_path_is_held(client, probe):
    tolerance = [JointTolerance(name='joint2', position=0.02)]
    # the arm of this test does not move, and a goal is looked at on the wall clock
    far = POSTURE[0], POSTURE[1] - 0.5
    handle, _ = send(client, goal(far, seconds=10, path_tolerance=tolerance))
    answer = finish(client, handle)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_ABORTED,
        RESULT.PATH_TOLERANCE_VIOLATED,
    )
    assert 'position of joint2' in answer.result.error_string
    probe.wait_for('HOLD', 'HOLD_REQUESTED')


def test_an_arm_that_does_not_arrive_is_reported(client, probe):
    tolerance = [JointTolerance(name='joint1', position=0.01)]
    handle, _ = send(client, goal(goal_tolerance=tolerance))
    answer = finish(client, handle)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_ABORTED,
        RESULT.GOAL_TOLERANCE_VIOLATED,
    )
    handle, _ = send(client, goal(goal_tolerance=[JointTolerance(name='joint1', position=0.06)]))
    assert finish(client, handle).status == GoalStatus.STATUS_SUCCEEDED


@pytest.mark.parametrize(
    'fields',
    [
        {'multi_dof_trajectory': MultiDOFJointTrajectory(joint_names=['base'])},
        {'component_path_tolerance': [JointComponentTolerance(joint_name='base')]},
        {'component_goal_tolerance': [JointComponentTolerance(joint_name='base')]},
    ],
    ids=lambda fields: next(iter(fields)),
)
def test_a_goal_for_joints_of_several_degrees_of_freedom_is_refused(client, probe, fields):
    """Nothing of a goal is left out without a word."""
    handle, _ = send(client, goal(**fields))
    assert not handle.accepted
    harness.wait_until(
        lambda: f'has {next(iter(fields))}; expected' in probe.statuses.last.last_refusal,
        'the refusal in the status',
    )
    assert probe.state == 'HOLD'
