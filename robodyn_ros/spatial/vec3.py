# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""3-vectors as tuples of scalars, loaded from and stored to rows of arrays."""

from robodyn_ros.spatial.primitive import primitive


@primitive
def load(rows, i, k):
    """Return the 3-vector in columns k to k+2 of row i.

    `k`: first of three columns.
    """
    return rows[i, k], rows[i, k + 1], rows[i, k + 2]


@primitive
def store(rows, i, k, v):
    """Write the 3-vector v to columns k to k+2 of row i.

    `k`: first of three columns.
    """
    rows[i, k] = v[0]
    rows[i, k + 1] = v[1]
    rows[i, k + 2] = v[2]


@primitive
def accumulate(rows, i, k, v):
    """Add the 3-vector v to columns k to k+2 of row i.

    `k`: first of three columns.
    """
    rows[i, k] = rows[i, k] + v[0]
    rows[i, k + 1] = rows[i, k + 1] + v[1]
    rows[i, k + 2] = rows[i, k + 2] + v[2]


@primitive
def add(a, b):
    """Return a + b."""
    return a[0] + b[0], a[1] + b[1], a[2] + b[2]


@primitive
def sub(a, b):
    """Return a - b."""
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@primitive
def scale(s, a):
    """Return s a, for a scalar s.

    `s`: scalar.
    """
    return s * a[0], s * a[1], s * a[2]


@primitive
def dot(a, b):
    """Return the scalar product a . b."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@primitive
def cross(a, b):
    """Return the vector product a x b."""
    return (a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0])
