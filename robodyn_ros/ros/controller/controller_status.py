# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Reports of the controller: a latched status on every change, and diagnostics."""

import time

from diagnostic_msgs.msg import DiagnosticArray
from rclpy.qos import DurabilityPolicy, QoSProfile

from robodyn_msgs.msg import ControllerStatus
from robodyn_ros.control.reference.goal_tolerance import missed
from robodyn_ros.control.supervisor.controller_states import ARRIVALS, Reason, State
from robodyn_ros.realtime.log_throttle import LineBudget, LinesBySubject
from robodyn_ros.realtime.rate_counter import RateCounter, Rates, success_rate
from robodyn_ros.ros.common.diagnostic_entry import OK
from robodyn_ros.ros.common.topic_hints import incompatible_publishers, silent_topic
from robodyn_ros.ros.controller.controller_diagnostics import (
    behind_sentence,
    diagnose,
    stuck_sentence,
)

LATCHED_QOS = QoSProfile(depth=1, durability=DurabilityPolicy.TRANSIENT_LOCAL)
INTERVAL = 0.95  # [s] between reports
WAITING_INTERVAL = 4.0  # [s] between log lines while the controller waits
WARNING_INTERVAL = 5.0  # [s] between warnings of one diagnostic entry

COMPILING, STARTING = 'COMPILING', 'STARTING'

SENTENCES = {
    Reason.ACTIVATED: 'The controller has been activated and holds the measured posture.',
    Reason.DEACTIVATED: 'The controller has been deactivated.',
    Reason.FOLLOWING: 'A reference is followed.',
    Reason.TRAJECTORY_END: 'The trajectory has ended; its last point is held.',
    Reason.TARGET_REACHED: 'The end effector has reached its target, which is held.',
    Reason.TARGET_NOT_REACHED: 'The end effector does not reach its target, and is held as near '
    'as it comes. The target is out of reach, or needs more effort than the arm has.',
    Reason.REFERENCE_TIMEOUT: 'The targets stopped; the posture is held.',
    Reason.REFERENCE_NOT_FINITE: 'The reference is not finite; the measured posture is held.',
    Reason.FOLLOWING_ERROR: 'A joint was farther from its reference than twice following_error; '
    'the measured posture is held; the value is its error.',
    Reason.HOLD_REQUESTED: 'The motion was stopped by request; the posture is held.',
    Reason.POSITION_JUMP: 'The measured position jumped; the new posture is held.',
    Reason.STATE_TIMEOUT: 'No fresh joint state comes.',
    Reason.STATE_STUCK: 'Joint states repeat themselves bit for bit, although the joint moves.',
    Reason.STATE_RECOVERED: 'Joint states come again; the measured posture is held.',
    Reason.RESET: 'The fault has been reset.',
    Reason.TORQUE_NOT_FINITE: 'The law computed an effort that is not finite.',
    Reason.LAW_EXCEPTION: 'The law failed.',
    Reason.OVERSPEED: 'A joint was faster than overspeed times its velocity limit; the value is '
    'its velocity.',
    Reason.KERNEL_STATUS: 'The mass matrix is singular.',
    Reason.LOOP_EXCEPTION: 'The control loop failed, which is a defect.',
    Reason.STOPPED: 'The controller has been stopped.',
}

# Sentences of states without a reason.
WAITING = {
    State.WAIT_STATE: 'There is no joint state yet.',
    State.READY: 'Joint states come; the controller can be activated.',
}


class StatusReporter:
    """Publish ~/status on every change and every second, and /diagnostics every second.

    `node` (Controller): the controller node.
    """

    def __init__(self, node):
        self._node, self._rate_counter, self._rates = node, RateCounter(), Rates()
        self._status = node.create_publisher(ControllerStatus, '~/status', LATCHED_QOS)
        self._diagnostics = node.create_publisher(DiagnosticArray, '/diagnostics', 10)
        self._last, self._told_refusal, self._due, self._logged = None, '', 0.0, 0.0
        self._complaint, self._complained_in = '', None
        self._lines, self._warnings = LineBudget(), LinesBySubject(WARNING_INTERVAL)

    def publish_progress(self, sentence: str, compiles: bool):
        """Publish the progress of the configuration.

        `sentence`: what is being done.
        `compiles`: whether kernels are being compiled.
        """
        status = self._begin(State.WAIT_MODEL, COMPILING if compiles else STARTING, sentence)
        self._status.publish(status)
        self._diagnostics.publish(diagnose(self._node.get_name(), status, None, Rates(), 0))

    def update(self):
        """Publish the status if it changed, and periodic reports that are due."""
        session = self._node.session
        state, reason, joint, stays_away = State.WAIT_MODEL, Reason.NONE, -1, False
        if session:
            supervisor = session.supervisor
            state, reason, joint = supervisor.state, supervisor.reason, supervisor.joint
            progress = supervisor.task_progress
            stays_away = progress is not None and progress.stays_away
        self._drop_old_complaint(state)
        refusal = self._node.last_refusal
        summary = (state, reason, joint, self._node.complaint, stays_away)
        changed, due = summary != self._last, time.monotonic() >= self._due
        waiting = state in (State.WAIT_MODEL, State.WAIT_STATE)
        if not (changed or due or refusal != self._told_refusal):
            return
        if due:
            self._due = time.monotonic() + INTERVAL
            self._rates = self._rate_counter.sample(session)
        status = self._begin(state, reason, self._sentence(state, reason))
        if session:
            self._describe(status, session)
        self._last, self._told_refusal = summary, refusal
        self._status.publish(status)
        if changed or waiting and time.monotonic() - self._logged > WAITING_INTERVAL:
            self._log(status)
        if due:
            self._report(status, session)

    def _drop_old_complaint(self, state: State):
        """Drop a complaint that arose in another state: its cause may be gone."""
        if self._node.complaint != self._complaint:
            self._complaint, self._complained_in = self._node.complaint, state
        elif state is not self._complained_in:
            self._complaint = self._node.complaint = ''

    def _begin(self, state: State, reason: str, sentence: str) -> ControllerStatus:
        status = ControllerStatus(
            state=int(state),
            state_name=state.name,
            reason=reason,
            message=sentence,
            last_refusal=self._node.last_refusal,
        )
        status.header.stamp = self._node.get_clock().now().to_msg()
        return status

    def _sentence(self, state: State, reason: str) -> str:
        node = self._node
        if state is State.WAIT_MODEL:
            return node.why_unconfigured()
        if state is State.WAIT_STATE and not node.session.intake.accepted:
            intake = node.session.intake
            if intake.detail:
                return f"No joint state on '{intake.topic}' fits: {intake.detail}"
            return silent_topic(node, intake.topic, intake.kind)
        return node.complaint or sentence_of(node.session.supervisor)

    def _describe(self, status: ControllerStatus, session):
        supervisor, loop, cycle = session.supervisor, session.loop, session.cycle
        status.law, status.joint_names = session.law.name, list(supervisor.joint_names)
        joint, value = supervisor.joint, float(supervisor.value)
        if status.reason == Reason.TRAJECTORY_END:
            joint, value = missed(supervisor)
        if joint >= 0:
            status.joint = supervisor.joint_names[joint]
        status.value = value
        status.message = ' '.join(
            filter(
                None,
                (
                    status.message,
                    supervisor.detail,
                    explained(status, session),
                    behind_sentence(supervisor),
                    status.state != State.STALE and stuck_sentence(supervisor),
                    *loop.warnings,
                ),
            )
        )
        status.robot_compensates_gravity = supervisor.settings.robot_compensates_gravity
        status.cycles, status.missed, _ = session.counts
        status.rate, status.cpu_share = self._rates.rate, self._rates.cpu_share
        status.success_rate = success_rate(status.cycles, status.missed)
        status.compute_p50, status.compute_p99 = _percentiles(cycle.compute)
        status.compute_max = cycle.compute.maximum
        status.tick_p50, status.tick_p99 = _percentiles(cycle.tick)
        status.wake_p50, status.wake_p99 = _percentiles(loop.wake_latency)
        status.state_age_p99 = cycle.state_age.percentile(99)
        status.rejected_messages = session.intake.rejected.total() + session.refused_references
        status.gc_collections = session.pause.collections
        status.kernels = session.kernels.text

    def _log(self, status: ControllerStatus):
        logger, text = self._node.get_logger(), f'{status.state_name}: {status.message}'
        if status.joint:
            text += f' ({status.joint}: {status.value:g})'
        is_logged = self._node.complaint and self._node.complaint in status.message
        if is_logged or not self._lines.try_acquire():
            return
        self._logged = time.monotonic()
        if status.state in (State.STALE, State.FAULT):
            logger.error(text)
        elif status.reason == Reason.TARGET_NOT_REACHED or (
            status.reason == Reason.TRAJECTORY_END and status.joint
        ):
            logger.warning(text)
        else:
            logger.info(text)

    def _report(self, status: ControllerStatus, session):
        publishers = self._node.count_publishers(session.intake.topic) if session else 0
        message = diagnose(
            self._node.get_name(),
            status,
            session,
            self._rates,
            publishers,
            incompatible_publishers(self._node),
        )
        self._diagnostics.publish(message)
        for entry in message.status[1:]:
            # Refused references are logged on arrival.
            if entry.level == OK or entry.name.endswith('references'):
                continue
            if self._warnings.try_acquire(entry.name):
                self._node.get_logger().warning(entry.message)


def sentence_of(supervisor) -> str:
    """Return the sentence about the state of a supervisor."""
    return SENTENCES.get(supervisor.reason, '') or WAITING.get(supervisor.state, '')


def explained(status: ControllerStatus, session) -> str:
    """Return a sentence about a value or distance that belongs to no joint; '' if there is none.

    `status`: with state, reason and value.
    `session` (ControlSession): session of the node.
    """
    supervisor, value = session.supervisor, status.value
    settings = supervisor.settings
    if status.reason == Reason.TRAJECTORY_END:
        return missed_goal(supervisor)
    if status.reason == Reason.KERNEL_STATUS:
        names = session.robot.model.body_names
        # The kernel of a law of another package may return any other number.
        is_body = value.is_integer() and 0.0 < value < len(names)
        return f'Its pivot is lost at {names[int(value)]}.' if is_body else f'Status {value:g}.'
    progress = supervisor.task_progress
    if progress is not None and (status.reason in ARRIVALS or progress.stays_away):
        return _distance(progress, settings.target_tolerance)
    stuck = status.reason == Reason.STATE_STUCK
    if status.state != State.STALE or not stuck and status.reason != Reason.STATE_TIMEOUT:
        return ''
    limit, name = settings.state_timeout, 'state_timeout'
    if stuck and not status.joint:  # all joints, at rest
        limit, name = settings.stuck_time, 'stuck_time'
    return f'The last new one is {value:.3g} s old; expected at most {limit:.3g} s ({name}).'


def _distance(progress, tolerance) -> str:
    """Return a sentence with the distance from the target, and with the tolerance."""
    verb = 'stays' if progress.stays_away else 'is'
    return (
        f'The end effector {verb} {progress.distance:.3g} m and {progress.angle:.3g} rad from its '
        f'target; it is reached within {tolerance[0]:g} m and {tolerance[1]:g} rad '
        '(target_tolerance).'
    )


def missed_goal(supervisor) -> str:
    """Return a sentence about the joint that is farthest from the end of its trajectory."""
    joint, distance = missed(supervisor)
    if joint < 0:
        return ''
    return (
        f'{supervisor.joint_names[joint]} is {distance:+.3g} from it; expected within '
        f'{supervisor.settings.goal_tolerance:g} (goal_tolerance).'
    )


def _percentiles(histogram) -> tuple[float, float]:
    return histogram.percentile(50), histogram.percentile(99)
