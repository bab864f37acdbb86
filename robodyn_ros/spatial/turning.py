# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotate an orientation, a unit quaternion (x, y, z, w), by a rotation vector, and back."""

from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.quaternion import conjugate, exponential, logarithm, product, unit


@primitive
def turn_by(v, q):
    """Return exp(v) q: the orientation q, rotated by a rotation vector.

    `v`: rotation vector [rad].
    `q`: unit quaternion (x, y, z, w).
    """
    return unit(product(exponential(v), q))


@primitive
def turn_between(p, q):
    """Return the shortest v with p = exp(v) q, of at most half a turn.

    `p`, `q`: unit quaternions (x, y, z, w).
    """
    return logarithm(product(p, conjugate(q)))


@primitive
def quaternion_of(x, y, z):
    """Return the unit quaternion of a rotation matrix (Shepperd 1978).

    `x`, `y`, `z`: columns of the matrix.
    """
    trace = x[0] + y[1] + z[2]
    if trace >= x[0] and trace >= y[1] and trace >= z[2]:
        return unit((y[2] - z[1], z[0] - x[2], x[1] - y[0], 1.0 + trace))
    if x[0] >= y[1] and x[0] >= z[2]:
        return unit((1.0 + x[0] - y[1] - z[2], x[1] + y[0], z[0] + x[2], y[2] - z[1]))
    if y[1] >= z[2]:
        return unit((x[1] + y[0], 1.0 + y[1] - x[0] - z[2], y[2] + z[1], z[0] - x[2]))
    return unit((z[0] + x[2], y[2] + z[1], 1.0 + z[2] - x[0] - y[1], x[1] - y[0]))
