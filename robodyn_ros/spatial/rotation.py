# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotations in nine columns of a row, row-major, and rotations about z by cosine and sine."""

from robodyn_ros.spatial.primitive import primitive


@primitive
def rotate(rows, i, k, v):
    """R v, with R in columns k to k+8 of row i."""
    return (
        rows[i, k] * v[0] + rows[i, k + 1] * v[1] + rows[i, k + 2] * v[2],
        rows[i, k + 3] * v[0] + rows[i, k + 4] * v[1] + rows[i, k + 5] * v[2],
        rows[i, k + 6] * v[0] + rows[i, k + 7] * v[1] + rows[i, k + 8] * v[2],
    )


@primitive
def rotate_inverse(rows, i, k, v):
    """R^T v, with R in columns k to k+8 of row i."""
    return (
        rows[i, k] * v[0] + rows[i, k + 3] * v[1] + rows[i, k + 6] * v[2],
        rows[i, k + 1] * v[0] + rows[i, k + 4] * v[1] + rows[i, k + 7] * v[2],
        rows[i, k + 2] * v[0] + rows[i, k + 5] * v[1] + rows[i, k + 8] * v[2],
    )


@primitive
def rotate_z(c, s, v):
    """Return Rz v, for a rotation about z with cosine c and sine s."""
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


@primitive
def rotate_z_inverse(c, s, v):
    """Return Rz^T v, for a rotation about z with cosine c and sine s."""
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


@primitive
def turn_symmetric(c, s, a):
    """Return Rz A Rz^T for a symmetric A = (xx, xy, xz, yy, yz, zz).

    c^2 + s^2 = 1 leaves four products for the block of x and y: with p = s (xx - yy) + 2 c xy,
    xx' = xx - s p, yy' = yy + s p, xy' = c p - xy.
    """
    xx, xy, xz, yy, yz, zz = a
    p = s * (xx - yy) + c * (xy + xy)
    moved = s * p
    return xx - moved, c * p - xy, c * xz - s * yz, yy + moved, s * xz + c * yz, zz


@primitive
def rotate_symmetric(rows, i, k, a):
    """R A R^T for a symmetric A = (xx, xy, xz, yy, yz, zz), with R in columns k to k+8 of row i"""
    xx, xy, xz, yy, yz, zz = a
    if rows[i, k] == 1.0:  # about x, like the placements of an aligned robot
        yy, yz, xy, zz, xz, xx = turn_symmetric(
            rows[i, k + 4], rows[i, k + 7], (yy, yz, xy, zz, xz, xx)
        )
        return xx, xy, xz, yy, yz, zz
    x = rotate(rows, i, k, (xx, xy, xz))
    y = rotate(rows, i, k, (xy, yy, yz))
    z = rotate(rows, i, k, (xz, yz, zz))
    top = rotate(rows, i, k, (x[0], y[0], z[0]))
    middle = rotate(rows, i, k, (x[1], y[1], z[1]))
    # the trace is invariant
    last = zz + (xx - top[0]) + (yy - middle[1])
    return top[0], top[1], top[2], middle[1], middle[2], last
