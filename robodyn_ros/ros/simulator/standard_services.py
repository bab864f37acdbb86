# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Services and action of simulation_interfaces, if that package is installed."""

import signal
from typing import Callable

from rclpy.action import ActionServer, CancelResponse
from rclpy.task import Future

from robodyn_ros.errors import RobodynError
from robodyn_ros.ros.simulator.lock_step_simulation import LockStepSimulation
from robodyn_ros.ros.simulator.simulator_session import SimulatorSession

ABOUT = 'robodyn_ros simulates one robot, that of its description, without a world.'
NO_RESET = 'In lock step a reset begins a new epoch: state and time go back together.'
NO_PLAY = 'In lock step the simulation halts unless steps are requested.'


def make_standard_services(node, waiting: Callable[[], str]):
    """Create the services and the action.

    `node` (Simulator): the simulator node.
    `waiting`: called while there is no session; returns why.
    Returns the services; None if simulation_interfaces is not installed.
    """
    try:
        import simulation_interfaces.action
        import simulation_interfaces.msg
        import simulation_interfaces.srv
    except ImportError:
        node.get_logger().info(
            'There are no services of simulation_interfaces, as that package is not installed.'
        )
        return None
    return StandardServices(node, waiting, simulation_interfaces)


class Refusal(RobodynError):
    """A refusal with a result code.

    `code`: result code of the service.
    `sentence`: explanation.
    """

    def __init__(self, code: int, sentence: str):
        super().__init__(sentence)
        self.code = code


class StandardServices:
    """`~/get_simulator_features` and the other services, with the names of the standard.

    `node` (Simulator): the simulator node.
    `waiting` (callable): called while there is no session; returns why.
    `types` (module): the package simulation_interfaces.
    """

    def __init__(self, node, waiting: Callable[[], str], types):
        self._node, self._waiting, self._types = node, waiting, types
        self._codes, self._states = types.msg.Result, types.msg.SimulationState
        services = types.srv
        node.create_service(
            services.GetSimulatorFeatures, '~/get_simulator_features', self._features
        )
        for kind, name, action in (
            (services.GetSimulationState, 'get_simulation_state', self._get_state),
            (services.SetSimulationState, 'set_simulation_state', self._set_state),
            (services.ResetSimulation, 'reset_simulation', self._reset),
            (services.StepSimulation, 'step_simulation', self._step),
            (services.SpawnEntity, 'spawn_entity', self._spawn),
        ):
            node.create_service(kind, f'~/{name}', self._answer(action))
        self._server = ActionServer(
            node,
            types.action.SimulateSteps,
            '~/simulate_steps',
            self._simulate,
            cancel_callback=lambda _: CancelResponse.ACCEPT,
        )

    # Requests.

    def _features(self, _request, response):
        known, features = self._types.msg.SimulatorFeatures, response.features
        names = ['RESET', 'RESET_TIME', 'RESET_STATE', 'STATE_GETTING', 'STATE_SETTING']
        if not self._in_lock_step:
            names += ['STATE_PAUSE']
        codes = [getattr(known, f'SIMULATION_{name}') for name in names]
        steps = ('SINGLE', 'MULTIPLE', 'ACTION')
        features.features = codes + [getattr(known, f'STEP_SIMULATION_{name}') for name in steps]
        features.custom_info = ABOUT
        return response

    def _get_state(self, response, _request):
        response.state.state = self._state()

    def _set_state(self, response, request):
        states, wanted, session = self._states, request.state.state, self._running()
        if wanted == states.STATE_QUITTING:
            # A task, so that the caller gets its answer first.
            self._node.executor.create_task(signal.raise_signal, signal.SIGTERM)
            return
        if wanted not in (states.STATE_STOPPED, states.STATE_PLAYING, states.STATE_PAUSED):
            self._refuse('RESULT_FEATURE_UNSUPPORTED', f'State {wanted} is not supported.')
        if wanted == self._state():
            raise Refusal(response.ALREADY_IN_TARGET_STATE, 'The simulation is in that state.')
        if self._in_lock_step and wanted == states.STATE_PLAYING:
            self._refuse('RESULT_FEATURE_UNSUPPORTED', NO_PLAY)
        if wanted == states.STATE_PAUSED and self._state() == states.STATE_STOPPED:
            raise Refusal(response.INCORRECT_TRANSITION, 'The simulation is stopped.')
        with session.lock:
            session.runner.paused = wanted != states.STATE_PLAYING and not self._in_lock_step
            if wanted == states.STATE_STOPPED:
                session.reset()

    def _reset(self, response, request):
        session, kinds, scope = self._running(), type(request), request.scope
        scope = kinds.SCOPE_ALL if scope == kinds.SCOPE_DEFAULT else scope
        state, time = scope & kinds.SCOPE_STATE, scope & kinds.SCOPE_TIME
        if self._in_lock_step and bool(state) != bool(time):
            self._refuse('RESULT_FEATURE_UNSUPPORTED', NO_RESET)
        with session.lock:
            if time:
                session.restart_time()
            if state:
                session.reset()

    def _step(self, response, request):
        session = self._running()
        if not 1 <= request.steps <= session.most_steps:
            raise RobodynError(
                f'{request.steps} steps were asked for; expected 1 to {session.most_steps}.'
            )
        self._take_steps(session, request.steps)

    def _spawn(self, response, request):
        self._refuse('RESULT_FEATURE_UNSUPPORTED', f'No entity can be spawned. {ABOUT}')

    # The action.

    async def _simulate(self, handle):
        """Take the steps of a goal; other requests are served between two steps."""
        action, total = self._types.action.SimulateSteps, handle.request.steps
        result, feedback = action.Result(), action.Feedback()
        try:
            if total == 0:
                raise RobodynError('0 steps were asked for; expected 1 or more.')
            for done in range(1, total + 1):
                if handle.is_cancel_requested:
                    self._fill(result.result, self._codes.RESULT_OK, f'{done - 1} steps taken.')
                    handle.canceled()
                    return result
                self._take_steps(self._running(), 1)
                feedback.completed_steps, feedback.remaining_steps = done, total - done
                handle.publish_feedback(feedback)
                await self._yield_to_executor()
        except RobodynError as error:
            self._fill(result.result, *self._reason(error))
            handle.abort()
            return result
        self._fill(result.result, self._codes.RESULT_OK, '')
        handle.succeed()
        return result

    def _yield_to_executor(self) -> Future:
        """Return a Future that is done after the executor has served what is ready."""
        executor = self._node.executor
        served = Future(executor=executor)
        executor.create_task(served.set_result, None)
        return served

    # Parts.

    def _answer(self, action):
        """Return a service callback around `action(response, request)` that fills the result."""

        def callback(request, response):
            try:
                action(response, request)
                self._fill(response.result, self._codes.RESULT_OK, '')
            except RobodynError as error:
                self._fill(response.result, *self._reason(error))
            return response

        return callback

    def _fill(self, result, code: int, sentence: str):
        result.result, result.error_message = code, sentence

    def _reason(self, error: RobodynError) -> tuple[int, str]:
        return getattr(error, 'code', self._codes.RESULT_OPERATION_FAILED), str(error)

    def _refuse(self, code: str, sentence: str):
        raise Refusal(getattr(self._codes, code), sentence)

    def _running(self) -> SimulatorSession:
        session = self._node.session
        if session is None or not session.running:
            self._refuse('RESULT_INCORRECT_STATE', f'Nothing is simulated. {self._waiting()}')
        return session

    @property
    def _in_lock_step(self) -> bool:
        return isinstance(self._node.session, LockStepSimulation)

    def _state(self) -> int:
        """Return the state; it is stopped if paused with no time since the last reset."""
        session, states = self._node.session, self._states
        if session is None or not session.running:
            return states.STATE_NO_WORLD
        if not session.is_halted:
            return states.STATE_PLAYING
        return states.STATE_PAUSED if session.runner.plant.t else states.STATE_STOPPED

    def _take_steps(self, session, count: int):
        if isinstance(session, LockStepSimulation):
            sentence = session.advance(count * session.run.period)
            if sentence:
                raise RobodynError(sentence)
            return
        with session.lock:
            if not session.is_halted:
                raise RobodynError('The simulation is not paused; expected it to be paused.')
            session.runner.step(count)
            session.publish_state()
