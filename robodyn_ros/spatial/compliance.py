# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compliance [[A, B], [B^T, C]] of one body: the map from force to acceleration."""

from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.vec3 import cross


@primitive
def shift_compliance(a, b, c, p):
    """Move the reference point of a compliance by p.

    B' = B + A [p], C' = C - [p] B + B'^T [p].

    `a`: block A: symmetric, six numbers [1/(kg m^2)].
    `b`: block B: nine numbers, row-major [1/(kg m)].
    `c`: block C: symmetric, six numbers [1/kg].
    `p`: displacement, 3-vector [m].
    Returns B' and C'; A does not change.
    """
    x = cross((a[0], a[1], a[2]), p)
    y = cross((a[1], a[3], a[4]), p)
    z = cross((a[2], a[4], a[5]), p)
    moved = (
        b[0] + x[0],
        b[1] + x[1],
        b[2] + x[2],
        b[3] + y[0],
        b[4] + y[1],
        b[5] + y[2],
        b[6] + z[0],
        b[7] + z[1],
        b[8] + z[2],
    )
    left, middle, right = (b[0], b[3], b[6]), (b[1], b[4], b[7]), (b[2], b[5], b[8])
    u, v, w = cross(left, p), cross(middle, p), cross(right, p)  # minus the columns of [p] B
    f = cross((moved[0], moved[3], moved[6]), p)
    g = cross((moved[1], moved[4], moved[7]), p)
    h = cross((moved[2], moved[5], moved[8]), p)
    return moved, (
        c[0] + f[0] + u[0],
        c[1] + f[1] + v[0],
        c[2] + f[2] + w[0],
        c[3] + g[1] + v[1],
        c[4] + g[2] + w[1],
        c[5] + h[2] + w[2],
    )
