# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rotations, shifts and products of an articulated inertia [[A, B], [B^T, C]].

It maps a motion to a force, angular parts first. A and C are symmetric, six numbers (xx, xy, xz,
yy, yz, zz). B is general, nine numbers, row-major.
"""

from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.vec3 import cross, load


@primitive
def load_general(x, k=0):
    """Return the 3x3 matrix in entries k to k+8 of x, row-major."""
    return load(x, k) + load(x, k + 3) + load(x, k + 6)


@primitive
def store_general(x, b, k=0):
    """Write the row-major 3x3 matrix b to entries k to k+8 of x."""
    for j in range(9):
        x[k + j] = b[j]


@primitive
def turn_general(c, s, b):
    """Return Rz B Rz^T for a 3x3 matrix B.

    The trace and the difference of the entries xy and yx of the block of x and y stay. So four
    products do for this block. With p = s (xx - yy) + c (xy + yx),

        xx' = xx - s p,  yy' = yy + s p,  xy' = c p - yx,  yx' = c p - xy.
    """
    p = s * (b[0] - b[4]) + c * (b[1] + b[3])
    moved, mixed = s * p, c * p
    return (
        b[0] - moved,
        mixed - b[3],
        c * b[2] - s * b[5],
        mixed - b[1],
        b[4] + moved,
        s * b[2] + c * b[5],
        c * b[6] - s * b[7],
        s * b[6] + c * b[7],
        b[8],
    )


@primitive
def rotate_general(R, c, s, b, k=0):
    """Return R B R^T for a 3x3 matrix B, with R = R0 Rz.

    `k`: first of the nine entries of R0, row-major.
    `c`, `s`: cosine and sine of the rotation Rz about z.
    """
    b = turn_general(c, s, b)
    if R[k] == 1.0:  # rotation about x: frequent, and cheaper
        yy, yz, yx, zy, zz, zx, xy, xz, xx = turn_general(
            R[k + 4], R[k + 7], (b[4], b[5], b[3], b[7], b[8], b[6], b[1], b[2], b[0])
        )
        return xx, xy, xz, yx, yy, yz, zx, zy, zz
    x = rotate(R, (b[0], b[1], b[2]), k)
    y = rotate(R, (b[3], b[4], b[5]), k)
    z = rotate(R, (b[6], b[7], b[8]), k)
    left = rotate(R, (x[0], y[0], z[0]), k)
    middle = rotate(R, (x[1], y[1], z[1]), k)
    right = rotate(R, (x[2], y[2], z[2]), k)
    return (
        left[0],
        middle[0],
        right[0],
        left[1],
        middle[1],
        right[1],
        left[2],
        middle[2],
        right[2],
    )


@primitive
def shift_articulated(a, b, c, p):
    """Move the reference point of an articulated inertia by -p.

    B' = B + [p] C, A' = A - B [p] + [p] B'^T.

    `a`: block A: six numbers [kg m^2].
    `b`: block B: nine numbers [kg m].
    `c`: block C: six numbers [kg].
    `p`: displacement, 3-vector [m].
    Returns A' and B'; C does not change.
    """
    left = cross(p, (c[0], c[1], c[2]))
    middle = cross(p, (c[1], c[3], c[4]))
    right = cross(p, (c[2], c[4], c[5]))
    moved = (
        b[0] + left[0],
        b[1] + middle[0],
        b[2] + right[0],
        b[3] + left[1],
        b[4] + middle[1],
        b[5] + right[1],
        b[6] + left[2],
        b[7] + middle[2],
        b[8] + right[2],
    )
    # row j of -B [p] is p x (row j of B); column j of [p] B'^T is p x (row j of B')
    x = cross(p, (b[0], b[1], b[2]))
    y = cross(p, (b[3], b[4], b[5]))
    z = cross(p, (b[6], b[7], b[8]))
    u = cross(p, (moved[0], moved[1], moved[2]))
    v = cross(p, (moved[3], moved[4], moved[5]))
    w = cross(p, (moved[6], moved[7], moved[8]))
    return (
        a[0] + x[0] + u[0],
        a[1] + x[1] + v[0],
        a[2] + x[2] + w[0],
        a[3] + y[1] + v[1],
        a[4] + y[2] + w[1],
        a[5] + z[2] + w[2],
    ), moved


@primitive
def times_general(b, v):
    """Return B v for a row-major 3x3 matrix B."""
    return (
        b[0] * v[0] + b[1] * v[1] + b[2] * v[2],
        b[3] * v[0] + b[4] * v[1] + b[5] * v[2],
        b[6] * v[0] + b[7] * v[1] + b[8] * v[2],
    )


@primitive
def transpose_times(b, v):
    """Return B^T v for a row-major 3x3 matrix B."""
    return (
        b[0] * v[0] + b[3] * v[1] + b[6] * v[2],
        b[1] * v[0] + b[4] * v[1] + b[7] * v[2],
        b[2] * v[0] + b[5] * v[1] + b[8] * v[2],
    )
