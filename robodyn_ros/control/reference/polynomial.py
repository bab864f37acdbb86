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

    `knots` (s + 1,): times [s].
    `q`, `qd`, `qdd` (s + 1, nv): positions [rad or m] and their derivatives. Without qdd
      the segments are cubic.
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


def splines(knots, q, qd, qdd, degrees):
    """Return segments that are linear, cubic or quintic, each for itself.

    `knots` (s + 1,): times [s].
    `q`, `qd`, `qdd` (s + 1, nv): positions [rad or m] and their derivatives; where a
      segment does not use them, any numbers.
    `degrees` ((s,) ndarray of int): 1, 3 or 5, for each segment.
    """
    c = np.zeros((len(degrees), 6, q.shape[1]))
    c[:, 0], c[:, 1] = q[:-1], np.diff(q, axis=0) / np.diff(knots)[:, None]
    for degree, rows in ((3, (q, qd)), (5, (q, qd, qdd))):
        chosen = degrees == degree
        if chosen.any():
            c[chosen] = hermite(knots, *rows).reshape(c.shape)[chosen]
    return c


def blended(knots, rows, degrees):
    """Return the same points with a blend from the velocity of the first one to the first slope.

    `knots` (s + 1,): times [s].
    `rows` (4, s + 1, nv): position, velocity, acceleration and effort of the points.
    `degrees` ((s,) ndarray of int): degrees of the segments, the first of which is 1.
    Returns `knots, rows, degrees` (tuple of ndarray): as given, the blend first: a cubic as long
      as BLEND, or as the first segment.
    """
    share = min(1.0, BLEND / knots[1])
    point = rows[:, 0] + share * (rows[:, 1] - rows[:, 0])
    point[1] = (rows[0, 1] - rows[0, 0]) / knots[1]
    if share == 1.0:
        rows[1, 1] = point[1]
        return knots, rows, np.concatenate([[3], degrees[1:]])
    return (
        np.insert(knots, 1, BLEND),
        np.insert(rows, 1, point, axis=1),
        np.concatenate([[3], degrees]),
    )
