# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulator node: the dynamics of a robot behind the topics of a hardware driver."""

import sys

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.clock import Clock, ClockType
from std_srvs.srv import SetBool, Trigger

from robodyn_msgs.srv import Advance, ApplyWrench, SetJointState, SetPayload, StepSimulation
from robodyn_ros.compile import warm_up
from robodyn_ros.errors import RobodynError
from robodyn_ros.realtime.start_report import StartReport
from robodyn_ros.ros.common.joint_messages import set_stamp
from robodyn_ros.ros.common.lifecycle_node import UNCONFIGURED, ManagedNode
from robodyn_ros.ros.common.multi_dof_messages import payload_of
from robodyn_ros.ros.common.process import bound_memory, run_node
from robodyn_ros.ros.common.robot_source import RobotSource
from robodyn_ros.ros.common.topic_hints import silent_topic
from robodyn_ros.ros.simulator.lock_step_simulation import LockStepSimulation
from robodyn_ros.ros.simulator.simulated_plant import make_contacts, make_faults, plant_kernels
from robodyn_ros.ros.simulator.simulator_diagnostics import SimulatorDiagnostics
from robodyn_ros.ros.simulator.simulator_parameters import SIMULATOR_PARAMETERS
from robodyn_ros.ros.simulator.simulator_session import SimulatorSession
from robodyn_ros.ros.simulator.standard_services import make_standard_services
from robodyn_ros.ros.simulator.state_request import named_state
from robodyn_ros.ros.transport.bounded_service import BoundedService
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP
from robodyn_ros.simulation.command_modes import modes_of

LARGEST_STATE = 100_000  # bytes of a request with the state of a thousand joints


class Simulator(ManagedNode):
    """Lifecycle node with a SimulatorSession while it is configured.

    `**options`: keyword arguments for rclpy's LifecycleNode.
    """

    def __init__(self, **options):
        super().__init__('robodyn_simulator', SIMULATOR_PARAMETERS, **options)
        self.session: SimulatorSession | None = None
        self.source = RobotSource(self, self.parameters, self._described)
        self._diagnostics = SimulatorDiagnostics(self.get_name())
        self._diagnostics_publisher = self.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self.create_service(SetBool, '~/pause', self._answer(self._pause))
        self.create_service(StepSimulation, '~/step', self._answer(self._step))
        self.create_service(Trigger, '~/reset', self._answer(self._reset))
        self.create_service(Advance, '~/advance', self._run_in_lock_step)
        for kind, name, action in (
            (SetJointState, 'set_joint_state', self._set_state),
            (ApplyWrench, 'apply_wrench', self._apply_wrench),
            (SetPayload, 'set_payload', self._set_payload),
        ):
            BoundedService(self, kind, f'~/{name}', self._answer(action), most=LARGEST_STATE)
        self._standard = make_standard_services(self, self.why_unconfigured)
        self.create_timer(1.0, self._report, clock=Clock(clock_type=ClockType.STEADY_TIME))
        for name in self.parameters.unknown_overrides():
            sentence = self.parameters.unknown_name_sentence(name)
            self.get_logger().warning(f'{sentence} Its value is ignored.')

    # Life cycle.

    def can_configure(self):
        """Return whether there is a robot description."""
        return self.source.available

    def configure(self):
        """Build the robot, compile or load its kernels, and create its topics."""
        with StartReport(self._tell_start, self.get_logger().info) as report:
            self._configure(report)

    def _configure(self, report: StartReport):
        self.parameters.require_valid()
        report.announce('Building the robot from its description.')
        robot = self.source.build(self.parameters['free_base'])
        self.parameters.require_valid(robot.nv, robot.nq)
        for finding in robot.report.findings:
            if finding.severity == 'warning':
                self.get_logger().warning(f'{finding.subject}: {finding.sentence}')
        values = self.parameters.snapshot()
        contacts = make_contacts(values, self.source)
        kernels = plant_kernels(values, contacts, robot)
        warm_up([each for each in kernels if not each.is_kept], report.compiling)
        warm_up(kernels, report.loading)
        report.announce('Loading the code for this robot alone, and opening the topics.')
        kind = LockStepSimulation if values['trigger'] == LOCK_STEP else SimulatorSession
        self.session = kind(self, robot, values, contacts)
        self.get_logger().info(f"'{robot.name}' is simulated: {', '.join(robot.joint_names)}.")

    def activate(self):
        """Start running."""
        self.session.activate()

    def deactivate(self):
        """Stop running."""
        self.session.deactivate()

    def cleanup(self):
        """Close the session."""
        session, self.session = self.session, None
        if session is not None:
            session.close()

    def judge_parameters(self, values):
        """Refuse faults of unknown joints, and command modes that a joint cannot have.

        `values` (mapping of str to object): all parameters by name, as they would be after the
          change.
        Raises RobodynError: if a value is invalid for the simulated robot.
        """
        if self.session is not None:
            model = self.session.runner.plant.model
            make_faults(values, model)
            modes_of(model, values['command_modes'])

    def parameters_changed(self, values):
        """Apply live parameters now, the others at the next configuration.

        `values` (mapping of str to object): all parameters by name.
        """
        if self.session is not None:
            self.session.adopt(values)
        else:
            self.start_again()

    def _described(self):
        if self.phase == UNCONFIGURED:
            self.start_again()
        else:
            self.get_logger().warning(
                'Another robot description has come; the simulated robot '
                'stays the same until the node is configured anew.',
                throttle_duration_sec=1.0,
            )

    # Services.

    def _answer(self, action):
        """Return a service callback that calls `action` with the session under its lock.

        The action takes session, request and response, and returns a sentence for the response. A
        RobodynError becomes success = False.
        """

        def callback(request, response):
            session = self.session
            try:
                if session is None or not session.running:
                    raise RobodynError('The simulation does not run. ' + self.why_unconfigured())
                with session.lock:
                    response.message = action(session, request, response)
                response.success = True
            except RobodynError as error:
                response.success, response.message = False, str(error)
            return response

        return callback

    def _refuse_in_lock_step(self, service):
        if self.parameters['trigger'] == LOCK_STEP:
            raise RobodynError(
                f'There is no {service} in lock step: the simulation halts unless ~/advance '
                'is called.'
            )

    def _pause(self, session, request, _response):
        self._refuse_in_lock_step('~/pause')
        session.runner.paused = request.data
        return f'The simulation {"is paused" if request.data else "goes on"}.'

    def _step(self, session, request, response):
        self._refuse_in_lock_step('~/step')
        most = session.most_steps
        if not session.runner.paused:
            raise RobodynError('The simulation is not paused; call ~/pause first.')
        if not 1 <= request.steps <= most:
            raise RobodynError(f'{request.steps} steps were asked for; expected 1 to {most}.')
        session.runner.step(request.steps)
        session.publish_state()
        response.time = session.runner.time * 1e-9
        response.state, response.multi_dof_state = session.last_published()
        return f'{request.steps} steps were taken.'

    def _reset(self, session, _request, _response):
        session.reset()
        return 'The robot is in its initial state; no command is in force.'

    def _set_state(self, session, request, _response):
        plant = session.runner.plant
        session.set_state(*named_state(request.state, request.multi_dof_state, plant))
        return 'The robot is in the state asked for.'

    def _apply_wrench(self, session, request, _response):
        duration = request.duration.sec + 1e-9 * request.duration.nanosec
        session.apply_wrench(request.wrench, duration or float('inf'))
        return 'The wrench acts from the next step on.'

    def _set_payload(self, session, request, _response):
        if request.ramp.sec or request.ramp.nanosec:
            raise RobodynError(
                f'The ramp is {request.ramp.sec + 1e-9 * request.ramp.nanosec:g} s; expected 0: '
                'the simulator attaches a payload at once.'
            )
        session.runner.plant.attach(*payload_of(request.payload))
        return 'The payload takes part from the next step on.'

    def _run_in_lock_step(self, request, response):
        """Run in lock step, without the lock; other requests wait meanwhile."""
        session, duration = self.session, request.duration
        try:
            if session is None or not session.running:
                raise RobodynError('The simulation does not run. ' + self.why_unconfigured())
            if not isinstance(session, LockStepSimulation):
                raise RobodynError(
                    f"Parameter 'trigger' is '{self.parameters['trigger']}'; ~/advance expects "
                    f"'{LOCK_STEP}'."
                )
            response.message = session.advance(duration.sec * 1_000_000_000 + duration.nanosec)
            response.epoch, response.step = session.run.epoch, session.run.step
            set_stamp(response.time, session.run.time)
            response.success = not response.message
        except RobodynError as error:
            response.message = str(error)
        return response

    # Reports.

    def why_unconfigured(self) -> str:
        """Return why the simulation does not run, and what starts it."""
        if self.complaint:
            return self.complaint
        if not self.source.available:
            return silent_topic(self, self.source.topic, 'std_msgs/msg/String')
        return (
            f'The node is {self.phase}. Configure and activate it with `ros2 lifecycle set '
            f'{self.get_fully_qualified_name()} ...`.'
        )

    def _tell_start(self, sentence: str, _compiles: bool):
        message = self._diagnostics.build(None, sentence, '')
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics_publisher.publish(message)

    def _report(self):
        """Report once a second: diagnostics, other publishers of the clock, log lines."""
        session, clock_trouble = self.session, ''
        if session is not None and session.running:
            clock_trouble = session.keep_clock()
            while session.faults:
                self.callback_failed(session.faults.pop(0))
        message = self._diagnostics.build(session, self.why_unconfigured(), clock_trouble)
        message.header.stamp = self.get_clock().now().to_msg()
        self._diagnostics_publisher.publish(message)
        self._log(message.status)

    def _log(self, entries):
        """Log problems, and the wait for a robot, at most once in five seconds."""
        if self.session is None and not self.complaint:
            self.get_logger().info(self.why_unconfigured(), throttle_duration_sec=5.0)
            return
        bad = [entry.message for entry in entries if entry.level != b'\0']
        for text in bad:
            self.get_logger().warning(text, throttle_duration_sec=5.0)


def main(args=None) -> int:
    """Run the node until SIGINT or SIGTERM.

    `args` (sequence of str): command line without the program; by default that of the process.
    Returns exit code of the process.
    """
    bound_memory()
    return run_node(Simulator, args)


if __name__ == '__main__':
    sys.exit(main())
