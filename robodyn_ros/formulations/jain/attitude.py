# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Attitude by Euler angles, angle and axis, unit quaternions, Gibbs vectors: Jain, appendix B.

R (3, 3) leads from the axes of the body to fixed ones. dR/dt = R S(omega), with omega (3,) [rad/s]
in the axes of the body. A quaternion is (x, y, z, w), scalar last, as in ROS messages.

    R(q) = 1 + 2 S(v) S(v) + 2 w S(v),  p o q = E+(p) q = E-(q) p,  R(p o q) = R(p) R(q)
    qdot = E+(q) [omega; 0] / 2,  qddot = E+(q) [domega; 0] / 2 - |omega|^2 q / 4

Corrections to the print: R33 of (B.1) is cos gamma. The factor 2 of (B.37) and (B.40) is of both
terms. (B.42) has - |omega|^2 q / 4, and (B.43) + |omega|^2 e / 2. Solution B.18 has
(a - b) x (a + b), as (B.49). R(q) is hinges.rotation_of.
"""

import numpy as np

from robodyn_ros.formulations.arm import skew
from robodyn_ros.formulations.jain.hinges import about

X, Z = np.eye(3)[[0, 2]]


def euler_zxz(psi, gamma, phi):
    """Return R (3, 3) = Rz(psi) Rx(gamma) Rz(phi) of angles [rad] (B.1)."""
    return about(Z, psi) @ about(X, gamma) @ about(Z, phi)


def euler_zxz_velocity(gamma, phi):
    """Return the (3, 3) that leads from the rates of (psi, gamma, phi) to omega (B.2)."""
    s, c = np.sin(phi), np.cos(phi)
    return np.array(
        [[np.sin(gamma) * s, c, 0.0], [np.sin(gamma) * c, -s, 0.0], [np.cos(gamma), 0.0, 1.0]]
    )


def axis_angle_velocity(axis, angle, axis_rate, angle_rate):
    """Return omega (3,) of a unit axis (3,) and an angle [rad] that change (B.10)."""
    return (
        angle_rate * axis
        + np.sin(angle) * axis_rate
        - (1.0 - np.cos(angle)) * np.cross(axis, axis_rate)
    )


def axis_angle_rates(axis, angle, omega):
    """Return (axis rate (3,), angle rate) of omega (3,), the inverse of (B.10) (B.11).

    The angle must not be a multiple of 2 pi, where every axis gives the same attitude.
    """
    across = np.cross(axis, omega)
    cotangent = 1.0 / np.tan(0.5 * angle)
    return 0.5 * (across - cotangent * np.cross(axis, across)), axis @ omega


def quaternion(axis, angle):
    """Return the unit quaternion (4,) of a unit axis (3,) and an angle [rad]."""
    return np.append(np.sin(0.5 * angle) * axis, np.cos(0.5 * angle))


def e_plus(p):
    """Return E+(p) (4, 4): p o q = E+(p) q."""
    return _product_matrix(p, skew(p[:3]))


def e_minus(q):
    """Return E-(q) (4, 4): p o q = E-(q) p."""
    return _product_matrix(q, -skew(q[:3]))


def _product_matrix(q, S):
    return np.block([[q[3] * np.eye(3) + S, q[:3, None]], [-q[None, :3], q[3:, None]]])


def quaternion_rate(q, omega):
    """Return qdot (4,) of omega (3,) (B.34)."""
    return 0.5 * e_plus(q) @ np.append(omega, 0.0)


def quaternion_velocity(q, rate):
    """Return omega (3,) of a unit quaternion and its rate (4,) (B.36)."""
    return 2.0 * (e_plus(q).T @ rate)[:3]


def quaternion_velocity_fixed(q, rate):
    """Return omega (3,) in fixed axes of a unit quaternion and its rate (4,) (B.39)."""
    return 2.0 * (e_minus(q).T @ rate)[:3]


def quaternion_acceleration(q, omega, omega_rate):
    """Return qddot (4,) of omega (3,) and its rate (3,) [rad/s2] (B.42)."""
    return quaternion_rate(q, omega_rate) - 0.25 * (omega @ omega) * q


def angular_acceleration(q, omega, rate2):
    """Return [rate of omega; 0] (4,) of qddot (4,), the inverse of (B.42) (B.43)."""
    return 2.0 * e_plus(q).T @ rate2 + 0.5 * (omega @ omega) * np.array([0.0, 0.0, 0.0, 1.0])


def gibbs_rotation(s):
    """Return R (3, 3) of s = v / w (3,), by Cayley's formula (B.45)."""
    return np.linalg.solve(np.eye(3) - skew(s), np.eye(3) + skew(s))


def gibbs_rate(s, omega):
    """Return the rate (3,) of a Gibbs vector of omega (3,): (B.34) with (B.47)."""
    return 0.5 * (omega + np.cross(s, omega) + s * (s @ omega))


def gibbs_between(a, b, share=0.0):
    """Return a Gibbs vector (3,) whose R takes unit a (3,) to unit b: every share does (B.49).

    a must not be -b, whose half turn no Gibbs vector has.
    """
    return np.cross(a - b, a + b) / ((a + b) @ (a + b)) + share * (a + b)
