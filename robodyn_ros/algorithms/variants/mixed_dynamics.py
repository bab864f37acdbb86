# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics term by term, with numbers in place of flags for prescribed joints.

No branch depends on the state or on which joints are free. So one recording serves all cases.
"""

from robodyn_ros.algorithms.core.aba import (
    acceleration_base_to_tip,
    residual_tip_to_base,
    velocity_base_to_tip,
)
from robodyn_ros.algorithms.core.articulated import (
    articulated_times,
    project,
    propagate_inertia,
    rigid,
    singular,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    joint_transforms,
)
from robodyn_ros.model.layout import KIND, PARENT, PRISMATIC, ROTOR, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, load, store


@primitive
def mixed_inertias(topology, constants, work, free):
    """Compute articulated inertias of the passive joints: P+ = P - free U U^T / D.

    Jain 2011, Algorithm 16.1.

    `free` (nv,): 1 for a joint whose torque is given, 0 for one whose acceleration is given.
    Returns 0, or the row of the body of a free joint whose pivot is singular.
    """
    status = 0
    for i in range(1, topology.shape[0]):
        rigid(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        about = work[i].P.linear if topology[i, KIND] == PRISMATIC else work[i].P.angular
        size = about[0] + about[3] + about[5]
        project(topology, constants, work, i, 0.0, 1.0)  # for U alone: this leaves P unchanged
        inertia = along_joint(
            topology, constants, i, load(work[i].u_angular), load(work[i].u_linear)
        )
        share, rotor = free[topology[i, V]], constants[i, ROTOR]
        # a joint that is not free has no pivot; 1 takes its place
        d = share * (inertia + rotor) + (1.0 - share)
        if singular(d, size):
            d_inverse, held, status = 0.0, 1.0, i
        else:
            d_inverse = share / d
            held = d_inverse * rotor + (1.0 - share)
        work[i].d_inverse = d_inverse
        project(topology, constants, work, i, d_inverse, held)
        if topology[i, PARENT] > 0:
            propagate_inertia(topology, work, i)
    return status


@primitive
def mixed_row(topology, constants, gravity, work, free, known, tau, qdd):
    """Compute one row of `mixed_dynamics`, from the bias accelerations and forces in `work`.

    `free` (nv,): 1 for a joint whose torque is given, 0 for one whose acceleration is given.
    `known` (nv,): given torques and accelerations.
    """
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        tau[k] = free[k] * known[k]
        alpha, a = add_along_joint(
            topology,
            constants,
            i,
            load(work[i].bias_angular),
            load(work[i].bias_linear),
            (1.0 - free[k]) * known[k],
        )
        store(work[i].bias_angular, alpha)
        store(work[i].bias_linear, a)
    residual_tip_to_base(topology, constants, work, tau)
    acceleration_base_to_tip(topology, constants, gravity, work, qdd)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        moment, force = articulated_times(work, i, load(work[i].alpha), load(work[i].accel))
        moment = add(moment, load(work[i].moment))
        force = add(force, load(work[i].force))
        x = (1.0 - free[k]) * known[k]
        qdd[k] = qdd[k] + x
        tau[k] = tau[k] + (1.0 - free[k]) * (
            along_joint(topology, constants, i, moment, force) + constants[i, ROTOR] * x
        )


@recursion
def mixed_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    free: Vector,
    known: Matrix,
    f_ext: Matrix,
    tau: Matrix,
    qdd: Matrix,
):
    """Compute [tau_a; qdd_p] = [S_aa, S_ap; -S_ap^T, S_pp] [qdd_a; tau_p] + bias, row by row.

    A row takes O(n).

    S_aa = M_aa - M_ap M_pp^-1 M_pa, S_ap = M_ap M_pp^-1, S_pp = M_pp^-1 (Jain 2011, eq. 16.4 and
    Algorithm 16.2). The first row has the bias (velocity, gravity, f_ext). The others have none,
    so that rows may be added. All share the articulated inertias.

    `free` (nv,): 1 where tau is given, 0 where qdd is.
    `known` (m, nv): given torques and accelerations, one case for each row.
    """
    joint_transforms(topology, constants, work, q)
    velocity_base_to_tip(topology, constants, work, qd, f_ext)
    status = mixed_inertias(topology, constants, work, free)
    mixed_row(topology, constants, gravity, work, free, known[0], tau[0], qdd[0])
    nothing = (0.0, 0.0, 0.0)
    for row in range(1, known.shape[0]):
        for i in range(1, topology.shape[0]):
            store(work[i].bias_angular, nothing)
            store(work[i].bias_linear, nothing)
            store(work[i].moment, nothing)
            store(work[i].force, nothing)
        mixed_row(topology, constants, nothing, work, free, known[row], tau[row], qdd[row])
    return status
