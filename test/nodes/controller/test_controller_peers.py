# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Peers of the controller's topics: unresponsive, slow, or short-lived."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from diagnostic_msgs.msg import DiagnosticStatus
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory

from support.nodes import node_harness as harness
from support.nodes.node_harness import COLD, COMMANDS, JOINTS, SIMULATED, ControllerProbe

pytestmark = pytest.mark.ros


@pytest.fixture
def probe(graph, host, arm):
    """Return what asks a controller that holds an arm."""
    probe = ControllerProbe(graph)
    probe.node = host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    return probe


def quality(reliable, lasting=False):
    return QoSProfile(
        depth=1,
        reliability=ReliabilityPolicy.RELIABLE if reliable else ReliabilityPolicy.BEST_EFFORT,
        durability=DurabilityPolicy.TRANSIENT_LOCAL if lasting else DurabilityPolicy.VOLATILE,
    )


def test_row_66_an_incompatible_publisher_is_named_with_the_policy(probe, graph):
    """A best-effort sender of trajectories; it goes, and so does the warning."""
    assert probe.diagnosed('topics').level == DiagnosticStatus.OK
    topic = f'{probe.name}/joint_trajectory'
    sender = graph.node.create_publisher(JointTrajectory, topic, quality(False))
    try:
        harness.wait_until(
            lambda: probe.diagnosed('topics').level == DiagnosticStatus.WARN, 'a warning'
        )
        expected = (
            f"'/test_harness' does not reach '{topic}': best effort publisher and reliable "
            'subscription.'
        )
        assert probe.diagnosed('topics').message == expected
        harness.wait_until(lambda: expected in probe.node.output, 'a line of the log')
        assert sender.get_subscription_count() == 0
    finally:
        graph.node.destroy_publisher(sender)
    harness.wait_until(lambda: probe.diagnosed('topics').level == DiagnosticStatus.OK, 'an end')
    assert probe.state == 'HOLD'


@pytest.mark.parametrize('reliable', [True, False])
@pytest.mark.parametrize('lasting', [True, False])
def test_row_66_joint_states_are_taken_from_every_sender(probe, graph, arm, reliable, lasting):
    arm.alter = lambda _: False
    probe.wait_for('STALE', 'STATE_TIMEOUT')
    sender = graph.node.create_publisher(JointState, 'joint_states', quality(reliable, lasting))

    def alter(message):
        sender.publish(message)
        return False  # the other one stays silent

    arm.alter = alter
    probe.wait_for('HOLD', 'STATE_RECOVERED')
    arm.alter = None
    graph.node.destroy_publisher(sender)


def test_row_59_listeners_that_sleep_come_and_go_cost_no_cycle(probe, graph):
    """Twenty of the commands, none of which ever takes one; half of them leave."""
    asleep = harness.Participant('asleep')
    asleep._closing = True  # its thread ends: nothing takes what comes
    asleep._thread.join()
    listeners = [
        asleep.node.create_subscription(
            Float64MultiArray, COMMANDS, lambda _: None, quality(k % 2)
        )
        for k in range(20)
    ]
    heard = len(probe.commands.messages)
    first = probe.statuses.wait(lambda status: status.cycles > 0)
    for listener in listeners[::2]:
        asleep.node.destroy_subscription(listener)
    last = probe.statuses.wait(lambda status: status.cycles > first.cycles + 400, timeout=COLD)
    assert last.missed == first.missed
    assert len(probe.commands.messages) > heard + 100
    assert len(probe.commands.messages[-1].data) == len(JOINTS)
    asleep.close()
