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
def velocity_base_to_tip(topology, constants, scratch, qd, f_ext):
    """Compute angular velocities, velocity-dependent accelerations and bias forces."""
    store(scratch[0].omega, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate = topology[i, PARENT], qd[topology[i, V]]
        carrier = load(scratch[parent].omega)
        w = to_child(scratch, i, carrier)
        lever = cross(carrier, cross(carrier, load(scratch[i].position)))
        linear = to_child(scratch, i, lever)
        if topology[i, KIND] == PRISMATIC:
            twice = rate + rate
            store(scratch[i].bias_angular, (0.0, 0.0, 0.0))
            linear = (linear[0] + w[1] * twice, linear[1] - w[0] * twice, linear[2])
        else:
            twice = constants[i, PITCH] * (rate + rate)
            linear = (linear[0] + w[1] * twice, linear[1] - w[0] * twice, linear[2])
            store(scratch[i].bias_angular, (w[1] * rate, -(w[0] * rate), 0.0))
            w = (w[0], w[1], w[2] + rate)
            if topology[i, KIND] == BALL_Z:
                accumulate(scratch[i].bias_angular, axes_turning(qd, qd, topology[i, V]))
        store(scratch[i].bias_linear, linear)
        store(scratch[i].omega, w)
        spin = times(load_symmetric(constants[i], INERTIA), w)
        store(scratch[i].moment, sub(cross(w, spin), load(f_ext[i])))
        swing = cross(w, cross(w, load(constants[i], MOMENT)))
        store(scratch[i].force, sub(swing, load(f_ext[i], 3)))


@primitive
def residual_tip_to_base(topology, constants, scratch, tau):
    """Propagate the bias forces to the base, and compute the residual torques u = tau - S^T z."""
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        n, f = load(scratch[i].moment), load(scratch[i].force)
        along = along_joint(topology, constants, i, n, f)
        u = tau[topology[i, V]] - along
        scratch[i].residual = u
        if parent > 0:
            moment, force = articulated_times(
                scratch, i, load(scratch[i].bias_angular), load(scratch[i].bias_linear)
            )
            share = scratch[i].d_inverse * u
            n = add(add(n, moment), scale(share, load(scratch[i].u_angular)))
            f = add(add(f, force), scale(share, load(scratch[i].u_linear)))
            f = to_parent(scratch, i, f)
            n = add(to_parent(scratch, i, n), cross(load(scratch[i].position), f))
            accumulate(scratch[parent].moment, n)
            accumulate(scratch[parent].force, f)


@primitive
def acceleration_base_to_tip(topology, constants, gravity, scratch, qdd):
    """Compute joint accelerations: qdd = (u - U^T a') / D, a = a' + S qdd."""
    store(scratch[0].alpha, (0.0, 0.0, 0.0))
    store(scratch[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        alpha, a = carried_acceleration(scratch, topology[i, PARENT], i)
        alpha = add(alpha, load(scratch[i].bias_angular))
        a = add(a, load(scratch[i].bias_linear))
        qdd[topology[i, V]] = accelerate(topology, constants, scratch, i, alpha, a)


@recursion
def forward_dynamics(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    scratch: Work,
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
    joint_transforms(topology, constants, scratch, q)
    velocity_base_to_tip(topology, constants, scratch, qd, f_ext)
    status = articulated_inertias(topology, constants, scratch, diagonal)
    residual_tip_to_base(topology, constants, scratch, tau)
    acceleration_base_to_tip(topology, constants, gravity, scratch, qdd)
    return status
