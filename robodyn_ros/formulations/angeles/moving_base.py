# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A base that is no inertial frame: Angeles, section 7.5.2, as for an arm on a free-flying body.

    v = [t_0; qd],  t = T v,  T = [[1, 0], [X_0, T_arm]],  I v' + C v = [w_0; tau] + gamma

Equations 7.87 to 7.90. The twist of the base is t_0 = [omega_0; cdot_0], at its centre of mass.
X_i0 = [[1, 0], [-skew(c_i - c_0), 1]] carries it to link i. All in base axes at the given instant.
Any tree; O(n^3).

Correction to the print: (7.89) has a zero block in place of X_0. With it the base would move
without its links. A 2 kg base with a 1 kg link would have 2 kg in all, not 3 kg.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import short_repr
from robodyn_ros.formulations.angeles.natural_orthogonal_complement import (
    NONE,
    ONE,
    angular_velocity,
    mass,
    twist_shaping_matrix,
    twist_shaping_rate,
    weight,
)
from robodyn_ros.formulations.posture import arm_at, cross, skew, states, velocities


@dataclass(frozen=True, eq=False)
class Base:
    """The moving base, in base axes.

    `mass`: mass [kg].
    `com`: centre of mass [m].
    `inertia`: inertia tensor about the centre of mass [kg m2].
    """

    mass: float
    com: np.ndarray
    inertia: np.ndarray

    __repr__ = short_repr


def _twists(arm, base):
    """Return T (6 (n + 1), n + 6)."""
    carried = [np.block([[ONE, NONE], [-skew(c - base.com), ONE]]) for c in arm.c]
    return np.block(
        [[np.eye(6), np.zeros((6, arm.n))], [np.vstack(carried), twist_shaping_matrix(arm)]]
    )


def _twist_rates(arm, speeds, base_speed):
    """Return Tdot (6 (n + 1), n + 6)."""
    carried = [np.block([[NONE, NONE], [-skew(cdot - base_speed), NONE]]) for cdot in speeds[2]]
    return np.block(
        [[np.zeros((6, arm.n + 6))], [np.vstack(carried), twist_shaping_rate(arm, *speeds)]]
    )


def _mass(arm, base):
    """Return M (6 (n + 1), 6 (n + 1)), the base first."""
    own = np.block([[base.inertia, NONE], [NONE, base.mass * ONE]])
    links = mass(arm)
    return np.block([[own, np.zeros((6, len(links)))], [np.zeros((len(links), 6)), links]])


def mass_matrix(robot, q, base):
    """Return I = T^T M T, the base before the joints.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `base` (Base): the moving base.
    Returns mass matrix. For the base: moment, then force at its centre of mass.
    """
    arm = arm_at(robot, q)
    T = _twists(arm, base)
    return T.T @ _mass(arm, base) @ T + np.diag(np.concatenate((np.zeros(6), arm.rotor)))


def bias(robot, q, qd, twist, base):
    """Return C v - gamma: wrench on the base and torques at t_0' = 0 and qdd = 0.

    C = T^T (M Tdot + W M T); weight is included.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `twist` ((6,) array_like): t_0 = [omega_0; cdot_0] [rad/s, m/s].
    `base` (Base): the moving base.
    """
    q, qd = states(robot, q, qd)
    arm = arm_at(robot, q)
    w, c = np.asarray(twist[:3]), np.asarray(twist[3:])
    speeds = velocities(arm, qd, base=(w, c - cross(w, base.com)))
    T, M, W = _twists(arm, base), _mass(arm, base), angular_velocity(np.vstack((w, speeds[0])))
    v = np.concatenate((twist, qd))
    weights = np.concatenate((np.zeros(3), base.mass * arm.g, weight(arm)))
    return T.T @ (M @ _twist_rates(arm, speeds, c) @ v + W @ M @ T @ v - weights)
