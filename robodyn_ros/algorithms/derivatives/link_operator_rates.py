# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of the blocks of phi, psi, M, H and G along a motion, at the origins of the links."""

from robodyn_ros.algorithms.centroidal.body_inertias import unit_motion
from robodyn_ros.algorithms.centroidal.centroidal_momentum import own_inertia_times
from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.articulated_body_rates import articulated_rates, relative_velocity
from robodyn_ros.algorithms.core.jacobian import axis_rate_at, world_angular_velocity
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import (
    frame_speed,
    poses_base_to_tip,
    velocities_base_to_tip,
)
from robodyn_ros.algorithms.derivatives.articulated_inertia_rates import (
    unit_motion_rate,
    wrench_rate_at_link,
)
from robodyn_ros.algorithms.mass_matrix.link_operators import (
    axes_and_gains,
    link_points,
    parent_link,
    unit_wrench,
    write_entries,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store, sub


@primitive
def gain_rate_at(topology, constants, work, qd, i):
    """Return the rate of the gain of body i about the moving origin of its link, in base axes.

    Needs `articulated_rates`, poses and velocities.
    """
    n, f = gain(work, i, 1.0)
    w, _ = relative_velocity(topology, constants, qd, i)
    # as the body sees it, not its parent
    n_rate = sub(load(work[i].carried), cross(w, n))
    f_rate = sub(load(work[i].carried, 3), cross(w, f))
    omega, world = world_angular_velocity(topology, work, i), work[i].world_rotation
    n, f = rotate(world, n), rotate(world, f)
    n_rate = add(rotate(world, n_rate), cross(omega, n))
    f_rate = add(rotate(world, f_rate), cross(omega, f))
    lever = sub(load(work[i].link_point), load(work[i].world_position))
    lever_rate = sub(load(work[i].link_point_rate), rotate(world, load(work[i].speed)))
    return sub(n_rate, add(cross(lever_rate, f), cross(lever, f_rate))), f_rate


@primitive
def through_joint(work, i, n, f, n_rate, f_rate):
    """Return the share (1 - G H) of a wrench that passes the free joint of body i, and its rate.

    Needs axis, gain and their rates.

    `n`, `f`, `n_rate`, `f_rate`: moment and force, and their rates, 3-vectors.
    """
    w, v, g, k = (
        load(work[i].axis),
        load(work[i].axis, 3),
        load(work[i].link_gain),
        load(work[i].link_gain, 3),
    )
    share = dot(w, n) + dot(v, f)
    rate = dot(w, n_rate) + dot(v, f_rate)
    rate = rate + dot(load(work[i].axis_rate), n)
    rate = rate + dot(load(work[i].axis_rate, 3), f)
    g_rate, k_rate = load(work[i].link_gain_rate), load(work[i].link_gain_rate, 3)
    return (
        sub(n, scale(share, g)),
        sub(f, scale(share, k)),
        sub(n_rate, add(scale(rate, g), scale(share, g_rate))),
        sub(f_rate, add(scale(rate, k), scale(share, k_rate))),
    )


@recursion
def link_operator_rates(
    topology: Topology,
    constants: Table,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    qd: Vector,
    diagonal: Vector,
    phi_rate: Matrix,
    psi_rate: Matrix,
    M_rate: Matrix,
    H_rate: Matrix,
    G_rate: Matrix,
):
    """Compute the rates of `link_operators` along a motion, in O(n).

    Entries are in base axes about the moving origins of the links. At a unit velocity these are
    the derivatives by one coordinate. Jain 2011, eq. (18.10), (18.43) and Algorithm 18.1.

    `phi_rate`, `psi_rate`, `M_rate` (6 (nb - 1), 6), written: rates of phi, psi and M, six rows
      for each link.
    `H_rate`, `G_rate` (nv, 6), written: rates of H and G, a row for each joint.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    articulated_rates(topology, constants, work, qd)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    link_points(topology, work, carried, links)
    axes_and_gains(topology, constants, work)
    for i in range(topology.shape[0]):
        store(work[i].link_point_rate, frame_speed(work, carried[i], links[i]))
    for i in range(1, topology.shape[0]):
        k, point, speed = (topology[i, V], load(work[i].link_point), load(work[i].link_point_rate))
        w, v = axis_rate_at(topology, constants, work, i, point, speed)
        store(work[i].axis_rate, w)
        store(work[i].axis_rate, v, 3)
        n, f = gain_rate_at(topology, constants, work, qd, i)
        store(work[i].link_gain_rate, n)
        store(work[i].link_gain_rate, f, 3)
        H_rate[k, 0], H_rate[k, 1], H_rate[k, 2] = v
        H_rate[k, 3], H_rate[k, 4], H_rate[k, 5] = w
        G_rate[k, 0], G_rate[k, 1], G_rate[k, 2] = f
        G_rate[k, 3], G_rate[k, 4], G_rate[k, 5] = n
    for i in range(1, topology.shape[0]):
        body, up, first = carried[i], parent_link(topology, carried, i), 6 * (i - 1)
        lever = sub(load(work[i].link_point), load(work[up].link_point))
        lever_rate = sub(load(work[i].link_point_rate), load(work[up].link_point_rate))
        for column in range(6):
            n, f = unit_wrench(column)
            n_rate, f_rate = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            write_entries(n_rate, cross(lever_rate, f), first, phi_rate, column)
            j = body
            while carried[j] == body:
                n, f, n_rate, f_rate = through_joint(work, j, n, f, n_rate, f_rate)
                j = topology[j, PARENT]
            n_rate = add(n_rate, add(cross(lever_rate, f), cross(lever, f_rate)))
            write_entries(f_rate, n_rate, first, psi_rate, column)
            w, v = unit_motion(work, links, body, column)
            n, f = own_inertia_times(constants, body, w, v)
            w, v = unit_motion_rate(work, links, body, column)
            wrench_rate = own_inertia_times(constants, body, w, v)
            wrench_rate_at_link(work, links, body, (n, f), wrench_rate, M_rate[first + column])
    return status
