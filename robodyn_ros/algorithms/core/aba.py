# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics: the articulated-body algorithm, on classical accelerations."""

from robodyn_ros.algorithms.core.articulated import (
    accelerate,
    articulated_inertias,
    articulated_times,
)
from robodyn_ros.algorithms.core.joint_transform import (
    along_joint,
    axes_turning,
    carried_acceleration,
    joint_transforms,
    to_child,
    to_parent,
)
from robodyn_ros.model.layout import BALL_Z, INERTIA, KIND, MOMENT, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store, sub


@primitive
def velocity_base_to_tip(topology, constants, work, qd, f_ext):
    """Compute angular velocities, velocity-dependent accelerations and bias forces."""
    store(work[0].omega, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate = topology[i, PARENT], qd[topology[i, V]]
        carrier = load(work[parent].omega)
        w = to_child(work, i, carrier)
        lever = cross(carrier, cross(carrier, load(work[i].position)))
        linear = to_child(work, i, lever)
        if topology[i, KIND] == PRISMATIC:
            twice = rate + rate
            store(work[i].bias_angular, (0.0, 0.0, 0.0))
            linear = (linear[0] + w[1] * twice, linear[1] - w[0] * twice, linear[2])
        else:
            twice = constants[i, PITCH] * (rate + rate)
            linear = (linear[0] + w[1] * twice, linear[1] - w[0] * twice, linear[2])
            store(work[i].bias_angular, (w[1] * rate, -(w[0] * rate), 0.0))
            w = (w[0], w[1], w[2] + rate)
            if topology[i, KIND] == BALL_Z:
                accumulate(work[i].bias_angular, axes_turning(qd, qd, topology[i, V]))
        store(work[i].bias_linear, linear)
        store(work[i].omega, w)
        spin = times(load_symmetric(constants[i], INERTIA), w)
        store(work[i].moment, sub(cross(w, spin), load(f_ext[i])))
        swing = cross(w, cross(w, load(constants[i], MOMENT)))
        store(work[i].force, sub(swing, load(f_ext[i], 3)))


@primitive
def residual_tip_to_base(topology, constants, work, tau):
    """Propagate the bias forces to the base, and compute the residual torques u = tau - S^T z."""
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        n, f = load(work[i].moment), load(work[i].force)
        along = along_joint(topology, constants, i, n, f)
        u = tau[topology[i, V]] - along
        work[i].residual = u
        if parent > 0:
            moment, force = articulated_times(
                work, i, load(work[i].bias_angular), load(work[i].bias_linear)
            )
            share = work[i].d_inverse * u
            n = add(add(n, moment), scale(share, load(work[i].u_angular)))
            f = add(add(f, force), scale(share, load(work[i].u_linear)))
            f = to_parent(work, i, f)
            n = add(to_parent(work, i, n), cross(load(work[i].position), f))
            accumulate(work[parent].moment, n)
            accumulate(work[parent].force, f)


@primitive
def acceleration_base_to_tip(topology, constants, gravity, work, qdd):
    """Compute joint accelerations: qdd = (u - U^T a') / D, a = a' + S qdd."""
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        alpha = add(alpha, load(work[i].bias_angular))
        a = add(a, load(work[i].bias_linear))
        qdd[topology[i, V]] = accelerate(topology, constants, work, i, alpha, a)


@recursion
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    tau: Vector,
    f_ext: Matrix,
    diagonal: Vector,
    qdd: Vector,
):
    """Compute qdd = (M + diag(diagonal))^-1 (tau - C qd - g + J^T f_ext), in O(n).

    Featherstone 2008, Table 7.1; Jain 2011, Algorithms 7.1 and 7.2.

    `f_ext` (nb, 6): moment and force on each body [N m, N], in its frame, about its origin.
    `diagonal` (nv,): added to the diagonal of the mass matrix [kg m^2 or kg]. It is zero for plain
      dynamics, and the step times the damping for an implicit step.
    """
    joint_transforms(topology, constants, work, q)
    velocity_base_to_tip(topology, constants, work, qd, f_ext)
    status = articulated_inertias(topology, constants, work, diagonal)
    residual_tip_to_base(topology, constants, work, tau)
    acceleration_base_to_tip(topology, constants, gravity, work, qdd)
    return status
