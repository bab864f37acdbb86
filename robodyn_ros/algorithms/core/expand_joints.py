# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Positions of all joints, and the matrix E of their velocities, E qd.

Here no joint depends on others. Its counterpart is in robodyn_ros.algorithms.constraints.
"""

from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work


@recursion
def expand_joints(
    topology: Topology, constants: Table, work: Work, q: Vector, positions: Vector, E: Matrix
):
    """Compute the positions of all joints, and E: their velocities are E qd.

    `positions` (m,), written: positions of all joints [rad or m].
    `E` (n, nv), written: a row for each joint.
    """
    for k in range(q.shape[0]):
        positions[k] = q[k]
    for i in range(E.shape[0]):
        for k in range(E.shape[1]):
            E[i, k] = 1.0 if i == k else 0.0
