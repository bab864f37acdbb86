# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of inverse dynamics, all quantities of a branch of the base in one frame.

A change of q_i moves all bodies that joint i carries like one rigid body. It also adds the
velocity psi'_i and the acceleration psi''_i, see inverse_dynamics_derivatives. A change of qd_i
adds S_i and 2 psi'_i instead. Let joint i carry joint l, or be l. Then one pair of wrenches, P
and Q, gives the second derivatives of the torque of joint j by position l and by joint i:

    d2tau_j / dq_i dq_l  = P . psi''_i + Q . psi'_i + (S_j x S_i) . G_l,  the last if j carries i,
    d2tau_j / dq_l dqd_i = P . 2 psi'_i + Q . S_i
    dM_ji / dq_l         = P . S_i.

With I'_l, the rate of composite inertia l at a unit rate of its joint, P and Q are

    P = S_l x* I_j S_j,  Q = psi'_l x* I_j S_j + S_l x* 2 B_j^T S_j - I'_j psi'_l  if l carries j,
    P = I'_l S_j,        Q = W_l^T S_j                                             if j carries l,

where W_l x = I_l (x x psi'_l) + psi'_l x* I_l x + x x* I_l psi'_l + 2 B_l (x x S_l)
+ S_l x* 2 B_l x, and G_l = I_l psi''_l + 2 B_l psi'_l + S_l x* F_l.

In the other derivatives the velocity is farther from the base than the position. If joint k
carries joint j, then with R = S_k x* I_j S_j - I'_j S_k and K_j = I_j 2 psi'_j + 2 B_j S_j,

    d2tau_j / dq_l dqd_k = psi'_l . R,
    d2tau_k / dq_l dqd_j = (S_k x S_l) . K_j - psi'_l . R,  the first term if k carries l.

The derivatives by two velocities are Christoffel symbols: d2tau_j / dqd_k dqd_l = dM_jk/dq_l +
dM_jl/dq_k - dM_kl/dq_j. All other derivatives vanish. So do those of three joints that are not on
one path from the base.
Singh, Russo and Wensing 2024, "On second-order derivatives of rigid-body dynamics: theory and
implementation", has an equivalent recursion. Jain 2011, chapter 18, has rates of composite
inertias.
"""

from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    carry_axes,
    forces_in_world_frame,
    motion_rate,
    sum_tip_to_base,
    twice_coriolis_times,
    twice_coriolis_transposed,
    twice_symmetric,
)
from robodyn_ros.algorithms.derivatives.mass_matrix_derivative import inertia_rate
from robodyn_ros.algorithms.variants.inverse_dynamics_body import momentum_rate
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.types import Constant, Matrix, Stack, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, sub


@primitive
def product(rows, w):
    """Return a 3x3 matrix times a vector.

    `rows`: rows of the matrix, each a 3-vector.
    """
    return dot(rows[0], w), dot(rows[1], w), dot(rows[2], w)


@primitive
def with_cross(a, n):
    """Return the rows of A + [n x], for a symmetric A."""
    return (
        (a[0], a[1] - n[2], a[2] + n[1]),
        (a[1] + n[2], a[3], a[4] - n[0]),
        (a[2] - n[1], a[4] + n[0], a[5]),
    )


@primitive
def transform(form, w, v):
    """Return the wrench (A w + b x v, c x w) of a motion, for a form (A, b, c).

    `form`: rows of A, and the 3-vectors b and c.
    `w`, `v`: angular and linear part of the motion, 3-vectors.
    """
    return add(product(form[0], w), cross(form[1], v)), cross(form[2], w)


@primitive
def form_of(h, inertia):
    """Return the form of the rate of an inertia; see `transform` for forms.

    `h`: rate of the first moment, 3-vector.
    `inertia`: rate of the inertia, six numbers.
    """
    return with_cross(inertia, (0.0, 0.0, 0.0)), h, scale(-1.0, h)


@primitive
def rate_form(work, o):
    """Return the form of I'_o, the rate of composite inertia o for a unit rate of its joint."""
    h, inertia = inertia_rate(work, o, load(work[o].axis), load(work[o].axis, 3))
    return form_of(h, inertia)


@primitive
def difference_form(rate, n, f):
    """Return the form of x -> x x* (n, f) - I'_o x.

    `rate`: form of I'_o.
    """
    a, b, c = rate
    lean = with_cross((0.0, 0.0, 0.0, 0.0, 0.0, 0.0), n)
    rows = (
        scale(-1.0, add(a[0], lean[0])),
        scale(-1.0, add(a[1], lean[1])),
        scale(-1.0, add(a[2], lean[2])),
    )
    return rows, scale(-1.0, add(b, f)), sub(b, f)


@primitive
def outer_form(work, o):
    """Return the form of W_o^T.

    It is the sum of the rate of I_o along psi'_o and of the rate of B_o^T along S_o.
    """
    w, u = load(work[o].axis), load(work[o].axis, 3)
    turning, sliding = load(work[o].carried), load(work[o].carried, 3)
    h, a = inertia_rate(work, o, turning, sliding)
    n, f = composite_inertia_times(work, o, turning, sliding)
    y = twice_symmetric(work, o)
    m, p = load(work[o].b_moment), scale(2.0, load(work[o].b_force))
    x0, x1, x2 = cross(w, (y[0], y[1], y[2]))
    y0, y1, y2 = cross(w, (y[1], y[3], y[4]))
    z0, z1, z2 = cross(w, (y[2], y[4], y[5]))
    along = dot(p, u)
    total = (
        a[0] + (2.0 * x0 + along),
        a[1] + (x1 + y0),
        a[2] + (x2 + z0),
        a[3] + (2.0 * y1 + along),
        a[4] + (y2 + z1),
        a[5] + (2.0 * z2 + along),
    )
    rows = with_cross(total, add(cross(w, m), n))
    return (
        (sub(rows[0], scale(u[0], p)), sub(rows[1], scale(u[1], p)), sub(rows[2], scale(u[2], p))),
        add(add(h, f), cross(w, p)),
        sub(f, h),
    )


@primitive
def outer_wrenches(work, o):
    """Return the wrenches G_o and K_o."""
    w, u = load(work[o].axis), load(work[o].axis, 3)
    turning, sliding = load(work[o].carried), load(work[o].carried, 3)
    n, f = composite_inertia_times(
        work, o, load(work[o].carried_rate), load(work[o].carried_rate, 3)
    )
    twist, push = twice_coriolis_times(work, o, turning)
    more_n, more_f = momentum_rate(w, u, load(work[o].moment), load(work[o].force))
    of_motion = composite_inertia_times(work, o, scale(2.0, turning), scale(2.0, sliding))
    turned, pushed = twice_coriolis_times(work, o, w)
    return (
        (add(add(n, twist), more_n), add(add(f, push), more_f)),
        (add(of_motion[0], turned), add(of_motion[1], pushed)),
    )


@primitive
def pairing(a, b):
    """Return the scalar product of a wrench and a motion.

    `a`, `b`: two 3-vectors each, angular part first.
    """
    return dot(a[0], b[0]) + dot(a[1], b[1])


@primitive
def motion(x):
    """Return a motion of six entries, angular and linear part."""
    return load(x), load(x, 3)


@primitive
def of_torque_outside(topology, work, o, s, P, Q, by_q_q, by_q_qd, M_q):
    """Write derivatives of the torque of joint o by position s and by the joints that carry s.

    `o`, `s`: rows of the bodies of two joints; joint s carries joint o, or is the same.
    `P`, `Q`: wrenches of the formulas above, each a moment and a force.
    `by_q_q`, `by_q_qd` (nv, nv, nv): entry [j, k, l] is the derivative of torque j by coordinates
      k and l; the entries of these joints are written.
    `M_q` (nv, nv, nv): entry [j, k, l] is dM_jk/dq_l; the entries of these joints are written.
    """
    j, l, i = topology[o, V], topology[s, V], s
    while i > 0:
        k = topology[i, V]
        axis, carried = motion(work[i].axis), motion(work[i].carried)
        entry = pairing(P, motion(work[i].carried_rate)) + pairing(Q, carried)
        by_q_q[j, k, l] = entry
        by_q_q[j, l, k] = entry
        by_q_qd[j, l, k] = 2.0 * pairing(P, carried) + pairing(Q, axis)
        M_q[j, k, l] = pairing(P, axis)
        M_q[k, j, l] = M_q[j, k, l]
        i = topology[i, PARENT]


@primitive
def of_torque_inside(topology, work, o, s, P, Q, G, by_q_q, by_q_qd, M_q):
    """Write derivatives of the torque of joint s by position o and by the joints that carry o.

    `o`, `s`: rows of the bodies of two joints; joint s carries joint o, or is the same.
    `P`, `Q`, `G`: wrenches of the formulas above, each a moment and a force.
    `by_q_q`, `by_q_qd` (nv, nv, nv): entry [j, k, l] is the derivative of torque j by coordinates
      k and l; the entries of these joints are written.
    `M_q` (nv, nv, nv): entry [j, k, l] is dM_jk/dq_l; the entries of these joints are written.
    """
    j, l, i, between = topology[s, V], topology[o, V], o, True
    own = motion(work[s].axis)
    while i > 0:
        if i == s:
            between = False
        k = topology[i, V]
        axis, carried = motion(work[i].axis), motion(work[i].carried)
        entry = pairing(P, motion(work[i].carried_rate)) + pairing(Q, carried)
        if between:
            entry = entry + pairing(motion_rate(own[0], own[1], axis[0], axis[1]), G)
        else:
            M_q[j, k, l] = pairing(P, axis)
            M_q[k, j, l] = M_q[j, k, l]
        by_q_q[j, k, l] = entry
        by_q_q[j, l, k] = entry
        by_q_qd[j, l, k] = 2.0 * pairing(P, carried) + pairing(Q, axis)
        i = topology[i, PARENT]


@primitive
def of_velocity_outside(topology, work, o, s, R, K, by_q_qd):
    """Write derivatives of the torques of o and s by each other's velocity and a position.

    `o`, `s`: rows of the bodies of two joints; joint s carries joint o, or is the same.
    `R`, `K`: wrenches of the formulas above, each a moment and a force.
    `by_q_qd` (nv, nv, nv): entry [j, k, l] is the derivative of torque j by coordinates k and l;
      the entries of these joints are written.
    """
    far, near, i, between = topology[o, V], topology[s, V], topology[o, PARENT], True
    own = motion(work[s].axis)
    while i > 0:
        if i == s:
            between = False
        l, entry = topology[i, V], pairing(R, motion(work[i].carried))
        if between:
            axis = motion(work[i].axis)
            by_q_qd[near, l, far] = (
                pairing(motion_rate(own[0], own[1], axis[0], axis[1]), K) - entry
            )
        else:
            by_q_qd[near, l, far] = -entry
            if i != s:
                by_q_qd[far, l, near] = entry
        i = topology[i, PARENT]


@primitive
def by_two_velocities(M_q, by_qd_qd):
    """Write the derivatives d2tau/dqd dqd, which are Christoffel symbols.

    `M_q` (nv, nv, nv): entry [j, k, l] is dM_jk/dq_l.
    `by_qd_qd` (nv, nv, nv), written: entry [j, k, l] is the derivative of torque j by velocities k
      and l.
    """
    for j in range(M_q.shape[0]):
        for k in range(M_q.shape[0]):
            for l in range(k + 1):
                by_qd_qd[j, k, l] = M_q[j, k, l] + M_q[j, l, k] - M_q[k, l, j]
                by_qd_qd[j, l, k] = by_qd_qd[j, k, l]


@primitive
def empty(tensor):
    """Set every entry to zero.

    `tensor` (n, m, k): overwritten with zeros.
    """
    for j in range(tensor.shape[0]):
        for k in range(tensor.shape[1]):
            for l in range(tensor.shape[2]):
                tensor[j, k, l] = 0.0


@recursion
def inverse_dynamics_second_derivatives(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    f_ext: Matrix,
    by_q_q: Stack,
    by_q_qd: Stack,
    by_qd_qd: Stack,
    M_q: Stack,
):
    """Compute all second derivatives of inverse dynamics, in O(n depth^2).

    `f_ext` (nb, 6): moment and force on each body [N m, N], in its frame about its origin, moving
      with it.
    `by_q_q`, `by_q_qd`, `by_qd_qd` (nv, nv, nv), written: entry [j, k, l] is the derivative of
      torque j by coordinates k and l.
    `M_q` (nv, nv, nv), written: entry [j, k, l] is dM_jk/dq_l, which is d2tau_j / dqdd_k dq_l.
    """
    forces_in_world_frame(topology, constants, gravity, work, q, qd, qdd, f_ext)
    carry_axes(topology, gravity, work)
    sum_tip_to_base(topology, work)
    empty(by_q_q)
    empty(by_q_qd)
    empty(M_q)
    for o in range(1, topology.shape[0]):
        w, v = motion(work[o].axis)
        n, f = composite_inertia_times(work, o, w, v)
        g = twice_coriolis_transposed(work, o, w, v)
        rate, outer = rate_form(work, o), outer_form(work, o)
        change = difference_form(rate, n, f)
        G, K = outer_wrenches(work, o)
        s = o
        while s > 0:
            axis, slide = motion(work[s].axis)
            moment, force = transform(change, load(work[s].carried), load(work[s].carried, 3))
            P, Q = momentum_rate(axis, slide, n, f), (add(moment, cross(axis, g)), force)
            of_torque_outside(topology, work, o, s, P, Q, by_q_q, by_q_qd, M_q)
            if s != o:
                p, R = transform(rate, axis, slide), transform(change, axis, slide)
                Q = transform(outer, axis, slide)
                of_torque_inside(topology, work, o, s, p, Q, G, by_q_q, by_q_qd, M_q)
                of_velocity_outside(topology, work, o, s, R, K, by_q_qd)
            s = topology[s, PARENT]
    by_two_velocities(M_q, by_qd_qd)
