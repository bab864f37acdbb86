# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Gravity torque: the motor torque of a robot at rest."""

from robodyn_ros.algorithms.core import scratch as at
from robodyn_ros.algorithms.core.joint_transform import joint_transforms, to_child, to_parent
from robodyn_ros.model.layout import KIND, MASS, MOMENT, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import accumulate, add, load, scale, store


@primitive
def carry_mass(scratch, i, parent):
    """Add mass and first moment of composite body i to those of its parent."""
    mass, h = scratch[i, at.C_MASS], load(scratch, i, at.C_MOMENT)
    scratch[parent, at.C_MASS] = scratch[parent, at.C_MASS] + mass
    moment = add(to_parent(scratch, i, h), scale(mass, load(scratch, i, at.POSITION)))
    accumulate(scratch, parent, at.C_MOMENT, moment)


@recursion
def gravity_torque(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Matrix,
    q: Vector,
    tau: Vector,
):
    """Compute the gravity torque g(q) = dV/dq: the weight of each composite body at its joint, in
    O(n).

    Gravity is propagated to the tips as the base acceleration -gravity (Angeles 7.44). Mass and
    first moment of the composite bodies are propagated to the base.

    `tau` (nv,), written: gravity torque [N m or N].
    """
    joint_transforms(topology, constants, scratch, q)
    store(scratch, 0, at.ACCEL, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        carried = load(scratch, topology[i, PARENT], at.ACCEL)
        store(scratch, i, at.ACCEL, to_child(scratch, i, carried))
        scratch[i, at.C_MASS] = constants[i, MASS]
        store(scratch, i, at.C_MOMENT, load(constants, i, MOMENT))
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        a, h = load(scratch, i, at.ACCEL), load(scratch, i, at.C_MOMENT)
        if topology[i, KIND] == PRISMATIC:
            tau[topology[i, V]] = scratch[i, at.C_MASS] * a[2]
        else:
            tau[topology[i, V]] = (
                h[0] * a[1] - h[1] * a[0] + (constants[i, PITCH] * (scratch[i, at.C_MASS] * a[2]))
            )
        if parent > 0:
            carry_mass(scratch, i, parent)
