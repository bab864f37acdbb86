# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lock step over real topics: the same bits on every run, and whatever is lost meanwhile.

Nodes of one process that share no context exchange messages as two processes do.
"""

import threading

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from rclpy.qos import ReliabilityPolicy
from rclpy.serialization import serialize_message
from sensor_msgs.msg import JointState
from std_srvs.srv import SetBool

from robodyn_msgs.msg import LockStepCommand, LockStepState
from robodyn_msgs.srv import Advance, StepSimulation
from robodyn_ros import Robot
from robodyn_ros.ros.common.session_kernels import SPECIALISED
from robodyn_ros.ros.controller import lock_step_session as controller_session
from robodyn_ros.ros.simulator import simulated_plant
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.ros.transport.lock_step_transport import CommandReader
from robodyn_ros.simulation.lock_step import LockStep
from robodyn_ros.simulation.runner import Runner
from support.nodes.lock_step_run import ALL, ARM, SECONDS, SIMULATOR, TARGET, Run, alone, defaults
from support.nodes.node_harness import COLD, TWO_LINK, wait_until
from support.patience import PATIENCE

pytestmark = [pytest.mark.ros, pytest.mark.slow]
pytest_plugins = ['robodyn_ros.testing.fixtures']


@pytest.fixture(scope='module')
def referee():
    return alone()


def states_in_one_process(arm, target=TARGET):
    """Return the bits of the state after each step of the run."""
    arm.go_to(target, SECONDS)
    states = {0: np.array(arm.state[1:3]).tobytes()}
    for step in range(1, round(1000 * SECONDS) + 1):
        states[step] = np.array(arm.step()[1:3]).tobytes()
    return states


def test_one_process_gives_the_bits_of_direct_calls(controlled_robot, referee):
    """States and efforts are passed by calls, and no message is published."""
    assert states_in_one_process(controlled_robot(ARM)) == referee


def test_code_for_the_robot_computes_every_step(controlled_robot):
    """Both nodes use it from the first step on: its last bits are its own."""
    little = {'integrator': 'semi_implicit_euler'}  # code that compiles fast
    arm = controlled_robot(TWO_LINK, lock_step__specialise=True, **little)
    for node in (arm.simulator, arm.controller):
        assert node.node.session.kernels.text == SPECIALISED
    target = (0.4, -0.7)
    of_any_robot, own = (
        alone(TWO_LINK, target, specialised, **little) for specialised in (False, True)
    )
    assert states_in_one_process(arm, target) == own != of_any_robot


def test_a_reset_begins_the_same_run_again(host, graph, referee):
    run = Run(host, graph)
    run.tracked()
    run.begin()
    assert run.tracked() == referee


def test_both_nodes_read_best_effort(host, graph):
    """What is lost is repeated, so nothing is acknowledged; another reader may be reliable."""
    run = Run(host, graph)
    command = run.answers.topic_name
    for topic, reader in (
        (command, 'robodyn_simulator'),
        (command.replace('command', 'state'), 'robodyn_controller'),
    ):
        readers = graph.node.get_subscriptions_info_by_topic(topic)
        reliability = {each.node_name: each.qos_profile.reliability for each in readers}
        assert reliability.pop(reader) == ReliabilityPolicy.BEST_EFFORT
        assert set(reliability.values()) <= {ReliabilityPolicy.RELIABLE}


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


MODES = 'position', 'velocity', 'effort', 'any', 'position', 'velocity', 'any'


def mixed(step):
    """Return efforts, positions and velocities for MODES; those of `any` change in turn."""
    effort, position, velocity = np.full((3, 7), np.nan)
    position[[0, 4]] = 0.2 + 1e-3 * step, -0.1
    velocity[[1, 5]] = -0.3, 0.4
    effort[2] = 0.5
    for joint in (3, 6):
        (position, velocity, effort)[(step + joint) % 3][joint] = -1.0 + 0.1 * joint
    return effort, position, velocity


def test_answers_of_every_command_mode_give_the_bits_of_direct_calls(host, graph):
    """Joints in effort, position and velocity mode, and joints that change it with each answer."""
    modes = f'[{", ".join(MODES)}]'
    run = Run(host, graph, False, lock_step__participants='[test]', command_modes=modes)

    def reply(message):
        effort, position, velocity = map(list, mixed(message.step))
        answer = LockStepCommand(
            epoch=message.epoch,
            step=message.step,
            participant='test',
            effort=effort,
            position=position,
            velocity=velocity,
        )
        run.answers.publish(answer)

    graph.node.create_subscription(
        LockStepState, run.answers.topic_name.replace('command', 'state'), reply, ALL
    )
    response = run.advance(100_000_000)
    assert response.success, response.message
    values = defaults(SIMULATOR_PARAMETERS) | {'command_modes': MODES}
    robot = simulated_plant.simulated_robot(values, Robot.from_urdf(ARM))
    sensor = simulated_plant.make_sensor(values, robot)
    direct = LockStep(
        Runner(simulated_plant.make_plant(values, robot), sensor, 1000), 1000, ('a',), 1
    )
    direct.goal, states = 100, {}
    while True:
        states[direct.step] = np.array([sensor.position, sensor.velocity]).tobytes()
        direct.answer('a', 1, direct.step, mixed(direct.step))
        if not direct.advance():
            break
    assert run.states(response) == states
    first, last = (np.frombuffer(states[step])[:7] for step in (0, 100))
    assert (first != last).all()


@pytest.mark.parametrize(
    ('arrays', 'sentence'),
    [
        ({'effort': [0.0] * 7}, 'commands joint joint1 by effort; expected position'),
        (
            {'position': [0.0] * 7, 'velocity': [0.0] * 7},
            'commands joint joint1 by position and velocity; expected one of them',
        ),
        ({'position': [0.0] * 6}, 'answered with 6 positions; expected 7'),
    ],
)
def test_answers_of_other_quantities_end_the_run(host, graph, arrays, sentence):
    run = Run(host, graph, False, lock_step__participants='[test]', command_modes='[position]')

    def reply(message):
        run.answers.publish(
            LockStepCommand(epoch=message.epoch, step=message.step, participant='test', **arrays)
        )

    graph.node.create_subscription(
        LockStepState, run.answers.topic_name.replace('command', 'state'), reply, ALL
    )
    response = run.advance(1_000_000)
    assert not response.success and sentence in response.message


def test_answers_of_one_length_are_told_apart():
    """Their bytes are read in place: efforts in one are not taken for positions in the other."""
    reader, numbers = CommandReader(), [0.1, -0.2, np.nan]
    for step in (1, 2):  # learned, then known
        for quantities in (('effort',), ('position',), ('velocity',), ('effort', 'velocity'), ()):
            message = LockStepCommand(
                epoch=5, step=step, participant='test', **dict.fromkeys(quantities, numbers)
            )
            *found, arrays = reader.decode(serialize_message(message))
            assert found == ['test', 5, step]
            for name, array in zip(('effort', 'position', 'velocity'), arrays):
                expected = numbers if name in quantities else []
                np.testing.assert_array_equal(array, expected)
    assert len(reader._known) == 5


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


SILENT = "No state has come on '{}' for"


def test_the_controller_tells_of_a_silent_simulator_and_goes_on_with_the_next(
    host, graph, monkeypatch
):
    monkeypatch.setattr(controller_session, 'WAIT', 0.05)
    monkeypatch.setattr(controller_session, 'SILENCE', 0.2)
    run = Run(host, graph)
    assert run.advance(3_000_000).step == 3
    run.simulator.close()
    topic = run.answers.topic_name.replace('command', 'state')
    told = SILENT.format(topic)
    run.controller.wait_for_output('expected one after step 3.')
    assert run.controller.running and told in run.controller.output
    space = topic.removesuffix('state')
    host(
        'simulator',
        urdf_path=ARM,
        trigger='lock_step',
        lock_step__state_topic=topic,
        lock_step__command_topic=f'{space}command',
    )
    run.probe.statuses.clear()
    run.probe.wait_for('HOLD', 'ACTIVATED', COLD)


def test_a_silent_simulator_ends_the_controller_where_that_is_wanted(start, graph):
    run = Run(start, graph, on_silence='end')
    run.simulator.kill()
    wait_until(lambda: not run.controller.running, 'the end')
    topic = run.answers.topic_name.replace('command', 'state')
    assert SILENT.format(topic) in run.controller.output


def test_a_controller_that_waits_for_its_simulator_does_not_end(host, graph, monkeypatch):
    """Whoever starts the nodes by hand may take longer than five seconds."""
    monkeypatch.setattr(controller_session, 'WAIT', 0.05)
    monkeypatch.setattr(controller_session, 'SILENCE', 0.2)
    ended = []
    monkeypatch.setattr(controller_session.signal, 'raise_signal', ended.append)
    controller = host(
        'controller',
        urdf_path=ARM,
        trigger='lock_step',
        robot_compensates_gravity="'no'",
        lock_step__state_topic='/nowhere/state',
        lock_step__on_silence='end',
    )
    controller.wait_for_output('expected one after step none.', COLD)
    later = threading.Event()  # the end would be a task of the executor, too
    controller.node.session.loop.stop()
    controller.node.executor.create_task(later.set)
    assert later.wait(PATIENCE)
    controller.close()
    assert not ended


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
