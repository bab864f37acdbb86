# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The session of a controller while it is configured for one robot."""

import functools
import time
from typing import Any, Callable, Mapping

import numpy as np
from builtin_interfaces.msg import Time
from rclpy.qos import QoSProfile, ReliabilityPolicy
from trajectory_msgs.msg import JointTrajectory

from robodyn_msgs.msg import ControllerState, TaskState
from robodyn_ros.control.gains import held_by_friction, inertia_range, joints_without_gains
from robodyn_ros.control.laws.law import ControlLaw
from robodyn_ros.control.laws.specialised_law import specialised_kernels
from robodyn_ros.control.reference.task_target import TaskTarget
from robodyn_ros.control.supervisor.payload_ramp import PayloadRamp
from robodyn_ros.control.supervisor.rival_policy import RivalPolicy
from robodyn_ros.control.supervisor.supervisor import Supervisor
from robodyn_ros.errors import RobodynError
from robodyn_ros.middleware.trajectory_cdr import MAX_BYTES
from robodyn_ros.realtime.log_throttle import LineBudget
from robodyn_ros.realtime.loop import Counts, PeriodicLoop
from robodyn_ros.realtime.os_requests import CollectorPause, settle_memory
from robodyn_ros.robot.background_compiler import picklable_model
from robodyn_ros.robot.robot import Robot
from robodyn_ros.ros.common.joint_messages import EFFORT_WRITERS
from robodyn_ros.ros.common.realtime_parameters import realtime, require_granted
from robodyn_ros.ros.common.session_kernels import SessionKernels
from robodyn_ros.ros.controller.base_state_intake import BaseStateIntake
from robodyn_ros.ros.controller.control_cycle import ControlCycle
from robodyn_ros.ros.controller.controller_parameters import TIMER, control_settings
from robodyn_ros.ros.controller.controller_state_message import StateWriter
from robodyn_ros.ros.controller.law_parameters import ACCELERATION_GAINS
from robodyn_ros.ros.controller.publisher_conflict import PublisherConflict
from robodyn_ros.ros.controller.reference_messages import TrajectoryReader, is_empty
from robodyn_ros.ros.controller.state_intake import StateIntake
from robodyn_ros.ros.controller.task_state_message import TaskStateWriter
from robodyn_ros.ros.controller.task_target_messages import task_subscriptions
from robodyn_ros.ros.transport.bounded_subscription import BoundedSubscription
from robodyn_ros.ros.transport.lock_step_transport import LOCK_STEP
from robodyn_ros.ros.transport.rcl_ffi import BufferPublisher

COMMAND_QOS = QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE)
YIELD_TIME = 5.0  # [s] after activation in which another, older controller takes precedence
RELEASE_TIME = 1.5  # [s] longest wait for the arm to be braked on deactivation
LEFT = 0.1  # [rad/s or m/s] velocity with which a joint is reported as moving then


def posture_of_rest(robot):
    """Return a posture at which the dynamics of a robot are determined."""
    return robot.model.closed_posture if robot.model.has_loops else robot.configuration.neutral()


class ControlSession:
    """One robot under one law: supervisor, loop, and their topics.

    `node` (Controller): the node that owns the topics.
    `law` (ControlLaw): the control law of that robot.
    `payload` (PayloadRamp): its payloads; the robot has the model of this ramp.
    `values` (mapping of str to object): the node's parameters by name.
    `changed` (callable): called from the loop when the state or its reason changes.
    """

    def __init__(
        self,
        node,
        robot: Robot,
        law: ControlLaw,
        payload: PayloadRamp,
        values: Mapping[str, Any],
        changed: Callable[[], None],
    ):
        self.robot, self.law, self.payload = robot, law, payload
        self._inertia = inertia_range(robot)
        # its loop over postures is compiled now, not when a payload comes
        robot.gravity_torque(posture_of_rest(robot)[None])
        self.supervisor = Supervisor(robot, law, control_settings(values, robot, law), payload)
        self.accepted_references, self.refused_references = 0, 0
        self._lines = LineBudget()
        self.faults: list[Exception] = []  # exceptions of the loop, for the node to report
        self._node, self._values, self._changed = node, values, changed
        self._reader = TrajectoryReader(robot.joint_names)
        self._clock = node.get_clock()
        self._timed = values['trigger'] == TIMER
        self._effort_kind = EFFORT_WRITERS[values['command_type']]
        self._make_loop(values, changed)
        self.pause = CollectorPause()
        self.watch = PublisherConflict(node, self._effort_kind.type, values['command_topic'])
        self._rivals = RivalPolicy(self.supervisor, self.watch.topic, node.get_logger().error)
        self._activated, self.left_moving = 0.0, ''
        self._before = self._final = Counts(0, 0, 0)
        self.base = BaseStateIntake(node, law, values) if law.floats else None
        self._subscriptions = [
            BoundedSubscription(
                node, JointTrajectory, f'~/{topic}', receive, 1, MAX_BYTES, self._refuse
            )
            for topic, receive in (
                ('joint_trajectory', self._follow),
                ('reference', self._stream_target),
            )
        ]
        if law.task is not None:
            self._subscriptions += task_subscriptions(node, self._set_task_target, self._refuse)
        self.kernels = SessionKernels(
            node,
            robot.name,
            values['specialise'] and values['trigger'] != LOCK_STEP,
            functools.partial(specialised_kernels, picklable_model(robot.model), type(law)),
            self.supervisor.replace_kernels,
            at_once=values['lock_step.specialise'] and values['trigger'] == LOCK_STEP,
        )
        if isinstance(self.loop, PeriodicLoop):  # no pause costs a cycle of simulated time
            settle_memory()
        self.loop.start()
        for sentence in self.loop.warnings:
            node.get_logger().warning(sentence)

    def _make_loop(self, values, changed):
        """Create intake, cycle and loop."""
        timed = self._timed
        options = {} if timed else {'delivered': self._triggered}
        if self.law.task is not None:
            options['lag'] = self._lag
        self.intake = StateIntake(
            self._node, self.robot.joint_names, self.supervisor.accept_state, timed, **options
        )
        self.cycle = ControlCycle(
            self.supervisor,
            self.intake,
            self._ros_now,
            *self._telemetry(COMMAND_QOS),
            changed,
            self._note,
            answers=not timed,
        )
        self.loop = PeriodicLoop(
            1.0 / values['update_rate'],
            self.cycle.run_cycle if timed else self.cycle.run_cycle_if_late,
            self._fault,
            realtime(values),
            values['wake_ahead'] if timed else 0.0,
            *(
                [(self.supervisor.rehearse, self.intake.rehearse), self.intake.poll]
                if timed
                else []
            ),
        )

    # Life cycle.

    def activate(self):
        """Start commanding the robot.

        Raises RobodynError: if another node commands the robot, or the supervisor refuses.
        """
        require_granted(self.loop, self._values)
        if self.base and self.base.missing:
            raise RobodynError(self.base.missing)
        others = self.watch.other_publishers()
        if others:
            raise RobodynError(self._describe(others))
        output = self.watch.publish(lambda: self._make_output(self.watch.topic))
        refusal = self.supervisor.activate(self.now())
        if refusal:
            self._remove(output)
            raise RobodynError(refusal)
        self.watch.stop_listening()
        self._activated = time.monotonic()
        self._before = self.totals
        for histogram in self.histograms:
            histogram.clear()
        self.pause.__enter__()
        self.cycle.output = output

    def deactivate(self):
        """Brake the arm, ramp the effort to its weight, then stop publishing.

        `left_moving` is a sentence if that did not bring it to rest.
        """
        self.left_moving = ''
        if self.cycle.output is None:
            return
        self.supervisor.deactivate()
        deadline = time.monotonic() + RELEASE_TIME
        while self._releasing() and time.monotonic() < deadline:
            self.intake.take_waiting()
            time.sleep(self.loop.period)
        self.left_moving = self._still_moving()
        output = self.cycle.output
        self._final = self.counts
        self.cycle.output = None
        self._remove(output)
        if self._node.context.ok():
            self.watch.start_listening()
        self.pause.__exit__()

    def _releasing(self) -> bool:
        """Return whether the arm is still braked, or its effort differs from its weight."""
        return self.supervisor.publishing

    def _still_moving(self) -> str:
        """Return a sentence about the joint that moves most; '' if all rest."""
        qd = self.supervisor.qd
        joint = int(np.abs(qd).argmax())
        if not abs(qd[joint]) > LEFT:
            return ''
        return (
            f'{self.supervisor.joint_names[joint]} still moves, at {qd[joint]:.3g}, and nothing '
            'brakes it any more.'
        )

    def close(self):
        """Release all resources."""
        self.deactivate()
        self.kernels.close()
        self.loop.stop()
        self.intake.close()
        self.watch.stop_listening()
        for subscription in (*self._subscriptions, *([self.base] if self.base else [])):
            subscription.close()
        for publisher in self._telemetry_publishers:
            self._node.destroy_publisher(publisher)

    def adopt(self, values: Mapping[str, Any]):
        """Apply changed parameters between two cycles.

        Raises ParameterError: if the values do not fit the robot.
        """
        self.supervisor.settings = control_settings(values, self.robot, self.law)
        self._values = values

    # Queries.

    def weak_gains(self) -> list[str]:
        """Return sentences about joints without a gain of the law, or weak against friction."""
        gains = self.supervisor.settings.gains
        return [
            *joints_without_gains(self.robot.joint_names, gains, self.law),
            *held_by_friction(self.robot, self._inertia, gains, self.law),
        ]

    @property
    def gains_are_chosen(self) -> bool:
        """Whether a gain differs from the default of laws on accelerations."""
        default = np.array([*ACCELERATION_GAINS.values()])[:, None]
        return bool((self.supervisor.settings.gains != default).any())

    @property
    def last_refusal(self) -> str:
        """Why the last reference or transition was refused, '' after a reset or activation."""
        return self._node.last_refusal

    @property
    def histograms(self):
        """Every histogram of the loop."""
        return (self.loop.wake_latency, self.cycle.tick, self.cycle.compute, self.cycle.state_age)

    @property
    def totals(self) -> Counts:
        """Cycles run, cycles missed, and time [ns], since the session began.

        If joint states trigger the cycles, each state has its cycle, and none is missed.
        """
        counts = self.loop.counts
        return counts if self._timed else Counts(self.cycle.count, 0, counts.elapsed)

    @property
    def counts(self) -> Counts:
        """Cycles run, cycles missed, and time [ns], since the last activation.

        After a deactivation they stay as they were.
        """
        if self.cycle.output is None:
            return self._final
        return Counts(*(now - then for now, then in zip(self.totals, self._before)))

    def now(self) -> float:
        """Return the time on the clock of the cycles [s]."""
        return time.monotonic()

    def stamp(self) -> Time:
        """Return the ROS time as a message."""
        return self._clock.now().to_msg()

    def rivals(self) -> list[str]:
        """Return the names of other nodes that command the robot at the same time."""
        return self.watch.rivals() if self.cycle.output else []

    def react_to_rivals(self):
        """React to a node that began to command the robot after this one settled."""
        rivals = self.rivals() if self.settled else []
        self._rivals.react(rivals, self._values['rival_action'])

    def receiver_problem(self) -> str:
        """Return a sentence if no node or several nodes receive the commands, else ''.

        Until this node is settled, it is '': the robot may not have been discovered yet.
        """
        receivers = self.watch.receivers() if self.settled else ['not known yet']
        if not receivers:
            return f"No node listens on '{self.watch.topic}': the efforts move nothing."
        if len(receivers) > 1:
            return (
                f"{len(receivers)} nodes listen on '{self.watch.topic}': {', '.join(receivers)}. "
                'Each that drives motors moves the robot.'
            )
        return ''

    @property
    def settled(self) -> bool:
        """Whether this node has commanded the robot for longer than discovery takes."""
        return self.cycle.output is not None and time.monotonic() - self._activated > YIELD_TIME

    def rival_at_start(self) -> str:
        """Return a sentence if another node turns out to command the robot already, else ''.

        Discovery takes time, so an older controller may show up only after activation. The newer
        one then yields. Two that start together may both yield; the one with `watch.comes_first`
        tries again. Once settled, this node reports newcomers as rivals.
        """
        rivals = [] if self.settled else self.rivals()
        return self._describe(rivals) if rivals else ''

    def _describe(self, others) -> str:
        return (
            f"Another node publishes on '{self.watch.topic}': {', '.join(others)}. Two "
            'controllers on one arm fight.'
        )

    def until_between_cycles(self) -> float:
        """Return the time until the loop is half way between two cycles [s]."""
        return (self.cycle.last + 0.5 * self.loop.period - time.monotonic()) % self.loop.period

    def _make_output(self, topic: str):
        """Return the writer of effort messages, and the BufferPublisher that sends them."""
        writer = self._effort_kind(self.robot.joint_names)
        publisher = self._node.create_publisher(writer.type, topic, COMMAND_QOS)
        return writer, BufferPublisher(publisher, writer.message.buffer)

    def _remove(self, output):
        _, publisher = output
        publisher.close()
        self._node.destroy_publisher(publisher.publisher)

    # Loop.

    def _triggered(self, now: float):
        try:
            self.cycle.run_cycle(now)
        except Exception as error:
            self._fault(error)

    def _fault(self, error: Exception):
        self.supervisor.fail(error)
        self._note(error)

    def _note(self, error: Exception):
        if len(self.faults) < 100:
            self.faults.append(error)

    def _ros_now(self) -> int:
        # Reading the system clock directly is much cheaper than by rclpy.
        return self._clock.now().nanoseconds if self._clock.ros_time_is_active else time.time_ns()

    def _lag(self, stamp: tuple[int, int]) -> float:
        """Return the age of a stamp [s]; 0 if it is implausible, as from another clock."""
        lag = 1e-9 * (self._ros_now() - 1_000_000_000 * stamp[0] - stamp[1])
        return lag if 0.0 <= lag <= self.supervisor.settings.state_timeout else 0.0

    def _telemetry(self, qos):
        rate, self._telemetry_publishers = self._values['state_publish_rate'], []
        if not rate:
            return (), 1
        topics = [
            (
                ControllerState,
                '~/controller_state',
                StateWriter(self.supervisor, self.robot.model.body_names[0]),
            )
        ]
        if self.law.task is not None:
            topics.append((TaskState, '~/task_state', TaskStateWriter(self.law.task)))
        self._telemetry_publishers = [
            self._node.create_publisher(kind, topic, qos) for kind, topic, _ in topics
        ]
        writers = [writer for _, _, writer in topics]
        every = max(1, round(self._values['update_rate'] / rate))
        return tuple(zip(self._telemetry_publishers, writers)), every

    # References.

    def follow(self, data: np.ndarray) -> str:
        """Follow a trajectory.

        `data`: the serialised JointTrajectory.
        Returns '', or why it is refused.
        """
        return self._accept_reference(data, self.supervisor.follow)

    def stop(self) -> str:
        """Drop the reference, and come to rest; return ''."""
        self.supervisor.hold()
        return self.count_reference('')

    def require_joints(self, names: list[str]):
        """Check that a reference names the robot's joints.

        `names`: names of the reference.
        Raises UnknownNameError: unless these are the robot's joints.
        """
        self._reader.require_joints(names, self._values['allow_partial_joints_goal'])

    def _accept_reference(self, data, accept, **limits) -> str:
        try:
            partial = self._values['allow_partial_joints_goal']
            refusal = self._rivals.refusal or accept(
                self._reader.read_bytes(data, self._ros_now(), partial=partial, **limits),
                self.now(),
            )
        except RobodynError as error:
            refusal = str(error)
        return self.count_reference(refusal)

    def count_reference(self, refusal: str) -> str:
        """Count a reference as accepted or refused.

        `refusal`: why it is refused; '' if it is accepted.
        Returns the same.
        """
        if refusal:
            self._node.last_refusal = refusal
            self.refused_references += 1
        else:
            self.accepted_references += 1
        return refusal

    def _refuse(self, sentence: str):
        self._warn(f'A reference is refused: {self.count_reference(sentence)}')

    def _follow(self, data: np.ndarray):
        refusal = self.stop() if is_empty(data) else self.follow(data)
        if refusal:
            self._warn(f'The trajectory is refused: {refusal}')

    def _stream_target(self, data: np.ndarray):
        refusal = self._accept_reference(data, self.supervisor.stream_target, most=1)
        if refusal:
            self._warn(f'The target is refused: {refusal}')

    def _set_task_target(self, read: Callable[[int], TaskTarget]):
        try:
            refusal = self._rivals.refusal or self.supervisor.set_task_target(
                read(self._ros_now()), self.now()
            )
        except RobodynError as error:
            refusal = str(error)
        if self.count_reference(refusal):
            self._warn(f'The target of the end effector is refused: {refusal}')

    def _warn(self, sentence: str):
        if self._lines.try_acquire():
            self._node.get_logger().warning(sentence)
            self._changed()
