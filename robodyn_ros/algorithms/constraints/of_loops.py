# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Detect robots with closed loops at compile time, and the decorator of their functions.

The type of `topology` marks such robots when a kernel is compiled: `Looped`, not `Topology`. So
kernels of other robots contain no code for loops, which would double their compile time.
"""

from robodyn_ros.model.layout import EMBEDDED_TOPOLOGY_COLUMNS
from robodyn_ros.spatial.primitive import only_for, primitive
from robodyn_ros.spatial.types import Looped

#: Decorates a function (topology, ...) without result: a call of it is empty without loops.
of_loops = only_for(Looped.dtype)


@primitive
def has_loops(topology):
    """Return whether the robot has closed loops, at run time."""
    return topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS
