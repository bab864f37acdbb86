# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The buffer of received joint states: each is accepted or refused as a whole."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.controller_states import Reason
from robodyn_ros.errors import short_repr

FAST_STATES = 3  # fewer consecutive states at overspeed may be outliers
LATE_STATES = 3  # as many consecutive older stamps mean that the sender's clock was reset
BILLION = 1_000_000_000
NO_STAMP = 0, 0


class Measurement(NamedTuple):
    """A joint state as received; immutable, so q and qd of two messages cannot mix.

    `state`: positions and velocities [rad or m, rad/s or m/s].
    `q`, `qd`: the rows of `state`.
    `time`: time of receipt [s].
    `jumps`: number of position jumps so far, this state included.
    `lag`: age on receipt [s].
    `earliest`: time of receipt of the previous state [s]; this state was not measured before it.
    `fast`: number of consecutive states at overspeed, this state included.
    `since`: time of receipt of the first of the bitwise equal states up to this one [s].
    `stamp`: seconds and nanoseconds of the sender's clock; zeros without a stamp.
    """

    state: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    time: float
    jumps: int
    lag: float
    earliest: float
    fast: int
    since: float
    stamp: tuple[int, int]

    def __repr__(self):
        return short_repr(self)

    def age(self, now):
        """Return the age of the state, with its age on receipt."""
        return now - self.time + self.lag

    def is_fresh(self, now, settings):
        """Return whether the state was received within the timeout; NaN is not.

        `settings` (Settings): has the timeout.
        """
        return abs(now - self.time) <= settings.state_timeout

    @property
    def overspeeding(self):
        """Return whether a joint is at overspeed in enough consecutive states."""
        return self.fast >= FAST_STATES

    def fastest(self, settings):
        """Return the joint that exceeds its velocity limit most.

        `settings` (Settings): has the velocity limits.
        Returns `joint` (int): the joint.
        Returns `velocity` (float): its velocity [rad/s or m/s].
        """
        joint = int(np.argmax(np.abs(self.qd) / settings.velocity_limits))
        return joint, float(self.qd[joint])


class Rejection(NamedTuple):
    """Why a joint state was refused.

    `reason`: one of `Reason`.
    `joint`: index of the joint, or -1.
    `value`: the refused value.
    """

    reason: str
    joint: int
    value: float


class StateBuffer:
    """The buffer of the last valid joint state.

    One thread may write. Any thread may read `latest`, which is replaced atomically.

    `nv`: number of velocities.
    `latest` (Measurement or None): the last valid joint state.
    `rejection` (Rejection or None): the last refusal.
    `rejected`: number of refusals.
    """

    def __init__(self, nv):
        self.latest = None
        self.rejection = None
        self.rejected = 0
        self._nv, self._judge = nv, guards.judge.vectorcall
        self._bits = b''  # of the latest state
        self._outlier = None  # state and time of an unconfirmed jump
        # the newest stamp, the last older one, and the number of consecutive older ones
        self._newest, self._late, self._late_count = None, None, 0

    def accept_joint_state(self, q, qd, time, settings, lag=0.0, stamp=None):
        """Accept a joint state, or refuse it and keep the last valid one.

        `q`, `qd` ((nv,) array_like): positions and velocities [rad or m, rad/s or m/s].
        `time`: time of receipt [s].
        `settings` (Settings): has the limits.
        `lag`: age on receipt [s].
        `stamp` (tuple of int): seconds and nanoseconds of the sender's clock; see `accept`.
        Returns the Reason of a refusal, or ''.
        """
        try:
            if len(q) != self._nv or len(qd) != self._nv:
                return self._reject(Reason.WRONG_SIZE, -1, len(q))
            state = np.empty((2, self._nv))
            state[0], state[1] = q, qd
        except (TypeError, ValueError):
            return self._reject(Reason.WRONG_SIZE, -1, 0)
        return self.accept(state, time, settings, lag, stamp)

    def accept(self, state, time, settings, lag, stamp=None):
        """Accept a joint state without a copy, or refuse it and keep the last valid one.

        A position that the joint cannot have reached since the last state is a jump. It is refused
        until the next state confirms it. That state is accepted, and counted in `jumps`. After a
        stall the first sample is stale, and the newest follows at once. So the time allowed for a
        motion counts from the state before both.

        `state` (2, nv): positions and velocities [rad or m, rad/s or m/s]. The caller
          must not modify it later.
        `time`: time of receipt [s].
        `settings` (Settings): has the limits.
        `lag`: age on receipt [s].
        `stamp` (tuple of int): seconds and nanoseconds of the sender's clock, to detect states out
          of order. Zero and invalid stamps are ignored.
        Returns the Reason of a refusal, or ''.
        """
        if not self._in_order(stamp):
            return self._reject(Reason.OUT_OF_ORDER, -1, 0.0)
        last, earliest, elapsed, jumps, fast, before = self.latest, time, 0.0, 0, 0, state
        if last is not None:
            earliest, elapsed = last.time, time - last.earliest
            jumps, fast, before = last.jumps, last.fast, last.state
        verdict = self._judge(
            state, before, settings.guards, elapsed, settings.position_jump, settings.overspeed
        )
        if verdict > 0:
            joint = verdict - 1
            row = 0 if not abs(state[0, joint]) <= guards.LARGEST_POSITION else 1
            value = state[row, joint]
            finite = np.isfinite(value)
            return self._reject(Reason.IMPLAUSIBLE if finite else Reason.NOT_FINITE, joint, value)
        if verdict == guards.JUMPED and not self._confirmed(state, time, settings):
            joint = int(np.argmax(np.abs(state[0] - before[0])))
            return self._reject(Reason.OUTLIER, joint, state[0, joint])
        self._outlier = None
        before, self._bits = self._bits, state.tobytes()
        self.latest = Measurement(
            state,
            state[0],
            state[1],
            time,
            jumps + (verdict == guards.JUMPED),
            lag,
            earliest,
            fast + 1 if verdict == guards.TOO_FAST else 0,
            last.since if last is not None and before == self._bits else time,
            stamp or NO_STAMP,
        )
        return Reason.NONE

    def _in_order(self, stamp):
        """Return whether a state is as new as the newest one, or the sender's clock was reset."""
        if stamp is None or stamp == NO_STAMP or not (stamp[0] >= 0 and 0 <= stamp[1] < BILLION):
            stamp = None
        if stamp is not None and self._newest is not None and stamp < self._newest:
            consecutive = self._late is not None and stamp >= self._late
            self._late, self._late_count = stamp, self._late_count + 1 if consecutive else 1
            if self._late_count < LATE_STATES:
                return False
        self._newest, self._late, self._late_count = stamp, None, 0
        return True

    def _confirmed(self, state, time, settings):
        """Return whether the previous state was refused for a jump to the same posture."""
        outlier, self._outlier = self._outlier, (state, time)
        if outlier is None:
            return False
        elapsed, allowance = time - outlier[1], settings.position_jump
        verdict = self._judge(
            state, outlier[0], settings.guards, elapsed, allowance, settings.overspeed
        )
        return verdict != guards.JUMPED

    def _reject(self, reason, joint, value):
        self.rejected += 1
        self.rejection = Rejection(reason, joint, float(value))
        return reason
