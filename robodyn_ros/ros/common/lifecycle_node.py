# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A lifecycle node whose transitions never raise, and which starts by itself if asked to."""

import math
import time
import traceback
from typing import Callable, Iterable

from rclpy.action import ActionServer
from rclpy.clock import Clock, ClockType
from rclpy.lifecycle import LifecycleNode, TransitionCallbackReturn

from robodyn_ros.errors import ParameterError, RobodynError
from robodyn_ros.realtime.log_throttle import LineBudget
from robodyn_ros.ros.common.parameter_services import BoundedParameterService
from robodyn_ros.ros.common.parameter_table import START, Parameters, ParamSpec
from robodyn_ros.ros.common.process import EXECUTORS
from robodyn_ros.ros.common.robot_source import by_parameters

UNCONFIGURED, INACTIVE, ACTIVE, FINALIZED = 'unconfigured', 'inactive', 'active', 'finalized'

NODE_PARAMETERS = (
    ParamSpec(
        'autostart',
        'bool',
        True,
        '',
        'Configure and activate without being asked, as soon as that is possible.',
        change=START,
    ),
    ParamSpec(
        'end_when_refused',
        'bool',
        False,
        '',
        'End with exit code 2 if the first start without being asked is refused, as launch files '
        'want it.',
        change=START,
    ),
    ParamSpec(
        'executor',
        'string',
        'single_threaded',
        '',
        'Which executor of rclpy runs the callbacks; `events` is experimental.',
        choices=EXECUTORS,
        change=START,
    ),
)
LIFECYCLE_SERVICES = (
    'change_state',
    'get_state',
    'get_available_states',
    'get_available_transitions',
    'get_transition_graph',
)


class ManagedNode(LifecycleNode):
    """What the nodes of this package share.

    A subclass does its work in `configure`, `activate`, `deactivate` and `cleanup`, which may
    raise. A RobodynError is a refusal: the node stays in its state (FAILURE). Anything else is a
    defect (ERROR): the node cleans itself up and is unconfigured. Either way `complaint` holds a
    sentence, which is logged once.

    Args:
      name: of the node.
      table: parameters besides NODE_PARAMETERS.
      options: for rclpy's LifecycleNode.

    """

    def __init__(self, name: str, table: Iterable[ParamSpec], **options):
        super().__init__(name, start_parameter_services=False, **options)
        self.phase = UNCONFIGURED
        self.complaint = ''
        self.refused = False  # the first start by itself, and the process is to end for it
        self._lines, self._has_run = LineBudget(), False
        self.parameters = Parameters(
            self, (*NODE_PARAMETERS, *table), self.judge_parameters, self.parameters_changed
        )
        BoundedParameterService(self)
        self._starter = self.create_timer(
            0.2, self._advance, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )
        self.start_again()

    # What a subclass defines.

    def configure(self):
        """Build everything that is needed to run."""

    def activate(self):
        """Begin to run."""

    def deactivate(self):
        """Stop running; must not fail."""

    def cleanup(self):
        """Undo `configure`, however far it came."""

    def judge_parameters(self, values):
        """Raise ParameterError if these values would not go together with what runs."""

    def parameters_changed(self, values):
        """Take over accepted parameters; `values` is the new snapshot."""

    def emergency_stop(self):
        """Stop what is commanded, at once; called on SIGUSR1 from another thread."""

    def can_configure(self) -> bool:
        """Return whether it makes sense to try, when starting by itself."""
        return True

    def can_activate(self) -> bool:
        """Return whether it makes sense to try, when starting by itself."""
        return True

    # What a subclass uses.

    def close(self):
        """End in an orderly way, from any state."""
        self._starting = False
        if self.phase == ACTIVE:
            self.on_deactivate(None)
        if self.phase != FINALIZED:
            self._attempt('clean up', self.cleanup)
            self.phase = FINALIZED

    def destroy_node(self):
        """Destroy the node, and what rclpy leaves of it: it would stay in the ROS graph.

        Its actions and lifecycle services hold the node until the garbage collector runs, which a
        node on a robot holds off. After some thirty participants on a machine the middleware
        discovers no more.
        """
        for waitable in list(self.waitables):
            if isinstance(waitable, ActionServer):
                waitable.destroy()
        super().destroy_node()
        for name in LIFECYCLE_SERVICES:
            getattr(self, f'_service_{name}').destroy()
        self._state_machine.destroy_when_not_in_use()

    def callback_failed(self, error: Exception):
        """Report an exception that came out of a callback."""
        text = ''.join(traceback.format_exception(error))
        self.get_logger().error(
            f'A callback failed, which is a defect: {text}', throttle_duration_sec=1.0
        )

    def complain(self, sentence: str):
        """Log a sentence, unless it was the last one; ten at once, then one a second."""
        if sentence and sentence != self.complaint and self._lines.take():
            self.get_logger().error(sentence)
        self.complaint = sentence

    def start_again(self, within: float = math.inf):
        """Start by itself once more, within so many seconds, if that is wanted at all."""
        self._starting = self.parameters['autostart']
        self._latest = time.monotonic() + within
        self._starter.reset()

    # Transitions.

    def on_configure(self, state):
        """Configure; what an incomplete attempt left behind is cleaned up."""
        result = self._attempt('configure', self.configure, after=INACTIVE)
        self.parameters.locked = self.phase == INACTIVE
        if result == TransitionCallbackReturn.FAILURE:
            self.cleanup()
        return result

    def on_activate(self, state):
        """Activate."""
        return self._attempt('activate', self.activate, after=ACTIVE)

    def on_deactivate(self, state):
        """Deactivate; after that request a node does not start again by itself."""
        self._starting = False
        return self._attempt('deactivate', self.deactivate, after=INACTIVE)

    def on_cleanup(self, state):
        """Clean up."""
        self._starting = False
        return self._return_to_unconfigured()

    def on_error(self, state):
        """Return to unconfigured after a defect."""
        self._starting = False
        return self._return_to_unconfigured()

    def on_shutdown(self, state):
        """Close."""
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
        """See whether a refusal is of what the node was started with, and so for good."""
        for_good = self.phase == UNCONFIGURED or isinstance(refusal, ParameterError)
        if self._starting and for_good and not self._has_run:
            self.refused = self.parameters['end_when_refused']

    def _advance(self):
        """One step towards active, when the node starts by itself."""
        if not self._starting or time.monotonic() > self._latest:
            self._starter.cancel()  # whatever wakes the executor costs a running loop cycles
        elif self.phase == UNCONFIGURED and self.can_configure():
            # One attempt: neither the description nor the parameters get better by waiting.
            self._starting = self.trigger_configure() == TransitionCallbackReturn.SUCCESS
        elif self.phase == INACTIVE and self.can_activate():
            self._starting = self.trigger_activate() != TransitionCallbackReturn.SUCCESS
