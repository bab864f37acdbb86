# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two arms, each with a controller and a simulator in a namespace, do not interact."""

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_msgs.srv import Advance  # noqa: E402
from robodyn_ros import Robot  # noqa: E402
from support.nodes import node_harness as harness  # noqa: E402
from support.nodes.node_harness import COLD, EASY, JOINTS, POSTURE, ControllerProbe  # noqa: E402

pytestmark = pytest.mark.ros

ROBOT = Robot.from_urdf(str(harness.TWO_LINK))
POSTURES = {'left': POSTURE, 'right': (-0.3, 0.9)}
SIMULATOR = {'urdf_path': str(harness.TWO_LINK), 'update_rate': EASY['update_rate']}


def start_arms(graph, host, controller, simulator):
    """Return what listens to two controllers that hold their arms, and the simulators."""
    probes, simulators = {}, {}
    for side, posture in POSTURES.items():
        probes[side] = ControllerProbe(
            graph, f'/{side}/forward_effort_controller/commands', f'/{side}/robodyn_controller'
        )
        probes[side].states.clear()  # from now on
        namespace = '-r', f'__ns:=/{side}'
        host('controller', *namespace, **EASY, **controller)
        simulators[side] = host(
            'simulator', *namespace, **SIMULATOR, **simulator, initial_position=list(posture)
        )
    for probe in probes.values():
        probe.wait_for('HOLD', timeout=COLD)
    return probes, simulators


def test_row_77_two_arms_in_namespaces_keep_to_themselves(graph, host):
    """Each is held by its own weight, which the other does not have."""
    probes, simulators = start_arms(
        graph,
        host,
        {},
        {'joint_states_topic': 'joint_states', 'fault__stuck_joints': list(JOINTS)},
    )
    # what carried commands by a global name moved both arms
    stray = graph.node.create_publisher(JointState, '/robot_joint_commands', 1)
    for side, posture in POSTURES.items():
        weight = ROBOT.gravity_torque(np.array(posture))
        np.testing.assert_allclose(probes[side].next_command(), weight, rtol=1e-9)
        drives = simulators[side].node.session.runner.plant._drives
        harness.wait_until(
            lambda d=drives, w=weight: np.allclose(d.command, w, rtol=1e-9), 'its own weight'
        )
    assert stray.get_subscription_count() == 0
    graph.node.destroy_publisher(stray)


def test_in_lock_step_one_of_two_arms_moves_alone(graph, host):
    probes, _ = start_arms(graph, host, {'trigger': 'lock_step'}, {'trigger': 'lock_step'})
    left = probes['left']
    point = JointTrajectoryPoint(positions=[POSTURE[0] + 0.3, POSTURE[1]])
    point.time_from_start.sec = 1
    publisher = graph.node.create_publisher(JointTrajectory, f'{left.name}/joint_trajectory', 1)
    harness.wait_until(publisher.get_subscription_count, 'the left controller')
    publisher.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))
    left.wait_for('ACTIVE', 'FOLLOWING')
    request = Advance.Request()
    request.duration.sec = 2
    for side, posture in POSTURES.items():
        name = f'/{side}/robodyn_simulator/advance'
        # of nothing, which is refused: the very first answer of a service may get lost
        graph.call(Advance, name, again=True)
        answer = graph.call(Advance, name, request, COLD)
        assert answer.success, answer.message
        state = probes[side].states.wait(lambda state: harness.nanoseconds(state) > 1_980_000_000)
        wanted = np.add(posture, (0.3, 0.0)) if side == 'left' else posture
        np.testing.assert_allclose(state.measured_position, wanted, atol=1e-4)
    assert left.wait_for('HOLD', 'TRAJECTORY_END')
    assert probes['right'].statuses.last.reason == 'ACTIVATED'
    graph.node.destroy_publisher(publisher)
