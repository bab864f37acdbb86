# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The inverse of the mass matrix, row by row, with all motions in one frame.

Each row is the acceleration of one joint due to torques at the joints before it. In one frame a
body has the motion of its parent plus that along its joint. So the effect of torques on a body is
six rows of numbers, which a compiler vectorises.
"""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.world_frame import (
    joint_axes_in_world_frame,
    poses_in_world_frame,
    wrench_to_world_frame,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_factors import gain
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mark_carriers
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import inlined, primitive, recursion
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, dot, load, scale, store

LANES = 8  # columns computed at a time; those beyond the body hold zeros


def motions(n):
    """Return the shape of working memory of `mass_matrix_inverse` for n joints.

    It has one row for the row of the inverse, six for each of n bodies, and six for joint axes.
    Each joint at which torque acts has a column.

    `n`: number of joints.
    """
    return 6 * n + 12, LANES * (n // LANES + 1)


@primitive
def assign_places(topology, work):
    """Assign a place for the motion of every body; the last child reuses that of its parent.

    An unbranched run is a chain of bodies that follow each other in the rows. Its first body is
    stored for each body.
    """
    for i in range(1, topology.shape[0]):
        work[topology[i, PARENT]].last_child = i
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        work[i].place, work[i].run = i, i
        if parent > 0 and work[parent].last_child == i:
            work[i].place = work[parent].place
        if parent > 0 and parent == i - 1:
            work[i].run = work[parent].run


@inlined
def start_as_parent(topology, work, i, motions):
    """Copy the motion of the parent to body i, for torque at each joint before it."""
    parent, own = topology[i, PARENT], 6 * work[i].place
    if parent == 0:
        for row in range(own, own + 6):
            for k in range(motions.shape[1]):
                motions[row, k] = 0.0
    elif work[parent].place != work[i].place:
        other = 6 * work[parent].place
        for row in range(6):
            for k in range(motions.shape[1]):
                motions[own + row, k] = motions[other + row, k]


@inlined
def move_joint(work, i, motions):
    """Compute row i of the inverse up to its diagonal, and the motion of body i.

    The row is in row 0 of `motions`.
    """
    n, f = load(work[i].moment), load(work[i].force)
    z, v = load(work[i].axis), load(work[i].axis, 3)
    own = 6 * work[i].place
    for k in range(LANES * ((i + LANES - 1) // LANES)):
        alpha = (motions[own, k], motions[own + 1, k], motions[own + 2, k])
        a = (motions[own + 3, k], motions[own + 4, k], motions[own + 5, k])
        x = -(dot(n, alpha) + dot(f, a))
        motions[0, k] = x
        motions[own, k] = alpha[0] + z[0] * x
        motions[own + 1, k] = alpha[1] + z[1] * x
        motions[own + 2, k] = alpha[2] + z[2] * x
        motions[own + 3, k] = a[0] + v[0] * x
        motions[own + 4, k] = a[1] + v[1] * x
        motions[own + 5, k] = a[2] + v[2] * x


@inlined
def motion_of_run(motions, first, last):
    """Return the motion due to joints first to last: the sum of S x, with x from row 0."""
    axes = motions.shape[0] - 6
    a, b, c, d, e, f = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for k in range(first, last + 1):
        x = motions[0, k]
        a = a + x * motions[axes, k]
        b = b + x * motions[axes + 1, k]
        c = c + x * motions[axes + 2, k]
        d = d + x * motions[axes + 3, k]
        e = e + x * motions[axes + 4, k]
        f = f + x * motions[axes + 5, k]
    return (a, b, c), (d, e, f)


@primitive
def motion_of_parent(topology, work, i, motions):
    """Return the motion of the parent of body i for torque at joint i.

    By symmetry it follows from the row of the inverse.
    """
    alpha, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    j = topology[i, PARENT]
    while j > 0:
        first = work[j].run
        turning, moving = motion_of_run(motions, first, j)
        alpha, a = add(alpha, turning), add(a, moving)
        j = topology[first, PARENT]
    return alpha, a


@primitive
def keep_motion(work, b, i, x, alpha, a, motions):
    """Store the motion of body b for torque at joint i.

    It is that of the parent of body b, plus x along the joint of body b.

    `b`: row of the body that moves.
    `i`: row of the body whose joint has the torque.
    `x`: acceleration of the joint of body b.
    `alpha`, `a`: angular and linear part of the motion of its parent, 3-vectors.
    """
    own = 6 * work[b].place
    alpha = add(alpha, scale(x, load(work[b].axis)))
    a = add(a, scale(x, load(work[b].axis, 3)))
    for row in range(3):
        motions[own + row, i] = alpha[row]
        motions[own + 3 + row, i] = a[row]


@primitive
def move_carriers(topology, work, i, motions):
    """Compute motions for torque at joint i, of the bodies before i with descendants behind i."""
    mark_carriers(topology, work, i)
    for b in range(1, i):
        if work[b].on_path == 1.0:
            alpha, a = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if topology[b, PARENT] > 0:
                p = 6 * work[topology[b, PARENT]].place
                alpha = (motions[p, i], motions[p + 1, i], motions[p + 2, i])
                a = (motions[p + 3, i], motions[p + 4, i], motions[p + 5, i])
            keep_motion(work, b, i, motions[0, b], alpha, a, motions)


@recursion
def mass_matrix_inverse(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    motions: Matrix,
    inverse: Matrix,
):
    """Compute (M(q) + diag(diagonal))^-1, symmetric, row by row in one frame, in O(n^2).

    A row is the acceleration of one joint for unit torque at each joint before it. It is the
    outward sweep of Jain 2011, Algorithm 10.4 (eq. 10.31-10.33), in the frame of section 5.4.
    There psi is the identity minus S G^T, and Upsilon+ G is a sum over its joints.

    `motions`: working memory, of the shape of `motions`.
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    poses_in_world_frame(topology, work)
    joint_axes_in_world_frame(topology, constants, work)
    assign_places(topology, work)
    last_branch, axes = 0, motions.shape[0] - 6
    for i in range(1, topology.shape[0]):
        n, f = gain(work, i, 1.0)
        n, f = wrench_to_world_frame(work, i, n, f)
        store(work[i].moment, n)
        store(work[i].force, f)
        for row in range(6):
            motions[axes + row, i] = work[i].axis[row]
        if topology[i, PARENT] != i - 1:
            last_branch = i
    for i in range(1, topology.shape[0]):
        row = topology[i, V]
        start_as_parent(topology, work, i, motions)
        move_joint(work, i, motions)
        for k in range(1, i):
            inverse[row, topology[k, V]] = motions[0, k]
            inverse[topology[k, V], row] = motions[0, k]
        alpha, a = motion_of_parent(topology, work, i, motions)
        own = work[i].d_inverse - (dot(load(work[i].moment), alpha) + dot(load(work[i].force), a))
        inverse[row, row] = own
        if i < last_branch:
            move_carriers(topology, work, i, motions)
        keep_motion(work, i, i, own, alpha, a, motions)
    return status
