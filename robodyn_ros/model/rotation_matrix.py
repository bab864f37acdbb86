# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotation matrices of a description, exact for multiples of a quarter turn."""

import numpy as np

from robodyn_ros.model.arithmetic import cosine_and_sine, norm, product

# Rounding of pi/2 leaves 6e-17 in place of 0. Intended values are far larger.
ROUNDING = 1e-12

SHORTEST = 1e-3  # length below which a quaternion is an error


def clean(rows):
    """Remove rounding errors from the entries of unit rows.

    Entries below 1e-12 become 0, and a row left with a single entry becomes a signed axis. Angles
    written with few digits, as in rpy="1.5707963 0 0", differ by more and are kept as they are.

    `rows` ((..., 3) array_like): rows of unit length, such as a rotation matrix.
    Returns a new array.
    """
    cleaned = np.where(np.abs(rows) < ROUNDING, 0.0, rows)
    single = np.count_nonzero(cleaned, axis=-1) == 1
    cleaned[single] = np.sign(cleaned[single])
    return cleaned


def about_x(angle):
    """Return the rotation matrix of an angle about x."""
    c, s = cosine_and_sine(angle)
    return clean(np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]]))


def about_y(angle):
    """Return the rotation matrix of an angle about y."""
    c, s = cosine_and_sine(angle)
    return clean(np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]]))


def about_z(angle):
    """Return the rotation matrix of an angle about z."""
    c, s = cosine_and_sine(angle)
    return clean(np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]))


def about_axis(axis, angle):
    """Return the rotation matrix of an angle about an axis.

    `axis` ((3,) array_like): unit vector.
    """
    R_LB = z_to_axis(axis)
    return clean(product(product(R_LB, about_z(angle)), R_LB.T))


def from_quaternion(x, y, z, w):
    """Return the rotation matrix of a unit quaternion: 1 + 2 (w [v] + [v]^2).

    `x`, `y`, `z`: vector part v.
    `w`: scalar part.
    """
    V = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return clean(np.eye(3) + 2.0 * (w * V + product(V, V)))


def from_rpy(roll, pitch, yaw):
    """Return R = Rz(yaw) Ry(pitch) Rx(roll), of the fixed-axis angles of URDF.

    `roll`, `pitch`, `yaw`: angles [rad].
    """
    return clean(product(product(about_z(yaw), about_y(pitch)), about_x(roll)))


def made_exact(roll, pitch, yaw):
    """Return the largest change of a direction cosine by which `from_rpy` makes it exact.

    `roll`, `pitch`, `yaw`: angles [rad].
    """
    (cr, sr), (cp, sp), (cy, sy) = map(cosine_and_sine, (roll, pitch, yaw))
    raw = np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
    return float(np.abs(raw - from_rpy(roll, pitch, yaw)).max())


def unit_axis(axis):
    """Return the direction of a vector, exact along a coordinate axis.

    `axis` (3,): vector, not zero.
    """
    return clean(axis / norm(axis))


def z_to_axis(axis):
    """Return the smallest rotation that turns z into an axis, so that R e_z = axis.

    R = 1 + [v] + [v]^2 / (1 + z), with axis = (x, y, z) and v = e_z x axis. For +z it is the
    identity, for -z the half turn about x. For every other coordinate axis it is a signed
    permutation.

    `axis` ((3,) array_like): unit vector.
    """
    x, y, z = axis
    if x == 0.0 and y == 0.0:
        return np.diag([1.0, z, z])
    # 1 / (1 + z), without cancellation near z = -1.
    k = 1.0 / (1.0 + z) if z >= 0.0 else (1.0 - z) / (x * x + y * y)
    return np.array(
        [[1.0 - k * x * x, -k * x * y, x], [-k * x * y, 1.0 - k * y * y, y], [-x, -y, z]]
    )
