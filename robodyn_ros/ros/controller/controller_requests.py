# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The services that change the state of the controller; each answer names state and remedy."""

from typing import Callable

from std_srvs.srv import SetBool, Trigger

from robodyn_msgs.srv import SetPayload
from robodyn_ros.control.supervisor.controller_states import State
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.errors import RobodynError
from robodyn_ros.ros.common.lifecycle_node import ACTIVE
from robodyn_ros.ros.common.multi_dof_messages import payload_of
from robodyn_ros.ros.controller.controller_status import sentence_of
from robodyn_ros.ros.transport.bounded_service import BoundedService

LATCHED = 'Until ~/reset it commands the safe effort.'
DISABLED = 'Until ~/reset it cannot be activated.'
RECOVERS = 'A posture is held when joint states come again.'
IDLE = 'It commands nothing.'


class Refused(Exception):
    """A request that is refused, with a sentence."""


class ControllerRequests:
    """Serve `~/enable`, `~/reset`, `~/hold` and `~/set_payload`, and carry out `~/stop`.

    Each answer begins with the state after the request, as in 'FAULT: ...'.

    `node` (Controller): the controller node.
    """

    def __init__(self, node):
        self._node = node
        node.create_service(
            SetBool, '~/enable', self._serve(lambda request: self._enable(request.data))
        )
        node.create_service(Trigger, '~/reset', self._serve(lambda _: self._reset()))
        node.create_service(Trigger, '~/hold', self._serve(lambda _: self._hold()))
        BoundedService(node, SetPayload, '~/set_payload', self._serve(self._set_payload))

    def _serve(self, act: Callable):
        def respond(request, response):
            response.success, response.message = self._answer(lambda: act(request))
            return response

        return respond

    def _answer(self, act: Callable[[], str]) -> tuple[bool, str]:
        """Return whether a request succeeded, and the answer: state, and what happened or why."""
        try:
            success, sentence = True, act()
        except (Refused, RobodynError) as refusal:
            success, sentence = False, str(refusal)
        session = self._node.session
        state = State.WAIT_MODEL if session is None else session.supervisor.state
        return success, f'{state.name}: {sentence[:1].upper()}{sentence[1:]}'

    def _supervisor(self) -> Supervisor:
        if self._node.session is None:
            raise Refused(self._node.why_unconfigured())
        return self._node.session.supervisor

    def _enable(self, wanted: bool) -> str:
        supervisor, node = self._supervisor(), self._node
        if not wanted:
            return self._disable(supervisor)
        already = node.phase == ACTIVE
        if not already:
            node.trigger_activate()
        if node.phase != ACTIVE:
            raise Refused(node.complaint)
        told = sentence_of(supervisor)
        for state, remedy in ((State.FAULT, LATCHED), (State.STALE, RECOVERS)):
            if supervisor.state is state:
                raise Refused(f'{told} {remedy}')
        told = ' '.join((told, *node.session.weak_gains()))
        return f'It was active already. {told}' if already else told

    def _disable(self, supervisor: Supervisor) -> str:
        node = self._node
        already = node.phase != ACTIVE
        if not already:
            node.trigger_deactivate()
        if node.phase == ACTIVE:
            raise Refused(node.complaint)
        told = 'It was inactive already.' if already else 'The controller has been deactivated.'
        moving = '' if already else node.session.left_moving
        faulty = supervisor.state is State.FAULT
        rest = DISABLED if faulty else '' if moving else IDLE
        return ' '.join(filter(None, (told, moving, rest)))

    def _reset(self) -> str:
        supervisor = self._supervisor()
        if supervisor.state is not State.FAULT:
            return f'There was no fault to reset. {sentence_of(supervisor)}'
        refusal = supervisor.reset(self._node.session.now())
        if refusal:
            raise Refused(f'{refusal}. Reset it when joint states come.')
        self._node.forget_refusals()
        return f'{sentence_of(supervisor)}'

    def _hold(self) -> str:
        supervisor = self._supervisor()
        already = supervisor.state is State.HOLD
        refusal = supervisor.hold()
        if refusal:
            raise Refused(f'{refusal}.')
        told = sentence_of(supervisor)
        return f'A posture was held already. {told}' if already else told

    def _set_payload(self, request) -> str:
        ramp = request.ramp.sec + 1e-9 * request.ramp.nanosec
        supervisor = self._supervisor()
        supervisor.attach(*payload_of(request.payload), ramp)
        told = self._node.session.payload.overload(supervisor.settings)
        return ' '.join(filter(None, (f'The payload is carried after {ramp:g} s.', told)))

    def stop(self) -> tuple[bool, str]:
        """Stop the robot at once; may be called from any thread.

        Returns `stopped` (bool): whether the controller is in FAULT now.
        Returns `answer` (str): state, and what has happened, or why there is nothing to stop.
        """
        return self._answer(self._stop)

    def _stop(self) -> str:
        session = self._node.session
        if session is None:
            raise Refused('The controller is not configured, and commands nothing.')
        session.supervisor.stop()
        remedy = LATCHED if session.supervisor.active else DISABLED
        return f'{sentence_of(session.supervisor)} {remedy}'
