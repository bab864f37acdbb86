# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""One simulated arm on a real middleware: what it obeys, ignores, announces and survives."""

import math
import re
import sys
from array import array

import numpy as np
import pytest
from diagnostic_msgs.msg import DiagnosticArray
from geometry_msgs.msg import WrenchStamped
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray, Header
from std_srvs.srv import Trigger

from robodyn_msgs.srv import SetJointState
from robodyn_ros.robot.robot import Robot
from support.nodes.node_harness import COLD, LATCHED, PATH, StartedNode, wait_until
from support.nodes.simulated_arm import (
    ARM,
    COMMANDS,
    EFFORTS,
    JOINTS,
    NODE,
    StandingArm,
    floats,
    nanoseconds,
    posture,
)

pytestmark = pytest.mark.ros

POSITIONS = '/forward_position_controller/commands'
RATE, TIMEOUT = 500, 100  # [Hz], [steps] for which a command is in force


@pytest.fixture(scope='module')
def shared(graph, host_shared):
    """Return a simulated Franka-like arm for the tests that leave it as they found it."""
    timeout = (TIMEOUT - 0.5) / RATE  # not on a step, where rounding would decide
    arm = StandingArm(graph, host_shared, ARM, update_rate=RATE, command_timeout=timeout)
    yield arm
    arm.process.end_well()


@pytest.fixture
def arm(shared):
    """Return the shared arm after a reset, standing."""
    shared.reset()
    yield shared
    assert shared.process.running
    shared.graph.set_parameters(NODE, fault__stuck_joints=[], fault__frozen_sensor=False)
    shared.pause()


def test_both_command_topics_move_the_motors(arm):
    """By name in any order beside strangers, and by order; limits hold; efforts come back."""
    names = ['finger', *reversed(JOINTS)]
    message = JointState(name=names, effort=array('d', [5.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0]))
    arm.say(arm.publisher(JointState, COMMANDS), message)
    assert list(arm.step().effort) == [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    arm.reset()
    by_order = arm.publisher(Float64MultiArray, EFFORTS)
    arm.say(by_order, floats([1.0, -500.0, 0.5, 0.0, 0.0, 0.0, 500.0]))
    assert list(arm.step().effort) == [1.0, -87.0, 0.5, 0.0, 0.0, 0.0, 12.0]


def test_efforts_in_order_wait_until_those_by_name_have_ceased(arm):
    """So efforts that reach a robot through ros2_control do not reach it past that, too.

    Commands by name keep their joints for 100 ms, which are 50 steps.
    """
    refused, by_order = (
        arm.intake.rejected['COMMANDED_BY_NAME'],
        arm.publisher(Float64MultiArray, EFFORTS),
    )
    by_name = JointState(name=JOINTS[:2], effort=array('d', [1.0, 2.0]))
    arm.say(arm.publisher(JointState, COMMANDS), by_name)
    arm.step(40)
    arm.say(by_order, floats([5.0] * 7))
    assert arm.intake.rejected['COMMANDED_BY_NAME'] == refused + 1
    assert 'joint1, joint2 have commands by name too' in arm.intake.detail
    assert list(arm.step().effort) == [1.0, 2.0] + [0.0] * 5
    arm.say(by_order, floats([math.nan] * 2 + [3.0] * 5))  # the others are free
    assert list(arm.step().effort) == [1.0, 2.0] + [3.0] * 5
    arm.step(10)
    arm.say(by_order, floats([4.0] * 7))
    assert list(arm.step().effort) == [4.0] * 7


def test_a_robot_behind_ros2_control_takes_no_efforts_in_order(arm):
    """Where no controller is active, ros2_control sends NaN for each joint by its name."""
    refused = arm.intake.rejected['COMMANDED_BY_NAME']
    by_order = arm.publisher(Float64MultiArray, EFFORTS)
    nothing = JointState(name=JOINTS[:6], effort=array('d', [math.nan] * 6))
    arm.say(arm.publisher(JointState, COMMANDS), nothing)
    before = posture(arm.next())[0]
    arm.say(by_order, floats([5.0] * 7))
    assert arm.intake.rejected['COMMANDED_BY_NAME'] == refused + 1
    assert posture(arm.step(40))[0].tolist() == before.tolist()
    arm.say(by_order, floats([math.nan] * 6 + [3.0]))  # this joint is free
    assert list(arm.step().effort) == [0.0] * 6 + [3.0]
    arm.step(10)
    arm.say(by_order, floats([4.0] * 7))
    assert list(arm.step().effort) == [4.0] * 7


def test_joints_without_a_command_stay_braked(arm):
    """NaN means not commanded: the others move, these do not."""
    before = posture(arm.next())[0]
    effort = array('d', [math.nan] * 4 + [2.0, 2.0, 2.0])
    arm.say(arm.publisher(JointState, COMMANDS), JointState(name=JOINTS, effort=effort))
    after = posture(arm.step(20))[0]
    assert after[:4].tolist() == before[:4].tolist()
    assert np.all(after[4:] != before[4:])


@pytest.mark.parametrize(
    'kind, topic, message, reason',
    [
        (Float64MultiArray, EFFORTS, floats([math.nan] * 7), 'EMPTY'),
        (Float64MultiArray, POSITIONS, floats([0.1] * 7), 'WRONG_MODE'),
        (Float64MultiArray, EFFORTS, floats([math.inf] * 7), 'OUT_OF_RANGE'),
        (Float64MultiArray, EFFORTS, floats([1e300] * 7), 'OUT_OF_RANGE'),
        (Float64MultiArray, EFFORTS, floats([1.0] * 6), 'WRONG_LENGTH'),
        (Float64MultiArray, EFFORTS, floats([]), 'WRONG_LENGTH'),
        (Float64MultiArray, EFFORTS, floats([1.0] * 100_000), 'WRONG_LENGTH'),
        (
            JointState,
            COMMANDS,
            JointState(name=JOINTS, effort=array('d', [1.0] * 3)),
            'WRONG_LENGTH',
        ),
        (
            JointState,
            COMMANDS,
            JointState(name=JOINTS + ['joint1'], effort=array('d', [1.0] * 8)),
            'DUPLICATE_JOINT',
        ),
        (
            JointState,
            COMMANDS,
            JointState(name=JOINTS, effort=array('d', [math.nan] * 7)),
            'EMPTY',
        ),
        (
            JointState,
            COMMANDS,
            JointState(name=JOINTS, position=array('d', [0.0] * 7)),
            'WRONG_MODE',
        ),
        (
            JointState,
            COMMANDS,
            JointState(name=['x'] * 20_000, effort=array('d', [1.0] * 20_000)),
            'TOO_MANY_NAMES',
        ),
    ],
)
def test_bad_command_changes_nothing(arm, kind, topic, message, reason):
    """It is counted, neither frees the brake nor stops the node; what follows is obeyed."""
    before, counted = posture(arm.next())[0], refusals(arm, reason)
    arm.say(arm.publisher(kind, topic), message)
    assert refusals(arm, reason) > counted
    position, velocity, effort = posture(arm.step(50))
    assert position.tolist() == before.tolist()
    assert not velocity.any() and not effort.any()
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([1.0] * 7))
    assert list(arm.step().effort) == [1.0] * 7


def refusals(arm, reason):
    """Return the number of commands refused for that reason; empty ones differ from bad ones."""
    return arm.intake.empty if reason == 'EMPTY' else arm.intake.rejected[reason]


def test_refused_commands_are_counted_with_their_reason(arm):
    """On /diagnostics."""
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
            return int(values.get(f'rejected.{reason}', 0)) > before[reason]

        return check

    before = arm.intake.rejected.copy()
    arm.say(publisher, floats([1.0]))
    diagnostics.wait(counts('WRONG_LENGTH'), 'a count of wrong lengths')
    arm.say(publisher, floats([math.inf] * 7))
    diagnostics.wait(counts('OUT_OF_RANGE'), 'a count of infinite efforts')


def test_a_command_is_in_force_for_its_time(arm):
    """To the step; then there is no effort, and the brake holds."""
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([3.0] * 7))
    assert list(arm.step(TIMEOUT).effort) == [3.0] * 7
    assert not any(arm.step().effort)
    still = arm.step(TIMEOUT)
    assert not any(still.velocity)
    assert arm.step(TIMEOUT).position == still.position


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
    commander = StartedNode([sys.executable, '-c', code], tmp_path, PATH)
    try:
        wait_until(lambda: list(arm.step().effort) == [3.0] * 7, 'the commander', COLD)
        wait_until(lambda: np.max(np.abs(arm.step().velocity)) > 0.05, 'motion')
    finally:
        commander.kill()
    # what was still on its way is in force for its time, too
    wait_until(lambda: not any(arm.step(TIMEOUT + 1).effort), 'zero effort after the time-out')
    assert np.max(np.abs(arm.step(TIMEOUT).velocity)) < 0.1
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([1.0] * 7))
    assert list(arm.step().effort) == [1.0] * 7


def test_pause_step_and_go_on(arm):
    """A paused simulator publishes a constant state and takes exact steps. When running it takes
    no steps."""
    arm.pause(False)
    refused = arm.ask_for_steps(5)
    assert not refused.success and 'paused' in refused.message
    publisher, command = arm.publisher(Float64MultiArray, EFFORTS), floats([2.0] * 7)
    with arm.stream(publisher, command):
        arm.next(lambda state: np.max(np.abs(state.velocity)) > 0.01, 'motion')
        arm.pause()
        first, second = arm.next(), arm.next()
        assert first.position == second.position
        assert nanoseconds(first) < nanoseconds(second)
        arm.say(publisher, command)
        start = arm.ask_for_steps(1).time
        answer = arm.ask_for_steps(250)
        assert answer.success and answer.time == pytest.approx(start + 0.5, abs=1e-9)
        assert arm.next().position != first.position
        for steps in (0, 2**31):
            refused = arm.ask_for_steps(steps)
            assert not refused.success and 'expected 1 to' in refused.message
        before = arm.next().position
        arm.pause(False)
        arm.next(lambda state: state.position != before, 'motion after the pause')


def test_steps_return_the_published_state(arm):
    """Position, velocity and effort of one moment; empty where the reading was lost."""
    arm.say(arm.publisher(Float64MultiArray, EFFORTS), floats([2.0] * 7))
    answer = arm.ask_for_steps(10)
    assert answer.success, answer.message
    told, state = arm.next(), answer.state
    assert state.name == JOINTS and list(state.effort) == [2.0] * 7
    for field in ('position', 'velocity', 'effort'):
        assert getattr(state, field) == getattr(told, field)
    assert any(state.velocity) and not answer.multi_dof_state.joint_names
    assert arm.graph.set_parameters(NODE, fault__dropped_states=1.0).successful
    answer = arm.ask_for_steps(1)
    assert arm.graph.set_parameters(NODE, fault__dropped_states=0.0).successful
    assert answer.success and not answer.state.name


def test_reset_and_set_state_are_announced(arm):
    """States are set by name and the rest is kept. Refusals state a reason, and subscribers learn
    of a reset."""
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
    rest = arm.next()
    weight = floats(Robot.from_urdf(ARM).gravity_torque(rest.position))
    assert np.max(np.abs(arm.obey(efforts, weight, 20).velocity)) < 1e-6
    wrenches.publish(push)

    def speed():
        return np.max(np.abs(arm.obey(efforts, weight, 20).velocity))

    wait_until(lambda: speed() > 0.1, 'a push')
    refused = arm.process.node.session.refused_wrenches
    push.header.frame_id = 'no_such_link'
    wrenches.publish(push)
    push.header.frame_id = 'link7'
    push.wrench.force.x = math.nan
    wrenches.publish(push)
    wait_until(
        lambda: arm.process.node.session.refused_wrenches == refused + 2, 'two refused wrenches'
    )
    assert 'no_such_link' in arm.process.output
    arm.obey(efforts, weight, RATE // 2)  # the time for which a wrench acts
    assert arm.call(SetJointState, 'set_joint_state', state=rest).success
    assert speed() < 1e-6


def test_injected_faults_act_live_and_unknown_joints_are_refused(arm):
    """Live: a stuck joint, a frozen sensor; a joint that does not exist is refused."""
    refused = arm.graph.set_parameters(NODE, fault__stuck_joints=['elbow'])
    assert not refused.successful and 'elbow' in refused.reason
    assert arm.graph.set_parameters(NODE, fault__stuck_joints=['joint2']).successful
    before = arm.next().position
    publisher = arm.publisher(Float64MultiArray, EFFORTS)
    after = arm.obey(publisher, floats([3.0] * 7), 100).position
    assert abs(after[0] - before[0]) > 0.001 and after[1] == before[1]
    assert arm.graph.set_parameters(NODE, fault__frozen_sensor=True).successful
    first, second = (arm.obey(publisher, floats([3.0] * 7), 20) for _ in range(2))
    assert first.position == second.position
    assert nanoseconds(first) < nanoseconds(second)
