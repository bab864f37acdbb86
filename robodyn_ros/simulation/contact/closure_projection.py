# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Project a state to closed loops, after each substep and when closures begin to act."""

from math import inf

from robodyn_ros.algorithms.contact.contact_tables import (
    AT_HIGH,
    AT_LOW,
    CASE,
    JOINT,
    KIND,
    ROW,
    STICKS,
)
from robodyn_ros.algorithms.core.manifold import integrate
from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse import mass_matrix_inverse_in_place
from robodyn_ros.compile.kernel import separate_kernel
from robodyn_ros.simulation.contact.arrays import Contact
from robodyn_ros.simulation.contact.closure_rows import (
    find_gaps,
    keep_closed,
    lead_velocities,
    write_closures,
)
from robodyn_ros.simulation.joint_table import BRAKE, BRAKED, DIAGONAL, INVERSE
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import Integer, Matrix, Table, Topology, Vector, Work

CORRECTIONS = 8  # of positions; each leaves a share of the order of the gap
EXACT = 1e-14  # [m or rad] gap that is not corrected
ROUNDS = 3  # of the projection of velocities; each leaves a share of the order of the step


@unfused
def hold_resting_joints(joints, joint_work, contact, count):
    """Write to joint_work[DIAGONAL] what keeps joints that are braked, stick, or are at a stop."""
    n = joints.shape[0]
    for k in range(n):
        joint_work[DIAGONAL, k] = BRAKE * joints[k, BRAKED]
    for b in range(count):
        case, row = contact.blocks[b, CASE], int(contact.blocks[b, ROW])
        if contact.blocks[b, KIND] == JOINT and row < n:
            if case == STICKS or case == AT_LOW or case == AT_HIGH:
                joint_work[DIAGONAL, row] = BRAKE


@separate
def project(
    topology: Topology,
    constants: Table,
    joints: Matrix,
    work: Work,
    joint_work: Matrix,
    contact: Contact,
    count: Integer,
    q: Vector,
    qd: Vector,
) -> Integer:
    """Move positions to the nearest closed loops, and velocities to J v = 0.

    Nearest is in the metric of M. Joints that rest do not move.

    `contact`: tables and memory, updated; the gaps that are left are in contact.closing.gaps.
    `count`: number of blocks of joints that may rest.
    """
    closing, n = contact.closing, qd.shape[0]
    hold_resting_joints(joints, joint_work, contact, count)
    status = mass_matrix_inverse_in_place(
        topology, constants, work, q, joint_work[DIAGONAL], joint_work[INVERSE:]
    )
    if status != 0:
        return status
    for k in range(n):
        if joint_work[DIAGONAL, k] >= BRAKE:
            for j in range(n):
                joint_work[INVERSE + k, j] = joint_work[INVERSE + j, k] = 0.0
    write_closures(topology, constants, work, closing, q)
    keep_closed(joint_work, closing)
    delta, before = joint_work[DIAGONAL][:n], inf
    for _ in range(CORRECTIONS):
        largest = 0.0
        for i in range(closing.rows.shape[0]):
            closing.targets[i] = -closing.gaps[i, 0]
            if closing.compliances[i] > 0.0:
                largest = max(largest, abs(closing.gaps[i, 0]))
        if largest <= EXACT or largest > 0.5 * before:
            break
        before = largest
        for k in range(n):
            delta[k] = 0.0
        lead_velocities(closing, 1.0, delta)
        integrate(topology, q, delta, 1.0, q)
        find_gaps(topology, constants, work, closing, q)
    write_closures(topology, constants, work, closing, q)
    for _ in range(ROUNDS):
        lead_velocities(closing, 0.0, qd)
    return 0


projection = separate_kernel(project, fastmath=False)
