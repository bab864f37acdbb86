# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in recordings, where nothing can branch or iterate.

`constraints.closed_positions` closes loops by Newton's method along a path. A recording begins at
a polynomial of the independent joints instead. It approximates the dependent ones in a box around
the reference posture. A fixed number of Newton steps follows, with pivots in a fixed order. The
last one corrects little more than rounding, so it keeps the factors of the step before. The
polynomial, the number of steps and the pivots are chosen from sample postures. The code checks the
box, the pivots and the size of the last step. It leaves other postures to the kernel for any
robot. Code in float has the same steps, so that its last one is all rounding.

Dependent joints that move as others do are no unknowns, see `common_subexpressions`. In a Delta
robot these are the joints of the second rod of each arm. In parallelograms these are all.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.codegen.loops.chebyshev import chebyshev_terms, powers_of_terms
from robodyn_ros.codegen.loops.common_subexpressions import moving_together
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
from robodyn_ros.model.layout import AT, COUNT, FIRST, RATIO, UNKNOWNS, Q

WIDEST, NARROWEST = 1.5, 0.05  # limits of the half width of the box [rad or m]
SAMPLES = 60  # postures that determine steps and pivots
SHRINKS, SHRINK = 12, 0.8  # number of boxes that are tried, and their ratio of width
SPACIOUS = 1.8  # [rad or m] width of a box down to which a narrower one may save Newton steps
SAMPLES_PER_TERM = 6  # postures for the fit of the polynomials
MOST_STEPS = 6
#: Largest last step [rad or m]. What is left is its product with the step before, 1e-4 or 5e-3.
LAST_STEP = {'double': 1e-8, 'float': 2.0**-15}
GRID = 2.0**-26  # spacing of coefficients and boxes, so that all processors agree on them
REGULAR = 0.1  # least singular value of the closures in a box, as a share of the largest one
SMALL_TERMS = (3e-3, 1e-3, 3e-4, 1e-4)  # [rad or m] coefficients that may be left out


@dataclass(frozen=True, eq=False)
class _Part:
    """Polynomials of the joints of loops that are solved together.

    `rows`: first bodies of the joints.
    `variables`: indices of the independent joints on which they depend.
    `powers`: degree of each term in each variable.
    `coefficients`: coefficients of the terms.
    """

    rows: np.ndarray
    variables: np.ndarray
    powers: np.ndarray
    coefficients: np.ndarray | None = None

    def values(self, x):
        """Return the terms at x, which has one entry per independent joint of all loops."""
        return chebyshev_terms(self.powers, [x[k] for k in self.variables])

    def fitted(self, topology, x, postures):
        """Return the part with coefficients that fit the postures at the points x."""
        wanted = postures[:, topology[self.rows, Q]]
        coefficients = np.linalg.lstsq(self.values(x.T).T, wanted, rcond=None)[0]
        return replace(self, coefficients=_on_grid(coefficients))

    def without_terms_below(self, least):
        """Return the part without coefficients that are smaller than a number."""
        large = np.abs(self.coefficients) >= least
        return replace(self, coefficients=np.where(large, self.coefficients, 0.0))

    def write(self, topology, x, everything):
        """Write the approximate positions of the joints."""
        found = self.values(x) @ self.coefficients.astype(np.asarray(everything).dtype)
        everything[topology[self.rows, Q]] = found


@dataclass(frozen=True, eq=False)
class Closing(LoopSolution):
    """How a recording closes the loops of a robot: box, polynomials, pivots and Newton steps.

    In all methods, `everything` has the positions of all joints.

    `coordinates`: independent velocities on which the loops depend.
    `low`, `width`: lower corner and width of the box [rad or m].
    `parts`: the polynomials.
    `steps`: number of Newton steps.
    `last_step`: largest last step [rad or m].
    """

    coordinates: np.ndarray
    low: np.ndarray
    width: np.ndarray
    parts: tuple
    steps: int
    last_step: float = LAST_STEP['double']

    def close(self, _topology, constants, work, everything, _near, E):
        """Close the loops in a recording, in place of `closed_positions.close`.

        `_topology` (ndarray): unused; the loops are attached to the world here.
        `everything` (ndarray): positions of all joints; those of dependent joints are written.
        `_near`: unused; the positions of dependent joints are not given.
        `E` (ndarray): written: the rows of the dependent joints, for all rates from independent
          ones.
        """
        topology = self.topology
        d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
        x = self._in_box(everything)
        for part in self.parts:
            part.write(topology, x, everything)
        self._spread(constants, everything)
        for step in range(self.steps):
            L = recorded_equations(topology, constants, work, everything, everything, False)
            if step == 0 or step < self.steps - 1:
                factors = Factors(self.together.columns(L), self.pivots)
            moves = self.together.all_unknowns(factors.solution(L[:, d + nv]))
            for unknown, row in enumerate(self._unknown_rows()):
                everything[topology[row, Q]] = everything[topology[row, Q]] - (
                    constants[row, RATIO] * moves[unknown]
                )
                if step == self.steps - 1 and isinstance(moves[unknown], Recorded):
                    _ = self.last_step**2 - moves[unknown] * moves[unknown] > 0.0
            self._spread(constants, everything)
        work.close()
        self.write_expansion(constants, work, everything, E)

    def steps_to(self, posture):
        """Return the number of Newton steps that a posture needs.

        `posture` (ndarray): positions of all joints, with closed loops.
        Returns more than MOST_STEPS if the steps do not end at this posture.
        """
        topology, constants, found = self.topology, self.constants, posture.copy()
        for part in self.parts:
            part.write(topology, self._in_box(found), found)
        self._spread(constants, found)
        if not self.pivots:
            return 0 if np.abs(found - posture).max() < self.last_step else MOST_STEPS + 1
        d, nv, rows = topology[0, UNKNOWNS], topology[0, FIRST], self._unknown_rows()
        for step in range(1, MOST_STEPS + 1):
            L = numeric_equations(topology, constants, found)
            own = self.together.columns(L)[:, : len(self.pivots)]
            moves = np.linalg.lstsq(own, L[:, d + nv], rcond=None)[0]
            moves = self.together.all_unknowns(moves)
            found[topology[rows, Q]] -= constants[rows, RATIO] * moves
            self._spread(constants, found)
            if np.abs(moves).max() < 0.3 * self.last_step:
                return step if np.abs(found - posture).max() < self.last_step else MOST_STEPS + 1
        return MOST_STEPS + 1

    @property
    def places(self):
        """Indices in q of the independent joints of the loops."""
        rows = [leader_row(self.topology, k) for k in self.coordinates]
        return self.topology[rows, AT]

    def inside(self, count):
        """Return positions of these joints in the box, the same on every machine.

        `count`: number of postures.
        """
        x = box_points(len(self.coordinates), count)
        return (self.low + 0.5 * (x + 1.0) * self.width).T

    def write_samples(self, values):
        """Write positions in the box to samples of the input q.

        `values` (nq, count): samples; positions of other joints stay.
        """
        values[self.places] = self.inside(values.shape[1])

    def _in_box(self, everything):
        """Return the independent joints as numbers from -1 to 1, and check that they are."""
        x = []
        for k, low, width in zip(self.coordinates, self.low, self.width):
            row = leader_row(self.topology, k)
            share = (everything[self.topology[row, Q]] - low) * (2.0 / width) - 1.0
            if isinstance(share, Recorded):
                _ = 1.0 - share * share > 0.0
            x.append(share)
        return x


@functools.lru_cache(maxsize=8)
def _plan(key):
    return _planned(key.model)


def plan(model, real='double'):
    """Return how recordings close the loops of a robot.

    Raises RecordingTooLong: if Newton's method needs too many steps from a polynomial.
    """
    return replace(_plan(SameTables(model)), last_step=LAST_STEP[real])


def _planned(model):
    topology = attached_to_world(model)
    parts, coordinates = _parts(topology)
    at = np.array([topology[leader_row(topology, k), AT] for k in coordinates])
    reference = model.closed_posture
    low, high = model.limits.lower[coordinates], model.limits.upper[coordinates]
    middle = _on_grid(reference[at])
    below = np.clip(middle - low, NARROWEST, WIDEST)
    above = np.clip(high - middle, NARROWEST, WIDEST)
    terms = max(len(part.powers) for part in parts)
    x = box_points(len(coordinates), SAMPLES_PER_TERM * terms + 40)
    best, fewest = None, MOST_STEPS + 1
    for _ in range(SHRINKS):
        if best is not None and (below + above).min() < SPACIOUS:
            break
        box = middle - below, below + above
        postures = closed_postures(model, reference, at, box[0] + 0.5 * (x + 1.0) * box[1])
        if np.isfinite(postures).all():
            closing = _fitted(model, topology, parts, coordinates, box, x, postures)
            steps = [closing.steps_to(posture) for posture in postures[:SAMPLES]]
            regular = closing.pivots or _is_regular(closing, postures[:SAMPLES])
            if regular and max(steps) < fewest:
                best, fewest = replace(closing, steps=max(steps)), max(steps)
                found = postures[:SAMPLES]
        below, above = SHRINK * below, SHRINK * above
    if best is None:
        raise RecordingTooLong
    return _with_fewer_terms(best, found)


def _with_fewer_terms(closing, postures):
    """Return a closing without the small terms that save no Newton step."""
    for least in SMALL_TERMS:
        parts = tuple(part.without_terms_below(least) for part in closing.parts)
        shorter = replace(closing, parts=parts)
        if all(shorter.steps_to(posture) <= closing.steps for posture in postures):
            return shorter
    return closing


def _fitted(model, topology, parts, coordinates, box, x, postures):
    """Return how to close the loops in a box, from the points x of it; without a step."""
    rows = unknown_rows(topology)
    together = moving_together(
        postures[:, topology[rows, Q]] / model.constants[rows, RATIO],
        velocities_of(topology, model.constants, postures),
        coordinates,
    )
    own = rows[together.independent]
    fitted = tuple(
        replace(part, rows=of_part).fitted(topology, x, postures)
        for part in parts
        if len(of_part := part.rows[np.isin(part.rows, own)])
    )
    pivots = pivots_of(model, topology, together, postures[:SAMPLES])
    return Closing(topology, model.constants, together, pivots, coordinates, *box, fitted, 0)


def _is_regular(closing, postures):
    """Return whether a box stays away from dead centres, for code that checks no pivot."""
    topology, constants = closing.topology, closing.constants
    equations = [numeric_equations(topology, constants, posture) for posture in postures]
    unknowns = np.array(equations)[:, :, : topology[0, UNKNOWNS]]
    least = np.linalg.svd(unknowns, compute_uv=False)[:, -1]
    return least.min() > REGULAR * least.max()


def _parts(topology):
    """Return the parts, without coefficients, and the independent velocities of the loops."""
    rows = unknown_rows(topology)
    spans = {tuple(topology[row, [FIRST, COUNT]]): [] for row in rows}
    for row in rows:
        spans[tuple(topology[row, [FIRST, COUNT]])].append(row)
    coordinates = coordinates_of(topology)
    known = {span: [k for k in coordinates if span[0] <= k < span[0] + span[1]] for span in spans}
    parts = [
        _Part(np.array(spans[span]), np.searchsorted(coordinates, of), powers_of_terms(len(of)))
        for span, of in known.items()
    ]
    return parts, coordinates


def _on_grid(values):
    """Return values rounded to multiples of GRID."""
    return GRID * np.round(values / GRID)
