# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Inverse dynamics with rates in body axes, for arbitrary body frames."""

from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    axes_turning,
    joint_transforms,
    to_child,
    to_parent,
)
from robodyn_ros.model.layout import (
    BALL_Z,
    INERTIA,
    KIND,
    MASS,
    MOMENT,
    PARENT,
    PITCH,
    PRISMATIC,
    ROTOR,
    V,
)
from robodyn_ros.spatial.primitive import inlined, primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric, shift_inertia, store_symmetric
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store, sub


@inlined
def momentum_rate(w, v, n, f):
    """Return bar(V) h: the rate of a momentum due to the motion of its frame.

    `w`, `v`: angular and linear velocity V of the frame, 3-vectors.
    `n`, `f`: angular and linear momentum h, 3-vectors.
    """
    return add(cross(w, n), cross(v, f)), cross(w, f)


@primitive
def at_joint(work, i, lever, w, v):
    """Return a motion of the parent at the origin of body i, in axes of body i.

    `lever`: vector from the reference point of the motion to that origin, in axes of the parent
      [m].
    `w`, `v`: angular and linear part of the motion, in axes of the parent.
    """
    return to_child(work, i, w), to_child(work, i, add(v, cross(w, lever)))


@primitive
def rotation_rate_of_joint(topology, constants, i, w, v, rate):
    """Return tilde(V) Delta: the rate of the motion of joint i due to that of body i (Jain 5.11).

    `w`, `v`: angular and linear velocity, 3-vectors.
    `rate`: joint velocity [rad/s or m/s].
    """
    if topology[i, KIND] == PRISMATIC:
        return (0.0, 0.0, 0.0), (w[1] * rate, -(w[0] * rate), 0.0)
    travel = constants[i, PITCH] * rate
    return (
        (w[1] * rate, -(w[0] * rate), 0.0),
        (v[1] * rate + w[1] * travel, -(v[0] * rate + w[0] * travel), 0.0),
    )


@primitive
def motion_of_frames(topology, constants, work, qd, qdd, offsets):
    """Compute velocities V and accelerations alpha of the frames, from base to tip.

    V = phi* V(parent) + H* qd and alpha = phi* alpha(parent) + H* qdd + a. Needs V and alpha in
    row 0.

    `offsets` (nb, 3): origin of the frame of each body from that of the body, in its axes [m].
      Zeros leave the frames at the joints.
    """
    for i in range(1, topology.shape[0]):
        parent, k, offset = topology[i, PARENT], topology[i, V], load(offsets[i])
        lever = sub(load(work[i].position), load(offsets[parent]))
        w, v = at_joint(work, i, lever, load(work[parent].omega), load(work[parent].speed))
        alpha, a = at_joint(work, i, lever, load(work[parent].alpha), load(work[parent].accel))
        w, v = add_along_joint(topology, constants, i, w, v, qd[k])
        alpha, a = add_along_joint(topology, constants, i, alpha, a, qdd[k])
        turning, sliding = rotation_rate_of_joint(topology, constants, i, w, v, qd[k])
        alpha, a = add(alpha, turning), add(a, sliding)
        if topology[i, KIND] == BALL_Z:
            alpha = add(alpha, axes_turning(qd, qd, k))
        store(work[i].omega, w)
        store(work[i].speed, add(v, cross(w, offset)))
        store(work[i].alpha, alpha)
        store(work[i].accel, add(a, cross(alpha, offset)))


@primitive
def force_on_frame(constants, work, i, f_ext, offsets):
    """Store M alpha + bar(V) M V - f_ext of body i, about the origin of its frame (2.28).

    `offsets` (nb, 3): origin of the frame of each body from that of the body, in its axes [m].
      Zeros leave the frames at the joints.
    """
    mass, moment, offset = constants[i, MASS], load(constants[i], MOMENT), load(offsets[i])
    work[i].c_mass = mass
    store(work[i].c_moment, sub(moment, scale(mass, offset)))
    store_symmetric(
        work[i].c_inertia,
        shift_inertia(load_symmetric(constants[i], INERTIA), mass, moment, scale(-1.0, offset)),
    )
    w, v = load(work[i].omega), load(work[i].speed)
    n, f = composite_inertia_times(work, i, w, v)
    gyroscopic, centrifugal = momentum_rate(w, v, n, f)
    n, f = composite_inertia_times(work, i, load(work[i].alpha), load(work[i].accel))
    push = load(f_ext[i], 3)
    outside = sub(load(f_ext[i]), cross(offset, push))
    store(work[i].moment, sub(add(n, gyroscopic), outside))
    store(work[i].force, sub(add(f, centrifugal), push))


@recursion
def inverse_dynamics_body(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    offsets: Matrix,
    tau: Vector,
):
    """Compute tau = H f with rates of velocities in body axes, in O(n).

    f = sum phi f(children) + M alpha + bar(V) M V - f_ext, where alpha is the rate of V in body
    axes. Jain 2011, Table 5.1: (5.11) and (2.28), and (5.18) for frames away from the joints.

    `offsets` (nb, 3): origin of the frame of each body from that of the body, in its axes [m].
      Zeros leave the frames at the joints.
    """
    joint_transforms(topology, constants, work, q)
    store(work[0].omega, (0.0, 0.0, 0.0))
    store(work[0].speed, (0.0, 0.0, 0.0))
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    motion_of_frames(topology, constants, work, qd, qdd, offsets)
    for i in range(1, topology.shape[0]):
        force_on_frame(constants, work, i, f_ext, offsets)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, k, f = topology[i, PARENT], topology[i, V], load(work[i].force)
        n = add(load(work[i].moment), cross(load(offsets[i]), f))
        tau[k] = along_joint(topology, constants, i, n, f) + constants[i, ROTOR] * qdd[k]
        if parent > 0:
            f = to_parent(work, i, f)
            lever = sub(load(work[i].position), load(offsets[parent]))
            accumulate(work[parent].moment, add(to_parent(work, i, n), cross(lever, f)))
            accumulate(work[parent].force, f)
