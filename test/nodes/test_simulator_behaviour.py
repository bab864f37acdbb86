# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One simulated arm on a real middleware: what it obeys, ignores, announces and survives."""

import math
import re
import sys
import time
from array import array

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import SetBool, Trigger

from robodyn_msgs.srv import SetJointState, StepSimulation
from robodyn_ros.robot.robot import Robot
from support.node_harness import LATCHED, StartedNode
from support.simulated_arm import ARM, COMMANDS, EFFORTS, JOINTS, NODE, Arm, floats, posture

pytestmark = pytest.mark.ros


@pytest.fixture(scope='module')
def shared(graph, start_shared):
    """Return a simulated Franka-like arm for the tests that leave it as they found it."""
    arm = Arm(graph, start_shared, ARM, update_rate=500, command_timeout=0.2)
    yield arm
    arm.process.end_well()


@pytest.fixture
def arm(shared):
    """Return the shared arm after a reset."""
    assert shared.call(Trigger, 'reset').success
    yield shared
    assert shared.process.running
    shared.graph.set_parameters(NODE, fault__stuck_joints=[], fault__frozen_sensor=False)
    shared.call(SetBool, 'pause', data=False)


def test_both_command_topics_move_the_motors(arm):
    """By name in any order beside strangers, and by order; limits hold; efforts come back."""
    by_name = arm.publisher(JointState, COMMANDS)
    names = ['finger', *reversed(JOINTS)]
    message = JointState(name=names, effort=array('d', [5.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]))
    with arm.stream(by_name, message):
        arm.next(
            lambda state: list(state.effort) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0],
            'efforts by name',
        )
    assert arm.call(Trigger, 'reset').success
    by_order = arm.publisher(Float64MultiArray, EFFORTS)
    with arm.stream(by_order, floats([1.0, -500.0, 0.5, 0.0, 0.0, 0.0, 500.0])):
        arm.next(
            lambda state: list(state.effort) == [1.0, -87.0, 0.5, 0.0, 0.0, 0.0, 12.0],
            'efforts by order',
        )


def test_joints_without_a_command_stay_braked(arm):
    """NaN means not commanded: the others move, these do not."""
    publisher = arm.publisher(JointState, COMMANDS)
    before = posture(arm.next())[0]
    effort = array('d', [math.nan] * 4 + [2.0, 2.0, 2.0])
    with arm.stream(publisher, JointState(name=JOINTS, effort=effort)):
        moved = arm.next(
            lambda state: np.all(np.array(state.position)[4:] != before[4:]),
            'motion of the commanded joints',
        )
    assert posture(moved)[0][:4].tolist() == before[:4].tolist()


@pytest.mark.parametrize(
    'kind, topic, message',
    [
        (Float64MultiArray, EFFORTS, floats([math.nan] + [1.0] * 6)),
        (Float64MultiArray, EFFORTS, floats([math.inf] * 7)),
        (Float64MultiArray, EFFORTS, floats([1e300] * 7)),
        (Float64MultiArray, EFFORTS, floats([1.0] * 6)),
        (Float64MultiArray, EFFORTS, floats([])),
        (Float64MultiArray, EFFORTS, floats([1.0] * 100_000)),
        (JointState, COMMANDS, JointState(name=JOINTS, effort=array('d', [1.0] * 3))),
        (JointState, COMMANDS, JointState(name=JOINTS + ['joint1'], effort=array('d', [1.0] * 8))),
        (JointState, COMMANDS, JointState(name=JOINTS, effort=array('d', [math.nan] * 7))),
        (JointState, COMMANDS, JointState(name=JOINTS, position=array('d', [0.0] * 7))),
        (JointState, COMMANDS, JointState(name=['x'] * 20_000, effort=array('d', [1.0] * 20_000))),
    ],
)
def test_bad_command_changes_nothing(arm, kind, topic, message):
    """Neither frees the brake, nor stops the node; what follows is obeyed."""
    before = posture(arm.next())[0]
    publisher = arm.publisher(kind, topic)
    with arm.stream(publisher, message):
        time.sleep(0.2)
        for state in list(arm.states.messages):
            position, velocity, effort = posture(state)
            assert position.tolist() == before.tolist()
            assert not velocity.any() and not effort.any()
    good = arm.publisher(Float64MultiArray, EFFORTS)
    with arm.stream(good, floats([1.0] * 7)):
        arm.next(lambda state: list(state.effort) == [1.0] * 7, 'obedience')


def test_refused_commands_are_counted_with_their_reason(arm):
    """On /diagnostics, within the next reports."""
    diagnostics = arm.graph.collect(DiagnosticArray, '/diagnostics')
    publisher = arm.publisher(Float64MultiArray, EFFORTS)

    def counts(reason):
        def check(message):
            values = {
                value.key: value.value
                for status in message.status
                for value in status.values
                if status.name.endswith('commands')
            }
            return int(values.get(f'rejected.{reason}', 0)) > 0

        return check

    with arm.stream(publisher, floats([1.0])):
        diagnostics.wait(counts('WRONG_LENGTH'), 'a count of wrong lengths')
    with arm.stream(publisher, floats([math.nan] * 7)):
        diagnostics.wait(counts('OUT_OF_RANGE'), 'a count of NaN')


KILLED = """
import rclpy, time
from std_msgs.msg import Float64MultiArray
rclpy.init()
publisher = rclpy.create_node('commander').create_publisher(Float64MultiArray, '{topic}', 1)
while True:
    publisher.publish(Float64MultiArray(data=[3.0] * 7))
    time.sleep(0.002)
"""


def test_killed_commander_leaves_no_torque(arm, tmp_path):
    """SIGKILL: the last effort is not held for ever, and the arm loses its speed."""
    code = KILLED.format(topic=EFFORTS)
    commander = StartedNode([sys.executable, '-c', code], tmp_path)
    try:
        arm.next(lambda state: list(state.effort) == [3.0] * 7, 'the commander')
        arm.next(lambda state: np.max(np.abs(state.velocity)) > 0.05, 'motion')
    finally:
        commander.kill()
    arm.next(lambda state: not any(state.effort), 'zero effort after the time-out')
    state = arm.next(lambda state: np.max(np.abs(state.velocity)) < 0.1, 'rest')
    assert not any(state.effort)
    with arm.stream(arm.publisher(Float64MultiArray, EFFORTS), floats([1.0] * 7)):
        arm.next(lambda state: list(state.effort) == [1.0] * 7, 'obedience to a new commander')


def test_pause_step_and_go_on(arm):
    """Paused: the state stands still but is told; steps are exact; not paused: no steps."""
    refused = arm.call(StepSimulation, 'step', steps=5)
    assert not refused.success and 'paused' in refused.message
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    with arm.stream(publisher, floats([2.0] * 7)):
        arm.next(lambda state: np.max(np.abs(state.velocity)) > 0.01, 'motion')
        assert arm.call(SetBool, 'pause', data=True).success
        first, second = arm.next(), arm.next()
        assert posture(first)[0].tolist() == posture(second)[0].tolist()
        start = arm.call(StepSimulation, 'step', steps=1).time
        answer = arm.call(StepSimulation, 'step', steps=250)
        assert answer.success and answer.time == pytest.approx(start + 0.5, abs=1e-9)
        assert posture(arm.next())[0].tolist() != posture(first)[0].tolist()
        for steps in (0, 2**31):
            refused = arm.call(StepSimulation, 'step', steps=steps)
            assert not refused.success and 'expected 1 to' in refused.message
        assert arm.call(SetBool, 'pause', data=False).success
        before = posture(arm.next())[0].tolist()
        arm.next(lambda state: list(state.position) != before, 'motion after the pause')


def test_reset_and_set_state_are_announced(arm):
    """State by name, the rest kept; refusals say why; listeners are told to forget."""
    notices = arm.graph.collect(Header, f'{NODE}/reset_notify', LATCHED)
    notices.wait(what='the latched notice of the last reset')
    initial = posture(arm.next())[0]
    notices.clear()
    answer = arm.call(
        SetJointState,
        'set_joint_state',
        state=JointState(name=['joint6', 'joint2'], position=array('d', [2.0, 0.5])),
    )
    assert answer.success, answer.message
    notices.wait(what='a notice')
    expected = initial.copy()
    expected[[5, 1]] = 2.0, 0.5
    assert posture(arm.next())[0].tolist() == expected.tolist()
    for names, position, velocity, words in (
        (['joint1'], [99.0], [], 'joint1.*stops'),
        (['elbow'], [0.0], [], 'elbow'),
        (['joint1'], [math.nan], [], 'finite'),
        (['joint1', 'joint1'], [0.0] * 2, [], 'once'),
        (['joint1'], [0.0, 1.0], [], '2 positions'),
        ([], [], [], '0 joints'),
        (['joint1'], [], [1e9], 'velocity'),
    ):
        refused = arm.call(
            SetJointState,
            'set_joint_state',
            state=JointState(
                name=names, position=array('d', position), velocity=array('d', velocity)
            ),
        )
        assert not refused.success
        assert re.search(words, refused.message), refused.message
    assert posture(arm.next())[0].tolist() == expected.tolist()
    assert arm.call(Trigger, 'reset').success
    assert posture(arm.next())[0].tolist() == initial.tolist()


def test_wrench_pushes_for_its_time(arm):
    """On a link, in the link's axes; an unknown link is refused and nothing happens."""
    efforts = arm.publisher(Float64MultiArray, EFFORTS)
    wrenches = arm.publisher(WrenchStamped, f'{NODE}/external_wrench')
    push = WrenchStamped()
    push.header.frame_id = 'link7'
    push.wrench.force.x, push.wrench.force.y = 30.0, 30.0
    robot = Robot.from_urdf(ARM)
    q = np.array(posture(arm.next())[0])
    with arm.stream(efforts, floats(robot.gravity_torque(q))):
        wrenches.publish(push)
        arm.next(lambda state: np.max(np.abs(np.array(state.velocity))) > 0.2, 'a push')
        push.header.frame_id = 'no_such_link'
        wrenches.publish(push)
        push.header.frame_id = 'link7'
        push.wrench.force.x = math.nan
        wrenches.publish(push)
        arm.process.wait_for_output('no_such_link')
    assert all(np.all(np.isfinite(state.position)) for state in arm.states.messages)


def test_injected_faults(arm):
    """Live: a stuck joint, a frozen sensor; a joint that does not exist is refused."""
    refused = arm.graph.set_parameters(NODE, fault__stuck_joints=['elbow'])
    assert not refused.successful and 'elbow' in refused.reason
    assert arm.graph.set_parameters(NODE, fault__stuck_joints=['joint2']).successful
    before = posture(arm.next())[0]
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    with arm.stream(publisher, floats([3.0] * 7)):
        state = arm.next(lambda state: abs(state.position[0] - before[0]) > 0.01, 'motion')
        assert state.position[1] == before[1]
        assert arm.graph.set_parameters(NODE, fault__frozen_sensor=True).successful
        first, second = arm.next(), arm.next()
        assert posture(first)[0].tolist() == posture(second)[0].tolist()
        assert (first.header.stamp.sec, first.header.stamp.nanosec) != (
            second.header.stamp.sec,
            second.header.stamp.nanosec,
        )
