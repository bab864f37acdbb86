# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Velocities and accelerations of all links."""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip, velocities_base_to_tip
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load


@recursion
def link_motions(
    topology: Topology,
    constants: Table,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    V: Matrix,
    A: Matrix,
):
    """Compute velocities and accelerations of the origins of all links, in O(n).

    V(i) = phi* V(parent) + H* qd and alpha(i) = phi* alpha(parent) + H* qdd + a(i) (Jain 2011,
    Algorithm 3.2 and eq. 5.8). Accelerations are those of points (1.18).

    `V` (nb - 1, 6), written: linear and angular velocity in base axes [m/s, rad/s].
    `A` (nb - 1, 6), written: linear and angular acceleration in base axes [m/s^2, rad/s^2].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    start_at_base(work, (0.0, 0.0, 0.0))
    motion_base_to_tip(topology, constants, work, qd, qdd)
    for row in range(V.shape[0]):
        i = carried[row + 1]
        r, w = (links[i, 9], links[i, 10], links[i, 11]), load(work[i].omega)
        v = add(load(work[i].speed), cross(w, r))
        a = add(load(work[i].accel), rotate(work[i].rate, r))
        V[row, 0], V[row, 1], V[row, 2] = rotate(work[i].world_rotation, v)
        V[row, 3], V[row, 4], V[row, 5] = rotate(work[i].world_rotation, w)
        A[row, 0], A[row, 1], A[row, 2] = rotate(work[i].world_rotation, a)
        A[row, 3], A[row, 4], A[row, 5] = rotate(work[i].world_rotation, load(work[i].alpha))
