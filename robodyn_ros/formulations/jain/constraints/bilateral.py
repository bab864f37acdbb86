# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bilateral constraints: Jain, section 11.1.1.

    holonomic         d(theta, t) = 0                                                       (11.2)
    Pfaffian form     G_c(theta, t) thd - U(t) = 0,  G_c = grad d,  U = -dd/dt        (11.3, 11.4)
    acceleration      G_c thdd = Uacc,  Uacc = dU/dt - Gdot_c thd                           (11.6)

    scleronomic or rheonomic     d without t, or with it
    catastatic or acatastatic    U = 0, or not
    non-holonomic                given as G_c and U, not as d: restricts velocities, not positions

First derivatives are by complex step, exact to rounding, for any d that is analytic as written.
Uacc has second derivatives, by one central difference of exact rates.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.complex_step import H


@dataclass(frozen=True, eq=False)
class Pfaffian:
    """A constraint G_c thd = U at one state, and its rate G_c thdd = Uacc.

    `G`: constraint matrix G_c.
    `U`: prescribed velocities [rad/s, m/s].
    `acceleration`: uacc [rad/s2, m/s2].
    """

    G: np.ndarray
    U: np.ndarray
    acceleration: np.ndarray

    __repr__ = short_repr

    @property
    def catastatic(self):
        """True if rest is admissible: U = 0."""
        return not np.any(self.U)


def holonomic(d: Callable, theta, t, thd):
    """Return the Pfaffian form of d(theta, t) = 0.

    Uacc is -(d/dt)(dd/dt) at thdd = 0.

    `d`: `d(theta, t)` returns the constraint errors (n_c,), also of complex arguments.
    `theta` ((N,) array_like): coordinates, of which the velocities are the rates [rad, m].
    `t`: time [s].
    `thd` ((N,) array_like): velocities [rad/s, m/s].
    """
    theta, thd = np.asarray(theta, float), np.asarray(thd, float)
    rows = [np.imag(d(theta + 1j * H * unit, t)) / H for unit in np.eye(len(theta))]
    U = -np.imag(d(theta + 0j, t + 1j * H)) / H
    step = 1e-5  # Not smaller: the difference of exact derivatives loses digits to rounding.

    def rate(s):
        return np.imag(d(theta + s * thd + 1j * H * thd, t + s + 1j * H)) / H

    # Richardson: the differences of one and of two steps leave an error of order step^4.
    one, two = (rate(s) - rate(-s) for s in (step, 2.0 * step))
    second = (8.0 * one - two) / (12.0 * step)
    return Pfaffian(np.stack(rows, axis=-1), U, -second)


def freedoms(n_q, n_v, n_c, holonomic=True):
    """Return the freedoms of position and of motion under independent constraints (11.1.1).

    `n_q`: number of coordinates.
    `n_v`: number of velocities.
    `n_c`: number of constraints.
    `holonomic`: whether the constraints restrict positions too.
    Returns `positions` (int): dimension of the set of admissible positions.
    Returns `motions` (int): dimension of the set of admissible velocities.
    """
    return (n_q - n_c if holonomic else n_q), n_v - n_c
