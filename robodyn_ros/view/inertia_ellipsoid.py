# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The inertia that a force at a frame meets, as an ellipsoid."""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr

AXES = 'x y z'


@dataclass(frozen=True, eq=False)
class InertiaEllipsoid:
    """The ellipsoid {Lambda u : |u| = 1}: the forces that accelerate a frame by 1 m/s^2.

    `centre`: origin of the frame in the base [m].
    `axes`: directions of the semi-axes as columns in the base, right-handed.
    `masses`: inertia in each direction [kg], largest first; infinite where the frame cannot move.
    """

    centre: np.ndarray
    axes: np.ndarray
    masses: np.ndarray

    __repr__ = short_repr

    def lengths(self, scale, longest):
        """Return the lengths of the semi-axes (3,) [m].

        `scale`: length by mass [m/kg].
        `longest`: length at which a semi-axis is cut [m].
        """
        return np.minimum(scale * self.masses, longest)


def inertia_ellipsoid(robot, q, frame):
    """Compute the ellipsoid of Lambda = (J M^-1 J^T)^-1 of the linear axes of a frame.

    Its semi-axes are the eigenvectors of Lambda, their lengths its eigenvalues (Khatib,
    "Inertial properties in robotic manipulation", 1995). They are computed from the inverse
    of Lambda, which is finite at singular postures too.

    Returns InertiaEllipsoid
    """
    task = robot.operational_space_inertia(q, frame, axes=AXES)
    mobility, axes = np.linalg.eigh(task.inverse)  # ascending
    masses = np.full(3, np.inf)
    masses[3 - task.rank :] = 1.0 / mobility[3 - task.rank :]
    if np.linalg.det(axes) < 0.0:
        axes[:, 0] *= -1.0
    return InertiaEllipsoid(robot.pose(q, frame)[:3, 3], axes, masses)
