# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Deformed bodies: the mounts of others on them, how these move, inertias and bias forces.

    delta = Pi eta,  R = (1 - [s])^-1 (1 + [s]),  s = delta_q / 2               (Jain 13.2, 13.3)
    omega = (delta_q' + delta_q x delta_q' / 2) / (1 + s.s)
    M_fl(eta) = M_0 + sum eta_r M_1r + sum eta_r eta_s M_2rs                           (13.27)

A mount is the point of a body at which a child is attached. Vectors are in axes of the body that
deforms. Accelerations are classical.
"""

from robodyn_ros.algorithms.core.joint_transform import joint_transforms, set_column
from robodyn_ros.algorithms.flexible.modal_storage import (
    MOTIONS,
    MOVING,
    MOVING_BIAS,
    NODE,
    TURNING,
    TURNING_BIAS,
    angular,
    angular_slope,
    inertia_curve,
    inertia_slope,
    linear,
    load_of,
    memory,
    modes,
    numbers,
    spin_coupling,
    vec,
    write_vec,
)
from robodyn_ros.model.layout import (
    FIRST_MODE,
    FIRST_NODE,
    FIRST_POSITION,
    FIRST_VELOCITY,
    INERTIA,
    MODES,
    MOMENT,
    MOUNT,
    MOUNT_ROOM,
    NODES,
    OFFSET,
    PARENT,
    ROOM,
    SHAPE,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotational_inertia import load_symmetric, store_symmetric, times
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store, sub


@primitive
def first_mode(topology, i, of_velocities):
    """Return the index of the first mode of body i, in qd or in q.

    `of_velocities`: whether the index is that in qd.
    """
    start = topology[0, FIRST_VELOCITY] if of_velocities else topology[0, FIRST_POSITION]
    return start + topology[i, FIRST_MODE]


@primitive
def summed(flat, place, n, amplitudes, first):
    """Return rotation and displacement of a node: the sum of its shapes times the amplitudes.

    `flat`: vector that holds the shapes.
    `place`: index of the first shape.
    `n`: number of shapes.
    `amplitudes`: positions, velocities or accelerations of modes.
    `first`: index of the first amplitude.
    """
    turned, moved = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    for r in range(n):
        x = amplitudes[first + r]
        turned = add(turned, scale(x, vec(flat, place + 6 * r)))
        moved = add(moved, scale(x, vec(flat, place + 6 * r + 3)))
    return turned, moved


@primitive
def turned_by(delta, v):
    """Return a vector rotated by a Gibbs vector.

    `delta`: twice the Gibbs vector of the rotation, 3-vector.
    """
    s = scale(0.5, delta)
    twice = cross(s, v)
    share = 2.0 / (1.0 + dot(s, s))
    return add(v, scale(share, add(twice, cross(s, twice))))


@primitive
def turning_rate(delta, rate):
    """Return the angular velocity of a rotation given by a Gibbs vector and its rate.

    `delta`: twice the Gibbs vector of the rotation, 3-vector.
    `rate`: rate of delta, 3-vector.
    """
    more = scale(0.5, cross(delta, rate))
    return scale(1.0 / (1.0 + 0.25 * dot(delta, delta)), add(rate, more))


@primitive
def modal_transforms(topology, constants, work, q):
    """Compute the pose of each body on its deformed parent, and the modal motions of its mount.

    A modal motion is the motion of the mount for a unit rate of a mode.
    """
    joint_transforms(topology, constants, work, q)
    flat, room = numbers(constants), memory(topology, work)
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        n = modes(topology, parent)
        if n == 0:
            continue
        shape, place = topology[i, MOUNT], topology[i, MOUNT_ROOM] + MOTIONS
        delta, moved = summed(flat, shape, n, q, first_mode(topology, parent, False))
        offset = load(constants[i], OFFSET)
        slide = turned_by(delta, sub(load(work[i].position), offset))
        store(work[i].position, add(add(offset, moved), slide))
        for column in range(3):
            R = work[i].rotation
            axis = turned_by(delta, (R[column], R[column + 3], R[column + 6]))
            set_column(work, i, column, axis)
        for r in range(n):
            turning = turning_rate(delta, vec(flat, shape + 6 * r))
            write_vec(room, place + 6 * r, turning)
            write_vec(
                room, place + 6 * r + 3, add(vec(flat, shape + 6 * r + 3), cross(turning, slide))
            )


@primitive
def mount_motions(topology, constants, work, q, qd):
    """Compute the velocity of each mount on its parent, and its bias acceleration."""
    flat, room = numbers(constants), memory(topology, work)
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        n = modes(topology, parent)
        if n == 0:
            continue
        shape, place = topology[i, MOUNT], topology[i, MOUNT_ROOM]
        delta, moved = summed(flat, shape, n, q, first_mode(topology, parent, False))
        rate, _ = summed(flat, shape, n, qd, first_mode(topology, parent, True))
        turning, moving = summed(room, place + MOTIONS, n, qd, first_mode(topology, parent, True))
        offset = add(load(constants[i], OFFSET), moved)
        slide = sub(load(work[i].position), offset)
        slowing = -0.5 * dot(delta, rate) / (1.0 + 0.25 * dot(delta, delta))
        turning_bias = scale(slowing, turning)
        write_vec(room, place + TURNING, turning)
        write_vec(room, place + MOVING, moving)
        write_vec(room, place + TURNING_BIAS, turning_bias)
        write_vec(
            room,
            place + MOVING_BIAS,
            add(cross(turning_bias, slide), cross(turning, cross(turning, slide))),
        )


@primitive
def deformed_inertias(topology, constants, work, q):
    """Compute first moment, inertia and modal coupling of every deformed body."""
    flat, room = numbers(constants), memory(topology, work)
    for i in range(1, topology.shape[0]):
        n = topology[i, MODES]
        h, inertia = load(constants[i], MOMENT), load_symmetric(constants[i], INERTIA)
        first, place = first_mode(topology, i, False), topology[i, SHAPE]
        for r in range(n):
            x = q[first + r]
            h = add(h, scale(x, vec(flat, place + linear(n, r))))
            inertia = add_scaled(inertia, x, flat, place + inertia_slope(n, r))
            spin = vec(flat, place + angular(n, r))
            for s in range(n):
                y = q[first + s]
                spin = add(spin, scale(y, vec(flat, place + angular_slope(n, r, s))))
                inertia = add_scaled(inertia, x * y, flat, place + inertia_curve(n, r, s))
            write_vec(room, topology[i, ROOM] + spin_coupling(n, r), spin)
        store(work[i].c_moment, h)
        store_symmetric(work[i].c_inertia, inertia)


@primitive
def add_scaled(a, x, flat, k):
    """Return A + x B for symmetric matrices, with B in a vector.

    `a`: symmetric matrix A, six numbers.
    `flat`: constants as a vector, see `modal_storage`.
    `k`: index of B.
    """
    return (
        a[0] + x * flat[k],
        a[1] + x * flat[k + 1],
        a[2] + x * flat[k + 2],
        a[3] + x * flat[k + 3],
        a[4] + x * flat[k + 4],
        a[5] + x * flat[k + 5],
    )


@primitive
def gyroscopic_forces(topology, constants, work, q, qd):
    """Compute the bias force b_fl of every body (13.38): moment, force, and z_m of the modes.

    Needs the angular velocities.
    """
    flat, room = numbers(constants), memory(topology, work)
    for i in range(1, topology.shape[0]):
        n, place = topology[i, MODES], topology[i, SHAPE]
        at_q, at_qd = first_mode(topology, i, False), first_mode(topology, i, True)
        own_room = topology[i, ROOM]
        w = load(work[i].omega)
        spin = times(load_symmetric(work[i].c_inertia), w)
        moment, drift = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
        slowing = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
        for r in range(n):
            rate = qd[at_qd + r]
            spin = add(spin, scale(rate, vec(room, own_room + spin_coupling(n, r))))
            drift = add(drift, scale(rate, vec(flat, place + linear(n, r))))
            slope = add_scaled(
                (0.0, 0.0, 0.0, 0.0, 0.0, 0.0), 1.0, flat, place + inertia_slope(n, r)
            )
            twist = (0.0, 0.0, 0.0)
            for s in range(n):
                slope = add_scaled(slope, q[at_q + s], flat, place + inertia_curve(n, r, s))
                slope = add_scaled(slope, q[at_q + s], flat, place + inertia_curve(n, s, r))
                own = vec(flat, place + angular_slope(n, r, s))
                other = vec(flat, place + angular_slope(n, s, r))
                moment = add(moment, scale(rate * qd[at_qd + s], own))
                twist = add(twist, scale(qd[at_qd + s], sub(own, other)))
            room[own_room + load_of(n, r)] = dot(twist, w) - 0.5 * dot(w, times(slope, w))
            slowing = add_symmetric_scaled(slowing, rate, slope)
        moment = add(moment, add(times(slowing, w), cross(w, spin)))
        swing = add(scale(2.0, drift), cross(w, load(work[i].c_moment)))
        store(work[i].moment, moment)
        store(work[i].force, cross(w, swing))


@primitive
def add_symmetric_scaled(a, x, b):
    """Return A + x B for symmetric matrices.

    `a`: symmetric matrix A, six numbers.
    `b`: symmetric matrix B, six numbers.
    """
    return (
        a[0] + x * b[0],
        a[1] + x * b[1],
        a[2] + x * b[2],
        a[3] + x * b[3],
        a[4] + x * b[4],
        a[5] + x * b[5],
    )


@primitive
def apply_wrenches(topology, constants, work, q, f_ext):
    """Subtract external wrenches from the forces of bodies, and those on loaded nodes from z_m.

    `f_ext` (nb + nodes, 6): external moment and force on each body about its origin, then on each
      node [N m, N].
    """
    flat, room, nb = numbers(constants), memory(topology, work), topology.shape[0]
    for i in range(1, nb):
        accumulate(work[i].moment, scale(-1.0, load(f_ext[i])))
        accumulate(work[i].force, scale(-1.0, load(f_ext[i], 3)))
    place = topology[0, FIRST_NODE]
    for j in range(topology[0, NODES]):
        i = int(flat[place])
        n, shape = topology[i, MODES], place + NODE
        moment, force = load(f_ext[nb + j]), load(f_ext[nb + j], 3)
        if dot(moment, moment) + dot(force, force) > 0.0:
            delta, moved = summed(flat, shape, n, q, first_mode(topology, i, False))
            moment = turned_by(delta, in_body(flat, place + 4, moment))
            force = turned_by(delta, in_body(flat, place + 4, force))
            for r in range(n):
                turning = turning_rate(delta, vec(flat, shape + 6 * r))
                pushed = dot(turning, moment) + dot(vec(flat, shape + 6 * r + 3), force)
                k = topology[i, ROOM] + load_of(n, r)
                room[k] = room[k] - pushed
            arm = add(vec(flat, place + 1), moved)
            accumulate(work[i].moment, scale(-1.0, add(moment, cross(arm, force))))
            accumulate(work[i].force, scale(-1.0, force))
        place = shape + 6 * n


@primitive
def in_body(flat, k, v):
    """Return R v, with R row-major in a vector.

    `flat`: constants as a vector, see `modal_storage`.
    `k`: index of R.
    """
    return (
        flat[k] * v[0] + flat[k + 1] * v[1] + flat[k + 2] * v[2],
        flat[k + 3] * v[0] + flat[k + 4] * v[1] + flat[k + 5] * v[2],
        flat[k + 6] * v[0] + flat[k + 7] * v[1] + flat[k + 8] * v[2],
    )
