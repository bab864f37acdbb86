# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Blocks of the spatial operators phi, psi, M, H and G, at the origins of the links."""

from robodyn_ros.algorithms.centroidal.body_inertias import unit_motion
from robodyn_ros.algorithms.centroidal.centroidal_momentum import own_inertia_times
from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.jacobian import axis_at
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.joint_wrenches import wrench_at_link
from robodyn_ros.algorithms.core.kinematics import frame_point, poses_base_to_tip
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Indices, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store, sub


@primitive
def link_points(topology, work, carried, links):
    """Store the origin of the link of every row, in base axes. Needs the poses."""
    for i in range(topology.shape[0]):
        store(work[i].link_point, frame_point(work, carried[i], links[i]))


@primitive
def parent_link(topology, carried, i):
    """Return a row whose link is the parent of that of row i, or 0."""
    j = i
    while carried[j] == carried[i]:
        j = topology[j, PARENT]
    return j


@primitive
def unit_wrench(j):
    """Return unit wrench j, three forces before three moments.

    `j`: number of the wrench, 0 to 5.
    """
    e = (1.0 if j % 3 == 0 else 0.0, 1.0 if j % 3 == 1 else 0.0, 1.0 if j % 3 == 2 else 0.0)
    zero = (0.0, 0.0, 0.0)
    return (zero, e) if j < 3 else (e, zero)


@primitive
def write_entries(first, second, row, rows, column):
    """Write two 3-vectors below each other in a column of a matrix.

    `row`: row of the first entry.
    `rows`: written.
    `column`: number of the column.
    """
    rows[row, column], rows[row + 1, column], rows[row + 2, column] = first
    rows[row + 3, column], rows[row + 4, column], rows[row + 5, column] = second


@primitive
def axes_and_gains(topology, constants, work):
    """Store axis and gain of every joint about the origin of its link. Needs `link_points`.

    The axis is angular part first, the gain moment first.
    """
    for i in range(1, topology.shape[0]):
        point = load(work[i].link_point)
        w, v = axis_at(topology, constants, work, i, point)
        store(work[i].axis, w)
        store(work[i].axis, v, 3)
        n, f = gain(work, i, 1.0)
        n, f = (rotate(work[i].world_rotation, n), rotate(work[i].world_rotation, f))
        store(work[i].link_gain, sub(n, cross(sub(point, load(work[i].world_position)), f)))
        store(work[i].link_gain, f, 3)


@recursion
def link_operators(
    topology: Topology,
    constants: Table,
    work: Work,
    carried: Indices,
    links: Table,
    q: Vector,
    diagonal: Vector,
    phi: Matrix,
    psi: Matrix,
    M: Matrix,
    H: Matrix,
    G: Matrix,
):
    """Compute the blocks of phi, psi, M, H and G of every link, in O(n).

    G = P H^T / D and psi(parent, k) = phi(parent, k) (1 - G H), in base axes about the origins of
    the links. A joint of several degrees of freedom is freed from its last one on. So psi is the
    product of their shares. Jain 2011, eq. (1.29), (6.13) and Algorithm 6.1; (9.33) for trees.

    `phi`, `psi` (6 (nb - 1), 6), written: six rows for each link [-, m], from wrenches on the link
      to those on its parent, force first.
    `M` (6 (nb - 1), 6), written: inertia of each link [kg, kg m, kg m^2], linear part first.
    `H` (nv, 6), written: motion of the link for a unit rate of each joint [- or m, - or 1/m],
      linear part first.
    `G` (nv, 6), written: gain of each joint, force first [-, m or 1/m].
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    poses_base_to_tip(topology, work)
    link_points(topology, work, carried, links)
    axes_and_gains(topology, constants, work)
    for i in range(1, topology.shape[0]):
        k, body = topology[i, V], carried[i]
        H[k, 0], H[k, 1], H[k, 2] = load(work[i].axis, 3)
        H[k, 3], H[k, 4], H[k, 5] = load(work[i].axis)
        G[k, 0], G[k, 1], G[k, 2] = load(work[i].link_gain, 3)
        G[k, 3], G[k, 4], G[k, 5] = load(work[i].link_gain)
        lever = sub(
            load(work[i].link_point), load(work[parent_link(topology, carried, i)].link_point)
        )
        first = 6 * (i - 1)
        for column in range(6):
            n, f = unit_wrench(column)
            write_entries(f, add(n, cross(lever, f)), first, phi, column)
            j = body
            while carried[j] == body:
                share = dot(load(work[j].axis), n) + dot(load(work[j].axis, 3), f)
                n = sub(n, scale(share, load(work[j].link_gain)))
                f = sub(f, scale(share, load(work[j].link_gain, 3)))
                j = topology[j, PARENT]
            write_entries(f, add(n, cross(lever, f)), first, psi, column)
            w, v = unit_motion(work, links, body, column)
            n, f = own_inertia_times(constants, body, w, v)
            wrench_at_link(work, links, body, n, f, M[first + column])
    return status
