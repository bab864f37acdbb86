# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint reactions: the wrench that each parent exerts on each moving body, motor included."""

from robodyn_ros.algorithms.core.aba import forward_dynamics
from robodyn_ros.algorithms.core.articulated import articulated_times
from robodyn_ros.algorithms.core.joint_transform import carried_acceleration
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.core.rnea import inverse_dynamics
from robodyn_ros.model.layout import PARENT
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, load, scale, sub


@primitive
def wrench_at_link(work, links, i, n, f, wrench):
    """Write a wrench about the origin of body i as one about the origin of its link, in base axes.

    Needs the poses.

    `n`, `f`: moment and force in the frame of body i, 3-vectors [N m, N].
    `wrench` (6,), written: force, then moment [N, N m].
    """
    n = sub(n, cross((links[i, 9], links[i, 10], links[i, 11]), f))
    wrench[0], wrench[1], wrench[2] = rotate(work[i].world_rotation, f)
    wrench[3], wrench[4], wrench[5] = rotate(work[i].world_rotation, n)


@recursion
def joint_wrenches(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    tau: Vector,
    wrenches: Matrix,
):
    """Compute the joint torques and the wrenches across the joints, in O(n).

    f(i) = sum of f(children) + M alpha + b - f_ext (Jain 2011, eq. 5.4 and 5.43).

    `carried` (nb,): for each row, the body that carries its link. For an intermediate body of a
      joint the link is the child link.
    `f_ext` (nb, 6): moment and force on each body [N m, N], in its frame, about its origin.
    `wrenches` (nb - 1, 6), written: force and moment at the origin of each link [N, N m], in base
      axes.
    """
    inverse_dynamics(topology, constants, gravity, work, q, qd, qdd, f_ext, tau)
    poses_base_to_tip(topology, work)
    for row in range(wrenches.shape[0]):
        i = carried[row + 1]
        wrench_at_link(work, links, i, load(work[i].moment), load(work[i].force), wrenches[row])


@recursion
def forward_dynamics_wrenches(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
    wrenches: Matrix,
):
    """Compute qdd and the wrenches across the joints, in O(n), without inverse dynamics.

    The wrench is f = P+ alpha+ + z+ (Jain 2011, eq. 7.34 and 7.40), with z+ = z + G u. alpha+ is
    the acceleration of a body at zero joint acceleration.

    `wrenches` (nb - 1, 6), written: force and moment at the origin of each link [N, N m], in base
      axes.
    """
    status = forward_dynamics(topology, constants, gravity, work, q, qd, tau, f_ext, diagonal, qdd)
    poses_base_to_tip(topology, work)
    for row in range(wrenches.shape[0]):
        i = carried[row + 1]
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        alpha = add(alpha, load(work[i].bias_angular))
        a = add(a, load(work[i].bias_linear))
        moment, force = articulated_times(work, i, alpha, a)
        share = work[i].d_inverse * work[i].residual
        n = add(load(work[i].moment), scale(share, load(work[i].u_angular)))
        f = add(load(work[i].force), scale(share, load(work[i].u_linear)))
        n, f = add(n, moment), add(f, force)
        wrench_at_link(work, links, i, n, f, wrenches[row])
    return status
