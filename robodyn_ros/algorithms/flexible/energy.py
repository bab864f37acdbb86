# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy of flexible links, without the strain of the modes."""

from robodyn_ros.algorithms.core.joint_transform import add_along_joint, to_child
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.flexible.deformation import (
    deformed_inertias,
    first_mode,
    modal_transforms,
    summed,
)
from robodyn_ros.algorithms.flexible.modal_storage import (
    MOTIONS,
    linear,
    memory,
    modal_mass,
    modes,
    numbers,
    spin_coupling,
    vec,
)
from robodyn_ros.model.layout import MASS, MODES, MOUNT_ROOM, PARENT, ROOM, ROTOR, SHAPE, V
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store


@primitive
def velocities_base_to_tip(topology, constants, work, qd):
    """Compute angular velocities and velocities of the origins. Needs `modal_transforms`."""
    room = memory(topology, work)
    store(work[0].omega, (0.0, 0.0, 0.0))
    store(work[0].speed, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        w = load(work[parent].omega)
        v = add(load(work[parent].speed), cross(w, load(work[i].position)))
        n = modes(topology, parent)
        if n > 0:
            turning, moving = summed(
                room, topology[i, MOUNT_ROOM] + MOTIONS, n, qd, first_mode(topology, parent, True)
            )
            w, v = add(w, turning), add(v, moving)
        w, v = to_child(work, i, w), to_child(work, i, v)
        w, v = add_along_joint(topology, constants, i, w, v, qd[topology[i, V]])
        store(work[i].omega, w)
        store(work[i].speed, v)


@separate
def energy(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    energies: Vector,
):
    """Compute the kinetic energy T and the potential energy V, in O(n).

    T = sum V_fl^T M_fl V_fl / 2 (13.26) and V = -sum g.(m p + R h).

    `energies` (2,), written: kinetic and potential energy [J].
    """
    modal_transforms(topology, constants, work, q)
    deformed_inertias(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    flat, room = numbers(constants), memory(topology, work)
    g = (gravity[0], gravity[1], gravity[2])
    twice_kinetic, potential = 0.0, 0.0
    for i in range(1, topology.shape[0]):
        n, place, own_room = topology[i, MODES], topology[i, SHAPE], topology[i, ROOM]
        mass, h, rate = constants[i, MASS], load(work[i].c_moment), qd[topology[i, V]]
        w, v = load(work[i].omega), load(work[i].speed)
        spin, drift = times(load_symmetric(work[i].c_inertia), w), cross(w, h)
        first = first_mode(topology, i, True)
        for r in range(n):
            x = qd[first + r]
            pull = dot(vec(room, own_room + spin_coupling(n, r)), w)
            pull = pull + dot(vec(flat, place + linear(n, r)), v)
            twice_kinetic = twice_kinetic + 2.0 * x * pull
            for j in range(n):
                share = flat[place + modal_mass(n, r, j)]
                twice_kinetic = twice_kinetic + share * x * qd[first + j]
        twice_kinetic = (
            twice_kinetic
            + mass * dot(v, v)
            + dot(w, spin)
            + 2.0 * dot(v, drift)
            + constants[i, ROTOR] * rate * rate
        )
        moment = add(scale(mass, load(work[i].world_position)), rotate(work[i].world_rotation, h))
        potential = potential - dot(g, moment)
    energies[0] = 0.5 * twice_kinetic
    energies[1] = potential
