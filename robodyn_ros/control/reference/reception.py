# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A received trajectory or target on its way into the reference."""

from robodyn_ros.control.reference.planning import receive_target, receive_trajectory
from robodyn_ros.control.reference.stopping import stopping_path


class Reception:
    """A trajectory that is planned from the reference at its reception.

    Create and install it while the reference does not advance; it may advance during the plan.

    `clock`: time of reception [s].
    `streamed`: whether it is a target of a stream.
    `times` (callable): returns the times in which joints come to rest from positions and
      velocities.
    """

    def __init__(self, reference, trajectory, clock, streamed, times):
        self._reference, self._trajectory, self._clock = reference, trajectory, clock
        self._streamed, self._epoch, self._path = streamed, reference.epoch, None
        self._switch = clock if streamed else clock + self._later()
        self._start = reference.at(self._switch)
        self._elapsed = reference.since_streamed(clock)
        self._stop, (q, qd) = None, self._start[:2]
        if not trajectory.moves_all:
            self._stop = stopping_path(q, qd, times(q, qd))
        self._beyond = None  # times in which the joints stop beyond the last point
        if not streamed and trajectory.ends_moving.any():
            self._beyond = times(trajectory.completed(q).positions[-1], trajectory.rows[1, -1])

    def _later(self):
        """Return the time for which the present trajectory is followed before this one [s].

        This is until this one begins by its stamp, unless its first point is due then already.
        """
        follows = self._reference.source is not None and not self._reference.streamed
        waits = follows and self._trajectory.times[0] > 0.0
        return max(self._trajectory.delay, 0.0) if waits else 0.0

    def plan(self, settings, joint_names):
        """Plan the path, which may take longer than a period.

        `settings` (Settings): settings of the supervisor, with its limits.
        Returns reason of a refusal, or ''.
        """
        trajectory, start = self._trajectory, self._start
        if self._streamed:
            self._path, sentence = receive_target(
                trajectory, start, self._elapsed, settings, joint_names
            )
        else:
            if self._switch > self._clock:
                trajectory = trajectory.begun
            self._path, sentence = receive_trajectory(
                trajectory, start, self._stop, self._beyond, settings, joint_names
            )
        return sentence

    def install(self, timeout):
        """Follow the path, unless the reference was replaced meanwhile.

        `timeout`: time after a streamed target is due at which it ends without a successor [s].
        Returns whether it is followed.
        """
        reference, path, clock = self._reference, self._path, self._clock
        if self._epoch != reference.epoch:
            return False
        if self._streamed:
            reference.stream(path, self._trajectory, clock, timeout)
        else:
            if self._switch > clock:
                path = reference.until(path, clock, self._switch)
            reference.follow(path, self._trajectory, clock)
        return True
