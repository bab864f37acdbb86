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


def euler_zxz_rates(gamma, phi, omega):
    """Return the rates (3,) of (psi, gamma, phi) of omega (3,), the inverse of (B.2).

    gamma must not be a multiple of pi, where psi and phi turn about the same axis.
    """
    s, c = np.sin(phi), np.cos(phi)
    psi_rate = (s * omega[0] + c * omega[1]) / np.sin(gamma)
    return np.array([psi_rate, c * omega[0] - s * omega[1], omega[2] - np.cos(gamma) * psi_rate])


def euler_zxz_accelerations(gamma, phi, omega, omega_rate):
    """Return the second rates (3,) of (psi, gamma, phi) of omega (3,) and its rate (3,).

    From (B.2), omega = J rates: they are J^-1 (domega - dJ/dt rates).
    """
    rates = euler_zxz_rates(gamma, phi, omega)
    psi_rate, gamma_rate, phi_rate = rates
    s, c = np.sin(phi), np.cos(phi)
    leaning = np.cos(gamma) * gamma_rate * psi_rate
    turning = np.sin(gamma) * psi_rate * phi_rate
    moved = np.array(
        [
            s * leaning + c * turning - s * gamma_rate * phi_rate,
            c * leaning - s * turning - c * gamma_rate * phi_rate,
            -np.sin(gamma) * gamma_rate * psi_rate,
        ]
    )
    return euler_zxz_rates(gamma, phi, omega_rate - moved)


def characteristic_of_cross(s):
    """Return the coefficients (4,) of l^3 + |s|^2 l, of the eigenvalues l of S(s) (B.5)."""
    return np.array([1.0, 0.0, s @ s, 0.0])


def characteristic_of_rotation(angle):
    """Return the coefficients (4,) of l^3 - g l^2 + g l - 1, g = 1 + 2 cos(angle), of R (B.8)."""
    g = 1.0 + 2.0 * np.cos(angle)
    return np.array([1.0, -g, g, -1.0])


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


def axis_angle_accelerations(axis, angle, omega, omega_rate):
    """Return second rates (axis (3,), angle) of omega (3,) and its rate (3,): that of (B.11)."""
    axis_rate, angle_rate = axis_angle_rates(axis, angle, omega)
    across = np.cross(axis, omega)
    across_rate = np.cross(axis_rate, omega) + np.cross(axis, omega_rate)
    cotangent = 1.0 / np.tan(0.5 * angle)
    cotangent_rate = -0.5 * angle_rate * (1.0 + cotangent**2)
    twice = across_rate - cotangent_rate * np.cross(axis, across)
    twice = twice - cotangent * (np.cross(axis_rate, across) + np.cross(axis, across_rate))
    return 0.5 * twice, axis_rate @ omega + axis @ omega_rate


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


def gibbs_acceleration(s, omega, omega_rate):
    """Return the second rate (3,) of a Gibbs vector of omega (3,) and its rate (3,)."""
    rate = gibbs_rate(s, omega)
    turned = np.cross(rate, omega) + rate * (s @ omega) + s * (rate @ omega)
    return gibbs_rate(s, omega_rate) + 0.5 * turned


def gibbs_between(a, b, share=0.0):
    """Return a Gibbs vector (3,) whose R takes unit a (3,) to unit b: every share does (B.49).

    a must not be -b, whose half turn no Gibbs vector has.
    """
    return np.cross(a - b, a + b) / ((a + b) @ (a + b)) + share * (a + b)
