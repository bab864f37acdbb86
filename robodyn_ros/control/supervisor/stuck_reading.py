# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A joint that repeats its reading although it moves: its sensor is stuck."""

import math

import numpy as np

from robodyn_ros.control.supervisor import guards
from robodyn_ros.model.layout import FRICTION, STICTION


class StuckReading:
    """The readings of a robot that are repeated; see `guards.first_stuck`.

    `earlier` (nv,): torque that was published when each reading was new [N m or N];
      written.
    `found`: whether a reading is stuck.
    `joint`: its joint, or -1 if all are repeated at rest.
    """

    def __init__(self, robot, earlier):
        self.found, self.joint = False, -1
        self._earlier, self._since = earlier, np.zeros(robot.nv)
        self._repeated = np.full((2, robot.nv), math.nan)
        friction = robot.model.joint_values(FRICTION) + robot.model.joint_values(STICTION)
        self._friction, self._first = friction, guards.first_stuck.vectorcall

    def forget(self):
        """Begin anew, with the next reading."""
        self._repeated.fill(math.nan)
        self.found, self.joint = False, -1

    def judge(self, measured, command, settings, moving):
        """Return whether a reading is stuck.

        With `stuck_at_rest` states that are bitwise equal for `stuck_time` count, too.

        `command` (nv,): the last published torque [N m or N].
        `settings` (Settings): limits and times.
        `moving`: whether a reference moves.
        """
        self.joint = self._first(
            measured.state,
            self._repeated,
            command,
            self._earlier,
            self._since,
            self._friction,
            settings.guards,
            measured.time,
            settings.state_timeout,
            guards.STUCK_EFFORT if moving else math.inf,
            self.joint,
        )
        rests = settings.stuck_at_rest and measured.time - measured.since > settings.stuck_time
        self.found = self.joint >= 0 or rests
        return self.found

    def contradicts(self, measured, settings):
        """Return whether the stuck reading has a velocity, which a brake must not trust.

        `settings` (Settings): velocity limits.
        """
        fast = guards.STUCK_SPEED * min(settings.velocity_limits[self.joint], guards.FASTEST)
        return self.joint >= 0 and abs(measured.qd[self.joint]) > fast

    def since(self, measured):
        """Return the time from which on the reading is repeated [s]."""
        return measured.since if self.joint < 0 else float(self._since[self.joint])
