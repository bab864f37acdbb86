# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity torque: the motor torque of a robot at rest."""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms, to_child, to_parent
from robodyn_ros.model.layout import KIND, MASS, MOMENT, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, load, scale, store


@primitive
def carry_mass(work, i, parent):
    """Add mass and first moment of composite body i to those of its parent."""
    mass, h = work[i].c_mass, load(work[i].c_moment)
    work[parent].c_mass = work[parent].c_mass + mass
    moment = add(to_parent(work, i, h), scale(mass, load(work[i].position)))
    accumulate(work[parent].c_moment, moment)


@recursion
def gravity_torque(
    topology: Topology, constants: Table, gravity: Constant, work: Work, q: Vector, tau: Vector
):
    """Compute the gravity torque g(q) = dV/dq: the weight of each composite body at its joint, in
    O(n).

    Gravity is propagated to the tips as the base acceleration -gravity (Angeles 7.44). Mass and
    first moment of the composite bodies are propagated to the base.

    `tau` (nv,), written: gravity torque [N m or N].
    """
    joint_transforms(topology, constants, work, q)
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        carried = load(work[topology[i, PARENT]].accel)
        store(work[i].accel, to_child(work, i, carried))
        work[i].c_mass = constants[i, MASS]
        store(work[i].c_moment, load(constants[i], MOMENT))
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        a, h = load(work[i].accel), load(work[i].c_moment)
        if topology[i, KIND] == PRISMATIC:
            tau[topology[i, V]] = work[i].c_mass * a[2]
        else:
            tau[topology[i, V]] = (
                h[0] * a[1] - h[1] * a[0] + (constants[i, PITCH] * (work[i].c_mass * a[2]))
            )
        if parent > 0:
            carry_mass(work, i, parent)
