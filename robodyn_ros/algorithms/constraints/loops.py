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

from robodyn_ros.algorithms.constraints.householder import solve
from robodyn_ros.algorithms.constraints.workspace import loop_memory
from robodyn_ros.algorithms.core.jacobian import frame_acceleration, world_axis
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import frame_pose, poses_base_to_tip
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.algorithms.core.scratch import OMEGA, WORLD_POSITION, WORLD_ROTATION
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    DISTANCE,
    EMBEDDED_TOPOLOGY_COLUMNS,
    FIRST,
    FIRST_LEADER,
    FIRST_UNKNOWN,
    FRAME_A,
    FRAME_B,
    GROUP_ROWS,
    GROUP_UNKNOWNS,
    KIND,
    LAST_CLOSURE,
    LEADERS,
    LENGTH,
    PARENT,
    PITCH,
    PRISMATIC,
    RATIO,
    REFERENCE,
    STOPPED_ROWS,
    STOPS,
    UNKNOWNS,
    Q,
    V,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Boolean, Matrix, Scalar, Table, Topology, Vector
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, sub

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
    """Return memory for vector k over all joints, k below 4."""
    n, L = topology.shape[0] - 1, equations(topology, scratch)
    return loop_memory(topology, scratch, L.size + k * n, length)


@primitive
def frame_poses(topology, scratch):
    """Return memory for the poses of the two frames of a closure."""
    n = topology.shape[0] - 1
    both = loop_vector(topology, scratch, 3, n + 44)[n:].reshape(11, 4)
    return both[:4], both[4:8]


@primitive
def group_equations(topology, scratch, k):
    """Return memory for the rows of the group of closures that begins with k."""
    rows = topology[k, GROUP_ROWS]
    columns = topology[k, GROUP_UNKNOWNS] + topology[k, LEADERS] + 1
    n, L = topology.shape[0] - 1, equations(topology, scratch)
    start = L.size + 4 * n + 44
    return loop_memory(topology, scratch, start, rows * columns).reshape(rows, columns)


@primitive
def column_of(X, k):
    """Return an axis of a pose, or its origin."""
    return X[0, k], X[1, k], X[2, k]


@primitive
def row_axis(XA, stops, a, along):
    """Return the axis of row a of a closure: of A, or `along` for a distance.

    If all three translations are stopped, it is one of the base. This turns the three rows
    together, which changes no solution, and constant axes save products.
    """
    if a < 3 and stops & 7 == 7:
        return 1.0 if a == 0 else 0.0, 1.0 if a == 1 else 0.0, 1.0 if a == 2 else 0.0
    return along if a == DISTANCE else column_of(XA, a % 3)


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
def motion_at(topology, constants, scratch, i, point):
    """Return the velocity that a unit rate of joint i gives a point, and the angular one."""
    z = world_axis(scratch, i)
    if topology[i, KIND] == PRISMATIC:
        return z, (0.0, 0.0, 0.0)
    lever = sub(point, load(scratch, i, WORLD_POSITION))
    return add(cross(z, lever), scale(constants[i, PITCH], z)), z


@primitive
def next_joint(topology, body_A, body_B):
    """Return the outer of two bodies, its sign, and the pair after it: to where their paths meet.

    Joints nearer to the base move both frames of a closure, so they do not open it.
    """
    if body_A > body_B:
        return body_A, -1.0, topology[body_A, PARENT], body_B
    return body_B, 1.0, body_A, topology[body_B, PARENT]


@primitive
def write_columns(topology, constants, scratch, k, XA, point, along, L, row):
    """Add the joints on the loop of closure k to its rows, from `row` on.

    An entry is an axis times a velocity of B relative to A. It is that at the origin of B, or the
    angular velocity. Mimic joints add to the columns of their leaders.
    """
    d, nv, stops = topology[0, UNKNOWNS], topology[0, FIRST], topology[k, STOPS]
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    while body_A != body_B:
        i, sign, body_A, body_B = next_joint(topology, body_A, body_B)
        coordinate = topology[i, COORDINATE]
        if coordinate >= 0:
            column = d + coordinate if coordinate < nv else coordinate - nv
            linear, angular = motion_at(topology, constants, scratch, i, point)
            share, place = sign * constants[i, RATIO], row
            for a in range(7):
                if stops & (1 << a):
                    axis = row_axis(XA, stops, a, along)
                    entry = dot(axis, angular if 3 <= a < DISTANCE else linear)
                    L[place, column] = L[place, column] + share * entry
                    place += 1


@primitive
def slip_of(topology, constants, scratch, k, point, rates):
    """Return the velocity of frame B of closure k as seen from A, in base axes."""
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    slip = (0.0, 0.0, 0.0)
    while body_A != body_B:
        i, sign, body_A, body_B = next_joint(topology, body_A, body_B)
        linear, _ = motion_at(topology, constants, scratch, i, point)
        slip = add(slip, scale(sign * rates[topology[i, V]], linear))
    return slip


@primitive
def angular_velocity(scratch, body):
    """Return the angular velocity of a body in base axes."""
    return rotate(scratch, body, WORLD_ROTATION, load(scratch, body, OMEGA))


@primitive
def write_rates(topology, constants, scratch, k, XA, lever, along, point, rates, L, row):
    """Write Jdot qd of closure k: the relative acceleration of its frames at qdd = 0."""
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    stops, last = topology[k, STOPS], L.shape[1] - 1
    a_A, alpha_A = frame_acceleration(scratch, body_A, constants[k, FRAME_A : FRAME_A + 12])
    a_B, alpha_B = frame_acceleration(scratch, body_B, constants[k, FRAME_B : FRAME_B + 12])
    w_A, w_B = angular_velocity(scratch, body_A), angular_velocity(scratch, body_B)
    slip = slip_of(topology, constants, scratch, k, point, rates)
    carried, linear = cross(w_A, lever), sub(a_B, a_A)
    angular = sub(sub(alpha_B, alpha_A), cross(w_A, w_B))
    seen = add(cross(alpha_A, lever), cross(w_A, add(scale(2.0, slip), carried)))
    for a in range(7):
        if stops & (1 << a):
            if a == DISTANCE:
                apart = add(slip, carried)
                L[row, last] = dot(along, linear) + dot(apart, apart) / constants[k, LENGTH]
            elif a >= 3:
                L[row, last] = dot(column_of(XA, a - 3), angular)
            else:
                L[row, last] = dot(row_axis(XA, stops, a, along), sub(linear, seen))
            row += 1


@primitive
def write_gaps(topology, constants, k, XA, XB, lever, along, L, row):
    """Write the gaps of closure k."""
    stops, last = topology[k, STOPS], L.shape[1] - 1
    count, free = stopped_turns(stops)
    for a in range(7):
        if stops & (1 << a):
            if a == DISTANCE:
                L[row, last] = 0.5 * (dot(along, lever) - constants[k, LENGTH])
            elif a >= 3:
                L[row, last] = turn_error(XA, XB, a - 3, count, free)
            else:
                L[row, last] = dot(row_axis(XA, stops, a, along), lever)
            row += 1


@primitive
def clear_group(topology, k, L, row):
    """Write zeros to the columns of the group of closure k, in the rows of closure k.

    Returns the row after them.
    """
    d, stops = topology[0, UNKNOWNS], topology[k, STOPS]
    unknown, leader = topology[k, FIRST_UNKNOWN], d + topology[k, FIRST_LEADER]
    for a in range(7):
        if stops & (1 << a):
            for column in range(unknown, unknown + topology[k, GROUP_UNKNOWNS]):
                L[row, column] = 0.0
            for column in range(leader, leader + topology[k, LEADERS]):
                L[row, column] = 0.0
            row += 1
    return row


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

    The right side is the gap of each closure or, given rates, the row of Jdot times rates. Entries
    of other groups than that of the closure are not written: their columns do not matter.
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
    row = 0
    for k in range(1, topology[0, CLOSURES] + 1):
        frame_pose(scratch, topology[k, BODY_A], constants[k, FRAME_A : FRAME_A + 12], XA)
        frame_pose(scratch, topology[k, BODY_B], constants[k, FRAME_B : FRAME_B + 12], XB)
        point = column_of(XB, 3)
        lever = sub(point, column_of(XA, 3))
        along = (0.0, 0.0, 0.0)
        if topology[k, STOPS] & (1 << DISTANCE):
            along = scale(1.0 / constants[k, LENGTH], lever)
        after = clear_group(topology, k, L, row)
        write_columns(topology, constants, scratch, k, XA, point, along, L, row)
        if moving:
            write_rates(topology, constants, scratch, k, XA, lever, along, point, rates, L, row)
        else:
            write_gaps(topology, constants, k, XA, XB, lever, along, L, row)
        row = after


@primitive
def solve_group(topology, scratch, k, row, L):
    """Minimise the rows of the group that begins with closure k, over its unknowns.

    The solution is then in the rows of L of its unknowns. Returns the largest gap that is left, or
    -1 if the unknowns are not determined. O(rows unknowns (unknowns + leaders)).
    """
    A, d, last = group_equations(topology, scratch, k), topology[0, UNKNOWNS], L.shape[1] - 1
    first, unknowns = topology[k, FIRST_UNKNOWN], topology[k, GROUP_UNKNOWNS]
    leader, leaders = d + topology[k, FIRST_LEADER], topology[k, LEADERS]
    for i in range(A.shape[0]):
        for column in range(unknowns):
            A[i, column] = L[row + i, first + column]
        for column in range(leaders):
            A[i, unknowns + column] = L[row + i, leader + column]
        A[i, unknowns + leaders] = L[row + i, last]
    if not solve(A, unknowns):
        return -1.0
    for i in range(unknowns):  # rows of L up to there are those of solved groups
        for column in range(leaders):
            L[first + i, leader + column] = A[i, unknowns + column]
        L[first + i, last] = A[i, unknowns + leaders]
    gap = 0.0
    for i in range(unknowns, A.shape[0]):
        gap = max(gap, abs(A[i, unknowns + leaders]))
    return gap


@primitive
def solve_groups(topology, scratch, L):
    """Solve the equations of all groups of closures: L[:, d:] has a row for each unknown.

    Columns of other groups are not written. Returns the largest gap that is left, or -1 if some
    unknowns are not determined.
    """
    k, row, largest = 1, 0, 0.0
    while k <= topology[0, CLOSURES]:
        gap = solve_group(topology, scratch, k, row, L)
        if gap < 0.0:
            return -1.0
        largest = max(largest, gap)
        row += topology[k, GROUP_ROWS]
        k = topology[k, LAST_CLOSURE] + 1
    return largest


@primitive
def improve(topology, constants, scratch, everything, L):
    """Take one step of Newton's method.

    Returns its size, or -1 if it diverges, and the largest gap that no step closes.
    """
    d, nv, size = topology[0, UNKNOWNS], topology[0, FIRST], 0.0
    write_equations(topology, constants, scratch, everything, everything, False, L)
    gap = solve_groups(topology, scratch, L)
    if gap < 0.0:
        return -1.0, gap
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            step = constants[i, RATIO] * L[unknown, d + nv]
            everything[topology[i, Q]] -= step
            size = max(size, abs(step))
    return size if size < FAR else -1.0, gap


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
            for k in range(topology[i, FIRST], topology[i, FIRST] + topology[i, COUNT]):
                step = step - L[unknown, d + k] * way[k]
            everything[topology[i, Q]] += constants[i, RATIO] * step


@primitive
def settle(topology, constants, scratch, everything, enough, L):
    """Iterate Newton's method until its step is below `enough`; return whether it converges."""
    for _ in range(MOST_STEPS):
        size, _ = improve(topology, constants, scratch, everything, L)
        if size < 0.0:
            return False
        if size < enough:
            return True
    return False


@separate
def close(topology: Topology, constants: Table, scratch: Matrix, everything: Vector, E: Matrix):
    """Compute the positions of the dependent joints of loops, and their rows of E.

    Both are NaN if the loops cannot be closed.

    Parameters
    ----------
    everything : (n,)
        Positions of all joints; those of the independent ones are given, the others written.
    E : (n, width)
        Written.
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
    closed = improve(topology, constants, scratch, everything, L)[0] >= 0.0
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
        size, gap = improve(topology, constants, scratch, everything, L)
        closed = size >= 0.0 and gap <= OPEN
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
    solve_groups(topology, scratch, L)
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            accelerations[i - 1] -= share * constants[i, RATIO] * L[unknown, d + nv]
