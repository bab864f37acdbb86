# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The mass matrix by composite rigid bodies."""

from robodyn_ros.algorithms.core.joint_transform import along_joint, joint_transforms, to_parent
from robodyn_ros.algorithms.core.matrices import clear
from robodyn_ros.model.layout import (
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTOR,
    V,
)
from robodyn_ros.spatial.primitive import inlined, primitive, recursion
from robodyn_ros.spatial.rotation import rotate_symmetric, turn_symmetric
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    shift_inertia,
    store_symmetric,
)
from robodyn_ros.spatial.types import Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store


@inlined
def carry_composite(work, i, parent):
    """Add the composite inertia of body i to that of its parent, in the parent's frame."""
    p, mass = load(work[i].position), work[i].c_mass
    h = to_parent(work, i, load(work[i].c_moment))
    turned = turn_symmetric(work[i].cos, work[i].sin, load_symmetric(work[i].c_inertia))
    inertia = shift_inertia(rotate_symmetric(work[i].rotation, turned), mass, h, p)
    work[parent].c_mass = work[parent].c_mass + mass
    accumulate(work[parent].c_moment, add(h, scale(mass, p)))
    store_symmetric(
        work[parent].c_inertia, add_symmetric(load_symmetric(work[parent].c_inertia), inertia)
    )


@primitive
def composite_tip_to_base(topology, constants, work):
    """Compute mass, first moment and inertia of every composite body about its origin."""
    for i in range(1, topology.shape[0]):
        work[i].c_mass = constants[i, MASS]
        store(work[i].c_moment, load(constants[i], MOMENT))
        store_symmetric(work[i].c_inertia, load_symmetric(constants[i], INERTIA))
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        if parent > 0:
            carry_composite(work, i, parent)


@inlined
def joint_momentum(topology, constants, work, i):
    """Return the momentum of composite body i for a unit rate of its joint, in its frame.

    Returns angular momentum about its origin and linear momentum, each a 3-vector.
    """
    h, mass = load(work[i].c_moment), work[i].c_mass
    if topology[i, KIND] == PRISMATIC:
        return (h[1], -h[0], 0.0), (0.0, 0.0, mass)
    pitch = constants[i, PITCH]
    return (
        (
            work[i].c_inertia[2] + pitch * h[1],
            work[i].c_inertia[4] - pitch * h[0],
            work[i].c_inertia[5],
        ),
        (-h[1], h[0], pitch * mass),
    )


@recursion
def mass_matrix(topology: Topology, constants: Table, work: Work, q: Vector, M: Matrix):
    """Compute M(q), symmetric and positive definite, rotor inertias included, in O(n depth).

    Walker and Orin 1982; Featherstone 2008, Table 6.2; Jain 2011, Algorithm 4.2. For each joint i
    the wrench is computed that gives its composite body a unit acceleration along the joint. This
    wrench is propagated to the base. Its components along the joints on the path are column i of
    M.
    """
    joint_transforms(topology, constants, work, q)
    composite_tip_to_base(topology, constants, work)
    clear(M)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        n, f = joint_momentum(topology, constants, work, i)
        M[k, k] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR]
        j = i
        while topology[j, PARENT] > 0:
            f = to_parent(work, j, f)
            n = add(to_parent(work, j, n), cross(load(work[j].position), f))
            j = topology[j, PARENT]
            entry = along_joint(topology, constants, j, n, f)
            M[k, topology[j, V]] = entry
            M[topology[j, V], k] = entry
