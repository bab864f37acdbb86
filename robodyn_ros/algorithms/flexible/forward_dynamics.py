# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Forward dynamics of flexible links: articulated bodies in two stages.

    P_fl = A_fl Gamma A_fl' + M_fl,  D_m = P^ff,  g = P^rf D_m^-1,  P_pr = P^rr - g P^fr    (13.69)

Jain 2011, algorithms 13.5 to 13.7: first the modes of a body, then its joint. With modes that are
clamped at the root, H_M = [1, 0]. D_m is factorised anew, cubic in the modes of a body.

The update (13.70) is quadratic. But with one child it takes more operations up to 40 modes, and
with two up to more than 60. It also needs the inverse of M^ff plus the diagonal. This is cubic
again whenever the step or a damper changes.
"""

from numpy import sqrt

from robodyn_ros.algorithms.core.articulated import (
    accelerate,
    articulated_times,
    eliminate_joint,
    propagate_inertia,
)
from robodyn_ros.algorithms.core.joint_transform import (
    along_joint,
    axes_turning,
    to_child,
    to_parent,
)
from robodyn_ros.algorithms.flexible.deformation import (
    apply_wrenches,
    deformed_inertias,
    first_mode,
    gyroscopic_forces,
    modal_transforms,
    mount_motions,
)
from robodyn_ros.algorithms.flexible.modal_storage import (
    MOTIONS,
    MOVING,
    MOVING_BIAS,
    TURNING,
    TURNING_BIAS,
    coupling,
    gain,
    linear,
    load_of,
    memory,
    modal_mass,
    modes,
    numbers,
    share_of,
    spin_coupling,
    vec,
    write_vec,
)
from robodyn_ros.model.layout import (
    BALL_Z,
    FIRST_VELOCITY,
    KIND,
    MASS,
    MODES,
    MOUNT_ROOM,
    PARENT,
    PITCH,
    PRISMATIC,
    ROOM,
    SHAPE,
    V,
)
from robodyn_ros.spatial.articulated_inertia import (
    load_general,
    rotate_general,
    shift_articulated,
    store_general,
    times_general,
    transpose_times,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.rotation import rotate_symmetric, turn_symmetric
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.types import Constant, Integer, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store


@primitive
def velocity_base_to_tip(topology, constants, work, qd):
    """Compute angular velocities, and velocity-dependent accelerations of mounts and joints."""
    room = memory(topology, work)
    store(work[0].omega, (0.0, 0.0, 0.0))
    for i in range(1, topology.shape[0]):
        parent, rate = topology[i, PARENT], qd[topology[i, V]]
        carrier = load(work[parent].omega)
        lever = cross(carrier, cross(carrier, load(work[i].position)))
        twist = (0.0, 0.0, 0.0)
        if modes(topology, parent) > 0:
            k = topology[i, MOUNT_ROOM]
            turning, moving = vec(room, k + TURNING), vec(room, k + MOVING)
            twist = add(vec(room, k + TURNING_BIAS), cross(carrier, turning))
            lever = add(lever, scale(2.0, cross(carrier, moving)))
            lever = add(lever, vec(room, k + MOVING_BIAS))
            carrier = add(carrier, turning)
        w, linear_bias, twist = (
            to_child(work, i, carrier),
            to_child(work, i, lever),
            to_child(work, i, twist),
        )
        twice = rate + rate
        if topology[i, KIND] != PRISMATIC:
            twice = constants[i, PITCH] * twice
            twist = add(twist, (w[1] * rate, -(w[0] * rate), 0.0))
        store(work[i].bias_linear, add(linear_bias, (w[1] * twice, -(w[0] * twice), 0.0)))
        if topology[i, KIND] != PRISMATIC:
            w = (w[0], w[1], w[2] + rate)
            if topology[i, KIND] == BALL_Z:
                twist = add(twist, axes_turning(qd, qd, topology[i, V]))
        store(work[i].bias_angular, twist)
        store(work[i].omega, w)


@primitive
def start_inertia(topology, constants, work, diagonal, i):
    """Start P_fl of body i from M_fl and the diagonal.

    `diagonal` (nv,): added to the diagonal of the mass matrix, joints and modes.
    """
    flat, room = numbers(constants), memory(topology, work)
    m, h = constants[i, MASS], load(work[i].c_moment)
    store_symmetric(work[i].P.angular, load_symmetric(work[i].c_inertia))
    store_general(work[i].P.coupling, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
    store_symmetric(work[i].P.linear, (m, 0.0, 0.0, m, 0.0, m))
    n, place, own_room = topology[i, MODES], topology[i, SHAPE], topology[i, ROOM]
    first = first_mode(topology, i, True)
    for r in range(n):
        for s in range(r + 1):
            room[own_room + r * n + s] = flat[place + modal_mass(n, r, s)]
        room[own_room + r * n + r] = room[own_room + r * n + r] + diagonal[first + r]
        write_vec(room, own_room + coupling(n, r), vec(room, own_room + spin_coupling(n, r)))
        write_vec(room, own_room + coupling(n, r) + 3, vec(flat, place + linear(n, r)))


@primitive
def propagate_to_modes(topology, work, i, parent):
    """Add P+ of body i to P_fl of its deformed parent: A_fl Gamma A_fl^T."""
    room, n = memory(topology, work), topology[parent, MODES]
    motions, own_room = topology[i, MOUNT_ROOM] + MOTIONS, topology[parent, ROOM]
    c, s = work[i].cos, work[i].sin
    a = rotate_symmetric(work[i].rotation, turn_symmetric(c, s, load_symmetric(work[i].P.angular)))
    d = rotate_symmetric(work[i].rotation, turn_symmetric(c, s, load_symmetric(work[i].P.linear)))
    b = rotate_general(work[i].rotation, c, s, load_general(work[i].P.coupling))
    arm = load(work[i].position)
    for r in range(n):
        w, v = vec(room, motions + 6 * r), vec(room, motions + 6 * r + 3)
        moment = add(times(a, w), times_general(b, v))
        force = add(transpose_times(b, w), times(d, v))
        for k in range(r + 1):
            pushed = dot(vec(room, motions + 6 * k), moment) + dot(
                vec(room, motions + 6 * k + 3), force
            )
            room[own_room + r * n + k] = room[own_room + r * n + k] + pushed
        k = own_room + coupling(n, r)
        write_vec(room, k, add(vec(room, k), add(moment, cross(arm, force))))
        write_vec(room, k + 3, add(vec(room, k + 3), force))
    a, b = shift_articulated(a, b, d, arm)
    angular = add_symmetric(load_symmetric(work[parent].P.angular), a)
    linear_part = add_symmetric(load_symmetric(work[parent].P.linear), d)
    store_symmetric(work[parent].P.angular, angular)
    store_symmetric(work[parent].P.linear, linear_part)
    for k in range(9):
        work[parent].P.coupling[k] = work[parent].P.coupling[k] + b[k]


@primitive
def factorise_modes(room, own_room, n):
    """Replace D_m by its Cholesky factor, with the diagonal inverted.

    `room`: memory of the modes, see `modal_storage`.
    `own_room`: index of the memory of the body.
    `n`: number of modes.
    Returns whether all pivots are positive.
    """
    done = True
    for r in range(n):
        for s in range(r + 1):
            x = room[own_room + r * n + s]
            for k in range(s):
                x = x - room[own_room + r * n + k] * room[own_room + s * n + k]
            if s < r:
                room[own_room + r * n + s] = x * room[own_room + s * n + s]
            elif x > 0.0:
                room[own_room + r * n + r] = 1.0 / sqrt(x)
            else:  # as if the mode were locked
                room[own_room + r * n + r] = 0.0
                done = False
    return done


@primitive
def solve_modes(room, own_room, n, x, stride):
    """Solve D_m y = x, in place.

    `room`: memory of the modes, see `modal_storage`.
    `own_room`: index of the memory of the body.
    `n`: number of modes.
    `x`: index of the first entry of x.
    `stride`: distance of its entries.
    """
    for r in range(n):
        y = room[x + stride * r]
        for k in range(r):
            y = y - room[own_room + r * n + k] * room[x + stride * k]
        room[x + stride * r] = y * room[own_room + r * n + r]
    for r in range(n - 1, -1, -1):
        y = room[x + stride * r]
        for k in range(r + 1, n):
            y = y - room[own_room + k * n + r] * room[x + stride * k]
        room[x + stride * r] = y * room[own_room + r * n + r]


@primitive
def eliminate_modes(topology, work, i, status):
    """Eliminate the modes of body i: compute the gain g, and P_pr in place of P^rr.

    Returns the given status, or i if D_m is singular.
    """
    room, n, own_room = memory(topology, work), topology[i, MODES], topology[i, ROOM]
    if not factorise_modes(room, own_room, n):
        status = i
    for r in range(n):
        for k in range(6):
            room[own_room + gain(n, r) + k] = room[own_room + coupling(n, r) + k]
    for k in range(6):
        solve_modes(room, own_room, n, own_room + gain(n, 0) + k, 6)
    a, d = load_symmetric(work[i].P.angular), load_symmetric(work[i].P.linear)
    b = load_general(work[i].P.coupling)
    for r in range(n):
        g, f = vec(room, own_room + gain(n, r)), vec(room, own_room + gain(n, r) + 3)
        u, w = vec(room, own_room + coupling(n, r)), vec(room, own_room + coupling(n, r) + 3)
        a = subtract_outer(a, g, u)
        d = subtract_outer(d, f, w)
        b = (
            b[0] - g[0] * w[0],
            b[1] - g[0] * w[1],
            b[2] - g[0] * w[2],
            b[3] - g[1] * w[0],
            b[4] - g[1] * w[1],
            b[5] - g[1] * w[2],
            b[6] - g[2] * w[0],
            b[7] - g[2] * w[1],
            b[8] - g[2] * w[2],
        )
    store_symmetric(work[i].P.angular, a)
    store_symmetric(work[i].P.linear, d)
    store_general(work[i].P.coupling, b)
    return status


@primitive
def subtract_outer(a, g, u):
    """Return A - g u^T, whose sum over all modes is symmetric.

    `a`: symmetric matrix A, six numbers.
    """
    return (
        a[0] - g[0] * u[0],
        a[1] - g[0] * u[1],
        a[2] - g[0] * u[2],
        a[3] - g[1] * u[1],
        a[4] - g[1] * u[2],
        a[5] - g[2] * u[2],
    )


@primitive
def articulated_inertias(topology, constants, work, diagonal):
    """Compute articulated inertias, tip to base, eliminating modes and joint of each body.

    `diagonal` (nv,): added to the diagonal of the mass matrix, joints and modes.
    """
    status = 0
    for i in range(1, topology.shape[0]):
        start_inertia(topology, constants, work, diagonal, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        if topology[i, MODES] > 0:
            status = eliminate_modes(topology, work, i, status)
        status = eliminate_joint(topology, constants, work, i, diagonal, status)
        if modes(topology, parent) > 0:
            propagate_to_modes(topology, work, i, parent)
        elif parent > 0:
            propagate_inertia(topology, work, i)
    return status


@primitive
def residual_tip_to_base(topology, constants, work, tau):
    """Propagate the bias forces to the base; compute residuals of joints, and nu_m of modes.

    `tau` (nv,): torques of joints and modes; that of a mode is the force of its spring and damper.
    """
    room = memory(topology, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        parent, m, own_room = topology[i, PARENT], topology[i, MODES], topology[i, ROOM]
        n, f = load(work[i].moment), load(work[i].force)
        first = first_mode(topology, i, True)
        for r in range(m):
            e = tau[first + r] - room[own_room + load_of(m, r)]
            room[own_room + share_of(m, r)] = e
            n = add(n, scale(e, vec(room, own_room + gain(m, r))))
            f = add(f, scale(e, vec(room, own_room + gain(m, r) + 3)))
        if m > 0:
            solve_modes(room, own_room, m, own_room + share_of(m, 0), 1)
        u = tau[topology[i, V]] - along_joint(topology, constants, i, n, f)
        work[i].residual = u
        if parent > 0:
            moment, force = articulated_times(
                work, i, load(work[i].bias_angular), load(work[i].bias_linear)
            )
            share = work[i].d_inverse * u
            n = add(add(n, moment), scale(share, load(work[i].u_angular)))
            f = add(add(f, force), scale(share, load(work[i].u_linear)))
            carry_force(topology, work, i, parent, n, f)


@primitive
def carry_force(topology, work, i, parent, n, f):
    """Add moment and force on body i to those of its parent, and to z_m of its modes.

    `n`, `f`: moment and force, 3-vectors [N m, N].
    """
    f, n = to_parent(work, i, f), to_parent(work, i, n)
    m = modes(topology, parent)
    if m > 0:
        room = memory(topology, work)
        motions = topology[i, MOUNT_ROOM] + MOTIONS
        for r in range(m):
            k = topology[parent, ROOM] + load_of(m, r)
            pushed = dot(vec(room, motions + 6 * r), n) + dot(vec(room, motions + 6 * r + 3), f)
            room[k] = room[k] + pushed
    accumulate(work[parent].moment, add(n, cross(load(work[i].position), f)))
    accumulate(work[parent].force, f)


@primitive
def acceleration_from_parent(topology, work, i, qdd):
    """Return the acceleration of body i due to its parent and the modes of its parent.

    Velocity-dependent terms are left out.

    Returns angular and linear acceleration in axes of body i, each a 3-vector.
    """
    parent = topology[i, PARENT]
    turning = load(work[parent].alpha)
    moving = add(load(work[parent].accel), cross(turning, load(work[i].position)))
    n = modes(topology, parent)
    if n > 0:
        room, motions = memory(topology, work), topology[i, MOUNT_ROOM] + MOTIONS
        first = first_mode(topology, parent, True)
        for r in range(n):
            x = qdd[first + r]
            turning = add(turning, scale(x, vec(room, motions + 6 * r)))
            moving = add(moving, scale(x, vec(room, motions + 6 * r + 3)))
    return to_child(work, i, turning), to_child(work, i, moving)


@primitive
def acceleration_base_to_tip(topology, constants, gravity, work, qdd):
    """Compute the accelerations of joints, then those of the modes of each body.

    `qdd` (nv,), written: accelerations of joints and modes.
    """
    room = memory(topology, work)
    store(work[0].alpha, (0.0, 0.0, 0.0))
    store(work[0].accel, (-gravity[0], -gravity[1], -gravity[2]))
    for i in range(1, topology.shape[0]):
        alpha, a = acceleration_from_parent(topology, work, i, qdd)
        alpha = add(alpha, load(work[i].bias_angular))
        a = add(a, load(work[i].bias_linear))
        qdd[topology[i, V]] = accelerate(topology, constants, work, i, alpha, a)
        n, own_room, first = topology[i, MODES], topology[i, ROOM], first_mode(topology, i, True)
        alpha, a = load(work[i].alpha), load(work[i].accel)
        for r in range(n):
            pull = dot(vec(room, own_room + gain(n, r)), alpha)
            pull = pull + dot(vec(room, own_room + gain(n, r) + 3), a)
            qdd[first + r] = room[own_room + share_of(n, r)] - pull


@separate
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
) -> Integer:
    """Compute qdd = (M + diag(diagonal))^-1 (tau - C qd - g + J^T f_ext), in O(n).

    `q` (nq,): positions of joints, then amplitudes of modes [rad or m, -].
    `qd`, `tau` (nv,): their velocities and forces. The force of a mode includes its spring and
      damper.
    `f_ext` (nb + nodes, 6): see `apply_wrenches`.
    `diagonal` (nv,): added to the diagonal of the mass matrix of joints and modes.
    `qdd` (nv,), written: accelerations of joints and modes.
    """
    modal_transforms(topology, constants, work, q)
    mount_motions(topology, constants, work, q, qd)
    velocity_base_to_tip(topology, constants, work, qd)
    deformed_inertias(topology, constants, work, q)
    gyroscopic_forces(topology, constants, work, q, qd)
    apply_wrenches(topology, constants, work, q, f_ext)
    status = articulated_inertias(topology, constants, work, diagonal)
    residual_tip_to_base(topology, constants, work, tau)
    acceleration_base_to_tip(topology, constants, gravity, work, qdd)
    return status


@separate
def mass_matrix_inverse(
    topology: Topology, constants: Table, work: Work, q: Vector, diagonal: Vector, inverse: Matrix
) -> Integer:
    """Compute (M + diag(diagonal))^-1, symmetric, by accelerations for unit torques, in O(n^2).

    `diagonal` (nv,): added to the diagonal of the mass matrix, joints and modes.
    `inverse` (m, m), written: inverse for joints and modes, in its first rows.
    """
    room = memory(topology, work)
    modal_transforms(topology, constants, work, q)
    deformed_inertias(topology, constants, work, q)
    status = articulated_inertias(topology, constants, work, diagonal)
    nv = topology[0, FIRST_VELOCITY] + count_modes(topology)
    for k in range(nv):
        for i in range(1, topology.shape[0]):
            n = topology[i, MODES]
            store(work[i].moment, (0.0, 0.0, 0.0))
            store(work[i].force, (0.0, 0.0, 0.0))
            store(work[i].bias_angular, (0.0, 0.0, 0.0))
            store(work[i].bias_linear, (0.0, 0.0, 0.0))
            for r in range(n):
                room[topology[i, ROOM] + load_of(n, r)] = 0.0
        for j in range(nv):
            inverse[k, j] = 1.0 if j == k else 0.0
        residual_tip_to_base(topology, constants, work, inverse[k])
        acceleration_base_to_tip(topology, constants, (0.0, 0.0, 0.0), work, inverse[k])
    for k in range(nv):
        for j in range(k):
            mean = 0.5 * (inverse[k, j] + inverse[j, k])
            inverse[k, j] = mean
            inverse[j, k] = mean
    return status


@primitive
def count_modes(topology):
    """Return the number of all modes."""
    count = 0
    for i in range(1, topology.shape[0]):
        count = count + topology[i, MODES]
    return count
