# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: dependent joints as functions of the independent ones, and their rates.

A closure constrains motions of a frame B relative to a frame A. Let J_u and J_i be the columns of
dependent and independent joints. J_u X + J_i = 0 gives the rows X of E (Jain 2011, eq. 11.30 and
15.5), and J_u (dX/dt qd) = -dJ/dt E qd their rates. Newton's method finds the positions along a
straight line of the independent joints from a closed posture. So they are a function of q alone,
stay in one assembly mode, and do not drift.
"""

from math import nan

from robodyn_ros.algorithms.constraints.least_squares import solve
from robodyn_ros.algorithms.constraints.memory import loop_memory
from robodyn_ros.algorithms.core.jacobian import frame_acceleration, jacobian_columns
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import frame_pose, poses_base_to_tip
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    DISTANCE,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    FRAME_A,
    FRAME_B,
    LENGTH,
    RATIO,
    REFERENCE,
    STOPPED_ROWS,
    STOPS,
    UNKNOWNS,
    Q,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.types import Boolean, Matrix, Scalar, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, cross, dot, scale, sub

STRIDE = 0.25  # longest step of an independent joint [rad or m]
MOST_STEPS = 30  # of Newton's method at one point
COARSE = 1e-3  # of the unknowns between two points [rad or m]
FINE = 1e-8  # error before the last two steps of Newton's method, each of which squares it
OPEN = 1e-9  # gap beyond which a loop is open [m or rad]
FAR = 10.0  # largest step of a converging iteration [rad or m]


@primitive
def has_loops(topology):
    """Return whether the robot has closed loops."""
    return topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS


@primitive
def equations(topology, scratch):
    """Return memory for the rows of all closures: unknowns, independent velocities, right side."""
    m, d, nv = topology[0, STOPPED_ROWS], topology[0, UNKNOWNS], topology[0, FIRST]
    columns = d + nv + 1
    return loop_memory(topology, scratch, 0, m * columns).reshape(m, columns)


@primitive
def loop_vector(topology, scratch, k, length):
    """Return memory for vector k over all joints, k below 20."""
    m, d, nv = topology[0, STOPPED_ROWS], topology[0, UNKNOWNS], topology[0, FIRST]
    n = topology.shape[0] - 1
    return loop_memory(topology, scratch, m * (d + nv + 1) + k * n, length)


@primitive
def frame_jacobians(topology, scratch):
    """Return memory for the Jacobians of the two frames of a closure."""
    n = topology.shape[0] - 1
    both = loop_vector(topology, scratch, 4, 12 * n).reshape(12, n)
    return both[:6], both[6:]


@primitive
def frame_poses(topology, scratch):
    """Return memory for their poses."""
    n = topology.shape[0] - 1
    both = loop_vector(topology, scratch, 16, n + 44)[n:].reshape(11, 4)
    return both[:4], both[4:8]


@primitive
def column_of(X, k):
    """Return an axis of a pose, or its origin."""
    return X[0, k], X[1, k], X[2, k]


@primitive
def stopped_turns(stops):
    """Return the number of constrained rotations of a closure, and the free axis."""
    count, free = 0, 2
    for a in range(3):
        if stops & (8 << a):
            count += 1
        else:
            free = a
    return count, free


@primitive
def turn_error(XA, XB, a, turns, free):
    """Return the orientation error of frame B about axis a of A.

    It is half the axial vector of R_AB if all rotations are constrained, and e x R_AB e for a free
    axis e.
    """
    if turns == 3:
        i, j = (a + 1) % 3, (a + 2) % 3
        return 0.5 * (
            dot(column_of(XA, j), column_of(XB, i)) - dot(column_of(XA, i), column_of(XB, j))
        )
    return dot(column_of(XA, a), cross(column_of(XA, free), column_of(XB, free)))


@primitive
def entry(A, B, k, lever, axis, turns):
    """Return an axis times the velocity of B relative to A that joint k gives."""
    turning = (A[3, k], A[4, k], A[5, k])
    if turns:
        return dot(axis, sub((B[3, k], B[4, k], B[5, k]), turning))
    carried = add((A[0, k], A[1, k], A[2, k]), cross(turning, lever))
    return dot(axis, sub((B[0, k], B[1, k], B[2, k]), carried))


@primitive
def write_row(topology, constants, A, B, lever, axis, turns, L, row):
    """Write one row of the equations; mimic joints add to the columns of their leaders."""
    d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
    for column in range(L.shape[1]):
        L[row, column] = 0.0
    for i in range(1, topology.shape[0]):
        coordinate = topology[i, COORDINATE]
        if coordinate >= 0:
            column = d + coordinate if coordinate < nv else coordinate - nv
            share = constants[i, RATIO] * entry(A, B, i - 1, lever, axis, turns)
            L[row, column] = L[row, column] + share


@primitive
def speed_of(J, rates, first):
    """Return three rows of a Jacobian times rates."""
    x, y, z = 0.0, 0.0, 0.0
    for k in range(J.shape[1]):
        x = x + J[first, k] * rates[k]
        y = y + J[first + 1, k] * rates[k]
        z = z + J[first + 2, k] * rates[k]
    return x, y, z


@primitive
def rate_term(A, B, rates, a_A, alpha_A, a_B, alpha_B, lever, axis, turns, length):
    """Return a row of Jdot qd: the frames' relative acceleration at zero joint acceleration.

    length : the distance that is kept, 0 for another motion.
    """
    turning = speed_of(A, rates, 3)
    if turns:
        return dot(axis, sub(sub(alpha_B, alpha_A), cross(turning, speed_of(B, rates, 3))))
    apart = sub(speed_of(B, rates, 0), speed_of(A, rates, 0))
    if length > 0.0:
        return dot(axis, sub(a_B, a_A)) + dot(apart, apart) / length
    carried = cross(turning, lever)
    seen = add(cross(alpha_A, lever), scale(2.0, cross(turning, sub(apart, carried))))
    return dot(axis, sub(sub(a_B, a_A), add(seen, cross(turning, carried))))


@separate
def write_equations(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    everything: Vector,
    rates: Vector,
    moving: Boolean,
    L: Matrix,
):
    """Write the rows of all closures at the positions of all joints.

    The right side is the gap of each closure or, given rates, the row of Jdot times rates.
    """
    joint_transforms(topology, constants, scratch, everything)
    poses_base_to_tip(topology, scratch)
    if moving:
        zero = loop_vector(topology, scratch, 3, topology.shape[0] - 1)
        for k in range(zero.shape[0]):
            zero[k] = 0.0
        start_at_base(scratch, (0.0, 0.0, 0.0))
        motion_base_to_tip(topology, constants, scratch, rates, zero)
    XA, XB = frame_poses(topology, scratch)
    JA, JB = frame_jacobians(topology, scratch)
    row, last = 0, L.shape[1] - 1
    for k in range(1, topology[0, CLOSURES] + 1):
        body_A, body_B, stops = topology[k, BODY_A], topology[k, BODY_B], topology[k, STOPS]
        frame_A = constants[k, FRAME_A : FRAME_A + 12]
        frame_B = constants[k, FRAME_B : FRAME_B + 12]
        frame_pose(scratch, body_A, frame_A, XA)
        frame_pose(scratch, body_B, frame_B, XB)
        jacobian_columns(topology, constants, scratch, body_A, frame_A, JA)
        jacobian_columns(topology, constants, scratch, body_B, frame_B, JB)
        a_A, alpha_A, a_B, alpha_B = (
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
            (0.0, 0.0, 0.0),
        )
        if moving:
            a_A, alpha_A = frame_acceleration(scratch, body_A, frame_A)
            a_B, alpha_B = frame_acceleration(scratch, body_B, frame_B)
        lever = sub(column_of(XB, 3), column_of(XA, 3))
        count, free = stopped_turns(stops)
        for a in range(7):
            if stops & (1 << a):
                turns, is_distance = 3 <= a < 6, a == DISTANCE
                length = constants[k, LENGTH] if is_distance else 0.0
                axis = scale(1.0 / length, lever) if is_distance else column_of(XA, a % 3)
                write_row(topology, constants, JA, JB, lever, axis, turns, L, row)
                if moving:
                    L[row, last] = rate_term(
                        JA, JB, rates, a_A, alpha_A, a_B, alpha_B, lever, axis, turns, length
                    )
                elif is_distance:
                    L[row, last] = 0.5 * (dot(axis, lever) - length)
                elif turns:
                    L[row, last] = turn_error(XA, XB, a - 3, count, free)
                else:
                    L[row, last] = dot(axis, lever)
                row += 1


@primitive
def improve(topology, constants, scratch, everything, L):
    """Take one step of Newton's method. Returns its size, or -1 if it diverges."""
    d, nv, size = topology[0, UNKNOWNS], topology[0, FIRST], 0.0
    write_equations(topology, constants, scratch, everything, everything, False, L)
    if not solve(L, d):
        return -1.0
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            step = constants[i, RATIO] * L[unknown, d + nv]
            everything[topology[i, Q]] -= step
            size = max(size, abs(step))
    return size if size < FAR else -1.0


@primitive
def go_on(topology, constants, scratch, everything, target, share, before, L):
    """Move the independent joints to a share of their path, and the dependent ones with them.

    Needs the solved equations at the previous share.
    """
    d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
    way = loop_vector(topology, scratch, 1, nv)
    for k in range(nv):
        way[k] = 0.0
    for i in range(1, topology.shape[0]):
        coordinate, j = topology[i, COORDINATE], topology[i, Q]
        if 0 <= coordinate < nv:
            whole = target[i - 1] - constants[i, REFERENCE]
            everything[j] = (
                target[i - 1] if share == 1.0 else constants[i, REFERENCE] + share * whole
            )
            if topology[i, COUNT] == 1 and constants[i, RATIO] != 0.0:
                way[coordinate] = (share - before) * whole / constants[i, RATIO]
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            step = 0.0
            for k in range(nv):
                step = step - L[unknown, d + k] * way[k]
            everything[topology[i, Q]] += constants[i, RATIO] * step


@primitive
def settle(topology, constants, scratch, everything, enough, L):
    """Iterate Newton's method until its step is below `enough`; return whether it converges."""
    for _ in range(MOST_STEPS):
        size = improve(topology, constants, scratch, everything, L)
        if size < 0.0:
            return False
        if size < enough:
            return True
    return False


@separate
def close(topology: Topology, constants: Table, scratch: Matrix, everything: Vector, E: Matrix):
    """Compute the positions of the dependent joints of loops, and their rows of E.

    everything : positions of all joints, with those of the independent ones given; E : (n, width),
    written. Both are NaN if the loops cannot be closed.
    """
    n, d, nv = topology.shape[0] - 1, topology[0, UNKNOWNS], topology[0, FIRST]
    L, target = equations(topology, scratch), loop_vector(topology, scratch, 0, n)
    longest = 0.0
    for i in range(1, n + 1):
        j = topology[i, Q]
        target[i - 1] = everything[j]
        if topology[i, COORDINATE] >= 0:
            if topology[i, COORDINATE] < nv:
                longest = max(longest, abs(target[i - 1] - constants[i, REFERENCE]))
            everything[j] = constants[i, REFERENCE]
    steps = 1 + int(min(longest, 1e6) / STRIDE)
    closed = improve(topology, constants, scratch, everything, L) >= 0.0
    for step in range(steps):
        if closed:
            go_on(
                topology,
                constants,
                scratch,
                everything,
                target,
                1.0 if step == steps - 1 else (step + 1.0) / steps,
                step / steps,
                L,
            )
            enough = FINE if step == steps - 1 else COARSE
            closed = settle(topology, constants, scratch, everything, enough, L)
    if closed:
        closed = improve(topology, constants, scratch, everything, L) >= 0.0
        for row in range(d, L.shape[0]):
            if abs(L[row, d + nv]) > OPEN:
                closed = False
    for i in range(1, n + 1):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            if not closed:
                everything[topology[i, Q]] = nan
            for k in range(topology[i, COUNT]):
                share = L[unknown, d + topology[i, FIRST] + k]
                E[i - 1, k] = -constants[i, RATIO] * share if closed else nan


@separate
def closing_acceleration(
    topology: Topology,
    constants: Table,
    scratch: Matrix,
    everything: Vector,
    rates: Vector,
    share: Scalar,
    accelerations: Vector,
):
    """Add share times dE/dt qd of the dependent joints of loops; rates E qd of all joints."""
    d, nv, L = topology[0, UNKNOWNS], topology[0, FIRST], equations(topology, scratch)
    write_equations(topology, constants, scratch, everything, rates, True, L)
    solve(L, d)
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            accelerations[i - 1] -= share * constants[i, RATIO] * L[unknown, d + nv]
