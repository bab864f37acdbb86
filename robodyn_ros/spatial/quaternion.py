# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotations by quaternions (x, y, z, w): the scalar part last, as in ROS messages."""

from numpy import arctan2, cos, sin, sqrt

from robodyn_ros.spatial.primitive import primitive

#: Squared length below which a quaternion counts as zero.
SMALLEST = 1e-12
#: Half angle [rad] below which its sine is the angle to rounding.
SMALL = 1e-8


@primitive
def axes_of_quaternion(x, y, z, w):
    """Return the columns of the rotation matrix of a quaternion.

    R = 1 + 2 (w [v] + [v]^2) / (v.v + w^2), so any length but zero will do. If the squared length
    is below SMALLEST, R is the identity.

    `x`, `y`, `z`: vector part v.
    `w`: scalar part.
    """
    size = x * x + y * y + z * z + w * w
    s = 2.0 / size if size > SMALLEST else 0.0
    sx, sy, sz = s * x, s * y, s * z
    xx, yy, zz = sx * x, sy * y, sz * z
    xy, xz, yz = sx * y, sx * z, sy * z
    wx, wy, wz = sx * w, sy * w, sz * w
    return (
        (1.0 - (yy + zz), xy + wz, xz - wy),
        (xy - wz, 1.0 - (xx + zz), yz + wx),
        (xz + wy, yz - wx, 1.0 - (xx + yy)),
    )


@primitive
def product(p, q):
    """Return p q, the rotation R(p) R(q).

    `p`, `q`: quaternions (x, y, z, w).
    """
    return (
        p[3] * q[0] + p[0] * q[3] + p[1] * q[2] - p[2] * q[1],
        p[3] * q[1] + p[1] * q[3] + p[2] * q[0] - p[0] * q[2],
        p[3] * q[2] + p[2] * q[3] + p[0] * q[1] - p[1] * q[0],
        p[3] * q[3] - p[0] * q[0] - p[1] * q[1] - p[2] * q[2],
    )


@primitive
def conjugate(q):
    """Return the conjugate, which is the inverse rotation if the quaternion has unit length."""
    return -q[0], -q[1], -q[2], q[3]


@primitive
def unit(q):
    """Return q / |q|."""
    s = 1.0 / sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    return s * q[0], s * q[1], s * q[2], s * q[3]


@primitive
def exponential(v):
    """Return the unit quaternion of a rotation vector: cos(|v|/2), sin(|v|/2) v / |v|.

    `v`: rotation vector [rad].
    """
    half = 0.5 * sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    share = 0.5 if half < SMALL else 0.5 * sin(half) / half
    return share * v[0], share * v[1], share * v[2], cos(half)


@primitive
def logarithm(q):
    """Return the shortest rotation vector of a quaternion, of at most half a turn."""
    x, y, z, w = q if q[3] >= 0.0 else (-q[0], -q[1], -q[2], -q[3])
    s = sqrt(x * x + y * y + z * z)
    share = 2.0 / w if s < SMALL * w else 2.0 * arctan2(s, w) / s
    return share * x, share * y, share * z
