# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which shapes are near which obstacles, and their contacts."""

from numpy import sqrt

from robodyn_ros.algorithms.contact.box_on_box import box_on_box
from robodyn_ros.algorithms.contact.contact_tables import IS_BOX, PLACE, RADIUS, REACH, SIZE, TURN
from robodyn_ros.algorithms.contact.plane import centre_of, on_plane
from robodyn_ros.algorithms.contact.segment_on_box import excess, segment_on_box
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.rotation import rotate_inverse
from robodyn_ros.spatial.types import Matrix, Scalar, Stack, Table
from robodyn_ros.spatial.vec3 import dot, load, sub


@unfused
def is_near(shapes, shape, obstacles, obstacle, pose, distance):
    """Return whether the ball around a shape is nearer to an obstacle than a distance.

    `distance`: distance [m].
    """
    place = sub(centre_of(pose), load(obstacles[obstacle], PLACE))
    place = rotate_inverse(obstacles[obstacle], place, TURN)
    reach = shapes[shape, REACH] + distance
    if obstacles[obstacle, IS_BOX] == 0.0:
        return place[2] < reach
    out = excess(place, load(obstacles[obstacle], SIZE))
    return sqrt(dot(out, out)) < reach


@unfused
def add_contacts(shapes, shape, obstacles, obstacle, pose, margin, contacts, count):
    """Add the contacts of a shape with an obstacle.

    `pose` (4, 4): pose of the shape in the base.
    `margin`: largest gap [m].
    """
    if obstacles[obstacle, IS_BOX] == 0.0:
        return on_plane(shapes, shape, obstacles, obstacle, pose, margin, contacts, count)
    if shapes[shape, RADIUS] > 0.0:
        return segment_on_box(shapes, shape, obstacles, obstacle, pose, margin, contacts, count)
    return box_on_box(shapes, shape, obstacles, obstacle, pose, margin, contacts, count)


@unfused
def contact_points(
    shapes: Table, obstacles: Table, poses: Stack, margin: Scalar, contacts: Matrix
):
    """Find points, normals and gaps of all shapes and obstacles, in O(shapes obstacles).

    `shapes` (s, SHAPE_COLUMNS): see contact_tables.py.
    `obstacles` (o, OBSTACLE_COLUMNS): see contact_tables.py.
    `poses` (s, 4, 4): poses of the shapes in the base [-, m].
    `margin`: gap below which a pair of points is a contact [m].
    `contacts` (c, CONTACT_COLUMNS), written: contacts, see contact_tables.py.
    Returns number of contacts, at most the capacity of the table.
    """
    count = 0
    for shape in range(shapes.shape[0]):
        for obstacle in range(obstacles.shape[0]):
            if is_near(shapes, shape, obstacles, obstacle, poses[shape], margin):
                count = add_contacts(
                    shapes, shape, obstacles, obstacle, poses[shape], margin, contacts, count
                )
    return count
