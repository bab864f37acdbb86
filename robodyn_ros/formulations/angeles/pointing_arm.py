# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A pointing arm of two joints in closed form: Angeles, Exercise 7.7.

    2 T = I_a thd_1^2 + w' J w,   w = thd_1 e + thd_2 z,   e = [sin th_2, cos th_2, 0]
    I    = [I_a + e' J e, e' J z; ., z' J z]
    Idot = thd_2 [2 e' J d, d' J z; ., 0],   d = de/dth_2

I_a is the inertia of link 1 about the first axis, J that of link 2 about O. The figure is missing
in the text at hand. The axes are taken to meet in O at right angles. DH rows (0, 0, 90 deg),
(0, 0, 0) have them so.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.formulations.arm import skew


class Body(NamedTuple):
    """m [kg], I (3, 3) [kg m2] about the centre of mass, rho (3,) [m] from O to it, own axes."""

    m: float
    I: np.ndarray  # noqa: E741  the letter of the book
    rho: np.ndarray

    @property
    def about_origin(self):
        """Inertia (3, 3) about O [kg m2]."""
        return self.I - self.m * skew(self.rho) @ skew(self.rho)


def inertia(first, second, angle):
    """I (2, 2) [kg m2] of two Body at theta_2 [rad] (item b).

    The axes of the first link have y along the first joint, those of the second z along its own.
    """
    e, _, J = _axes(second, angle)
    own = first.about_origin[1, 1]
    return np.array([[own + e @ J @ e, e @ J[2]], [e @ J[2], J[2, 2]]])


def inertia_rate(second, angle, rate):
    """Idot (2, 2) by differentiation of I (item c); rate : thd_2 [rad/s]."""
    e, d, J = _axes(second, angle)
    return rate * np.array([[2.0 * e @ J @ d, d @ J[2]], [d @ J[2], 0.0]])


def kinetic_energy(first, second, angle, rates):
    """T [J] of the rates (2,) of both joints [rad/s] (item a)."""
    e, _, J = _axes(second, angle)
    w = rates[0] * e + rates[1] * np.array([0.0, 0.0, 1.0])
    return 0.5 * (first.about_origin[1, 1] * rates[0] ** 2 + w @ J @ w)


def _axes(second, angle):
    """Return the first axis in link 2, its derivative by theta_2, and J."""
    s, c = np.sin(angle), np.cos(angle)
    return np.array([s, c, 0.0]), np.array([c, -s, 0.0]), second.about_origin
