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

    `x`: the array.
    `n`: expected number of entries.
    """
    if x.ndim != 1:  # only in Python: the type of compiled code has one axis
        return False
    finite = 0
    for k in range(x.shape[0]):
        finite += abs(x[k]) <= LARGEST
    return x.shape[0] == n and finite == n


@kernel
def one(nq: Integer, nv: Integer, q: Vector):
    """Return whether q is a configuration of nq coordinates.

    `nq`: number of positions.
    `nv`: number of rates.
    """
    return fits(q, nq)


@kernel
def two(nq: Integer, nv: Integer, q: Vector, y: Vector):
    """Return whether a state of two vectors has the right lengths and finite numbers.

    `nq`: number of positions.
    `nv`: number of rates.
    `y`: rates, or another vector of joint space.
    """
    return fits(q, nq) and fits(y, nv)


@kernel
def three(nq: Integer, nv: Integer, q: Vector, y: Vector, z: Vector):
    """Return whether a state of three vectors has the right lengths and finite numbers.

    `nq`: number of positions.
    `nv`: number of rates.
    `y`, `z`: rates and accelerations, or other vectors of joint space.
    """
    return fits(q, nq) and fits(y, nv) and fits(z, nv)


ALL = (one, two, three)
