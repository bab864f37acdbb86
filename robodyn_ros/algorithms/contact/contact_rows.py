# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Directions of a contact, and their rows of the Jacobian."""

from numpy import sqrt

from robodyn_ros.algorithms.contact.contact_tables import NORMAL, POINT, TANGENT_1, TANGENT_2
from robodyn_ros.algorithms.contact.plane import centre_of
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, store, sub

STILL = 1e-9  # [m/s] below which a contact slides in no direction


@unfused
def write_row(rows, row, J, lever, direction):
    """Write d^T (J_v + J_w x r), the row of the velocity of a contact point along a direction d.

    `rows` (r, n): rows of the contact Jacobian.
    `row`: row that is written.
    `J` (6, n): Jacobian of the origin of the shape, in base axes, linear rows first.
    `lever`: contact point r from the origin of the shape, in base axes [m].
    `direction`: unit 3-vector d.
    """
    turning = cross(lever, direction)
    for k in range(rows.shape[1]):
        rows[row, k] = (
            direction[0] * J[0, k]
            + direction[1] * J[1, k]
            + direction[2] * J[2, k]
            + turning[0] * J[3, k]
            + turning[1] * J[4, k]
            + turning[2] * J[5, k]
        )


@unfused
def write_rows(contacts, contact, pose, J, rows, first):
    """Write the rows of normal and tangents of a contact (Jain 2011, eq. 11.44: the gradient).

    The tangents of the contact are written, too.

    `contacts` (c, CONTACT_COLUMNS): contacts, see contact_tables.py.
    `contact`: row of the contact.
    `J` (6, n): Jacobian of the origin of the shape, base axes, linear first.
    `rows` (r, n): rows `first` to `first + 2` are written, and the tangents of the contact.
    `first`: row of the normal; those of the tangents follow.
    """
    normal = load(contacts[contact], NORMAL)
    other = (1.0, 0.0, 0.0) if abs(normal[0]) < 0.6 else (0.0, 1.0, 0.0)
    along = cross(normal, other)
    along = scale(1.0 / sqrt(dot(along, along)), along)
    store(contacts[contact], along, TANGENT_1)
    store(contacts[contact], cross(normal, along), TANGENT_2)
    lever = sub(load(contacts[contact], POINT), centre_of(pose))
    write_row(rows, first, J, lever, normal)
    write_row(rows, first + 1, J, lever, along)
    write_row(rows, first + 2, J, lever, load(contacts[contact], TANGENT_2))


@unfused
def along_row(rows, row, v):
    """Return the velocity along a direction.

    `rows` (r, n): rows of the contact Jacobian.
    `row`: row of the direction.
    """
    total = 0.0
    for k in range(v.shape[0]):
        total = total + rows[row, k] * v[k]
    return total


@unfused
def align(contacts, contact, rows, first, v):
    """Rotate the tangents so that the first is the direction of sliding at velocity v.

    Then the pyramid of friction is exact for a contact that slides, or is about to slide, that
    way.

    `contacts` (c, CONTACT_COLUMNS): contacts, see contact_tables.py.
    `contact`: row of the contact.
    `rows` (r, n): rows of the contact Jacobian.
    `first`: row of the normal; those of the tangents follow.
    """
    a, b = along_row(rows, first + 1, v), along_row(rows, first + 2, v)
    speed = sqrt(a * a + b * b)
    if speed <= STILL:
        return
    c, s = a / speed, b / speed
    one, other = load(contacts[contact], TANGENT_1), load(contacts[contact], TANGENT_2)
    store(contacts[contact], add(scale(c, one), scale(s, other)), TANGENT_1)
    store(contacts[contact], add(scale(-s, one), scale(c, other)), TANGENT_2)
    for k in range(rows.shape[1]):
        x, y = rows[first + 1, k], rows[first + 2, k]
        rows[first + 1, k] = c * x + s * y
        rows[first + 2, k] = c * y - s * x
