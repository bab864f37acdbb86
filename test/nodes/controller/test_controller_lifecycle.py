# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller from its start to its end, as a process on a real middleware."""

import signal
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from std_msgs.msg import Float64MultiArray, String

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros import Robot
from robodyn_ros.ros.controller.controller_session import YIELD_TIME
from support.nodes import node_harness as harness
from support.nodes.node_harness import COLD, JOINTS, POSTURE, SIMULATED, ControllerProbe, FakeArm

pytestmark = [pytest.mark.ros, pytest.mark.slow]

INTRUSION = "Another node publishes on '/forward_effort_controller/commands'"
# Its tests wait for seconds of the clock, with up to four processes.
EASY = {**harness.EASY, 'update_rate': 100}
GRAVITY = Robot.from_urdf(str(harness.TWO_LINK)).gravity_torque(np.array(POSTURE))


@pytest.mark.parametrize('arm_first', [True, False], ids=['arm first', 'controller first'])
def test_it_becomes_active_in_any_order_of_starts(graph, host, probe, arm_first):
    arm = FakeArm(graph, JOINTS, POSTURE) if arm_first else None
    host('controller', **SIMULATED)
    if not arm_first:
        probe.wait_for('WAIT_STATE', timeout=COLD)
        arm = FakeArm(graph, JOINTS, POSTURE)
    status = probe.wait_for('HOLD', 'ACTIVATED', timeout=COLD)
    assert tuple(status.joint_names) == JOINTS
    assert not status.robot_compensates_gravity
    assert status.law == 'computed_torque'
    # At rest in its posture, the arm needs its gravity torque and nothing else.
    np.testing.assert_allclose(probe.next_command(), GRAVITY, rtol=1e-9)
    np.testing.assert_allclose(probe.commands.messages[0].data, GRAVITY, rtol=1e-9)
    arm.stop()


def test_without_a_description_it_waits_and_publishes_nothing(graph, host, probe, arm):
    parameters = {key: value for key, value in SIMULATED.items() if key != 'urdf_path'}
    node = host('controller', **parameters)
    status = probe.wait_for('WAIT_MODEL', timeout=COLD)
    assert "'/robot_description'" in status.message
    assert not probe.commands.messages
    # It comes late, twice, and then another one.
    publisher = graph.node.create_publisher(String, 'robot_description', harness.LATCHED)
    text = String(data=harness.TWO_LINK.read_text())
    publisher.publish(text)
    probe.wait_for('HOLD', timeout=COLD)
    publisher.publish(text)
    publisher.publish(String(data=text.data.replace('two_link', 'other')))
    node.wait_for_output('Another robot description has come; it is ignored')
    assert node.output.count('Another robot description') == 1
    assert probe.state == 'HOLD'
    assert not probe.set(law='pd').successful
    graph.node.destroy_publisher(publisher)


def test_the_automatic_start_ends_with_its_time(host, probe, arm):
    """Its timer would wake the executor of a running loop."""
    parameters = {key: value for key, value in SIMULATED.items() if key != 'urdf_path'}
    node = host('controller', **parameters).node
    probe.wait_for('WAIT_MODEL', timeout=COLD)
    assert not node._autostart_timer.is_canceled()
    node.start_again(0.0)
    harness.wait_until(node._autostart_timer.is_canceled, 'the end of the automatic start')


def test_row_60_a_description_that_came_before_the_node_is_received(graph, host, probe, arm):
    publisher = graph.node.create_publisher(String, 'robot_description', harness.LATCHED)
    publisher.publish(String(data=harness.TWO_LINK.read_text()))
    host('controller', **{key: value for key, value in SIMULATED.items() if key != 'urdf_path'})
    probe.wait_for('HOLD', timeout=COLD)
    graph.node.destroy_publisher(publisher)


def test_a_description_that_is_refused_is_a_sentence(graph, host, probe):
    parameters = {key: value for key, value in SIMULATED.items() if key != 'urdf_path'}
    node = host('controller', **parameters)
    probe.wait_for('WAIT_MODEL', timeout=COLD)
    publisher = graph.node.create_publisher(String, 'robot_description', harness.LATCHED)
    publisher.publish(String(data='<robot name="half"><link name="a"/>'))
    harness.wait_until(lambda: 'Cannot configure' in probe.message, 'a refusal')
    assert 'Traceback' not in node.output
    # A better one is taken.
    publisher.publish(String(data=harness.TWO_LINK.read_text()))
    probe.wait_for('WAIT_STATE', timeout=COLD)
    graph.node.destroy_publisher(publisher)


def test_unset_robot_compensates_gravity_refuses_to_configure(host, probe, arm):
    parameters = {**SIMULATED, 'robot_compensates_gravity': "''"}
    host('controller', **parameters)
    harness.wait_until(
        lambda: probe.state == 'WAIT_MODEL' and 'is not set' in probe.message, 'a refusal', COLD
    )
    answer = probe.enable()
    assert not answer.success
    assert "'robot_compensates_gravity' is not set" in answer.message
    assert "'robot_compensates_gravity' is not set" in probe.message
    assert not probe.commands.messages
    # It takes effect at configure, like everything else that says what the robot is.
    assert probe.set(robot_compensates_gravity='yes').successful
    assert probe.change_state('configure')
    probe.wait_for('READY')
    assert not probe.set(robot_compensates_gravity='no').successful
    assert probe.enable().success
    assert probe.wait_for('HOLD').robot_compensates_gravity
    np.testing.assert_allclose(probe.next_command(), [0.0, 0.0], atol=1e-12)


def test_joints_with_weak_gains_are_named_at_activation(host, probe, arm, tmp_path):
    """Without one of a law in N m/rad, which has no default, or with one below dry friction."""
    rough = tmp_path / 'rough.urdf'
    text = harness.TWO_LINK.read_text()
    rough.write_text(text.replace('</joint>', '<dynamics friction="6"/></joint>', 1))
    gains = {'gains__joint1__p': 50.0, 'gains__joint1__d': 5.0, 'gains__joint2__d': 2.0}
    node = host('controller', law='pd_gravity', **{**SIMULATED, 'urdf_path': str(rough)}, **gains)
    probe.wait_for('HOLD', timeout=COLD)
    told = (
        "Law 'pd_gravity' has no gain 'gains.<joint>.p' [N m/rad] for joint2: nothing holds them "
        'at their reference.',
        "Dry friction may hold joints from their references under the gains 'gains.<joint>.p' "
        '[N m/rad]: joint1 0.12 (p = 150 leaves 0.05).',
    )
    for sentence in told:
        node.wait_for_output(sentence)
    assert "gains.<joint>.d'" not in node.output
    answer = probe.enable()
    assert answer.success and answer.message.endswith(' '.join(told))


@pytest.fixture
def established(start, probe, arm):
    """A controller that has been active for so long that it does not yield any more."""
    start('controller', **EASY)
    cycles = (YIELD_TIME + 1.0) * EASY['update_rate']
    probe.statuses.wait(lambda status: status.cycles > cycles, 'an established controller', COLD)


def test_a_second_controller_on_the_same_topic_refuses_to_activate(established, start, probe):
    second = ControllerProbe(probe.graph, name='/second')
    start('controller', '-r', '__node:=second', **EASY)
    # Discovery may take longer than its start; then it finds out right after, and yields.
    second.statuses.wait(
        lambda status: status.state_name == 'READY' and INTRUSION in status.message,
        'a refusal',
        COLD,
    )
    harness.wait_until(lambda: '/robodyn_controller' in second.enable().message, 'its name')
    second.wait_for('READY')
    probe.wait_for('HOLD')
    # When the first lets go, the second may take over.
    assert probe.enable(False).success
    harness.wait_until(lambda: second.enable().success, 'its activation')
    second.wait_for('HOLD')


def test_a_second_controller_of_the_same_name_refuses_too(established, start):
    second = start('controller', **EASY)
    second.wait_for_output(INTRUSION, COLD)
    assert second.stop()[0] == 0


def test_a_foreign_publisher_on_the_command_topic_counts_too(graph, host, probe, arm):
    foreign = graph.node.create_publisher(Float64MultiArray, harness.COMMANDS, 1)
    host('controller', **SIMULATED)
    probe.wait_for('READY', timeout=COLD)
    harness.wait_until(lambda: '/test_harness' in probe.message, 'a refusal')
    graph.node.destroy_publisher(foreign)
    probe.wait_for('HOLD')


def test_enable_activates_and_deactivates(host, probe, arm):
    node = host('controller', autostart='false', **SIMULATED)
    probe.wait_for('WAIT_MODEL', timeout=COLD)
    answer = probe.enable()
    assert not answer.success and 'not configured' in answer.message
    assert probe.change_state('configure')
    probe.wait_for('READY')
    assert not probe.commands.messages
    for _ in range(2):
        assert probe.enable().success
        probe.wait_for('HOLD', 'ACTIVATED')
        assert probe.enable().success
        assert probe.enable(False).success
        status = probe.wait_for('READY')
        assert status.gc_collections == 0
        harness.wait_until(
            lambda: probe.graph.node.count_publishers(harness.COMMANDS) == 0,
            'the end of its publisher',
        )
        # The last command is the safe one: the gravity torque of the posture.
        np.testing.assert_allclose(probe.effort, GRAVITY, rtol=1e-9)
    assert node.running


LABELS = ('configure', 'cleanup', 'activate', 'deactivate', 'shutdown')


def test_every_impossible_transition_is_answered_with_a_sentence(host, probe, arm):
    """In each state of the lifecycle, by label and by number; rclpy answers the number never."""
    node = host('controller', autostart='false', **SIMULATED)
    probe.wait_for('WAIT_MODEL', timeout=COLD)
    ways = (
        ('unconfigured', (), {'configure': 1, 'shutdown': 5}),
        ('inactive', ('configure',), {'cleanup': 2, 'activate': 3, 'shutdown': 6}),
        ('active', ('activate',), {'deactivate': 4, 'shutdown': 7}),
        ('finalized', ('shutdown',), {}),
    )
    for phase, way, possible in ways:
        for label in way:
            if label == 'activate':  # it is refused before a joint state has come
                probe.wait_for('READY')
            assert probe.change_state(label)
        for wanted in (*LABELS, 'fly', *range(1, 9), 99, 255):
            if wanted in possible or wanted in possible.values():
                continue
            assert not probe.change_state(wanted)
            assert node.node.last_refusal == (
                f'Transition {wanted!r} is refused: the node is {phase}; expected '
                f'{" or ".join(possible) or "none: start it anew"}.'
            )
            assert node.node._state_machine.current_state[1] == phase
    harness.wait_until(lambda: '255 is refused' in probe.statuses.last.last_refusal, 'the status')
    assert 'Start its process anew' in probe.message
    answer = probe.enable()
    assert not answer.success and 'shut down' in answer.message
    assert 'Traceback' not in node.output


def test_the_status_is_latched_for_late_joiners(host, probe, arm):
    host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    for _ in range(3):
        late = probe.graph.collect(ControllerStatus, f'{probe.name}/status', harness.LATCHED)
        assert late.wait().state_name == 'HOLD'


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_a_signal_ends_it_after_the_safe_command(start, probe, arm, number):
    node = start('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    probe.next_command()
    code, _ = node.stop(number)
    assert code == 0, node.output
    assert 'Traceback' not in node.output
    np.testing.assert_allclose(probe.effort, GRAVITY, rtol=1e-9)


@pytest.mark.parametrize('number', [signal.SIGINT, signal.SIGTERM], ids=['SIGINT', 'SIGTERM'])
def test_a_signal_while_it_waits_or_compiles_ends_it_too(
    start, probe, number, tmp_path, monkeypatch
):
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    monkeypatch.setenv('ROBODYN_BUILT_KERNELS', '')
    node = start('controller', **EASY)
    harness.wait_until(
        lambda: probe.statuses.last and probe.statuses.last.reason == 'COMPILING',
        'compilation',
        COLD,
    )
    code, _ = node.stop(number)
    assert code == 0, node.output


def test_a_second_signal_does_not_interrupt_the_end(start, probe, arm):
    node = start('controller', **EASY)
    probe.wait_for('HOLD', timeout=COLD)
    node.send(signal.SIGINT)
    assert node.stop(signal.SIGINT)[0] == 0
    np.testing.assert_allclose(probe.effort, GRAVITY, rtol=1e-9)


def test_killed_and_started_again_it_takes_over(start, probe, arm):
    for _ in range(3):
        node = start('controller', **EASY)
        probe.statuses.clear()
        probe.wait_for('HOLD', 'ACTIVATED', timeout=COLD)
        probe.commands.clear()
        np.testing.assert_allclose(probe.next_command(), GRAVITY, rtol=1e-9)
        node.kill()  # the middleware lists it for another 20 s


def test_wrong_parameters_are_sentences_and_not_the_end(host, probe, arm):
    node = host(
        'controller',
        law='magic',
        state_timeout='-1.0',
        gain__joint1__p='1.0',
        **{key: value for key, value in SIMULATED.items() if key != 'state_timeout'},
    )
    probe.statuses.wait(lambda status: 'state_timeout' in status.message, 'a refusal', COLD)
    assert node.running
    assert probe.set(state_timeout=0.2).successful
    assert not probe.change_state('configure')
    probe.statuses.wait(
        lambda status: 'magic' in status.message and 'computed_torque' in status.message,
        'the valid laws',
    )
    assert probe.set(law='gravity_compensation').successful
    assert probe.change_state('configure')
    assert "There is no parameter 'gain.joint1.p'" in node.output
    assert 'Traceback' not in node.output
    probe.wait_for('READY')
    assert probe.enable().success
    probe.wait_for('ACTIVE')


def test_a_controller_that_finds_another_too_late_yields(graph, host, probe, arm):
    host('controller', **SIMULATED)
    probe.wait_for('HOLD', timeout=COLD)
    foreign = graph.node.create_publisher(Float64MultiArray, harness.COMMANDS, 1)
    status = probe.wait_for('READY')
    assert 'Deactivated' in status.message and '/test_harness' in status.message
    graph.node.destroy_publisher(foreign)
    # It does not start again by itself.
    assert (
        probe.statuses.wait(
            lambda later: later.header.stamp.sec > status.header.stamp.sec + 1
        ).state_name
        == 'READY'
    )
    assert probe.enable().success
    probe.wait_for('HOLD')


def test_row_63_of_four_controllers_that_start_together_one_commands(graph, start, probe, arm):
    """Whether one of them yields or all do: one comes back, and stays alone."""

    def commanding():
        return len(graph.node.get_publishers_info_by_topic(harness.COMMANDS))

    twins = [start('controller', **EASY) for _ in range(4)]
    for twin in twins:
        harness.wait_until(
            lambda: 'HOLD' in twin.output or INTRUSION in twin.output,
            'an activation, or a refusal',
            COLD,
        )
    alone_since = None

    def alone():
        nonlocal alone_since
        if commanding() != 1:
            alone_since = None
        elif alone_since is None:
            alone_since = time.monotonic()
        return alone_since and time.monotonic() - alone_since > YIELD_TIME + 1.0

    harness.wait_until(alone, 'one controller, longer than any yields', COLD)
    assert any(INTRUSION in twin.output for twin in twins)
    probe.next_command()
    for twin in twins:
        twin.end_well()
