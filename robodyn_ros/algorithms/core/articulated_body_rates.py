# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates of articulated-body inertias, in one sweep from tip to base: Jain 2011, section 18.5.

Lambda is the rate of P as the parent sees it. In the axes of the body, with the joint velocity
Delta: lambda = dP/dt + tilde(Delta^w) P - P tilde(Delta^w), and dP/dt of the parent collects
phi (taubar lambda taubar^T + bar(Delta^v) P+ - P+ tilde(Delta^v)) phi^T (eq. 18.48).
"""

from robodyn_ros.algorithms.core.articulated import carry_inertia
from robodyn_ros.algorithms.core.joint_transform import along_joint
from robodyn_ros.model.layout import BALL_X, KIND, PARENT, PITCH, PRISMATIC, V
from robodyn_ros.spatial.articulated_inertia import load_general
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.rotational_inertia import load_symmetric, store_symmetric
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store, sub


@primitive
def relative_velocity(topology, constants, qd, i):
    """Return the velocity (w, v) of the frame of body i relative to its parent, in its axes.

    All of the motion of a spherical joint is that of its first body. The others do not move on
    it, as their axes rotate with the last body.
    """
    kind, k = topology[i, KIND], topology[i, V]
    if kind == PRISMATIC:
        return (0.0, 0.0, 0.0), (0.0, 0.0, qd[k])
    if kind == BALL_X:
        # its axes are y, z and x of the joint
        return (qd[k + 1], qd[k + 2], qd[k]), (0.0, 0.0, 0.0)
    if kind > BALL_X:
        return (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
    return (0.0, 0.0, qd[k]), (0.0, 0.0, constants[i, PITCH] * qd[k])


@primitive
def turn_inertia(work, i, rate):
    """Add the rate of P = P+ + U U^T / D, due to rotation about the joint, to lambda of body i.

    `rate`: rate of the joint [rad/s].
    """
    u, f = load(work[i].u_angular), load(work[i].u_linear)
    g, k = scale(work[i].d_inverse, u), scale(work[i].d_inverse, f)
    add_rate_about_axis(work[i].P.angular, work[i].P_rate.angular, rate, u, g)
    add_rate_about_axis(work[i].P.linear, work[i].P_rate.linear, rate, f, k)
    b = load_general(work[i].P.coupling)
    xx, xy, xz = b[0] + g[0] * f[0], b[1] + g[0] * f[1], b[2] + g[0] * f[2]
    yx, yy, yz = b[3] + g[1] * f[0], b[4] + g[1] * f[1], b[5] + g[1] * f[2]
    zx, zy = b[6] + g[2] * f[0], b[7] + g[2] * f[1]
    accumulate(work[i].P_rate.coupling, scale(rate, (-(xy + yx), xx - yy, -yz)))
    accumulate(work[i].P_rate.coupling, scale(rate, (xx - yy, xy + yx, xz)), 3)
    accumulate(work[i].P_rate.coupling, scale(rate, (-zy, zx, 0.0)), 6)


@primitive
def add_rate_about_axis(block, into, rate, u, g):
    """Add rate (S A - A S) to a symmetric block, with A = block + u g^T and S = [z].

    `into` (6,): that to which the result is added.
    `rate`: rate of the joint [rad/s].
    """
    a = load_symmetric(block)
    xx, xy, xz = a[0] + u[0] * g[0], a[1] + u[0] * g[1], a[2] + u[0] * g[2]
    yy, yz = a[3] + u[1] * g[1], a[4] + u[1] * g[2]
    accumulate(into, scale(rate, (-(xy + xy), xx - yy, -yz)))
    accumulate(into, scale(rate, (xy + xy, xz, 0.0)), 3)


@primitive
def turn_across(work, i, w):
    """Add tilde(w) P+ - P+ tilde(w) to dP+/dt of body i.

    `turn_inertia` turns P of a joint with one axis, which its body and its parent see fixed. The
    axes of a spherical joint turn with its body, so its P+ turns.

    `w`: angular velocity relative to the parent [rad/s], in axes of the body.
    """
    add_rate_of_rotation(work[i].P.angular, work[i].P_rate.angular, w)
    add_rate_of_rotation(work[i].P.linear, work[i].P_rate.linear, w)
    b = load_general(work[i].P.coupling)
    # Columns of tilde(w) B, and rows of -B tilde(w).
    x, y, z = (
        cross(w, (b[0], b[3], b[6])),
        cross(w, (b[1], b[4], b[7])),
        cross(w, (b[2], b[5], b[8])),
    )
    for row in range(3):
        turned = cross(w, (b[3 * row], b[3 * row + 1], b[3 * row + 2]))
        accumulate(work[i].P_rate.coupling, add((x[row], y[row], z[row]), turned), 3 * row)


@primitive
def add_rate_of_rotation(A, into, w):
    """Add X + X^T to a symmetric block, with X = tilde(w) A.

    `into` (6,): the block.
    `w`: angular velocity [rad/s].
    """
    a = load_symmetric(A)
    x, y, z = (
        cross(w, (a[0], a[1], a[2])),
        cross(w, (a[1], a[3], a[4])),
        cross(w, (a[2], a[4], a[5])),
    )
    accumulate(into, (x[0] + x[0], x[1] + y[0], x[2] + z[0]))
    accumulate(into, (y[1] + y[1], y[2] + z[1], z[2] + z[2]), 3)


@primitive
def axis_column(topology, constants, work, i):
    """Return lambda S of body i."""
    a, c = load_symmetric(work[i].P_rate.angular), load_symmetric(work[i].P_rate.linear)
    b = load_general(work[i].P_rate.coupling)
    if topology[i, KIND] == PRISMATIC:
        return (b[2], b[5], b[8]), (c[2], c[4], c[5])
    pitch = constants[i, PITCH]
    return (
        (a[2] + pitch * b[2], a[4] + pitch * b[5], a[5] + pitch * b[8]),
        (b[6] + pitch * c[2], b[7] + pitch * c[4], b[8] + pitch * c[5]),
    )


@primitive
def propagate_rate(work, i, slide, column_n, column_f, D_rate):
    """Turn lambda of body i into dP+/dt, the rate of the inertia that acts across its joint.

    It is taubar lambda taubar^T + Y + Y^T, with Y = bar(Delta^v) P+.

    `slide`: linear velocity along the joint.
    `column_n`, `column_f`: angular and linear part of lambda S, 3-vectors.
    `D_rate`: rate of D.
    """
    d = work[i].d_inverse
    g, k = (scale(d, load(work[i].u_angular)), scale(d, load(work[i].u_linear)))
    p, r = sub(column_n, scale(0.5 * D_rate, g)), sub(column_f, scale(0.5 * D_rate, k))
    b = load_general(work[i].P.coupling)
    c = load_symmetric(work[i].P.linear)
    subtract_both(work[i].P_rate.angular, p, g)
    subtract_both(work[i].P_rate.linear, r, k)
    # z x (row j of B), and z x (column j of C)
    accumulate(work[i].P_rate.angular, scale(slide, (-(b[1] + b[1]), b[0] - b[4], -b[7])))
    accumulate(work[i].P_rate.angular, scale(slide, (b[3] + b[3], b[6], 0.0)), 3)
    turned = (-c[1], -c[3], -c[4], c[0], c[1], c[2], 0.0, 0.0, 0.0)
    for row in range(3):
        for column in range(3):
            entry = 3 * row + column
            work[i].P_rate.coupling[entry] = (
                work[i].P_rate.coupling[entry]
                - (p[row] * k[column] + g[row] * r[column])
                + slide * turned[entry]
            )


@primitive
def subtract_both(block, p, g):
    """Subtract p g^T + g p^T from a symmetric block."""
    a = load_symmetric(block)
    store_symmetric(
        block,
        (
            a[0] - 2.0 * p[0] * g[0],
            a[1] - (p[0] * g[1] + p[1] * g[0]),
            a[2] - (p[0] * g[2] + p[2] * g[0]),
            a[3] - 2.0 * p[1] * g[1],
            a[4] - (p[1] * g[2] + p[2] * g[1]),
            a[5] - 2.0 * p[2] * g[2],
        ),
    )


@primitive
def start_rates(topology, work):
    """Start dP/dt of every body with zero; it collects that of its children."""
    for i in range(1, topology.shape[0]):
        for k in range(6):
            work[i].P_rate.angular[k] = 0.0
            work[i].P_rate.linear[k] = 0.0
        for k in range(9):
            work[i].P_rate.coupling[k] = 0.0


@primitive
def eliminate_joint_rate(topology, constants, work, qd, i):
    """Turn dP/dt of body i into dD/dt, the rate of the gain G = P S / D, and dP/dt of the parent.

    dP/dt is that of the entries in axes of the body. The rate of the gain is as the parent sees
    it: taubar lambda S / D for a joint with one axis. It is stored as `CARRIED`, and dD/dt as
    `RESIDUAL`. Needs the articulated inertias, and dP/dt of the body.
    """
    kind, parent = topology[i, KIND], topology[i, PARENT]
    w, v = relative_velocity(topology, constants, qd, i)
    if kind < BALL_X and kind != PRISMATIC:
        turn_inertia(work, i, w[2])
    column_n, column_f = axis_column(topology, constants, work, i)
    rate, d = along_joint(topology, constants, i, column_n, column_f), work[i].d_inverse
    g, k = scale(d, load(work[i].u_angular)), scale(d, load(work[i].u_linear))
    work[i].residual = rate
    g_rate, k_rate = (
        scale(d, sub(column_n, scale(rate, g))),
        scale(d, sub(column_f, scale(rate, k))),
    )
    if kind == BALL_X:
        g_rate, k_rate = add(g_rate, cross(w, g)), add(k_rate, cross(w, k))
    store(work[i].carried, g_rate)
    store(work[i].carried, k_rate, 3)
    if parent > 0:
        propagate_rate(work, i, v[2], column_n, column_f, rate)
        if kind == BALL_X:
            turn_across(work, i, w)
        carry_inertia(work[i], work[i].P_rate, work[parent].P_rate)


@primitive
def articulated_rates(topology, constants, work, qd):
    """Compute dD/dt and the rate of the gain G = P S / D of each body, from tip to base.

    Both are stored as of `eliminate_joint_rate`. Needs the articulated inertias.
    """
    start_rates(topology, work)
    for i in range(topology.shape[0] - 1, 0, -1):
        eliminate_joint_rate(topology, constants, work, qd, i)
