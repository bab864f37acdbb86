# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Whether states are what the kernels expect: one look, in compiled code."""

import sys

from robodyn_ros.compile.kernel import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Integer, Vector

LARGEST = sys.float_info.max


@primitive
def fits(x, n):
    """Return whether x has n entries, all of them finite.

    A comparison says so under every LLVM; that of Numba 0.59 takes zero times anything for zero.
    """
    if x.ndim != 1:  # of compiled code its type says so
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
    """The same with nv velocities, or the like."""
    return fits(q, nq) and fits(y, nv)


@kernel
def three(nq: Integer, nv: Integer, q: Vector, y: Vector, z: Vector):
    """The same with two of them."""
    return fits(q, nq) and fits(y, nv) and fits(z, nv)


ALL = (one, two, three)
