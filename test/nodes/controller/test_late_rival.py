# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Other nodes that begin to command the robot of an established controller."""

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from diagnostic_msgs.msg import DiagnosticStatus
from std_msgs.msg import Float64MultiArray
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros.ros.controller import controller_session
from support.nodes.node_harness import (
    COLD,
    COMMANDS,
    CONTROLLER,
    JOINTS,
    POSTURE,
    SIMULATED,
    wait_until,
)

pytestmark = pytest.mark.ros

RIVAL = f"Another node publishes on '{COMMANDS}': /test_harness."
GONE = f"No other node publishes on '{COMMANDS}' any more."
REFUSED = (
    'The trajectory is refused: the posture is held while another node publishes on '
    f"'{COMMANDS}': /test_harness"
)


@pytest.fixture
def established(monkeypatch, host, arm):
    """Return the function that starts a controller to which newcomers are late at once."""
    monkeypatch.setattr(controller_session, 'YIELD_TIME', 0.0)
    return lambda **parameters: host('controller', **SIMULATED, **parameters)


@pytest.fixture
def move(graph):
    """Return the function that asks for a slow motion: an hour, so that no test sees its end."""
    publisher = graph.node.create_publisher(JointTrajectory, f'{CONTROLLER}/joint_trajectory', 10)

    def send():
        wait_until(publisher.get_subscription_count, 'the controller')
        point = JointTrajectoryPoint(positions=[each + 0.01 for each in POSTURE])
        point.time_from_start.sec = 3600
        publisher.publish(JointTrajectory(joint_names=list(JOINTS), points=[point]))

    yield send
    graph.node.destroy_publisher(publisher)


@pytest.fixture
def rival(graph):
    """Return the function that begins to publish efforts, and the one that ends it."""
    made = []

    def appear():
        made.append(graph.node.create_publisher(Float64MultiArray, COMMANDS, 1))

    def leave():
        graph.node.destroy_publisher(made.pop())

    yield appear, leave
    while made:
        leave()


@pytest.mark.parametrize(
    ('parameters', 'state', 'reason'),
    [
        ({}, 'HOLD', 'HOLD_REQUESTED'),
        ({'rival_action': 'hold'}, 'HOLD', 'HOLD_REQUESTED'),
        ({'rival_action': 'report'}, 'ACTIVE', 'FOLLOWING'),
        ({'rival_action': 'stop'}, 'FAULT', 'STOPPED'),
    ],
    ids=['default', 'hold', 'report', 'stop'],
)
def test_row_63_a_late_rival_ends_a_motion_as_its_parameter_says(
    probe, established, move, rival, parameters, state, reason
):
    """A moving arm holds its posture, moves on, or stops; the log names the rival."""
    node = established(**parameters)
    probe.wait_for('HOLD', timeout=COLD)
    move()
    probe.wait_for('ACTIVE', 'FOLLOWING')
    appear, leave = rival
    appear()
    node.wait_for_output(RIVAL)
    status = probe.wait_for(state, reason)
    assert ('/test_harness' in status.message) == (state == 'FAULT')
    assert probe.diagnosed('command').level == DiagnosticStatus.ERROR
    leave()
    node.wait_for_output(GONE)
    assert (probe.state, probe.statuses.last.reason) == (state, reason)
    assert node.output.split('\n').count(RIVAL) == 1


def test_row_63_no_motion_begins_while_a_rival_is_there(probe, established, move, rival):
    node = established()
    probe.wait_for('HOLD', timeout=COLD)
    appear, leave = rival
    appear()
    node.wait_for_output(RIVAL)
    move()
    node.wait_for_output(REFUSED)
    assert probe.next_status().state_name == 'HOLD'
    leave()
    node.wait_for_output(GONE)
    move()
    probe.wait_for('ACTIVE', 'FOLLOWING')
