# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kinetic and potential energy."""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip, velocities_base_to_tip
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT, ROTOR, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale


@recursion
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

    T = sum (m v.v + omega.I omega) / 2 + v.(omega x h) and V = -sum g.(m p + R h) (Jain 2011,
    section 4.1; Spong, eq. 6.54). Rotors add half of their reflected inertia times qd^2. V is zero
    if every mass is at the base.

    `energies` (2,), written: kinetic and potential energy [J].
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    velocities_base_to_tip(topology, constants, work, qd)
    g = (gravity[0], gravity[1], gravity[2])
    twice_kinetic, potential = 0.0, 0.0
    for i in range(1, topology.shape[0]):
        mass, h, rate = constants[i, MASS], load(constants[i], MOMENT), qd[topology[i, V]]
        w, v = load(work[i].omega), load(work[i].speed)
        spin, drift = times(load_symmetric(constants[i], INERTIA), w), cross(w, h)
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
