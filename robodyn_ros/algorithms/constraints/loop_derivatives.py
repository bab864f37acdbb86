# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives of the dependent joints of loops by the independent ones, up to the fourth.

Let theta(t) be the positions of all joints along q + t w. Then theta' = E w and theta'' = f(w, w),
where f is a symmetric form. The third derivative is a form of three directions, and so on. The
loops stay closed, so that all derivatives of their gaps vanish. With J_u of the dependent joints,
J_u theta'''_u is minus the third derivative of the gaps along theta + t theta' + t^2 theta'' / 2.
This is a coefficient of the power series of the poses. The fourth derivative follows likewise,
along the series that ends with t^3 theta''' / 6.
"""

from math import cos, sin

import numpy as np

from robodyn_ros.algorithms.constraints.expansion import (
    add_rate_of_expansion,
    all_positions,
    expansion,
    independent,
)
from robodyn_ros.algorithms.constraints.loops import (
    equations,
    loop_vector,
    solve_groups,
    stopped_turns,
    write_equations,
)
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    DISTANCE,
    FIRST,
    FRAME_A,
    FRAME_B,
    HELICAL,
    KIND,
    LENGTH,
    OFFSET,
    PARENT,
    PITCH,
    PRISMATIC,
    RATIO,
    REVOLUTE,
    ROTATION,
    STOPS,
    ZERO,
    Q,
)
from robodyn_ros.spatial.primitive import primitive

THIRD, FOURTH = 4, 5  # number of coefficients of a power series, up to this derivative


@primitive
def joint_series(constants, i, kind, x, local):
    """Compute the power series of the transform of a joint from that of its position.

    `kind`: type of the joint, see `model.layout`.
    `x` (4,): position of the joint, and the further coefficients of its series.
    `local` (orders, 3, 4), written: coefficients of rotation and origin.
    """
    orders = local.shape[0]
    c, s, place = np.zeros(orders), np.zeros(orders), x[0] + constants[i, ZERO]
    c[0] = 1.0
    if kind == REVOLUTE or kind == HELICAL:
        c[0], s[0] = cos(place), sin(place)
        for k in range(orders - 1):
            for j in range(min(k + 1, 3)):
                share = (j + 1) * x[j + 1] / (k + 1)
                c[k + 1] -= share * s[k - j]
                s[k + 1] += share * c[k - j]
    for k in range(orders):
        along = 0.0
        if k < 4 and kind == HELICAL:
            along = constants[i, PITCH] * x[k]
        elif k < 4 and kind == PRISMATIC:
            along = place if k == 0 else x[k]
        for row in range(3):
            R0, R1 = constants[i, ROTATION + 3 * row], constants[i, ROTATION + 3 * row + 1]
            axis = constants[i, ROTATION + 3 * row + 2]
            local[k, row, 0] = R0 * c[k] + R1 * s[k]
            local[k, row, 1] = R1 * c[k] - R0 * s[k]
            local[k, row, 2] = axis if k == 0 else 0.0
            local[k, row, 3] = axis * along
            if k == 0:
                local[k, row, 3] += constants[i, OFFSET + row]


@primitive
def multiply_series(A, B, product):
    """Compute the power series of the product of two poses.

    `A`, `B` (orders, 3, 4): series of the factors.
    `product` (orders, 3, 4), written: series of the product.
    """
    for k in range(product.shape[0]):
        for row in range(3):
            for column in range(4):
                entry = A[k, row, 3] if column == 3 else 0.0
                for j in range(k + 1):
                    for m in range(3):
                        entry += A[j, row, m] * B[k - j, m, column]
                product[k, row, column] = entry


@primitive
def frame_series(constants, k, first, pose, local, X):
    """Compute the power series of a frame of a closure from that of its body.

    `first`: first column of the frame in the constants.
    `pose` (orders, 3, 4): series of the pose of the body.
    `X` (orders, 3, 4), written: series of the pose of the frame.
    """
    local[:] = 0.0
    for row in range(3):
        for column in range(3):
            local[0, row, column] = constants[k, first + 3 * row + column]
        local[0, row, 3] = constants[k, first + 9 + row]
    multiply_series(pose, local, X)


@primitive
def last_of_product(A, a, B, b):
    """Return the last coefficient of the scalar product of two columns of poses.

    `A` (orders, 3, 4): power series of two poses.
    `a`: columns.
    `B` (orders, 3, 4): power series of two poses.
    `b`: columns.
    """
    total, orders = 0.0, A.shape[0]
    for k in range(orders):
        for row in range(3):
            total += A[k, row, a] * B[orders - 1 - k, row, b]
    return total


@primitive
def last_of_rows(A, a, B, b):
    """Return the last coefficient of the scalar product of two rows of rotations.

    `A` (orders, 3, 4): power series of a pose.
    `a`: row of its rotation.
    `B` (orders, 3, 4): power series of the other pose.
    `b`: row of its rotation.
    """
    total, orders = 0.0, A.shape[0]
    for k in range(orders):
        for column in range(3):
            total += A[k, a, column] * B[orders - 1 - k, b, column]
    return total


@primitive
def last_of_gap(XA, XB, lever, a, stops, length):
    """Return the last coefficient of the gap of one constrained motion.

    The gaps are those of loops.write_gaps.

    `XA`, `XB` (orders, 3, 4): power series of the poses of frames A and B.
    `lever` (orders, 3, 4): XB - XA.
    `a`: number of the constrained motion.
    `stops`: bits of all constrained motions, as STOPS in `model.layout`.
    `length`: distance that is kept [m]; 0 if the motion is no distance.
    """
    if length > 0.0:
        return 0.5 * last_of_product(lever, 3, lever, 3) / length
    if a < 3:
        if stops & 7 == 7:  # along an axis of the base
            return lever[lever.shape[0] - 1, a, 3]
        return last_of_product(XA, a, lever, 3)
    turns, free = stopped_turns(stops)
    if turns == 3:  # about an axis of the base
        i, j = (a - 2) % 3, (a - 1) % 3
        return 0.5 * (last_of_rows(XA, i, XB, j) - last_of_rows(XA, j, XB, i))
    # e_a . (e_free x b_free), with e_a x e_free another axis of A
    other = 3 - (a - 3) - free
    sign = 1.0 if (a - 3 + 1) % 3 == free else -1.0
    return sign * last_of_product(XA, other, XB, free)


@primitive
def next_derivative(topology, constants, work, w, bent, third, orders, found):
    """Compute the derivative of theta along w that follows from the lower ones.

    Needs `expand_positions`.

    `w` (nv,): direction.
    `bent`, `third` (n,): second and third derivatives along w; the latter are zero for THIRD.
    `orders`: THIRD or FOURTH.
    `found` (n,), written: derivatives of that order.
    """
    n, nv = topology.shape[0] - 1, topology[0, FIRST]
    everything, E = all_positions(topology, work), expansion(topology, work)
    poses, x = np.zeros((n + 1, orders, 3, 4)), np.zeros(4)
    local, XA, XB = np.zeros((3, orders, 3, 4))
    for row in range(3):
        poses[0, 0, row, row] = 1.0
    for i in range(1, n + 1):
        x[0], x[1], x[2], x[3] = everything[topology[i, Q]], 0.0, 0.0, 0.0
        if topology[i, COORDINATE] >= 0:  # the motion of other joints opens no loop
            x[2], x[3] = 0.5 * bent[i - 1], third[i - 1] / 6.0
            for m in range(topology[i, COUNT]):
                x[1] += E[i - 1, m] * w[topology[i, FIRST] + m]
        joint_series(constants, i, topology[i, KIND], x, local)
        multiply_series(poses[topology[i, PARENT]], local, poses[i])
    L, still = equations(topology, work), loop_vector(topology, work, 2, n)
    write_equations(topology, constants, work, everything, still, False, True, L)
    row, last = 0, L.shape[1] - 1
    for k in range(1, topology[0, CLOSURES] + 1):
        stops = topology[k, STOPS]
        frame_series(constants, k, FRAME_A, poses[topology[k, BODY_A]], local, XA)
        frame_series(constants, k, FRAME_B, poses[topology[k, BODY_B]], local, XB)
        local[:] = XB - XA
        for a in range(7):
            if stops & (1 << a):
                length = constants[k, LENGTH] if a == DISTANCE else 0.0
                factorial = 6.0 if orders == THIRD else 24.0
                L[row, last] = factorial * last_of_gap(XA, XB, local, a, stops, length)
                row += 1
    solve_groups(topology, work, L)
    for i in range(1, n + 1):
        unknown = topology[i, COORDINATE] - nv
        found[i - 1] = -constants[i, RATIO] * L[unknown, last] if unknown >= 0 else 0.0


@primitive
def third_derivative(topology, constants, work, w, third):
    """Compute theta''' of all joints along w. Needs `expand_positions`.

    `w` (nv,): direction.
    `third` (n,), written: third derivatives.
    """
    n = topology.shape[0] - 1
    bent, none = np.zeros(n), np.zeros(n)
    add_rate_of_expansion(topology, constants, work, w, w, bent)
    next_derivative(topology, constants, work, w, bent, none, THIRD, third)


@primitive
def second_derivatives(topology, constants, work):
    """Compute the second derivatives f(e_m, e_k) of all joints. Needs `expand_positions`.

    Returns f(e_m, e_k) at [m, k].
    """
    n, nv = topology.shape[0] - 1, independent(topology)
    found, units = np.zeros((nv, nv, n)), np.eye(nv)
    for m in range(nv):
        for k in range(m + 1):
            add_rate_of_expansion(topology, constants, work, units[m], units[k], found[m, k])
            found[k, m] = found[m, k]
    return found


@primitive
def mixed_third_derivative(topology, constants, work, qd, k, mixed):
    """Compute the third derivative of all joints along (qd, qd, e_k).

    It follows from those of three equal directions at qd + b, qd - b and b, with b along e_k and
    as long as qd.

    `k`: index of the independent velocity.
    `mixed` (n,), written: third derivatives.
    """
    size, n = 0.0, mixed.shape[0]
    for j in range(qd.shape[0]):
        size = max(size, abs(qd[j]))
    mixed[:] = 0.0
    if size > 0.0:
        w, third = np.zeros(qd.shape[0]), np.zeros(n)
        for of_velocity, of_unit, share in ((1.0, 1.0, 1.0), (1.0, -1.0, -1.0), (0.0, 1.0, -2.0)):
            for j in range(qd.shape[0]):
                w[j] = of_velocity * qd[j] + (of_unit * size if j == k else 0.0)
            third_derivative(topology, constants, work, w, third)
            for i in range(n):
                mixed[i] += share * third[i] / (6.0 * size)
