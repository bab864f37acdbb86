# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Memory of kernels over independent coordinates, behind the rows of the bodies.

First the memory of `expansion`, then that of loops; see
robodyn_ros.algorithms.core.working_memory.
"""

import numpy as np

from robodyn_ros.algorithms.core.working_memory import VECTORS
from robodyn_ros.model.layout import COUNT, FIRST
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.work import WIDTH


@primitive
def memory(topology, work, start, length):
    """Return entries of the memory behind the rows of the bodies.

    `start`: first entry.
    """
    flat = work.view(np.float64)
    first = topology.shape[0] * WIDTH + start
    return flat[first : first + length]


@primitive
def sweep_memory(topology, work, length):
    """Return the memory of aggregated bodies, which is that of matrices over all joints."""
    n, width = topology.shape[0] - 1, topology[0, COUNT]
    return memory(topology, work, (2 + VECTORS + width) * n, length)


@primitive
def loop_memory(topology, work, start, length):
    """Return entries of the memory behind that of `expansion`.

    `start`: first entry.
    """
    n, nv, width = topology.shape[0] - 1, topology[0, FIRST], topology[0, COUNT]
    before = (2 + VECTORS + width) * n + (n + nv) * (n + 6) + 10 * n * n
    return memory(topology, work, before + start, length)
