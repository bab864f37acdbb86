# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The test kit as its user meets it: start, command, advance, assert."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sensor_msgs.msg import JointState
from std_msgs.msg import Float64MultiArray

from robodyn_ros import Robot
from robodyn_ros.testing import ending, started_node
from support.nodes.node_harness import ROOT, TWO_LINK, wait_until
from support.patience import PATIENCE

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
TARGET = (0.3, -0.2, 0.2, -1.5, 0.1, 1.2, 0.2)
TOPIC = '/own/efforts'
TWO = np.array([0.5, -0.3])  # [rad]


def test_an_arm_goes_to_its_target_in_ten_lines(controlled_robot):
    arm = controlled_robot(ARM)
    arm.go_to(TARGET, 2.0)
    arm.advance(1.0)
    assert arm.status == 'ACTIVE FOLLOWING'
    state = arm.advance(2.0)
    assert arm.status == 'HOLD TRAJECTORY_END' and state.time == 3.0
    # dry friction holds a joint that has come to rest a little before its target
    np.testing.assert_allclose(state.position, TARGET, atol=5e-3)
    weight = Robot.from_urdf(ARM).gravity_torque(state.position)
    np.testing.assert_allclose(arm.torque, weight, atol=0.5)


def test_a_run_has_the_same_bits_every_time(controlled_robot):
    runs = []
    for _ in range(2):
        arm = controlled_robot(ARM, noise__position=1e-5)
        arm.go_to(TARGET, 2.0)
        runs.append(np.concatenate(arm.advance(0.4)[1:]).tobytes())
    arm.reset()
    arm.go_to(TARGET, 2.0)
    runs.append(np.concatenate(arm.advance(0.4)[1:]).tobytes())
    assert len(set(runs)) == 1


def test_states_are_lost_from_one_second_to_another(controlled_robot):
    arm = controlled_robot(TWO_LINK)
    arm.lose_states(1.0, 0.2, 0.3)
    assert arm.advance(0.21) and arm.status == 'HOLD ACTIVATED'
    assert arm.advance(0.02) and arm.status == 'STALE STATE_TIMEOUT'
    # a state that lasts a millisecond of the machine may go without a line: time stands until then
    wait_until(lambda: 'STALE: No fresh joint state comes.' in arm.log, 'the line in the log')
    assert 'The last new one is 0.021 s old; expected at most 0.02 s (state_timeout).' in arm.log
    assert arm.advance(0.1) and arm.status == 'HOLD STATE_RECOVERED'


def lost(simulated_robot, seed):
    """Return the steps at 100 Hz whose states were lost; 30 % are to be, from 1 s to 3 s."""
    arm = simulated_robot(TWO_LINK, update_rate=100, noise__seed=seed)
    arm.lose_states(0.3, 1.0, 3.0)
    states = arm.record(JointState, 'joint_states')
    arm.advance(4.0)
    states.wait(lambda state: state.header.stamp.sec == 4, 'the last state')
    stamps = [state.header.stamp for state in states.messages]
    return {*range(1, 401)} - {round(100 * (t.sec + 1e-9 * t.nanosec)) for t in stamps}


def test_a_share_of_the_states_is_lost_the_same_ones_for_a_seed(simulated_robot):
    first = lost(simulated_robot, 1)
    assert min(first) > 100 and max(first) <= 300
    assert 28 <= len(first) <= 92  # 200 trials at 0.3: five standard deviations
    assert lost(simulated_robot, 1) == first
    assert lost(simulated_robot, 2) != first


def test_the_test_commands_efforts(simulated_robot):
    """By name and in order; what does not fit is refused."""
    arm = simulated_robot(TWO_LINK)
    arm.command({'joint2': 2.0})
    state = arm.step(3)
    assert state.effort.tolist() == [0.0, 2.0] and state.velocity[1] != 0.0
    arm.command([1.0, 0.0])
    assert arm.step().effort.tolist() == [1.0, 0.0]
    with pytest.raises(ValueError, match=r"got commands of \['elbow'\]; expected some of"):
        arm.command({'elbow': 1.0})
    with pytest.raises(ValueError, match='one for each'):
        arm.command([1.0])


def test_a_push_acts_for_its_time_and_a_reset_takes_it_all_back(simulated_robot):
    robot = Robot.from_urdf(TWO_LINK)
    arm = simulated_robot(TWO_LINK, initial_position=[0.4, -0.7])
    arm.command(robot.gravity_torque(np.array([0.4, -0.7])))
    still = arm.advance(0.1)
    np.testing.assert_allclose(still.velocity, 0.0, atol=1e-9)
    arm.push('tool0', force=(0.0, 0.0, 5.0), duration=0.05)
    assert abs(arm.advance(0.05).velocity).max() > 0.01
    arm.reset()
    assert arm.time == 0.0 and arm.position.tolist() == [0.4, -0.7]
    arm.set_state([0.1, 0.2], [0.3, 0.4])
    assert arm.position.tolist() == [0.1, 0.2] and arm.velocity.tolist() == [0.3, 0.4]


def test_something_happens_at_its_time(simulated_robot):
    arm, times = simulated_robot(TWO_LINK), []
    arm.command([0.0, 0.0])
    for time in (0.05, 0.02, 0.05):
        arm.at(time, lambda: times.append(arm.time))
    arm.advance(0.04)
    assert times == [0.02]
    arm.advance(0.04)
    assert times == [0.02, 0.05, 0.05]
    with pytest.raises(AssertionError, match="no joint 'elbow'"):
        arm.set_parameters(fault__stuck_joints=['elbow'])


class Holder(Node):
    """A node under test: holds the arm by its weight and a spring."""

    def __init__(self):
        super().__init__('holder')
        self.robot, self.answered = Robot.from_urdf(TWO_LINK), 0
        self.create_subscription(JointState, 'joint_states', self.hold, 10)
        self.publisher = self.create_publisher(Float64MultiArray, TOPIC, 10)

    def hold(self, state):
        q, qd = np.array(state.position), np.array(state.velocity)
        effort = self.robot.inverse_dynamics(q, qd, 100.0 * (0.5 - q) - 20.0 * qd)
        self.answered += 1
        self.publisher.publish(Float64MultiArray(data=effort.tolist()))


@pytest.fixture
def default_context():
    rclpy.init()
    yield
    rclpy.try_shutdown()


def test_a_node_under_test_holds_the_arm(simulated_robot, default_context):
    """By plain topics: each joint state is answered once, and the run has the same bits."""
    ends = []
    for _ in range(2):
        arm = simulated_robot(TWO_LINK, command_topic=TOPIC)
        node = arm.spin(Holder())
        ends.append(arm.advance(1.0))
        assert node.answered == 1001  # states 0 to 1000, each once
        arm.close()
    np.testing.assert_allclose(ends[0].position, 0.5, atol=2e-3)
    assert ends[0].position.tobytes() == ends[1].position.tobytes()


def test_a_node_of_another_process_holds_the_arm(simulated_robot):
    """As launch files and launch_testing start it: the run has the same bits."""
    template = ROOT / 'examples' / 'integration_test'
    path = os.pathsep.join((str(template), str(ROOT), os.environ.get('PYTHONPATH', '')))
    arguments = '--ros-args', '-p', f'urdf_path:={TWO_LINK}', '-p', 'posture:=[0.5, -0.3]'
    node = subprocess.Popen(
        [sys.executable, '-c', 'from arm_holder.holder import main; main()', *arguments],
        env={**os.environ, 'PYTHONPATH': path},
    )
    try:
        ends = []
        for _ in range(2):
            arm = simulated_robot(TWO_LINK, command_topic='efforts', patience=180.0)
            ends.append(arm.advance(1.0).position)
            arm.close()
    finally:
        node.kill()
        node.wait()
    np.testing.assert_allclose(ends[0], TWO, atol=5e-3)
    assert ends[0].tobytes() == ends[1].tobytes()


def test_a_node_that_does_not_respond_is_reported(simulated_robot):
    arm = simulated_robot(TWO_LINK, command_topic=TOPIC, patience=0.5)
    with pytest.raises(AssertionError, match=f"'{TOPIC}' within 0.5 s .* no node of the ROS dom"):
        arm.advance(0.1)
    node = Node('silent', context=arm.participant.node.context)
    node.create_publisher(Float64MultiArray, TOPIC, 1)
    wait_until(lambda: arm.participant.node.count_publishers(TOPIC), 'its publisher')
    with pytest.raises(AssertionError, match='; expected one for each joint state'):
        arm.advance(0.1)


@pytest.mark.parametrize(
    'message, reason',
    [
        (JointState(name=['joint1', 'joint2'], position=[0.0, 0.0]), 'WRONG_MODE'),
        (JointState(name=['joint1', 'joint2'], effort=[np.nan, np.nan]), 'EMPTY'),
        (JointState(name=['elbow'], effort=[0.0]), 'UNKNOWN_JOINT'),
    ],
    ids=['position only', 'NaN', 'unknown name'],
)
def test_a_command_that_is_none_is_refused(simulated_robot, message, reason):
    arm = simulated_robot(TWO_LINK, command_topic=TOPIC, command_type='joint_state', patience=0.5)
    arm.participant.publisher(JointState, TOPIC).publish(message)
    with pytest.raises(AssertionError, match=f'the last one was refused: {reason}'):
        arm.advance(0.1)
    assert arm.time == 0.0
    assert f"A command on '{TOPIC}' is refused: {reason}" in arm.log


class Mover(Node):
    """A node under test that answers each joint state with a position nearer to TWO."""

    def __init__(self):
        super().__init__('mover')
        self.create_subscription(JointState, 'joint_states', self.move, 10)
        self.publisher = self.create_publisher(JointState, TOPIC, 10)

    def move(self, state):
        q = np.array(state.position)
        message = JointState(
            name=state.name, position=(q + np.clip(TWO - q, -0.02, 0.02)).tolist()
        )
        message.header.stamp = state.header.stamp
        self.publisher.publish(message)


def test_a_node_that_commands_positions_moves_the_arm(simulated_robot, default_context):
    arm = simulated_robot(
        TWO_LINK, command_topic=TOPIC, command_type='joint_state', command_modes=['position']
    )
    arm.spin(Mover())
    np.testing.assert_allclose(arm.advance(2.0).position, TWO, atol=1e-3)


def test_the_test_commands_positions(simulated_robot):
    arm = simulated_robot(TWO_LINK, command_modes=['any'])
    arm.command({'joint1': 0.2, 'joint2': -0.1}, 'position')
    np.testing.assert_allclose(arm.advance(0.4).position, [0.2, -0.1], atol=1e-3)
    arm.command([1.0, 2.0], 'effort')
    assert arm.step().effort.tolist() == [1.0, 2.0]


@pytest.fixture
def held_up(monkeypatch):
    """Return an event for which threads wait, and which none of them outlives."""
    monkeypatch.setattr(ending, 'END', 0.5)
    event = threading.Event()
    yield event
    event.set()


def test_a_hanging_node_under_test_is_named_and_the_rest_is_closed(
    simulated_robot, default_context, held_up
):
    arm = simulated_robot(TWO_LINK)
    node, entered = Node('sleeper'), threading.Event()
    wall = Clock(clock_type=ClockType.STEADY_TIME)
    arm.spin(node)
    node.create_timer(0.001, lambda: (entered.set(), held_up.wait()), clock=wall)
    assert entered.wait(PATIENCE)
    with pytest.raises(AssertionError, match="(?s)'node_under_test' has not ended .*held_up.wait"):
        arm.close()
    assert not arm.simulator.running and not arm.participant.running


def test_a_hanging_simulator_is_named_and_the_rest_is_closed(
    simulated_robot, held_up, monkeypatch
):
    arm = simulated_robot(TWO_LINK)
    entered = threading.Event()
    arm.simulator.node.executor.create_task(lambda: (entered.set(), held_up.wait()))
    assert entered.wait(PATIENCE)
    with pytest.raises(AssertionError, match="'robodyn_robodyn_simulator' has not ended"):
        arm.close()
    assert not arm.participant.running
    held_up.set()
    monkeypatch.setattr(ending, 'END', 60.0)  # its end is slow on a busy machine
    arm.simulator.close()
    assert not arm.simulator.running


def test_a_hanging_loop_of_a_node_is_named(simulated_robot, held_up):
    arm = simulated_robot(TWO_LINK)
    with arm.simulator.node.session.lock:
        with pytest.raises(AssertionError, match="'end_of_robodyn_simulator' has not ended"):
            arm.simulator.close()
    wait_until(
        lambda: 'end_of_robodyn_simulator' not in {each.name for each in threading.enumerate()},
        'its end',
    )


def threads_of_robots():
    """Return the names of the running threads of the kit and its nodes."""
    return {each.name for each in threading.enumerate() if 'robodyn' in each.name}


@pytest.mark.parametrize(
    ('given', 'kind', 'sentence'),
    [
        (
            {'noise__positon': 1e-3},
            AssertionError,
            "no parameter 'noise.positon'; expected one of",
        ),
        ({'quantity': 'torque'}, ValueError, "'torque' for quantity; expected one of effort"),
        ({'command_type': 'floats'}, ValueError, "'floats' for command_type; expected one of"),
        ({'command_topic': 'a b'}, rclpy.exceptions.InvalidTopicNameException, 'topic name'),
    ],
)
def test_a_robot_that_does_not_start_leaves_no_thread(simulated_robot, given, kind, sentence):
    """Else the process would abort at its end, and take the results of all tests with it."""
    before = threads_of_robots()
    with pytest.raises(kind, match=sentence):
        simulated_robot(TWO_LINK, **given)
    assert threads_of_robots() == before


def test_an_unknown_parameter_of_the_controller_is_refused(controlled_robot):
    before = threads_of_robots()
    with pytest.raises(AssertionError, match="robodyn_controller: There is no parameter 'gain.j"):
        controlled_robot(TWO_LINK, {'gain.joint1.p': 100.0})
    assert threads_of_robots() == before


@pytest.mark.parametrize(
    'losses',
    [
        np.array([0.5, 0.25]),
        np.array([0.5, 0.25], np.float32),
        (np.float64(0.5), np.float32(0.25)),
        [0.5, np.array(0.25)],
    ],
)
def test_numbers_of_any_type_set_parameters(simulated_robot, losses):
    arm = simulated_robot(
        TWO_LINK, update_rate=np.float64(200.0), initial_position=np.ones(2, int)
    )
    assert arm.simulator.node.parameters['update_rate'] == 200
    assert arm.position.tolist() == [1.0, 1.0]
    arm.set_parameters(fault__effort_loss=losses, fault__dropped_states=np.int64(0))
    assert arm.simulator.node.parameters['fault.effort_loss'] == (0.5, 0.25)
    arm.set_parameters(fault__effort_loss=[0, 0.5])
    assert arm.simulator.node.parameters['fault.effort_loss'] == (0.0, 0.5)
    result = arm.participant.set_parameters('robodyn_simulator', fault__effort_loss=losses)
    assert result.successful, result.reason
    assert arm.simulator.node.parameters['fault.effort_loss'] == (0.5, 0.25)
    with pytest.raises(AssertionError, match='must have 0 or 2 entries'):
        arm.set_parameters(fault__effort_loss=np.zeros(7))


def test_mistakes_of_a_test_are_named(simulated_robot):
    """What is misspelt, past or not a number has no silent effect."""
    arm = simulated_robot(TWO_LINK)
    arm.advance(0.01)
    for call, sentence in (
        (lambda: arm.advance(-1.0), 'got -1.0 s to advance; expected 0 or more'),
        (lambda: arm.advance(np.nan), 'got nan s to advance'),
        (lambda: arm.step(-1), 'expected 0 or more'),
        (lambda: arm.at(0.005, arm.reset), 'got 0.005 s for an action; expected at least 0.01 s'),
        (lambda: arm.lose_states(0.3, 2.0, 1.0), 'got 2.0 s to 1.0 s; expected a begin before'),
        (lambda: arm.command([1.0, 2.0], 'torque'), "'torque' for quantity; expected one of"),
        (lambda: arm.push('tool0', (1.0, 0.0)), 'expected three each'),
    ):
        with pytest.raises(ValueError, match=sentence):
            call()
    for call in (
        lambda: arm.set_parameters(fault__frozen=True),
        lambda: arm.during(1.0, 2.0, fault__frozen=True),
    ):
        with pytest.raises(AssertionError, match='no parameter .fault.frozen.; expected one of'):
            call()
    arm.advance(0.01)


def test_a_path_may_have_blanks_and_signs_of_yaml(simulated_robot, tmp_path):
    path = tmp_path / "an arm #2: it's" / 'arm.urdf'
    path.parent.mkdir()
    path.write_text(TWO_LINK.read_text())
    for urdf in (path, str(path)):
        assert simulated_robot(urdf).joint_names == ['joint1', 'joint2']


def test_every_robot_of_a_test_is_closed_though_one_raises():
    closed = []

    class Robot:
        def __init__(self, name):
            self.name = name

        def close(self):
            closed.append(self.name)
            assert self.name != 'second'

    factory = ending.closing_factory(Robot)
    start = next(factory)
    for name in ('first', 'second', 'third'):
        start(name)
    with pytest.raises(AssertionError, match='second'):
        next(factory)
    assert closed == ['third', 'second', 'first']


STUBBORN = """
import signal
import time

signal.signal(signal.SIGINT, lambda *_: print('it goes on', flush=True))
print('it has begun', flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize('obeys', [False, True])
def test_a_node_that_goes_on_after_its_signal_is_killed(start_node, monkeypatch, obeys):
    """The end is orderly where the node allows one, and SIGKILL is the last resort."""
    monkeypatch.setattr(started_node, 'GRACE', 10.0 if obeys else 0.2)
    code = STUBBORN.replace('signal.signal', '#') if obeys else STUBBORN
    node = start_node(sys.executable, '-c', code)
    node.wait_for_output('it has begun')
    node.close()
    assert not node.running
    assert ('it goes on' in node.output) != obeys
    assert ('KeyboardInterrupt' in node.output) == obeys
