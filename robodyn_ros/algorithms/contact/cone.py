# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The pyramid of friction, and the impulse of one joint or contact, all others given.

The friction of a contact with normal impulse p lies in the octagon with corners mu p d_i. Of those
vectors it is the one that takes most power from the sliding (Stewart and Trinkle 1996; Anitescu
and Potra 1997).
"""

from robodyn_ros.algorithms.contact.contact_tables import BETWEEN, COMPLIANCE, FREE, SLIDES, STICKS
from robodyn_ros.spatial.primitive import unfused

EDGES = 8
DIAGONAL = 0.7071067811865476
ALONG = (1.0, DIAGONAL, 0.0, -DIAGONAL, -1.0, -DIAGONAL, 0.0, DIAGONAL)
ACROSS = (0.0, DIAGONAL, 1.0, DIAGONAL, 0.0, -DIAGONAL, -1.0, -DIAGONAL)
FLATNESS = 0.41421356237309503  # tangent of half the angle between two edges
IMMOVABLE = 1e-15  # [1/kg] compliance of a contact that no impulse moves
RIDGE = 1e-8  # share of its mean added to the compliance of a contact, which may be singular


@unfused
def constrained(free, reach, low, high):
    """Return the velocity of a joint with friction and stops.

    Friction is the proximal map, which changes the velocity by at most `reach` towards zero. The
    result is clamped to the interval from low <= 0 to high >= 0.

    `free`: velocity without impulse [rad/s or m/s].
    `reach`: largest change by friction [rad/s or m/s].
    `low`, `high`: least and largest velocity [rad/s or m/s].
    """
    after = max(free - reach, 0.0) if free > 0.0 else min(free + reach, 0.0)
    return min(max(after, low), high)


@unfused
def size_of(x, y):
    """Return the factor by which the unit octagon just contains (x, y).

    `x`, `y`: components of the vector.
    """
    x, y = abs(x), abs(y)
    return max(x, y) + FLATNESS * min(x, y)


@unfused
def following(edge):
    """Return the next edge around the pyramid."""
    return edge + 1 if edge + 1 < EDGES else 0


@unfused
def against(x, y, edge):
    """Return the sliding speed against the friction of an edge: -u . d.

    `x`, `y`: velocity along the two tangents [m/s].
    """
    return -(x * ALONG[edge] + y * ACROSS[edge])


@unfused
def misfit(x, y, edge):
    """Return by how much another edge would take more power from the sliding.

    `x`, `y`: velocity along the two tangents [m/s].
    Returns difference of sliding speeds [m/s], at most 0 if the edge fits.
    """
    own = against(x, y, edge)
    other = max(against(x, y, following(edge)), against(x, y, edge - 1 if edge > 0 else EDGES - 1))
    return max(other - own, -own)


@unfused
def scale_of(blocks, b):
    """Return the mean compliance of the three directions of a contact [1/kg]."""
    c = COMPLIANCE
    return (blocks[b, c] + blocks[b, c + 4] + blocks[b, c + 8]) / 3.0


@unfused
def sticking(blocks, b, gap, x, y):
    """Return the impulse that brings a contact to rest.

    `gap`: velocity along the normal, above the least one [m/s].
    `x`, `y`: velocity along the two tangents [m/s].
    """
    c, ridge = COMPLIANCE, RIDGE * scale_of(blocks, b)
    nn, nx, ny = blocks[b, c] + ridge, blocks[b, c + 1], blocks[b, c + 2]
    xx, xy, yy = blocks[b, c + 4] + ridge, blocks[b, c + 5], blocks[b, c + 8] + ridge
    a, d, e = xx * yy - xy * xy, ny * xy - nx * yy, nx * xy - ny * xx
    determinant = nn * a + nx * d + ny * e
    f, g, h = nn * yy - ny * ny, nx * ny - nn * xy, nn * xx - nx * nx
    factor = -1.0 / determinant
    return (
        factor * (a * gap + d * x + e * y),
        factor * (d * gap + f * x + g * y),
        factor * (e * gap + g * x + h * y),
    )


@unfused
def sliding(blocks, b, mu, edge):
    """Return the change of a contact's velocity due to an impulse (1, mu d) on an edge."""
    c, along, across = COMPLIANCE, mu * ALONG[edge], mu * ACROSS[edge]
    return (
        blocks[b, c] + blocks[b, c + 1] * along + blocks[b, c + 2] * across,
        blocks[b, c + 1] + blocks[b, c + 4] * along + blocks[b, c + 5] * across,
        blocks[b, c + 2] + blocks[b, c + 5] * along + blocks[b, c + 8] * across,
    )


@unfused
def on_edge(p, mu, edge):
    """Return the impulse of friction on an edge, (p, mu p d).

    `p`: normal impulse [N s].
    """
    return p, mu * p * ALONG[edge], mu * p * ACROSS[edge]


@unfused
def of_contact(blocks, b, normal, x, y, low, mu):
    """Return the impulse of a contact along normal and tangents, its case and its edge.

    0 <= p, low <= u_n, p (u_n - low) = 0, and friction opposes the sliding. The cases are tried in
    turn: at rest, sliding on one of the edges, between two of them.

    `normal`, `x`, `y`: velocity along normal and tangents without the impulse [m/s].
    `low`: least velocity along the normal [m/s].
    Returns impulse, a 3-vector [N s]; case and edge, see contact_tables.py.
    """
    compliance = blocks[b, COMPLIANCE]
    gap = normal - low
    if gap >= 0.0 or compliance <= IMMOVABLE:
        return (0.0, 0.0, 0.0), FREE, 0
    if mu == 0.0:
        return (-gap / compliance, 0.0, 0.0), SLIDES, 0
    p = sticking(blocks, b, gap, x, y)
    if p[0] >= 0.0 and size_of(p[1], p[2]) <= mu * p[0]:
        return p, STICKS, 0
    best, chosen, least = (-gap / compliance, 0.0, 0.0), 0, 1e300
    for edge in range(EDGES):
        change = sliding(blocks, b, mu, edge)
        if change[0] > 0.0:
            share = -gap / change[0]
            miss = misfit(x + share * change[1], y + share * change[2], edge)
            if miss < least:
                best, chosen, least = on_edge(share, mu, edge), edge, miss
    if least <= 0.0:
        return best, SLIDES, chosen
    for edge in range(EDGES):
        one, other = sliding(blocks, b, mu, edge), sliding(blocks, b, mu, following(edge))
        along = ALONG[edge] - ALONG[following(edge)]
        across = ACROSS[edge] - ACROSS[following(edge)]
        f, g = along * one[1] + across * one[2], along * other[1] + across * other[2]
        h, determinant = along * x + across * y, one[0] * g - other[0] * f
        if determinant != 0.0:
            s, t = (other[0] * h - g * gap) / determinant, (f * gap - one[0] * h) / determinant
            slip = against(x + s * one[1] + t * other[1], y + s * one[2] + t * other[2], edge)
            if s >= 0.0 and t >= 0.0 and slip >= 0.0:
                p, q = on_edge(s, mu, edge), on_edge(t, mu, following(edge))
                return (p[0] + q[0], p[1] + q[1], p[2] + q[2]), BETWEEN, edge
    return best, SLIDES, chosen
