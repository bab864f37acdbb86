# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lock step over real topics: the same bits on every run, whatever the machine does meanwhile.

Nodes of one process that share no context exchange messages as two processes do.
"""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rclpy.qos import QoSProfile  # noqa: E402
from sensor_msgs.msg import JointState  # noqa: E402
from std_srvs.srv import SetBool, Trigger  # noqa: E402
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint  # noqa: E402

from robodyn_msgs.msg import LockStepCommand, LockStepState  # noqa: E402
from robodyn_msgs.srv import Advance, StepSimulation  # noqa: E402
from robodyn_ros import Robot  # noqa: E402
from robodyn_ros.control.laws.computed_torque import ComputedTorque  # noqa: E402
from robodyn_ros.control.reference.trajectory import Trajectory  # noqa: E402
from robodyn_ros.control.supervisor.supervisor import Supervisor  # noqa: E402
from robodyn_ros.ros.controller.controller_parameters import (  # noqa: E402
    CONTROLLER_PARAMETERS,
    control_settings,
    gain_parameters,
)
from robodyn_ros.ros.simulator import simulated_plant  # noqa: E402
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS  # noqa: E402
from robodyn_ros.simulation.lock_step import LockStep  # noqa: E402
from robodyn_ros.simulation.runner import Runner  # noqa: E402
from support.nodes.node_harness import COLD, ROOT, ControllerProbe, wait_until  # noqa: E402
from support.processes import run_script  # noqa: E402

pytestmark = [pytest.mark.ros, pytest.mark.slow]
pytest_plugins = ['robodyn_ros.testing.fixtures']

ARM = ROOT / 'config' / 'urdf' / 'franka_like.urdf'
SIMULATOR = '/robodyn_simulator'
ALL = QoSProfile(depth=5000)
TARGET = (0.3, -0.2, 0.2, -1.5, 0.1, 1.2, 0.2)
SECONDS = 2.0  # of simulated time
NUMBERS = itertools.count()


class Run:
    """A simulator in lock step, a controller if wanted, and every state that was sent."""

    def __init__(self, start, graph, controller=True, **parameters):
        space = f'/lock_step_{next(NUMBERS)}'  # so that tests get no messages of each other
        topics = {
            'lock_step__state_topic': f'{space}/state',
            'lock_step__command_topic': f'{space}/command',
        }
        both = {'urdf_path': str(ARM), 'trigger': 'lock_step', **topics}
        self.graph = graph
        self.inbox = graph.collect(LockStepState, topics['lock_step__state_topic'], ALL)
        self.answers = graph.node.create_publisher(
            LockStepCommand, topics['lock_step__command_topic'], ALL
        )
        self.simulator = start('simulator', **both, **parameters)
        # before any response: discovery may be later for us than for the controller
        wait_until(lambda: self.inbox.messages, 'the first state', COLD)
        if controller:
            self.controller = start('controller', **both, robot_compensates_gravity="'no'")
            self.probe = ControllerProbe(graph)
            self.probe.wait_for('HOLD', 'ACTIVATED', COLD)
        # of nothing, which is refused: the very first answer of a service may get lost
        graph.call(Advance, f'{SIMULATOR}/advance', timeout=COLD, again=True)

    def advance(self, nanoseconds, timeout=COLD):
        """Return the response of ~/advance."""
        request = Advance.Request()
        request.duration.sec, request.duration.nanosec = divmod(nanoseconds, 1_000_000_000)
        return self.graph.call(Advance, f'{SIMULATOR}/advance', request, timeout)

    def follow(self):
        """Send a trajectory while the simulation stands, and wait until it is taken."""
        message = JointTrajectory(joint_names=[f'joint{k}' for k in range(1, 8)])
        message.points.append(
            JointTrajectoryPoint(positions=TARGET, velocities=[0.0] * 7, accelerations=[0.0] * 7)
        )
        message.points[0].time_from_start.sec = round(SECONDS)
        publisher = self.graph.node.create_publisher(
            JointTrajectory, '/robodyn_controller/joint_trajectory', 1
        )
        wait_until(publisher.get_subscription_count, 'a subscriber')
        publisher.publish(message)
        self.probe.wait_for('ACTIVE', 'FOLLOWING')

    def states(self, response):
        """Return {step: bits of position and velocity} up to where a response stands."""

        def found():
            return {
                message.step: np.array([message.position, message.velocity]).tobytes()
                for message in self.inbox.messages
                if message.epoch == response.epoch
            }

        wait_until(lambda: response.step in found(), 'the last state')
        return found()

    def repeats(self):
        """Return how many messages were sent again."""
        return sum(message.repeat for message in self.inbox.messages)

    def tracked(self, beside=lambda: None):
        """Run the whole trajectory, in four calls; beside() runs in a thread meanwhile."""
        self.follow()
        thread = threading.Thread(target=beside)
        thread.start()
        for _ in range(4):  # no more states in one than the queues hold
            response = self.advance(round(0.25e9 * SECONDS))
            assert response.success, response.message
            self.states(response)
        thread.join()
        return self.states(response)


def alone():
    """Return the same run by direct calls, without any message: {step: bits}."""
    robot = Robot.from_urdf(ARM)
    specs = (*CONTROLLER_PARAMETERS, *gain_parameters(robot.joint_names, ComputedTorque))
    law, settings = ComputedTorque(robot), defaults(specs) | {'robot_compensates_gravity': 'no'}
    supervisor = Supervisor(robot, law, control_settings(settings, robot, law))
    values = defaults(SIMULATOR_PARAMETERS)
    simulated = simulated_plant.simulated_robot(values, robot)
    sensor = simulated_plant.make_sensor(values, simulated)
    run = LockStep(
        Runner(simulated_plant.make_plant(values, simulated), sensor, 1000), 1000, ('a',), 1
    )
    run.goal, states, none = round(1000 * SECONDS), {}, np.full(robot.nv, np.nan)
    while True:
        now, measured = 1e-9 * run.time, np.array([sensor.position, sensor.velocity])
        states[run.step] = measured.tobytes()
        supervisor.accept_state(measured, now)
        supervisor.tick(now)
        effort = supervisor.command.copy() if supervisor.publishing else none
        run.answer('a', 1, run.step, effort)
        if run.step == 0:
            rest = np.zeros((1, 7))
            assert supervisor.activate(now) == ''
            assert (
                supervisor.follow(Trajectory([SECONDS], np.array([TARGET]), rest, rest), now) == ''
            )
        if not run.advance():
            return states


def defaults(specs):
    """Return the default of every parameter, as a node has it."""
    return {spec.name: spec.convert(spec.default) for spec in specs}


@pytest.fixture(scope='module')
def referee():
    return alone()


CHILD = """import json, sys
sys.path.insert(0, sys.argv[1])
import test_lock_step
print(json.dumps({step: state.hex() for step, state in test_lock_step.alone().items()}))
"""


@pytest.fixture(scope='module')
def referee_of_processes(tmp_path_factory):
    """Return the direct calls of a third process, which loads kernels in an order of its own."""
    here, folder = os.path.dirname(__file__), tmp_path_factory.mktemp('referee')
    told, _ = run_script(CHILD, folder, [here], ROBODYN_REPRODUCIBLE=1)
    return {int(step): bytes.fromhex(state) for step, state in told.items()}


@pytest.fixture
def start_reproducible(monkeypatch, start):
    """Return the function that starts nodes whose bits do not rest on what a process loads."""
    monkeypatch.setenv('ROBODYN_REPRODUCIBLE', '1')
    return start


def test_two_processes_give_the_bits_of_direct_calls(
    start_reproducible, graph, referee_of_processes
):
    """And the arm does move."""
    states = Run(start_reproducible, graph).tracked()
    assert states == referee_of_processes
    first, last = (np.frombuffer(states[step])[:7] for step in (0, max(states)))
    assert np.abs(last - TARGET).max() < 0.05 < np.abs(last - first).max()


def test_one_process_gives_the_bits_of_direct_calls(controlled_robot, referee):
    """States and efforts are passed by calls, and no message is published."""
    arm = controlled_robot(ARM)
    arm.go_to(TARGET, SECONDS)
    states = {0: np.array(arm.state[1:3]).tobytes()}
    for step in range(1, round(1000 * SECONDS) + 1):
        states[step] = np.array(arm.step()[1:3]).tobytes()
    assert states == referee


def test_a_process_that_stands_still_changes_nothing(
    start_reproducible, graph, referee_of_processes
):
    run = Run(start_reproducible, graph)

    def stall():
        for node in (run.controller, run.simulator):
            time.sleep(0.02)
            node.send(signal.SIGSTOP)
            time.sleep(1.0)
            node.send(signal.SIGCONT)

    assert run.tracked(stall) == referee_of_processes


def test_a_loaded_machine_changes_nothing(start_reproducible, graph, referee_of_processes):
    run = Run(start_reproducible, graph)
    busy = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(3)]
    try:
        assert run.tracked() == referee_of_processes
    finally:
        for process in busy:
            process.kill()
            process.wait()


def test_a_reset_begins_the_same_run_again(host, graph, referee):
    run = Run(host, graph)
    run.tracked()
    assert graph.call(Trigger, f'{SIMULATOR}/reset', again=True).success
    run.probe.statuses.clear()
    run.probe.wait_for('HOLD', 'ACTIVATED', COLD)
    assert run.tracked() == referee


def answer(message, effort=0.0):
    return LockStepCommand(
        epoch=message.epoch, step=message.step, participant='test', effort=[effort] * 7
    )


def test_lost_repeated_and_late_answers_change_nothing(host, graph):
    """One participant answers once, the other loses, repeats and answers what is past."""
    runs = []
    for clumsy in (False, True):
        run = Run(
            host,
            graph,
            controller=False,
            lock_step__participants='[test]',
            lock_step__repeat_after=0.02,
        )
        seen = set()

        def reply(message, run=run, clumsy=clumsy, seen=seen):
            key = message.epoch, message.step
            if clumsy and message.step % 7 == 0 and not message.repeat:
                return  # lost
            run.answers.publish(answer(message, 0.01 * message.step))
            if clumsy and key not in seen:
                past = answer(message, 9.0)
                past.step = max(0, message.step - 1)
                run.answers.publish(answer(message, 5.0))
                run.answers.publish(past)
            seen.add(key)

        topic = run.answers.topic_name.replace('command', 'state')
        graph.node.create_subscription(LockStepState, topic, reply, ALL)
        wait_until(lambda run=run: run.inbox.messages, 'a state', COLD)
        response = run.advance(50_000_000)
        assert response.success, response.message
        runs.append(run.states(response))
        assert run.repeats() > 5 or not clumsy
        run.simulator.end_well()
    assert len(runs[0]) == 51 and runs[0] == runs[1]


def test_silence_is_reported_and_ends_nothing(host, graph):
    """With `hold`; the run goes on when the participant is there."""
    run = Run(
        host,
        graph,
        controller=False,
        lock_step__participants='[test]',
        lock_step__repeat_after=0.05,
        lock_step__repeats=60,  # the participant may stand still for three seconds
    )
    wait_until(lambda: run.inbox.messages, 'a state', COLD)
    response = run.advance(1_000_000)
    assert not response.success and response.step == 0
    assert response.message.startswith('No answer from test to step 0 at 0 s')
    topic = run.answers.topic_name.replace('command', 'state')
    graph.node.create_subscription(
        LockStepState, topic, lambda message: run.answers.publish(answer(message)), ALL
    )
    response = run.advance(1_000_000)
    assert (response.success, response.step, response.time.nanosec) == (True, 1, 1_000_000)


def test_silence_ends_the_process_where_that_is_wanted(start, graph):
    run = Run(
        start,
        graph,
        controller=False,
        lock_step__participants='[test]',
        lock_step__repeat_after=0.02,
        lock_step__repeats=3,
        lock_step__on_silence='end',
    )
    wait_until(lambda: run.inbox.messages, 'a state', COLD)
    assert not run.advance(1_000_000).success
    wait_until(lambda: not run.simulator.running, 'the end')
    assert 'No answer from test to step 0' in run.simulator.output


def test_what_lock_step_cannot_honour_is_refused(host, graph):
    run = Run(host, graph, controller=False, lock_step__participants='[test]')
    wait_until(lambda: run.inbox.messages, 'a state', COLD)
    pause = graph.call(SetBool, f'{SIMULATOR}/pause', SetBool.Request(data=True), again=True)
    request = StepSimulation.Request(steps=1)
    step = graph.call(StepSimulation, f'{SIMULATOR}/step', request, again=True)
    for response in (pause, step):
        assert not response.success and 'in lock step' in response.message
    for duration in (0, 1_500_000, -1_000_000):
        response = run.advance(duration)
        assert not response.success and 'a multiple of the period, 1000000 ns' in response.message
    run.simulator.end_well()
    slow = host('simulator', urdf_path=str(ARM), trigger='lock_step', speed_factor=2.0)
    slow.wait_for_output('in lock step it must stay at 1.0', COLD)
    slow.end_well()
    states = graph.collect(JointState, '/joint_states')
    host('simulator', urdf_path=str(ARM))
    states.wait(what='a state, which only an active simulator sends', timeout=COLD)
    # asked again while the server of the simulator before is still in the graph
    response = graph.call(Advance, f'{SIMULATOR}/advance', again=True)
    assert not response.success and "~/advance expects 'lock_step'" in response.message
