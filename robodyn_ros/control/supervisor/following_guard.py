# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that are far from their reference are found, and named with their error."""

import math

import numpy as np

from robodyn_ros.control.supervisor import guards

FOLLOWING_HOLD = 2.0  # times following_error, from where the posture is held


class FollowingGuard:
    """The joint that is farthest from its reference; see `guards.first_behind`.

    `joint`: the joint, guards.NOT_FINITE for a reference that is not, or -1.
    `error`: its error [rad or m].
    `far`: whether that is beyond FOLLOWING_HOLD times its tolerance.
    """

    def __init__(self):
        self.joint, self.error, self.far = -1, 0.0, False
        self._tolerance, self._first = None, guards.first_behind.vectorcall

    def adopt(self, settings, law):
        """Take the errors to report, for joints that follow a reference of joints.

        `settings` (Settings): the errors.
        """
        follows = np.full(settings.nv, law.tracks and law.task is None)
        if law.undriven is not None:
            follows &= ~law.undriven
        self._tolerance = np.where(follows, settings.following_error, math.inf)

    def judge(self, reference, q):
        """Compare positions with a reference.

        Returns itself.
        """
        self.joint, self.far = self._first(reference, q, self._tolerance), False
        if self.joint >= 0:
            self.error = float(reference[0, self.joint] - q[self.joint])
            self.far = abs(self.error) > FOLLOWING_HOLD * self._tolerance[self.joint]
        return self
