# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed nodes leave the graph at once. With a few dozen lingering participants the middleware
would find no other.
"""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide()

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from trajectory_msgs.msg import JointTrajectoryPoint

from support.nodes.node_harness import COLD, TWO_LINK, action_answer, wait_until

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

NAMES = {'robodyn_simulator', 'robodyn_controller'}


@pytest.fixture
def arm(controlled_robot, graph):
    """Return a robot whose nodes the graph knows."""
    arm = controlled_robot(TWO_LINK)
    wait_until(lambda: set(graph.node.get_node_names()) >= NAMES, 'both nodes', COLD)
    return arm


def gone(graph):
    return not NAMES & set(graph.node.get_node_names())


def test_nodes_in_lock_step_are_gone(arm, graph):
    arm.advance(0.1)
    arm.close()
    wait_until(lambda: gone(graph), 'a graph without them', COLD)


def test_a_controller_with_a_goal_is_gone(arm, graph):
    """An action server holds its node as long as it knows a goal."""
    name = '/robodyn_controller/follow_joint_trajectory'
    client = ActionClient(arm.participant.node, FollowJointTrajectory, name)
    assert client.wait_for_server(COLD)
    goal = FollowJointTrajectory.Goal()
    goal.trajectory.joint_names = arm.joint_names
    goal.trajectory.points = [JointTrajectoryPoint(positions=[0.1, 0.1])]
    goal.trajectory.points[0].time_from_start.sec = 10
    assert action_answer(client, lambda: client.send_goal_async(goal), 'a goal').accepted
    arm.close()
    wait_until(lambda: gone(graph), 'a graph without them', COLD)
