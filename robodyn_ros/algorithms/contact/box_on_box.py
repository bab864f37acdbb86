# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Points of a box on a box, in axes of the obstacle.

The axis of largest separation among the 15 candidates (Gottschalk, Lin and Manocha 1996) is the
normal. Where it is that of a face, the face of the other box is clipped against it.
"""

from numpy import sqrt

from robodyn_ros.algorithms.contact.contact_tables import HALF, PLACE, SIZE, TURN
from robodyn_ros.algorithms.contact.plane import centre_of
from robodyn_ros.algorithms.contact.segment_on_box import add_local, unit
from robodyn_ros.spatial.primitive import unfused
from robodyn_ros.spatial.rotation import rotate_inverse
from robodyn_ros.spatial.vec3 import add, cross, dot, load, scale, sub

PARALLEL = 1e-6  # sine between edges below which they have no common normal
PREFERENCE = 1e-5  # [m] by which a face is preferred to a pair of edges
INSIDE, EDGE = 1.0 - 1e-9, 1.0 + 1e-9  # shares of half an edge, short of its end and past it


@unfused
def axis_of(pose, obstacles, obstacle, j):
    """Return an axis of the shape, in axes of the obstacle.

    `j`: axis of the shape, 0 to 2.
    """
    return rotate_inverse(obstacles[obstacle], (pose[0, j], pose[1, j], pose[2, j]), TURN)


@unfused
def extent(half, x, y, z, direction):
    """Return half the width of a box with axes x, y, z along a direction.

    `x`, `y`, `z`: axes of the box, 3-vectors.
    `direction`: unit 3-vector.
    """
    return (
        half[0] * abs(dot(x, direction))
        + half[1] * abs(dot(y, direction))
        + half[2] * abs(dot(z, direction))
    )


@unfused
def column(axes, i):
    """Return one of three vectors.

    `axes`: three 3-vectors.
    `i`: index, 0 to 2.
    """
    if i == 0:
        return axes[0]
    return axes[1] if i == 1 else axes[2]


@unfused
def sign(x):
    """Return the sign of a number.

    `x`: number.
    """
    return 1.0 if x >= 0.0 else -1.0


@unfused
def on_face(height, on_shape, face, u, v, n, x, y):
    """Return point, normal and gap of the contact of a face with a point over it.

    `height`: height of the point over the face [m].
    `on_shape`: whether the face belongs to the shape.
    `face`: middle of the face, 3-vector [m].
    `u`, `v`: axes of the face, unit 3-vectors.
    `n`: normal of the face, out of its box.
    `x`, `y`: coordinates of the point along u and v [m].
    Returns point of the shape [m], normal from the obstacle to the shape, and gap [m].
    """
    over = add(face, add(scale(x, u), scale(y, v)))
    if on_shape:
        return over, scale(-1.0, n), height
    return add(over, scale(height, n)), n, height


@unfused
def faces(
    contacts,
    count,
    shape,
    obstacles,
    obstacle,
    margin,
    on_shape,
    face,
    u,
    v,
    n,
    hu,
    hv,
    quad,
    e,
    f,
):
    """Clip the face quad + s e + t f against the face with axes u, v and normal n.

    Contacts are the corners of each face that lie over the other one, and the crossings of their
    edges.

    `margin`: largest gap of a contact [m].
    `on_shape`: whether the face with normal n belongs to the shape.
    `face`: middle of the face with normal n, 3-vector [m].
    `u`, `v`: axes of this face, unit 3-vectors.
    `n`: unit normal.
    `hu`, `hv`: half edges of this face [m].
    `quad`: middle of the other face, 3-vector [m].
    `e`, `f`: half edges of the other face, 3-vectors [m].
    """
    middle = sub(quad, face)
    x0, y0, z0 = dot(u, middle), dot(v, middle), dot(n, middle)
    ex, ey, ez = dot(u, e), dot(v, e), dot(n, e)
    fx, fy, fz = dot(u, f), dot(v, f), dot(n, f)
    area = ex * fy - ey * fx
    for s in (-1.0, 1.0):
        for t in (-1.0, 1.0):
            x, y = x0 + s * ex + t * fx, y0 + s * ey + t * fy
            if abs(x) <= EDGE * hu and abs(y) <= EDGE * hv:
                point, normal, gap = on_face(z0 + s * ez + t * fz, on_shape, face, u, v, n, x, y)
                count = add_local(
                    contacts, count, shape, obstacles, obstacle, margin, point, normal, gap
                )
            x, y = s * hu - x0, t * hv - y0
            if area != 0.0:
                a, b = (x * fy - y * fx) / area, (ex * y - ey * x) / area
                if min(abs(a), abs(b)) < INSIDE and max(abs(a), abs(b)) <= EDGE:
                    point, normal, gap = on_face(
                        z0 + a * ez + b * fz, on_shape, face, u, v, n, s * hu, t * hv
                    )
                    count = add_local(
                        contacts, count, shape, obstacles, obstacle, margin, point, normal, gap
                    )
    for turn in range(2):
        gx, gy, gz = (ex, ey, ez) if turn == 0 else (fx, fy, fz)  # along the edge,
        kx, ky, kz = (fx, fy, fz) if turn == 0 else (ex, ey, ez)  # and across
        for s in (-1.0, 1.0):
            x, y, z = x0 + s * kx, y0 + s * ky, z0 + s * kz
            for t in (-1.0, 1.0):
                if gx != 0.0:
                    a = (t * hu - x) / gx
                    if abs(a) < INSIDE and abs(y + a * gy) < INSIDE * hv:
                        point, normal, gap = on_face(
                            z + a * gz, on_shape, face, u, v, n, t * hu, y + a * gy
                        )
                        count = add_local(
                            contacts, count, shape, obstacles, obstacle, margin, point, normal, gap
                        )
                if gy != 0.0:
                    a = (t * hv - y) / gy
                    if abs(a) < INSIDE and abs(x + a * gx) < INSIDE * hu:
                        point, normal, gap = on_face(
                            z + a * gz, on_shape, face, u, v, n, x + a * gx, t * hv
                        )
                        count = add_local(
                            contacts, count, shape, obstacles, obstacle, margin, point, normal, gap
                        )
    return count


@unfused
def facing(axes, half, centre, n):
    """Return middle and half edges of the face of a box that faces against a direction.

    `axes`: axes of the box, three 3-vectors.
    `centre`: centre of the box, 3-vector [m].
    `n`: direction, unit 3-vector.
    """
    k = 0
    for j in range(1, 3):
        if abs(dot(column(axes, j), n)) > abs(dot(column(axes, k), n)):
            k = j
    out, first, second = column(axes, k), (k + 1) % 3, (k + 2) % 3
    middle = add(centre, scale(-sign(dot(out, n)) * half[k], out))
    return (
        middle,
        scale(half[first], column(axes, first)),
        scale(half[second], column(axes, second)),
    )


@unfused
def edges(
    contacts, count, shape, obstacles, obstacle, margin, axes, half, centre, size, i, j, n, gap
):
    """Add the contact of edge i of the obstacle with edge j of the shape.

    There is none where the common normal meets one of them beyond its end.

    `margin`: largest gap of a contact [m].
    `axes`: axes of the shape, three 3-vectors.
    `half`: half edges of the shape [m].
    `centre`: centre of the shape, 3-vector [m].
    `size`: half edges of the obstacle [m].
    `i`, `j`: directions of the edges, 0 to 2.
    `n`: common normal, from the obstacle to the shape.
    `gap`: distance of the boxes along it [m].
    """
    p, q = centre, (0.0, 0.0, 0.0)
    for k in range(3):
        out = unit(k, 1.0)
        if k != i:
            q = add(q, scale(sign(n[k]) * size[k], out))
        if k != j:
            side = column(axes, k)
            p = sub(p, scale(sign(dot(n, side)) * half[k], side))
    along, other = unit(i, 1.0), column(axes, j)
    between, cosine = sub(q, p), dot(along, other)
    t = (dot(other, between) - cosine * dot(along, between)) / (1.0 - cosine * cosine)
    point = add(p, scale(t, other))
    if abs(t) > EDGE * half[j] or abs(dot(along, sub(point, q))) > EDGE * size[i]:
        return count
    return add_local(contacts, count, shape, obstacles, obstacle, margin, point, n, gap)


@unfused
def box_on_box(shapes, shape, obstacles, obstacle, pose, margin, contacts, count):
    """Add the contacts of two boxes.

    `margin`: largest gap of a contact [m].
    """
    x, y, z = (
        axis_of(pose, obstacles, obstacle, 0),
        axis_of(pose, obstacles, obstacle, 1),
        axis_of(pose, obstacles, obstacle, 2),
    )
    axes, own = (x, y, z), (unit(0, 1.0), unit(1, 1.0), unit(2, 1.0))
    half, size = load(shapes[shape], HALF), load(obstacles[obstacle], SIZE)
    origin = (0.0, 0.0, 0.0)
    centre = rotate_inverse(
        obstacles[obstacle], sub(centre_of(pose), load(obstacles[obstacle], PLACE)), TURN
    )
    best, kind, one, other, normal = -1e300, 0, 0, 0, origin
    for k in range(6):
        out = column(own, k) if k < 3 else column(axes, k - 3)
        width = extent(half, x, y, z, out) + extent(size, own[0], own[1], own[2], out)
        gap = abs(dot(centre, out)) - width
        if gap > best:
            best, kind, one = gap, 0 if k < 3 else 1, k % 3
            normal = scale(sign(dot(centre, out)), out)
    for i in range(3):
        for j in range(3):
            out = cross(column(own, i), column(axes, j))
            length = sqrt(dot(out, out))
            if length > PARALLEL:
                out = scale(1.0 / length, out)
                width = extent(half, x, y, z, out) + extent(size, own[0], own[1], own[2], out)
                gap = abs(dot(centre, out)) - width
                if gap > best + PREFERENCE:
                    best, kind, one, other = gap, 2, i, j
                    normal = scale(sign(dot(centre, out)), out)
    if best >= margin:
        return count
    if kind == 2:
        return edges(
            contacts,
            count,
            shape,
            obstacles,
            obstacle,
            margin,
            axes,
            half,
            centre,
            size,
            one,
            other,
            normal,
            best,
        )
    first, second = (one + 1) % 3, (one + 2) % 3
    if kind == 0:
        quad, e, f = facing(axes, half, centre, normal)
        face = scale(size[one], normal)
        u, v, hu, hv = column(own, first), column(own, second), size[first], size[second]
    else:
        normal = scale(-1.0, normal)  # out of the shape, to the obstacle
        quad, e, f = facing(own, size, origin, normal)
        face = add(centre, scale(half[one], normal))
        u, v, hu, hv = column(axes, first), column(axes, second), half[first], half[second]
    return faces(
        contacts,
        count,
        shape,
        obstacles,
        obstacle,
        margin,
        kind == 1,
        face,
        u,
        v,
        normal,
        hu,
        hv,
        quad,
        e,
        f,
    )
