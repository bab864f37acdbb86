# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Parts of inverse kinematics over independent coordinates.

They stand in the place of those of `task_space.inverse_kinematics`, whose loop is the same.
"""

from robodyn_ros.algorithms.constraints.expansion import (
    all_columns,
    expand_positions,
    project_columns,
)
from robodyn_ros.algorithms.core import jacobian
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.task_space.inverse_kinematics import hold_joint
from robodyn_ros.model.layout import AT, DOF, FIRST
from robodyn_ros.spatial.primitive import primitive


@primitive
def place_bodies(topology, constants, work, q):
    """Compute the poses of all bodies; they are NaN if the loops do not close."""
    everything = expand_positions(topology, constants, work, q)
    joint_transforms(topology, constants, work, everything)
    poses_base_to_tip(topology, work)


@primitive
def jacobian_columns(topology, constants, work, body, frame, J):
    """Compute J = J_tree E of a frame; needs the poses of `place_bodies`."""
    of_tree = all_columns(topology, work, 6)
    jacobian.jacobian_columns(topology, constants, work, body, frame, of_tree)
    project_columns(topology, work, of_tree, J)


@primitive
def hold_at_limits(topology, lower, upper, trial, residual, columns):
    """Clear the columns of independent joints at a limit that the residual drives beyond it.

    `lower`, `upper` (nq,): limits of the positions [rad or m].
    `trial` (nq,): present positions [rad or m].
    `residual` (6,): error of the pose [m, rad].
    `columns` (6, nv): Jacobian of the frame, updated.
    """
    for i in range(1, topology.shape[0]):
        k, j = topology[i, AT], topology[i, FIRST]
        if topology[i, DOF] > 0 and not lower[k] < trial[k] < upper[k]:
            hold_joint(lower, upper, k, j, trial, residual, columns)
