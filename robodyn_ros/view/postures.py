# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Coordinates of postures: a number for each velocity of a robot."""

import numpy as np

HALF_TURN = np.pi  # [rad] of a slider without limits
TRAVEL = 1.0  # [m] of a slider without limits


class Postures:
    """Coordinates s (nv,) of a robot's postures, each with limits: q = neutral (+) s.

    The coordinate of a joint with one axis is its position. The three of a spherical joint are a
    rotation vector [rad].

    `lower`, `upper` (nv,): limits of the coordinates: those of the joints, or a half
      turn and TRAVEL.
    `units` (tuple of str): 'rad' or 'm' of each coordinate.
    """

    def __init__(self, robot):
        self._configuration = robot.configuration
        self._neutral = robot.configuration.neutral()
        slides = robot.model.slides
        free = np.where(slides, TRAVEL, HALF_TURN)
        lower, upper = robot.limits.lower, robot.limits.upper
        self.lower = np.where(np.isfinite(lower), lower, np.minimum(-free, upper - free))
        self.upper = np.where(np.isfinite(upper), upper, np.maximum(free, lower + free))
        self.units = tuple('m' if each else 'rad' for each in slides)

    def posture(self, s):
        """Return the posture of coordinates.

        `s` ((nv,) array_like): coordinates [rad or m].
        """
        return self._configuration.integrate(self._neutral, s, 1.0)

    def coordinates(self, q):
        """Return the coordinates of a posture, also beyond the limits."""
        return self._configuration.difference(self._neutral, q)

    def middle(self):
        """Return the coordinates (nv,) midway between the limits of the joints, else 0."""
        return 0.5 * (self.lower + self.upper)
