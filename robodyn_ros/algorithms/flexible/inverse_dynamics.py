# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics of flexible links: Jain 2011, algorithm 13.1.

Velocities and accelerations are propagated outward over the deformed mounts. The forces are
(13.51 to 13.55)

    f_fl = A_fl f(child) + M_fl alpha_fl + b_fl,  T = [f^f; H f^r]
"""

from robodyn_ros.algorithms.core.joint_transform import add_along_joint, along_joint
from robodyn_ros.algorithms.flexible.deformation import (
    apply_wrenches,
    deformed_inertias,
    first_mode,
    gyroscopic_forces,
    modal_transforms,
    mount_motions,
)
from robodyn_ros.algorithms.flexible.forward_dynamics import (
    acceleration_from_parent,
    carry_force,
    velocity_base_to_tip,
)
from robodyn_ros.algorithms.flexible.modal_storage import (
    linear,
    load_of,
    memory,
    modal_mass,
    numbers,
    spin_coupling,
    vec,
)
from robodyn_ros.model.layout import MASS, MODES, PARENT, ROOM, ROTOR, SHAPE, V
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store


@primitive
def motion_base_to_tip(topology, constants, gravity, work, qdd):
    """Compute the accelerations of the bodies from those of joints and modes."""
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        alpha, a = acceleration_from_parent(topology, work, i, qdd)
        alpha = add(alpha, load(work[i].bias_angular))
        a = add(a, load(work[i].bias_linear))
        alpha, a = add_along_joint(topology, constants, i, alpha, a, qdd[topology[i, V]])
        store(work[i].alpha, alpha)
        store(work[i].accel, a)


@primitive
def inertia_forces(topology, constants, work, qdd):
    """Add M_fl alpha_fl to the forces of bodies and modes."""
    flat, room = numbers(constants), memory(topology, work)
    for i in range(1, topology.shape[0]):
        n, place, own_room = topology[i, MODES], topology[i, SHAPE], topology[i, ROOM]
        alpha, a = load(work[i].alpha), load(work[i].accel)
        h, first = load(work[i].c_moment), first_mode(topology, i, True)
        moment = add(times(load_symmetric(work[i].c_inertia), alpha), cross(h, a))
        force = add(scale(constants[i, MASS], a), cross(alpha, h))
        for r in range(n):
            x = qdd[first + r]
            spin, drift = (
                vec(room, own_room + spin_coupling(n, r)),
                vec(flat, place + linear(n, r)),
            )
            moment, force = add(moment, scale(x, spin)), add(force, scale(x, drift))
            k = own_room + load_of(n, r)
            room[k] = room[k] + dot(spin, alpha) + dot(drift, a)
            for j in range(n):
                room[k] = room[k] + flat[place + modal_mass(n, r, j)] * qdd[first + j]
        accumulate(work[i].moment, moment)
        accumulate(work[i].force, force)


@primitive
def force_tip_to_base(topology, constants, work, qdd, tau):
    """Propagate the forces to the base; the parts along joints and modes are the torques.

    `tau` (nv,), written: torques of joints and modes.
    """
    room = memory(topology, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, k = topology[i, PARENT], topology[i, V]
        m, first = topology[i, MODES], first_mode(topology, i, True)
        n, f = load(work[i].moment), load(work[i].force)
        tau[k] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR] * qdd[k]
        for r in range(m):
            tau[first + r] = room[topology[i, ROOM] + load_of(m, r)]
        if parent > 0:
            carry_force(topology, work, i, parent, n, f)


@separate
def inverse_dynamics(
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
    """Compute tau = M(q) qdd + C(q, qd) qd + g(q) - J^T f_ext, in O(n), without springs of modes.

    `q` (nq,): positions of joints, then amplitudes of modes [rad or m, -].
    `qd`, `qdd` (nv,): their velocities and accelerations.
    `f_ext` (nb + nodes, 6): see `apply_wrenches`.
    `tau` (nv,), written: torques of joints, then forces of modes [N m or N].
    """
    modal_transforms(topology, constants, work, q)
    mount_motions(topology, constants, work, q, qd)
    velocity_base_to_tip(topology, constants, work, qd)
    deformed_inertias(topology, constants, work, q)
    gyroscopic_forces(topology, constants, work, q, qd)
    apply_wrenches(topology, constants, work, q, f_ext)
    motion_base_to_tip(topology, constants, gravity, work, qdd)
    inertia_forces(topology, constants, work, qdd)
    force_tip_to_base(topology, constants, work, qdd, tau)


@separate
def gravity_torque(
    topology: Topology, constants: Table, gravity: Constant, work: Work, q: Vector, tau: Vector
):
    """Compute tau = g(q) = dV/dq of joints and modes, without springs of modes.

    `tau` (nv,), written: torques of joints and modes.
    """
    for k in range(tau.shape[0]):
        tau[k] = 0.0  # also velocities and accelerations: entries are read before they change
    modal_transforms(topology, constants, work, q)
    mount_motions(topology, constants, work, q, tau)
    velocity_base_to_tip(topology, constants, work, tau)
    deformed_inertias(topology, constants, work, q)
    gyroscopic_forces(topology, constants, work, q, tau)
    motion_base_to_tip(topology, constants, gravity, work, tau)
    inertia_forces(topology, constants, work, tau)
    force_tip_to_base(topology, constants, work, tau, tau)
