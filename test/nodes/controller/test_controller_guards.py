# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Refusals are reported, no message drops the arm, and every way to stop it latches."""

import ctypes
import errno
import os
import signal
import sys
from types import SimpleNamespace

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rclpy.serialization import serialize_message  # noqa: E402
from std_msgs.msg import Bool  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_ros import Robot  # noqa: E402
from robodyn_ros.middleware.trajectory_cdr import MAX_BYTES, MAX_POINTS, read_head  # noqa: E402
from robodyn_ros.realtime import os_requests  # noqa: E402
from support.nodes import node_harness as harness  # noqa: E402
from support.nodes.node_harness import COLD, EASY, JOINTS, POSTURE, SIMULATED  # noqa: E402

pytestmark = pytest.mark.ros

GRAVITY = Robot.from_urdf(str(harness.TWO_LINK)).gravity_torque(np.array(POSTURE))


def refuse_fifo(monkeypatch):
    def refuse(*_):
        raise PermissionError(errno.EPERM, 'Operation not permitted')

    monkeypatch.setattr(os, 'sched_setscheduler', refuse)


def refuse_memory(monkeypatch):
    real = os_requests._libc()

    def refuse(_flags):
        ctypes.set_errno(errno.ENOMEM)
        return -1

    fake = SimpleNamespace(prctl=real.prctl, mlockall=refuse)
    monkeypatch.setattr(os_requests, '_libc', lambda: fake)


@pytest.mark.parametrize(
    ('refuse', 'parameters', 'refused', 'remedy'),
    [
        # a processor that no machine has: a refusal that needs no limits to be set
        (None, {'realtime__cpus': '[1023]'}, 'not be bound to processors [1023]', 'runs on any'),
        (
            refuse_fifo,
            {'realtime__priority': 50},
            'SCHED_FIFO priority 50 was refused ([Errno 1] Operation not permitted)',
            "'rtprio 99'",
        ),
        (
            refuse_memory,
            {'realtime__lock_memory': True},
            'could not be locked (Cannot allocate memory)',
            "'memlock unlimited'",
        ),
    ],
    ids=['processors', 'priority', 'memory'],
)
def test_row_71_what_the_system_refuses_is_reported_everywhere(
    monkeypatch, host, probe, arm, refuse, parameters, refused, remedy
):
    """In log, status and diagnostics, with the remedy; and the arm is held nevertheless."""
    if refuse:
        refuse(monkeypatch)
    node = host('controller', **SIMULATED, **parameters)
    for told in (probe.wait_for('HOLD', timeout=COLD).message, node.output):
        assert refused in told and remedy in told
    loop_entry = probe.diagnosed('loop')
    assert loop_entry.level != b'\0' and refused in loop_entry.message


def test_row_71_what_is_required_and_refused_is_no_reason_to_go_on(host, probe, arm):
    node = host('controller', **SIMULATED, realtime__cpus='[1023]', realtime__require=True)
    node.wait_for_output("Cannot activate: Parameter 'realtime.require' is true", COLD)
    probe.wait_for('READY')
    assert not probe.enable().success and not probe.commands.messages


def test_row_56_a_node_shortens_the_turns_of_other_python_threads(host, probe, arm):
    usual = sys.getswitchinterval()
    sys.setswitchinterval(5e-3)  # as when Python starts
    try:
        host('controller', **SIMULATED)
        probe.wait_for('HOLD', timeout=COLD)
        assert sys.getswitchinterval() == pytest.approx(5e-5)
    finally:
        sys.setswitchinterval(usual)


def _large_trajectories():
    """Return octets that lie about their points, too many octets, and the longest way to hold."""
    point = JointTrajectoryPoint(positions=list(POSTURE))
    point.time_from_start.sec = 1
    message = JointTrajectory(joint_names=list(JOINTS), points=[point])
    message.header.frame_id = 'base'  # a point then needs no padding: all have the same 40 octets
    one = serialize_message(message)
    head = read_head(np.frombuffer(one, np.uint8)).start
    assert head % 8 == 0
    rows = np.tile(np.frombuffer(one[head : head + 40], np.uint8), (MAX_POINTS, 1))
    rows[:, 32:36] = np.arange(1, MAX_POINTS + 1, dtype='<u4').view(np.uint8).reshape(-1, 4)
    longest = one[: head - 4] + np.uint32(MAX_POINTS).tobytes() + rows.tobytes()
    lying = one[: head - 4] + np.uint32(8_000_000).tobytes() + bytes(1_900_000)
    return lying, bytes(MAX_BYTES + 1), longest


def test_row_9_no_trajectory_drops_the_arm(graph, host, probe, arm):
    node = host('controller', **SIMULATED).node
    probe.wait_for('HOLD', timeout=COLD)
    publisher = graph.node.create_publisher(JointTrajectory, f'{probe.name}/joint_trajectory', 1)
    harness.wait_until(lambda: publisher.get_subscription_count() == 1, 'the controller')
    probe.statuses.clear()
    lying, large, longest = _large_trajectories()
    for times in range(1, 6):
        publisher.publish(lying)
        harness.wait_until(lambda n=times: node.session.refused_references == 2 * n - 1, 'a lie')
        publisher.publish(large)
        harness.wait_until(lambda n=times: node.session.refused_references == 2 * n, 'its size')
        publisher.publish(longest)
        harness.wait_until(lambda n=times: node.session.accepted_references == n, 'the longest')
    probe.wait_for('ACTIVE', 'FOLLOWING')
    refusals = probe.diagnosed('references')
    assert {'STALE', 'FAULT'}.isdisjoint(status.state_name for status in probe.statuses.messages)
    counts = {pair.key: pair.value for pair in refusals.values}
    assert (counts['accepted'], counts['refused']) == ('5', '10')
    np.testing.assert_allclose(probe.next_command(), GRAVITY, atol=1e-6)
    graph.node.destroy_publisher(publisher)


@pytest.mark.parametrize('way', ['signal', 'topic', 'service'])
def test_row_79_every_way_to_stop_latches(graph, host, start, probe, arm, way):
    node = start('controller', **EASY) if way == 'signal' else host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    if way == 'signal':
        node.send(signal.SIGUSR1)
    elif way == 'service':
        assert probe.trigger('stop').success
    else:
        publisher = graph.node.create_publisher(Bool, f'{probe.name}/emergency_stop', 1)
        harness.wait_until(lambda: publisher.get_subscription_count() == 1, 'the controller')
        publisher.publish(Bool(data=True))
        probe.wait_for('FAULT', 'STOPPED')
        publisher.publish(Bool(data=False))
    probe.wait_for('FAULT', 'STOPPED')
    assert probe.next_status().state_name == 'FAULT'
    harness.wait_until(lambda: probe.trigger('reset').success, 'a reset')  # if states are not late
    probe.wait_for('HOLD', 'RESET')
    node.end_well()


SHUT_DOWN_BY_SIGNAL = """
import signal, sys, rclpy
from robodyn_ros.nodes import controller
signal.signal(signal.SIGUSR2, lambda *_: rclpy.shutdown())
sys.exit(controller.main())
"""


def test_row_49_after_a_shutdown_of_rclpy_the_last_word_is_the_safe_torque(
    probe, arm, tmp_path_factory
):
    """It ends by itself, and its exit code says what happened."""

    def begin(_, arguments, folder):
        command = [sys.executable, '-c', SHUT_DOWN_BY_SIGNAL, '--ros-args', *arguments]
        return harness.StartedNode(command, folder, harness.PATH)

    processes = harness.processes(begin, tmp_path_factory)
    node = next(processes)('controller', **{**EASY, 'robot_compensates_gravity': "'yes'"})
    probe.wait_for('HOLD', timeout=COLD)
    arm.position[0] += 0.05
    harness.wait_until(lambda: abs(probe.effort[0]) > 1.0, 'feedback')
    code, _ = node.stop(signal.SIGUSR2)
    assert code == 3 and 'rclpy was shut down from elsewhere' in node.output
    assert 'Traceback' not in node.output
    harness.wait_until(lambda: not any(probe.effort), 'zero effort')
    processes.close()
