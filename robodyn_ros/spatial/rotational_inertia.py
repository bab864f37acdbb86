# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Symmetric 3x3 matrices as six numbers (xx, xy, xz, yy, yz, zz), and their shift."""

from robodyn_ros.spatial.primitive import primitive


@primitive
def load_symmetric(x, k=0):
    """Return the symmetric matrix in entries k to k+5 of x."""
    return (x[k], x[k + 1], x[k + 2], x[k + 3], x[k + 4], x[k + 5])


@primitive
def store_symmetric(x, a, k=0):
    """Write the symmetric matrix a to entries k to k+5 of x."""
    x[k] = a[0]
    x[k + 1] = a[1]
    x[k + 2] = a[2]
    x[k + 3] = a[3]
    x[k + 4] = a[4]
    x[k + 5] = a[5]


@primitive
def add_symmetric(a, b):
    """Return the sum A + B of two symmetric matrices.

    `a`, `b`: symmetric matrices, six numbers each.
    """
    return a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5]


@primitive
def times(a, v):
    """Return A v for a symmetric matrix A."""
    return (
        a[0] * v[0] + a[1] * v[1] + a[2] * v[2],
        a[1] * v[0] + a[3] * v[1] + a[4] * v[2],
        a[2] * v[0] + a[4] * v[1] + a[5] * v[2],
    )


@primitive
def shift_inertia(inertia, mass, moment, p):
    """Move the reference point of a rotational inertia by -p, without the centre of mass.

    I' = I + 2 (p . u) 1 - p u^T - u p^T with u = h + m p / 2 (Craig 2005, eq. 6.25). It uses the
    first moment h = m c, so a massless body needs no special case.

    `inertia`: rotational inertia, six numbers [kg m^2].
    `mass`: mass m [kg].
    `moment`: first moment h about the old reference point [kg m].
    `p`: displacement, 3-vector [m].
    Returns six numbers [kg m^2].
    """
    half = 0.5 * mass
    u = (moment[0] + half * p[0], moment[1] + half * p[1], moment[2] + half * p[2])
    # p is doubled first: that costs nothing in recorded code, where it is constant
    xx, yy, zz = (p[0] + p[0]) * u[0], (p[1] + p[1]) * u[1], (p[2] + p[2]) * u[2]
    return (
        inertia[0] + (yy + zz),
        inertia[1] - (p[0] * u[1] + p[1] * u[0]),
        inertia[2] - (p[0] * u[2] + p[2] * u[0]),
        inertia[3] + (xx + zz),
        inertia[4] - (p[1] * u[2] + p[2] * u[1]),
        inertia[5] + (xx + yy),
    )
