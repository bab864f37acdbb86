# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Attitude by Euler angles, angle and axis, unit quaternions, Gibbs vectors: Jain, appendix B.

R (3, 3) turns coordinates in body axes into fixed ones. dR/dt = R S(omega), with omega (3,)
[rad/s] in the axes of the body. A quaternion is (x, y, z, w), scalar last, as in ROS messages.

    R(q) = 1 + 2 S(v) S(v) + 2 w S(v),  p o q = E+(p) q = E-(q) p,  R(p o q) = R(p) R(q)
    qdot = E+(q) [omega; 0] / 2,  qddot = E+(q) [domega; 0] / 2 - |omega|^2 q / 4

R(q) is `hinges.rotation_of`.

Corrections to the print: R33 of (B.1) is cos gamma. In (B.37) and (B.40) the factor 2 multiplies
both terms. (B.42) has - |omega|^2 q / 4, and (B.43) + |omega|^2 e / 2. Solution B.18 has
(a - b) x (a + b), as (B.49).
"""

import numpy as np

from robodyn_ros.formulations.jain.hinges import about
from robodyn_ros.formulations.posture import skew

X, Z = np.eye(3)[[0, 2]]


def euler_zxz(psi, gamma, phi):
    """Return R = Rz(psi) Rx(gamma) Rz(phi) (B.1).

    `psi`: Euler angle [rad].
    `gamma`: Euler angle [rad].
    `phi`: Euler angle [rad].
    """
    return about(Z, psi) @ about(X, gamma) @ about(Z, phi)


def euler_zxz_velocity(gamma, phi):
    """Return the map from the rates of (psi, gamma, phi) to omega (B.2).

    `gamma`: Euler angle [rad].
    `phi`: Euler angle [rad].
    """
    s, c = np.sin(phi), np.cos(phi)
    return np.array(
        [[np.sin(gamma) * s, c, 0.0], [np.sin(gamma) * c, -s, 0.0], [np.cos(gamma), 0.0, 1.0]]
    )


def euler_zxz_rates(gamma, phi, omega):
    """Return the rates of (psi, gamma, phi), the inverse of (B.2).

    `gamma`: Euler angle, no multiple of pi. There psi and phi turn about one axis [rad].
    `phi`: Euler angle [rad].
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    """
    s, c = np.sin(phi), np.cos(phi)
    psi_rate = (s * omega[0] + c * omega[1]) / np.sin(gamma)
    return np.array([psi_rate, c * omega[0] - s * omega[1], omega[2] - np.cos(gamma) * psi_rate])


def euler_zxz_accelerations(gamma, phi, omega, omega_rate):
    """Return the second derivatives of (psi, gamma, phi).

    From (B.2), omega = J rates. They are thus J^-1 (domega - dJ/dt rates).

    `gamma`: Euler angle, no multiple of pi. There psi and phi turn about one axis [rad].
    `phi`: Euler angle [rad].
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    `omega_rate` (3,): angular acceleration in the axes of the body [rad/s2].
    """
    rates = euler_zxz_rates(gamma, phi, omega)
    psi_rate, gamma_rate, phi_rate = rates
    s, c = np.sin(phi), np.cos(phi)
    gamma_psi = np.cos(gamma) * gamma_rate * psi_rate
    psi_phi = np.sin(gamma) * psi_rate * phi_rate
    drift = np.array(
        [
            s * gamma_psi + c * psi_phi - s * gamma_rate * phi_rate,
            c * gamma_psi - s * psi_phi - c * gamma_rate * phi_rate,
            -np.sin(gamma) * gamma_rate * psi_rate,
        ]
    )
    return euler_zxz_rates(gamma, phi, omega_rate - drift)


def characteristic_of_cross(s):
    """Return the characteristic polynomial l^3 + |s|^2 l of S(s) (B.5).

    `s` (3,): vector of the cross-product matrix S(s).
    """
    return np.array([1.0, 0.0, s @ s, 0.0])


def characteristic_of_rotation(angle):
    """Return the characteristic polynomial l^3 - g l^2 + g l - 1 of R, g = 1 + 2 cos(angle) (B.8).

    `angle`: rotation angle [rad].
    """
    g = 1.0 + 2.0 * np.cos(angle)
    return np.array([1.0, -g, g, -1.0])


def axis_angle_velocity(axis, angle, axis_rate, angle_rate):
    """Return the angular velocity of a changing axis and angle (B.10).

    `axis` (3,): unit vector along the axis.
    `angle`: rotation angle [rad].
    `axis_rate` (3,): rate of the axis [1/s].
    `angle_rate`: rate of the angle [rad/s].
    """
    return (
        angle_rate * axis
        + np.sin(angle) * axis_rate
        - (1.0 - np.cos(angle)) * np.cross(axis, axis_rate)
    )


def axis_angle_rates(axis, angle, omega):
    """Return the rates of axis and angle (B.11), the inverse of (B.10).

    `axis` (3,): unit vector along the axis.
    `angle`: rotation angle, no multiple of 2 pi. There every axis gives the same attitude [rad].
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    Returns `axis_rate` (3,): rate of the axis [1/s].
    Returns `angle_rate` (float): rate of the angle [rad/s].
    """
    across = np.cross(axis, omega)
    cotangent = 1.0 / np.tan(0.5 * angle)
    return 0.5 * (across - cotangent * np.cross(axis, across)), axis @ omega


def axis_angle_accelerations(axis, angle, omega, omega_rate):
    """Return the second derivatives of axis and angle: the rate of (B.11).

    `axis` (3,): unit vector along the axis.
    `angle`: rotation angle, no multiple of 2 pi. There every axis gives the same attitude [rad].
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    `omega_rate` (3,): angular acceleration in the axes of the body [rad/s2].
    Returns `axis_rate2` (3,): second derivative of the axis [1/s2].
    Returns `angle_rate2` (float): second derivative of the angle [rad/s2].
    """
    axis_rate, angle_rate = axis_angle_rates(axis, angle, omega)
    across = np.cross(axis, omega)
    across_rate = np.cross(axis_rate, omega) + np.cross(axis, omega_rate)
    cotangent = 1.0 / np.tan(0.5 * angle)
    cotangent_rate = -0.5 * angle_rate * (1.0 + cotangent**2)
    twice = across_rate - cotangent_rate * np.cross(axis, across)
    twice = twice - cotangent * (np.cross(axis_rate, across) + np.cross(axis, across_rate))
    return 0.5 * twice, axis_rate @ omega + axis @ omega_rate


def quaternion(axis, angle):
    """Return the unit quaternion of an axis and an angle.

    `axis` (3,): unit vector along the axis.
    `angle`: rotation angle [rad].
    """
    return np.append(np.sin(0.5 * angle) * axis, np.cos(0.5 * angle))


def e_plus(p):
    """Return E+(p) with p o q = E+(p) q.

    `p` (4,): quaternion (x, y, z, w).
    """
    return _product_matrix(p, skew(p[:3]))


def e_minus(q):
    """Return E-(q) with p o q = E-(q) p.

    `q` (4,): unit quaternion (x, y, z, w).
    """
    return _product_matrix(q, -skew(q[:3]))


def _product_matrix(q, S):
    """Return [w 1 + S, v; -v', w] of a quaternion and a skew matrix S."""
    return np.block([[q[3] * np.eye(3) + S, q[:3, None]], [-q[None, :3], q[3:, None]]])


def quaternion_rate(q, omega):
    """Return qdot = E+(q) [omega; 0] / 2 (B.34).

    `q` (4,): unit quaternion (x, y, z, w).
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    """
    return 0.5 * e_plus(q) @ np.append(omega, 0.0)


def quaternion_velocity(q, rate):
    """Return the angular velocity of a quaternion, in body axes (B.36).

    `q` (4,): unit quaternion (x, y, z, w).
    `rate` (4,): rate of the quaternion [1/s].
    """
    return 2.0 * (e_plus(q).T @ rate)[:3]


def quaternion_velocity_fixed(q, rate):
    """Return the angular velocity of a quaternion, in fixed axes (B.39).

    `q` (4,): unit quaternion (x, y, z, w).
    `rate` (4,): rate of the quaternion [1/s].
    """
    return 2.0 * (e_minus(q).T @ rate)[:3]


def quaternion_acceleration(q, omega, omega_rate):
    """Return qddot = E+(q) [domega; 0] / 2 - |omega|^2 q / 4 (B.42).

    `q` (4,): unit quaternion (x, y, z, w).
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    `omega_rate` (3,): angular acceleration in the axes of the body [rad/s2].
    """
    return quaternion_rate(q, omega_rate) - 0.25 * (omega @ omega) * q


def angular_acceleration(q, omega, rate2):
    """Return the angular acceleration from qddot (B.43), the inverse of (B.42).

    `q` (4,): unit quaternion (x, y, z, w).
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    `rate2` (4,): second derivative of the quaternion [1/s2].
    """
    return 2.0 * e_plus(q).T @ rate2 + 0.5 * (omega @ omega) * np.array([0.0, 0.0, 0.0, 1.0])


def gibbs_rotation(s):
    """Return R of a Gibbs vector by Cayley's formula (B.45).

    `s` (3,): gibbs vector v / w.
    """
    return np.linalg.solve(np.eye(3) - skew(s), np.eye(3) + skew(s))


def gibbs_rate(s, omega):
    """Return the rate of a Gibbs vector: (B.34) with (B.47).

    `s` (3,): gibbs vector v / w.
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    """
    return 0.5 * (omega + np.cross(s, omega) + s * (s @ omega))


def gibbs_acceleration(s, omega, omega_rate):
    """Return the second derivative of a Gibbs vector.

    `s` (3,): gibbs vector v / w.
    `omega` (3,): angular velocity in the axes of the body [rad/s].
    `omega_rate` (3,): angular acceleration in the axes of the body [rad/s2].
    """
    rate = gibbs_rate(s, omega)
    turned = np.cross(rate, omega) + rate * (s @ omega) + s * (rate @ omega)
    return gibbs_rate(s, omega_rate) + 0.5 * turned


def gibbs_between(a, b, share=0.0):
    """Return a Gibbs vector whose rotation takes one unit vector to another (B.49).

    Every share gives such a vector.

    `a` (3,): first unit vector.
    `b` (3,): second unit vector, not -a: a half turn has no Gibbs vector.
    `share`: factor of a + b in the result.
    """
    return np.cross(a - b, a + b) / ((a + b) @ (a + b)) + share * (a + b)
