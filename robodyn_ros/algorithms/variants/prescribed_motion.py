# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics by articulated bodies, from a motion whose torque needs few operations."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias, gains, joint_acceleration
from robodyn_ros.algorithms.core.joint_transform import add_along_joint, joint_transforms
from robodyn_ros.algorithms.core.rnea import prescribe_motion
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import cross_tip_to_base, rest_base
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotation import rotate_inverse, rotate_z, rotate_z_inverse
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, store


@primitive
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd = qdd' + (M + diag(diagonal))^-1 (tau - tau' - diag(diagonal) qdd'), in O(n).

    tau' is the torque of a prescribed motion qdd'. Its link wrenches replace the bias forces of
    the articulated-body algorithm (Jain 2011, Algorithms 7.1 and 7.2). These are products of the
    velocity-dependent accelerations and articulated inertias, which take more operations.
    """
    joint_transforms(topology, constants, work, q)
    prescribe_motion(topology, constants, gravity, work, qd, qdd)
    status = articulated_inertias(topology, constants, work, diagonal)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        work[i].residual = tau[k] - (constants[i, ROTOR] + diagonal[k]) * qdd[k]
    for i in range(topology.shape[0] - 1, 0, -1):
        cross_tip_to_base(topology, constants, work, i)
    rest_base(work)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        qdd[k] = qdd[k] + accelerate_from_parent(topology, constants, work, i)
    return status


@primitive
def accelerate_from_parent(topology, constants, work, i):
    """Compute the joint acceleration u / D - G^T a', and the acceleration of body i.

    G and a' are in the axes of the parent, turned to the joint by its constant rotation. So the
    joint acceleration does not wait until a' is rotated by the joint. A chain of joints would add
    up such waits. Rotating G takes eight operations, but these need no acceleration.

    Returns joint acceleration [rad/s^2 or m/s^2].
    """
    parent, c, s = topology[i, PARENT], work[i].cos, work[i].sin
    turning = load(work[parent].alpha)
    moving = add(load(work[parent].accel), cross(turning, load(work[i].position)))
    alpha = rotate_inverse(work[i].rotation, turning)
    a = rotate_inverse(work[i].rotation, moving)
    g, k = gains(work, i)
    x = joint_acceleration(topology, work, i, rotate_z(c, s, g), rotate_z(c, s, k), alpha, a)
    alpha, a = add_along_joint(
        topology, constants, i, rotate_z_inverse(c, s, alpha), rotate_z_inverse(c, s, a), x
    )
    store(work[i].alpha, alpha)
    store(work[i].accel, a)
    return x
