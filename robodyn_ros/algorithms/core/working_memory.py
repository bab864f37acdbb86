# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Size of the working memory of a robot: the rows of its bodies, and memory behind them.

Each thread has its own. A robot with dependent joints has further rows, for arrays over all its
joints.
"""

import numpy as np

from robodyn_ros.model import layout
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.work import TILE_FIELDS, WIDTH, WORK

TILE_WIDTH = WIDTH + sum(size for _, size, _ in TILE_FIELDS)
TILE = 8  # bodies


#: Vectors over all joints for a kernel over independent coordinates.
VECTORS = 8


def allocate(topology):
    """Return the working memory of a robot.

    It has more rows for dependent joints, see robodyn_ros.algorithms.constraints.expansion, and
    for links that bend by modes, see robodyn_ros.algorithms.flexible.modal_storage.
    """
    return np.zeros(rows(topology), WORK)


def rows(topology):
    """Return the number of rows of the working memory of a robot."""
    return topology.shape[0] + rows_behind(topology) + rows_of_tiles(topology)


@primitive
def tiles_of(topology):
    """Return the number of tiles of eight bodies, without that of the base."""
    return -(-(topology.shape[0] - 1) // TILE)


def rows_of_tiles(topology):
    """Return the number of rows of the tiles, which are at the end of working memory."""
    entries = (tiles_of(topology) + 1) * TILE_WIDTH * TILE + TILE  # a tile starts at a cache line
    return -(-entries // WIDTH)


def rows_behind(topology):
    """Return the number of rows behind those of the bodies."""
    if topology.shape[1] == layout.TOPOLOGY_COLUMNS:
        return 0
    if topology.shape[1] == layout.FLEXIBLE_TOPOLOGY_COLUMNS:
        return -(-int(topology[0, layout.ALL_ROOM]) // WIDTH)
    n, nv, width = topology.shape[0] - 1, topology[0, layout.FIRST], topology[0, layout.COUNT]
    entries = (2 + VECTORS + width) * n + (n + nv) * (n + 6) + 10 * n * n
    if topology.shape[1] > layout.EMBEDDED_TOPOLOGY_COLUMNS:
        rows, unknowns = topology[0, [layout.STOPPED_ROWS, layout.UNKNOWNS]]
        entries += 2 * rows * (unknowns + nv + 1) + 4 * n + 44  # see constraints.loops
    return -(-int(entries) // WIDTH)
