# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Second derivatives of a sum of torques times multipliers, in O(n depth).

They are the tensors of inverse_dynamics_second_derivatives times multipliers lambda_j, summed over
the joints j. The part of the joints that carry joint l is one motion,

    y_l = sum lambda_j S_j of the joints j that carry l.

The part of joint l and the joints that it carries adds up from tip to base. A bar stands for this
sum of lambda_j times I_j S_j, 2 B_j^T S_j or I'_j. The wrenches

    P = S_l x* bar(I S) + I'_l y_l
    Q = psi'_l x* bar(I S) + S_l x* bar(2 B^T S) - bar(I') psi'_l + W_l^T y_l
    N = S_l x* bar(I S) - bar(I') S_l + I'_l y_l - y_l x* I_l S_l

give every second derivative of L = lambda . tau by l and a joint i that carries l, or is l:

    d2L/dq_i dq_l   = P . psi''_i + Q . psi'_i + (y_i x S_i) . G_l
    d2L/dq_l dqd_i  = P . 2 psi'_i + Q . S_i
    d2L/dq_i dqd_l  = N . psi'_i + (y_i x S_i) . K_l      if i is not l
    d2L/dqd_i dqd_l = N . S_i
    d2L/dq_l dqdd_i = P . S_i
    d2L/dq_i dqdd_l = (y_i x S_i) . I_l S_l               if i is not l

Nganga and Wensing 2021, "Accelerating second-order differential dynamic programming for rigid-body
systems", contract the same derivatives by another recursion.
"""

from robodyn_ros.algorithms.core.coriolis import composite_inertia_times
from robodyn_ros.algorithms.core.matrices import clear
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    carry_axes,
    forces_in_world_frame,
    motion_rate,
    sum_tip_to_base,
    twice_coriolis_transposed,
)
from robodyn_ros.algorithms.derivatives.inverse_dynamics_second_derivatives import (
    form_of,
    motion,
    outer_form,
    outer_wrenches,
    pairing,
    transform,
)
from robodyn_ros.algorithms.derivatives.mass_matrix_derivative import inertia_rate
from robodyn_ros.algorithms.variants.inverse_dynamics_body import momentum_rate
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import primitive, recursion
from robodyn_ros.spatial.rotational_inertia import load_symmetric
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import accumulate, add, cross, load, scale, store, sub


@primitive
def weigh_axes(topology, multipliers, work):
    """Compute the motion y of every joint.

    `multipliers` (nv,): multiplier lambda of each torque.
    """
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        for k in (0, 3):
            carrying = (0.0, 0.0, 0.0)
            if parent > 0:
                own = scale(multipliers[topology[parent, V]], load(work[parent].axis, k))
                carrying = add(load(work[parent].carrying, k), own)
            store(work[i].carrying, carrying, k)


@primitive
def weigh_composites(topology, multipliers, work):
    """Compute the sums of I S, 2 B^T S and I' over each joint and all joints that it carries.

    `multipliers` (nv,): multiplier lambda of each torque.
    """
    for i in range(1, topology.shape[0]):
        share, (w, v) = multipliers[topology[i, V]], motion(work[i].axis)
        n, f = composite_inertia_times(work, i, w, v)
        h, inertia = inertia_rate(work, i, w, v)
        store(work[i].weighted_momentum, scale(share, n))
        store(work[i].weighted_momentum, scale(share, f), 3)
        store(work[i].weighted_coriolis, scale(share, twice_coriolis_transposed(work, i, w, v)))
        store(work[i].weighted_first, scale(share, h))
        for k in range(6):
            work[i].weighted_second[k] = share * inertia[k]
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        if parent > 0:
            for k in (0, 3):
                accumulate(work[parent].weighted_momentum, load(work[i].weighted_momentum, k), k)
                accumulate(work[parent].weighted_second, load(work[i].weighted_second, k), k)
            accumulate(work[parent].weighted_coriolis, load(work[i].weighted_coriolis))
            accumulate(work[parent].weighted_first, load(work[i].weighted_first))


@primitive
def summed(a, b):
    """Return the sum of two wrenches.

    `a`, `b`: wrenches, each a moment and a force.
    """
    return add(a[0], b[0]), add(a[1], b[1])


@primitive
def outer_sums(work, o):
    """Return P, Q and N of joint o."""
    S, turning = motion(work[o].axis), motion(work[o].carried)
    y, momentum = motion(work[o].carrying), motion(work[o].weighted_momentum)
    h, inertia = inertia_rate(work, o, S[0], S[1])
    own = form_of(h, inertia)
    below = form_of(load(work[o].weighted_first), load_symmetric(work[o].weighted_second))
    along = momentum_rate(S[0], S[1], momentum[0], momentum[1])
    P = summed(along, transform(own, y[0], y[1]))
    rate, lost = transform(below, turning[0], turning[1]), transform(below, S[0], S[1])
    moved = momentum_rate(turning[0], turning[1], momentum[0], momentum[1])
    n, f = summed(moved, transform(outer_form(work, o), y[0], y[1]))
    Q = sub(add(n, cross(S[0], load(work[o].weighted_coriolis))), rate[0]), sub(f, rate[1])
    n, f = composite_inertia_times(work, o, S[0], S[1])
    held = momentum_rate(y[0], y[1], n, f)
    N = sub(sub(P[0], lost[0]), held[0]), sub(sub(P[1], lost[1]), held[1])
    return P, Q, N


@recursion
def inverse_dynamics_hessian(
    topology: Topology,
    constants: Table,
    gravity: Constant,
    work: Work,
    q: Vector,
    qd: Vector,
    qdd: Vector,
    multipliers: Vector,
    f_ext: Matrix,
    by_q_q: Matrix,
    by_q_qd: Matrix,
    by_qd_qd: Matrix,
    by_q_qdd: Matrix,
):
    """Compute the second derivatives of the sum of multipliers times tau, in O(n depth).

    `multipliers` (nv,): multiplier lambda of each torque.
    `by_q_q`, `by_q_qd`, `by_qd_qd`, `by_q_qdd` (nv, nv), written: second derivatives, a row for
      each coordinate named first.
    """
    forces_in_world_frame(topology, constants, gravity, work, q, qd, qdd, f_ext)
    carry_axes(topology, gravity, work)
    sum_tip_to_base(topology, work)
    weigh_axes(topology, multipliers, work)
    weigh_composites(topology, multipliers, work)
    for matrix in (by_q_q, by_q_qd, by_qd_qd, by_q_qdd):
        clear(matrix)
    for o in range(1, topology.shape[0]):
        P, Q, N = outer_sums(work, o)
        G, K = outer_wrenches(work, o)
        w, v = motion(work[o].axis)
        momentum = composite_inertia_times(work, o, w, v)
        l, i = topology[o, V], o
        while i > 0:
            k = topology[i, V]
            axis, carried = motion(work[i].axis), motion(work[i].carried)
            y = motion(work[i].carrying)
            crossed = motion_rate(y[0], y[1], axis[0], axis[1])
            entry = pairing(P, motion(work[i].carried_rate)) + pairing(Q, carried)
            by_q_q[k, l] = entry + pairing(crossed, G)
            by_q_q[l, k] = by_q_q[k, l]
            by_q_qd[l, k] = 2.0 * pairing(P, carried) + pairing(Q, axis)
            by_qd_qd[k, l] = pairing(N, axis)
            by_qd_qd[l, k] = by_qd_qd[k, l]
            by_q_qdd[l, k] = pairing(P, axis)
            if i != o:
                by_q_qd[k, l] = pairing(N, carried) + pairing(crossed, K)
                by_q_qdd[k, l] = pairing(crossed, momentum)
            i = topology[i, PARENT]
