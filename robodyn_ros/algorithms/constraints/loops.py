# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops: dependent joints as functions of the independent ones, and their rates.

A closure constrains motions of a frame B relative to a frame A. Let J_u and J_i be the columns of
dependent and independent joints. J_u X + J_i = 0 gives the rows X of E (Jain 2011, eq. 11.32 and
15.26), and J_u (dX/dt qd) = -dJ/dt E qd their rates (15.27).
"""

from robodyn_ros.algorithms.constraints.householder import solve
from robodyn_ros.algorithms.constraints.workspace import loop_memory
from robodyn_ros.algorithms.core.jacobian import frame_acceleration, world_axis
from robodyn_ros.algorithms.core.joint_transform import joint_transforms, place_body, turn_joint
from robodyn_ros.algorithms.core.kinematics import frame_pose, poses_base_to_tip
from robodyn_ros.algorithms.core.rnea import motion_base_to_tip, start_at_base
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
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
    STOPPED_ROWS,
    STOPS,
    UNKNOWNS,
    V,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.rotation import rotate
from robodyn_ros.spatial.types import Boolean, Matrix, Scalar, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, sub


@primitive
def has_loops(topology):
    """Return whether the robot has closed loops."""
    return topology.shape[1] > EMBEDDED_TOPOLOGY_COLUMNS


@primitive
def equations(topology, work):
    """Return memory for the equations of all closures.

    The columns are those of the unknowns, the independent velocities and the right side.
    """
    m, columns = topology[0, STOPPED_ROWS], topology[0, UNKNOWNS] + topology[0, FIRST] + 1
    return loop_memory(topology, work, 0, m * columns).reshape(m, columns)


@primitive
def behind_equations(topology):
    """Return the number of entries of `equations`, behind which other memory begins."""
    return topology[0, STOPPED_ROWS] * (topology[0, UNKNOWNS] + topology[0, FIRST] + 1)


@primitive
def loop_vector(topology, work, k, length):
    """Return memory for one of four vectors over all joints.

    `k`: number of the vector, below 4.
    """
    start = behind_equations(topology) + k * (topology.shape[0] - 1)
    return loop_memory(topology, work, start, length)


@primitive
def frame_poses(topology, work):
    """Return memory for the poses of the two frames of a closure."""
    n = topology.shape[0] - 1
    both = loop_vector(topology, work, 3, n + 44)[n:].reshape(11, 4)
    return both[:4], both[4:8]


@primitive
def group_equations(topology, work, k):
    """Return memory for the equations of a group of closures.

    `k`: row of the first closure of the group.
    """
    rows = topology[k, GROUP_ROWS]
    columns = topology[k, GROUP_UNKNOWNS] + topology[k, LEADERS] + 1
    start = behind_equations(topology) + 4 * (topology.shape[0] - 1) + 44
    return loop_memory(topology, work, start, rows * columns).reshape(rows, columns)


@primitive
def column_of(X, k):
    """Return an axis of a pose, or its origin.

    `X` (4, 4): pose.
    `k`: column: 0 to 2 for an axis, 3 for the origin.
    """
    return X[0, k], X[1, k], X[2, k]


@primitive
def row_of(X, k):
    """Return a row of the rotation of a pose.

    `X` (4, 4): pose.
    `k`: row, 0 to 2.
    """
    return X[k, 0], X[k, 1], X[k, 2]


@primitive
def row_axis(XA, stops, a, along):
    """Return the axis of row a of a closure: of A, or `along` for a distance.

    If all three translations are stopped, it is one of the base, and likewise for rotations. This
    turns the three rows together, which changes no solution, and constant axes save products.

    `XA` (4, 4): pose of frame A in the base.
    `stops`: bits of the constrained motions, as STOPS in `model.layout`.
    `a`: number of the constrained motion, see STOPS in `model.layout`.
    """
    b = a % 3
    if (a < 3 and stops & 7 == 7) or (3 <= a < DISTANCE and stops & 56 == 56):
        return 1.0 if b == 0 else 0.0, 1.0 if b == 1 else 0.0, 1.0 if b == 2 else 0.0
    return along if a == DISTANCE else column_of(XA, b)


@primitive
def stopped_turns(stops):
    """Return the number of constrained rotations of a closure, and an axis that is free.

    `stops`: bits of the constrained motions, as STOPS in `model.layout`.
    """
    count, free = 0, 2
    for a in range(3):
        if stops & (8 << a):
            count += 1
        else:
            free = a
    return count, free


@primitive
def turn_error(XA, XB, a, turns, free):
    """Return the orientation error of frame B about axis a of A, or of the base.

    If all rotations are constrained, it is half the sum of e_A x e_B over the three axes e, in
    axes of the base. For a free axis e it is e x R_AB e, in axes of A.

    `XA`, `XB` (4, 4): poses of frames A and B in the base.
    `a`: axis, 0 to 2.
    `turns`: number of constrained rotations.
    `free`: free axis, 0 to 2.
    """
    if turns == 3:
        i, j = (a + 1) % 3, (a + 2) % 3
        return 0.5 * (dot(row_of(XA, i), row_of(XB, j)) - dot(row_of(XA, j), row_of(XB, i)))
    return dot(column_of(XA, a), cross(column_of(XA, free), column_of(XB, free)))


@primitive
def motion_at(topology, constants, work, i, point):
    """Return the velocity of a point, and the angular velocity, for a unit rate of joint i.

    `point`: point in base axes [m].
    """
    z = world_axis(work, i)
    if topology[i, KIND] == PRISMATIC:
        return z, (0.0, 0.0, 0.0)
    lever = sub(point, load(work[i].world_position))
    return add(cross(z, lever), scale(constants[i, PITCH], z)), z


@primitive
def next_joint(topology, body_A, body_B):
    """Take one step on the paths of two bodies towards the body at which they meet.

    Joints nearer to the base than that body move both frames of a closure, so they do not open it.

    Returns row of the outer body, its sign (-1 for A, 1 for B), and the two bodies after the step.
    """
    if body_A > body_B:
        return body_A, -1.0, topology[body_A, PARENT], body_B
    return body_B, 1.0, body_A, topology[body_B, PARENT]


@primitive
def write_columns(topology, constants, work, k, XA, point, along, L, row):
    """Add the joints on the loop of closure k to its rows.

    An entry is an axis times a velocity of B relative to A. This is that of the origin of B, or
    the angular velocity. Mimic joints add to the columns of the joints that they follow.

    `XA` (4, 4): pose of frame A in the base.
    `point`: origin of frame B in base axes [m].
    """
    d, nv, stops = topology[0, UNKNOWNS], topology[0, FIRST], topology[k, STOPS]
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    while body_A != body_B:
        i, sign, body_A, body_B = next_joint(topology, body_A, body_B)
        coordinate = topology[i, COORDINATE]
        if coordinate >= 0:
            column = d + coordinate if coordinate < nv else coordinate - nv
            linear, angular = motion_at(topology, constants, work, i, point)
            share, place = sign * constants[i, RATIO], row
            for a in range(7):
                if stops & (1 << a):
                    axis = row_axis(XA, stops, a, along)
                    entry = dot(axis, angular if 3 <= a < DISTANCE else linear)
                    L[place, column] = L[place, column] + share * entry
                    place += 1


@primitive
def slip_of(topology, constants, work, k, point, rates):
    """Return the velocity of frame B of closure k as seen from A, in base axes.

    `point`: origin of frame B in base axes [m].
    """
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    slip = (0.0, 0.0, 0.0)
    while body_A != body_B:
        i, sign, body_A, body_B = next_joint(topology, body_A, body_B)
        linear, _ = motion_at(topology, constants, work, i, point)
        slip = add(slip, scale(sign * rates[topology[i, V]], linear))
    return slip


@primitive
def angular_velocity(work, body):
    """Return the angular velocity of a body in base axes."""
    return rotate(work[body].world_rotation, load(work[body].omega))


@primitive
def write_rates(topology, constants, work, k, XA, lever, along, point, rates, L, row):
    """Write dJ/dt qd of closure k, the relative acceleration of its frames at qdd = 0.

    `XA` (4, 4): pose of frame A in the base.
    `lever`: vector from the origin of A to that of B [m].
    `point`: origin of frame B in base axes [m].
    """
    body_A, body_B = topology[k, BODY_A], topology[k, BODY_B]
    stops, last = topology[k, STOPS], L.shape[1] - 1
    a_A, alpha_A = frame_acceleration(work, body_A, constants[k, FRAME_A : FRAME_A + 12])
    a_B, alpha_B = frame_acceleration(work, body_B, constants[k, FRAME_B : FRAME_B + 12])
    w_A, w_B = angular_velocity(work, body_A), angular_velocity(work, body_B)
    slip = slip_of(topology, constants, work, k, point, rates)
    carried, linear = cross(w_A, lever), sub(a_B, a_A)
    angular = sub(sub(alpha_B, alpha_A), cross(w_A, w_B))
    seen = add(cross(alpha_A, lever), cross(w_A, add(scale(2.0, slip), carried)))
    for a in range(7):
        if stops & (1 << a):
            if a == DISTANCE:
                apart = add(slip, carried)
                L[row, last] = dot(along, linear) + dot(apart, apart) / constants[k, LENGTH]
            elif a >= 3:
                L[row, last] = dot(row_axis(XA, stops, a, along), angular)
            else:
                L[row, last] = dot(row_axis(XA, stops, a, along), sub(linear, seen))
            row += 1


@primitive
def write_gaps(topology, constants, k, XA, XB, lever, along, L, row):
    """Write the gaps of closure k on the right side.

    `XA`, `XB` (4, 4): poses of frames A and B in the base.
    `lever`: vector from the origin of A to that of B [m].
    """
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
    """Write zeros to the columns of the group of closure k, in the rows of this closure.

    Returns row after those of the closure.
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
    work: Work,
    everything: Vector,
    rates: Vector,
    moving: Boolean,
    anew: Boolean,
    L: Matrix,
):
    """Write the equations of all closures at the positions of all joints.

    The right side is the gap of each closure or, in motion, dJ/dt times the rates. Columns of
    other groups are not written in the rows of a closure, since they are not read.

    `moving`: whether the right side is that of motion.
    `anew`: whether joints outside of loops need their `joint_transforms`.
    """
    if anew:
        joint_transforms(topology, constants, work, everything)
    else:
        for i in range(1, topology.shape[0]):
            if topology[i, COORDINATE] >= 0:
                turn_joint(topology, constants, work, everything, i)
                place_body(topology, constants, work, everything, i)
    poses_base_to_tip(topology, work)
    if moving:
        zero = loop_vector(topology, work, 3, topology.shape[0] - 1)
        for k in range(zero.shape[0]):
            zero[k] = 0.0
        start_at_base(work, (0.0, 0.0, 0.0))
        motion_base_to_tip(topology, constants, work, rates, zero)
    XA, XB = frame_poses(topology, work)
    row = 0
    for k in range(1, topology[0, CLOSURES] + 1):
        frame_pose(work, topology[k, BODY_A], constants[k, FRAME_A : FRAME_A + 12], XA)
        frame_pose(work, topology[k, BODY_B], constants[k, FRAME_B : FRAME_B + 12], XB)
        point = column_of(XB, 3)
        lever = sub(point, column_of(XA, 3))
        along = (0.0, 0.0, 0.0)
        if topology[k, STOPS] & (1 << DISTANCE):
            along = scale(1.0 / constants[k, LENGTH], lever)
        after = clear_group(topology, k, L, row)
        write_columns(topology, constants, work, k, XA, point, along, L, row)
        if moving:
            write_rates(topology, constants, work, k, XA, lever, along, point, rates, L, row)
        else:
            write_gaps(topology, constants, k, XA, XB, lever, along, L, row)
        row = after


@primitive
def solve_group(topology, work, k, row, L):
    """Minimise the equations of the group that begins with closure k, over its unknowns.

    The solution replaces the rows of L that belong to its unknowns. O(rows unknowns (unknowns +
    leaders)).

    `row`: first row of the group in L.
    Returns largest gap that is left; -1 if the unknowns are not determined.
    """
    A, d, last = group_equations(topology, work, k), topology[0, UNKNOWNS], L.shape[1] - 1
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
    for i in range(unknowns):  # these rows of L belong to groups that are solved
        for column in range(leaders):
            L[first + i, leader + column] = A[i, unknowns + column]
        L[first + i, last] = A[i, unknowns + leaders]
    gap = 0.0
    for i in range(unknowns, A.shape[0]):
        gap = max(gap, abs(A[i, unknowns + leaders]))
    return gap


@primitive
def solve_groups(topology, work, L):
    """Solve the equations of all groups of closures: L[:, d:] then has a row for each unknown.

    Columns of other groups are not written.

    Returns largest gap that is left; -1 if some unknowns are not determined.
    """
    k, row, largest = 1, 0, 0.0
    while k <= topology[0, CLOSURES]:
        gap = solve_group(topology, work, k, row, L)
        if gap < 0.0:
            return -1.0
        largest = max(largest, gap)
        row += topology[k, GROUP_ROWS]
        k = topology[k, LAST_CLOSURE] + 1
    return largest


@separate
def closing_acceleration(
    topology: Topology,
    constants: Table,
    work: Work,
    everything: Vector,
    rates: Vector,
    share: Scalar,
    accelerations: Vector,
):
    """Add a share of dE/dt qd to the accelerations of the dependent joints. Needs `close`.

    `accelerations` (n,): accelerations of all joints [rad/s^2 or m/s^2].
    """
    d, nv, L = topology[0, UNKNOWNS], topology[0, FIRST], equations(topology, work)
    write_equations(topology, constants, work, everything, rates, True, False, L)
    solve_groups(topology, work, L)
    for i in range(1, topology.shape[0]):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            accelerations[i - 1] -= share * constants[i, RATIO] * L[unknown, d + nv]
