# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Positions of the dependent joints of closed loops, by Newton's method.

It follows the dependent joints from a closed posture, while the independent ones move on a
straight line to q. So the dependent joints are a function of q alone, stay in one assembly mode,
and do not drift. If q has the positions of all joints, it begins there, and needs no path.
"""

from math import nan

from robodyn_ros.algorithms.constraints.loops import (
    column_of,
    equations,
    frame_poses,
    loop_vector,
    solve_groups,
    stopped_turns,
    write_equations,
)
from robodyn_ros.algorithms.core.joint_transform import joint_transforms
from robodyn_ros.algorithms.core.kinematics import frame_pose
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    FIRST,
    FRAME_A,
    FRAME_B,
    RATIO,
    REFERENCE,
    STOPS,
    UNKNOWNS,
    Q,
)
from robodyn_ros.spatial.primitive import primitive, separate
from robodyn_ros.spatial.types import Boolean, Matrix, Table, Topology, Vector, Work
from robodyn_ros.spatial.vec3 import dot

STRIDE = 0.25  # longest step of an independent joint [rad or m]
MOST_STEPS = 30  # of Newton's method at one point
COARSE = 1e-3  # step of Newton's method that ends it before the last point [rad or m]
FINE = 1e-8  # the same at the last point; this step and one more square the error [rad or m]
OPEN = 1e-9  # gap beyond which a loop is open [m or rad]
FAR = 10.0  # largest step of a converging iteration [rad or m]
NEAR = 0.1  # farthest that given positions of dependent joints are from closed ones [rad or m]


@primitive
def newton_step(topology, constants, work, everything, L):
    """Take one step of Newton's method. Needs `joint_transforms` of joints outside of loops.

    `everything` (n,): positions of all joints [rad or m], of which the dependent ones change.
    Returns size of the step, -1 if it diverges; and the largest gap that no step closes.
    """
    d, nv, size = topology[0, UNKNOWNS], topology[0, FIRST], 0.0
    write_equations(topology, constants, work, everything, everything, False, False, L)
    gap = solve_groups(topology, work, L)
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
def advance(topology, constants, work, everything, target, share, before, L):
    """Move the independent joints to a share of their path, and the dependent ones with them.

    `everything` (n,), written: positions of all joints [rad or m].
    `target` (n,): positions at the end of the path [rad or m].
    `share`, `before`: shares of the path, the new one and the previous one.
    """
    d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
    way = loop_vector(topology, work, 1, nv)
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
def converge(topology, constants, work, everything, enough, L):
    """Iterate Newton's method until its step is below a bound.

    `everything` (n,): positions of all joints [rad or m], of which the dependent ones change.
    `enough`: bound of the step [rad or m].
    Returns whether it converges.
    """
    for _ in range(MOST_STEPS):
        size, _ = newton_step(topology, constants, work, everything, L)
        if size < 0.0:
            return False
        if size < enough:
            return True
    return False


@primitive
def alignment(topology, constants, work, k):
    """Return a number that is positive unless closure k is half a turn from being closed.

    The gap of its rotations is zero there as well. Needs the poses of the bodies.

    Returns 1 where the closure is closed, and if less than two rotations are constrained.
    """
    XA, XB = frame_poses(topology, work)
    frame_pose(work, topology[k, BODY_A], constants[k, FRAME_A : FRAME_A + 12], XA)
    frame_pose(work, topology[k, BODY_B], constants[k, FRAME_B : FRAME_B + 12], XB)
    turns, free = stopped_turns(topology[k, STOPS])
    if turns == 3:
        about_x = dot(column_of(XA, 0), column_of(XB, 0))
        return about_x + dot(column_of(XA, 1), column_of(XB, 1)) - 1.0
    if turns == 2:
        return dot(column_of(XA, free), column_of(XB, free))
    return 1.0


@primitive
def close_near(topology, constants, work, everything, given, L):
    """Close the loops by Newton's method from given positions of the dependent joints.

    `everything` (n,): positions of all joints [rad or m], of which the dependent ones change.
    `given` (n,): the same positions, by bodies; they do not change.
    Returns whether it converges to positions near the given ones.
    """
    if not converge(topology, constants, work, everything, FINE, L):
        return False
    for i in range(1, topology.shape[0]):
        if topology[i, COORDINATE] >= topology[0, FIRST]:
            if abs(everything[topology[i, Q]] - given[i - 1]) > NEAR:
                return False
    for k in range(1, topology[0, CLOSURES] + 1):
        if alignment(topology, constants, work, k) < 0.0:
            return False
    return True


@primitive
def close_along_path(topology, constants, work, everything, target, L):
    """Close the loops along a straight path of the independent joints from the closed posture.

    `everything` (n,), written: positions of all joints of loops [rad or m].
    `target` (n,): positions at the end of the path [rad or m], by bodies.
    Returns whether it converges.
    """
    longest = 0.0
    for i in range(1, topology.shape[0]):
        if topology[i, COORDINATE] >= 0:
            if topology[i, COORDINATE] < topology[0, FIRST]:
                longest = max(longest, abs(target[i - 1] - constants[i, REFERENCE]))
            everything[topology[i, Q]] = constants[i, REFERENCE]
    steps = 1 + int(min(longest, 1e6) / STRIDE)
    closed = newton_step(topology, constants, work, everything, L)[0] >= 0.0
    for step in range(steps):
        if closed:
            advance(
                topology,
                constants,
                work,
                everything,
                target,
                1.0 if step == steps - 1 else (step + 1.0) / steps,
                step / steps,
                L,
            )
            enough = FINE if step == steps - 1 else COARSE
            closed = converge(topology, constants, work, everything, enough, L)
    return closed


@separate
def close(
    topology: Topology, constants: Table, work: Work, everything: Vector, near: Boolean, E: Matrix
):
    """Compute the positions of the dependent joints of loops, and their rows of E.

    Both are NaN if the loops cannot be closed.

    `everything` (n,): positions of all joints [rad or m]; those of dependent joints are written.
    `near`: whether the positions of the dependent joints are near closed ones, and begin the
      search.
    `E` (n, width): entries of E; those of dependent joints are written.
    """
    n, d, nv = topology.shape[0] - 1, topology[0, UNKNOWNS], topology[0, FIRST]
    L, given = equations(topology, work), loop_vector(topology, work, 0, n)
    for i in range(1, n + 1):
        given[i - 1] = everything[topology[i, Q]]
    joint_transforms(topology, constants, work, everything)
    if near:
        closed = close_near(topology, constants, work, everything, given, L)
    else:
        closed = close_along_path(topology, constants, work, everything, given, L)
    if closed:
        size, gap = newton_step(topology, constants, work, everything, L)
        closed = size >= 0.0 and gap <= OPEN
    for i in range(1, n + 1):
        unknown = topology[i, COORDINATE] - nv
        if unknown >= 0:
            if not closed:
                everything[topology[i, Q]] = nan
            for k in range(topology[i, COUNT]):
                share = L[unknown, d + topology[i, FIRST] + k]
                E[i - 1, k] = -constants[i, RATIO] * share if closed else nan
