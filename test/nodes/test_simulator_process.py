# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator as a process: start, lock step, clock, waiting, refusing, blowing up, ending."""

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

from support.node_harness import COLD, LATCHED, TWO_LINK, wait_until
from support.simulated_arm import (
    ARM,
    COMMANDS,
    DEEP,
    EFFORTS,
    JOINTS,
    NODE,
    STATES,
    Arm,
    ask,
    floats,
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
    code, _ = arm.process.stop(signal.SIGTERM)
    assert code == 0
    assert 'Traceback' not in arm.process.output


WHEEL = """<robot name="wheel"><link name="base"/>
  <link name="rim"><inertial><mass value="1"/>
    <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="0.01"/></inertial></link>
  <joint name="spin" type="continuous"><parent link="base"/><child link="rim"/>
    <axis xyz="0 0 1"/><limit velocity="9" effort="10"/></joint></robot>"""


def test_blow_up_is_contained_and_over_by_reset(graph, start, tmp_path):
    """Torque beyond all reason on a free wheel: finite states, a fault told, life after reset."""
    urdf = tmp_path / 'wheel.urdf'
    urdf.write_text(WHEEL)
    arm = Arm(graph, start, urdf, command_timeout=0.5)
    diagnostics = graph.collect(DiagnosticArray, '/diagnostics')
    efforts = arm.publisher(Float64MultiArray, EFFORTS)
    wrenches = arm.publisher(WrenchStamped, f'{NODE}/external_wrench')
    push = WrenchStamped()
    push.header.frame_id = 'rim'
    push.wrench.torque.z = 1e8
    with arm.stream(efforts, floats([0.01])):
        arm.next(lambda state: any(state.effort), 'obedience')
        wrenches.publish(push)
        diagnostics.wait(
            lambda message: any('left all reason' in status.message for status in message.status),
            'the fault',
        )
        for state in list(arm.states.messages):
            posture(state)
        assert not any(arm.next().velocity)
        assert arm.call(Trigger, 'reset').success
        arm.next(lambda state: list(state.effort) == [0.01], 'life after the reset')
    assert arm.process.stop()[0] == 0


def lock_step(graph, start, steps):
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
    # the initial state is told again and again: it is no answer
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
    assert arm.process.stop()[0] == 0
    return trace


def test_lock_step_is_deterministic(graph, start):
    """Two processes, the same commands: the same states, bit for bit, noise included."""
    first = lock_step(graph, start, 200)
    assert [entry[:2] for entry in first] == [(0, 1_000_000 * k) for k in range(1, 201)]
    assert len({entry[2] for entry in first}) == 200
    assert lock_step(graph, start, 200) == first


def test_lock_step_repeats_itself_to_whoever_comes_late(graph, start):
    """The state is told again under the same stamp, and a bad command takes no step."""
    arm = Arm(graph, start, trigger='command')
    first, again = arm.next(), arm.next()
    assert first == again
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    publisher.publish(floats([1.0] * 5))
    assert arm.next().header.stamp == first.header.stamp
    publisher.publish(floats([1.0] * 2))
    moved = arm.next(lambda state: state.header.stamp != first.header.stamp, 'a step')
    assert moved.header.stamp.nanosec == first.header.stamp.nanosec + 1_000_000


def test_clock_has_one_source(graph, start):
    """Simulated time, faster than real; a second simulator does not publish it too."""
    clock = graph.collect(
        Clock, '/clock', QoSProfile(depth=100, reliability=ReliabilityPolicy.BEST_EFFORT)
    )
    arm = Arm(graph, start, publish_clock=True, speed_factor=0.0)
    clock.wait(lambda message: message.clock.sec >= 25, '25 s of simulated time')
    times = [message.clock.sec * 10**9 + message.clock.nanosec for message in clock.messages]
    assert all(later >= earlier for earlier, later in zip(times, times[1:]))
    state = arm.next()
    assert state.header.stamp.sec < 10**6  # simulated, not wall time
    other = start('simulator', '-r', '__node:=another', urdf_path=TWO_LINK, publish_clock=True)
    # whichever of them discovers the other one first leaves it the clock
    wait_until(
        lambda: any("publishes '/clock'" in process.output for process in (other, arm.process)),
        'who gives way',
        COLD,
    )
    wait_until(lambda: len(graph.node.get_publishers_info_by_topic('/clock')) == 1, 'one source')
    for process in (other, arm.process):
        assert process.stop()[0] == 0


def test_waits_for_the_robot_and_refuses_a_bad_one(graph, start):
    """Without a robot: no state, services that say so; a broken description is not the end."""
    states = graph.collect(JointState, STATES, DEEP)
    process = start('simulator')
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
    assert process.stop()[0] == 0


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
def test_bad_parameter_keeps_the_node_waiting_with_a_sentence(graph, start, parameters, words):
    """Alive, silent, and told why."""
    process = start('simulator', **{'urdf_path': TWO_LINK, **parameters})
    process.wait_for_output('Cannot configure', COLD)
    assert words in process.output
    assert process.running
    process.end_well()


def test_interrupted_while_it_compiles(graph, start, tmp_path, monkeypatch):
    """SIGINT during a cold start ends it at once, with exit code 0."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', os.fspath(tmp_path))
    monkeypatch.setenv('ROBODYN_BUILT_KERNELS', '')
    process = start('simulator', urdf_path=TWO_LINK)
    wait_until(lambda: any(tmp_path.iterdir()), 'the beginning of compilation', COLD)
    code, _ = process.stop()
    assert code == 0
