# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Stop a motion within the limits: when a reference is dropped, the joints come to rest smoothly.

    qd(t) = qd (1 - 3 x^2 + 2 x^3),    x = t/T,    q(T) = q + qd T/2

The acceleration is 0 at both ends, and 1.5 qd/T at most; its rate is 6 qd/T^2 at most.
"""

import numpy as np

from robodyn_ros.control.laws.law import GRAVITY
from robodyn_ros.control.reference.path import EFFORT, ROWS, STRIDE, Path

SHARE = 0.8  # [-] of an effort limit; the rest is for the feedback
SHORTEST = 1e-4  # [s]; a joint that would stop sooner stops at once
LONGEST = 1.0  # [s] in which a joint stops that can hardly hold its weight


def stopping_times(q, qd, momentum, weight, settings):
    """Return the times in which the joints come to rest, together.

    The momentum is p = M(q) qd, and the weight g. The largest torque, g - 1.5 p/T, and its rate of
    change, 6 p/T^2, are within the limits of every joint:

        T = max_i max(1.5 |p_i| / room_i, sqrt(6 |p_i| / rate_i)),  room_i = SHARE limit_i +- g_i

    A joint that would leave its range stops sooner, at the end of its range.

    `momentum` (nv,): p [N m s or N s].
    `weight` (nv,): g [N m or N].
    `settings` (Settings): has the limits.
    """
    limits, size = settings.effort_limits, np.abs(momentum)
    room = SHARE * limits + np.sign(momentum) * (weight if settings.safe[GRAVITY] else 0.0)
    with np.errstate(divide='ignore', invalid='ignore', over='ignore'):
        needed = np.maximum(
            1.5 * size / np.maximum(room, 0.0), np.sqrt(6.0 * size / settings.effort_rate)
        )
        needed = np.max(needed, initial=0.0, where=(limits > 0.0) & (size > 0.0))
        times = min(needed, LONGEST)
        way = np.where(qd > 0.0, settings.upper - q, q - settings.lower)
        times = np.minimum(times, 2.0 * np.maximum(way, 0.0) / np.abs(qd))
    return np.where((qd == 0.0) | (times < SHORTEST), 0.0, times)


def stopping_path(q, qd, times):
    """Return the path on which each joint comes to rest in its time.

    `q`, `qd` (nv,): state at the start [rad or m, rad/s or m/s].
    `times` (nv,): time until each joint rests [s]; 0: at once.
    """
    end = np.zeros((ROWS, len(q)))
    end[0] = q + 0.5 * qd * times
    longest = times.max()
    if longest == 0.0:
        return Path(np.zeros(1), np.zeros((0, len(q))), end)
    path = _stopping_in(longest, q, qd, times, end)
    for T in np.unique(times[(0.0 < times) & (times < longest)]):
        path = _stopping_in(T, q, qd, times, end).merged(path, times == T)
    return path


def stopped_beyond(path, qd, times):
    """Return a path that goes on beyond its end until the joints rest; its effort stays.

    `qd` (nv,): velocities at its end [rad/s or m/s].
    `times` (nv,): time until each joint rests [s]; 0: at once.
    """
    beyond = stopping_path(path.end[0], qd, times)
    beyond.coefficients.reshape(-1, STRIDE, len(qd))[:, EFFORT] = beyond.end[3] = path.end[3]
    return path.followed_by(beyond, 0.0, path.duration)


def _stopping_in(T, q, qd, times, end):
    """Return the path of the joints that come to rest in the time T; the others rest."""
    qd = np.where(times == T, qd, 0.0)
    rows = np.zeros((STRIDE, len(q)))
    rows[0], rows[1], rows[3], rows[4] = q, qd, -qd / T**2, qd / (2.0 * T**3)
    return Path(np.array([0.0, T]), rows, end)
