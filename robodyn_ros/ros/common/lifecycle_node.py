# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node whose transitions never raise, with an optional autostart."""

import math
import time
import traceback
from typing import Callable, Iterable

from rclpy.action import ActionServer
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from robodyn_ros.errors import ParameterError, RobodynError, shorten
from robodyn_ros.realtime.log_throttle import LineBudget
from robodyn_ros.ros.common.parameter_services import BoundedParameterService
from robodyn_ros.ros.common.parameter_table import START, Parameters, ParamSpec
from robodyn_ros.ros.common.robot_source import by_parameters
from robodyn_ros.ros.transport.type_descriptions import guard_type_descriptions

UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = 'unconfigured', 'inactive', 'active', 'finalized'

NODE_PARAMETERS = (
    ParamSpec(
        'autostart',
        'bool',
        True,
        '',
        'Configure and activate automatically, as soon as possible.',
        change=START,
    ),
    ParamSpec(
        'end_when_refused',
        'bool',
        False,
        '',
        'End with exit code 2 if the automatic start is refused. Launch files set this.',
        change=START,
    ),
)
FIRST_TRY, LAST_TRY = 0.01, 0.2  # [s] first and longest delay of an autostart step; it doubles
LIFECYCLE_SERVICES = (
    'change_state',
    'get_state',
    'get_available_states',
    'get_available_transitions',
    'get_transition_graph',
)


class ManagedNode(LifecycleNode):
    """Base class of the nodes of this package.

    A subclass implements `configure`, `activate`, `deactivate` and `cleanup`, which may raise. A
    RobodynError is a refusal: the node stays in its state (FAILURE). Any other exception is a
    defect (ERROR): the node cleans up and becomes unconfigured. In both cases `complaint` holds a
    sentence, which is logged once.

    `name`: name of the node.
    `table` (iterable of ParamSpec): parameters besides NODE_PARAMETERS.
    `**options`: keyword arguments for rclpy's LifecycleNode.
    """

    def __init__(self, name: str, table: Iterable[ParamSpec], **options):
        super().__init__(name, start_parameter_services=False, **options)
        self.phase = UNCONFIGURED
        self.complaint = ''
        self.refused = False  # whether the process has to end, as no autostart can succeed
        self._lines, self._has_run = LineBudget(), False
        self.parameters = Parameters(
            self, (*NODE_PARAMETERS, *table), self.judge_parameters, self.parameters_changed
        )
        self._answer_transition = self._service_change_state.callback
        self._service_change_state.callback = self._change_state
        BoundedParameterService(self)
        guard_type_descriptions(self)
        self._autostart_timer = self.create_timer(
            FIRST_TRY, self._step_autostart, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self.start_again()

    # Implemented by a subclass.

    def configure(self):
        """Build everything that the active node needs."""

    def activate(self):
        """Start running."""

    def deactivate(self):
        """Stop running; must not fail."""

    def cleanup(self):
        """Undo `configure`, also after a partial failure."""

    def judge_parameters(self, values):
        """Refuse values that conflict with the configuration in use.

        `values` (mapping of str to object): all parameters by name, as they would be after the
          change.
        Raises ParameterError: if there is a conflict.
        """

    def parameters_changed(self, values):
        """Apply accepted parameters.

        `values` (mapping of str to object): all parameters by name.
        """

    def emergency_stop(self):
        """Stop all motion at once; called on SIGUSR1 from another thread."""

    def can_configure(self) -> bool:
        """Return whether the autostart may try to configure the node."""
        return True

    def can_activate(self) -> bool:
        """Return whether the autostart may try to activate the node."""
        return True

    # Used by a subclass.

    def close(self):
        """Deactivate and clean up, from any state; the node is finalized then."""
        self._starting = False
        if self.phase == ACTIVE:
            self.on_deactivate(None)
        if self.phase != FINALIZED:
            self._attempt('clean up', self.cleanup)
            self.phase = FINALIZED

    def destroy_node(self):
        """Destroy the node, and the rclpy objects that would keep it in the ROS graph.

        Actions and lifecycle services keep the node alive until the garbage collector runs, which
        an active controller prevents. With some thirty participants on a machine the middleware
        stops discovering new ones.
        """
        for waitable in list(self.waitables):
            if isinstance(waitable, ActionServer):
                waitable.destroy()
        super().destroy_node()
        for name in LIFECYCLE_SERVICES:
            getattr(self, f'_service_{name}').destroy()
        self._state_machine.destroy_when_not_in_use()

    def callback_failed(self, error: Exception):
        """Report an exception of a callback.

        `error`: the exception.
        """
        text = ''.join(traceback.format_exception(error))
        self.get_logger().error(
            f'A callback failed, which is a defect: {text}', throttle_duration_sec=1.0
        )

    def complain(self, sentence: str):
        """Log a sentence unless it repeats the last one; ten at once, then one per second.

        `sentence`: problem of the node; '' for none.
        """
        if sentence and sentence != self.complaint and self._lines.try_acquire():
            self.get_logger().error(sentence)
        self.complaint = sentence

    def start_again(self, within: float = math.inf):
        """Restart the autostart, if it is enabled.

        `within`: time after which it gives up [s].
        """
        self._starting = self.parameters['autostart']
        self._latest = time.monotonic() + within
        self._try_within(FIRST_TRY)

    def request_refused(self, sentence: str):
        """Log why a transition is refused.

        `sentence`: the reason.
        """
        if self._lines.try_acquire():
            self.get_logger().warning(sentence)

    # Transitions.

    def _change_state(self, request, response):
        """Answer a request for a transition; rclpy does not answer one that is impossible."""
        wanted = request.transition
        possible = {label: id_ for id_, label, *_ in self._state_machine.available_transitions}
        if wanted.label in possible or not wanted.label and wanted.id in possible.values():
            return self._answer_transition(request, response)
        response.success = False
        phase, expected = self._state_machine.current_state[1], ' or '.join(possible)
        self.request_refused(
            f'Transition {shorten(wanted.label or wanted.id)} is refused: the node is {phase}; '
            f'expected {expected or "none: start it anew"}.'
        )
        return response

    def on_configure(self, state):
        """Configure the node; clean up after a refusal."""
        result = self._attempt('configure', self.configure, after=INACTIVE)
        self.parameters.locked = self.phase == INACTIVE
        if result == TransitionCallbackReturn.FAILURE:
            self.cleanup()
        return result

    def on_activate(self, state):
        """Activate the node."""
        return self._attempt('activate', self.activate, after=ACTIVE)

    def on_deactivate(self, state):
        """Deactivate the node and end the autostart."""
        self._starting = False
        return self._attempt('deactivate', self.deactivate, after=INACTIVE)

    def on_cleanup(self, state):
        """Clean up and end the autostart."""
        self._starting = False
        return self._return_to_unconfigured()

    def on_error(self, state):
        """Return to unconfigured after a defect."""
        self._starting = False
        return self._return_to_unconfigured()

    def on_shutdown(self, state):
        """Close the node."""
        self.close()
        return TransitionCallbackReturn.SUCCESS

    def _return_to_unconfigured(self):
        result = self._attempt('clean up', self.cleanup, after=UNCONFIGURED)
        self.parameters.locked = False
        return result

    def _attempt(self, verb: str, action: Callable[[], None], after: str | None = None):
        try:
            action()
        except RobodynError as refusal:
            self.complain(f'Cannot {verb}: {by_parameters(refusal)}')
            self._judge_start(refusal)
            return TransitionCallbackReturn.FAILURE
        except Exception as error:
            self.complain(f'Failed to {verb}, which is a defect: {type(error).__name__}: {error}')
            self.get_logger().debug(traceback.format_exc())
            return TransitionCallbackReturn.ERROR
        if after:
            self.phase = after
            self._has_run |= after == ACTIVE
        self.complaint = ''
        return TransitionCallbackReturn.SUCCESS

    def _judge_start(self, refusal):
        """Decide whether a refusal is permanent, as the values at the start cause it."""
        permanent = self.phase == UNCONFIGURED or isinstance(refusal, ParameterError)
        if self._starting and permanent and not self._has_run:
            self.refused = self.parameters['end_when_refused']

    def _step_autostart(self):
        """Take one step of the autostart."""
        before, period = self.phase, 1e-9 * self._autostart_timer.timer_period_ns
        if not self._starting or time.monotonic() > self._latest:
            self._autostart_timer.cancel()  # its wake-ups would compete with the loop for the GIL
            return
        if self.phase == UNCONFIGURED and self.can_configure():
            # One attempt only: waiting changes neither the description nor the parameters.
            self._starting = self.trigger_configure() == TransitionCallbackReturn.SUCCESS
        elif self.phase == INACTIVE and self.can_activate():
            self._starting = self.trigger_activate() != TransitionCallbackReturn.SUCCESS
        if self._starting:
            self._try_within(FIRST_TRY if self.phase != before else min(2.0 * period, LAST_TRY))

    def _try_within(self, period: float):
        self._autostart_timer.timer_period_ns = round(1e9 * period)
        self._autostart_timer.reset()
