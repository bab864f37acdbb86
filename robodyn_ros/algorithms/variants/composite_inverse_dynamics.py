# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics by composite bodies."""

from robodyn_ros.algorithms.core.aba import velocity_base_to_tip
from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.core.crba import composite_tip_to_base
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carried_acceleration,
    carry_wrench,
    joint_transforms,
)
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, load, store


@recursion
def inverse_dynamics_composite(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    tau: Vector,
):
    """Compute tau = H (R alpha + y) by composite bodies, in O(n).

    R is the inertia of the composite body, and y the wrench due to the joints that it carries.
    y(k) = sum phi [y(j) + R(j) (H* qdd + a)(j)] + b(k) (Jain 2011, Algorithm 5.3, eq. 5.44-5.46).
    """
    joint_transforms(topology, constants, work, q)
    velocity_base_to_tip(topology, constants, work, qd, f_ext)
    composite_tip_to_base(topology, constants, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        if parent > 0:
            alpha, a = add_along_joint(
                topology,
                constants,
                i,
                load(work[i].bias_angular),
                load(work[i].bias_linear),
                qdd[topology[i, V]],
            )
            n, f = composite_inertia_times(work, i, alpha, a)
            carry_wrench(
                work, i, parent, add(n, load(work[i].moment)), add(f, load(work[i].force))
            )
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        alpha, a = add_along_joint(
            topology,
            constants,
            i,
            add(alpha, load(work[i].bias_angular)),
            add(a, load(work[i].bias_linear)),
            qdd[k],
        )
        store(work[i].alpha, alpha)
        store(work[i].accel, a)
        n, f = composite_inertia_times(work, i, alpha, a)
        tau[k] = (
            along_joint(
                topology, constants, i, add(n, load(work[i].moment)), add(f, load(work[i].force))
            )
            + constants[i, ROTOR] * qdd[k]
        )
