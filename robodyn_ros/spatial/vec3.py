# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""3-vectors as tuples of scalars, loaded from and stored to fields of rows."""

from robodyn_ros.spatial.primitive import primitive


@primitive
def load(x, k=0):
    """Return the 3-vector in entries k to k+2 of x."""
    return x[k], x[k + 1], x[k + 2]


@primitive
def store(x, v, k=0):
    """Write the 3-vector v to entries k to k+2 of x."""
    x[k] = v[0]
    x[k + 1] = v[1]
    x[k + 2] = v[2]


@primitive
def accumulate(x, v, k=0):
    """Add the 3-vector v to entries k to k+2 of x."""
    x[k] = x[k] + v[0]
    x[k + 1] = x[k + 1] + v[1]
    x[k + 2] = x[k + 2] + v[2]


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
