# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projected Gauss-Seidel over the blocks of joints and contacts."""

from robodyn_ros.algorithms.contact.cone import constrained, of_contact
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.contact_tables import (
    AT_HIGH,
    AT_LOW,
    BOUND,
    CASE,
    COMPLIANCE,
    EDGE,
    FREE,
    HIGH,
    JOINT,
    KIND,
    LOW,
    ROW,
    SLIDES,
    SLIDES_BACK,
    STICKS,
)
from robodyn_ros.spatial.primitive import unfused


@unfused
def write_compliance(blocks, b, rows, responses):
    """Write the compliance F A F^T of the directions of a block."""
    first, size = int(blocks[b, ROW]), 1 if blocks[b, KIND] == JOINT else 3
    for i in range(size):
        for j in range(i + 1):
            entry = 0.0
            for k in range(rows.shape[1]):
                entry = entry + rows[first + i, k] * responses[first + j, k]
            blocks[b, COMPLIANCE + size * i + j] = entry
            blocks[b, COMPLIANCE + size * j + i] = entry


@unfused
def add_impulse(responses, row, impulse, v):
    """Add the effect A f p of an impulse p along a direction f to the velocities.

    `row`: row of the direction.
    `impulse`: impulse [N s or N m s].
    """
    for k in range(v.shape[0]):
        v[k] = v[k] + responses[row, k] * impulse


@unfused
def joint_case(blocks, b, free):
    """Return the velocity of a joint with its impulse, and its case.

    `free`: velocity without the impulse [rad/s or m/s].
    """
    low, high = blocks[b, LOW], blocks[b, HIGH]
    reach = blocks[b, COMPLIANCE] * blocks[b, BOUND]
    after, case = constrained(free, reach, low, high), FREE
    if free - reach > high:
        case = AT_HIGH
    elif free + reach < low:
        case = AT_LOW
    elif reach > 0.0:
        case = SLIDES if free > reach else (SLIDES_BACK if free < -reach else STICKS)
    return after, case


@unfused
def own_velocity(blocks, b, rows, impulses, v):
    """Return the velocity of a contact along its directions without its own impulse."""
    r, c = int(blocks[b, ROW]), COMPLIANCE
    p, q, s = impulses[r], impulses[r + 1], impulses[r + 2]
    return (
        along_row(rows, r, v) - blocks[b, c] * p - blocks[b, c + 1] * q - blocks[b, c + 2] * s,
        along_row(rows, r + 1, v)
        - blocks[b, c + 3] * p
        - blocks[b, c + 4] * q
        - blocks[b, c + 5] * s,
        along_row(rows, r + 2, v)
        - blocks[b, c + 6] * p
        - blocks[b, c + 7] * q
        - blocks[b, c + 8] * s,
    )


@unfused
def sweep(blocks, count, rows, responses, impulses, v, moves):
    """Find case and impulse of each block in turn, with all others given; O(n) for each block.

    `moves`: whether the impulses are applied, or only the cases written.
    Returns the largest change of a velocity [m/s or rad/s].
    """
    largest = 0.0
    for b in range(count):
        r = int(blocks[b, ROW])
        if blocks[b, KIND] == JOINT:
            compliance = blocks[b, COMPLIANCE]
            free = along_row(rows, r, v) - compliance * impulses[r]
            after, blocks[b, CASE] = joint_case(blocks, b, free)
            if moves and compliance > 0.0:
                change = (after - free) / compliance - impulses[r]
                if change != 0.0:
                    impulses[r] = impulses[r] + change
                    add_impulse(responses, r, change, v)
                    largest = max(largest, abs(compliance * change))
            continue
        u = own_velocity(blocks, b, rows, impulses, v)
        p, blocks[b, CASE], edge = of_contact(
            blocks, b, u[0], u[1], u[2], blocks[b, LOW], blocks[b, BOUND]
        )
        blocks[b, EDGE] = edge
        if moves:
            for k in range(3):
                change = p[k] - impulses[r + k]
                if change != 0.0:
                    impulses[r + k] = p[k]
                    add_impulse(responses, r + k, change, v)
                    largest = max(largest, abs(blocks[b, COMPLIANCE + 4 * k] * change))
    return largest
