# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes under test are in step with simulated time: what they send acts at the state they saw.

The referee is the same run without such a node: the test itself acts before that state.
"""

import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

rclpy = pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide()

from control_msgs.action import FollowJointTrajectory
from rclpy.action import ActionClient
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.qos import DurabilityPolicy, QoSProfile, qos_profile_sensor_data
from rclpy.serialization import deserialize_message
from sensor_msgs.msg import JointState
from std_msgs.msg import Bool, Float64
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_msgs.msg import ControllerStatus, LockStepCommand, LockStepState
from robodyn_msgs.srv import ApplyWrench
from robodyn_ros.testing import ending, exchange
from support.nodes.node_harness import ROOT, TWO_LINK
from support.patience import PATIENCE

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

CONTROLLER, SIMULATOR = '/robodyn_controller', '/robodyn_simulator'
TARGET = [0.4, -0.7]
STATE = 57  # of which the nodes take notice


@pytest.fixture(autouse=True)
def default_context():
    yield
    rclpy.try_shutdown()


@pytest.fixture
def arm(controlled_robot):
    """Return a robot; the default context is in its domain."""
    robot = controlled_robot(TWO_LINK)
    rclpy.init()
    return robot


def trajectory(target, seconds=0.5):
    point = JointTrajectoryPoint(
        positions=list(target), velocities=[0.0, 0.0], accelerations=[0.0, 0.0]
    )
    point.time_from_start.nanosec = round(1e9 * seconds)
    return JointTrajectory(joint_names=['joint1', 'joint2'], points=[point])


def step_of(message):
    return 1000 * message.header.stamp.sec + message.header.stamp.nanosec // 1_000_000


class Watcher(Node):
    """A node under test that calls a function at each joint state."""

    def __init__(self, react=lambda step: None, name='watcher', qos=10, **options):
        super().__init__(name, **options)
        self.react, self.steps = react, []
        self.create_subscription(JointState, 'joint_states', self.see, qos)
        self.references = self.create_publisher(
            JointTrajectory, f'{CONTROLLER}/joint_trajectory', 1
        )

    def see(self, state):
        self.steps.append(step_of(state))
        self.react(self.steps[-1])

    def send_at(self, step):
        """Send a trajectory at a state."""
        self.react = lambda now: now == step and self.references.publish(trajectory(TARGET))
        return self


def bits(arm):
    """Return the bits of every tenth state from STATE to 0.2 s, and close the robot."""
    found = []
    arm.advance(0.06 - arm.time)
    while arm.time < 0.2:
        found.append(np.concatenate(arm.step(10)[1:]).tobytes())
    arm.close()
    return found


@pytest.fixture
def referee(controlled_robot):
    """Return the bits of a run in which the test acts before STATE, and there are no nodes."""

    def run(act):
        arm = controlled_robot(TWO_LINK)
        arm.step(STATE - 1)
        act(arm)
        return bits(arm)

    return run


@pytest.fixture(params=['alone', 'beside busy processors'])
def load(request):
    """Keep all processors busy, in half of the cases."""
    count = 0 if request.param == 'alone' else os.cpu_count()
    loops = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(count)]
    yield
    for loop in loops:
        loop.kill()
        loop.wait()


def test_a_reference_acts_at_the_state_that_the_node_saw(load, arm, referee):
    arm.spin(Watcher().send_at(STATE))
    assert bits(arm) == referee(lambda arm: arm.go_to(TARGET, 0.5))


@pytest.mark.parametrize('qos', [10, 1, qos_profile_sensor_data])
def test_each_state_comes_once_and_in_order(arm, qos):
    """In spite of a listener elsewhere, for which the middleware sends copies."""
    node = arm.spin(Watcher(qos=qos))
    record = arm.record(JointState, 'joint_states')
    arm.advance(0.1)
    record.wait(lambda state: step_of(state) == 100, 'the last state')
    for _ in range(3):
        time.sleep(0.05)  # copies would come now
        arm.step(10)
    assert node.steps == list(range(131))


def test_timers_and_the_clock_follow_simulated_time(arm):
    node, ticks, clock = Watcher(), [], []
    node.create_timer(0.003, lambda: ticks.append(node.get_clock().now().nanoseconds))
    node.react = lambda step: clock.append(node.get_clock().now().nanoseconds - 10**6 * step)
    once = node.create_timer(0.002, lambda: (ticks.append('once'), once.cancel()))
    time.sleep(0.01)  # the phase of a timer on the machine's clock
    arm.step(5)
    arm.spin(node)
    arm.step(20)
    assert ticks == ['once', *(10**6 * step for step in range(8, 26, 3))]
    assert clock == [0] * 21


def test_callbacks_get_what_rclpy_gives_them(arm):
    """A message, and its times if they take two arguments; as coroutines and as bytes, too."""
    node, seen = Node('many'), {}

    async def later(message):
        seen['coroutine'] = step_of(message)

    for callback, options in (
        (lambda message, name='default': seen.update({name: step_of(message)}), {}),
        (lambda message, info: seen.update(info=info['source_timestamp'] > 0), {}),
        (later, {}),
        (lambda data: seen.update(raw=deserialize_message(data, JointState)), {'raw': True}),
    ):
        node.create_subscription(JointState, 'joint_states', callback, 10, **options)
    arm.spin(node)
    arm.step(5)
    assert step_of(seen.pop('raw')) == 5
    assert seen == {'default': 5, 'info': True, 'coroutine': 5}


def test_messages_of_one_state_pass_through_several_nodes(arm, referee):
    """From the first node to the second and on to the controller, before the next state."""
    relay = Node('relay')
    references = relay.create_publisher(JointTrajectory, f'{CONTROLLER}/joint_trajectory', 1)
    relay.create_subscription(
        Float64, 'shoulder', lambda m: references.publish(trajectory([m.data, TARGET[1]])), 1
    )
    first = Watcher()
    wish = first.create_publisher(Float64, 'shoulder', 1)
    first.react = lambda step: step == STATE and wish.publish(Float64(data=TARGET[0]))
    arm.spin(first)
    arm.spin(relay)
    assert bits(arm) == referee(lambda arm: arm.go_to(TARGET, 0.5))


def test_a_request_is_answered_before_the_next_state(arm, referee):
    node, answers = Watcher(), []
    client = node.create_client(ApplyWrench, f'{SIMULATOR}/apply_wrench')

    async def push():
        request = ApplyWrench.Request()
        request.wrench.header.frame_id, request.wrench.wrench.force.z = 'tool0', 5.0
        request.duration.nanosec = 50_000_000
        response = await client.call_async(request)
        answers.append((response.success, node.steps[-1]))

    node.react = lambda step: step == STATE and node.executor.create_task(push)
    arm.spin(node)
    pushed = bits(arm)
    assert answers == [(True, STATE)]

    def push_before_the_next(arm):
        arm.step()  # the wrench acts from the next step on
        arm.push('tool0', (0.0, 0.0, 5.0), duration=0.05)

    assert pushed == referee(push_before_the_next)


class Client(Watcher):
    """A node that sends a goal at a state, and cancels it at a later one."""

    def __init__(self, cancel_at=None):
        super().__init__(self.act)
        name = f'{CONTROLLER}/follow_joint_trajectory'
        self.action = ActionClient(self, FollowJointTrajectory, name)
        self.cancel_at, self.accepted, self.cancelled, self.goal = cancel_at, [], [], None

    def act(self, step):
        if step == STATE:
            goal = FollowJointTrajectory.Goal(trajectory=trajectory(TARGET))
            self.action.send_goal_async(goal).add_done_callback(self.take)
        elif step == self.cancel_at:
            self.goal.cancel_goal_async().add_done_callback(
                lambda _: self.cancelled.append(self.steps[-1])
            )

    def take(self, answer):
        self.goal = answer.result()
        self.accepted.append((self.steps[-1], self.goal.accepted))


def test_a_goal_acts_at_the_state_that_the_node_saw(load, arm, referee):
    node = arm.spin(Client())
    assert bits(arm) == referee(lambda arm: arm.go_to(TARGET, 0.5))
    assert node.accepted == [(STATE, True)]


def test_a_cancellation_acts_at_the_state_that_the_node_saw(load, controlled_robot):
    """The referee goes and stops between the same states, by calls of the test."""
    ends = []
    for cancels in (True, False):
        arm = controlled_robot(TWO_LINK)
        if cancels:
            rclpy.init()
            node = arm.spin(Client(cancel_at=STATE + 100))
        else:
            arm.step(STATE - 1)
            arm.go_to(TARGET, 0.5)
            arm.step(100)
            arm.controller.node.session.supervisor.hold()
        ends.append(np.concatenate(arm.advance(0.3 - arm.time)[1:]).tobytes())
        arm.close()
    assert node.cancelled == [STATE + 100] and ends[0] == ends[1]


def test_a_stop_acts_at_the_state_that_the_node_saw(arm):
    node = Watcher()
    stop = node.create_publisher(Bool, f'{CONTROLLER}/emergency_stop', 1)
    node.react = lambda step: step == STATE and stop.publish(Bool(data=True))
    arm.spin(node)
    arm.step(STATE - 1)
    assert arm.status == 'HOLD ACTIVATED'
    arm.step()
    assert arm.status == 'FAULT STOPPED'


def test_a_change_of_status_is_known_before_the_next_state(arm):
    node, seen = Watcher().send_at(STATE), []
    latched = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
    node.create_subscription(
        ControllerStatus,
        f'{CONTROLLER}/status',
        lambda status: seen.append(((node.steps or [0])[-1], status.reason)),
        latched,
    )
    arm.spin(node)
    arm.advance(0.7)
    changes = [pair for pair, last in zip(seen, [(0, ''), *seen]) if pair[1] != last[1]]
    end = STATE - 1 + 500  # the time of a reference is that of the last cycle before it
    # besides, the status is repeated by the clock of the machine
    assert changes == [(0, 'ACTIVATED'), (STATE, 'FOLLOWING'), (end, 'TRAJECTORY_END')]


def test_a_publisher_made_in_a_callback_is_connected_before_it_sends(arm, referee):
    node = Node('late')

    def react(state):
        if step_of(state) == STATE:
            kind, topic = JointTrajectory, f'{CONTROLLER}/joint_trajectory'
            node.create_publisher(kind, topic, 1).publish(trajectory(TARGET))

    node.create_subscription(JointState, 'joint_states', react, 1)
    arm.spin(node)
    assert bits(arm) == referee(lambda arm: arm.go_to(TARGET, 0.5))


# Participants of lock step beside the controller.

PARTICIPANTS = ['robodyn_controller', 'own']


class Participant(Node):
    """A participant that commands no joint, and sends a trajectory before it answers a state."""

    def __init__(self):
        super().__init__('own')
        self.answers = self.create_publisher(LockStepCommand, 'lock_step/command', 10)
        self.references = self.create_publisher(
            JointTrajectory, f'{CONTROLLER}/joint_trajectory', 1
        )
        self.create_subscription(LockStepState, 'lock_step/state', self.answer, 10)

    def answer(self, state):
        if state.step == STATE and not state.repeat:
            self.references.publish(trajectory(TARGET))
        answer = LockStepCommand(epoch=state.epoch, step=state.step, participant='own')
        answer.effort = [np.nan] * 2
        self.answers.publish(answer)


def test_a_participant_sends_before_it_answers(controlled_robot, referee):
    arm = controlled_robot(TWO_LINK, lock_step__participants=PARTICIPANTS)
    rclpy.init()
    arm.spin(Participant())
    assert bits(arm) == referee(lambda arm: arm.go_to(TARGET, 0.5))


PROCESS = """
import rclpy
import test_spun_nodes

rclpy.init()
node = test_spun_nodes.Participant()
while not node.references.get_subscription_count():
    rclpy.spin_once(node, timeout_sec=0.02)
print('discovered', flush=True)
rclpy.spin(node)
"""


def test_a_participant_of_another_process_sends_before_it_answers(
    controlled_robot, start_node, referee
):
    path = os.pathsep.join(map(str, (ROOT / 'test' / 'nodes', ROOT / 'test', *sys.path)))
    for _ in range(3):
        arm = controlled_robot(TWO_LINK, lock_step__participants=PARTICIPANTS)
        node = start_node(sys.executable, '-c', PROCESS, PYTHONPATH=path)
        node.wait_for_output('discovered')
        found = bits(arm)
        node.kill()
        assert found == referee(lambda arm: arm.go_to(TARGET, 0.5))


# Nodes that fail.


def fail(step):
    if step == STATE:
        raise ZeroDivisionError(f'at {step}')


def test_what_a_callback_raises_the_test_raises(arm):
    arm.spin(Watcher(fail))
    with pytest.raises(ZeroDivisionError, match=f'at {STATE}'):
        arm.advance(1.0)
    assert round(1000 * arm.time) == STATE
    with pytest.raises(ZeroDivisionError):  # the node is dead
        arm.step()
    arm.close()


def test_what_a_task_raises_the_test_raises(arm):
    node = Watcher()

    async def task():
        fail(STATE)

    node.react = lambda step: step == STATE and node.executor.create_task(task)
    arm.spin(node)
    with pytest.raises(ZeroDivisionError):
        arm.advance(1.0)


def test_a_node_that_dies_while_time_stands_still_fails_the_test_in_the_end(arm):
    node, called = Watcher(), threading.Event()
    wall = Clock(clock_type=ClockType.STEADY_TIME)
    arm.spin(node)
    node.create_timer(0.001, lambda: (called.set(), fail(STATE)), clock=wall)
    assert called.wait(PATIENCE)
    with pytest.raises(ZeroDivisionError):
        arm.close()


def test_a_node_whose_context_ends_is_named(arm):
    arm.spin(Watcher(lambda step: step == STATE and rclpy.shutdown()))
    with pytest.raises(AssertionError, match="'watcher' is not spun any more: its context"):
        arm.advance(1.0)


def test_a_callback_that_never_returns_is_named_with_its_stack(arm, monkeypatch):
    node = Watcher()
    go_on = []

    def hang(step):
        while step == STATE and not go_on:
            time.sleep(0.01)

    node.react = hang
    arm.spin(node)
    monkeypatch.setattr(ending, 'END', 1.0)
    with pytest.raises(
        AssertionError, match="(?s)'watcher' has not returned within 1 s.* in hang"
    ):
        arm.advance(1.0)
    go_on.append(True)
    monkeypatch.undo()


def test_nodes_that_answer_each_other_without_end_are_told(arm, monkeypatch):
    nodes = [Node('ping'), Node('pong')]
    for one, (heard, said) in zip(nodes, (('a', 'b'), ('b', 'a'))):
        out = one.create_publisher(Float64, said, 1)
        one.create_subscription(Float64, heard, out.publish, 1)
    first = nodes[0].create_publisher(Float64, 'a', 1)
    nodes[0].create_timer(0.01, lambda: first.publish(Float64()))
    for node in nodes:
        arm.spin(node)
    monkeypatch.setattr(ending, 'END', 1.0)
    with pytest.raises(AssertionError, match='still busy after 1 s; their messages cause each'):
        arm.advance(0.1)
    monkeypatch.undo()


def test_a_node_of_another_domain_is_refused(arm):
    context = rclpy.Context()
    domain = int(os.environ['ROS_DOMAIN_ID'])
    context.init(domain_id=domain + 1 if domain < 100 else 1)
    node = Watcher(context=context)
    with pytest.raises(AssertionError, match=f'is in the ROS domain .* robot in {domain};'):
        arm.spin(node)
    node.destroy_node()
    context.shutdown()


def test_a_node_that_is_not_discovered_is_refused(arm, monkeypatch):
    """The middleware of this node looks for nobody."""
    node = Watcher()
    monkeypatch.setattr(exchange, 'SOON', 0.3)
    monkeypatch.setattr(exchange, '_count_matched', lambda publisher: 0)
    with pytest.raises(AssertionError, match="'watcher' and the simulated robot have not found"):
        arm.spin(node)
