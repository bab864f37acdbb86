# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A simulator from start to end: clock, steps by command, waiting, refusing, blowing up."""

import os
import signal
from array import array

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, String
from std_srvs.srv import Trigger

from robodyn_ros.ros.simulator.simulator_session import FULL_SPEED_PERIOD
from support.nodes.node_harness import COLD, LATCHED, TWO_LINK, wait_until
from support.nodes.simulated_arm import (
    ARM,
    COMMANDS,
    DEEP,
    EFFORTS,
    JOINTS,
    NODE,
    STATES,
    Arm,
    StandingArm,
    ask,
    floats,
    nanoseconds,
    posture,
)

pytestmark = pytest.mark.ros


def test_state_comes_at_once_whole_and_held(graph, start):
    """Before any command: full arrays, the base link's frame, the initial state, held exactly."""
    arm = Arm(graph, start, ARM, initial_position='[0.1, -0.2, 0.3, -1.5, 0.2, 1.6, -0.1]')
    for state in (arm.first, arm.next()):
        assert state.name == JOINTS
        assert state.header.frame_id == 'base_link'
        assert state.header.stamp.sec > 0
        position, velocity, effort = posture(state)
        assert position.tolist() == [0.1, -0.2, 0.3, -1.5, 0.2, 1.6, -0.1]
        assert velocity.tolist() == effort.tolist() == [0.0] * 7
    code, _ = arm.process.stop(signal.SIGTERM, COLD)
    assert code == 0
    assert 'Traceback' not in arm.process.output


WHEEL = """<robot name="wheel"><link name="base"/>
  <link name="rim"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="rim"/>
    <axis xyz="0 0 1"/><limit velocity="9" effort="10"/></joint></robot>"""


def test_blow_up_is_contained_and_over_by_reset(graph, host, tmp_path):
    """A huge torque on a free wheel leaves finite states, a reported fault, and normal operation
    after a reset."""
    urdf = tmp_path / 'wheel.urdf'
    urdf.write_text(WHEEL)
    arm = StandingArm(graph, host, urdf)
    diagnostics = graph.collect(DiagnosticArray, '/diagnostics')
    efforts = arm.publisher(Float64MultiArray, EFFORTS)
    wrenches = arm.publisher(WrenchStamped, f'{NODE}/external_wrench')
    push = WrenchStamped()
    push.header.frame_id = 'rim'
    push.wrench.torque.z = 1e8
    assert any(arm.obey(efforts, floats([0.01]), 1).effort)
    wrenches.publish(push)

    def faulty():
        state = arm.obey(efforts, floats([0.01]), 20)
        posture(state)
        return not any(state.effort)

    wait_until(faulty, 'the blow-up')
    assert not any(arm.step().velocity)
    diagnostics.wait(
        lambda message: any('not finite or too large' in each.message for each in message.status),
        'the fault',
    )
    arm.reset()
    assert list(arm.obey(efforts, floats([0.01]), 1).effort) == [0.01]
    arm.process.end_well()


def by_command(graph, start, steps):
    """Return the bytes of `steps` states of a fresh simulator, each the answer to a command."""
    arm = Arm(
        graph,
        start,
        ARM,
        trigger='command',
        noise__position=1e-4,
        noise__seed=7,
        integrator='rk4',
        no_command='free',
        command_latency=2,
    )
    publisher = graph.node.create_publisher(JointState, COMMANDS, DEEP)
    wait_until(lambda: publisher.get_subscription_count(), 'the simulator')
    # the initial state is published repeatedly: it is no response
    rng, trace, stamp = np.random.default_rng(3), [], arm.next().header.stamp
    for _ in range(steps):
        arm.states.clear()
        publisher.publish(JointState(name=JOINTS, effort=array('d', rng.normal(0.0, 10.0, 7))))
        state = arm.states.wait(lambda state: state.header.stamp != stamp, 'an answer')
        stamp = state.header.stamp
        trace.append(
            (
                stamp.sec,
                stamp.nanosec,
                bytes(state.position),
                bytes(state.velocity),
                bytes(state.effort),
            )
        )
    arm.process.end_well()
    return trace


def test_the_same_commands_give_the_same_bits(graph, start):
    """In one process and in the next, noise included."""
    first = by_command(graph, start, 200)
    assert [entry[:2] for entry in first] == [(0, 1_000_000 * k) for k in range(1, 201)]
    assert len({entry[2] for entry in first}) == 200
    assert by_command(graph, start, 200) == first


def test_the_state_is_repeated_until_a_command_comes(graph, host):
    """It has the same stamp, for late subscribers; a bad command takes no step."""
    arm = Arm(graph, host, trigger='command')
    first, again = arm.next(), arm.next()
    assert first == again
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    publisher.publish(floats([1.0] * 5))
    intake = arm.process.node.session.intake
    wait_until(lambda: intake.rejected['WRONG_LENGTH'], 'a refusal')
    for _ in range(3):
        assert arm.next().header.stamp == first.header.stamp
    publisher.publish(floats([1.0] * 2))
    moved = arm.next(lambda state: state.header.stamp != first.header.stamp, 'a step')
    assert moved.header.stamp.nanosec == first.header.stamp.nanosec + 1_000_000


def answer_each(graph, host, sent):
    """Return 20 states of a fresh simulator, each sent and answered `sent` times, and the node."""
    arm = Arm(graph, host, ARM, trigger='command', initial_velocity=[0.1] * 7)
    publisher, session = arm.publisher(JointState, COMMANDS), arm.process.node.session
    intake, trace = session.intake, []

    def answer(state, expected):
        message = JointState(name=list(state.name), header=state.header)
        message.effort = array('d', np.cos(1e3 * np.array(state.position)))
        publisher.publish(message)
        wait_until(lambda: intake.accepted + intake.rejected.total() >= expected, 'the answer')

    answer(arm.first, 1)  # its stamp is zero, as of a command that has none
    for step in range(1, 21):
        with session.lock:
            for _ in range(sent - 1):
                session.publish_state()

        def copies(step=step):
            found = [each for each in arm.states.messages if nanoseconds(each) == 10**6 * step]
            return found[:sent] if len(found) >= sent else None

        for k, state in enumerate(wait_until(copies, f'state {step}')):
            answer(state, 1 + sent * (step - 1) + k + 1)
        trace.append(bytes(state.position) + bytes(state.velocity))
    arm.process.end_well()
    return trace, arm.process.node.get_logger().lines, intake


def test_an_answer_to_a_repeated_state_takes_no_second_step(graph, host):
    """It has an old stamp. It is counted and told, and the run keeps its bits."""
    once, _, intake = answer_each(graph, host, 1)
    assert (intake.accepted, intake.rejected) == (21, {})
    thrice, log, intake = answer_each(graph, host, 3)
    assert (intake.accepted, intake.rejected) == (21, {'OLD_STAMP': 40})
    assert thrice == once and len({*once}) == 20
    told = [line for line in log if 'takes no step: OLD_STAMP: it answers the state at' in line]
    assert 1 <= len(told) < 40
    assert 'it answers the state at 0.001 s; the newest is that at 0.002 s' in told[0]


def test_a_command_without_a_stamp_is_told_not_to_be_repeatable(graph, host):
    """The type of the command, or its sender, leaves open which state it answers."""
    arm = Arm(graph, host, trigger='command')
    arm.publisher(Float64MultiArray, EFFORTS).publish(floats([1.0] * 2))
    arm.process.wait_for_output('the run may not be repeatable')
    assert "'trigger' lock_step" in arm.process.output


@pytest.mark.parametrize('speed, period', [(0.0, FULL_SPEED_PERIOD), (0.5, 0.004), (4.0, 0.0005)])
def test_the_speed_is_how_often_a_step_is_due(graph, host, speed, period):
    """Here of 2 ms each; with 0 as soon as the last one is over."""
    arm = StandingArm(graph, host, update_rate=500, speed_factor=speed)
    assert arm.process.node.session.loop.period == period
    arm.process.end_well()


def test_clock_has_one_source(graph, host):
    """Simulated time, in stamps too; a second simulator does not publish it."""
    clock = graph.collect(
        Clock, '/clock', QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
    )
    arm = Arm(graph, host, publish_clock=True, update_rate=100)
    wait_until(lambda: len(clock.messages) > 20, 'simulated time')
    times = [message.clock.sec * 10**9 + message.clock.nanosec for message in clock.messages]
    assert all(later > earlier for earlier, later in zip(times, times[1:]))
    state = arm.next()
    assert state.header.stamp.sec < 10**6  # simulated, not wall time
    other = host('simulator', '-r', '__node:=another', urdf_path=TWO_LINK, publish_clock=True)
    # whichever of them discovers the other one first leaves it the clock
    wait_until(
        lambda: any("publishes '/clock'" in process.output for process in (other, arm.process)),
        'who gives way',
        COLD,
    )
    wait_until(lambda: graph.node.count_publishers('/clock') == 1, 'one source')
    for process in (other, arm.process):
        process.end_well()


def test_waits_for_the_robot_and_refuses_a_bad_one(graph, host):
    """Without a robot: no state, services that say so; a broken description is not the end."""
    states = graph.collect(JointState, STATES, DEEP)
    process = host('simulator')
    process.wait_for_output("Nothing has come on '/robot_description'", COLD)
    answer = ask(graph, Trigger, 'reset')
    assert not answer.success and 'robot_description' in answer.message
    description = graph.node.create_publisher(String, 'robot_description', LATCHED)
    description.publish(String(data='<robot name="broken"><link/></robot>'))
    process.wait_for_output('Cannot configure')
    assert not states.messages
    description.publish(String(data=TWO_LINK.read_text()))
    state = states.wait(what='the state', timeout=COLD)
    assert state.name == ['joint1', 'joint2']
    description.publish(String(data=ARM.read_text()))
    process.wait_for_output('Another robot description')
    states.clear()
    assert states.wait(what='a state').name == ['joint1', 'joint2']
    graph.node.destroy_publisher(description)
    process.end_well()


@pytest.mark.parametrize(
    'parameters, words',
    [
        ({'no_command': 'drop'}, 'no_command'),
        ({'substeps': 0}, 'substeps'),
        ({'initial_position': '[0.1]'}, 'initial_position'),
        ({'initial_position': '[0.1, 99.0]'}, "'joint2' is 99"),
        ({'payload__frame': 'nowhere', 'payload__mass': 1.0}, 'nowhere'),
        ({'fault__stuck_joints': '[elbow]'}, 'elbow'),
        ({'urdf_path': '/nowhere.urdf'}, '/nowhere.urdf'),
    ],
)
def test_bad_parameter_keeps_the_node_waiting_with_a_sentence(host, parameters, words):
    """The process runs, publishes nothing, and logs the reason."""
    process = host('simulator', **{'urdf_path': TWO_LINK, **parameters})
    process.wait_for_output('Cannot configure', COLD)
    assert words in process.output
    assert process.running
    process.end_well()


def test_interrupted_while_it_compiles(start, tmp_path, monkeypatch):
    """SIGINT during a cold start ends it, with exit code 0, and what it was about is left."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', os.fspath(tmp_path))
    monkeypatch.setenv('ROBODYN_BUILT_KERNELS', '')
    process = start('simulator', urdf_path=TWO_LINK)
    wait_until(lambda: any(tmp_path.iterdir()), 'the beginning of compilation', COLD)
    code, _ = process.stop(timeout=COLD)
    assert code == 0
