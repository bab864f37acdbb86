# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Acceleration of a base whose messages have none: the rate of its twists, smoothed."""

import math

import numpy as np

LONGEST = 1.0  # [s] between two twists; after more the older one says nothing


class TwistDifferences:
    """Differences of twists with time, through a filter of first order.

    They lag by half the time between two twists, and by the time constant.

    Parameters
    ----------
    time_constant : float
        Of the filter [s], more than 0.
    """

    def __init__(self, time_constant: float):
        self._time_constant = time_constant
        self._time, self._twist = math.nan, np.zeros(6)
        self._acceleration = np.zeros(6)

    def acceleration(self, time: float, twist: np.ndarray) -> np.ndarray:
        """Return the acceleration (6,) at a twist; zero after a pause or a step back in time.

        Parameters
        ----------
        time : float
            Of the twist [s].
        twist : (6,) ndarray
            In axes in which its rate is the acceleration wanted [m/s, rad/s].
        """
        step = time - self._time
        if not 0.0 < step <= LONGEST:
            return np.zeros(6)
        share = -math.expm1(-step / self._time_constant)
        rate = (twist - self._twist) / step
        return self._acceleration + share * (rate - self._acceleration)

    def accept_twist(self, time: float, twist: np.ndarray, acceleration: np.ndarray):
        """Store an accepted state, from which the next acceleration is computed.

        Parameters
        ----------
        time : float
            Of the twist [s].
        twist, acceleration : (6,) ndarray
            As above, of a state that was accepted.
        """
        self._time, self._twist, self._acceleration = time, twist, acceleration
