# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code from the positions of all joints, with packs: registers that hold columns of matrices.

Where several joints close a loop, the matrix E of all rates by the independent ones is dense. So
are the elimination that gives it, the mass matrix E^T M E, and its factors. A pack takes WIDTH
columns of these through each step. Recordings of numbers remain for batches and emitted C.
"""

from dataclasses import replace

import numpy as np

from robodyn_ros.algorithms.constraints import expansion, forward_dynamics, loops
from robodyn_ros.algorithms.core import composite, crba, rnea
from robodyn_ros.algorithms.core.articulated import singular
from robodyn_ros.algorithms.core.matrices import ordered
from robodyn_ros.codegen.fused_sums import with_fused_sums
from robodyn_ros.codegen.loops.sparse_elimination import is_zero
from robodyn_ros.codegen.packs import WIDTH, slices
from robodyn_ros.codegen.specialise import record
from robodyn_ros.codegen.tape import Recorded
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.model.layout import COUNT, FIRST, PARENT

#: Quantities whose code may have packs.
PACKED = ('forward_dynamics',)
#: Largest share of statements that is left, as a pack has more work than a number.
SHARE = 0.85


def from_all_positions(name, recipe):
    """Return the recipe of code whose q has the positions of all joints.

    `recipe` (Recipe): its recipe from the positions of independent joints.
    Returns the recipe, which makes a recording with packs where the quantity may have them.
    """
    recipe = recipe.from_all_positions()
    return replace(recipe, packed=shorter_with_columns) if name in PACKED else recipe


def shorter_with_columns(name, recipe, model, recording):
    """Record a quantity with packs of columns, if that saves enough statements.

    `recipe` (Recipe): its recursion, inputs and outputs. The last of `others` is recorded, if
      there are any.
    `recording` (Recording): the recording without packs.
    Returns the recording with packs, or None.
    """
    recursion = rebound(
        (recipe.recursion, *recipe.others)[-1],
        {
            forward_dynamics.bias_of_motion: _bias_of_motion,
            expansion.project: _project,
            expansion.project_symmetric: _project_symmetric,
            composite.factorise: _factorise,
            composite.solve_outer: _solve_outer,
        },
    )
    recipe = replace(recipe, recursion=recursion, others=(), columns=WIDTH)
    found = with_fused_sums(record(name, recipe, model))
    return found if len(found.computed) < SHARE * len(recording.computed) else None


def _bias_of_motion(topology, constants, gravity, work, q, qd, f_ext, tau):
    """Record `forward_dynamics.bias_of_motion`, with the rate of E multiplied by the mass matrix.

    So the torques do not wait for that rate, and the mass matrix is needed in any case.
    """
    tau_tree, still = np.full((2, len(topology) - 1), 0.0, dtype=object)
    everything = expansion.expand_positions(topology, constants, work, q)
    rates = expansion.expand(topology, work, 0, qd)
    rnea.inverse_dynamics(
        topology, constants, gravity, work, everything, rates, still, f_ext, tau_tree
    )
    plan = work.replaced[loops.closing_acceleration.__wrapped__].__self__
    accelerations = plan.rate_of_expansion(topology, gravity, work, everything, rates)
    M_tree = np.full((len(still), len(still)), 0.0, dtype=object)
    crba.mass_matrix(topology, constants, work, everything, M_tree)
    for i, k in np.argwhere(M_tree != 0.0):
        tau_tree[i] = tau_tree[i] + M_tree[i, k] * accelerations[k]
    _project(topology, work, tau_tree, tau)
    return everything


def _project(topology, work, tau_tree, tau):
    """Record `expansion.project`."""
    E = _expansion(topology, work, len(tau))
    for columns in slices(len(tau)):
        _write(work.tape, tau, columns, _combined(work.tape, tau_tree, E, columns))


def _project_symmetric(topology, work, M_tree, M):
    """Record `expansion.project_symmetric` as E^T (M_tree E), without entries above the diagonal.

    Those are the ones below it.
    """
    tape, E = work.tape, _expansion(topology, work, len(M))
    products = np.full(E.shape, 0.0, dtype=object)
    for columns in slices(len(M)):
        for factors, row in zip(M_tree, products):
            _write(tape, row, columns, _combined(tape, factors, E, columns))
        for k in range(columns.start, len(M)):
            _write(tape, M[k], columns, _combined(tape, E[:, k], products, columns))
    for k in range(len(M)):
        M[:k, k] = M[k, :k]


def _expansion(topology, work, nv):
    """Return E as a full matrix."""
    E, found = (expansion.expansion(topology, work), np.full((len(topology) - 1, nv), 0.0, object))
    for row, entries, (first, count) in zip(found, E, topology[1:, [FIRST, COUNT]]):
        row[first : first + count] = entries[:count]
    return found


def _combined(tape, factors, rows, columns):
    """Return a sum of rows times factors, in some columns, as one pack.

    Rows with one entry there, such as those of independent joints, are summed as numbers.
    """
    own, total = np.full(columns.stop - columns.start, 0.0, dtype=object), []
    for factor, row in zip(factors, rows[:, columns]):
        filled = [k for k, entry in enumerate(row) if not is_zero(entry)]
        if is_zero(factor) or not filled:
            continue
        if len(filled) == 1:
            own[filled[0]] = own[filled[0]] + factor * row[filled[0]]
        else:
            total.append(factor * tape.pack(row))
    return sum(total, tape.pack(own))


def _write(tape, row, columns, pack):
    """Write the lanes of a pack to some columns of a row."""
    for lane, k in enumerate(range(len(row))[columns]):
        row[k] = tape.lane(pack, lane)


def _factorise(topology, diagonal, M, size):
    """Record `composite.factorise`."""
    tape = _tape(M)
    if tape is None or not _is_chain(topology):
        return composite.factorise(topology, diagonal, M, size)
    status, n = 0, len(M)
    for k in range(n):
        M[k, k] = M[k, k] + diagonal[k]
        size[k] = M[k, k]
    rows = [[_first_lanes(tape, M[k], each, k + 1) for each in slices(n)] for k in range(n)]
    for k in range(n - 1, -1, -1):
        for columns, pack in zip(slices(k + 1), rows[k]):
            _write(tape, M[k, : k + 1], columns, pack)
        if singular(M[k, k], size[k]):
            inverse, status = 0.0, k + 1  # as if locked, so that the results stay finite
        else:
            inverse = 1.0 / M[k, k]
        for columns, pack in zip(slices(k), rows[k]):
            _write(tape, M[k, :k], columns, pack * inverse)
        for i in range(k):
            for b in range(i // WIDTH + 1):
                rows[i][b] = rows[i][b] - M[k, i] * rows[k][b]
        M[k, k] = inverse
    return status


def _solve_outer(topology, M, x):
    """Record `composite.solve_outer`."""
    tape = _tape(x)
    if tape is None or not _is_chain(topology):
        composite.solve_outer(topology, M, x)
        return
    rest = [tape.pack(x[columns]) for columns in slices(len(x))]
    for k in range(len(x) - 1, -1, -1):
        x[k] = tape.lane(rest[k // WIDTH], k % WIDTH)
        for b, columns in enumerate(slices(len(x))[: -(-k // WIDTH)]):
            rest[b] = rest[b] - _first_lanes(tape, M[k], columns, k) * x[k]


def _first_lanes(tape, row, columns, count):
    """Return a pack of some columns of a row, of which only the first `count` columns are needed.

    It is a pack that has these in its first lanes, if there is one.
    """
    lanes = list(row[columns])
    needed = min(count - columns.start, len(lanes))
    if needed > 0 and isinstance(lanes[0], Recorded):
        operation, *rest = tape.nodes[lanes[0].index]
        if operation == 'lane':
            pack = tape.values[rest[1]]
            others = [tape.lane(pack, k) for k in range(len(lanes))]
            if others[:needed] == lanes[:needed] and tape.pack(others) is pack:
                return pack
    return tape.pack(lanes)


def _is_chain(topology):
    """Return whether each joint carries the next one, with velocities in this order."""
    return ordered(topology) and all(topology[k, PARENT] == k - 1 for k in range(1, len(topology)))


def _tape(array):
    """Return the tape of the numbers of an array; None for constants."""
    return next((each.tape for each in np.ravel(array) if isinstance(each, Recorded)), None)
