# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics about the origin of the base, where wrenches of bodies add up."""

from robodyn_ros.algorithms.core.coriolis import (
    body_coriolis,
    composite_inertia_times,
    joint_axes_base_to_tip,
)
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import poses_base_to_tip
from robodyn_ros.algorithms.variants.inverse_dynamics_body import momentum_rate
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import inlined, primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@primitive
def accelerations_about_base(topology, gravity, work, qd, qdd):
    """Compute alpha_I = alpha_I(parent) + H_I* qdd + dH_I*/dt qd of the bodies.

    Needs the joint axes and their rates.
    """
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        parent, k = topology[i, PARENT], topology[i, V]
        alpha, a = load(work[parent].alpha), load(work[parent].accel)
        accelerate_body(work, i, alpha, a, qd[k], qdd[k])


@primitive
def accelerate_body(work, i, alpha, a, rate, acceleration):
    """Compute the acceleration of body i from that of the body that carries its joint.

    `alpha`, `a`: angular and linear acceleration of the carrying body, 3-vectors.
    `rate`: joint velocity [rad/s or m/s].
    `acceleration`: joint acceleration [rad/s^2 or m/s^2].
    """
    row = work[i]
    turning = add(scale(acceleration, load(row.axis)), scale(rate, load(row.axis_rate)))
    store(row.alpha, add(alpha, turning))
    moving = add(scale(acceleration, load(row.axis, 3)), scale(rate, load(row.axis_rate, 3)))
    store(row.accel, add(a, moving))


@inlined
def force_about_base(constants, work, i, f_ext):
    """Store M_I alpha_I + bar(V_I) h_I - f_ext of body i, about the base origin (2.38)."""
    body_coriolis(constants, work, i)
    n, f = composite_inertia_times(work, i, load(work[i].alpha), load(work[i].accel))
    gyroscopic, centrifugal = momentum_rate(
        load(work[i].omega), load(work[i].speed), load(work[i].b_moment), load(work[i].b_force)
    )
    push = rotate(work[i].world_rotation, load(f_ext[i], 3))
    outside = add(
        rotate(work[i].world_rotation, load(f_ext[i])), cross(load(work[i].world_position), push)
    )
    store(work[i].moment, sub(add(n, gyroscopic), outside))
    store(work[i].force, sub(add(f, centrifugal), push))


@primitive
def forces_about_base(topology, constants, gravity, work, q, qd, qdd, f_ext):
    """Compute the inertia force of every body minus its external wrench, about the base origin.

    Poses, joint axes and motions are computed, too.
    """
    joint_transforms(topology, constants, work, q)
    poses_base_to_tip(topology, work)
    joint_axes_base_to_tip(topology, constants, work, qd)
    accelerations_about_base(topology, gravity, work, qd, qdd)
    for i in range(1, topology.shape[0]):
        force_about_base(constants, work, i, f_ext)


@recursion
def inverse_dynamics_fixed(
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
    """Compute tau = H_I f_I with all quantities about the origin of the base, in O(n).

    f_I = sum f_I(children) + M_I alpha_I + bar(V_I) h_I - f_ext. Velocity and acceleration are
    those of the point of each body at the base origin. Jain 2011, Table 5.1 and section 5.4:
    (5.47) to (5.57), with the missing factor thd of (5.55); (2.38).
    """
    forces_about_base(topology, constants, gravity, work, q, qd, qdd, f_ext)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, k = topology[i, PARENT], topology[i, V]
        n, f = load(work[i].moment), load(work[i].force)
        tau[k] = (
            dot(load(work[i].axis), n)
            + dot(load(work[i].axis, 3), f)
            + constants[i, ROTOR] * qdd[k]
        )
        if parent > 0:
            accumulate(work[parent].moment, n)
            accumulate(work[parent].force, f)
