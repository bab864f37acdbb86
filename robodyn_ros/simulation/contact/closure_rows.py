# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures of loops over all joints of a tree, in a step: the augmented route.

Multipliers correct the motion of the free tree (Jain 2011, Algorithm 11.1, section 11.2). Over a
step they are impulses p along the rows J of the closures. With A = (M + h D)^-1 the velocities are

    v = v_f + A J^T p,   J v = w,   and further impulses act through A - A J^T (J A J^T)^-1 J A.

Rows are eliminated from A one by one, each by the formula of Sherman and Morrison. A row that
depends on earlier ones has no compliance left, and is left out. So closures may be redundant.

It is the method RATTLE (Andersen 1983). The velocities w lead to closed loops at the end of the
step, where closure_projection.py removes the rest.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.constraints.loops import column_of, row_axis, write_gaps
from robodyn_ros.algorithms.contact.cone import IMMOVABLE
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.gauss_seidel import add_impulse
from robodyn_ros.algorithms.core.jacobian import jacobian
from robodyn_ros.algorithms.core.kinematics import frame_poses
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.model.dependent.closures import write_closure
from robodyn_ros.model.extended.rows import read_only
from robodyn_ros.model.layout import (
    BODY_A,
    BODY_B,
    CLOSED_CONSTANT_COLUMNS,
    CLOSED_TOPOLOGY_COLUMNS,
    DISTANCE,
    FRAME_A,
    FRAME_B,
    LENGTH,
    STOPS,
)
from robodyn_ros.simulation.contact.responses import write_responses
from robodyn_ros.simulation.joint_table import INVERSE
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.types import Indices, Matrix, Stack, Table, Topology, Vector, record
from robodyn_ros.spatial.vec3 import cross, scale, sub

OPEN = 1e-6  # gap of a step that failed [m or rad]
DEPENDENT = 1e-9  # [-] share of the compliance of a row below which it follows from earlier rows


class ClosureArrays(NamedTuple):
    """Tables of c closures with m rows, and their memory in a step.

    `closures`: stopped motions of each closure; see STOPS in `model.layout`.
    `lengths`: distances that are kept; see LENGTH in `model.layout`.
    `bodies`: bodies of frames A and B of each closure in turn.
    `frames`: placements of these frames: rotation by rows, then position.
    `active`: 1.0 for a closure that acts, else 0.0.
    `poses`: poses of the frames.
    `jacobians`: jacobians of the frames of one closure.
    `motions`: velocities of the frames A and B of one closure, and their accelerations without
      joint accelerations.
    `rows`, `responses`: J, and velocities after unit impulses along each row with the earlier ones
      eliminated.
    `gaps`: gaps of the closures [m or rad].
    `compliances`, `targets`: compliance of each row, 0 for one that is left out; velocities w.
    `positions`: positions without multipliers [rad or m].
    """

    closures: Topology
    lengths: Table
    bodies: Indices
    frames: Table
    active: Vector
    poses: Stack
    jacobians: Stack
    motions: Matrix
    rows: Matrix
    responses: Matrix
    gaps: Matrix
    compliances: Vector
    targets: Vector
    positions: Vector


Closing = record(ClosureArrays)


def closure_arrays(model, closures):
    """Return the arrays for closures of a robot; none acts.

    `model` (RobotModel): the robot, whose loops of these closures are open.
    Raises ModelError, UnknownNameError: as of `write_closure`.
    """
    c, n = len(closures), model.nv
    table = np.zeros((c, CLOSED_TOPOLOGY_COLUMNS), dtype=np.int64)
    values = np.zeros((c, CLOSED_CONSTANT_COLUMNS))
    for row, closure in enumerate(closures):
        write_closure(model, closure, table[row], values[row])
    m = sum(int(stops).bit_count() for stops in table[:, STOPS])
    frames = [values[:, start : start + 12] for start in (FRAME_A, FRAME_B)]
    return ClosureArrays(
        read_only(table),
        read_only(values),
        read_only(table[:, [BODY_A, BODY_B]].ravel()),
        read_only(np.stack(frames, axis=1).reshape(2 * c, 12)),
        np.zeros(c),
        np.zeros((2 * c, 4, 4)),
        np.zeros((2, 6, n)),
        np.zeros((4, 6)),
        np.zeros((m, n)),
        np.zeros((m, n)),
        np.zeros((m, 1)),
        np.zeros(m),
        np.zeros(m),
        np.zeros(model.nq),
    )


@unfused
def is_closed(closing):
    """Return whether any closure acts."""
    for k in range(closing.active.shape[0]):
        if closing.active[k] > 0.0:
            return True
    return False


@unfused
def find_gaps(topology, constants, work, closing, q):
    """Write the gaps of all active closures; those of others are zero.

    Returns the largest [m or rad].
    """
    frame_poses(topology, constants, work, q, closing.bodies, closing.frames, closing.poses)
    row, largest = 0, 0.0
    for k in range(closing.active.shape[0]):
        XA, XB = closing.poses[2 * k], closing.poses[2 * k + 1]
        lever, stops, first = (
            sub(column_of(XB, 3), column_of(XA, 3)),
            closing.closures[k, STOPS],
            row,
        )
        along = (
            scale(1.0 / closing.lengths[k, LENGTH], lever) if stops & (1 << DISTANCE) else lever
        )
        write_gaps(closing.closures, closing.lengths, k, XA, XB, lever, along, closing.gaps, row)
        for a in range(DISTANCE + 1):
            row += 1 if stops & (1 << a) else 0
        for i in range(first, row):
            if closing.active[k] == 0.0:
                closing.gaps[i, 0] = 0.0
            largest = max(largest, abs(closing.gaps[i, 0]))
    return largest


@unfused
def write_closures(topology, constants, work, closing, q):
    """Write the rows J of all active closures, and the gaps; rows of others are zero.

    An entry is an axis times a velocity of B relative to A: of its origin, or angular.
    """
    find_gaps(topology, constants, work, closing, q)
    row, JA, JB = 0, closing.jacobians[0], closing.jacobians[1]
    for k in range(closing.active.shape[0]):
        A, B, stops = 2 * k, 2 * k + 1, closing.closures[k, STOPS]
        if closing.active[k] > 0.0:
            jacobian(topology, constants, work, q, closing.bodies[A], closing.frames[A], JA)
            jacobian(topology, constants, work, q, closing.bodies[B], closing.frames[B], JB)
        XA, lever = (
            closing.poses[A],
            sub(column_of(closing.poses[B], 3), column_of(closing.poses[A], 3)),
        )
        along = (
            scale(1.0 / closing.lengths[k, LENGTH], lever) if stops & (1 << DISTANCE) else lever
        )
        for a in range(DISTANCE + 1):
            if stops & (1 << a):
                axis, turns = row_axis(XA, stops, a, along), 3 <= a < DISTANCE
                start, swing = 3 if turns else 0, cross(axis, lever)
                for j in range(closing.rows.shape[1]):
                    entry = 0.0
                    for i in range(3):
                        entry = entry + axis[i] * (JB[start + i, j] - JA[start + i, j])
                        if not turns:
                            entry = entry + swing[i] * JA[3 + i, j]
                    closing.rows[row, j] = entry * closing.active[k]
                row += 1


@unfused
def is_open(closing):
    """Return whether a step has left any gap."""
    for i in range(closing.rows.shape[0]):
        if not abs(closing.gaps[i, 0]) <= OPEN:
            return True
    return False


@unfused
def lead_closures(topology, constants, work, closing, h, q, qd):
    """Write the rows, and velocities w with which the loops close at the end of a substep.

    w = J qd - (gap(q + h qd) - gap(q)) / h, which is -h/2 dJ/dt qd, to first order.
    """
    if not is_closed(closing):
        return
    write_closures(topology, constants, work, closing, q)
    for i in range(closing.rows.shape[0]):
        closing.targets[i] = along_row(closing.rows, i, qd) + closing.gaps[i, 0] / h
    integrate(topology, q, qd, h, closing.positions)
    find_gaps(topology, constants, work, closing, closing.positions)
    for i in range(closing.rows.shape[0]):
        closing.targets[i] = closing.targets[i] - closing.gaps[i, 0] / h


@unfused
def keep_closed(joint_work, closing):
    """Eliminate the rows of the closures from A = joint_work[INVERSE]: O(m n^2) for m rows."""
    n = closing.rows.shape[1]
    for i in range(closing.rows.shape[0]):
        closing.compliances[i] = write_responses(joint_work, closing.rows, closing.responses, i)
    for i in range(closing.rows.shape[0]):
        whole = closing.compliances[i]
        left = write_responses(joint_work, closing.rows, closing.responses, i)
        if left <= max(IMMOVABLE, DEPENDENT * whole):
            closing.compliances[i] = 0.0
            continue
        closing.compliances[i] = left
        for k in range(n):
            share = closing.responses[i, k] / left
            for j in range(n):
                change = share * closing.responses[i, j]
                joint_work[INVERSE + k, j] = joint_work[INVERSE + k, j] - change


@unfused
def lead_velocities(closing, share, v):
    """Add the velocities of impulses of the closures, so that J v = share w; O(m n).

    Later responses leave earlier rows alone, so one pass solves all equations.

    `share`: factor of the velocities w.
    """
    for i in range(closing.rows.shape[0]):
        if closing.compliances[i] > 0.0:
            missing = share * closing.targets[i] - along_row(closing.rows, i, v)
            add_impulse(closing.responses, i, missing / closing.compliances[i], v)
