# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Acceleration of a base from its twists, for messages that have none."""

import math

import numpy as np

LONGEST = 1.0  # [s] longest time between two twists for a meaningful difference


class TwistDifferences:
    """Accelerations from differences of twists, with a first-order low-pass filter.

    They lag by half the time between two twists, and by the time constant.

    `time_constant`: time constant of the filter [s], more than 0.
    """

    def __init__(self, time_constant: float):
        self._time_constant = time_constant
        self._time, self._twist = math.nan, np.zeros(6)
        self._acceleration = np.zeros(6)

    def acceleration(self, time: float, twist: np.ndarray) -> np.ndarray:
        """Return the acceleration at a twist; zero after a pause or a step back in time.

        `time`: time of the twist [s].
        `twist`: twist [m/s, rad/s]. Its components are in the same fixed axes as the acceleration.
        """
        step = time - self._time
        if not 0.0 < step <= LONGEST:
            return np.zeros(6)
        share = -math.expm1(-step / self._time_constant)
        rate = (twist - self._twist) / step
        return self._acceleration + share * (rate - self._acceleration)

    def accept_twist(self, time: float, twist: np.ndarray, acceleration: np.ndarray):
        """Store an accepted state, from which the next acceleration is computed.

        `time`: time of the twist [s].
        `twist`, `acceleration`: the twist, and the acceleration that was returned for it.
        """
        self._time, self._twist, self._acceleration = time, twist, acceleration
