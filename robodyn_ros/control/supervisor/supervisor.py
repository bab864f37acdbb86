# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The supervisor of a control law: it checks and limits every published torque."""

import contextlib
import dataclasses
import math
import threading

import numpy as np

from robodyn_ros.control.reference import path
from robodyn_ros.control.reference.reception import Reception
from robodyn_ros.control.reference.reference import Reference
from robodyn_ros.control.reference.stopping import stopping_path, stopping_times
from robodyn_ros.control.supervisor import guards, preconditions
from robodyn_ros.control.supervisor.controller_states import Counters, Reason, State
from robodyn_ros.control.supervisor.following_guard import FollowingGuard
from robodyn_ros.control.supervisor.preconditions import named, text_of
from robodyn_ros.control.supervisor.reference_clock import Clock
from robodyn_ros.control.supervisor.rehearsal import Rehearsal
from robodyn_ros.control.supervisor.state_buffer import StateBuffer
from robodyn_ros.control.supervisor.stuck_reading import StuckReading
from robodyn_ros.control.supervisor.task_progress import TaskProgress
from robodyn_ros.control.supervisor.torque_limiter import TorqueLimiter
from robodyn_ros.errors import ParameterError


class Supervisor:
    """Guards, states and torque of one robot under one control law.

    `tick` runs in the loop's thread, all other methods in others. It allocates nothing that stays
    and never raises. `command` always has a finite torque for every joint, within its effort limit
    and rate limit. Times are seconds of one monotonic clock, which the caller passes.

    The next tick overwrites the arrays below.

    Parameters
    ----------
    robot : Robot
        The robot; its working memory is not used.
    law : ControlLaw
        A law for this robot.
    settings : Settings
        Limits, gains and timeouts.
    payload : PayloadRamp, optional
        Payloads of the robot, with its model. Without it payloads are refused.

    Attributes
    ----------
    state : State
        State of the controller.
    reason : str
        Reason of the state.
    joint : int
        Joint that caused the state, or -1.
    value : float
        Value that caused the state.
    detail : str
        Cause as text, or ''.
    behind : int
        The joint that is farther from its reference than `following_error`, or -1.
    task_progress : TaskProgress or None
        Distance of the end effector from its target, if the law has one.
    completed : Trajectory or None
        The last trajectory that ended.
    publishing : bool
        Whether the command is to be published.
    command : (nv,) ndarray
        Torque to publish [N m or N].
    unlimited : (nv,) ndarray
        Torque before the limits [N m or N].
    terms : (6, nv) ndarray
        Its terms, in the order of TERMS.
    reference : (3, nv) ndarray
        Reference of position, velocity and acceleration.
    q, qd : (nv,) ndarray
        Measured state [rad or m, rad/s or m/s].
    position_guarded, rate_limited, effort_limited : (nv,) ndarray of bool
        Joints where the limit acted.
    """

    def __init__(self, robot, law, settings, payload=None):
        self.law, self.joint_names = law, tuple(robot.joint_names)
        self.state, self.reason, self.joint, self.value = State.WAIT_STATE, Reason.NONE, -1, 0.0
        self.detail, self.completed = '', None
        self.active = self.publishing = self._releasing = False
        self._lock = threading.Lock()
        self._state_buffer, self._reference = StateBuffer(robot.nv), Reference(robot.nv)
        self._torque_limiter, self._clock = TorqueLimiter(robot), Clock()
        self._rehearsal, self._counters = Rehearsal(robot), Counters()
        self.task_progress = None if law.task is None else TaskProgress(law)
        self._payload, self._linked, self._replacements = payload, robot.linked, {}
        self._following_guard, self._jumps, self._recovering = FollowingGuard(), 0, 0
        self._reading = StuckReading(robot, self._torque_limiter.earlier)
        self.behind, self._seen = -1, None
        self.reference, self.terms = self._reference.rows[:3], self._torque_limiter.terms
        self._feedforward = self._reference.rows[3]
        self.q, self.qd = self.reference[0], self.reference[1]  # until there is a joint state
        self.command, self.unlimited = self._torque_limiter.command, self._torque_limiter.unlimited
        self.position_guarded = self._torque_limiter.position_guarded
        self.rate_limited = self._torque_limiter.rate_limited
        self.effort_limited = self._torque_limiter.effort_limited
        self.settings = settings

    def __repr__(self):
        state = f'{self.state.name} {self.reason}'.strip()
        return f'<Supervisor of {self.law.robot.name!r} with {type(self.law).__name__}: {state}>'

    @staticmethod
    def kernels(law):
        """Return every kernel that a supervisor with this law runs.

        Parameters
        ----------
        law : ControlLaw or type
            A law, or its class.

        Returns
        -------
        tuple of Kernel
            The kernels.
        """
        own = (*TorqueLimiter.kernels, *guards.KERNELS, *path.KERNELS)
        return tuple(dict.fromkeys((*own, *law.kernels)))

    def replace_kernels(self, replacements):
        """Replace kernels from the next tick on; torques stay the same to rounding.

        Kernels for one robot do not include payloads, so a payload suspends them.

        Parameters
        ----------
        replacements : mapping of Kernel to Kernel
            Kernels for this robot by the generic ones; {} restores the generic ones.
        """
        with self._lock:
            self._replacements = replacements
            self._choose_kernels()

    def _choose_kernels(self):
        replacements = self._replacements
        if self._payload is not None and not self._payload.empty:
            replacements = {kernel: self._linked(kernel) for kernel in replacements}
        self.law.replace_kernels(replacements)
        self._torque_limiter.replace_kernels(replacements)

    def attach(self, frame, mass, com, inertia, ramp):
        """Change the payload on a frame over a ramp; zeros detach it.

        A payload is refused if a joint cannot hold it in the measured posture.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        mass : float
            Mass [kg].
        com : (3,) ndarray
            Centre of mass [m] in the axes of the frame.
        inertia : (3, 3) ndarray
            Inertia [kg m^2] about the centre of mass, in the axes of the frame.
        ramp : float
            Duration of the ramp [s].

        Raises
        ------
        UnknownNameError, ModelError, ParameterError
            For a refused value. Nothing has changed then.
        """
        if self._payload is None:
            raise ParameterError('this supervisor has no payloads; expected one with a ramp')
        plan = self._payload.plan(frame, mass, com, inertia, ramp)
        self._payload.require_held(plan, self.measurement, self.settings, self.joint_names)
        with self._lock:
            self._payload.begin(plan)
            if self._replacements:
                self._choose_kernels()

    def _carry(self, dt):
        self._payload.advance(dt)
        if self._replacements and self._payload.empty:
            self._choose_kernels()

    @property
    def stuck(self):
        """Return whether joint states repeat themselves bit for bit, although they should not."""
        return self._reading.found

    @property
    def stuck_joint(self):
        """Return the joint whose reading does, or -1 if all are repeated at rest."""
        return self._reading.joint

    @property
    def following(self):
        """Return the current Trajectory, as given to `follow` or `stream_target`, or None."""
        return self._reference.source

    @property
    def rejection(self):
        """Return the Rejection of the last refused joint state, or None."""
        return self._state_buffer.rejection

    @property
    def measurement(self):
        """Return the Measurement of the last accepted joint state, or None."""
        return self._state_buffer.latest

    @property
    def counters(self):
        """Return the counters of events.

        Returns
        -------
        dict of str to int
            The entries of Counters, `jumps`, `rejected_states` and `dt_clamps`.
        """
        return {
            **dataclasses.asdict(self._counters),
            'jumps': self._jumps,
            'rejected_states': self._state_buffer.rejected,
            'dt_clamps': self._clock.clamps,
        }

    @property
    def settings(self):
        """Return the current Settings; assign new ones to change them between two ticks.

        Raises
        ------
        ParameterError
            If they are for another robot or law, or lack an effort limit while active.
        """
        return self._settings

    @settings.setter
    def settings(self, settings):
        if settings.nv != len(self.joint_names):
            raise ParameterError(
                f'settings: got {settings.nv} joints; expected '
                f'{len(self.joint_names)}, {", ".join(self.joint_names)}'
            )
        sentence = (
            self.active
            and preconditions.refuse_effort_limits(settings, self.joint_names)
            or preconditions.refuse_law_values(settings.law_values, self.law)
        )
        if sentence:
            raise ParameterError(sentence)
        if settings.law_values is not None:
            self.law.values = settings.law_values
        self.law.period = settings.period
        idle = self.law.undriven
        if idle is not None and idle.any():  # the safe torque does not know these joints
            settings = settings.replace(effort_limits=np.where(idle, 0.0, settings.effort_limits))
        self._settings = settings
        self._following_guard.adopt(settings, self.law)

    # ------------------------------------------------------------------------ from other threads

    def measure(self, q, qd, received_time, lag=0.0, stamp=None):
        """Accept a joint state in joint order, or refuse it.

        Parameters
        ----------
        q, qd : (nv,) array_like
            Positions and velocities [rad or m, rad/s or m/s].
        received_time : float
            Time of receipt on the clock of `tick` [s].
        lag : float
            Age on receipt [s], for laws that compensate it.
        stamp : tuple of int, optional
            Seconds and nanoseconds of the sender's clock, to detect states out of order.

        Returns
        -------
        str
            The Reason of a refusal, or ''.
        """
        return self._state_buffer.accept_joint_state(
            q, qd, received_time, self._settings, lag, stamp
        )

    def accept_state(self, state, received_time, lag=0.0, stamp=None):
        """Accept a joint state as `measure` does, without a copy.

        Parameters
        ----------
        state : (2, nv) ndarray
            Positions and velocities. The supervisor takes ownership.
        received_time : float
            Time of receipt [s].
        lag : float
            Age on receipt [s].
        stamp : tuple of int, optional
            Seconds and nanoseconds of the sender's clock, to detect states out of order.

        Returns
        -------
        str
            The Reason of a refusal, or ''.
        """
        return self._state_buffer.accept(state, received_time, self._settings, lag, stamp)

    def activate(self, now, posture=None):
        """Start publishing torque: hold the measured posture, beginning with its safe torque.

        Parameters
        ----------
        now : float
            Present time [s].
        posture : (nv,) array_like, optional
            Posture that the caller assumes [rad or m]. Activation is refused if the robot is far
            from it.

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        with self._lock:
            settings, measured = self._settings, self._state_buffer.latest
            if self.state is State.FAULT:
                return f'the controller is in {named(self.state, self.reason)}; reset it first'
            if self.active:
                return 'the controller is active already'
            sentence = (
                preconditions.refuse_age(measured, now, settings)
                or preconditions.refuse_effort_limits(settings, self.joint_names)
                or preconditions.refuse_posture(posture, measured, settings, self.joint_names)
                or self._hold_or_trip(measured, Reason.ACTIVATED)
            )
            if sentence:
                return sentence
            if not self.publishing:  # otherwise the torque continues from the last published one
                self._torque_limiter.safe(measured, now, True, True, 0.0, settings, False)
                self._torque_limiter.limit(measured, settings, math.inf)
                self._clock.restart()
            self._reading.forget()
            self.active, self._releasing = True, False
            return ''

    def deactivate(self):
        """Brake the arm, ramp the torque to its weight, then stop publishing.

        Nobody renews the torque afterwards, so the last one is the weight alone.
        """
        with self._lock:
            if self.active:
                self.active, self._releasing, self.behind = False, self.publishing, -1
                self._reading.forget()
                self._torque_limiter.release()
                self._reference.hold(self.q)
                if self.state is not State.FAULT:
                    self._enter(State.READY, Reason.DEACTIVATED)

    def stop(self, detail=''):
        """Emergency stop: safe torque until `reset`.

        Parameters
        ----------
        detail : str
            Its cause, as text.
        """
        with self._lock:
            self._trip(Reason.STOPPED, detail=detail)

    def fail(self, error):
        """Report an exception around the tick: safe torque until `reset`.

        Parameters
        ----------
        error : Exception
            The exception.
        """
        with self._lock:
            self._trip(Reason.LOOP_EXCEPTION, detail=text_of(error))

    def reset(self, now):
        """Leave FAULT, and hold the measured posture if active.

        Parameters
        ----------
        now : float
            Present time [s].

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        with self._lock:
            if self.state is not State.FAULT:
                return ''
            measured = self._state_buffer.latest
            sentence = preconditions.refuse_age(measured, now, self._settings)
            if not sentence and self.active:
                sentence = self._hold_or_trip(measured, Reason.RESET)
            elif not sentence:
                self._enter(State.READY, Reason.RESET)
            return sentence

    def hold(self):
        """Drop the reference, if any, and come to rest within the limits.

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        with self._lock:
            if self.state is State.ACTIVE and self._following:
                return self._hold_or_trip(self._state_buffer.latest, Reason.HOLD_REQUESTED)
            return self._refuse_reference()

    def follow(self, trajectory, now):
        """Follow a trajectory and hold its end.

        It starts smoothly from the current reference. After a refusal the old reference stays.

        Parameters
        ----------
        trajectory : Trajectory
            The trajectory.
        now : float
            Present time [s].

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        return self._count_refusal(self._receive(trajectory, now, streamed=False))

    def stream_target(self, point, now):
        """Move to a streamed target by its time, or at once if that is 0.

        Without a successor within `reference_timeout` the arm comes to rest.

        Parameters
        ----------
        point : Trajectory
            A trajectory of one point.
        now : float
            Present time [s].

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        return self._count_refusal(self._receive(point, now, streamed=True))

    def set_task_target(self, target, now):
        """Set the target of the end effector, which reaches it smoothly by its time and holds it.

        Without a successor within `reference_timeout` its twist and its wrench end. After a
        refusal the old reference stays.

        Parameters
        ----------
        target : TaskTarget
            The target.
        now : float
            Present time [s].

        Returns
        -------
        str
            Reason of a refusal, or ''.
        """
        return self._count_refusal(self._accept_target(target, now))

    def _accept_target(self, target, now):
        timeout = self._settings.reference_timeout
        sentence = self.law.refuse_target(target) or target.refuse_time(timeout)
        if sentence:
            return sentence
        with self._lock:
            clock = self._clock.at(now, self._settings.period)
            sentence = self._refuse_reference() or self.law.task.set_target(
                target, clock, clock - self._clock.time, timeout
            )
            if not sentence:
                self._enter(State.ACTIVE, Reason.FOLLOWING)
            return sentence

    def _receive(self, trajectory, now, streamed):
        ends_moving = self._settings.allow_nonzero_velocity_at_trajectory_end
        sentence = trajectory.refusal(self.joint_names, streamed, ends_moving)
        if sentence:
            return sentence
        with self._lock:
            sentence = self._refuse_reference()
            if sentence:
                return sentence
            settings, clock = self._settings, self._clock.at(now, self._settings.period)
            reception = Reception(self._reference, trajectory, clock, streamed, self._rest_times)
        # without the lock, since checking a long trajectory may take longer than a period
        sentence = reception.plan(settings, self.joint_names)
        if sentence:
            return sentence
        with self._lock:
            if not reception.install(settings.reference_timeout):
                return f'the reference changed meanwhile ({self.reason}); send it again'
            self._enter(State.ACTIVE, Reason.FOLLOWING)
        return ''

    def _refuse_reference(self):
        return preconditions.refuse_reference(self.state, self.reason, self.law, self.active)

    def _count_refusal(self, sentence):
        self._counters.rejected_references += sentence != ''
        return sentence

    # ------------------------------------------------------------------------ the loop

    def rehearse(self, now):
        """Run a tick without effect, so that the next one finds its code and data in the caches.

        Parameters
        ----------
        now : float
            Present time [s].
        """
        measured, settings = self._state_buffer.latest, self._settings
        if self.active and not self.law.stateful and measured is not None:
            # an exception here recurs in the tick, which handles it
            with self._lock, contextlib.suppress(Exception):
                reference = self._reference.at(self._clock.at(now, settings.period))
                self._rehearsal.rehearse(measured, self.law, reference[:3], settings, reference[3])

    def tick(self, now):
        """Advance to the present time and write `command`. Never raises.

        Parameters
        ----------
        now : float
            Present time [s].

        Returns
        -------
        State
            The state of the controller.
        """
        with self._lock:
            settings, measured = self._settings, self._state_buffer.latest
            dt = self._clock.tick(now, settings.period)
            if self._payload is not None and self._payload.moving:
                self._carry(dt)
            fresh = known = measured is not None and measured.is_fresh(now, settings)
            if fresh and self.active:
                was = self._reading.found
                if self._reading.judge(measured, self.command, settings, self._following):
                    self._counters.stuck_episodes += not was
                    fresh = settings.stuck_action != 'stale'
                    known = not self._reading.contradicts(measured, settings)
            if fresh:
                self.q, self.qd = measured.q, measured.qd
            self.publishing = self.active or self._releasing
            if self.publishing:
                brakes = self.active
                if not (self.active and self._law_acts(measured, fresh, now)):
                    brakes = brakes or self._torque_limiter.releases(measured, dt)
                    self._torque_limiter.safe(measured, now, fresh, known, dt, settings, brakes)
                self._limit(measured, settings, dt, brakes)
            if not self.active and self.state is not State.FAULT:
                self._wait(fresh)
            return self.state

    def _law_acts(self, measured, fresh, now):
        """Update the state, and write the law's torque if the law acts."""
        try:
            self._update(measured, fresh, now)
            acts = self.state is State.ACTIVE or self.state is State.HOLD
            return acts and self._write_law_torque()
        except Exception as error:
            self._trip(Reason.LAW_EXCEPTION, detail=text_of(error))
            return False

    def _update(self, measured, fresh, now):
        behind, self.behind = self.behind, -1
        if self.state is State.FAULT:
            return
        if not fresh:
            if self.state is not State.STALE:
                self._counters.stale_episodes += 1
                self._reference.hold(measured.q)
                joint, since, reason = -1, measured.time, Reason.STATE_TIMEOUT
                if self.stuck and measured.is_fresh(now, self._settings):
                    joint, reason = self.stuck_joint, Reason.STATE_STUCK
                    since = self._reading.since(measured)
                self._enter(State.STALE, reason, joint, now - since)
            self._recovering, self._seen = 0, measured
        elif self.state is State.STALE:
            if measured is not self._seen:
                self._recovering, self._seen = self._recovering + 1, measured
            if self._recovering >= self._settings.recovery_states:
                self._hold(measured, Reason.STATE_RECOVERED)
        elif measured.overspeeding:
            self._trip(Reason.OVERSPEED, *measured.fastest(self._settings))
        elif measured.jumps != self._jumps:
            self._hold(measured, Reason.POSITION_JUMP)
        else:
            if self._reference.path is not None:
                self._advance_reference(measured)
            if self.law.task is not None:
                age, held = measured.age(now), self.reason if self.state is State.HOLD else ''
                tolerance = self._settings.target_tolerance
                ended = self.task_progress.advance(self._clock, age, held, tolerance)
                self._end_reference(ended, self.task_progress.distance)
            self._judge_reference(measured, behind)

    def _judge_reference(self, measured, before):
        """Report a joint that is far from its reference; farther away its posture is held."""
        guard = self._following_guard.judge(self._reference.rows, measured.q)
        if guard.joint == guards.NOT_FINITE:
            self._hold(measured, Reason.REFERENCE_NOT_FINITE)
        elif guard.joint >= 0:
            self.behind = guard.joint
            self._counters.behind_episodes += before < 0
            holds = self._settings.following_action == 'hold'
            if guard.far and holds and self._reference.source is not None:
                self._hold(measured, Reason.FOLLOWING_ERROR, guard.joint, guard.error)

    def _advance_reference(self, measured):
        followed = self._reference.source
        if self._reference.expired(self._clock.time):
            self._hold(measured, Reason.REFERENCE_TIMEOUT)
        elif self._reference.advance(self._clock.time):
            self.completed = followed
            self._end_reference(Reason.TRAJECTORY_END)

    @property
    def _following(self):
        """Whether a joint path or a target of the end effector is being followed."""
        task = self.law.task
        return self._reference.source is not None or (task is not None and task.moving)

    def _end_reference(self, reason, value=0.0):
        """Enter HOLD if a reference has just ended and nothing else is followed."""
        if reason:
            self._enter(State.ACTIVE if self._following else State.HOLD, reason, value=value)

    def _write_law_torque(self):
        task = self.law.task
        if task is not None:  # its end effector comes to rest with the joints
            task.led = self._reference.stops and task.coasts and not task.moving
        status, joint = self._torque_limiter.from_law(
            self.law, self.q, self.qd, self.reference, self._settings, self._feedforward
        )
        if status:
            self._trip(Reason.KERNEL_STATUS, value=float(status))
        elif joint >= 0:
            self._trip(Reason.TORQUE_NOT_FINITE, joint, float(self.unlimited[joint]))
        return not status and joint < 0

    def _limit(self, measured, settings, dt, brakes):
        acted = self._torque_limiter.limit(measured, settings, dt)
        self._counters.count(acted)
        self.law.saturated = acted != 0
        if not acted & guards.RATE_LIMITED and not brakes:
            # a released torque has reached the safe torque, so it is the last one to publish
            self._releasing = False

    # ------------------------------------------------------------------------ transitions

    def _hold(self, measured, reason, joint=-1, value=0.0):
        """Come to rest from the measured state and hold that posture; drop any reference."""
        self._jumps = measured.jumps
        times = self._rest_times(measured.q, measured.qd)
        self._reference.stop(stopping_path(measured.q, measured.qd, times), self._clock.time)
        self._enter(State.HOLD if self.law.tracks else State.ACTIVE, reason, joint, value)
        if reason in (Reason.ACTIVATED, Reason.RESET):
            self.law.forget()
        self.law.reset(measured.q, measured.qd)

    def _rest_times(self, q, qd):
        """Return the times in which joints come to rest within the limits."""
        momentum, weight = self._torque_limiter.momentum(q, qd)
        return stopping_times(q, qd, momentum, weight, self._settings)

    def _hold_or_trip(self, measured, reason):
        """Hold, and return ''; if the law cannot be reset, enter FAULT and return why."""
        try:
            self._hold(measured, reason)
            return ''
        except Exception as error:
            self._trip(Reason.LAW_EXCEPTION, detail=text_of(error))
            return f'control law {self.law.name} cannot start: {text_of(error)}'

    def _wait(self, fresh):
        if fresh and self.state is not State.READY:
            self._enter(State.READY, Reason.NONE)
        elif not fresh and self.state is not State.WAIT_STATE:
            self._enter(State.WAIT_STATE, Reason.STATE_TIMEOUT)

    def _trip(self, reason, joint=-1, value=0.0, detail=''):
        """Latch FAULT with its first cause."""
        if self.state is not State.FAULT:
            self._counters.faults += 1
            self._reference.hold(self.q)
            self._enter(State.FAULT, reason, joint, value, detail)

    def _enter(self, state, reason, joint=-1, value=0.0, detail=''):
        self.state, self.reason, self.detail = state, reason, detail
        self.joint, self.value = joint, value
