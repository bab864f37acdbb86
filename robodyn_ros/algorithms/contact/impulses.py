# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Impulses of contacts, with friction and stops of joints, over one step: all solved together.

With the impulses p the velocity is v_f + A F^T p, where F has the directions. A is the inverse of
M + h D, with the step h and the damping D. Every contact has (Jain 2011, eq. 11.48, 11.49, for
impulses)

    0 <= p_n,   low <= u_n = F_n v,   p_n (u_n - low) = 0,

and its friction lies in the pyramid, against the sliding. This is the linear complementarity
problem of Anitescu and Potra 1997. Projected Gauss-Seidel finds which contacts separate, stick and
slide. The exact impulses of that case follow from linear equations. If contacts jam, neither
converges, and pivoting takes over.
"""

from robodyn_ros.algorithms.contact.cases import solve_cases
from robodyn_ros.algorithms.contact.cone import IMMOVABLE
from robodyn_ros.algorithms.contact.contact_rows import along_row
from robodyn_ros.algorithms.contact.contact_tables import (
    BOUND,
    CASE,
    COMPLIANCE,
    CONTACT,
    EDGE,
    FREE,
    KIND,
    LOW,
    ROW,
    SLIDES,
    STICKS,
)
from robodyn_ros.algorithms.contact.gauss_seidel import sweep, write_compliance
from robodyn_ros.algorithms.contact.pivoting import by_pivoting
from robodyn_ros.spatial.primitive import separate, unfused
from robodyn_ros.spatial.types import Boolean, Integer, Matrix, Vector

ROUNDS = 6  # of sweeps and exact solutions; after them the result of the sweeps stands
SWEEPS = 5  # of Gauss-Seidel in a round
TRIES = 8  # of exact solutions in a round, each for the cases that the previous one gave
IMPULSES, KEPT_IMPULSES, START, KEPT = 0, 1, 2, 3  # rows of `vectors`
VECTORS = 4


@unfused
def copy(source, target, size):
    """Copy the first entries of a vector.

    `source` (n,): vector that is read.
    `target` (m,): vector whose first entries are written.
    """
    for k in range(size):
        target[k] = source[k]


@unfused
def presume_rest(blocks, count, rows, v):
    """Write the case of rest for every contact that closes.

    `blocks` (b, BLOCK_COLUMNS): conditions of joints and contacts, see contact_tables.py; the
      first `count` rows are in use.
    Returns whether any contact closes.
    """
    found = False
    for b in range(count):
        if blocks[b, KIND] == CONTACT:
            closes = along_row(rows, int(blocks[b, ROW]), v) < blocks[b, LOW]
            found = found or closes
            blocks[b, CASE] = STICKS if closes and blocks[b, COMPLIANCE] > IMMOVABLE else FREE
            if closes and blocks[b, BOUND] == 0.0:
                blocks[b, CASE], blocks[b, EDGE] = SLIDES, 0.0
    return found


@unfused
def solve_exactly(blocks, count, rows, responses, vectors, system, v, tries):
    """Find the exact impulses and velocities, first for the present cases.

    Further tries are for the cases that follow from the previous result: a semi-smooth Newton
    method. Without a solution, impulses and velocities do not change.

    `blocks` (b, BLOCK_COLUMNS): conditions of joints and contacts, see contact_tables.py; the
      first `count` rows are in use.
    `vectors` (VECTORS, max(r, n)): working memory; the impulses are in row IMPULSES.
    `system` (r, 2 n + r + 4): working memory of cases.py.
    `tries`: most tries.
    Returns whether a solution is found.
    """
    n, size = v.shape[0], rows.shape[0]
    copy(vectors[IMPULSES], vectors[KEPT_IMPULSES], size)
    copy(v, vectors[KEPT], n)
    for left in range(tries, 0, -1):
        copy(vectors[START], v, n)
        if solve_cases(blocks, count, rows, responses, vectors[IMPULSES], v, system):
            return True
        if left > 1:
            sweep(blocks, count, rows, responses, vectors[IMPULSES], v, False)
    copy(vectors[KEPT_IMPULSES], vectors[IMPULSES], size)
    copy(vectors[KEPT], v, n)
    return False


@separate
def contact_impulses(
    blocks: Matrix,
    count: Integer,
    rows: Matrix,
    responses: Matrix,
    vectors: Matrix,
    system: Matrix,
    table: Matrix,
    v: Vector,
) -> Boolean:
    """Compute the velocities with impulses of contacts, friction and stops: v = v_f + A F^T p.

    A sweep is O(n) for each block. An exact solution is O(m^3) for m unknowns.

    `blocks` (b, BLOCK_COLUMNS): the first `count` rows are in use.
    `rows`, `responses` (r, n): F and F A.
    `vectors` (VECTORS, max(r, n)), written: the impulses p in row IMPULSES; the other rows are
      working memory.
    `system` (r, 2 n + r + 4): working memory of cases.py.
    `table` (m, 2 m + 9): working memory of pivoting.py for at most m conditions.
    `v` (n,): velocities without impulses v_f, replaced by v [rad/s or m/s].
    Returns whether the solution is exact; otherwise it is that of the sweeps.
    """
    for b in range(count):
        write_compliance(blocks, b, rows, responses)
    for k in range(rows.shape[0]):
        vectors[IMPULSES, k] = 0.0
    copy(v, vectors[START], v.shape[0])
    sweep(blocks, count, rows, responses, vectors[IMPULSES], v, False)
    if presume_rest(blocks, count, rows, v) and solve_exactly(
        blocks, count, rows, responses, vectors, system, v, 1
    ):
        return True
    for _ in range(ROUNDS):
        sweep(blocks, count, rows, responses, vectors[IMPULSES], v, False)
        if solve_exactly(blocks, count, rows, responses, vectors, system, v, TRIES):
            return True
        for _ in range(SWEEPS):
            sweep(blocks, count, rows, responses, vectors[IMPULSES], v, True)
    copy(v, vectors[KEPT], v.shape[0])
    copy(vectors[START], v, v.shape[0])
    if not by_pivoting(blocks, count, rows, responses, vectors[IMPULSES], v, table):
        copy(vectors[KEPT], v, v.shape[0])
        return False
    sweep(blocks, count, rows, responses, vectors[IMPULSES], v, False)
    solve_exactly(blocks, count, rows, responses, vectors, system, v, TRIES)  # refines
    return True
