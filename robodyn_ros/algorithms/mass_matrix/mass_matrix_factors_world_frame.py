# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The innovations factors of the mass matrix, with Kalman gains in one frame."""

from robodyn_ros.algorithms.core.world_frame import (
    joint_axes_in_world_frame,
    poses_in_world_frame,
    torques_on_ancestors,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain, joint_inertias
from robodyn_ros.model.layout import V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work


@primitive
def mass_factors(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    F: Matrix,
    D: Vector,
):
    """Compute F and D of M + diag(diagonal) = F^T D F, in O(n depth).

    The entries of F are products S_i . G_j of columns in one frame: Jain 2011, eq. (7.14), where
    phi is the identity as in section 5.4. It needs less arithmetic than
    `mass_matrix_factors.mass_factors` for long chains and skew axes.
    """
    status = joint_inertias(topology, constants, work, q, diagonal, D)
    poses_in_world_frame(topology, work)
    joint_axes_in_world_frame(topology, constants, work)
    for row in range(F.shape[0]):
        for column in range(F.shape[1]):
            F[row, column] = 1.0 if row == column else 0.0
    for j in range(1, topology.shape[0]):
        n, f = gain(work, j, 1.0)
        torques_on_ancestors(topology, constants, work, j, n, f, F[topology[j, V]])
    return status
