# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated-body inertias, common to forward dynamics, solves and Lambda."""

from robodyn_ros.algorithms.core.joint_transform import add_along_joint
from robodyn_ros.model.layout import (
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
from robodyn_ros.spatial.articulated_inertia import (
    load_general,
    rotate_general,
    shift_articulated,
    store_general,
    times_general,
    transpose_times,
)
from robodyn_ros.spatial.primitive import inlined, primitive
from robodyn_ros.spatial.rotation import rotate_symmetric, turn_symmetric
from robodyn_ros.spatial.rotational_inertia import (
    add_symmetric,
    load_symmetric,
    store_symmetric,
    times,
)
from robodyn_ros.spatial.vec3 import add, dot, load, scale, store

#: Share of the inertia about other axes below which a pivot counts as singular. Rounding after
#: cancellation leaves about 1e-16 of it.
PIVOT_SHARE = 1e-14
#: Joint inertia [kg m^2 or kg] below which a pivot is always singular. It is that of a grain of
#: dust of 0.1 mm.
PIVOT_FLOOR = 1e-15


@primitive
def rigid(constants, work, i):
    """Start the articulated inertia of body i with its own inertia: A = I, B = [h], C = m 1."""
    m, h = constants[i, MASS], load(constants[i], MOMENT)
    store_symmetric(work[i].P.angular, load_symmetric(constants[i], INERTIA))
    store_general(work[i].P.coupling, (0.0, -h[2], h[1], h[2], 0.0, -h[0], -h[1], h[0], 0.0))
    store_symmetric(work[i].P.linear, (m, 0.0, 0.0, m, 0.0, m))


@inlined
def project(topology, constants, work, i, d_inverse, held):
    """Compute the inertia of body i that acts across its joint: P+ = P - U U^T / D.

    Without a rotor the remaining share is exactly zero. Then S^T P+ = 0 (Jain 2011, eq. 6.26)
    holds to the last bit. U is stored too.

    `d_inverse`: 1 / D [1/(kg m^2) or 1/kg].
    `held`: share of the inertia about the joint that remains, 1 - S^T P S / D.
    """
    pitch = constants[i, PITCH]
    a, c = load_symmetric(work[i].P.angular), load_symmetric(work[i].P.linear)
    b = load_general(work[i].P.coupling)
    if topology[i, KIND] == PRISMATIC:
        u, w = (b[2], b[5], b[8]), (c[2], c[4], c[5])
    else:
        u = (a[2] + pitch * b[2], a[4] + pitch * b[5], a[5] + pitch * b[8])
        w = (b[6] + pitch * c[2], b[7] + pitch * c[4], b[8] + pitch * c[5])
    g, k = scale(d_inverse, u), scale(d_inverse, w)
    u_held, w_held = scale(held, u), scale(held, w)
    a = (
        a[0] - g[0] * u[0],
        a[1] - g[0] * u[1],
        a[2] - g[0] * u[2],
        a[3] - g[1] * u[1],
        a[4] - g[1] * u[2],
        a[5] - g[2] * u[2],
    )
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
    c = (
        c[0] - k[0] * w[0],
        c[1] - k[0] * w[1],
        c[2] - k[0] * w[2],
        c[3] - k[1] * w[1],
        c[4] - k[1] * w[2],
        c[5] - k[2] * w[2],
    )
    if topology[i, KIND] == PRISMATIC:
        b = (b[0], b[1], u_held[0], b[3], b[4], u_held[1], b[6], b[7], u_held[2])
        c = (c[0], c[1], w_held[0], c[3], w_held[1], w_held[2])
    else:
        b = (
            b[0],
            b[1],
            b[2],
            b[3],
            b[4],
            b[5],
            w_held[0] - pitch * c[2],
            w_held[1] - pitch * c[4],
            w_held[2] - pitch * c[5],
        )
        a = (
            a[0],
            a[1],
            u_held[0] - pitch * b[2],
            a[3],
            u_held[1] - pitch * b[5],
            u_held[2] - pitch * b[8],
        )
    store(work[i].u_angular, u)
    store(work[i].u_linear, w)
    store_symmetric(work[i].P.angular, a)
    store_general(work[i].P.coupling, b)
    store_symmetric(work[i].P.linear, c)


@inlined
def carry_inertia(joint, P, parent_P):
    """Add an articulated inertia of body i to that of its parent, in the frame of the parent.

    `joint`: working row of body i.
    `P`, `parent_P`: the inertia and that of the parent, with blocks A, B and C.
    """
    c, s = joint.cos, joint.sin
    angular = rotate_symmetric(joint.rotation, turn_symmetric(c, s, load_symmetric(P.angular)))
    linear = rotate_symmetric(joint.rotation, turn_symmetric(c, s, load_symmetric(P.linear)))
    coupling = rotate_general(joint.rotation, c, s, load_general(P.coupling))
    angular, coupling = shift_articulated(angular, coupling, linear, load(joint.position))
    store_symmetric(parent_P.angular, add_symmetric(load_symmetric(parent_P.angular), angular))
    store_symmetric(parent_P.linear, add_symmetric(load_symmetric(parent_P.linear), linear))
    for k in range(9):
        parent_P.coupling[k] = parent_P.coupling[k] + coupling[k]


@primitive
def propagate_inertia(topology, work, i):
    """Add P+ of body i to the articulated inertia of its parent, in the frame of the parent."""
    carry_inertia(work[i], work[i].P, work[topology[i, PARENT]].P)


@primitive
def articulated_inertias(topology, constants, work, diagonal):
    """Compute the articulated inertias, tip to base, in O(n).

    U = P S and D = S^T U + rotor + diagonal; P+ replaces P (Jain 2011, Algorithm 6.1, eq. 6.13;
    Featherstone 2008, eq. 7.43 and 7.44). Needs `joint_transforms`.

    `diagonal` (nv,): added to the joint-space diagonal of the mass matrix.
    Returns 0, or the body whose pivot D is singular.
    """
    status = 0
    for i in range(1, topology.shape[0]):
        rigid(constants, work, i)
    for i in range(topology.shape[0] - 1, 0, -1):
        status = eliminate_joint(topology, constants, work, i, diagonal, status)
        if topology[i, PARENT] > 0:
            propagate_inertia(topology, work, i)
    return status


@inlined
def eliminate_joint(topology, constants, work, i, diagonal, status):
    """Eliminate the joint of body i: compute U, 1 / D and P+, which replaces P.

    Returns the given status, or i if the pivot is singular.
    """
    about = work[i].P.linear if topology[i, KIND] == PRISMATIC else work[i].P.angular
    added, pitch = constants[i, ROTOR] + diagonal[topology[i, V]], constants[i, PITCH]
    d = about[5] + added + pitch * (2.0 * work[i].P.coupling[8] + pitch * work[i].P.linear[5])
    size = d + about[0] + about[3]
    d_inverse, status = invert_pivot(d, size, i, status)
    held = 1.0 if d_inverse == 0.0 else d_inverse * added
    work[i].d_inverse = d_inverse
    project(topology, constants, work, i, d_inverse, held)
    return status


@primitive
def articulated_times(work, i, w, v):
    """Return the wrench P+ (w, v) on body i; it is P (w, v) if the joint is locked.

    `w`, `v`: angular and linear part of a motion of the body, 3-vectors.
    """
    b = load_general(work[i].P.coupling)
    return (
        add(times(load_symmetric(work[i].P.angular), w), times_general(b, v)),
        add(transpose_times(b, w), times(load_symmetric(work[i].P.linear), v)),
    )


@primitive
def free_articulated_times(work, i, w, v):
    """Return the wrench P (w, v) on body i; P is P+ plus U U^T / D.

    `w`, `v`: angular and linear part of a motion of the body, 3-vectors.
    """
    n, f = articulated_times(work, i, w, v)
    u_n, u_f = load(work[i].u_angular), load(work[i].u_linear)
    share = work[i].d_inverse * (dot(u_n, w) + dot(u_f, v))
    return add(n, scale(share, u_n)), add(f, scale(share, u_f))


@primitive
def singular(d, size):
    """Return whether a pivot is NaN, or no more than the rounding of the terms that cancel in it.

    `d`: pivot: the joint inertia [kg m^2 or kg].
    `size`: inertia to which the pivot is compared, such as the trace of its block of P [kg m^2 or
      kg].
    """
    return not d - PIVOT_SHARE * size > PIVOT_FLOOR


@primitive
def invert_pivot(pivot, size, i, status):
    """Return 1 / D and the status; 0 for a singular pivot, as if the joint were locked.

    So results stay finite. Code for one robot has no check of pivots that are never singular, see
    `codegen.regular_pivots`.
    """
    if singular(pivot, size):
        return 0.0, i
    return 1.0 / pivot, status


@primitive
def gains(work, i):
    """Return G = U / D of the joint of body i."""
    d_inverse = work[i].d_inverse
    return (scale(d_inverse, load(work[i].u_angular)), scale(d_inverse, load(work[i].u_linear)))


@primitive
def joint_acceleration(topology, work, i, g, k, alpha, a):
    """Return the joint acceleration u / D - G^T a'. Needs the residual u.

    `g`, `k`: angular and linear part of G, 3-vectors in the axes of alpha and a.
    `alpha`, `a`: angular and linear acceleration a' of the body without that of its joint.
    """
    share = work[i].d_inverse * work[i].residual
    # the part along the joint comes last: without a rotor G is 1 there, and recordings cancel it
    across = g[0] * alpha[0] + g[1] * alpha[1] + k[0] * a[0] + k[1] * a[1]
    if topology[i, KIND] == PRISMATIC:
        return (share - (across + g[2] * alpha[2])) - k[2] * a[2]
    return (share - (across + k[2] * a[2])) - g[2] * alpha[2]


@primitive
def accelerate(topology, constants, work, i, alpha, a):
    """Compute the joint acceleration u / D - G^T a', G = U / D, and the acceleration of the body.

    The acceleration of the body is stored in working memory. Needs `articulated_inertias` and the
    residual u.

    `alpha`, `a`: angular and linear acceleration a' of the body without that of its joint.
    Returns joint acceleration [rad/s^2 or m/s^2].
    """
    g, k = gains(work, i)
    x = joint_acceleration(topology, work, i, g, k, alpha, a)
    alpha, a = add_along_joint(topology, constants, i, alpha, a, x)
    store(work[i].alpha, alpha)
    store(work[i].accel, a)
    return x
