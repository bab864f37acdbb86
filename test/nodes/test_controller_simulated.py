# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Controller and simulated robot, two processes: they find each other, move, die and come back."""

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.srv import SetJointState
from robodyn_ros import Robot
from support import node_harness as harness
from support.node_harness import COLD, EASY, JOINTS, POSTURE
from support.simulated_arm import FERRY, ask

pytestmark = pytest.mark.ros

ROBOT = Robot.from_urdf(str(harness.TWO_LINK))
GRAVITY = ROBOT.gravity_torque(np.array(POSTURE))
SIMULATOR = {
    'urdf_path': str(harness.TWO_LINK),
    'update_rate': EASY['update_rate'],
    'joint_states_topic': 'joint_states',
    'command_timeout': 0.5,
    'initial_position': list(POSTURE),
}
PAGE = (Path(__file__).resolve().parents[2] / 'doc' / 'nodes' / 'controller.md').read_text()


def move(probe, target, seconds):
    """Publish a trajectory to a target, at rest at both ends."""
    point = JointTrajectoryPoint(
        positions=list(target), velocities=[0.0] * 2, accelerations=[0.0] * 2
    )
    point.time_from_start.sec = seconds
    publisher = probe.graph.node.create_publisher(
        JointTrajectory, f'{probe.name}/joint_trajectory', 1
    )
    harness.wait_until(publisher.get_subscription_count, 'a subscriber')
    publisher.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))
    probe.wait_for('ACTIVE', 'FOLLOWING')
    probe.wait_for('HOLD', 'TRAJECTORY_END')
    probe.graph.node.destroy_publisher(publisher)


@pytest.mark.parametrize('first', ['controller', 'simulator'])
def test_in_either_order_they_find_each_other_and_the_arm_stays(start, probe, first):
    parameters = {'controller': EASY, 'simulator': SIMULATOR}
    for name in sorted(parameters, key=lambda name: name != first):
        start(name, **parameters[name])
    probe.wait_for('HOLD', timeout=COLD)
    np.testing.assert_allclose(probe.next_command(), GRAVITY, rtol=1e-3)
    probe.states.clear()
    np.testing.assert_allclose(probe.states.wait().measured_position, POSTURE, atol=1e-3)


def test_a_cart_with_a_mast_on_a_hull_that_is_held_somewhere(start, probe, tmp_path):
    """Planar joints are three positions to both; where the floating one is held is what weighs."""
    urdf = tmp_path / 'ferry.urdf'
    urdf.write_text(FERRY)
    posture, swim = [0.4, 0.3, -0.5, 0.8], (0.1, 0.2, 0.3, 0.48, -0.36, 0.48, 0.64)
    robot = Robot.from_urdf(FERRY, joints=['mast', 'deck'], locked={'swim': swim})
    entry = 'swim=' + ' '.join(map(str, swim))
    common = {'urdf_path': urdf, 'joints': ['mast', 'deck'], 'locked': [entry]}
    start('simulator', **{**SIMULATOR, **common, 'initial_position': posture})
    start('controller', **{**EASY, **common, 'effort_limits': [80.0] * 4})
    probe.wait_for('HOLD', timeout=COLD)
    np.testing.assert_allclose(probe.next_command(), robot.gravity_torque(posture), rtol=1e-3)
    probe.states.clear()
    np.testing.assert_allclose(probe.states.wait().measured_position, posture, atol=1e-3)


def test_the_arm_goes_where_the_trajectory_says(start, probe):
    start('simulator', **SIMULATOR)
    start('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    target = (POSTURE[0] + 0.5, POSTURE[1] - 0.3)
    probe.states.clear()
    move(probe, target, 2)
    states = list(probe.states.messages)
    errors = np.array([state.position_error for state in states])
    path = np.array([state.measured_position for state in states])
    # The model is the true one, so what remains is the delay of a cycle or two, more on a busy
    # machine; without feed-forward the arm would lag by several hundredths.
    assert abs(errors).max() < 0.02
    assert np.ptp(path[:, 0]) > 0.45
    harness.wait_until(
        lambda: abs(np.array(probe.states.last.position_error)).max() < 1e-3, 'rest at the target'
    )


def test_the_robot_dies_and_another_takes_its_place(start, probe):
    robot = start('simulator', **SIMULATOR)
    start('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    for posture in ((0.0, 0.5), POSTURE):
        robot.kill()
        probe.wait_for('STALE', 'STATE_TIMEOUT')
        harness.wait_until(lambda: not any(probe.commands.last.data), 'zero effort')
        robot = start('simulator', **{**SIMULATOR, 'initial_position': list(posture)})
        probe.wait_for('HOLD', 'STATE_RECOVERED')
        # The new posture is held; nothing of the old one is resumed.
        weight = ROBOT.gravity_torque(np.array(posture))
        harness.wait_until(
            lambda: np.allclose(probe.commands.last.data, weight, rtol=1e-2, atol=0.1),
            'the weight of the new posture',
        )
        # Until it is held an arm may sag a little; the two postures are far from one another.
        harness.wait_until(
            lambda place=posture: np.allclose(
                probe.states.last.reference_position, place, rtol=0.0, atol=0.05
            ),
            'the new posture as reference',
        )


def test_the_controller_dies_and_another_takes_over_the_sagging_arm(start, probe):
    start('simulator', **SIMULATOR)
    for _ in range(2):
        controller = start('controller', **EASY)
        probe.statuses.clear()
        probe.wait_for('HOLD', 'ACTIVATED', timeout=COLD)
        probe.states.clear()
        state = probe.states.wait()
        # It carries the arm where it finds it, sagging or not.
        weight = ROBOT.gravity_torque(np.array(state.measured_position))
        np.testing.assert_allclose(state.gravity, weight, rtol=1e-9, atol=1e-9)
        harness.wait_until(
            lambda: abs(np.array(probe.states.last.measured_velocity)).max() < 1e-3,
            'an arm at rest',
        )
        controller.kill()


def test_in_lock_step_every_state_is_one_cycle(start, probe):
    start('simulator', trigger='command', **SIMULATOR)
    start('controller', trigger='joint_states', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    first = probe.statuses.wait(lambda status: status.cycles > 0)
    last = probe.statuses.wait(lambda status: status.cycles > first.cycles + 500)
    assert last.missed == 0
    target = (POSTURE[0] + 0.2, POSTURE[1])
    move(probe, target, 1)
    harness.wait_until(
        lambda: abs(np.array(probe.states.last.position_error)).max() < 1e-2, 'rest at the target'
    )


def test_a_jump_of_the_robot_is_held_where_it_is(start, probe):
    start('simulator', **SIMULATOR)
    start('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    answer = ask(
        probe.graph,
        SetJointState,
        'set_joint_state',
        state=JointState(name=list(JOINTS), position=[1.0, 1.0], velocity=[0.0, 0.0]),
    )
    assert answer.success
    probe.wait_for('HOLD', 'POSITION_JUMP')
    # The status comes at once, the next state when it is its turn.
    harness.wait_until(
        lambda: np.allclose(probe.states.last.reference_position, (1.0, 1.0), atol=0.05),
        'the posture after the jump, held',
    )


def test_an_arm_that_races_is_left_to_gravity(start, probe):
    start('simulator', **SIMULATOR)
    start('controller', **{**EASY, 'velocity_limits': [0.5, 0.5]})
    probe.wait_for('HOLD', timeout=COLD)
    answer = ask(
        probe.graph,
        SetJointState,
        'set_joint_state',
        state=JointState(name=list(JOINTS), position=list(POSTURE), velocity=[3.0, 0.0]),
    )
    assert answer.success
    probe.wait_for('FAULT', 'OVERSPEED')
    assert 'velocity limit' in probe.statuses.last.message


def test_every_interface_of_the_node_is_on_its_page(start, probe):
    start('controller', **EASY)
    probe.wait_for('WAIT_STATE', timeout=COLD)
    node, name = probe.graph.node, probe.name.strip('/')

    def ours():
        topics = node.get_publisher_names_and_types_by_node(name, '/')
        topics += node.get_subscriber_names_and_types_by_node(name, '/')
        services = node.get_service_names_and_types_by_node(name, '/')
        return {
            f'~/{topic.rsplit("/", 1)[1]}': kinds
            for topic, kinds in topics + services
            if topic.startswith(probe.name)
            and (
                'robodyn_msgs' in kinds[0]
                or 'std_srvs' in kinds[0]
                or 'trajectory_msgs' in kinds[0]
            )
        }

    harness.wait_until(lambda: len(ours()) >= 9, 'the graph to know the node')
    for interface, kinds in ours().items():
        rows = [
            line for line in PAGE.splitlines() if line.startswith('|') and f'`{interface}`' in line
        ]
        kind = f'{kinds[0].split("/")[0]}/{kinds[0].split("/")[-1]}'
        assert any(kind in row for row in rows), f'{interface} ({kind}) is not on the page'
