# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The inverse of the mass matrix by outward sweeps, without forming the mass matrix."""

from robodyn_ros.algorithms.core.articulated import articulated_inertias
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    carried_acceleration,
    joint_transforms,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import cross_base_to_tip, rest_base
from robodyn_ros.algorithms.task_space.operational_space_inertia import cross_to_child, hold_base
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Integer, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import scale, store


@primitive
def mark_carriers(topology, work, k):
    """Mark the bodies before k with descendants behind k that do not descend from k.

    `k`: row of a body.
    """
    for i in range(1, k + 1):
        work[i].on_path = 0.0
    for i in range(k + 1, topology.shape[0]):
        carrier = topology[i, PARENT]
        while 0 < carrier < k and work[carrier].on_path == 0.0:
            work[carrier].on_path = 1.0
            carrier = topology[carrier, PARENT]


@primitive
def store_acceleration(topology, constants, work, i, alpha, a, qdd):
    """Store the acceleration of body i: (alpha, a) plus that of its joint.

    `alpha`, `a`: angular and linear acceleration without that of the joint, 3-vectors.
    `qdd`: acceleration of the joint [rad/s^2 or m/s^2].
    """
    alpha, a = add_along_joint(topology, constants, i, alpha, a, qdd)
    store(work[i].alpha, alpha)
    store(work[i].accel, a)


@recursion
def mass_matrix_inverse_in_place(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, inverse: Matrix
) -> Integer:
    """Compute (M(q) + diag(diagonal))^-1, symmetric, by accelerations for unit torques, in O(n^2).

    For torque at joint k, with L = D^-1 + G^T Upsilon+ G, body k accelerates with U^T = S L -
    Upsilon+ G. Its descendants follow, joint by joint (Jain 2011, Algorithm 10.4, eq.
    10.31-10.33).

    In a tree, other descendants of the bodies that carry k follow too. The accelerations of those
    bodies are known from their own sweeps: the term K^T R K of (10.29).
    """
    joint_transforms(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    hold_base(work)
    rest_base(work)
    for k in range(1, topology.shape[0]):
        work[k].residual = 0.0
    for k in range(1, topology.shape[0]):
        column = topology[k, V]
        own, alpha, a = cross_to_child(topology, constants, work, k)
        inverse[column, column] = own
        mark_carriers(topology, work, k)
        for i in range(1, k):
            if work[i].on_path == 1.0:
                turning, moving = carried_acceleration(work, topology[i, PARENT], i)
                store_acceleration(
                    topology, constants, work, i, turning, moving, inverse[topology[i, V], column]
                )
        store_acceleration(topology, constants, work, k, scale(-1.0, alpha), scale(-1.0, a), own)
        for i in range(k + 1, topology.shape[0]):
            x = cross_base_to_tip(topology, constants, work, i)
            inverse[topology[i, V], column] = x
            inverse[column, topology[i, V]] = x
    return status
