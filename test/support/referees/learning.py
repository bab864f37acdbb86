# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What an adaptive law learns: the gradient, by adding a unit to every constant of a body."""

import numpy as np

from robodyn_ros import Robot
from robodyn_ros.model.layout import MASS

SIZES = np.array([1.0] + [0.4**2] * 3 + [0.4**4] * 6)  # Gamma of a body of radius 0.4 m


def gradient(robot, shape, state, motion):
    """Return Gamma Y^T r of all bodies.

    shape : (bodies, 10). state : q, qd. motion : v, a, r of the reference.
    """
    (q, qd), (v, a, r) = state, motion

    def torque(constants):
        changed = Robot(robot.model.with_constants(constants))
        return (
            changed.mass_matrix(q) @ a
            + changed.coriolis_matrix(q, qd) @ v
            + changed.gravity_torque(q)
        )

    slopes = np.empty(shape)
    for i, k in np.ndindex(shape):
        constants = robot.model.constants.copy()
        constants[i + 1, MASS + k] += 1.0  # exact: the torque is linear
        slopes[i, k] = r @ (torque(constants) - torque(robot.model.constants))
    return SIZES * slopes
