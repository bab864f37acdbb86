# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Articulated inertias and solves with aggregated bodies, in O(n) for any number of loops.

An aggregated body is a set of bodies whose joints move together, see model.dependent.aggregates.
One body p carries all of them. X is their motion for unit rates of the independent velocities y of
the set. With the articulated inertias P of the bodies, before P of p is complete,

    D = sum X^T P X,   W = sum P X at p,   P(p) += sum P - W D^-1 W^T,
    y' = D^-1 (u - W^T a(p))

(15.16) to (15.20) of Jain 2011, section 15.3, with a sum over bodies in place of stacked ones.
Velocities are eliminated one by one, D = L^T d L, as those of separate joints are. All vectors are
in frames of bodies. A set of one body is treated as a joint of a tree.
"""

from robodyn_ros.algorithms.constraints.expansion import body_of_velocity, expansion, of_joints
from robodyn_ros.algorithms.constraints.workspace import sweep_memory
from robodyn_ros.algorithms.core.articulated import (
    articulated_times,
    eliminate_joint,
    propagate_inertia,
    rigid,
    singular,
)
from robodyn_ros.algorithms.core.joint_transform import (
    add_along_joint,
    along_joint,
    carried_acceleration,
    carry_wrench,
    to_child,
    wrench_on_parent,
)
from robodyn_ros.algorithms.mass_matrix.mass_matrix_solve import (
    cross_base_to_tip,
    cross_tip_to_base,
    rest_base,
)
from robodyn_ros.model.layout import (
    AGGREGATE_BODIES,
    AGGREGATE_FIRST,
    AGGREGATE_SPEEDS,
    AGGREGATE_SPEEDS_FIRST,
    AGGREGATES,
    BODY_IN_ORDER,
    COUNT,
    FIRST,
    PARENT,
    PLACE_OF_SPEED,
    ROTOR,
    SPEED_IN_ORDER,
    WIDEST,
    V,
)
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.vec3 import accumulate, add, cross, dot, load, scale, store


@primitive
def sweep_arrays(topology, work):
    """Return the working memory of a sweep.

    Returns views of work, with rows of velocities in the order of the sweep. E has a row for
      each joint. D (nv, widest) has the factors, 1 / d in place of the diagonal. W (nv, 6) has a
      row for each velocity, and X a row for each velocity of each body. u (nv,) has what is left
      of the right side.
    """
    n, nv, widest = topology.shape[0] - 1, topology[0, FIRST], topology[0, WIDEST]
    flat = sweep_memory(topology, work, nv * (widest + 7) + 6 * n * widest)
    d, w, x = nv, nv * (widest + 1), nv * (widest + 7)
    return (
        expansion(topology, work),
        flat[d:w].reshape(nv, widest),
        flat[w:x].reshape(nv, 6),
        flat[x:].reshape(n * widest, 6),
        flat[:d],
    )


@primitive
def moves_alone(topology, c):
    """Return whether aggregated body c is one body with a velocity of its own."""
    return topology[c, AGGREGATE_BODIES] == 1 and topology[c, AGGREGATE_SPEEDS] == 1


@primitive
def extent(topology, c):
    """Return where an aggregated body is in the order of the sweep.

    Returns places of its first body and behind its last one, and that of its first velocity. Then
      the number of its velocities, and the row of the body that carries it.
    """
    first = topology[c, AGGREGATE_FIRST]
    return (
        first,
        first + topology[c, AGGREGATE_BODIES],
        topology[c, AGGREGATE_SPEEDS_FIRST],
        topology[c, AGGREGATE_SPEEDS],
        topology[topology[first, BODY_IN_ORDER], PARENT],
    )


@primitive
def start_with_rotors(topology, constants, c, diagonal, arrays):
    """Start D with rotors and the diagonal, and W with zeros."""
    E, D, W, _, size = arrays
    first, end, k0, count, _ = extent(topology, c)
    for k in range(count):
        for j in range(k):
            D[k0 + k, j] = 0.0
        D[k0 + k, k] = diagonal[topology[k0 + k + 1, SPEED_IN_ORDER]]
        for entry in range(6):
            W[k0 + k, entry] = 0.0
    for place in range(first, end):
        i = topology[place, BODY_IN_ORDER]
        for m in range(topology[i, COUNT]):
            k = topology[topology[i, FIRST] + m + 1, PLACE_OF_SPEED] - k0
            for other in range(topology[i, COUNT]):
                j = topology[topology[i, FIRST] + other + 1, PLACE_OF_SPEED] - k0
                if 0 <= j <= k < count:
                    share = E[i - 1, m] * constants[i, ROTOR] * E[i - 1, other]
                    D[k0 + k, j] = D[k0 + k, j] + share
    for k in range(count):
        size[k0 + k] = D[k0 + k, k]


@primitive
def write_motions(topology, constants, work, c, arrays):
    """Write the motion X of each body for unit rates of the velocities, base to tip."""
    E, _, _, X, _ = arrays
    widest = topology[0, WIDEST]
    first, end, k0, count, p = extent(topology, c)
    for place in range(first, end):
        i = topology[place, BODY_IN_ORDER]
        parent = topology[i, PARENT]
        row, above = (i - 1) * widest, (parent - 1) * widest
        for k in range(count):
            w, v = (0.0, 0.0, 0.0), (0.0, 0.0, 0.0)
            if parent != p:
                turning = load(X[above + k])
                lever = cross(turning, load(work[i].position))
                w = to_child(work, i, turning)
                v = to_child(work, i, add(load(X[above + k], 3), lever))
            store(X[row + k], w)
            store(X[row + k], v, 3)
        for m in range(topology[i, COUNT]):
            k = topology[topology[i, FIRST] + m + 1, PLACE_OF_SPEED] - k0
            if 0 <= k < count:
                w, v = add_along_joint(
                    topology, constants, i, load(X[row + k]), load(X[row + k], 3), E[i - 1, m]
                )
                store(X[row + k], w)
                store(X[row + k], v, 3)


@primitive
def trace(a):
    """Return the trace of a symmetric matrix of six numbers."""
    return a[0] + a[3] + a[5]


@primitive
def replace_by_wrenches(topology, work, c, arrays):
    """Replace each motion X by the wrench P X that causes it.

    P does not contain the bodies of the set that the body carries. The sizes of the pivots are
    traces of P times squares of motions.
    """
    _, _, _, X, size = arrays
    widest = topology[0, WIDEST]
    first, end, k0, count, _ = extent(topology, c)
    for place in range(first, end):
        i = topology[place, BODY_IN_ORDER]
        turning = trace(work[i].P.angular)
        mass = trace(work[i].P.linear)
        for k in range(count):
            row = (i - 1) * widest + k
            w, v = load(X[row]), load(X[row], 3)
            size[k0 + k] = size[k0 + k] + turning * dot(w, w) + mass * dot(v, v)
            n, f = articulated_times(work, i, w, v)
            store(X[row], n)
            store(X[row], f, 3)


@primitive
def sum_tip_to_base(topology, constants, work, c, arrays):
    """Add the wrenches of all bodies in D and W, and their inertias at the carrier."""
    E, D, W, X, _ = arrays
    widest = topology[0, WIDEST]
    first, end, k0, count, p = extent(topology, c)
    for place in range(end - 1, first - 1, -1):
        i = topology[place, BODY_IN_ORDER]
        parent = topology[i, PARENT]
        for k in range(count):
            n, f = load(X[(i - 1) * widest + k]), load(X[(i - 1) * widest + k], 3)
            along = along_joint(topology, constants, i, n, f)
            for m in range(topology[i, COUNT]):
                j = topology[topology[i, FIRST] + m + 1, PLACE_OF_SPEED] - k0
                if 0 <= j <= k:
                    D[k0 + k, j] = D[k0 + k, j] + E[i - 1, m] * along
            if parent > 0:
                n, f = wrench_on_parent(work, i, n, f)
                if parent == p:
                    accumulate(W[k0 + k], n)
                    accumulate(W[k0 + k], f, 3)
                else:
                    accumulate(X[(parent - 1) * widest + k], n)
                    accumulate(X[(parent - 1) * widest + k], f, 3)
        if p > 0:
            propagate_inertia(topology, work, i)


@primitive
def remove_share(work, p, share, n, f):
    """Subtract a share of W W^T from the articulated inertia of a body.

    `n`, `f`: moment and force of W, 3-vectors.
    """
    g, h, entry, P = scale(share, n), scale(share, f), 0, work[p].P
    for a in range(3):
        for b in range(a, 3):
            P.angular[entry] = P.angular[entry] - g[a] * n[b]
            P.linear[entry] = P.linear[entry] - h[a] * f[b]
            entry += 1
        for b in range(3):
            P.coupling[3 * a + b] = P.coupling[3 * a + b] - g[a] * f[b]


@primitive
def eliminate_aggregate(topology, constants, work, c, diagonal, arrays, status):
    """Eliminate the velocities of an aggregated body: compute D, W, and P of its carrier.

    Returns the given status, or the first body of a velocity whose pivot is singular.
    """
    start_with_rotors(topology, constants, c, diagonal, arrays)
    write_motions(topology, constants, work, c, arrays)
    replace_by_wrenches(topology, work, c, arrays)
    sum_tip_to_base(topology, constants, work, c, arrays)
    _, D, W, _, size = arrays
    _, _, k0, count, p = extent(topology, c)
    for k in range(count - 1, -1, -1):
        row, inverse = k0 + k, 0.0  # as if locked, so that the results stay finite
        if singular(D[row, k], size[row]):
            status = body_of_velocity(topology, topology[row + 1, SPEED_IN_ORDER])
        else:
            inverse = 1.0 / D[row, k]
        D[row, k] = inverse
        n, f = load(W[row]), load(W[row], 3)
        for j in range(k - 1, -1, -1):
            share = D[row, j] * inverse
            for m in range(j + 1):
                D[k0 + j, m] = D[k0 + j, m] - share * D[row, m]
            D[row, j] = share
            if p > 0:
                accumulate(W[k0 + j], scale(-share, n))
                accumulate(W[k0 + j], scale(-share, f), 3)
        if p > 0:
            remove_share(work, p, inverse, n, f)
    return status


@primitive
def aggregated_inertias(topology, constants, work, diagonal):
    """Compute the articulated inertias tip to base, in O(n).

    Needs `expand_positions` and `joint_transforms`. An aggregated body of m bodies and k
    velocities takes O(m k^2 + k^3).
    """
    arrays, of_joint, status = sweep_arrays(topology, work), of_joints(topology, work, 7), 0
    for i in range(1, topology.shape[0]):
        rigid(constants, work, i)
    for c in range(topology[0, AGGREGATES], 0, -1):
        i = topology[topology[c, AGGREGATE_FIRST], BODY_IN_ORDER]
        if moves_alone(topology, c):
            of_joint[topology[i, V]] = diagonal[topology[i, FIRST]]
            status = eliminate_joint(topology, constants, work, i, of_joint, status)
            if topology[i, PARENT] > 0:
                propagate_inertia(topology, work, i)
        else:
            status = eliminate_aggregate(topology, constants, work, c, diagonal, arrays, status)
    return status


@primitive
def reduce_tip_to_base(topology, constants, work, c, b, arrays):
    """Subtract the bias forces of an aggregated body from its right side; pass on its share."""
    E, D, W, _, u = arrays
    first, end, k0, count, p = extent(topology, c)
    for k in range(count):
        u[k0 + k] = b[topology[k0 + k + 1, SPEED_IN_ORDER]]
    for place in range(end - 1, first - 1, -1):
        i = topology[place, BODY_IN_ORDER]
        n, f = load(work[i].moment), load(work[i].force)
        along = along_joint(topology, constants, i, n, f)
        for m in range(topology[i, COUNT]):
            k = topology[topology[i, FIRST] + m + 1, PLACE_OF_SPEED] - k0
            if 0 <= k < count:
                u[k0 + k] = u[k0 + k] - E[i - 1, m] * along
        if topology[i, PARENT] > 0:
            carry_wrench(work, i, topology[i, PARENT], n, f)
    for k in range(count - 1, -1, -1):
        row = k0 + k
        for j in range(k):
            u[k0 + j] = u[k0 + j] - D[row, j] * u[row]
        if p > 0:
            share = D[row, k] * u[row]
            accumulate(work[p].moment, scale(share, load(W[row])))
            accumulate(work[p].force, scale(share, load(W[row], 3)))


@primitive
def solve_base_to_tip(topology, constants, work, c, arrays, x):
    """Compute the accelerations of an aggregated body from that of its carrier.

    `x` (nv,): solution, of which the entries of the aggregated body are written.
    """
    E, D, W, _, u = arrays
    first, end, k0, count, p = extent(topology, c)
    for k in range(count):
        row, left = k0 + k, u[k0 + k]
        if p > 0:
            turning, moving = load(work[p].alpha), load(work[p].accel)
            left = left - (dot(load(W[row]), turning) + dot(load(W[row], 3), moving))
        left = D[row, k] * left
        for j in range(k):
            left = left - D[row, j] * x[topology[k0 + j + 1, SPEED_IN_ORDER]]
        x[topology[row + 1, SPEED_IN_ORDER]] = left
    for place in range(first, end):
        i, rate = topology[place, BODY_IN_ORDER], 0.0
        for m in range(topology[i, COUNT]):
            k = topology[topology[i, FIRST] + m + 1, PLACE_OF_SPEED] - k0
            if 0 <= k < count:
                rate = rate + E[i - 1, m] * x[topology[i, FIRST] + m]
        alpha, a = carried_acceleration(work, topology[i, PARENT], i)
        alpha, a = add_along_joint(topology, constants, i, alpha, a, rate)
        store(work[i].alpha, alpha)
        store(work[i].accel, a)


@primitive
def solve_aggregated(topology, constants, work, b, x):
    """Compute x = M^-1 b in O(n). Needs `aggregated_inertias`."""
    arrays = sweep_arrays(topology, work)
    for i in range(1, topology.shape[0]):
        store(work[i].moment, (0.0, 0.0, 0.0))
        store(work[i].force, (0.0, 0.0, 0.0))
    for c in range(topology[0, AGGREGATES], 0, -1):
        i = topology[topology[c, AGGREGATE_FIRST], BODY_IN_ORDER]
        if moves_alone(topology, c):
            work[i].residual = b[topology[i, FIRST]]
            cross_tip_to_base(topology, constants, work, i)
        else:
            reduce_tip_to_base(topology, constants, work, c, b, arrays)
    rest_base(work)
    for c in range(1, topology[0, AGGREGATES] + 1):
        i = topology[topology[c, AGGREGATE_FIRST], BODY_IN_ORDER]
        if moves_alone(topology, c):
            x[topology[i, FIRST]] = cross_base_to_tip(topology, constants, work, i)
        else:
            solve_base_to_tip(topology, constants, work, c, arrays, x)
