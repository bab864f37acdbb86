# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Poses of bodies on deformed links."""

from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.flexible.deformation import modal_transforms
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Stack, Table, Topology, Vector, Work


@primitive
def body_poses(topology: Topology, constants: Table, work: Work, q: Vector, poses: Stack):
    """Compute the transforms of all bodies in the base.

    `poses` (nb, 4, 4), written: homogeneous transforms [-, m].
    """
    modal_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    for i in range(topology.shape[0]):
        for row in range(3):
            for column in range(3):
                poses[i, row, column] = work[i].world_rotation[3 * row + column]
            poses[i, row, 3] = work[i].world_position[row]
            poses[i, 3, row] = 0.0
        poses[i, 3, 3] = 1.0
