# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compiled checks of states: shape and finite numbers."""

import sys

from robodyn_ros.compile.kernel import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Integer, Vector

LARGEST = sys.float_info.max


@primitive
def fits(x, n):
    """Return whether x has n entries, all finite.

    Comparisons work with every LLVM; that of Numba 0.59 simplifies zero times a number to zero.
    """
    if x.ndim != 1:  # true only in Python: in compiled code the type has one axis
        return False
    finite = 0
    for k in range(x.shape[0]):
        finite += abs(x[k]) <= LARGEST
    return x.shape[0] == n and finite == n


@kernel
def one(nq: Integer, nv: Integer, q: Vector):
    """Return whether q is a configuration of nq coordinates."""
    return fits(q, nq)


@kernel
def two(nq: Integer, nv: Integer, q: Vector, y: Vector):
    """Return the same for q and one vector of nv entries."""
    return fits(q, nq) and fits(y, nv)


@kernel
def three(nq: Integer, nv: Integer, q: Vector, y: Vector, z: Vector):
    """Return the same for q and two vectors."""
    return fits(q, nq) and fits(y, nv) and fits(z, nv)


ALL = (one, two, three)
