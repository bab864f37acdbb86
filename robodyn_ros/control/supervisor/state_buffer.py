# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Received joint states: checked as a whole, and kept or refused as a whole."""

from typing import NamedTuple

import numpy as np

from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.controller_states import Reason

FAST_STATES = 3  # too fast in so many in a row is no outlier of a sensor
LATE_STATES = 3  # older than the newest, so many in a row: the clock of the sender was set back
BILLION = 1_000_000_000
NO_STAMP = 0, 0


class Measurement(NamedTuple):
    """A joint state as received; never changed, so that q and qd of two messages cannot mix."""

    state: np.ndarray  # (2, nv)
    q: np.ndarray  # its rows
    qd: np.ndarray
    time: float  # [s] of receipt
    jumps: int  # position jumps up to and with this one
    lag: float  # [s] by which it was old already
    earliest: float  # [s] of receipt of the one before; it may have waited since then
    fast: int  # how many in a row, up to and with this one, had a joint at overspeed
    since: float  # [s] of receipt of the first of those that are bit for bit like this one
    stamp: tuple[int, int]  # seconds and nanoseconds of the sender's clock; zeros if it has none

    def age(self, now):
        """Return how old it is [s], by its own account."""
        return now - self.time + self.lag

    def is_fresh(self, now, settings):
        """Return whether its age is within the timeout; a time far ahead, or NaN, is not fresh."""
        return abs(now - self.time) <= settings.state_timeout

    @property
    def overspeeding(self):
        """Whether a joint is at overspeed for good."""
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
    """The last valid joint state. One thread puts; any may read `latest`, replaced in one go."""

    def __init__(self, nv):
        self.latest = None  # Measurement
        self.rejection = None  # the last Rejection
        self.rejected = 0  # how many
        self._nv, self._judge = nv, guards.judge.vectorcall
        self._outlier = None  # state and time of a jump that no second state has confirmed
        self._newest, self._late, self._lates = None, None, 0  # stamps, and how many in a row

    def put(self, q, qd, time, settings, lag=0.0, stamp=None):
        """Take over a joint state, or return the reason why not; the last valid one then stays."""
        try:
            if len(q) != self._nv or len(qd) != self._nv:
                return self._reject(Reason.WRONG_SIZE, -1, len(q))
            state = np.empty((2, self._nv))
            state[0], state[1] = q, qd
        except (TypeError, ValueError):
            return self._reject(Reason.WRONG_SIZE, -1, 0)
        return self.accept(state, time, settings, lag, stamp)

    def accept(self, state, time, settings, lag, stamp=None):
        """As `put`, for an array (2, nv) of q and qd that is not written to any more.

        stamp : seconds and nanoseconds of the sender's clock, which orders states that overtook
        one another; None, zero or an impossible one orders nothing.

        A position that the joint cannot have moved to since the last state is a jump. It is
        refused until the next state confirms it. That state is accepted, and counted in `jumps`,
        for the loop to see. After a stall the first sample is stale, and the newest comes right
        after it. So the time allowed for a motion is counted from the state before both.
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
        same = last is not None and state.tobytes() == last.state.tobytes()
        self.latest = Measurement(
            state,
            state[0],
            state[1],
            time,
            jumps + (verdict == guards.JUMPED),
            lag,
            earliest,
            fast + 1 if verdict == guards.TOO_FAST else 0,
            last.since if same else time,
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
        """Return whether the state before this one was refused for a jump to where this one is."""
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
