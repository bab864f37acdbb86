# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Received joint states: accepted or refused as a whole."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.controller_states import Reason

FAST_STATES = 3  # consecutive states at overspeed that exclude an outlier
LATE_STATES = 3  # consecutive older stamps that show a reset of the sender's clock
BILLION = 1_000_000_000
NO_STAMP = 0, 0


class Measurement(NamedTuple):
    """A joint state as received; immutable, so q and qd of two messages cannot mix."""

    state: np.ndarray  # (2, nv)
    q: np.ndarray  # its rows
    qd: np.ndarray
    time: float  # [s] of receipt
    jumps: int  # position jumps, including this one
    lag: float  # [s] age on receipt
    earliest: float  # [s] of receipt of the previous state, the lower bound on its time
    fast: int  # consecutive states at overspeed, including this one
    since: float  # [s] of receipt of the first of the bitwise equal states before this one
    stamp: tuple[int, int]  # seconds and nanoseconds of the sender's clock; zeros without a stamp

    def age(self, now):
        """Return the age [s], including the age on receipt."""
        return now - self.time + self.lag

    def is_fresh(self, now, settings):
        """Return whether its age is within the timeout; a future time, or NaN, is not fresh."""
        return abs(now - self.time) <= settings.state_timeout

    @property
    def overspeeding(self):
        """Whether a joint is at overspeed in enough consecutive states."""
        return self.fast >= FAST_STATES

    def fastest(self, settings):
        """Return the joint that exceeds its velocity limit most, and its velocity."""
        joint = int(np.argmax(np.abs(self.qd) / settings.velocity_limits))
        return joint, float(self.qd[joint])


class Rejection(NamedTuple):
    """Why a joint state was refused."""

    reason: str
    joint: int  # index, or -1
    value: float


class Inbox:
    """The last valid joint state. One thread puts; any may read `latest`, replaced atomically."""

    def __init__(self, nv):
        self.latest = None  # Measurement
        self.rejection = None  # the last Rejection
        self.rejected = 0  # how many
        self._nv, self._judge = nv, guards.judge.vectorcall
        self._bits = b''  # of the latest state
        self._outlier = None  # state and time of an unconfirmed jump
        # consecutive older stamps, and their number
        self._newest, self._late, self._lates = None, None, 0

    def accept_joint_state(self, q, qd, time, settings, lag=0.0, stamp=None):
        """Accept a joint state, or return a reason and keep the last valid one."""
        try:
            if len(q) != self._nv or len(qd) != self._nv:
                return self._reject(Reason.WRONG_SIZE, -1, len(q))
            state = np.empty((2, self._nv))
            state[0], state[1] = q, qd
        except (TypeError, ValueError):
            return self._reject(Reason.WRONG_SIZE, -1, 0)
        return self.accept(state, time, settings, lag, stamp)

    def accept(self, state, time, settings, lag, stamp=None):
        """Accept an array (2, nv) of q and qd, which the caller must not modify.

        stamp : seconds and nanoseconds of the sender's clock, to detect states out of order. None,
        zero and invalid stamps are ignored.

        A position that the joint cannot have reached since the last state is a jump. It is refused
        until the next state confirms it. That state is accepted, and counted in `jumps`. After a
        stall the first sample is stale, and the newest comes right after it. So the time allowed
        for a motion counts from the state before both.
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
        """Return whether a state is at least as new as the newest one, or its clock was set."""
        if stamp is None or stamp == NO_STAMP or not (stamp[0] >= 0 and 0 <= stamp[1] < BILLION):
            stamp = None
        if stamp is not None and self._newest is not None and stamp < self._newest:
            in_row = self._late is not None and stamp >= self._late
            self._late, self._lates = stamp, self._lates + 1 if in_row else 1
            if self._lates < LATE_STATES:
                return False
        self._newest, self._late, self._lates = stamp, None, 0
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
