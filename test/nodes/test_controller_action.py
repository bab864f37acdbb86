# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""FollowJointTrajectory: goals succeed, are refused, cancelled, replaced and aborted."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support import action_type

action_type.provide()

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from support import node_harness as harness
from support.node_harness import COLD, EASY, JOINTS, POSTURE, ControllerProbe, FakeArm

pytestmark = pytest.mark.ros

NEAR = (POSTURE[0] + 0.05, POSTURE[1] - 0.05)
RESULT = FollowJointTrajectory.Result


@pytest.fixture(scope='module')
def probe(graph, start_shared):
    controller = ControllerProbe(graph)
    controller.node = start_shared('controller', **EASY)
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
    accepted = client.send_goal_async(request, feedback_callback=feedback.append)
    harness.wait_until(accepted.done, 'an answer to the goal')
    return accepted.result(), feedback


def finish(handle):
    result = handle.get_result_async()
    harness.wait_until(result.done, 'a result')
    return result.result()


def test_a_goal_succeeds_at_its_end(client, probe):
    handle, feedback = send(client, goal())
    assert handle.accepted
    answer = finish(handle)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_SUCCEEDED,
        RESULT.SUCCESSFUL,
    )
    assert len(feedback) >= 5
    last = feedback[-1].feedback
    assert tuple(last.joint_names) == JOINTS
    np.testing.assert_allclose(last.actual.positions, POSTURE)
    np.testing.assert_allclose(
        np.subtract(last.desired.positions, last.actual.positions), last.error.positions
    )
    probe.wait_for('HOLD', 'TRAJECTORY_END')


def test_a_goal_is_cancelled(client, probe):
    handle, _ = send(client, goal(seconds=30))
    probe.wait_for('ACTIVE')
    cancelled = handle.cancel_goal_async()
    harness.wait_until(cancelled.done, 'an answer to the cancellation')
    assert finish(handle).status == GoalStatus.STATUS_CANCELED
    probe.wait_for('HOLD', 'HOLD_REQUESTED')


def test_a_goal_is_aborted_by_another(client, probe):
    first, _ = send(client, goal(seconds=30))
    probe.wait_for('ACTIVE')
    second, _ = send(client, goal(POSTURE, seconds=1))
    assert finish(first).status == GoalStatus.STATUS_ABORTED
    assert finish(second).status == GoalStatus.STATUS_SUCCEEDED


def test_a_goal_is_aborted_by_a_stop(client, probe):
    handle, _ = send(client, goal(seconds=30))
    probe.wait_for('ACTIVE')
    assert probe.trigger('stop').success
    answer = finish(handle)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert 'STOPPED' in answer.result.error_string
    assert probe.trigger('reset').success


def test_an_arm_off_its_path_is_held(client, probe):
    tolerance = [JointTolerance(name='joint2', position=0.02)]
    handle, _ = send(client, goal(seconds=2, path_tolerance=tolerance))
    answer = finish(handle)  # the arm of this test does not move
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_ABORTED,
        RESULT.PATH_TOLERANCE_VIOLATED,
    )
    assert 'position of joint2' in answer.result.error_string
    probe.wait_for('HOLD', 'HOLD_REQUESTED')


def test_an_arm_that_does_not_arrive_is_reported(client, probe):
    tolerance = [JointTolerance(name='joint1', position=0.01)]
    handle, _ = send(client, goal(goal_tolerance=tolerance))
    answer = finish(handle)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_ABORTED,
        RESULT.GOAL_TOLERANCE_VIOLATED,
    )
    handle, _ = send(client, goal(goal_tolerance=[JointTolerance(name='joint1', position=0.06)]))
    assert finish(handle).status == GoalStatus.STATUS_SUCCEEDED
