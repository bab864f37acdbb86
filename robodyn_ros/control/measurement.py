"""Joint states on their way in: checked as a whole, kept as a whole, or refused as a whole."""
from typing import NamedTuple

import numpy as np

from robodyn_ros.control import guards
from robodyn_ros.control.states import Reason

FAST_STATES = 3  # too fast in so many in a row is no outlier of a sensor


class Measurement(NamedTuple):
    """A joint state as received; never changed, so that q and qd of two messages cannot mix."""

    state: np.ndarray  # (2, nv)
    q: np.ndarray      # its rows
    qd: np.ndarray
    time: float        # [s] of receipt
    jumps: int         # position jumps up to and with this one
    lag: float         # [s] by which it was old already
    earliest: float    # [s] of receipt of the one before; it may have waited since then
    fast: int          # how many in a row, up to and with this one, had a joint at overspeed

    def age(self, now):
        """How old it is [s], by its own account."""
        return now - self.time + self.lag

    def is_fresh(self, now, settings):
        """Whether its age is within the timeout; a time far ahead, or NaN, is not fresh."""
        return abs(now - self.time) <= settings.state_timeout

    @property
    def races(self):
        """Whether a joint is at overspeed for good."""
        return self.fast >= FAST_STATES

    def fastest(self, settings):
        """The joint that exceeds its velocity limit most, and its velocity."""
        joint = int(np.argmax(np.abs(self.qd) / settings.velocity_limits))
        return joint, float(self.qd[joint])


class Rejection(NamedTuple):
    """Why a joint state was refused."""

    reason: str
    joint: int     # index, or -1
    value: float


class Inbox:
    """The last valid joint state. One thread puts; any may read `latest`, replaced in one go."""

    def __init__(self, nv):
        self.latest = None     # Measurement
        self.rejection = None  # the last Rejection
        self.rejected = 0      # how many
        self._nv, self._judge = nv, guards.judge.quick

    def put(self, q, qd, time, settings, lag=0.0):
        """Take over a joint state, or return the reason why not; the last valid one then stays."""
        try:
            if len(q) != self._nv or len(qd) != self._nv:
                return self._reject(Reason.WRONG_SIZE, -1, len(q))
            state = np.empty((2, self._nv))
            state[0], state[1] = q, qd
        except (TypeError, ValueError):
            return self._reject(Reason.WRONG_SIZE, -1, 0)
        return self.take(state, time, settings, lag)

    def take(self, state, time, settings, lag):
        """As `put`, for an array (2, nv) of q and qd that nobody will write to any more.

        A position that the joint cannot have moved to since the last state is a jump: taken
        over, and counted in `jumps`, for the loop to see. Who stood still for a while finds a
        state that has waited as long, and right after it the newest: the time between the two is
        less than since the state before both.
        """
        last, earliest, elapsed, jumps, fast, before = self.latest, time, 0.0, 0, 0, state
        if last is not None:
            earliest, elapsed = last.time, time - last.earliest
            jumps, fast, before = last.jumps, last.fast, last.state
        verdict = self._judge(state, before, settings.guards, elapsed, settings.position_jump,
                              settings.overspeed)
        if verdict > 0:
            joint = verdict - 1
            row = 0 if not abs(state[0, joint]) <= guards.LARGEST_POSITION else 1
            value = state[row, joint]
            finite = np.isfinite(value)
            return self._reject(Reason.IMPLAUSIBLE if finite else Reason.NOT_FINITE, joint, value)
        self.latest = Measurement(state, state[0], state[1], time,
                                  jumps + (verdict == guards.JUMPED), lag, earliest,
                                  fast + 1 if verdict == guards.TOO_FAST else 0)
        return Reason.NONE

    def _reject(self, reason, joint, value):
        self.rejected += 1
        self.rejection = Rejection(reason, joint, float(value))
        return reason
