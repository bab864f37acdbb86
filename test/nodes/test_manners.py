# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Manners of the controller on simulated time: goals, unknown parameters, targets out of reach."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide()

from action_msgs.msg import GoalStatus
from control_msgs.action import FollowJointTrajectory
from control_msgs.msg import JointTolerance
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.control import TaskTarget
from robodyn_ros.testing.participant import LATCHED, SOON
from robodyn_ros.testing.robots import ControlledRobot
from support.nodes.node_harness import ROOT, TWO_LINK, action_answer

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
JOINTS = ('joint1', 'joint2')
NAME = '/robodyn_controller'
POSTURE = (0.3, 0.2)
RESULT = FollowJointTrajectory.Result


@pytest.fixture(scope='module')
def lasting_arm(ros_domain):
    """A two-link arm with an action client as `send`: discovered once, not by every test."""
    robot = ControlledRobot(TWO_LINK, initial_position=POSTURE)
    node = robot.participant.node
    client = ActionClient(node, FollowJointTrajectory, f'{NAME}/follow_joint_trajectory')
    assert client.wait_for_server(SOON)

    def send(request):
        return action_answer(client, lambda: client.send_goal_async(request), 'an answer')

    robot.send = send
    yield robot
    robot.close()


@pytest.fixture
def arm(lasting_arm):
    """The arm, holding its posture, at the beginning of time."""
    lasting_arm.reset()
    lasting_arm.advance(0.02)
    return lasting_arm


def goal(positions=POSTURE, seconds=5, joints=JOINTS, **fields):
    """Return a goal of one point."""
    point = JointTrajectoryPoint(positions=list(positions))
    point.time_from_start.sec = seconds
    return FollowJointTrajectory.Goal(
        trajectory=JointTrajectory(joint_names=list(joints), points=[point]), **fields
    )


def result_of(handle):
    """Return the result of an accepted goal."""
    return action_answer(handle._action_client, handle.get_result_async, 'a result')


@pytest.mark.parametrize(
    'request_, code, sentence',
    [
        (goal(joints=('joint1', 'elbow')), 'INVALID_JOINTS', "lacks the joints ['joint2']"),
        (goal(joints=('joint1', 'joint1')), 'INVALID_JOINTS', 'names a joint twice'),
        (goal((*POSTURE, 0.0), joints=(*JOINTS, 'elbow')), 'INVALID_JOINTS', "'elbow'"),
        (goal((np.nan, 0.0)), 'INVALID_GOAL', 'finite'),
        (goal((0.0,)), 'INVALID_GOAL', 'positions'),
        (goal((9.0, 0.0)), 'INVALID_GOAL', 'joint1'),
        (
            goal(path_tolerance=[JointTolerance(name='elbow', position=1.0)]),
            'INVALID_JOINTS',
            "'elbow'",
        ),
    ],
    ids=['missing', 'twice', 'surplus', 'NaN', 'short', 'out of range', 'tolerance'],
)
def test_a_bad_goal_is_refused_before_it_is_accepted(arm, request_, code, sentence):
    """With the code of the action and a sentence in the log; what was followed goes on."""
    status, before = arm.status, arm.controller.output
    refused = arm.controller.node.session.refused_references
    assert not arm.send(request_).accepted
    log = arm.controller.output.removeprefix(before)
    (line,) = [line for line in log.splitlines() if 'The goal is refused' in line]
    assert f'({code})' in line and sentence in line
    arm.advance(0.02)
    assert arm.status == status
    assert arm.controller.node.session.refused_references == refused + 1


def test_a_goal_that_is_replaced_states_by_what(arm):
    first = arm.send(goal((0.35, 0.2)))
    arm.advance(0.05)
    second = arm.send(goal((0.3, 0.25), seconds=1))
    answer = result_of(first)
    assert answer.status == GoalStatus.STATUS_ABORTED
    assert answer.result.error_string.endswith('it was replaced by a newer goal')
    arm.advance(1.5)
    answer = result_of(second)
    assert (answer.status, answer.result.error_code) == (
        GoalStatus.STATUS_SUCCEEDED,
        RESULT.SUCCESSFUL,
    )


def test_a_goal_that_is_refused_replaces_none(arm):
    first = arm.send(goal((0.35, 0.2), seconds=1))
    arm.advance(0.05)
    assert not arm.send(goal(joints=('joint1', 'elbow'))).accepted
    arm.advance(1.5)
    assert result_of(first).status == GoalStatus.STATUS_SUCCEEDED


def test_a_gain_of_an_unknown_joint_names_those_that_there_are(arm):
    """As `ros2 param set` shows it; a name that is misspelt gets the nearest ones."""
    refused = arm.participant.set_parameters(NAME, gains__elbow__p=1.0)
    assert not refused.successful
    assert refused.reason == (
        "There is no parameter 'gains.elbow.p'; expected one of gains.joint1.p, gains.joint2.p."
    )
    refused = arm.participant.set_parameters(NAME, overspeeed=1.5)
    assert "'overspeeed'; expected one of overspeed" in refused.reason
    assert arm.participant.set_parameters(NAME, gains__joint1__p=90.0).successful


def test_a_target_out_of_reach_is_not_reached_and_the_distance_is_told(controlled_robot):
    arm = controlled_robot(
        ARM,
        controller={'law': 'operational_space', 'operational_space__frame': 'tool0'},
        initial_position=[0.0, -0.3, 0.0, -1.9, 0.0, 1.6, 0.8],
    )
    told = arm.participant.collect(ControllerStatus, f'{NAME}/status', LATCHED)
    arm.advance(0.05)
    supervisor = arm.controller.node.session.supervisor
    task = supervisor.law.task
    place = task.measured[0, :3] + (0.02, 0.0, 0.0)
    send = arm.controller.node.session.supervisor.set_task_target
    assert not send(TaskTarget(task.base, place), arm.controller.node.session.now())
    arm.advance(4.0)
    near = told.wait(lambda status: status.reason == 'TARGET_REACHED', 'the target').message
    assert near.startswith('The end effector has reached its target')
    assert near.endswith('it is reached within 0.005 m and 0.02 rad (target_tolerance).')
    assert not send(TaskTarget(task.base, [3.0, 0.0, 0.4]), arm.controller.node.session.now())
    arm.advance(14.0)
    far = told.wait(lambda status: status.reason == 'TARGET_NOT_REACHED', 'the distance')
    distance = float(far.message.split(' m and ')[0].rpartition(' ')[2])
    away = np.linalg.norm(task.measured[0, :3] - (3.0, 0.0, 0.4))
    assert distance == pytest.approx(away, 0.05) and far.value == pytest.approx(away, 0.05)
    assert distance > 1.5 and 'out of reach' in far.message
    assert 'HOLD: The end effector does not reach its target' in arm.log
