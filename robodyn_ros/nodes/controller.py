# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The controller node: it reads joint states and references, and publishes guarded efforts."""

import functools
import sys
import time

from rclpy.clock import Clock, ClockType, ROSClock

from robodyn_ros.compile import known_answers, warm_up
from robodyn_ros.control.laws.law_registry import law_class
from robodyn_ros.control.supervisor.controller_states import State
from robodyn_ros.control.supervisor.guard_self_test import guards_known_answers, law_known_answers
from robodyn_ros.control.supervisor.payload_ramp import PayloadRamp
from robodyn_ros.errors import ParameterError
from robodyn_ros.realtime.start_report import StartReport
from robodyn_ros.robot.background_compiler import parallel_compilation
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.lifecycle_node import ACTIVE, FINALIZED, UNCONFIGURED, ManagedNode
from robodyn_ros.ros.common.model_services import ModelServices
from robodyn_ros.ros.common.process import bound_memory, run_node
from robodyn_ros.ros.common.robot_source import RobotSource
from robodyn_ros.ros.common.session_kernels import controller_kernels
from robodyn_ros.ros.common.topic_hints import silent_topic
from robodyn_ros.ros.controller.controller_parameters import (
    CONTROLLER_PARAMETERS,
    control_settings,
)
from robodyn_ros.ros.controller.controller_requests import ControllerRequests
from robodyn_ros.ros.controller.controller_session import YIELD_TIME, ControlSession
from robodyn_ros.ros.controller.controller_status import StatusReporter
from robodyn_ros.ros.controller.emergency_stop import EmergencyStop
from robodyn_ros.ros.controller.follow_joint_trajectory import make_action
from robodyn_ros.ros.controller.law_parameters import gain_parameters, make_law, own_parameters
from robodyn_ros.ros.controller.live_limits import refuse_raised
from robodyn_ros.ros.controller.lock_step_session import LockStepSession
from robodyn_ros.ros.controller.simulated_time_session import SimulatedTimeSession
from robodyn_ros.ros.controller.task_publisher import TaskPublisher, task_settings
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP

FAST_POLL, SLOW_POLL = 0.1, 1.0  # [s] between checks for something to report


class Controller(ManagedNode):
    """Lifecycle node with a ControlSession while it is configured.

    `**options`: keyword arguments for rclpy's LifecycleNode.
    """

    def __init__(self, **options):
        super().__init__('robodyn_controller', CONTROLLER_PARAMETERS, **options)
        self.session: ControlSession | None = None
        self.last_refusal = ''  # why the last reference or transition was refused
        self._gains = ()
        self.source = RobotSource(self, self.parameters, self._description_arrived)
        self._reporter = StatusReporter(self)
        ModelServices(self)
        self._tasks = TaskPublisher(self)
        self._requests = ControllerRequests(self)
        self._stopper = EmergencyStop(self, self._requests.stop)
        self._action = make_action(self)
        self._reports = self.create_timer(
            FAST_POLL, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME)
        )

    @property
    def helper_nodes(self) -> tuple:
        """Nodes that serve topics of this one in threads of their own."""
        return (self._stopper.node,)

    # Lifecycle.

    def destroy_node(self):
        """Destroy the DDS participant of the emergency stop, then the node."""
        self._stopper.close()
        super().destroy_node()

    def configure(self):
        """Build the robot and its law, compile, and subscribe to joint states."""
        with StartReport(self._reporter.publish_progress, self.get_logger().info) as report:
            self._configure(report)

    def _configure(self, report: StartReport):
        self.parameters.require_valid()
        report.announce('Building the robot from its description.')
        started = time.monotonic()
        robot = self.source.build()
        robot.model.refuse_quaternions("the controller's joint states")
        payload = PayloadRamp(robot.model)
        robot = Robot(payload.model)
        for warning in robot.report.warnings:
            self.get_logger().warning(f"Robot '{robot.name}': {warning}")
        law_type = law_class(self.parameters['law'])
        self._gains = (*gain_parameters(robot.joint_names, law_type), *own_parameters(law_type))
        self.parameters.declare(self._gains)
        self.parameters.require_valid(robot.nv)
        for name in self.parameters.unknown_overrides():
            sentence = self.parameters.unknown_name_sentence(name)
            self.get_logger().warning(f'{sentence} Its value is ignored.')
        values = self.parameters.snapshot()
        self._judge(values, robot, law_type)
        require_gravity_answer(values)
        kernels = functools.partial(controller_kernels, law_type)
        with parallel_compilation(kernels):
            report.announce(f"Making the control law '{law_type.name}'.")
            warm_up([each for each in law_type.kernels if not each.is_kept], report.compiling)
            law = make_law(values, law_type, robot)
            warm_up([each for each in kernels() if not each.is_kept], report.compiling)
            warm_up(kernels(), report.loading)
        report.announce('Comparing the kernels with known answers.')
        known_answers()
        guards_known_answers()
        law_known_answers(law_type, robot)
        report.announce('Loading the code for this robot alone, and opening the topics.')
        kind = self._session_type(values)
        self.session = kind(self, robot, law, payload, values, self._changed)
        self._tasks.follow(self.session, values)
        self.get_logger().info(
            f"Robot '{robot.name}' with the joints "
            f'{", ".join(robot.joint_names)}: ready after '
            f'{time.monotonic() - started:.1f} s.'
        )

    def activate(self):
        """Start commanding the robot."""
        self.session.activate()
        chosen = self.session.gains_are_chosen
        for sentence in self.session.weak_gains():  # a warning is about what the user chose
            (self.get_logger().warning if chosen else self.get_logger().info)(sentence)
        self.last_refusal = ''

    def deactivate(self):
        """Brake the robot, then stop commanding it."""
        self.session.deactivate()
        if self.session.left_moving:
            self.get_logger().warning(self.session.left_moving)

    def cleanup(self):
        """Close the session."""
        if self.session is not None:
            self._tasks.follow(None, self.parameters.snapshot())
            self.session.close()
            self.session = None
        self.parameters.undeclare(self._gains)
        self._gains, self.last_refusal = (), ''

    def begin_anew(self, why: str):
        """Restart the life cycle, for example after a backward jump of simulated time.

        `why`: sentence for the log.
        """
        self.get_logger().info(f'{why} The controller begins anew.')
        if self.phase == ACTIVE:
            self.trigger_deactivate()
        self.trigger_cleanup()
        self.start_again()

    def can_configure(self) -> bool:
        """Return whether there is a robot description."""
        return self.source.available

    def can_activate(self) -> bool:
        """Return whether valid joint states have arrived."""
        return self.session is not None and self.session.supervisor.state is State.READY

    def judge_parameters(self, values):
        """Refuse values that do not fit the configured robot.

        `values` (mapping of str to object): all parameters by name, as they would be after the
          change.
        Raises ParameterError: if a value is invalid for this robot.
        """
        if self.session is not None:
            self._judge(values, self.session.robot, self.session.law)

    def parameters_changed(self, values):
        """Apply new settings between two cycles.

        `values` (mapping of str to object): all parameters by name.
        """
        if self.session is not None:
            self.session.adopt(values)
            self._tasks.follow(self.session, values)

    def _session_type(self, values) -> type[ControlSession]:
        if values['trigger'] == LOCK_STEP:
            return LockStepSession
        clock = self.get_clock()
        simulated = isinstance(clock, ROSClock) and clock.ros_time_is_active
        return SimulatedTimeSession if simulated else ControlSession

    def _judge(self, values, robot, law):
        control_settings(values, robot, law)
        refuse_raised(values, self.parameters.at_start, robot)
        task_settings(values, robot)

    # Callbacks.

    def _description_arrived(self):
        if self.phase == UNCONFIGURED:
            self.start_again()
        else:
            self.get_logger().warning(
                'Another robot description has come; it is ignored while the controller is '
                f'{self.phase}. Clean up and configure to use it.',
                throttle_duration_sec=1.0,
            )

    def _report(self):
        rival_at_start = self.session.rival_at_start() if self.session else ''
        if rival_at_start:
            first = self.session.watch.comes_first
            self.trigger_deactivate()
            self.complain(f'Deactivated: {rival_at_start}')
            if first:  # else both controllers could yield at once and neither would run
                self.start_again(YIELD_TIME)
        if self.session:
            self.session.react_to_rivals()
        self._reporter.update()
        while self.session is not None and self.session.faults:
            self.callback_failed(self.session.faults.pop(0))
        self._pace()

    def _changed(self):
        """Report a change of state at once; called from the loop."""
        if self.executor is not None:
            self.executor.create_task(self._report)

    def _pace(self):
        """Poll fast until settled; executor wake-ups compete with the loop for the GIL."""
        calm = self.session is not None and self.session.settled
        period = round(1e9 * (SLOW_POLL if calm else FAST_POLL))
        if self._reports.timer_period_ns != period:
            self._reports.timer_period_ns = period
            self._reports.reset()

    def emergency_stop(self):
        """Stop the robot at once; may be called from any thread."""
        self._requests.stop()

    def why_unconfigured(self) -> str:
        """Return why the controller is not configured, and what configures it."""
        if self.phase == FINALIZED:
            return 'The controller has been shut down. Start its process anew.'
        if not self.source.available:
            return silent_topic(self, self.source.topic, 'std_msgs/msg/String')
        return self.complaint or (
            'The controller is not configured. Configure it with `ros2 lifecycle set '
            f'{self.get_fully_qualified_name()} configure`.'
        )

    def request_refused(self, sentence: str):
        """Log why a transition is refused, and show it in `~/status`.

        `sentence`: the reason.
        """
        super().request_refused(sentence)
        self.last_refusal = sentence

    def forget_refusals(self):
        """Forget what was refused in a state that has ended."""
        self.complaint = self.last_refusal = ''


def require_gravity_answer(values):
    """Refuse parameters that do not say who carries the weight of the arm.

    Raises ParameterError: if `robot_compensates_gravity` is not set.
    """
    if not values['robot_compensates_gravity']:
        raise ParameterError(
            "Parameter 'robot_compensates_gravity' is not set; expected 'yes' if the robot adds "
            "the gravity torque by itself, else 'no'. A wrong answer drops or launches the arm, "
            'so there is no default.'
        )


def main(args=None) -> int:
    """Run the node until SIGINT or SIGTERM.

    `args` (sequence of str): command line without the program; by default that of the process.
    Returns exit code of the process.
    """
    bound_memory()
    return run_node(Controller, args)


if __name__ == '__main__':
    sys.exit(main())
