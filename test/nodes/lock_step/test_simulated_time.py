# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""With use_sim_time nothing of the controller follows the clock of the machine."""

import time
from array import array

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rosgraph_msgs.msg import Clock
from sensor_msgs.msg import JointState
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from robodyn_ros.errors import RobodynError
from robodyn_ros.ros.controller import controller_session, simulated_time_session
from robodyn_ros.ros.transport.rcl_ffi import octets_of
from robodyn_ros.testing.hosting import Hosted, ros_arguments
from support.nodes.node_harness import COLD, JOINTS, POSTURE, TWO_LINK, ControllerProbe, wait_until

pytestmark = pytest.mark.ros

PERIOD = 1_000_000  # [ns] of a cycle
BEGIN = 7_000_000_000  # [ns] at which simulated time begins
PARAMETERS = {
    'urdf_path': TWO_LINK,
    'use_sim_time': True,
    'robot_compensates_gravity': "'no'",
    'specialise': False,
}


class Bench:
    """A controller, and an arm at rest whose clock the test turns."""

    def __init__(self, graph, **parameters):
        self.graph, self.probe, self.time = graph, ControllerProbe(graph), BEGIN
        self.hosted = Hosted('controller', *ros_arguments({**PARAMETERS, **parameters}))
        self.states = graph.node.create_publisher(JointState, 'joint_states', 1)
        self.clock = graph.node.create_publisher(Clock, '/clock', 1)

    def turn(self, periods=1, state=True):
        """Let time go on by so many periods at once, and wait until the controller is there."""
        self.time += periods * PERIOD
        seconds, nanoseconds = divmod(self.time, 10**9)
        if state:
            message = JointState(
                name=list(JOINTS), position=array('d', POSTURE), velocity=array('d', [0.0, 0.0])
            )
            message.header.stamp.sec, message.header.stamp.nanosec = seconds, nanoseconds
            self.states.publish(message)
        message = Clock()
        message.clock.sec, message.clock.nanosec = seconds, nanoseconds
        again = time.monotonic()

        def there():
            nonlocal again
            if time.monotonic() >= again:  # the first message to a new listener may get lost
                self.clock.publish(message)
                again += 0.1
            return self.session.has_reached(self.time)

        wait_until(there, 'a cycle')

    @property
    def session(self):
        return self.hosted.node.session

    def hold(self):
        """Turn the clock until the arm is held."""
        wait_until(lambda: self.session is not None, 'a configured controller', COLD)
        wait_until(lambda: self.session.loop.running, 'a controller that runs')
        for publisher in (self.states, self.clock):
            wait_until(publisher.get_subscription_count, 'the controller')
        wait_until(lambda: self.turn() or self.supervisor.state.name == 'HOLD', 'HOLD', COLD)
        wait_until(lambda: self.turn() or self.fresh, 'a joint state in its own cycle')

    @property
    def fresh(self):
        """Whether the last joint state was there in its cycle, and so none is on its way."""
        return self.supervisor.measurement.time == self.session.now()

    @property
    def supervisor(self):
        return self.session.supervisor

    def close(self):
        self.hosted.close()
        for publisher in (self.states, self.clock):
            self.graph.node.destroy_publisher(publisher)


@pytest.fixture
def bench(graph):
    made = Bench(graph)
    yield made
    made.close()


def test_a_session_that_fails_leaves_the_clock_to_the_executor(graph, monkeypatch):
    """Else the clock of the node stands still until the node ends."""

    def fail(*_, **__):
        raise RobodynError('No kernels for this session.')

    monkeypatch.setattr(controller_session, 'SessionKernels', fail)
    bench = Bench(graph)
    try:
        wait_until(lambda: 'No kernels for this session.' in bench.hosted.output, 'it', COLD)
        assert bench.session is None
        for now in (BEGIN, BEGIN + PERIOD):
            message = Clock()
            message.clock.sec, message.clock.nanosec = divmod(now, 10**9)

            def follows():
                bench.clock.publish(message)
                return bench.hosted.node.get_clock().now().nanoseconds == now

            wait_until(follows, 'the clock of the node')
    finally:
        bench.close()


def test_messages_of_the_clock_do_not_wake_the_executor(bench, monkeypatch):
    """It would ask all entities of the node anew after each; the node's clock goes on anyway."""
    bench.hold()
    executor, waits = bench.hosted.node.executor, []
    wait = executor.wait_for_ready_callbacks
    monkeypatch.setattr(
        executor, 'wait_for_ready_callbacks', lambda *a, **k: waits.append(0) or wait(*a, **k)
    )
    for _ in range(200):
        bench.turn()
        assert bench.hosted.node.get_clock().now().nanoseconds == bench.time
    assert len(waits) < 100


@pytest.mark.parametrize('periods', [1, 4])
def test_a_cycle_a_period_and_a_trajectory_as_long_as_it_says(bench, periods):
    """However time goes: a period or four at once, with a pause that lasts on the wall clock."""
    bench.hold()
    before = bench.session.loop.counts
    point = JointTrajectoryPoint(positions=[POSTURE[0] + 0.01, POSTURE[1]])
    point.time_from_start.nanosec = 400_000_000
    trajectory = JointTrajectory(joint_names=list(JOINTS), points=[point])
    assert bench.session.follow(octets_of(trajectory)) == ''
    turns = 0
    while bench.supervisor.state.name == 'ACTIVE':
        bench.turn(periods)
        turns += 1
        if turns == 50:
            time.sleep(0.5)  # twenty times the timeout of joint states
    assert bench.supervisor.reason == 'TRAJECTORY_END'
    # the cycle at its end, or the one after it
    assert 400 <= turns * periods <= 400 + periods
    after = bench.session.loop.counts
    assert after.cycles - before.cycles == turns * periods and after.missed == 0
    assert after.elapsed - before.elapsed == turns * periods * PERIOD


def test_the_timeout_of_joint_states_is_one_of_simulated_time(bench):
    bench.hold()
    timeout = round(bench.supervisor.settings.state_timeout * 1e9) // PERIOD
    for _ in range(timeout - 1):
        bench.turn(state=False)
    assert bench.supervisor.state.name == 'HOLD'
    time.sleep(0.1)
    assert bench.supervisor.state.name == 'HOLD'
    for _ in range(2):
        bench.turn(state=False)
    assert bench.supervisor.state.name == 'STALE'


def test_stamps_are_those_of_the_cycles(bench):
    bench.hold()
    # what is published before the two have found each other is lost
    wait_until(lambda: bench.turn() or bench.probe.states.messages, 'a listener that is heard')
    bench.turn(20)
    message = bench.probe.states.wait(lambda m: stamp(m) >= bench.time - 10 * PERIOD)
    assert stamp(message) % PERIOD == 0 and stamp(message) <= bench.time


def stamp(message):
    return message.header.stamp.sec * 10**9 + message.header.stamp.nanosec


def test_after_a_jump_back_the_controller_begins_anew(bench):
    bench.hold()
    first = bench.session
    bench.time = 0
    seconds = Clock()
    bench.clock.publish(seconds)
    wait_until(lambda: bench.session not in (first, None), 'another session', COLD)
    for publisher in (bench.states, bench.clock):
        wait_until(publisher.get_subscription_count, 'the controller')
    bench.hold()
    assert bench.session.now() < 1e-9 * BEGIN
    bench.hosted.wait_for_output('Simulated time went back from 7.')


def test_a_jump_forward_is_counted_and_reported(bench):
    """Of ten seconds no cycle is run that would find its joint state too old."""
    bench.hold()
    missed = bench.session.loop.counts.missed
    bench.turn(10_000)
    assert bench.session.loop.counts.missed - missed == 10_000 - 10
    assert bench.supervisor.state.name == 'HOLD'
    bench.hosted.wait_for_output('Simulated time went on by 10 s at once')


def test_a_pause_is_reported_and_so_is_its_end(bench, monkeypatch):
    monkeypatch.setattr(simulated_time_session, 'SILENCE', 0.2)
    bench.hold()
    bench.hosted.wait_for_output('Simulated time stands at 7.')
    bench.turn()
    bench.hosted.wait_for_output('Simulated time goes on at 7.')
    assert bench.supervisor.state.name == 'HOLD'


def test_what_simulated_time_cannot_honour_is_refused(graph):
    hosted = Hosted('controller', *ros_arguments({**PARAMETERS, 'trigger': 'joint_states'}))
    try:
        sentence = "Parameter 'trigger' is 'joint_states'; with 'use_sim_time' expected 'timer'"
        wait_until(lambda: sentence in hosted.node.complaint, 'a refusal', COLD)
    finally:
        hosted.close()


def test_simulated_time_is_no_parameter_of_a_configured_controller(bench):
    wait_until(lambda: bench.session is not None, 'a configured controller', COLD)
    refused = bench.probe.set(use_sim_time=False)
    assert not refused.successful and 'takes effect at configure' in refused.reason
    np.testing.assert_equal(bench.hosted.node.get_parameter('use_sim_time').value, True)
