# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a sphere or a capsule on a box, in axes of the box."""

from numpy import sqrt

from robodyn_ros.algorithms.contact.contact_tables import HALF, PLACE, RADIUS, SIZE, TURN
from robodyn_ros.algorithms.contact.plane import add_contact, of_shape
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.rotation import rotate, rotate_inverse
from robodyn_ros.spatial.vec3 import add, dot, load, scale, sub

SAME = 1e-9  # [m] between points that count as one


@unfused
def beyond(x, half):
    """Return how far a coordinate lies outside [-half, half], with its sign.

    `x`: coordinate [m].
    `half`: half of the interval [m].
    """
    return max(x - half, 0.0) + min(x + half, 0.0)


@unfused
def excess(p, half):
    """Return the vector from the nearest point of a box to p; zero inside.

    `p`: point, 3-vector [m].
    """
    return beyond(p[0], half[0]), beyond(p[1], half[1]), beyond(p[2], half[2])


@unfused
def nearest(start, along, half):
    """Return the place on a segment that is nearest to the box.

    It is t in [0, 1] of start + t along. The squared distance is convex; its slope is linear
    between the planes of the faces.

    `start`: start of the segment, 3-vector [m].
    `along`: vector from its start to its end [m].
    """
    low, high = 0.0, 1.0
    at_low = dot(along, excess(start, half))
    at_high = dot(along, excess(add(start, along), half))
    if at_low >= 0.0:
        return 0.0
    if at_high <= 0.0:
        return 1.0
    for axis in range(3):
        for side in (-1.0, 1.0):
            if along[axis] != 0.0:
                t = (side * half[axis] - start[axis]) / along[axis]
                if low < t < high:
                    slope = dot(along, excess(add(start, scale(t, along)), half))
                    if slope < 0.0:
                        low, at_low = t, slope
                    else:
                        high, at_high = t, slope
    return low - at_low * (high - low) / (at_high - at_low)


@unfused
def clipped(start, along, half, axis, low, high):
    """Return the part of an interval of a segment in which one coordinate is within the box.

    `start`: start of the segment, 3-vector [m].
    `along`: vector from its start to its end [m].
    `axis`: coordinate, 0 to 2.
    `low`, `high`: ends of the interval.
    """
    if along[axis] == 0.0:
        return low, high
    one, other = (
        (-half[axis] - start[axis]) / along[axis],
        (half[axis] - start[axis]) / along[axis],
    )
    return max(low, min(one, other)), min(high, max(one, other))


@unfused
def add_local(contacts, count, shape, obstacles, obstacle, margin, point, normal, gap):
    """Add a contact given in axes of the obstacle, unless its gap exceeds the margin.

    `margin`: gap below which a point is a contact [m].
    `point`: point of the shape [m].
    `normal`: unit normal from the obstacle to the shape.
    `gap`: distance along the normal [m], negative inside.
    """
    if gap >= margin:
        return count
    point = add(rotate(obstacles[obstacle], point, TURN), load(obstacles[obstacle], PLACE))
    normal = rotate(obstacles[obstacle], normal, TURN)
    return add_contact(contacts, count, shape, obstacle, point, normal, gap)


@unfused
def face_of(p, half):
    """Return the face of the box that a point is over, or the nearest one for a point inside.

    `p`: point, 3-vector [m].
    """
    axis = 0
    for k in range(1, 3):
        if abs(p[k]) - half[k] > abs(p[axis]) - half[axis]:
            axis = k
    return axis, 1.0 if p[axis] >= 0.0 else -1.0


@unfused
def unit(axis, side):
    """Return the unit vector along a coordinate axis.

    `axis`: axis, 0 to 2.
    `side`: 1 or -1.
    """
    return (side if axis == 0 else 0.0, side if axis == 1 else 0.0, side if axis == 2 else 0.0)


@unfused
def segment_on_box(shapes, shape, obstacles, obstacle, pose, margin, contacts, count):
    """Add the contacts of a sphere or capsule with a box.

    Over a face they are the ends of the part of the segment that lies over that face. At an edge
    or corner it is the nearest point (Ericson 2005, section 5.1).

    `margin`: gap below which a point is a contact [m].
    """
    origin, reach = load(obstacles[obstacle], PLACE), shapes[shape, HALF + 2]
    half, radius = load(obstacles[obstacle], SIZE), shapes[shape, RADIUS]
    start = rotate_inverse(
        obstacles[obstacle], sub(of_shape(pose, 0.0, 0.0, -reach), origin), TURN
    )
    end = rotate_inverse(obstacles[obstacle], sub(of_shape(pose, 0.0, 0.0, reach), origin), TURN)
    along = sub(end, start)
    t = nearest(start, along, half)
    p = add(start, scale(t, along))
    out = excess(p, half)
    sides = 0
    for axis in range(3):
        sides += 1 if abs(out[axis]) > SAME else 0
    if sides > 1:
        length = sqrt(dot(out, out))
        normal = scale(1.0 / length, out)
        point = sub(p, scale(radius, normal))
        return add_local(
            contacts, count, shape, obstacles, obstacle, margin, point, normal, length - radius
        )
    low, high = 0.0, 1.0
    if sides == 0:  # the segment is inside
        for axis in range(3):
            low, high = clipped(start, along, half, axis, low, high)
        p = add(start, scale(0.5 * (low + high), along))
        low, high = 0.0, 1.0
    face, side = face_of(p, half)
    for axis in range(3):
        if axis != face:
            low, high = clipped(start, along, half, axis, low, high)
    normal = unit(face, side)
    length = sqrt(dot(along, along))
    for t in (low, high):
        if t == low or (high - low) * length > SAME:
            p = add(start, scale(t, along))
            gap = side * p[face] - half[face] - radius
            point = sub(p, scale(radius, normal))
            count = add_local(
                contacts, count, shape, obstacles, obstacle, margin, point, normal, gap
            )
    return count
