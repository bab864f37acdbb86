# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Random singular postures of arms with six or seven joints."""

import numpy as np


def singular_posture(robot, rng, straight=None):
    """Return a singular posture within the limits, by Newton's method on sigma(q) = 0.

    `straight` are those of the joints 2 and 4 that are at zero; the other is far from zero.
    """
    lower, upper = np.maximum(robot.limits.lower, -2.5), np.minimum(robot.limits.upper, 2.5)
    room = 0.25 * (upper - lower)
    while True:
        q = rng.uniform(lower + room, upper - room)
        if straight is not None:
            q[list(straight)] = 0.0
        for _ in range(20):
            sigma, slope = least_singular_value(robot, q)
            if sigma < 1e-9:
                break
            q = q - sigma * slope / (slope @ slope)
        bent = straight is None or all(abs(np.sin(q[k])) > 0.3 for k in {2, 4} - set(straight))
        if sigma < 1e-6 and bent and np.all((q > lower + 0.5 * room) & (q < upper - 0.5 * room)):
            return q


def least_singular_value(robot, q, h=1e-6):
    """Return the least singular value of the Jacobian, and its gradient u^T dJ v."""
    U, sigma, V = np.linalg.svd(robot.jacobian(q, 'flange'), full_matrices=False)
    slope = np.empty(robot.nv)
    for k, step in enumerate(h * np.eye(robot.nv)):
        change = robot.jacobian(q + step, 'flange') - robot.jacobian(q - step, 'flange')
        slope[k] = U[:, -1] @ change @ V[-1] / (2.0 * h)
    return sigma[-1], slope
