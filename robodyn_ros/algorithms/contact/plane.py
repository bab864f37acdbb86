# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a shape on a half-space."""

from robodyn_ros.algorithms.contact.contact_tables import (
    CONTACT_COLUMNS,
    FORCE,
    GAP,
    HALF,
    NORMAL,
    OBSTACLE,
    PLACE,
    POINT,
    RADIUS,
    SHAPE,
    TURN,
)
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.vec3 import dot, load, scale, store, sub


@unfused
def add_contact(contacts, count, shape, obstacle, point, normal, gap):
    """Add a contact to the table.

    If the table is full, the contact replaces the one with the largest gap, or is left out.

    `point`: point of the shape in base axes [m].
    `normal`: unit normal from the obstacle to the shape, in base axes.
    `gap`: distance along the normal [m], negative inside.
    """
    row = count
    if count == contacts.shape[0]:
        row = 0
        for k in range(count):
            if contacts[k, GAP] > contacts[row, GAP]:
                row = k
        if contacts[row, GAP] <= gap:
            return count
    for k in range(FORCE, CONTACT_COLUMNS):
        contacts[row, k] = 0.0
    contacts[row, SHAPE] = shape
    contacts[row, OBSTACLE] = obstacle
    store(contacts[row], point, POINT)
    store(contacts[row], normal, NORMAL)
    contacts[row, GAP] = gap
    return min(count + 1, contacts.shape[0])


@unfused
def centre_of(pose):
    """Return the origin of a pose."""
    return pose[0, 3], pose[1, 3], pose[2, 3]


@unfused
def of_shape(pose, x, y, z):
    """Transform a point from the frame of a shape to the base.

    `x`, `y`, `z`: point in the frame of the shape [m].
    Returns point in base axes [m].
    """
    return (
        pose[0, 3] + pose[0, 0] * x + pose[0, 1] * y + pose[0, 2] * z,
        pose[1, 3] + pose[1, 0] * x + pose[1, 1] * y + pose[1, 2] * z,
        pose[2, 3] + pose[2, 0] * x + pose[2, 1] * y + pose[2, 2] * z,
    )


@unfused
def on_plane(shapes, shape, obstacles, obstacle, pose, margin, contacts, count):
    """Add the contacts of the corners of a shape with a plane.

    A sphere has one corner, a capsule two, a box eight.

    `margin`: gap below which a corner is a contact [m].
    """
    normal = (
        obstacles[obstacle, TURN + 2],
        obstacles[obstacle, TURN + 5],
        obstacles[obstacle, TURN + 8],
    )
    a, b, c = load(shapes[shape], HALF)
    for x in (-1.0, 1.0):
        for y in (-1.0, 1.0):
            for z in (-1.0, 1.0):
                repeats = (
                    (x > 0.0 and a == 0.0) or (y > 0.0 and b == 0.0) or (z > 0.0 and c == 0.0)
                )
                corner = of_shape(pose, x * a, y * b, z * c)
                height = dot(normal, sub(corner, load(obstacles[obstacle], PLACE)))
                gap = height - shapes[shape, RADIUS]
                if not repeats and gap < margin:
                    point = sub(corner, scale(shapes[shape, RADIUS], normal))
                    count = add_contact(contacts, count, shape, obstacle, point, normal, gap)
    return count
