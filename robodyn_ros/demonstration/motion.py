# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The motion of the demonstration: each joint oscillates at its own frequency."""

from dataclasses import dataclass

import numpy as np

AMPLITUDE = 0.45  # share of the distance to the limits
#: Frequency of each joint [Hz].
FREQUENCY = (0.21, 0.33, 0.27, 0.36, 0.41, 0.31, 0.47)
RAMP = 2.0  # [s] in which the amplitude grows, and in which it decays


@dataclass(frozen=True)
class Motion:
    """A smooth motion about a posture.

    q = centre + amplitude w(t) sin(2 pi f t). The window w and its first two derivatives are zero
    at both ends.

    `centre`: posture in the middle [rad or m].
    `amplitude`: amplitude of each joint [rad or m].
    `frequency`: frequency f of each joint [Hz].
    `duration`: length of the motion [s].
    """

    centre: np.ndarray
    amplitude: np.ndarray
    frequency: np.ndarray
    duration: float

    def at(self, t):
        """Return the state of the motion at some times.

        `t` (k,): times [s].
        Returns `q, qd, qdd` (k, nv): positions, velocities and accelerations.
        """
        t = np.asarray(t)[:, None]
        w, dw, ddw = self._window(t)
        turn = 2.0 * np.pi * self.frequency
        s, c = np.sin(turn * t), np.cos(turn * t)
        a = self.amplitude
        return (
            self.centre + a * w * s,
            a * (dw * s + w * turn * c),
            a * (ddw * s + 2.0 * dw * turn * c - w * turn * turn * s),
        )

    def _window(self, t):
        """Return the window and its two derivatives: a quintic rise over RAMP, 1, a quintic
        fall."""
        rising = t < 0.5 * self.duration
        x = np.clip(np.where(rising, t, self.duration - t) / RAMP, 0.0, 1.0)
        sign = np.where(rising, 1.0, -1.0)
        return (
            x**3 * (10.0 + x * (6.0 * x - 15.0)),
            sign * 30.0 * x**2 * (1.0 - x) ** 2 / RAMP,
            60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / RAMP**2,
        )


def mid_range(limits):
    """Return the posture halfway between the limits.

    `limits` (JointLimits): limits of the joints.
    """
    bounded = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    return np.where(bounded, 0.5 * (limits.lower + limits.upper), 0.0)


def swaying_motion(limits, duration):
    """Return a motion about mid-range, well within the position and velocity limits.

    `limits` (JointLimits): limits of the joints.
    `duration`: length of the motion [s].
    """
    centre = mid_range(limits)
    frequency = np.resize(FREQUENCY, len(centre))
    room = np.minimum(np.minimum(limits.upper - centre, centre - limits.lower), np.pi)
    fastest = 0.6 * limits.velocity / (2.0 * np.pi * frequency)
    return Motion(centre, np.minimum(AMPLITUDE * room, fastest), frequency, duration)
