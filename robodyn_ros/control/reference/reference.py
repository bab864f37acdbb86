# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The current reference: a posture to hold, or a path to follow."""

import math

import numpy as np

from robodyn_ros.control.reference.path import ROWS


class Reference:
    """Position, velocity and acceleration that the law tracks, and an effort; owned by the loop.

    `nv`: number of joint velocities.
    `rows` (4, nv): position, velocity and acceleration [rad or m, and their rates], and
      the effort that is added to the law's [N m or N].
    `path` (Path or None): the path being followed, or on which the joints come to rest; None while
      a posture is held.
    `source` (object): the object from which the path was planned; None for a stop.
    `streamed`: whether the path is a target of a stream.
    `epoch`: grows with every replacement, to detect a path that was prepared from an older
      reference.
    """

    def __init__(self, nv):
        self.rows = np.zeros((ROWS, nv))
        self.path, self.source, self.streamed, self.epoch = None, None, False, 0
        self._position, self._rates = self.rows[0], self.rows[1:]
        self._started, self._expires, self._streamed_at = 0.0, math.inf, -math.inf

    @property
    def stops(self):
        """Return whether the joints come to rest on a path."""
        return self.path is not None and self.source is None

    def hold(self, q):
        """Rest at a posture.

        `q` (nv,): the posture [rad or m].
        """
        self._position[:] = q
        self._rates.fill(0.0)
        self.path, self.source, self.streamed = None, None, False
        self._streamed_at = -math.inf
        self.epoch += 1

    def stop(self, path, started):
        """Come to rest on a path, and hold its end.

        `started`: time at which it began [s].
        """
        path.sample(0.0, self.rows)
        self.follow(path, None, started)

    def follow(self, path, source, started):
        """Follow a path.

        `source` (object): the object from which it was planned.
        `started`: time at which it began [s].
        """
        self.path, self.source, self.streamed = path, source, False
        self._started, self._expires, self._streamed_at = started, math.inf, -math.inf
        self.epoch += 1

    def stream(self, path, source, started, timeout):
        """Follow a streamed target until a time after it is due.

        `path` (Path): the path to the target.
        `source` (object): the object from which it was planned.
        `started`: time at which it began [s].
        `timeout`: time after the target is due at which it ends without a successor [s].
        """
        self.path, self.source, self.streamed = path, source, True
        self._started = self._streamed_at = started
        self._expires = started + path.duration + timeout
        self.epoch += 1

    def at(self, clock):
        """Return a copy of the reference at a time.

        `clock`: the time [s].
        """
        rows = self.rows.copy()
        if self.path is not None:
            self.path.sample(clock - self._started, rows)
        return rows

    def until(self, path, clock, switch):
        """Return the path along the present one, and along another from a later time on.

        `path` (Path): the other one.
        `clock`, `switch`: time at which the new path begins, and at which the other one does [s].
        """
        return self.path.followed_by(path, clock - self._started, switch - self._started)

    def since_streamed(self, clock):
        """Return the time since the last streamed target."""
        return clock - self._streamed_at

    def expired(self, clock):
        """Return whether the last streamed target has timed out."""
        return clock > self._expires

    def advance(self, clock):
        """Advance to a time. When a trajectory ends, its end point is held.

        Returns whether a trajectory has just ended.
        """
        t = clock - self._started
        self.path.sample(t, self.rows)
        if self.streamed or t < self.path.duration:
            return False
        ended = self.source is not None
        self.path, self.source = None, None
        return ended
