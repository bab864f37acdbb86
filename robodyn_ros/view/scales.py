# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""How long arrows and ellipsoids of a robot are drawn, from how large it is."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.view.inertia_ellipsoid import inertia_ellipsoid

SAMPLES = 32  # postures that are looked at
TORQUE_SHARE = 0.6  # of the reach: the arrow of the largest gravity torque
MASS_SHARE = 0.3  # of the reach: the longest semi-axis of an ellipsoid
STEPS = (1.0, 2.0, 5.0)  # leading digits of a scale


@dataclass(frozen=True)
class Scales:
    """Sizes of arrows and ellipsoids.

    `reach`: largest distance of a frame from the base over sampled postures [m].
    `torque`: torque or force of an arrow of one metre [N m or N].
    `mass`: inertia of a semi-axis of one metre [kg].
    """

    reach: float
    torque: float
    mass: float

    @property
    def longest(self):
        """Length at which a semi-axis is cut [m]."""
        return MASS_SHARE * self.reach


def scales_of(robot, frame):
    """Return the Scales of a robot whose end effector is a frame, the same at every call.

    The largest gravity torque over random postures becomes at most TORQUE_SHARE of the reach. The
    median of the largest inertia becomes at most MASS_SHARE of it. Both scales are rounded up to
    1, 2 or 5 times a power of ten. They are 1 for a robot without dynamics.

    `frame`: name of its end effector.
    """
    rng = np.random.default_rng(0)
    postures = [robot.configuration.random(rng) for _ in range(SAMPLES)]
    points = np.array([robot.frames.poses(q)[:, :3, 3] for q in postures])
    reach = float(np.linalg.norm(points, axis=-1).max()) or 1.0
    if robot.model.dynamics_fault:
        return Scales(reach, 1.0, 1.0)
    torque = max(np.abs(robot.gravity_torque(q)).max(initial=0.0) for q in postures)
    masses = np.array([inertia_ellipsoid(robot, q, frame).masses for q in postures])
    mass = np.median(np.where(np.isfinite(masses), masses, 0.0).max(axis=1))
    return Scales(
        reach, round_up(torque / (TORQUE_SHARE * reach)), round_up(mass / (MASS_SHARE * reach))
    )


def round_up(value):
    """Return the least 1, 2 or 5 times a power of ten that is not less.

    `value`: any number; the result is 1 unless it is above 0.
    """
    if not 0.0 < value < np.inf:
        return 1.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next((step * power for step in STEPS if step * power >= value), 10.0 * power))
