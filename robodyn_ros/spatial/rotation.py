# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotations of nine entries, row-major, and rotations about z by cosine and sine."""

from robodyn_ros.spatial.primitive import primitive


@primitive
def rotate(R, v, k=0):
    """Return R v, with R in entries k to k+8, row-major."""
    return (
        R[k] * v[0] + R[k + 1] * v[1] + R[k + 2] * v[2],
        R[k + 3] * v[0] + R[k + 4] * v[1] + R[k + 5] * v[2],
        R[k + 6] * v[0] + R[k + 7] * v[1] + R[k + 8] * v[2],
    )


@primitive
def rotate_inverse(R, v, k=0):
    """Return R^T v, with R in entries k to k+8, row-major."""
    return (
        R[k] * v[0] + R[k + 3] * v[1] + R[k + 6] * v[2],
        R[k + 1] * v[0] + R[k + 4] * v[1] + R[k + 7] * v[2],
        R[k + 2] * v[0] + R[k + 5] * v[1] + R[k + 8] * v[2],
    )


@primitive
def rotate_z(c, s, v):
    """Return Rz v, for a rotation about z."""
    return c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]


@primitive
def rotate_z_inverse(c, s, v):
    """Return Rz^T v, for a rotation about z."""
    return c * v[0] + s * v[1], c * v[1] - s * v[0], v[2]


@primitive
def turn_symmetric(c, s, a):
    """Return Rz A Rz^T for a symmetric matrix A.

    Since c^2 + s^2 = 1, four products do for the block of x and y. With p = s (xx - yy) + 2 c xy,

        xx' = xx - s p,  yy' = yy + s p,  xy' = c p - xy.

    `a`: symmetric matrix, six numbers (xx, xy, xz, yy, yz, zz).
    """
    xx, xy, xz, yy, yz, zz = a
    p = s * (xx - yy) + c * (xy + xy)
    moved = s * p
    return xx - moved, c * p - xy, c * xz - s * yz, yy + moved, s * xz + c * yz, zz


@primitive
def rotate_symmetric(R, a, k=0):
    """Return R A R^T for a symmetric matrix A, with R in nine columns of a row.

    `k`: first of the nine entries of R, row-major.
    `a`: symmetric matrix, six numbers (xx, xy, xz, yy, yz, zz).
    """
    xx, xy, xz, yy, yz, zz = a
    if R[k] == 1.0:  # rotation about x: frequent, and cheaper
        yy, yz, xy, zz, xz, xx = turn_symmetric(R[k + 4], R[k + 7], (yy, yz, xy, zz, xz, xx))
        return xx, xy, xz, yy, yz, zz
    x = rotate(R, (xx, xy, xz), k)
    y = rotate(R, (xy, yy, yz), k)
    z = rotate(R, (xz, yz, zz), k)
    top = rotate(R, (x[0], y[0], z[0]), k)
    middle = rotate(R, (x[1], y[1], z[1]), k)
    # less arithmetic than the product: a rotation keeps the trace
    last = zz + (xx - top[0]) + (yy - middle[1])
    return top[0], top[1], top[2], middle[1], middle[2], last
