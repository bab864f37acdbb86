# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Check before decoding that a Float64MultiArray has as many octets as its lengths claim."""

from robodyn_ros.compile.kernel import kernel
from robodyn_ros.middleware.joint_state_cdr import read_length
from robodyn_ros.middleware.trajectory_cdr import ENCAPSULATION
from robodyn_ros.spatial.types import Octets

DIMENSION_OCTETS = 8  # of a dimension after its label: size and stride


@kernel
def array_fits(data: Octets):
    """Return whether every length in a Float64MultiArray in plain CDR lies within its octets.

    The layout is a count of dimensions, the dimensions, an offset; then come the numbers. Counts
    are aligned to 4 octets, numbers to 8.
    """
    last, at = data.shape[0], ENCAPSULATION
    if at + 4 > last:
        return False
    dimensions = read_length(data, at)
    at += 4
    while dimensions > 0:
        at += -(at - ENCAPSULATION) % 4
        if at + 4 > last:
            return False
        label = read_length(data, at)
        at += 4
        if label > last - at:
            return False
        at += label
        at += -(at - ENCAPSULATION) % 4 + DIMENSION_OCTETS
        dimensions -= 1
    at += -(at - ENCAPSULATION) % 4 + 4
    if at + 4 > last:
        return False
    size = read_length(data, at)
    at += 4
    if size == 0:
        return True
    at += -(at - ENCAPSULATION) % 8
    return size <= (last - at) // 8
