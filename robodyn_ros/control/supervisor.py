"""What stands between a control law and the joints, and answers for every torque that leaves."""
import dataclasses
import math
import threading

import numpy as np

from robodyn_ros.control import guards, path
from robodyn_ros.control.gravity_compensation import GravityCompensation
from robodyn_ros.control.law import TERMS
from robodyn_ros.control.measurement import Inbox
from robodyn_ros.control.reception import receive_target, receive_trajectory
from robodyn_ros.control.reference import Reference
from robodyn_ros.control.states import Reason, State
from robodyn_ros.errors import ParameterError

#: Periods by which one tick may advance time; the rest of a longer gap is dropped, and counted.
MAX_PERIODS = 3.0


@dataclasses.dataclass
class Counters:
    """How often what happened since the supervisor was made."""

    cycles: int = 0              # ticks in which torque was published
    effort_limited: int = 0      # ticks in which a joint was at its effort limit
    rate_limited: int = 0        # ticks in which a torque could not change fast enough
    position_guarded: int = 0    # ticks in which a position or velocity limit held a torque back
    jumps: int = 0               # joint states farther from the last than the joint can move
    stale_episodes: int = 0
    faults: int = 0
    dt_clamps: int = 0           # ticks after no, negative or too much time
    rejected_references: int = 0


class Supervisor:
    """Guards, states and torque of one robot under one control law.

    `tick` runs in the loop's thread, everything else in others. It allocates nothing that stays, never
    raises, and whatever happens leaves in `command` a finite torque for every joint, within its limit and
    within its rate of the last one published. Times are seconds of one monotonic clock, passed in.

    robot : Robot; its scratch memory is not used. law : ControlLaw of that robot. settings : Settings.

    After a tick: state, reason, joint (index or -1), value, detail; publishing, command (nv,) [N m or N],
    unlimited (nv,) before limits, terms (6, nv); reference (3, nv); q, qd (nv,) used; position_guarded,
    rate_limited, effort_limited (nv,).
    """

    def __init__(self, robot, law, settings):
        n = robot.nv
        self.law, self.joint_names = law, tuple(robot.joint_names)
        self.state, self.reason, self.joint, self.value = State.WAIT_STATE, Reason.NONE, -1, 0.0
        self.detail = ''
        self.active = self.publishing = False
        self.command, self.unlimited, self.terms = np.zeros(n), np.zeros(n), np.zeros((len(TERMS), n))
        self.position_guarded, self.rate_limited, self.effort_limited = (np.zeros(n, bool) for _ in range(3))
        self.q, self.qd = np.zeros(n), np.zeros(n)
        self._lock = threading.Lock()
        self._inbox, self._reference, self._counters = Inbox(n), Reference(n), Counters()
        self._safe, self._no_damping, self._still = GravityCompensation(robot), np.zeros(n), np.zeros(n)
        self._clock, self._last, self._starting, self._releasing = 0.0, None, False, False
        self._jumps, self._lost_for, self._recovering, self._seen = 0, 0.0, 0, None
        self._add_terms, self._limit = guards.add_terms.compiled, guards.limit_torque.compiled
        self._first_not_finite = guards.first_not_finite.compiled
        self.settings = settings

    # ---------------------------------------------------------------- what others read and set

    @staticmethod
    def kernels(law):
        """Every kernel that a supervisor with this law (or class of law) runs, to be warmed up."""
        return tuple(dict.fromkeys((*GravityCompensation.kernels, *law.kernels, *guards.KERNELS, *path.KERNELS)))

    @property
    def reference(self):
        """Position, velocity and acceleration that the law was given, (3, nv)."""
        return self._reference.rows

    @property
    def following(self):
        """The Trajectory in force, as given to `follow` or `aim`, or None."""
        return self._reference.source

    @property
    def rejection(self):
        """Reason, joint and value of the last joint state that was refused, or None."""
        return self._inbox.rejection

    @property
    def counters(self):
        """How often what happened, by name."""
        return {**dataclasses.asdict(self._counters), 'rejected_states': self._inbox.rejected}

    @property
    def settings(self):
        """The Settings in force; assign a new one to change any of them, between two ticks.

        Raises ParameterError if they are for another robot, or lack an effort limit while active.
        """
        return self._settings

    @settings.setter
    def settings(self, settings):
        if settings.nv != len(self.joint_names):
            raise ParameterError(f'settings: got {settings.nv} joints; expected {len(self.joint_names)}, '
                                 f'{", ".join(self.joint_names)}')
        if self.active and self._refuse_effort_limits(settings):
            raise ParameterError(self._refuse_effort_limits(settings))
        self._settings = settings

    def measure(self, q, qd, received_time):
        """Take over a joint state in joint order; return '' or the Reason why it was refused.

        q, qd : (nv,) [rad or m; rad/s or m/s]; received_time : [s] of receipt, on the clock of `tick`.
        """
        return self._inbox.put(q, qd, received_time, self._settings)

    # ---------------------------------------------------------------- what others ask for

    def activate(self, now, posture=None):
        """Begin to publish torque, from the gravity torque of the measured posture, which is held.

        posture : (nv,) where the caller believes the arm to be, or None. Returns '' or why not.
        """
        with self._lock:
            measured = self._inbox.latest
            sentence = self._refuse_activation(now, measured, posture)
            if sentence:
                return sentence
            try:
                self._hold(measured, Reason.ACTIVATED)
            except Exception as error:
                self._enter(State.READY, Reason.LAW_EXCEPTION, detail=_text(error))
                return f'control law {self.law.name} fails to start: {_text(error)}'
            if not self._releasing:  # else the torque goes on from the last one published
                self._act_safely(measured, False, 0.0, self._settings)
                self._limit_torque(measured, self._settings, math.inf)
                self._starting = True
            self.active, self._releasing = True, False
            return ''

    def deactivate(self, now):
        """Give up the arm: the torque goes to the safe one at its rate limit, then publishing ends."""
        with self._lock:
            if self.active:
                self.active, self._releasing = False, self.publishing
                self._reference.hold(self.q)
                if self.state is not State.FAULT:
                    self._enter(State.READY, Reason.DEACTIVATED)

    def stop(self, now):
        """Emergency stop: safe torque, latched until `reset`."""
        with self._lock:
            self._trip(Reason.STOPPED)

    def reset(self, now):
        """Leave FAULT, to hold the measured posture if active. Returns '' or why not."""
        with self._lock:
            if self.state is not State.FAULT:
                return ''
            measured = self._inbox.latest
            if not self._is_fresh(measured, now):
                return self._refuse_age(measured, now)
            if not self.active:
                self._enter(State.READY, Reason.RESET)
                return ''
            try:
                self._hold(measured, Reason.RESET)
            except Exception as error:
                self._trip(Reason.LAW_EXCEPTION, detail=_text(error))
                return f'control law {self.law.name} fails to start: {_text(error)}'
            return ''

    def hold(self, now):
        """Drop the reference, if one is followed, and hold the measured posture."""
        with self._lock:
            if self.active and self._reference.path is not None:
                self._drop_reference(self._inbox.latest, Reason.HOLD_REQUESTED)

    def follow(self, trajectory, now):
        """Follow a Trajectory from now on, smoothly from the reference in force, and hold its end.

        Returns '' or the sentence that says why not; what was followed before then goes on.
        """
        return self._receive(trajectory, now, streamed=False)

    def aim(self, point, now):
        """Go to a streamed target, a Trajectory of one point: by its time, or at once if that is 0.

        Without a successor within `reference_timeout` the measured posture is held. Returns '' or why not.
        """
        return self._receive(point, now, streamed=True)

    def _receive(self, trajectory, now, streamed):
        sentence = self._accept(trajectory, now, streamed)
        if sentence:
            self._counters.rejected_references += 1
        return sentence

    def _accept(self, trajectory, now, streamed):
        sentence = trajectory.refusal(self.joint_names, streamed)
        if sentence:
            return sentence
        with self._lock:
            sentence = self._refuse_reference()
            if sentence:
                return sentence
            settings, epoch, clock = self._settings, self._reference.epoch, self._clock_at(now)
            start, elapsed = self._reference.at(clock), self._reference.since_aim(clock)
        # not under the lock: checking a long trajectory takes longer than a period
        if streamed:
            way, sentence = receive_target(trajectory, start, elapsed, settings, self.joint_names)
        else:
            way, sentence = receive_trajectory(trajectory, start, settings, self.joint_names)
        if sentence:
            return sentence
        with self._lock:
            if epoch != self._reference.epoch:
                return f'the reference changed meanwhile ({self.reason}); send it again'
            if streamed:
                self._reference.aim(way, trajectory, clock, settings.reference_timeout)
            else:
                self._reference.follow(way, trajectory, clock)
            self._enter(State.ACTIVE, Reason.FOLLOWING)
        return ''

    # ---------------------------------------------------------------- why not

    def _refuse_activation(self, now, measured, posture):
        if self.state is State.FAULT:
            return f'the controller is in FAULT ({self.reason}); reset it first'
        if self.active:
            return 'the controller is active already'
        if not self._is_fresh(measured, now):
            return self._refuse_age(measured, now)
        sentence = self._refuse_effort_limits(self._settings)
        if sentence or posture is None:
            return sentence
        reach = self._settings.max_start_error
        error = np.abs(np.asarray(posture, dtype=float) - measured.q)
        wrong = np.flatnonzero(~(error <= reach))
        return (f'joint {self.joint_names[wrong[0]]} is at {measured.q[wrong[0]]:.6g}, '
                f'{error[wrong[0]]:.6g} from where it is expected; expected at most {reach:g}'
                if wrong.size else '')

    def _refuse_age(self, measured, now):
        if measured is None:
            return 'there is no joint state yet'
        return (f'the last joint state is {now - measured.time:.6g} s old; '
                f'expected at most {self._settings.state_timeout:g} s')

    def _refuse_effort_limits(self, settings):
        names = [name for name, limit in zip(self.joint_names, settings.effort_limits) if math.isnan(limit)]
        return f'effort_limits: got none for {", ".join(names)}; expected one for every joint' if names else ''

    def _refuse_reference(self):
        if not self.law.tracks:
            return f'control law {self.law.name} follows no reference'
        if not self.active:
            return 'the controller is not active; references are taken from its activation on'
        if self.state is State.FAULT or self.state is State.STALE:
            return f'the controller is in {self.state.name} ({self.reason}) and takes no reference'
        return ''

    # ---------------------------------------------------------------- the loop

    def tick(self, now):
        """Advance to the time now [s] and write `command`; return the state. Never raises."""
        with self._lock:
            settings, measured = self._settings, self._inbox.latest
            dt, fresh = self._elapse(now, settings.period), self._is_fresh(measured, now)
            self.publishing = self.active or self._releasing
            if fresh:
                self.q, self.qd = measured.q, measured.qd
            if self.publishing:
                if not (self.active and self._law_acts(measured, fresh, now)):
                    self._act_safely(measured, fresh, dt, settings)
                self._limit_torque(measured, settings, dt)
            if not self.active and self.state is not State.FAULT:
                self._wait(fresh)
            return self.state

    def _law_acts(self, measured, fresh, now):
        """Bring the state up to date, and write the law's torque if it is the law that acts."""
        try:
            self._update_state(measured, fresh, now)
            return (self.state is State.ACTIVE or self.state is State.HOLD) and self._write_law_terms()
        except Exception as error:
            self._trip(Reason.LAW_EXCEPTION, detail=_text(error))
            return False

    def _update_state(self, measured, fresh, now):
        if self.state is State.FAULT:
            return
        if not fresh:
            if self.state is not State.STALE:
                self._counters.stale_episodes += 1
                self._reference.hold(measured.q)
                self._enter(State.STALE, Reason.STATE_TIMEOUT, value=now - measured.time)
            self._recovering, self._seen = 0, measured
        elif self.state is State.STALE:
            if measured is not self._seen:
                self._recovering, self._seen = self._recovering + 1, measured
            if self._recovering >= self._settings.recovery_states:
                self._hold(measured, Reason.STATE_RECOVERED)
        elif measured.jumps != self._jumps:
            self._counters.jumps += measured.jumps - self._jumps
            self._hold(measured, Reason.POSITION_JUMP)
        elif self._reference.path is not None:
            self._advance_reference(measured)

    def _advance_reference(self, measured):
        if self._reference.expired(self._clock):
            self._hold(measured, Reason.REFERENCE_TIMEOUT)
        elif self._reference.advance(self._clock):
            self._enter(State.HOLD, Reason.TRAJECTORY_END)
        if self._first_not_finite(self._reference.flat) >= 0:
            self._hold(measured, Reason.REFERENCE_NOT_FINITE)

    def _write_law_terms(self):
        settings = self._settings
        self.terms.fill(0.0)
        status = self.law.torques(self.q, self.qd, self._reference.rows, settings.gains, self.terms)
        if status:
            self._trip(Reason.KERNEL_STATUS, value=float(status))
            return False
        joint = self._add_terms(self.terms, settings.commanded, self.unlimited)
        if joint >= 0:
            self._trip(Reason.TORQUE_NOT_FINITE, joint, float(self.unlimited[joint]))
            return False
        return True

    def _act_safely(self, measured, fresh, dt, settings):
        """Gravity torque while the posture is known or lost for a short time only; then none, or for ever."""
        self._lost_for = 0.0 if fresh else self._lost_for + dt
        self.terms.fill(0.0)
        if self._lost_for <= settings.gravity_held_for:
            self._write_safe_terms(measured, settings.stop_damping if fresh else self._no_damping)
        self._add_terms(self.terms, settings.safe, self.unlimited)

    def _write_safe_terms(self, measured, damping):
        self._safe.damping = damping
        self._safe.torques(measured.q, measured.qd, None, None, self.terms)

    def _limit_torque(self, measured, settings, dt):
        hit = self._limit(self.unlimited, measured.state, settings.guards, dt, self.command,
                          self.position_guarded, self.rate_limited, self.effort_limited)
        counters = self._counters
        counters.cycles += 1
        counters.position_guarded += hit & guards.POSITION_GUARDED != 0
        counters.rate_limited += hit & guards.RATE_LIMITED != 0
        counters.effort_limited += hit & guards.EFFORT_LIMITED != 0
        if hit & guards.RATE_LIMITED == 0:
            self._releasing = False  # arrived: this torque is the last one published

    # ---------------------------------------------------------------- time and transitions

    def _elapse(self, now, period):
        """Time since the last tick [s], within [0, MAX_PERIODS periods]; the clock of references goes on by it."""
        last, self._last = self._last, now
        if self._starting or last is None:
            self._starting = False
            return 0.0
        dt = now - last
        if not dt > 0.0:
            self._counters.dt_clamps += 1
            return 0.0
        if not dt <= MAX_PERIODS * period:
            self._counters.dt_clamps += 1
            dt = MAX_PERIODS * period
        self._clock += dt
        return dt

    def _clock_at(self, now):
        """The clock of references between two ticks."""
        since = now - self._last if self._last is not None else 0.0
        return self._clock + (since if 0.0 < since <= MAX_PERIODS * self._settings.period else 0.0)

    def _is_fresh(self, measured, now):
        return measured is not None and abs(now - measured.time) <= self._settings.state_timeout

    def _hold(self, measured, reason):
        """Hold the measured posture, whatever was followed before."""
        self._jumps = measured.jumps
        self._reference.hold(measured.q)
        self._enter(State.HOLD if self.law.tracks else State.ACTIVE, reason)
        self.law.reset(measured.q, measured.qd)

    def _wait(self, fresh):
        if fresh and self.state is not State.READY:
            self._enter(State.READY, Reason.NONE)
        elif not fresh and self.state is not State.WAIT_STATE:
            self._enter(State.WAIT_STATE, Reason.STATE_TIMEOUT)

    def _trip(self, reason, joint=-1, value=0.0, detail=''):
        """Latch FAULT; the first cause stays."""
        if self.state is not State.FAULT:
            self._counters.faults += 1
            self._reference.hold(self.q)
            self._enter(State.FAULT, reason, joint, value, detail)

    def _enter(self, state, reason, joint=-1, value=0.0, detail=''):
        self.state, self.reason, self.joint, self.value, self.detail = state, reason, joint, value, detail


def _text(error):
    return f'{type(error).__name__}: {error}'[:200]
