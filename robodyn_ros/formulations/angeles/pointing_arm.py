# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A pointing arm of two joints in closed form: Angeles, Exercise 7.7.

    2 T = I_a thd_1^2 + w' J w,   w = thd_1 e + thd_2 z,   e = [sin th_2, cos th_2, 0]
    I    = [I_a + e' J e, e' J z; ., z' J z]
    Idot = thd_2 [2 e' J d, d' J z; ., 0],   d = de/dth_2

I_a is the inertia of link 1 about the first axis, J that of link 2 about O. The edition used here
lacks the figure. The axes are assumed to meet in O at right angles, as for DH rows (0, 0, 90 deg),
(0, 0, 0).
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.posture import skew


class Body(NamedTuple):
    """A link in its own axes.

    `m`: mass [kg].
    `I`: inertia tensor about the centre of mass [kg m2].
    `rho`: from O to the centre of mass [m].
    """

    m: float
    I: np.ndarray  # noqa: E741  the letter of the book
    rho: np.ndarray

    @property
    def about_origin(self):
        """Inertia tensor (3, 3) about O [kg m2]."""
        return self.I - self.m * skew(self.rho) @ skew(self.rho)


def inertia(first, second, angle):
    """Return the mass matrix I (item b).

    `first` (Body): link 1, with y of its axes along the first joint.
    `second` (Body): link 2, with z of its axes along its own joint.
    `angle`: theta_2 [rad].
    """
    e, _, J = _axes(second, angle)
    own = first.about_origin[1, 1]
    return np.array([[own + e @ J @ e, e @ J[2]], [e @ J[2], J[2, 2]]])


def inertia_rate(second, angle, rate):
    """Return Idot by differentiation of I (item c).

    `second` (Body): link 2, with z of its axes along its own joint.
    `angle`: theta_2 [rad].
    `rate`: thd_2 [rad/s].
    """
    e, d, J = _axes(second, angle)
    return rate * np.array([[2.0 * e @ J @ d, d @ J[2]], [d @ J[2], 0.0]])


def kinetic_energy(first, second, angle, rates):
    """Return the kinetic energy T (item a).

    `first` (Body): link 1, with y of its axes along the first joint.
    `second` (Body): link 2, with z of its axes along its own joint.
    `angle`: theta_2 [rad].
    `rates` ((2,) array_like): velocities of both joints [rad/s].
    """
    e, _, J = _axes(second, angle)
    w = rates[0] * e + rates[1] * np.array([0.0, 0.0, 1.0])
    return 0.5 * (first.about_origin[1, 1] * rates[0] ** 2 + w @ J @ w)


def _axes(second, angle):
    """Return the first axis in link 2, its derivative by theta_2, and J."""
    s, c = np.sin(angle), np.cos(angle)
    return np.array([s, c, 0.0]), np.array([c, -s, 0.0]), second.about_origin
