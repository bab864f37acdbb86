# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of inverse dynamics, with all quantities of a branch of the base in one frame.

A motion of joint i moves all bodies that it carries like one rigid body. In one frame most of the
changes therefore cancel in the torque. Let V and A be velocity and acceleration of the body that
carries joint i, with A = -gravity for the base. Were the joint axis S fixed to that body, its
first and second rates would be psi' and psi''. S' is its actual rate. Then

    psi' = V x S,  psi'' = A x S + V x psi'
    dtau_j/dq_i  = S_j . (I_k psi''_i + 2 B_k psi'_i + [S_i x* F_i if i is beyond j])
    dtau_j/dqd_i = S_j . (I_k (psi'_i + S'_i) + 2 B_k S_i)
    dtau_j/dqdd_i = S_j . I_k S_i + rotor,

where k is the one of i and j that is farther from the base. I_k, B_k (coriolis.body_coriolis) and
the wrench F_k are those of the composite body k. For joints of different branches the derivative
is zero. Singh, Russo and
Wensing 2022, "Efficient analytical derivatives of rigid-body dynamics using spatial vector
algebra". Carpentier and Mansard 2018, "Analytical derivatives of rigid body dynamics algorithms".
"""

from robodyn_ros.algorithms.core.coriolis import (
    add_to_parent,
    composite_inertia_times,
    joint_axes_base_to_tip,
)
from robodyn_ros.algorithms.core.joint_transform import first_of_joint, place_body, to_child
from robodyn_ros.algorithms.core.matrices import clear
from robodyn_ros.algorithms.core.world_frame import poses_in_world_frame
from robodyn_ros.algorithms.derivatives.tiles import (
    body_by_body,
    last_tile,
    numbers_in_tiles,
    tile_by_tile,
    turn_joints,
    wrenches_in_tiles,
)
from robodyn_ros.algorithms.variants.inverse_dynamics_body import momentum_rate
from robodyn_ros.algorithms.variants.inverse_dynamics_fixed import (
    accelerate_body,
    force_about_base,
)
from robodyn_ros.model.layout import PARENT, ROTOR, V
from robodyn_ros.spatial.primitive import emitted, inlined, primitive, recursion
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.rotational_inertia import load_symmetric, times
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@inlined
def motion_rate(w, v, axis, slide):
    """Return V x S: the rate of a motion that is fixed to a moving body.

    `w`, `v`: angular and linear velocity V of the body, 3-vectors.
    `axis`, `slide`: angular and linear part of the motion S, 3-vectors.
    """
    return cross(w, axis), add(cross(w, slide), cross(v, axis))


@inlined
def carrier_acceleration(gravity, work, carrier, first):
    """Return the acceleration of the body that carries a joint, in the common frame.

    `carrier`: row of the body that carries the joint.
    `first`: row of the first body of the joint.
    """
    if carrier == 0:
        up = to_child(work, first, (-gravity[0], -gravity[1], -gravity[2]))
        return (0.0, 0.0, 0.0), rotate(work[first].world_rotation, up)
    return load(work[carrier].alpha), load(work[carrier].accel)


@inlined
def motions_in_world_frame(topology, constants, gravity, work, q, qd, qdd):
    """Compute poses, joint axes, velocities and accelerations, in the common frame."""
    turn_joints(topology, constants, work, q)
    for i in range(1, topology.shape[0]):
        place_body(topology, constants, work, q, i)
    poses_in_world_frame(topology, work)
    joint_axes_base_to_tip(topology, constants, work, qd)
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        alpha, a = carrier_acceleration(gravity, work, topology[i, PARENT], i)
        accelerate_body(work, i, alpha, a, qd[k], qdd[k])


@primitive
def forces_in_world_frame(topology, constants, gravity, work, q, qd, qdd, f_ext):
    """Compute the inertia force of every body minus its external wrench, in the common frame.

    Poses, joint axes and motions are computed, too.
    """
    motions_in_world_frame(topology, constants, gravity, work, q, qd, qdd)
    for i in range(1, topology.shape[0]):
        force_about_base(constants, work, i, f_ext)


@inlined
def velocity_of_carrier(topology, work, i):
    """Store the velocity of the body that carries the joint of body i."""
    carrier = topology[first_of_joint(topology, i), PARENT]
    store(work[i].carrier_omega, load(work[carrier].omega))
    store(work[i].carrier_speed, load(work[carrier].speed))


@inlined
def acceleration_of_carrier(topology, gravity, work, i):
    """Store the acceleration of the body that carries the joint of body i."""
    first = first_of_joint(topology, i)
    alpha, a = carrier_acceleration(gravity, work, topology[first, PARENT], first)
    store(work[i].carrier_alpha, alpha)
    store(work[i].carrier_accel, a)


@inlined
def carry_axis(rows, i):
    """Compute psi' and psi' + S' of a joint. Needs `velocity_of_carrier`."""
    turning, sliding = motion_rate(
        load(rows[i].carrier_omega),
        load(rows[i].carrier_speed),
        load(rows[i].axis),
        load(rows[i].axis, 3),
    )
    store(rows[i].carried, turning)
    store(rows[i].carried, sliding, 3)
    store(rows[i].both_rates, add(turning, load(rows[i].axis_rate)))
    store(rows[i].both_rates, add(sliding, load(rows[i].axis_rate, 3)), 3)


@inlined
def carry_rate(rows, i):
    """Compute psi'' of a joint. Needs `carry_axis` and `acceleration_of_carrier`."""
    alpha, a = motion_rate(
        load(rows[i].carrier_alpha),
        load(rows[i].carrier_accel),
        load(rows[i].axis),
        load(rows[i].axis, 3),
    )
    again, moving = motion_rate(
        load(rows[i].carrier_omega),
        load(rows[i].carrier_speed),
        load(rows[i].carried),
        load(rows[i].carried, 3),
    )
    store(rows[i].carried_rate, add(alpha, again))
    store(rows[i].carried_rate, add(a, moving), 3)


@primitive
def carry_axes(topology, gravity, work):
    """Compute psi', psi' + S' and psi'' of every joint. Needs axes and motions of the bodies."""
    for i in range(1, topology.shape[0]):
        velocity_of_carrier(topology, work, i)
        acceleration_of_carrier(topology, gravity, work, i)
        carry_axis(work, i)
        carry_rate(work, i)


@primitive
def sum_tip_to_base(topology, work):
    """Compute inertia, B and wrench of every composite body."""
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        if parent > 0:
            add_to_parent(work, i, parent)
            accumulate(work[parent].moment, load(work[i].moment))
            accumulate(work[parent].force, load(work[i].force))


@primitive
def twice_symmetric(work, i):
    """Return twice the symmetric part of B of composite body i."""
    y = load_symmetric(work[i].b_symmetric)
    return 2.0 * y[0], 2.0 * y[1], 2.0 * y[2], 2.0 * y[3], 2.0 * y[4], 2.0 * y[5]


@inlined
def twice_coriolis_times(work, i, w):
    """Return 2 B (w, v) of composite body i, which does not depend on v.

    `w`: angular velocity, 3-vector.
    """
    turning = times(twice_symmetric(work, i), w)
    return (
        add(turning, cross(w, load(work[i].b_moment))),
        cross(w, scale(2.0, load(work[i].b_force))),
    )


@inlined
def twice_coriolis_transposed(work, i, w, v):
    """Return the angular part of 2 B^T (w, v) of composite body i; its linear part is zero.

    `w`, `v`: angular and linear velocity, 3-vectors.
    """
    turning = add(times(twice_symmetric(work, i), w), cross(scale(2.0, load(work[i].b_force)), v))
    return sub(turning, cross(w, load(work[i].b_moment)))


@inlined
def power(motion, n, f):
    """Return the power of a wrench on a motion.

    `motion` (6,): angular part first.
    """
    return dot(load(motion), n) + dot(load(motion, 3), f)


@inlined
def wrenches_by_velocity(rows, i):
    """Compute I S and 2 B^T S of a composite body, and its wrench by the joint's velocity.

    Needs `velocity_of_carrier` and `sum_tip_to_base`.
    """
    carry_axis(rows, i)
    axis, slide = load(rows[i].axis), load(rows[i].axis, 3)
    n, f = composite_inertia_times(rows, i, axis, slide)
    store(rows[i].joint_momentum, n)
    store(rows[i].joint_momentum, f, 3)
    store(rows[i].joint_coriolis, twice_coriolis_transposed(rows, i, axis, slide))
    moment, force = composite_inertia_times(
        rows, i, load(rows[i].both_rates), load(rows[i].both_rates, 3)
    )
    twist, push = twice_coriolis_times(rows, i, axis)
    store(rows[i].by_velocity, add(moment, twist))
    store(rows[i].by_velocity, add(force, push), 3)


@inlined
def wrenches_by_position(rows, i):
    """Compute the wrench of a composite body by the joint's position.

    Beyond the body that carries the joint, the composite body moves relative to the axes.

    Needs `acceleration_of_carrier` and `wrenches_by_velocity`.
    """
    carry_rate(rows, i)
    moment, force = composite_inertia_times(
        rows, i, load(rows[i].carried_rate), load(rows[i].carried_rate, 3)
    )
    twist, push = twice_coriolis_times(rows, i, load(rows[i].carried))
    moment, force = add(moment, twist), add(force, push)
    store(rows[i].by_position, moment)
    store(rows[i].by_position, force, 3)
    twist, push = momentum_rate(
        load(rows[i].axis), load(rows[i].axis, 3), load(rows[i].moment), load(rows[i].force)
    )
    store(rows[i].beyond, add(moment, twist))
    store(rows[i].beyond, add(force, push), 3)


@inlined
def composite_wrenches(topology, constants, gravity, work, q, qd, qdd, f_ext):
    """Compute all motions of joints and wrenches of composite bodies that pairs of joints need."""
    bodies, tiles = body_by_body(topology, work), tile_by_tile(topology, work)
    motions_in_world_frame(topology, constants, gravity, bodies, q, qd, qdd)
    for i in range(1, topology.shape[0]):
        velocity_of_carrier(topology, bodies, i)
        acceleration_of_carrier(topology, gravity, bodies, i)
    numbers = numbers_in_tiles(topology, constants, work)
    wrenches = wrenches_in_tiles(topology, f_ext, work)
    for i in range(1, last_tile(topology) + 1):
        force_about_base(numbers, tiles, i, wrenches)
    sum_tip_to_base(topology, bodies)
    for i in range(1, last_tile(topology) + 1):
        wrenches_by_velocity(tiles, i)
        wrenches_by_position(tiles, i)


@primitive
def by_velocity(topology, rows, by_qd, by_qdd):
    """Compute dtau/dqd and dtau/dqdd without rotors. Needs `wrenches_by_velocity`.

    `by_qd` (nv, nv), written: derivative by the velocities; a row for each torque.
    `by_qdd` (nv, m), written: derivative by the accelerations, which is the mass matrix.
    """
    clear(by_qd)
    clear(by_qdd)
    for i in range(1, topology.shape[0]):
        k, j = topology[i, V], i
        n, f = load(rows[i].joint_momentum), load(rows[i].joint_momentum, 3)
        right = load(rows[i].joint_coriolis)
        moment, force = load(rows[i].by_velocity), load(rows[i].by_velocity, 3)
        while j > 0:
            row = topology[j, V]
            entry = power(rows[j].axis, n, f)
            by_qdd[row, k] = entry
            by_qdd[k, row] = entry
            if j != i:
                by_qd[k, row] = power(rows[j].both_rates, n, f) + dot(load(rows[j].axis), right)
            by_qd[row, k] = power(rows[j].axis, moment, force)
            j = topology[j, PARENT]


@primitive
def by_position(topology, rows, by_q):
    """Compute dtau/dq between different joints. Needs `wrenches_by_position`.

    `by_q` (nv, nv), written: derivative by the positions, along unit velocities; a row for each
      torque.
    """
    clear(by_q)
    for i in range(1, topology.shape[0]):
        k, j = topology[i, V], topology[i, PARENT]
        n, f = load(rows[i].joint_momentum), load(rows[i].joint_momentum, 3)
        right = load(rows[i].joint_coriolis)
        moment, force = load(rows[i].beyond), load(rows[i].beyond, 3)
        while j > 0:
            row = topology[j, V]
            by_q[row, k] = power(rows[j].axis, moment, force)
            by_q[k, row] = power(rows[j].carried_rate, n, f) + dot(load(rows[j].carried), right)
            j = topology[j, PARENT]


@emitted
def by_motion(topology, work, by_q, by_qd, by_qdd):
    """Compute `by_velocity` and `by_position`, in machine code eight joints at a time.

    `by_q`, `by_qd` (nv, nv), written: derivatives, a row for each torque.
    `by_qdd` (nv, m), written: derivative by the accelerations, which is the mass matrix.
    """
    by_velocity(topology, work, by_qd, by_qdd)
    by_position(topology, work, by_q)


@primitive
def within_joints(topology, rows, by_q):
    """Write dtau/dq of the pairs of one joint, which are several for a spherical one.

    `by_q` (nv, nv): derivative by the positions, along unit velocities; a row for each torque.
    """
    for i in range(1, topology.shape[0]):
        moment, force = load(rows[i].by_position), load(rows[i].by_position, 3)
        for j in range(first_of_joint(topology, i), i + 1):
            by_q[topology[j, V], topology[i, V]] = power(rows[j].axis, moment, force)


@primitive
def add_rotors(topology, constants, by_qdd):
    """Add the inertia of rotors to the mass matrix.

    `by_qdd` (nv, m): mass matrix, changed in place.
    """
    for i in range(1, topology.shape[0]):
        k = topology[i, V]
        by_qdd[k, k] = by_qdd[k, k] + constants[i, ROTOR]


@recursion
def inverse_dynamics_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    by_q: Matrix,
    by_qd: Matrix,
    by_qdd: Matrix,
):
    """Compute dtau/dq along unit velocities, dtau/dqd and dtau/dqdd = M, in O(n depth).

    `by_q`, `by_qd`, `by_qdd` (nv, nv), written: derivatives, a row for each torque.
    """
    composite_wrenches(topology, constants, gravity, work, q, qd, qdd, f_ext)
    by_motion(topology, work, by_q, by_qd, by_qdd)
    within_joints(topology, body_by_body(topology, work), by_q)
    add_rotors(topology, constants, by_qdd)
