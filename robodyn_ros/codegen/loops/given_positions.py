# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in recordings whose input has the positions of all joints.

Such a recording closes no loop: it takes the positions as they are, and needs no box of postures.
It checks that their gaps are no more than rounding. All else is left to the kernel for any robot,
which closes the loops near the given positions.

Values that are equal in all closed postures share a node, see `common_subexpressions`. The gaps
themselves do not, as they are zero in all of them. Samples near the reference posture show which
values are equal. A robot may have other closed postures that satisfy the same checks. So samples
from random starting points show them too.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.algorithms.constraints import closed_positions
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen.loops.common_subexpressions import STATES, moving_together
from robodyn_ros.codegen.loops.loop_solution import (
    LoopSolution,
    SameTables,
    attached_to_world,
    box_points,
    closed_postures,
    coordinates_of,
    leader_row,
    numeric_equations,
    pivots_of,
    recorded_equations,
    unknown_rows,
    velocities_of,
)
from robodyn_ros.codegen.loops.sparse_elimination import Factors
from robodyn_ros.codegen.tape import Recorded, RecordingTooLong
from robodyn_ros.compile import embedded
from robodyn_ros.model.layout import (
    AT,
    CLOSURES,
    COORDINATE,
    FIRST,
    KIND,
    PRISMATIC,
    RATIO,
    SHIFT,
    STOPPED_ROWS,
    UNKNOWNS,
    Q,
)

#: Error of given positions up to which loops count as closed [rad or m]. Rounding to float moves
#: each joint by up to 2^-23, and its gap by as much again. The bound is for 32 joints.
CLOSED = {'double': 1e-12, 'float': 2.0**-17}
REACH = 0.2  # [rad or m] of the samples near the reference posture
POSTURES, FEWEST = 160, 20  # that are tried there, and that must be closed
PIVOTED = 60  # of them determine the pivots
STARTS, MOST_STEPS = 80, 40  # of Newton's method from random positions
REGULAR = 0.2  # least singular value of the equations at a sample, by that of the reference
SLIDE = 0.5  # [m] of prismatic joints
OTHERS = 12  # samples from random starting points, at most


@dataclass(frozen=True, eq=False)
class GivenPositions(LoopSolution):
    """The check that given positions of all joints are closed, and what follows from them.

    `lengths`: gap [m or rad] per error of a joint [rad or m], of typical size, in the row of each
      pivot.
    `postures`: positions of all joints in closed postures.
    `closed`: error of given positions up to which loops count as closed [rad or m].
    """

    lengths: np.ndarray
    postures: np.ndarray
    closed: float = CLOSED['double']

    def close(self, _topology, constants, work, everything, _near, E):
        """Check that the loops are closed, in place of `closed_positions.close`.

        `_topology` (ndarray): unused; the loops are attached to the world here.
        `everything` (ndarray): positions of all joints. Those of joints that move with others are
          written.
        `_near`: unused; the positions of dependent joints are given.
        `E` (ndarray): written: the rows of the dependent joints, for all rates from independent
          ones.
        """
        given = everything.copy()
        self._spread(constants, everything)
        if work.tape.positions_known is None:
            self._check(constants, work, given, everything)
            work.close_as_given()
        self.write_expansion(constants, work, everything, E)

    @property
    def leaf_rows(self):
        """Bodies of all joints of loops that depend on others."""
        in_loops = np.flatnonzero(self.topology[1:, COORDINATE] >= 0) + 1
        leaders = [leader_row(self.topology, k) for k in coordinates_of(self.topology)]
        return np.setdiff1d(in_loops, leaders)

    def write_samples(self, values):
        """Write closed positions of the joints of loops to samples of the input q.

        `values` (n, count): samples; positions of other joints stay.
        """
        self._write_some(self.postures, values)

    def write_accepted_samples(self, values):
        """Write closed positions that the code accepts, as `write_samples`.

        It refuses other ones, whose pivots are small.

        `values` (n, count): samples; positions of other joints stay.
        """
        self._write_some([each for each in self.postures if self._has_pivots(each)], values)

    def _write_some(self, postures, values):
        """Write positions of the joints of loops from some postures to samples."""
        in_loops = self.topology[np.flatnonzero(self.topology[1:, COORDINATE] >= 0) + 1, Q]
        chosen = np.linspace(0, len(postures) - 1, values.shape[1]).round().astype(int)
        values[in_loops] = np.array(postures)[chosen][:, in_loops].T

    def _has_pivots(self, posture):
        """Return whether no pivot of a posture is too small."""
        M = self.together.columns(numeric_equations(self.topology, self.constants, posture))
        Factors(M, self.pivots)  # leaves the pivots in M
        return all(M[row, col] ** 2 > least for row, col, least in self.pivots)

    def follow(self, posture):
        """Write the positions of joints of loops that follow others.

        `posture` (n,): positions of all joints.
        """
        topology, constants = self.topology, self.constants
        for row in np.flatnonzero(topology[1:, COORDINATE] >= 0) + 1:
            if topology[row, COORDINATE] < topology[0, FIRST]:
                leader = leader_row(topology, topology[row, COORDINATE])
                ratio = constants[row, RATIO] / constants[leader, RATIO]
                moved = posture[topology[leader, Q]] - constants[leader, SHIFT]
                posture[topology[row, Q]] = constants[row, SHIFT] + ratio * moved
        self._spread(constants, posture)

    def _check(self, constants, work, given, everything):
        """Check the gaps, and that joints which move with others are given there."""
        L = recorded_equations(self.topology, constants, work, everything, everything, False)
        solved = [row for row, *_ in self.pivots]
        moved = [given[k] - everything[k] for k in self.topology[self._dependent_rows(), Q]]
        gaps = [(1.0 / length) * L[row, -1] for row, length in zip(solved, self.lengths)]
        _require_small([*moved, *gaps], self.closed)
        further = [L[row, -1] for row in range(len(L)) if row not in solved]
        reach = self.lengths.max(initial=1.0)
        _require_small(further, max(closed_positions.OPEN, self.closed * reach))
        for k in range(1, self.topology[0, CLOSURES] + 1):
            aligned = closed_positions.alignment(self.topology, constants, work, k)
            if isinstance(aligned, Recorded):
                _ = aligned > 0.0


def _require_small(values, bound):
    """Check that the root of a sum of squares is below a bound."""
    total = 0.0
    for value in values:
        total = total + value * value
    if isinstance(total, Recorded):
        _ = bound**2 - total > 0.0


@functools.lru_cache(maxsize=8)
def _plan(key):
    return _planned(key.model)


def plan(model, real='double'):
    """Return what recordings from the positions of all joints do.

    Raises RecordingTooLong: if there are not enough closed and regular postures around the
      reference posture.
    """
    return replace(_plan(SameTables(model)), closed=CLOSED[real])


def _planned(model):
    topology, constants = attached_to_world(model), model.constants
    coordinates = coordinates_of(topology)
    at = topology[[leader_row(topology, k) for k in coordinates], AT]
    reference = model.closed_posture
    wanted = reference[at] + REACH * box_points(len(at), POSTURES)
    postures = closed_postures(model, reference, at, np.vstack((reference[at], wanted)))
    postures = postures[np.isfinite(postures).all(axis=1)]
    least = [_smallest_value(topology, constants, posture) for posture in postures]
    postures = postures[np.array(least) >= REGULAR * least[0]]
    if len(postures) < FEWEST:
        raise RecordingTooLong
    rows = unknown_rows(topology)
    together = moving_together(
        postures[:, topology[rows, Q]] / constants[rows, RATIO],
        velocities_of(topology, constants, postures),
        coordinates,
    )
    pivots = pivots_of(model, topology, together, postures[:PIVOTED])
    lengths = _lengths(topology, constants, together, pivots, postures[:PIVOTED])
    found = GivenPositions(topology, constants, together, pivots, lengths, postures)
    if sum(_is_closed(found, posture) for posture in postures) < FEWEST:
        raise RecordingTooLong
    return replace(found, postures=_samples(found, REGULAR * least[0]))


def _lengths(topology, constants, together, pivots, postures):
    """Return the largest entry in the row of each pivot, as a power of 2 of typical size."""
    rows, d = [row for row, *_ in pivots], len(pivots)
    entries = [
        np.abs(together.columns(numeric_equations(topology, constants, posture))[rows, :d])
        for posture in postures
    ]
    return 2.0 ** np.round(np.log2(np.median(np.max(entries, axis=2, initial=0.0), axis=0)))


def _smallest_value(topology, constants, posture):
    """Return the smallest singular value of the equations of the unknowns."""
    L = numeric_equations(topology, constants, posture)
    return np.linalg.svd(L[:, : topology[0, UNKNOWNS]], compute_uv=False)[-1]


def _is_closed(plan, posture):
    """Return whether the code would take a posture as closed."""
    topology, constants = plan.topology, plan.constants
    work, solved = working_memory.allocate(topology), [row for row, *_ in plan.pivots]
    rows, d, nv = topology[0, [STOPPED_ROWS, UNKNOWNS, FIRST]]
    L = np.zeros((rows, d + nv + 1))
    embedded.loop_equations(topology, constants, work, posture, posture, False, True, L)
    gaps, spread = L[:, -1], posture.copy()
    plan._spread(constants, spread)
    return (
        np.linalg.norm(np.append(gaps[solved] / plan.lengths, posture - spread)) < plan.closed
        and np.linalg.norm(gaps) < closed_positions.OPEN
        and all(
            closed_positions.alignment(topology, constants, work, k) > 0.0
            for k in range(1, topology[0, CLOSURES] + 1)
        )
    )


def _samples(plan, least):
    """Return closed postures around the reference and, as many at most, anywhere else."""
    topology, constants, rng = plan.topology, plan.constants, np.random.default_rng(0)
    near = [posture for posture in plan.postures if _is_closed(plan, posture)]
    joints, found = np.flatnonzero(topology[1:, COORDINATE] >= 0) + 1, []
    slides = topology[joints, KIND] == PRISMATIC
    for _ in range(STARTS):
        posture = near[0].copy()
        way = np.where(slides, SLIDE, np.pi) * rng.uniform(-1.0, 1.0, len(joints))
        posture[topology[joints, Q]] += way
        posture = _closed_from(plan, posture)
        if (
            posture is not None
            and _is_closed(plan, posture)
            and _smallest_value(topology, constants, posture) >= least
        ):
            found.append(posture)
    return np.array(near[: STATES - min(len(found), OTHERS)] + found[:OTHERS])


def _closed_from(plan, posture):
    """Return the posture to which Newton's method leads from another; None if it does not."""
    topology, constants = plan.topology, plan.constants
    d, nv, rows = topology[0, UNKNOWNS], topology[0, FIRST], unknown_rows(topology)
    plan.follow(posture)
    for _ in range(MOST_STEPS):
        L = numeric_equations(topology, constants, posture)
        own = plan.together.columns(L)[:, : len(plan.pivots)]
        moves = plan.together.all_unknowns(np.linalg.lstsq(own, L[:, d + nv], rcond=None)[0])
        size = np.abs(moves).max()
        posture[topology[rows, Q]] -= constants[rows, RATIO] * moves / max(1.0, size)
        plan.follow(posture)
        if size < 0.1 * plan.closed:
            return posture
    return None
