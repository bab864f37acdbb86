# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Solves with the mass matrix, without forming it."""

from robodyn_ros.algorithms.core.articulated import accelerate, articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import (
    along_joint,
    carried_acceleration,
    joint_transforms,
    to_parent,
)
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store


@primitive
def load_joint_axes(topology, work, b, last):
    """Set the residuals of bodies 1 to last to b, and their bias forces to zero.

    `last`: row of the last body.
    """
    for i in range(1, last + 1):
        work[i].residual = b[topology[i, V]]
        store(work[i].moment, (0.0, 0.0, 0.0))
        store(work[i].force, (0.0, 0.0, 0.0))


@primitive
def cross_tip_to_base(topology, constants, work, i):
    """Subtract the bias force from the residual of body i, and propagate G u to its parent."""
    n, f, parent = load(work[i].moment), load(work[i].force), topology[i, PARENT]
    along = along_joint(topology, constants, i, n, f)
    u = work[i].residual - along
    work[i].residual = u
    if parent > 0:
        share = work[i].d_inverse * u
        n = add(n, scale(share, load(work[i].u_angular)))
        f = to_parent(work, i, add(f, scale(share, load(work[i].u_linear))))
        n = add(to_parent(work, i, n), cross(load(work[i].position), f))
        accumulate(work[parent].moment, n)
        accumulate(work[parent].force, f)


@primitive
def cross_base_to_tip(topology, constants, work, i):
    """Compute the acceleration of body i from that of its parent.

    Returns acceleration of its joint [rad/s^2 or m/s^2].
    """
    alpha, a = carried_acceleration(work, topology[i, PARENT], i)
    return accelerate(topology, constants, work, i, alpha, a)


@primitive
def rest_base(work):
    """Set the acceleration of the base to zero."""
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (0.0, 0.0, 0.0))


@primitive
def solve_loaded(topology, constants, work, x):
    """Compute joint accelerations from the residuals and bias forces in work, in O(n)."""
    for i in range(topology.shape[0] - 1, 0, -1):
        cross_tip_to_base(topology, constants, work, i)
    rest_base(work)
    for i in range(1, topology.shape[0]):
        x[topology[i, V]] = cross_base_to_tip(topology, constants, work, i)


@primitive
def solve_articulated(topology, constants, work, b, x):
    """Compute x = M^-1 b from the articulated inertias in work, in O(n)."""
    load_joint_axes(topology, work, b, topology.shape[0] - 1)
    solve_loaded(topology, constants, work, x)


@recursion
def mass_solve(
    topology: Topology,
    constants: Table,
    work: Work,
    q: Vector,
    diagonal: Vector,
    b: Vector,
    x: Vector,
):
    """Compute x = (M(q) + diag(diagonal))^-1 b, in O(n), by the square factors of the inverse."""
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    solve_articulated(topology, constants, work, b, x)
    return status
