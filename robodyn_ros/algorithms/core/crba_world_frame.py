# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix by composite bodies with all wrenches in one frame."""

from robodyn_ros.algorithms.core.crba import composite_tip_to_base, joint_momentum
from robodyn_ros.algorithms.core.joint_transform import along_joint, joint_transforms
from robodyn_ros.algorithms.core.matrices import clear
from robodyn_ros.algorithms.core.world_frame import (
    joint_axes_in_world_frame,
    poses_in_world_frame,
    torques_on_ancestors,
)
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work


@primitive
def mass_matrix(topology: Topology, constants: Table, work: Work, q: Vector, M: Matrix):
    """Compute M(q) by products S_i . F_j of columns in one frame, in O(n depth).

    It is M = T^T M T of Angeles 2014, eq. (7.58), with the twists of the natural orthogonal
    complement in one frame (7.69). The wrenches F_j = R_j S_j of composite bodies are those of
    Jain 2011, eq. (4.11) and Algorithm 4.2. It needs less arithmetic than `crba.mass_matrix` for
    long chains and skew axes.
    """
    joint_transforms(topology, constants, work, q)
    composite_tip_to_base(topology, constants, work)
    poses_in_world_frame(topology, work)
    joint_axes_in_world_frame(topology, constants, work)
    clear(M)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        n, f = joint_momentum(topology, constants, work, i)
        M[k, k] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR]
        torques_on_ancestors(topology, constants, work, i, n, f, M[k])
        j = topology[i, PARENT]
        while j > 0:
            M[topology[j, V], k] = M[k, topology[j, V]]
            j = topology[j, PARENT]
