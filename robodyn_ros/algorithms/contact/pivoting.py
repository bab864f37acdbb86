# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of contacts by complementary pivoting, where Gauss-Seidel does not converge.

It is Lemke's method (Cottle, Pang and Stone 1992, Algorithm 4.4.5) with the lexicographic rule. It
ends in a solution for the copositive matrices of friction (Anitescu and Potra 1997). Contacts that
jam need it: there the friction of one contact opens or closes another.

It solves w = F z + f >= 0, z >= 0, w z = 0. For a contact, z has the normal impulse, one impulse
for each edge of the pyramid, and the sliding speed. For a joint, z has the impulses of both
directions of friction, the sliding speed, and the impulses of both stops.
"""

from robodyn_ros.algorithms.contact.cone import ACROSS, ALONG, EDGES
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.contact_tables import BOUND, HIGH, JOINT, KIND, LOW, ROW
from robodyn_ros.algorithms.contact.gauss_seidel import add_impulse
from robodyn_ros.spatial.primitive import unfused

OF_CONTACT, OF_JOINT = 2 + EDGES, 5  # conditions
TINY = 1e-12  # [-] share of the largest entry below which a pivot counts as zero
MOST_PIVOTS = 20  # for each condition
# columns behind those of the tableau
BASIS, DIRECTION, SHARE, SHARE_OF_NEXT, FIRST = 2, 3, 4, 5, 6
FURTHER_COLUMNS = 7
SPEED = -1.0  # in DIRECTION, of a sliding speed


@unfused
def conditions(blocks, count):
    """Return the number of conditions of all blocks."""
    total = 0
    for b in range(count):
        total += OF_JOINT if blocks[b, KIND] == JOINT else OF_CONTACT
    return total


@unfused
def write_condition(table, size, k, row, share, share_of_next, first, right):
    """Write one condition: on share times a direction plus share_of_next times the next direction.

    `k`: number of the condition.
    `row`: row of the direction, or SPEED.
    `share`, `share_of_next`: factors of the direction and of the next one.
    `first`: first condition of the block.
    Returns number of the next condition.
    """
    last = 2 * size
    table[k, last + DIRECTION] = row
    table[k, last + SHARE] = share
    table[k, last + SHARE_OF_NEXT] = share_of_next
    table[k, last + FIRST] = first
    table[k, last + 1] = right
    return k + 1


@unfused
def list_conditions(blocks, count, rows, v, table, size):
    """Write the conditions of all blocks, with the right-hand sides f.

    `v` (n,): velocities without impulses [rad/s or m/s].
    """
    k = 0
    for b in range(count):
        r, first = int(blocks[b, ROW]), k
        u = along_row(rows, r, v)
        if blocks[b, KIND] == JOINT:
            k = write_condition(table, size, k, r, 1.0, 0.0, first, u)
            k = write_condition(table, size, k, r, -1.0, 0.0, first, -u)
            k = write_condition(table, size, k, SPEED, 0.0, 0.0, first, blocks[b, BOUND])
            k = write_condition(table, size, k, r, 1.0, 0.0, first, u - blocks[b, LOW])
            k = write_condition(table, size, k, r, -1.0, 0.0, first, blocks[b, HIGH] - u)
            continue
        x, y = along_row(rows, r + 1, v), along_row(rows, r + 2, v)
        k = write_condition(table, size, k, r, 1.0, 0.0, first, u - blocks[b, LOW])
        for edge in range(EDGES):
            a, c = ALONG[edge], ACROSS[edge]
            k = write_condition(table, size, k, r + 1, a, c, first, a * x + c * y)
        k = write_condition(table, size, k, SPEED, 0.0, 0.0, first, 0.0)


@unfused
def coupling(table, size, rows, responses, i, j):
    """Return the change of velocity i due to a unit impulse j.

    `responses` (r, n): velocities due to unit impulses along the directions.
    `i`, `j`: numbers of two conditions.
    """
    last, total = 2 * size, 0.0
    for m in range(2):
        a = table[i, last + SHARE + m]
        for k in range(2):
            c = table[j, last + SHARE + k]
            if a != 0.0 and c != 0.0:
                row, other = (
                    int(table[i, last + DIRECTION]) + m,
                    int(table[j, last + DIRECTION]) + k,
                )
                entry = 0.0
                for n in range(rows.shape[1]):
                    entry = entry + rows[row, n] * responses[other, n]
                total = total + a * c * entry
    return total


@unfused
def write_speeds(blocks, count, table, size):
    """Write the couplings of the sliding speeds with friction and its bound."""
    k = 0
    for b in range(count):
        is_joint = blocks[b, KIND] == JOINT
        edges, start = (2, k) if is_joint else (EDGES, k + 1)
        speed = start + edges
        for edge in range(start, speed):
            table[edge, size + speed] = -1.0
            table[speed, size + edge] = 1.0
        if not is_joint:
            table[speed, size + k] = -blocks[b, BOUND]
        k += OF_JOINT if is_joint else OF_CONTACT


@unfused
def write_tableau(blocks, count, rows, responses, v, table, size):
    """Write the tableau of w - F z - z0 = f: columns of w, z and z0, then f.

    `responses` (r, n): velocities due to unit impulses along the directions.
    `v` (n,): velocities without impulses [rad/s or m/s].
    """
    list_conditions(blocks, count, rows, v, table, size)
    last = 2 * size
    for i in range(size):
        for j in range(size):
            table[i, j] = 1.0 if i == j else 0.0
            force = table[i, last + DIRECTION] >= 0.0 and table[j, last + DIRECTION] >= 0.0
            table[i, size + j] = -coupling(table, size, rows, responses, i, j) if force else 0.0
        table[i, last] = -1.0
        table[i, last + BASIS] = i
    write_speeds(blocks, count, table, size)


@unfused
def is_less(table, size, one, other, column):
    """Return whether one row comes before another in lexicographic order, each over its pivot.

    `one`, `other`: rows.
    `column`: column of the variable that enters the basis.
    """
    for k in range(-1, size):
        at = 2 * size + 1 if k < 0 else k
        a, b = table[one, at] / table[one, column], table[other, at] / table[other, column]
        if a != b:
            return a < b
    return False


@unfused
def leaving_row(table, size, column):
    """Return the row with the smallest ratio of right-hand side and pivot.

    Among equals, that of z0 comes first.

    `column`: column of the variable that enters the basis.
    """
    largest = 0.0
    for i in range(size):
        largest = max(largest, abs(table[i, column]))
    found, right = -1, 2 * size + 1
    for i in range(size):
        if table[i, column] > TINY * largest:
            if found < 0 or is_less(table, size, i, found, column):
                found = i
    if found < 0:
        return -1
    least = table[found, right] / table[found, column]
    for i in range(size):
        if table[i, 2 * size + BASIS] == 2 * size and table[i, column] > TINY * largest:
            if table[i, right] / table[i, column] <= least + TINY * max(1.0, abs(least)):
                return i
    return found


@unfused
def exchange(table, size, row, column):
    """Let a variable enter the basis in a row.

    `column`: column of the variable that enters the basis.
    Returns variable that leaves the basis.
    """
    width = 2 * size + 2
    pivot = table[row, column]
    for k in range(width):
        table[row, k] = table[row, k] / pivot
    for i in range(size):
        factor = table[i, column]
        if i != row and factor != 0.0:
            for k in range(width):
                table[i, k] = table[i, k] - factor * table[row, k]
    leaving = int(table[row, width])
    table[row, width] = column
    return leaving


@unfused
def pivot(table, size):
    """Pivot until z0 leaves the basis."""
    row, right = 0, 2 * size + 1
    for i in range(size):
        if table[i, right] < table[row, right]:
            row = i
    if table[row, right] >= 0.0:
        return True
    leaving = exchange(table, size, row, 2 * size)
    for _ in range(MOST_PIVOTS * size):
        entering = leaving + size if leaving < size else leaving - size
        row = leaving_row(table, size, entering)
        if row < 0:
            return False
        leaving = exchange(table, size, row, entering)
        if leaving == 2 * size:
            return True
    return False


@unfused
def by_pivoting(blocks, count, rows, responses, impulses, v, table):
    """Find the impulses by pivoting, and add their effect to v, in O(m^3) for m conditions.

    If no solution is found, or the table is too small, nothing changes.

    `responses` (r, n): velocities due to unit impulses along the directions.
    `impulses` (r,), written: impulses [N s or N m s].
    `v` (n,): velocities without and then with the impulses [rad/s or m/s].
    Returns whether a solution is found.
    """
    size = conditions(blocks, count)
    if size > table.shape[0]:
        return False
    write_tableau(blocks, count, rows, responses, v, table, size)
    if not pivot(table, size):
        return False
    for k in range(impulses.shape[0]):
        impulses[k] = 0.0
    last = 2 * size
    for i in range(size):
        k = int(table[i, last + BASIS]) - size
        if k >= 0 and k < size and table[k, last + DIRECTION] >= 0.0:
            for m in range(2):
                share = table[k, last + SHARE + m] * table[i, last + 1]
                if share != 0.0:
                    row = int(table[k, last + DIRECTION]) + m
                    impulses[row] = impulses[row] + share
                    add_impulse(responses, row, share, v)
    return True
