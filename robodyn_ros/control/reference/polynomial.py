# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Polynomial segments between points: ascending powers of the time since a segment began."""

import numpy as np

#: Longest time [s] of a polyline's blend from its initial velocity to its first slope.
BLEND = 0.1


def hermite(knots, q, qd, qdd=None):
    """Return cubic segments (position and velocity at both ends) or quintic ones (acceleration).

    Craig, section 7.3.

    Parameters
    ----------
    knots : (s + 1,) ndarray
        Times [s].
    q, qd, qdd : (s + 1, nv) ndarray
        Positions and their derivatives [rad or m, ...]; without qdd the segments are cubic.

    Returns
    -------
    (6 s, nv) ndarray
        Coefficients.
    """
    T = np.diff(knots)[:, None]
    c = np.zeros((len(T), 6, q.shape[1]))
    c[:, 0], c[:, 1] = q[:-1], qd[:-1]
    if qdd is None:
        gap = (q[1:] - q[:-1]) / T
        c[:, 2] = (3.0 * gap - 2.0 * qd[:-1] - qd[1:]) / T
        c[:, 3] = (qd[:-1] + qd[1:] - 2.0 * gap) / T**2
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
    """Return linear segments; a cubic blend of at most BLEND [s] starts at the velocity qd.

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
    tuple of (r + 1,) and (6 r, nv) ndarray
        Knots, with the blend as first segment, and coefficients.
    """
    blend = min(knots[1], BLEND)
    slope = (q[1] - q[0]) / knots[1]
    onto = q[0] + slope * blend
    start = hermite(np.array([0.0, blend]), np.vstack([q[0], onto]), np.vstack([qd, slope]))
    ahead = knots > blend
    knots, q = np.concatenate([[blend], knots[ahead]]), np.vstack([onto, q[ahead]])
    lines = np.zeros((len(knots) - 1, 6, q.shape[1]))
    lines[:, 0], lines[:, 1] = q[:-1], np.diff(q, axis=0) / np.diff(knots)[:, None]
    return np.concatenate([[0.0], knots]), np.vstack([start, lines.reshape(-1, q.shape[1])])
