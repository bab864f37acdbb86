# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two arms, each with a controller and a simulator in a namespace: neither hears the other."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from support import node_harness as harness  # noqa: E402
from support.node_harness import COLD, EASY, JOINTS, POSTURE, ControllerProbe  # noqa: E402

pytestmark = pytest.mark.ros

SIDES = ('left', 'right')
SIMULATOR = {
    'urdf_path': str(harness.TWO_LINK),
    'update_rate': EASY['update_rate'],
    'joint_states_topic': 'joint_states',
    'initial_position': list(POSTURE),
}


def test_row_77_two_arms_in_namespaces_keep_to_themselves(graph, start):
    probes = {}
    for side in SIDES:
        probes[side] = ControllerProbe(
            graph, f'/{side}/forward_effort_controller/commands', f'/{side}/robodyn_controller'
        )
        namespace = '-r', f'__ns:=/{side}'
        start('controller', *namespace, **EASY)
        start('simulator', *namespace, **SIMULATOR)
    for probe in probes.values():
        probe.wait_for('HOLD', timeout=COLD)
    left, right = probes['left'], probes['right']
    # what carried commands by a global name moved both arms
    stray = graph.node.create_publisher(JointState, '/robot_joint_commands', 1)
    point = JointTrajectoryPoint(positions=[POSTURE[0] + 0.3, POSTURE[1]])
    point.time_from_start.sec = 1
    publisher = graph.node.create_publisher(JointTrajectory, f'{left.name}/joint_trajectory', 1)
    harness.wait_until(publisher.get_subscription_count, 'the left controller')
    publisher.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))
    left.wait_for('HOLD', 'TRAJECTORY_END')
    for probe, moved in ((left, 0.3), (right, 0.0)):
        probe.states.clear()
        position = probe.states.wait().measured_position
        np.testing.assert_allclose(
            position, np.add(POSTURE, (moved, 0.0)), atol=0.05
        )  # a busy machine
    assert stray.get_subscription_count() == 0 and right.state == 'HOLD'
    for made in (stray, publisher):
        graph.node.destroy_publisher(made)
