# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Find the contacts that a substep may close, with their rows of the Jacobian."""

from numpy import sqrt

from robodyn_ros.algorithms.contact.contact_rows import along_row, write_rows
from robodyn_ros.algorithms.contact.contact_tables import (
    ELASTIC,
    GAP,
    OBSTACLE,
    REACH,
    RESTITUTION,
    SHAPE,
)
from robodyn_ros.algorithms.contact.pairs import add_contacts, is_near
from robodyn_ros.algorithms.core.jacobian import jacobian
from robodyn_ros.algorithms.core.kinematics import frame_poses
from robodyn_ros.spatial.primitive import unfused

NEAR = 0.02  # [m] distance within which a shape at rest is examined
TOP_SPEED = 50.0  # [m/s] highest speed of a shape that is examined in time
MARGIN = 1e-3  # [m] distance below which a pair of points at rest is a contact
AHEAD = 2.0  # [-] number of substeps whose motion is added to MARGIN
REST_SPEED = 0.01  # [m/s] a slower impact does not bounce
SOON = 0.01  # [-] share of a substep within which impacts count as simultaneous


@unfused
def speed_of(J, qd, reach):
    """Return a bound on the speed of all points of a shape.

    `J` (6, nv): Jacobian of the shape's frame.
    `reach`: largest distance of a point from the origin of the frame [m].
    """
    sums = (0.0, 0.0)
    for part in range(2):
        square = 0.0
        for i in range(3):
            v = along_row(J, 3 * part + i, qd)
            square = square + v * v
        sums = (sqrt(square), sums[1]) if part == 0 else (sums[0], sqrt(square))
    return sums[0] + sums[1] * reach


@unfused
def approach(topology, constants, work, contact, h, q, qd):
    """Find the contacts that a substep may close, and write them with their rows."""
    frame_poses(topology, constants, work, q, contact.bodies, contact.frames, contact.poses)
    count, first = 0, qd.shape[0]
    for shape in range(contact.shapes.shape[0]):
        margin = -1.0
        for obstacle in range(contact.obstacles.shape[0]):
            if not is_near(
                contact.shapes,
                shape,
                contact.obstacles,
                obstacle,
                contact.poses[shape],
                NEAR + TOP_SPEED * h,
            ):
                continue
            if margin < 0.0:
                jacobian(
                    topology,
                    constants,
                    work,
                    q,
                    contact.bodies[shape],
                    contact.frames[shape],
                    contact.jacobian,
                )
                speed = speed_of(contact.jacobian, qd, contact.shapes[shape, REACH])
                margin = MARGIN + AHEAD * h * speed
            count = add_contacts(
                contact.shapes,
                shape,
                contact.obstacles,
                obstacle,
                contact.poses[shape],
                margin,
                contact.contacts,
                count,
            )
        for k in range(count):
            if contact.contacts[k, SHAPE] == shape:
                write_rows(
                    contact.contacts,
                    k,
                    contact.poses[shape],
                    contact.jacobian,
                    contact.rows,
                    first + 3 * k,
                )
    contact.contact_count[0] = count
    return count


@unfused
def bounces(contact, k, velocity):
    """Return whether an impact of a contact is elastic.

    `k`: the contact.
    `velocity`: velocity along its normal [m/s].
    """
    obstacle = int(contact.contacts[k, OBSTACLE])
    return velocity < -REST_SPEED and contact.obstacles[obstacle, RESTITUTION] > 0.0


@unfused
def until_impact(contact, count, h, qd, looked_for):
    """Return the time until the first elastic impact.

    The contacts that meet at that time, or SOON after it, are marked ELASTIC.

    `looked_for`: whether to look for impacts.
    """
    soonest, first = h, qd.shape[0]
    for k in range(count):
        velocity = along_row(contact.rows, first + 3 * k, qd)
        if looked_for and bounces(contact, k, velocity):
            soonest = min(soonest, max(contact.contacts[k, GAP], 0.0) / -velocity)
    for k in range(count):
        velocity = along_row(contact.rows, first + 3 * k, qd)
        contact.contacts[k, ELASTIC] = 0.0
        if soonest < h and bounces(contact, k, velocity):
            wait = max(contact.contacts[k, GAP], 0.0) / -velocity
            contact.contacts[k, ELASTIC] = 1.0 if wait <= soonest + SOON * h else 0.0
    return soonest
