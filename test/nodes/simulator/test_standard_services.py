# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator offers simulation_interfaces, by its clock and in lock step."""

import math
import signal
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes import action_type

action_type.provide('simulation_interfaces')

from rclpy.action import ActionClient
from simulation_interfaces.action import SimulateSteps
from simulation_interfaces.msg import Result, SimulationState, SimulatorFeatures
from simulation_interfaces.srv import (
    GetSimulationState,
    GetSimulatorFeatures,
    ResetSimulation,
    SetSimulationState,
    SpawnEntity,
    StepSimulation,
)

from robodyn_ros.ros.simulator import standard_services
from robodyn_ros.testing.participant import ALL
from support.nodes.node_harness import TWO_LINK, action_answer, wait_until
from support.nodes.simulated_arm import NODE, Arm

pytestmark = pytest.mark.ros
pytest_plugins = ['robodyn_ros.testing.fixtures']

START = [0.4, -0.7]
STOPPED, PLAYING, PAUSED = 0, 1, 2
WITHOUT_EFFECT = {
    'step_simulation': {'steps': 0},
    'set_simulation_state': {'state': SimulationState(state=SimulationState.STATE_LOADING_WORLD)},
    'reset_simulation': {'scope': ResetSimulation.Request.SCOPE_SPAWNED},
}


class Standard:
    """The services as a client sees them."""

    def __init__(self, participant, node):
        self.participant, self.node = participant, node
        self._met, self._client, self._told = set(), None, None

    def call(self, kind, name, /, **fields):
        """Return the response. The first answer of a service may get lost: it is of no effect."""
        topic = f'{NODE}/{name}'
        if name not in self._met:
            self._met.add(name)
            harmless = kind.Request(**WITHOUT_EFFECT.get(name, {}))
            self.participant.call(kind, topic, harmless, again=True)
        return self.participant.call(kind, topic, kind.Request(**fields))

    def request(self, state):
        """Return the Result of a change of state."""
        wanted = SimulationState(state=state)
        return self.call(SetSimulationState, 'set_simulation_state', state=wanted).result

    def set(self, state):
        """Return the code of a change of state."""
        return self.request(state).result

    @property
    def state(self):
        """Return the published state."""
        response = self.call(GetSimulationState, 'get_simulation_state')
        assert response.result.result == Result.RESULT_OK
        return response.state.state

    @property
    def runner(self):
        """What runs in the node."""
        return self.node.session.runner

    def steps(self, count, cancel_after=None):
        """Return status, result and feedback of the action."""
        if self._client is None:  # never destroyed: that is a race with the participant's spin
            self._client = ActionClient(
                self.participant.node, SimulateSteps, f'{NODE}/simulate_steps'
            )
            # a client forgets the goal with its result, and any feedback that comes later
            topic = f'{NODE}/simulate_steps/_action/feedback'
            self._told = self.participant.collect(SimulateSteps.Impl.FeedbackMessage, topic, ALL)
            wait_until(lambda: self.node.count_subscribers(topic) > 1, 'the inbox')
            wait_until(self._client.server_is_ready, 'the action server')
            self._meet()
        client, goal = self._client, SimulateSteps.Goal(steps=count)
        self._told.clear()

        handle = action_answer(client, lambda: client.send_goal_async(goal), 'an accepted goal')
        if cancel_after:
            wait_until(lambda: len(self._told.messages) >= cancel_after, 'feedback')
            action_answer(client, handle.cancel_goal_async, 'an answer to the cancellation')
        ended = action_answer(client, handle.get_result_async, 'the result')
        result = ended.result.result
        if not cancel_after and result.result == Result.RESULT_OK:
            wait_until(lambda: len(self._told.messages) >= count, 'the last feedback')
        feedback = [message.feedback for message in self._told.messages]
        return ended.status, result, feedback

    def _meet(self):
        """Repeat goals of no effect, then the question how one ended, until there are answers."""
        none = SimulateSteps.Goal(steps=0)
        accepted = self._repeated(lambda: self._client.send_goal_async(none), 'an accepted goal')
        self._repeated(accepted.result().get_result_async, 'its result')

    @staticmethod
    def _repeated(ask, what):
        """Return the answered future of a question that is asked again every second."""
        futures, asked = [], -math.inf

        def answered():
            nonlocal asked
            if time.monotonic() - asked > 1.0:
                futures.append(ask())
                asked = time.monotonic()
            return next((future for future in futures if future.done()), None)

        return wait_until(answered, what)


def expect_unsupported(result, words):
    """Check a refusal by its sentence, since its code is that of an empty Result."""
    assert result.result == Result.RESULT_FEATURE_UNSUPPORTED
    assert words in result.error_message


def test_lock_step_is_stepped_by_the_standard(simulated_robot):
    """Steps are answered by the test; time cannot play by itself, nor go back alone.

    It comes first: the arm of the others has the same name, and would answer, too.
    """
    arm = simulated_robot(TWO_LINK, initial_position=START)
    standard = Standard(arm.participant, arm.simulator.node)
    arm.command([1.0, 2.0])
    assert standard.state == STOPPED
    assert standard.call(StepSimulation, 'step_simulation', steps=7).result.result == 1
    assert arm.time == pytest.approx(0.007) and arm.torque.tolist() == [1.0, 2.0]
    status, _, feedback = standard.steps(3)
    assert status == 4 and len(feedback) == 3 and arm.time == pytest.approx(0.010)
    assert standard.state == PAUSED
    expect_unsupported(standard.request(PLAYING), 'In lock step the simulation halts')
    refused = standard.call(
        ResetSimulation, 'reset_simulation', scope=ResetSimulation.Request.SCOPE_TIME
    )
    expect_unsupported(refused.result, 'In lock step a reset begins a new epoch')
    assert arm.time > 0.0
    assert standard.call(ResetSimulation, 'reset_simulation').result.result == 1
    assert arm.time == 0.0 and arm.position.tolist() == START


@pytest.fixture(scope='module')
def shared(graph, host_shared):
    """Return an arm that falls, with the clock of the machine."""
    arm = Arm(
        graph, host_shared, TWO_LINK, initial_position=START, no_command='free', publish_clock=True
    )
    yield arm
    arm.process.end_well()


@pytest.fixture
def standard(shared):
    """Return the services of the arm, which is stopped."""
    found = Standard(shared.graph, shared.process.node)
    found.set(STOPPED)
    return found


def test_features_are_those_that_work(standard):
    """Among them resets, states and steps; no spawning."""
    features = standard.call(GetSimulatorFeatures, 'get_simulator_features').features
    names = {
        name
        for name in dir(SimulatorFeatures)
        if name.isupper() and getattr(SimulatorFeatures, name) in features.features
    }
    assert {'SIMULATION_RESET', 'SIMULATION_STATE_PAUSE', 'STEP_SIMULATION_ACTION'} <= names
    assert 'SPAWNING' not in names and not features.spawn_formats
    refused = standard.call(SpawnEntity, 'spawn_entity', name='ball').result
    expect_unsupported(refused, 'No entity')


def test_states_of_the_simulation(standard):
    """Stopped at the start, playing, paused; codes of what is not a change."""
    arm, runner = standard, standard.runner
    assert arm.state == STOPPED and runner.plant.q.tolist() == START
    assert arm.set(STOPPED) == SetSimulationState.Response.ALREADY_IN_TARGET_STATE
    assert arm.set(PAUSED) == SetSimulationState.Response.INCORRECT_TRANSITION
    assert arm.set(PLAYING) == Result.RESULT_OK and arm.state == PLAYING
    wait_until(lambda: runner.plant.t > 0.05, 'time to go on')
    assert arm.set(PAUSED) == Result.RESULT_OK and arm.state == PAUSED
    stands = runner.steps
    assert arm.call(GetSimulatorFeatures, 'get_simulator_features') and runner.steps == stands
    assert arm.set(STOPPED) == Result.RESULT_OK and runner.plant.q.tolist() == START
    loading = SimulationState.STATE_LOADING_WORLD
    expect_unsupported(arm.request(loading), f'State {loading} is not supported.')


def test_steps_are_exact(standard):
    """By the service, which needs a pause, and by the action with feedback for each."""
    arm, runner = standard, standard.runner
    before = runner.steps
    assert arm.call(StepSimulation, 'step_simulation').result.result == Result.RESULT_OK
    assert arm.call(StepSimulation, 'step_simulation', steps=9).result.result == Result.RESULT_OK
    assert runner.steps == before + 10 and arm.state == PAUSED
    status, result, feedback = arm.steps(6)  # fewer than the queue of the feedback holds
    assert status == 4 and result.result == Result.RESULT_OK and runner.steps == before + 16
    assert [each.completed_steps for each in feedback] == [1, 2, 3, 4, 5, 6]
    assert [each.remaining_steps for each in feedback] == [5, 4, 3, 2, 1, 0]
    status, result, feedback = arm.steps(100_000, cancel_after=5)
    assert status == 5 and 5 <= runner.steps - before - 16 < 100_000
    assert arm.call(StepSimulation, 'step_simulation', steps=0).result.result == 4
    arm.set(PLAYING)
    refused = arm.call(StepSimulation, 'step_simulation').result
    assert refused.result == Result.RESULT_OPERATION_FAILED and 'paused' in refused.error_message
    assert arm.steps(3)[0] == 6


def test_scopes_of_a_reset(standard):
    """The time alone, the state alone, both."""
    arm, runner, scope = standard, standard.runner, ResetSimulation.Request
    arm.call(StepSimulation, 'step_simulation', steps=50)
    time, fallen = runner.time, runner.plant.q.copy()
    assert arm.call(ResetSimulation, 'reset_simulation', scope=scope.SCOPE_STATE).result.result
    assert runner.plant.q.tolist() == START and runner.time == time
    arm.call(StepSimulation, 'step_simulation', steps=50)
    assert arm.call(ResetSimulation, 'reset_simulation', scope=scope.SCOPE_TIME).result.result
    assert runner.time == 0 and np.array_equal(runner.plant.q, fallen)
    arm.call(StepSimulation, 'step_simulation', steps=5)
    assert arm.call(ResetSimulation, 'reset_simulation').result.result == Result.RESULT_OK
    assert runner.time == 0 and runner.plant.q.tolist() == START


def test_quitting_ends_the_process(standard, monkeypatch):
    """By the signal that ends it in an orderly way, after the answer."""
    sent = []
    monkeypatch.setattr(standard_services.signal, 'raise_signal', sent.append)
    assert standard.set(SimulationState.STATE_QUITTING) == Result.RESULT_OK
    wait_until(lambda: sent == [signal.SIGTERM], 'the signal')
