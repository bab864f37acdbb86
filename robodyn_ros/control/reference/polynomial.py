# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Polynomial segments between points: ascending powers of the time since a segment began."""

import numpy as np

#: [s] Longest blend of a polyline, from its initial velocity to its first slope.
BLEND = 0.1


def hermite(knots, q, qd, qdd=None):
    """Return cubic or quintic segments between points.

    Cubic segments have position and velocity of both ends, quintic ones the acceleration too.
    Source: Craig, section 7.3.

    Parameters
    ----------
    knots : (s + 1,) ndarray
        Times [s].
    q, qd, qdd : (s + 1, nv) ndarray
        Positions [rad or m] and their derivatives. Without qdd the segments are cubic.

    Returns
    -------
    (6 s, nv) ndarray
        Coefficients.
    """
    T = np.diff(knots)[:, None]
    c = np.zeros((len(T), 6, q.shape[1]))
    c[:, 0], c[:, 1] = q[:-1], qd[:-1]
    if qdd is None:
        slope = (q[1:] - q[:-1]) / T
        c[:, 2] = (3.0 * slope - 2.0 * qd[:-1] - qd[1:]) / T
        c[:, 3] = (qd[:-1] + qd[1:] - 2.0 * slope) / T**2
    else:
        c[:, 2] = 0.5 * qdd[:-1]
        # remainder of the first three terms at the end of the segment
        position = (q[1:] - q[:-1] - qd[:-1] * T - c[:, 2] * T**2) / (T * T * T)
        velocity = (qd[1:] - qd[:-1] - qdd[:-1] * T) / T**2
        acceleration = (qdd[1:] - qdd[:-1]) / T
        c[:, 3] = 10.0 * position - 4.0 * velocity + 0.5 * acceleration
        c[:, 4] = (-15.0 * position + 7.0 * velocity - acceleration) / T
        c[:, 5] = (6.0 * position - 3.0 * velocity + 0.5 * acceleration) / T**2
    return c.reshape(-1, q.shape[1])


def polyline(knots, q, qd):
    """Return linear segments, after a cubic blend from the velocity qd to the first slope.

    Parameters
    ----------
    knots : (s + 1,) ndarray
        Times [s].
    q : (s + 1, nv) ndarray
        Positions [rad or m].
    qd : (nv,) ndarray
        Initial velocity [rad/s or m/s].

    Returns
    -------
    knots : (r + 1,) ndarray
        Times [s], with the blend as first segment.
    coefficients : (6 r, nv) ndarray
        Coefficients.
    """
    blend = min(knots[1], BLEND)
    slope = (q[1] - q[0]) / knots[1]
    blended = q[0] + slope * blend
    start = hermite(np.array([0.0, blend]), np.vstack([q[0], blended]), np.vstack([qd, slope]))
    later = knots > blend
    knots, q = np.concatenate([[blend], knots[later]]), np.vstack([blended, q[later]])
    lines = np.zeros((len(knots) - 1, 6, q.shape[1]))
    lines[:, 0], lines[:, 1] = q[:-1], np.diff(q, axis=0) / np.diff(knots)[:, None]
    return np.concatenate([[0.0], knots]), np.vstack([start, lines.reshape(-1, q.shape[1])])
