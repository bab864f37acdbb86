# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The other side dies, comes back, floods; the loop counts, and the arm is never dropped."""

import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from diagnostic_msgs.msg import DiagnosticStatus
from rcl_interfaces.srv import GetParameters
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.srv import GetDynamics
from robodyn_ros import Robot
from robodyn_ros.testing.participant import Participant
from support.nodes import node_harness as harness
from support.nodes.node_harness import COLD, EASY, JOINTS, POSTURE, SIMULATED, FakeArm

pytestmark = pytest.mark.ros

GRAVITY = Robot.from_urdf(str(harness.TWO_LINK)).gravity_torque(np.array(POSTURE))

VARIANTS = [
    {},
    {'command_type': 'joint_state'},
    # none of these is for simulated time, so all wait for what has to come, however late
    {'trigger': 'joint_states'},
]


@pytest.mark.parametrize(
    'variant', VARIANTS, ids=lambda variant: ' '.join(variant.values()) or 'default'
)
def test_every_variant_holds_the_arm_and_notices_the_loss_of_its_state(
    graph, host, probe, arm, variant
):
    named = graph.collect(JointState, '/efforts')
    wall = 'trigger' in variant
    host(
        'controller',
        **({**EASY, 'stale_action': 'zero'} if wall else SIMULATED),
        **variant,
        **({'command_topic': '/efforts'} if 'command_type' in variant else {}),
    )
    probe.wait_for('HOLD', timeout=COLD)

    def last():
        if 'command_type' in variant:
            assert named.last is None or tuple(named.last.name) == JOINTS
            return named.last.effort if named.last else None
        return probe.commands.last.data if probe.commands.last else None

    harness.wait_until(lambda: last() is not None and np.allclose(last(), GRAVITY), 'its weight')
    arm.alter = lambda _: False
    probe.wait_for('STALE', 'STATE_TIMEOUT')
    harness.wait_until(lambda: not any(last()), 'zero effort')
    arm.alter = None
    probe.wait_for('HOLD', 'STATE_RECOVERED')
    harness.wait_until(lambda: np.allclose(last(), GRAVITY), 'its weight again')
    status = probe.statuses.wait(lambda status: status.cycles > 0)
    assert status.gc_collections == 0


def test_every_slot_of_the_loop_is_run_or_counted_as_missed(host, probe, arm):
    """On the wall clock, and exactly so, however many a busy machine misses."""
    node = host('controller', **{**EASY, 'update_rate': 1000}).node
    probe.wait_for('HOLD', timeout=COLD)
    last = probe.statuses.wait(lambda status: status.cycles + status.missed > 2000)
    counts = node.session.loop.counts
    assert counts.cycles + counts.missed == counts.elapsed // 1_000_000
    assert counts.cycles >= last.cycles and counts.missed >= last.missed
    assert last.gc_collections == 0
    assert last.success_rate == pytest.approx(last.cycles / (last.cycles + last.missed))
    assert 0.0 < last.compute_p50 <= last.compute_p99 <= last.compute_max
    assert last.tick_p50 > last.compute_p50


def test_services_and_parameters_may_be_called_at_any_rate(graph, host, probe, arm):
    host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    clients = [
        graph.node.create_client(GetParameters, f'{probe.name}/get_parameters'),
        graph.node.create_client(GetDynamics, f'{probe.name}/get_dynamics'),
    ]
    requests = [GetParameters.Request(names=['law']), GetDynamics.Request()]
    for client in clients:
        assert client.wait_for_service(harness.SOON)
    futures = []
    for _ in range(200):
        futures += [client.call_async(request) for client, request in zip(clients, requests)]
        harness.wait_until(futures[-1].done, 'an answer')
        harness.wait_until(futures[-2].done, 'an answer')
    assert all(future.result() for future in futures)
    assert probe.state == 'HOLD'
    for client in clients:
        graph.node.destroy_client(client)


def test_huge_joint_states_are_refused_by_their_size(graph, host, probe, arm):
    host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    publisher = graph.node.create_publisher(JointState, 'joint_states', 1)
    harness.wait_until(publisher.get_subscription_count, 'the controller')
    huge = JointState(name=[f'joint{k}' for k in range(100_000)])
    for _ in range(10):
        publisher.publish(huge)
        probe.next_command()
    graph.node.destroy_publisher(publisher)
    probe.wait_for('HOLD')
    assert probe.next_command() is not None


def test_an_exception_in_a_callback_is_not_the_end(host, probe, arm):
    node = host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)

    def broken():
        raise ValueError('a callback that is broken')

    node.node.executor.create_task(broken)
    node.wait_for_output('a callback that is broken')
    assert node.running and 'which is a defect' in node.output
    assert probe.state == 'HOLD'
    np.testing.assert_allclose(probe.next_command(), GRAVITY)
    assert probe.trigger('stop').success


def test_two_publishers_of_joint_states_are_reported(graph, host, probe, arm):
    node = host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    second = FakeArm(graph, JOINTS, POSTURE, rate=20.0)
    node.wait_for_output("There are 2 publishers of '/joint_states'")
    assert "There are 2 publishers of '/joint_states'" in probe.diagnosed('joint states').message
    second.stop()
    assert probe.state == 'HOLD'


@pytest.mark.parametrize(('action', 'state'), [('warn', 'ACTIVE'), ('stale', 'STALE')])
def test_row_5_a_stuck_sensor_is_reported_while_the_effort_changes(
    graph, host, probe, arm, action, state
):
    """The arm does not move although it is commanded to: in diagnostics, and in the log."""
    node = host('controller', **{**SIMULATED, 'stuck_action': action})
    probe.wait_for('HOLD', timeout=COLD)
    assert probe.diagnosed('joint states').level == DiagnosticStatus.OK
    publisher = graph.publisher(JointTrajectory, f'{probe.name}/joint_trajectory')
    point = JointTrajectoryPoint(positions=[each + 0.9 for each in POSTURE])
    point.time_from_start.sec = 4
    publisher.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))
    probe.wait_for(state)
    stuck = 'a sensor may be stuck'
    harness.wait_until(lambda: stuck in probe.diagnosed('joint states').message, stuck)
    assert probe.diagnosed('joint states').level == DiagnosticStatus.WARN
    node.wait_for_output(stuck)
    graph.node.destroy_publisher(publisher)


def test_no_or_several_receivers_of_the_commands_are_reported(graph, host, probe, arm):
    node = host('controller', **SIMULATED, command_topic='/elsewhere')
    probe.wait_for('HOLD', timeout=COLD)
    node.wait_for_output("No node listens on '/elsewhere'")
    second = Participant('second')
    for listener in (graph, second):
        listener.collect(Float64MultiArray, '/elsewhere')
    node.wait_for_output("2 nodes listen on '/elsewhere': /second, /test_harness")
    assert '2 nodes listen' in probe.diagnosed('command').message
    second.close()


def test_a_fault_does_not_flood_the_log(host, probe, arm):
    node = host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    mark = len(node.output)
    arm.alter = lambda _: False if arm.time % 400_000_000 < 300_000_000 else None  # [ns]
    before = time.monotonic()
    episodes = node.node.session.supervisor.counters['stale_episodes'] + 15
    harness.wait_until(
        lambda: node.node.session.supervisor.counters['stale_episodes'] >= episodes, 'faults'
    )
    lines = node.output[mark:].splitlines()
    assert any('STALE' in line for line in lines)
    assert len(lines) <= 12 + 3 * (time.monotonic() - before)


def test_a_warning_of_joints_is_in_the_status_while_it_lasts(host, probe, arm):
    """Of a joint far from its reference, and of one whose reading repeats itself in motion.

    It ends with its cause, and with a deactivation, after which there is no reference.
    """
    host('controller', following_error=[0.02], **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    far = 'joint2 is 0.05 from its reference; expected at most 0.02 (following_error)'

    def told(words, last=True):
        harness.wait_until(lambda: (words in probe.message) is last, f'{words}: {last}')

    arm.position[1] += 0.05
    told(far)
    assert probe.state == 'HOLD' and probe.message.startswith('The controller has been activated')
    arm.position[1] -= 0.05
    told(far, last=False)
    arm.position[1] += 0.05
    told(far)
    assert probe.enable(False).success
    told(far, last=False)
    assert probe.enable().success

    def races(message):
        message.velocity[0] = 1.0

    frozen = 'Those of joint1 repeat themselves bit for bit'
    arm.alter = races
    told(frozen)
    assert probe.state == 'HOLD'
    arm.alter = None
    told(frozen, last=False)
    arm.alter = races
    told(frozen)
    answer = probe.enable(False)
    assert answer.success and answer.message == (
        'READY: The controller has been deactivated. joint1 still moves, at 1, and nothing brakes '
        'it any more.'
    )
    again = probe.enable(False)
    assert (
        again.success and again.message == 'READY: It was inactive already. It commands nothing.'
    )
    told(frozen, last=False)


def test_joint_states_that_trigger_the_cycles_come_while_a_deactivation_waits(host, probe, arm):
    """The executor that delivers them waits for the arm to be braked, and takes them meanwhile."""
    node = host('controller', trigger='joint_states', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    supervisor = node.node.session.supervisor

    def moves_while_active(message):
        message.velocity[0] = 0.5 if supervisor.active else 0.0

    arm.alter = moves_while_active
    harness.wait_until(lambda: supervisor.qd[0] == 0.5, 'a state in motion')
    answer = probe.enable(False)
    assert answer.message == 'READY: The controller has been deactivated. It commands nothing.'
    assert supervisor.qd[0] == 0.0
