# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scratch of recursions in tiles, for steps that machine code takes for eight bodies at a time.

A tile has one register for each column of work, with a number for each of eight bodies. Steps of
single bodies then take a register as they take a number. In Python there are no tiles, and these
steps take one body after the other in working memory itself. See robodyn_ros.compile.simd.lanes.
"""

from robodyn_ros.algorithms.core.joint_transform import turn_joint
from robodyn_ros.spatial.primitive import emitted


@emitted
def body_by_body(topology, work):
    """Return the rows of single bodies in tiles."""
    return work


@emitted
def tile_by_tile(topology, work):
    """Return rows of eight bodies each: those of the tiles."""
    return work


@emitted
def last_tile(topology):
    """Return the last row of `tile_by_tile`."""
    return topology.shape[0] - 1


@emitted
def numbers_in_tiles(topology, constants, work):
    """Return mass, first moment and inertia in rows like `tile_by_tile`."""
    return constants


@emitted
def wrenches_in_tiles(topology, f_ext, work):
    """Return external wrenches in rows like `tile_by_tile`.

    `f_ext` (nb, 6): moment and force on each body.
    """
    return f_ext


@emitted
def turn_joints(topology, constants, rows, q):
    """Store cosine and sine of all joint angles, see `core.joint_transform.turn_joint`.

    `rows`: rows of `body_by_body`.
    """
    for i in range(1, topology.shape[0]):
        turn_joint(topology, constants, rows, q, i)
