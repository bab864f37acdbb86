# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rates in base axes, of the origins of the bodies."""

from robodyn_ros.algorithms.core.aba import velocity_base_to_tip
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    carried_acceleration,
    joint_transforms,
)
from robodyn_ros.algorithms.core.rnea import force_tip_to_base
from robodyn_ros.model.layout import INERTIA, MASS, MOMENT, PARENT, V
from robodyn_ros.spatial.primitive import recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store


@recursion
def inverse_dynamics_inertial(
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
    """Compute tau = H f with rates of velocities in base axes, in O(n).

    f = sum phi f(children) + M alpha + [w x J w; w x (w x m p)] - f_ext. alpha is the rate of V in
    base axes, the acceleration of a point. Jain 2011, Table 5.1: (5.19), (5.20) and (2.26); the
    two-sweep form of Luh, Walker and Paul 1980.
    """
    joint_transforms(topology, constants, work, q)
    velocity_base_to_tip(topology, constants, work, qd, f_ext)
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        alpha, a = add_along_joint(
            topology,
            constants,
            i,
            add(alpha, load(work[i].bias_angular)),
            add(a, load(work[i].bias_linear)),
            qdd[topology[i, V]],
        )
        store(work[i].alpha, alpha)
        store(work[i].accel, a)
        h = load(constants[i], MOMENT)
        accumulate(
            work[i].moment, add(times(load_symmetric(constants[i], INERTIA), alpha), cross(h, a))
        )
        accumulate(work[i].force, add(scale(constants[i, MASS], a), cross(alpha, h)))
    force_tip_to_base(topology, constants, work, qdd, tau)
