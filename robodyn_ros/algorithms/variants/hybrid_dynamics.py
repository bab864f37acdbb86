# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics: some joints are driven by a torque, the others by a motion."""

from robodyn_ros.algorithms.core.aba import (
    acceleration_base_to_tip,
    residual_tip_to_base,
    velocity_base_to_tip,
)
from robodyn_ros.algorithms.core.articulated import (
    articulated_times,
    eliminate_joint,
    project,
    propagate_inertia,
    rigid,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    joint_transforms,
)
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Flags, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, load, store


@primitive
def articulated_inertias_free(topology, constants, work, diagonal, prescribed):
    """Compute articulated inertias, with P+ = P at joints of prescribed motion.

    `prescribed` (nv,): whether the acceleration of a joint is given.
    """
    status = 0
    for i in range(1, topology.shape[0]):
        rigid(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        if prescribed[topology[i, V]]:
            work[i].d_inverse = 0.0
            project(topology, constants, work, i, 0.0, 1.0)
        else:
            status = eliminate_joint(topology, constants, work, i, diagonal, status)
        if topology[i, PARENT] > 0:
            propagate_inertia(topology, work, i)
    return status


@recursion
def hybrid_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    given: Vector,
    prescribed: Flags,
    f_ext: Matrix,
    diagonal: Vector,
    tau: Vector,
    qdd: Vector,
):
    """Solve tau = (M + diag(diagonal)) qdd + C qd + g - J^T f_ext, in O(n).

    At each joint one of tau and qdd is given. The articulated-body recursion eliminates only the
    joints with known torque. It treats given accelerations like velocity-dependent ones:
    Featherstone 2008, section 9.2; Jain 2011, section 16.2.

    `given` (nv,): accelerations of the prescribed joints, torques of the others.
    `prescribed` (nv,): whether the acceleration of a joint is given.
    """
    joint_transforms(topology, constants, work, q)
    velocity_base_to_tip(topology, constants, work, qd, f_ext)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        tau[k] = given[k]
        if prescribed[k]:
            alpha, a = add_along_joint(
                topology,
                constants,
                i,
                load(work[i].bias_angular),
                load(work[i].bias_linear),
                given[k],
            )
            store(work[i].bias_angular, alpha)
            store(work[i].bias_linear, a)
    status = articulated_inertias_free(topology, constants, work, diagonal, prescribed)
    residual_tip_to_base(topology, constants, work, tau)
    acceleration_base_to_tip(topology, constants, gravity, work, qdd)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        if prescribed[k]:
            n, f = articulated_times(work, i, load(work[i].alpha), load(work[i].accel))
            n, f = add(n, load(work[i].moment)), add(f, load(work[i].force))
            qdd[k] = given[k]
            tau[k] = (
                along_joint(topology, constants, i, n, f)
                + (constants[i, ROTOR] + diagonal[k]) * given[k]
            )
    return status
