# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Exact impulses where the case of every joint and contact is known: linear equations.

They are singular if contacts depend on each other, such as the four corners of a box. A small
number on the diagonal, the ridge, makes them regular. Iterative refinement of the residual removes
its error from the velocities.

An unknown is an impulse. Its condition gives the velocity along a direction. Its force is the
effect of a unit of the impulse on the velocities.
"""

from robodyn_ros.algorithms.contact.cone import (
    ACROSS,
    ALONG,
    EDGES,
    RIDGE,
    against,
    following,
    scale_of,
    size_of,
)
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.contact_tables import (
    AT_HIGH,
    AT_LOW,
    BETWEEN,
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
from robodyn_ros.algorithms.contact.gauss_seidel import add_impulse
from robodyn_ros.algorithms.contact.linear_solve import factorise, solve
from robodyn_ros.spatial.primitive import unfused

CORRECTIONS = 6
EXACT = 1e-13  # [-] share of the first residual that may be left
SLACK = 1e-9  # [-] of impulses and velocities at the border of two cases, where both are right


@unfused
def columns(system, n):
    """Return where some columns of the system begin.

    Returns columns of the square matrix, of row exchanges and ridge, of the right side, and of the
      sum.
    """
    square = 2 * n
    order = square + system.shape[0]
    return square, order, order + 1, order + 2


@unfused
def start_unknown(system, m, n, target, ridge):
    """Clear the row of an unknown impulse, and set the target of its velocity.

    `m`: number of an unknown.
    `target`: velocity [rad/s or m/s].
    `ridge`: number added on the diagonal.
    Returns number of unknowns.
    """
    _, order, right, total = columns(system, n)
    for k in range(2 * n):
        system[m, k] = 0.0
    system[m, total] = 0.0
    system[m, right] = target
    system[m, order] = ridge
    return m + 1


@unfused
def add_direction(system, m, n, rows, responses, row, condition, force):
    """Add a direction to the condition and to the force of an unknown.

    `m`: number of an unknown.
    `row`: row of the direction.
    `condition`, `force`: factors of the direction in them.
    """
    for k in range(n):
        system[m, k] = system[m, k] + condition * rows[row, k]
        system[m, n + k] = system[m, n + k] + force * responses[row, k]


@unfused
def add_force(system, m, n, responses, row, mu, edge):
    """Let the force of an unknown be a unit normal force with friction on an edge of the pyramid.

    `m`: number of an unknown.
    `row`: row of the normal.
    """
    for k in range(n):
        system[m, n + k] = (
            responses[row, k]
            + mu * ALONG[edge] * responses[row + 1, k]
            + mu * ACROSS[edge] * responses[row + 2, k]
        )


@unfused
def assemble(blocks, count, rows, responses, impulses, v, system):
    """Write a row for each unknown, and apply the known friction of joints.

    Returns number of unknowns.
    """
    n, m = v.shape[0], 0
    for b in range(count):
        r, case, edge = int(blocks[b, ROW]), blocks[b, CASE], int(blocks[b, EDGE])
        if blocks[b, KIND] == JOINT:
            impulses[r] = 0.0
            if case == SLIDES or case == SLIDES_BACK:
                impulses[r] = -blocks[b, BOUND] if case == SLIDES else blocks[b, BOUND]
                add_impulse(responses, r, impulses[r], v)
            elif case != FREE:
                target = blocks[b, LOW] if case == AT_LOW else 0.0
                target = blocks[b, HIGH] if case == AT_HIGH else target
                m = start_unknown(system, m, n, target, RIDGE * blocks[b, COMPLIANCE])
                add_direction(system, m - 1, n, rows, responses, r, 1.0, 1.0)
            continue
        ridge, mu = RIDGE * scale_of(blocks, b), blocks[b, BOUND]
        for k in range(3):
            impulses[r + k] = 0.0
            if case == STICKS:
                m = start_unknown(system, m, n, blocks[b, LOW] if k == 0 else 0.0, ridge)
                add_direction(system, m - 1, n, rows, responses, r + k, 1.0, 1.0)
        if case == SLIDES or case == BETWEEN:
            m = start_unknown(system, m, n, blocks[b, LOW], ridge)
            add_direction(system, m - 1, n, rows, responses, r, 1.0, 0.0)
            add_force(system, m - 1, n, responses, r, mu, edge)
        if case == BETWEEN:
            after = following(edge)
            m = start_unknown(system, m, n, 0.0, ridge)
            along, across = ALONG[edge] - ALONG[after], ACROSS[edge] - ACROSS[after]
            add_direction(system, m - 1, n, rows, responses, r + 1, along, 0.0)
            add_direction(system, m - 1, n, rows, responses, r + 2, across, 0.0)
            add_force(system, m - 1, n, responses, r, mu, after)
    return m


@unfused
def residual(system, m, n, v):
    """Write the residual of every condition at a velocity.

    `m`: number of unknowns.
    Returns largest residual.
    """
    square, order, right, total = columns(system, n)
    largest = 0.0
    for i in range(m):
        velocity = 0.0
        for k in range(n):
            velocity = velocity + system[i, k] * v[k]
        system[i, right] = system[i, total + 1] - velocity
        largest = max(largest, abs(system[i, right]))
    return largest


@unfused
def solve_system(system, m, n, v):
    """Solve for the unknowns x, and add their effect to v.

    The equations are C A B x = target - C v, with conditions C and forces B.

    `m`: number of unknowns.
    `v` (n,): velocities without and then with the impulses [rad/s or m/s].
    Returns largest residual before, or -1 without a solution.
    """
    square, order, right, total = columns(system, n)
    for i in range(m):
        ridge = system[i, order]
        system[i, total + 1] = system[i, right]  # the target
        for j in range(m):
            entry = 0.0
            for k in range(n):
                entry = entry + system[i, k] * system[j, n + k]
            system[i, square + j] = entry
        system[i, square + i] = system[i, square + i] + ridge
    first = residual(system, m, n, v)
    if not factorise(system, square, m, order):
        return -1.0
    left = first
    for _ in range(CORRECTIONS):
        if left <= EXACT * first:
            break
        solve(system, square, m, order, right)
        for i in range(m):
            change = system[i, right]
            system[i, total] = system[i, total] + change
            for k in range(n):
                v[k] = v[k] + system[i, n + k] * change
        left = residual(system, m, n, v)
    return first if left <= SLACK * first else -1.0


@unfused
def write_impulses(blocks, count, impulses, system, n):
    """Write the impulses of all unknowns, in the order of `assemble`.

    Returns largest normal impulse of a contact.
    """
    _, _, _, total = columns(system, n)
    m, largest = 0, 0.0
    for b in range(count):
        r, case, edge, mu = (
            int(blocks[b, ROW]),
            blocks[b, CASE],
            int(blocks[b, EDGE]),
            blocks[b, BOUND],
        )
        if blocks[b, KIND] == JOINT:
            if case == STICKS or case == AT_LOW or case == AT_HIGH:
                impulses[r] = system[m, total]
                m += 1
            continue
        if case == STICKS:
            for k in range(3):
                impulses[r + k] = system[m + k, total]
            m += 3
        elif case != FREE:
            p, after = system[m, total], following(edge)
            q = system[m + 1, total] if case == BETWEEN else 0.0
            impulses[r] = p + q
            impulses[r + 1] = mu * (p * ALONG[edge] + q * ALONG[after])
            impulses[r + 2] = mu * (p * ACROSS[edge] + q * ACROSS[after])
            m += 2 if case == BETWEEN else 1
        largest = max(largest, abs(impulses[r]))
    return largest


@unfused
def joint_fits(blocks, b, impulse, velocity, slack):
    """Return whether impulse and velocity of a joint match its case.

    `impulse`: impulse of friction or of a stop [N s or N m s].
    `velocity`: velocity of the joint [rad/s or m/s].
    `slack`: tolerance of velocities.
    """
    case, bound = blocks[b, CASE], blocks[b, BOUND]
    border = SLACK * (bound + abs(impulse))
    if case == STICKS:
        return abs(impulse) <= bound + border
    if case == AT_HIGH:
        return impulse <= border - bound
    if case == AT_LOW:
        return impulse >= bound - border
    low, high = blocks[b, LOW] - slack, blocks[b, HIGH] + slack
    if case == SLIDES:
        low = -slack
    elif case == SLIDES_BACK:
        high = slack
    return low <= velocity <= high


@unfused
def contact_fits(blocks, b, rows, impulses, v, slack, border):
    """Return whether impulse and velocity of a contact obey the laws of contact, in any case.

    A contact at rest may have any friction in the pyramid, since its impulse need not be unique.

    `slack`: tolerance of velocities.
    `border`: tolerance of impulses.
    """
    r, mu = int(blocks[b, ROW]), blocks[b, BOUND]
    gap, p = along_row(rows, r, v) - blocks[b, LOW], impulses[r]
    if gap < -slack or p < -border or (gap > slack and p > border):
        return False
    x, y = impulses[r + 1], impulses[r + 2]
    if mu == 0.0 or blocks[b, CASE] == FREE:
        return True
    if size_of(x, y) > mu * p + border:
        return False
    along, across = along_row(rows, r + 1, v), along_row(rows, r + 2, v)
    speed = 0.0
    for edge in range(EDGES):
        speed = max(speed, against(along, across, edge))
    lost = -(x * along + y * across)
    return mu * p * speed - lost <= mu * p * slack + border * speed


@unfused
def solve_cases(blocks, count, rows, responses, impulses, v, system):
    """Compute the impulses of the present cases, and add their effect to v.

    `v` (n,): velocities without and then with the impulses [rad/s or m/s].
    Returns whether impulses and velocities match the cases.
    """
    n = v.shape[0]
    m = assemble(blocks, count, rows, responses, impulses, v, system)
    slack = SLACK * solve_system(system, m, n, v)
    if slack < 0.0:
        return False
    border = SLACK * write_impulses(blocks, count, impulses, system, n)
    for b in range(count):
        r = int(blocks[b, ROW])
        if blocks[b, KIND] == JOINT:
            if not joint_fits(blocks, b, impulses[r], along_row(rows, r, v), slack):
                return False
        elif not contact_fits(blocks, b, rows, impulses, v, slack, border):
            return False
    return True
