# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops in recordings, where nothing can branch or iterate.

`algorithms.constraints.loops` closes loops by Newton's method along a path. A recording begins at
a polynomial of the independent joints instead. It approximates the dependent ones in a box around
the reference posture. A fixed number of Newton steps follows, with pivots in a fixed order. The
last one corrects little more than rounding, so it keeps the factors of the step before. The
polynomial, the number of steps and the pivots are chosen from sample postures. The code checks the
box, the pivots and the size of the last step. It leaves other postures to the kernel for any
robot.

Dependent joints that move as others do are no unknowns, see `equal_values`. In a Delta robot these
are the joints of the second rod of each arm. In parallelograms these are all.
"""

import functools
from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.algorithms.constraints import loops
from robodyn_ros.algorithms.core import scratch as columns
from robodyn_ros.codegen.loops.chebyshev import chebyshev_terms, powers_of_terms
from robodyn_ros.codegen.loops.equal_values import Together, moving_together
from robodyn_ros.codegen.loops.sparse_elimination import Factors, sparse_pivots
from robodyn_ros.codegen.tape import Recorded, RecordingTooLong
from robodyn_ros.compile import embedded
from robodyn_ros.model.layout import (
    AT,
    BODY_A,
    BODY_B,
    CLOSURES,
    COORDINATE,
    COUNT,
    FIRST,
    PARENT,
    RATIO,
    SHIFT,
    STOPPED_ROWS,
    UNKNOWNS,
    Q,
)

WIDEST, NARROWEST = 1.5, 0.05  # limits of the half width of the box [rad or m]
SAMPLES = 60  # postures that determine steps and pivots
SHRINKS, SHRINK = 12, 0.8  # number of boxes that are tried, and their ratio of width
SPACIOUS = 1.8  # [rad or m] width of a box down to which a narrower one may save Newton steps
SAMPLES_PER_TERM = 6  # postures for the fit of the polynomials
MOST_STEPS = 6
LAST_STEP = 1e-8  # [rad or m] largest last step; about 1e-4 of it, the step before, is left
GRID = 2.0**-26  # spacing of coefficients and boxes, so that all processors agree on them
REGULAR = 0.1  # least singular value of the closures in a box, as a share of the largest one
SMALL_TERMS = (3e-3, 1e-3, 3e-4, 1e-4)  # [rad or m] coefficients that may be left out


@dataclass(frozen=True, eq=False)
class _Part:
    """Polynomials of the joints of loops that are solved together.

    Parameters
    ----------
    rows : sequence of int
        First bodies of the joints.
    variables : sequence of int
        Indices of the independent joints on which they depend.
    powers : (terms, variables) ndarray
        Degree of each term in each variable.
    coefficients : (terms, rows) ndarray, optional
        Coefficients of the terms.
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
class Closing:
    """How a recording closes the loops of a robot: box, polynomials, pivots and Newton steps.

    In all methods, `everything` has the positions of all joints.

    Parameters
    ----------
    topology : (nb, k) ndarray
        Topology of the loops alone, attached to the world.
    constants : (nb, k) ndarray
        Constants of the bodies, see robodyn_ros.model.layout.
    coordinates : (c,) ndarray of int
        Independent velocities on which the loops depend.
    low, width : (c,) ndarray
        Lower corner and width of the box [rad or m].
    parts : sequence of _Part
        The polynomials.
    together : Together
        Dependent joints that move together.
    pivots : sequence of tuple
        Row and column of each elimination, and the smallest square of its pivot.
    steps : int
        Number of Newton steps.
    """

    topology: np.ndarray
    constants: np.ndarray
    coordinates: np.ndarray
    low: np.ndarray
    width: np.ndarray
    parts: tuple
    together: Together
    pivots: tuple
    steps: int

    def close(self, _topology, constants, scratch, everything, E):
        """Close the loops in a recording, in place of `loops.close`.

        Parameters
        ----------
        _topology : ndarray
            Unused; the loops are attached to the world here.
        constants : (nb, k) ndarray
            Constants of the bodies, see robodyn_ros.model.layout.
        scratch : RecordingScratch
            Scratch of the recursions.
        everything : ndarray
            Positions of all joints; those of dependent joints are written.
        E : ndarray
            Written: the rows of the dependent joints, for all rates from independent ones.
        """
        topology = self.topology
        d, nv = topology[0, UNKNOWNS], topology[0, FIRST]
        x = self._in_box(everything)
        for part in self.parts:
            part.write(topology, x, everything)
        self._spread(constants, everything)
        for step in range(self.steps):
            L = _equations(topology, constants, scratch, everything, everything, False)
            if step == 0 or step < self.steps - 1:
                factors = Factors(self.together.columns(L), self.pivots)
            moves = self.together.all_unknowns(factors.solution(L[:, d + nv]))
            for unknown, row in enumerate(self._unknown_rows()):
                everything[topology[row, Q]] = everything[topology[row, Q]] - (
                    constants[row, RATIO] * moves[unknown]
                )
                if step == self.steps - 1 and isinstance(moves[unknown], Recorded):
                    _ = LAST_STEP**2 - moves[unknown] * moves[unknown] > 0.0
            self._spread(constants, everything)
        scratch.close()
        L = self.solved(scratch, everything, everything, False, range(d, d + nv))
        for row in self._dependent_rows():
            unknown = topology[row, COORDINATE] - nv
            for k in range(topology[row, COUNT]):
                E[row - 1, k] = -constants[row, RATIO] * L[unknown, d + topology[row, FIRST] + k]

    def closing_acceleration(self, _, constants, scratch, everything, rates, share, accelerations):
        """Add the accelerations of closed loops, in place of `loops.closing_acceleration`.

        Parameters
        ----------
        _ : ndarray
            Unused; the loops are attached to the world here.
        constants : (nb, k) ndarray
            Constants of the bodies, see robodyn_ros.model.layout.
        scratch : RecordingScratch
            Scratch of the recursions.
        everything : ndarray
            Positions of all joints.
        rates : ndarray
            Rates of all joints, E qd.
        share : float
            Factor of the added accelerations dE/dt qd.
        accelerations : ndarray
            Accelerations of all joints; those of dependent joints are changed.
        """
        d, nv = self.topology[0, UNKNOWNS], self.topology[0, FIRST]
        L = self.solved(scratch, everything, rates, True, [d + nv])
        for row in self._dependent_rows():
            unknown = self.topology[row, COORDINATE] - nv
            accelerations[row - 1] = accelerations[row - 1] - (
                share * constants[row, RATIO] * L[unknown, d + nv]
            )

    def replacements(self):
        """Return the functions that a recording replaces.

        Returns
        -------
        dict
            {function: replacement}.
        """
        return {
            loops.close.__wrapped__: self.close,
            loops.closing_acceleration.__wrapped__: self.closing_acceleration,
        }

    def solved(self, scratch, everything, rates, moving, wanted):
        """Return the equations of all closures, solved for the unknowns.

        Parameters
        ----------
        scratch : RecordingScratch or ndarray
            Scratch of the recursions.
        everything : ndarray
            Positions of all joints.
        rates : ndarray
            Rates of all joints.
        moving : bool
            Whether the right side is the rate of the Jacobian times `rates`. Otherwise it is the
            gap of each closure.
        wanted : sequence of int
            Columns to compute.

        Returns
        -------
        (unknowns, columns) ndarray
            One row for each unknown.
        """
        L = _equations(self.topology, self.constants, scratch, everything, rates, moving)
        found = np.full((self.topology[0, UNKNOWNS], L.shape[1]), 0.0, dtype=object)
        M, d, nv = self.together.columns(L), self.topology[0, UNKNOWNS], self.topology[0, FIRST]
        factors, shift = Factors(M, self.pivots), len(self.pivots) - d
        for column in wanted:
            found[:, column] = self.together.all_unknowns(factors.solution(M[:, column + shift]))
            if column < d + nv:
                found[:, column] = found[:, column] - self.together.slopes[:, column - d]
        return found

    def steps_to(self, posture):
        """Return the number of Newton steps that a posture needs.

        Parameters
        ----------
        posture : ndarray
            Positions of all joints, with closed loops.

        Returns
        -------
        int
            More than MOST_STEPS if the steps do not end at this posture.
        """
        topology, constants, found = self.topology, self.constants, posture.copy()
        for part in self.parts:
            part.write(topology, self._in_box(found), found)
        self._spread(constants, found)
        if not self.pivots:
            return 0 if np.abs(found - posture).max() < LAST_STEP else MOST_STEPS + 1
        d, nv, rows = topology[0, UNKNOWNS], topology[0, FIRST], self._unknown_rows()
        for step in range(1, MOST_STEPS + 1):
            L = _numbers(topology, constants, found)
            own = self.together.columns(L)[:, : len(self.pivots)]
            moves = np.linalg.lstsq(own, L[:, d + nv], rcond=None)[0]
            moves = self.together.all_unknowns(moves)
            found[topology[rows, Q]] -= constants[rows, RATIO] * moves
            self._spread(constants, found)
            if np.abs(moves).max() < 0.3 * LAST_STEP:
                return step if np.abs(found - posture).max() < LAST_STEP else MOST_STEPS + 1
        return MOST_STEPS + 1

    @property
    def places(self):
        """Indices in q of the independent joints of the loops."""
        return np.array([self.topology[_leader(self.topology, k), AT] for k in self.coordinates])

    @property
    def leading_rows(self):
        """First bodies of the dependent joints that move as no other does, up to a ratio."""
        return self._unknown_rows()[self.together.independent]

    def inside(self, count):
        """Return positions of these joints in the box, the same on every machine.

        Parameters
        ----------
        count : int
            Number of postures.

        Returns
        -------
        (c, count) ndarray
            A column for each posture.
        """
        x = _samples(len(self.coordinates), count)
        return (self.low + 0.5 * (x + 1.0) * self.width).T

    def _dependent_rows(self):
        """Return the bodies of dependent joints."""
        coordinate = self.topology[1:, COORDINATE]
        return np.flatnonzero(coordinate >= self.topology[0, FIRST]) + 1

    def _unknown_rows(self):
        """Return the first body of each dependent joint."""
        return _unknown_rows(self.topology)

    def _spread(self, constants, everything):
        """Write the positions of the joints that follow a dependent joint of a loop."""
        leaders, together = self._unknown_rows(), self.together
        for k, row in enumerate(leaders):
            if k != together.leaders[k]:
                moved = together.shifts[k]
                if together.ratios[k]:
                    leader = leaders[together.leaders[k]]
                    share = together.ratios[k] / constants[leader, RATIO]
                    moved = moved + share * everything[self.topology[leader, Q]]
                for column in np.flatnonzero(together.slopes[k]):
                    leader = _leader(self.topology, column)
                    share = together.slopes[k, column] / constants[leader, RATIO]
                    angle = everything[self.topology[leader, Q]] - constants[leader, SHIFT]
                    moved = moved + share * angle
                everything[self.topology[row, Q]] = constants[row, RATIO] * moved
        for row in self._dependent_rows():
            leader = leaders[self.topology[row, COORDINATE] - self.topology[0, FIRST]]
            if row != leader:
                ratio = constants[row, RATIO] / constants[leader, RATIO]
                moved = everything[self.topology[leader, Q]] - constants[leader, SHIFT]
                everything[self.topology[row, Q]] = constants[row, SHIFT] + ratio * moved

    def _in_box(self, everything):
        """Return the independent joints as numbers from -1 to 1, and check that they are."""
        x = []
        for k, low, width in zip(self.coordinates, self.low, self.width):
            row = _leader(self.topology, k)
            share = (everything[self.topology[row, Q]] - low) * (2.0 / width) - 1.0
            if isinstance(share, Recorded):
                _ = 1.0 - share * share > 0.0
            x.append(share)
        return x


@functools.lru_cache(maxsize=8)
def _plan(key):
    return _planned(key.model)


class _Key:
    """A model that is equal to others with the same tables."""

    def __init__(self, model):
        self.model = model
        self._bytes = model.topology.tobytes() + model.constants.tobytes()

    def __hash__(self):
        return hash(self._bytes)

    def __eq__(self, other):
        return self._bytes == other._bytes


def plan(model):
    """Return how recordings close the loops of a robot.

    Parameters
    ----------
    model : RobotModel
        A robot with closed loops.

    Returns
    -------
    Closing
        The plan.

    Raises
    ------
    RecordingTooLong
        If Newton's method needs too many steps from a polynomial.
    """
    return _plan(_Key(model))


def _planned(model):
    topology = _attached_to_world(model)
    parts, coordinates = _parts(topology)
    at = np.array([topology[_leader(topology, k), AT] for k in coordinates])
    reference = model.closed_posture
    low, high = model.limits.lower[coordinates], model.limits.upper[coordinates]
    middle = _on_grid(reference[at])
    below = np.clip(middle - low, NARROWEST, WIDEST)
    above = np.clip(high - middle, NARROWEST, WIDEST)
    terms = max(len(part.powers) for part in parts)
    x = _samples(len(coordinates), SAMPLES_PER_TERM * terms + 40)
    best, fewest = None, MOST_STEPS + 1
    for _ in range(SHRINKS):
        if best is not None and (below + above).min() < SPACIOUS:
            break
        box = middle - below, below + above
        postures = _closed(model, reference, at, box[0] + 0.5 * (x + 1.0) * box[1])
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
    rows = _unknown_rows(topology)
    together = moving_together(
        postures[:, topology[rows, Q]] / model.constants[rows, RATIO],
        _velocities(topology, model.constants, postures),
        coordinates,
    )
    own = rows[together.independent]
    fitted = tuple(
        replace(part, rows=of_part).fitted(topology, x, postures)
        for part in parts
        if len(of_part := part.rows[np.isin(part.rows, own)])
    )
    pivots = _pivots(model, topology, together, postures[:SAMPLES])
    return Closing(topology, model.constants, coordinates, *box, fitted, together, pivots, 0)


def _is_regular(closing, postures):
    """Return whether a box stays away from dead centres, for code that checks no pivot."""
    topology, constants = closing.topology, closing.constants
    equations = [_numbers(topology, constants, posture) for posture in postures]
    unknowns = np.array(equations)[:, :, : topology[0, UNKNOWNS]]
    least = np.linalg.svd(unknowns, compute_uv=False)[:, -1]
    return least.min() > REGULAR * least.max()


def _velocities(topology, constants, postures):
    """Return the positions of the joints of independent velocities, (postures, nv)."""
    q = np.zeros((len(postures), topology[0, FIRST]))
    for k in set(topology[1:, COORDINATE]) & set(range(topology[0, FIRST])):
        row = _leader(topology, k)
        q[:, k] = (postures[:, topology[row, Q]] - constants[row, SHIFT]) / constants[row, RATIO]
    return q


def _parts(topology):
    """Return the parts, without coefficients, and the independent velocities of the loops."""
    rows = _unknown_rows(topology)
    spans = {tuple(topology[row, [FIRST, COUNT]]): [] for row in rows}
    for row in rows:
        spans[tuple(topology[row, [FIRST, COUNT]])].append(row)
    own = set(topology[1:, COORDINATE])
    known = {span: [k for k in range(span[0], span[0] + span[1]) if k in own] for span in spans}
    coordinates = np.array(sorted({k for span in known.values() for k in span}), dtype=int)
    parts = [
        _Part(np.array(spans[span]), np.searchsorted(coordinates, of), powers_of_terms(len(of)))
        for span, of in known.items()
    ]
    return parts, coordinates


def _samples(c, count):
    """Return (count, c) points of a box from -1 to 1, denser at its sides.

    They are the same on every machine.
    """
    primes = [k for k in range(2, 400) if all(k % m for m in range(2, k))][:c]
    shares = np.zeros((count, c))
    for column, base in enumerate(primes):  # Halton's sequence
        for k in range(count):
            rest, digit = k + 1, 1.0
            while rest:
                digit /= base
                shares[k, column] += digit * (rest % base)
                rest //= base
    return np.cos(np.pi * shares)


def _closed(model, reference, at, wanted):
    """Return the positions of all joints for postures of the loops' independent joints."""
    n, found = len(model.all_joint_names), np.empty((len(wanted), len(model.all_position_names)))
    still, scratch, rest = np.zeros(model.nv), columns.allocate(model.topology), np.empty((2, n))
    embedded.prepare(model)
    for row, posture in zip(found, wanted):
        q = reference.copy()
        q[at] = posture
        embedded.expand_state(
            model.topology, model.constants, scratch, q, still, still, row, *rest
        )
    return found


def _unknown_rows(topology):
    """Return the first body of each dependent joint of the loops."""
    nv, d = topology[0, FIRST], topology[0, UNKNOWNS]
    coordinate = topology[1:, COORDINATE]
    return np.array([np.flatnonzero(coordinate == nv + k)[0] + 1 for k in range(d)])


def _leader(topology, k):
    """Return the body whose joint has this independent velocity."""
    return int(np.flatnonzero(topology[1:, COORDINATE] == k)[0]) + 1


def _attached_to_world(model):
    """Return the topology with loops attached to the world, if the closures allow it.

    Closures see relative motions only, so the joints between the base and a loop do not matter.
    """
    topology = model.topology.copy()
    in_loops = topology[1:, COORDINATE] >= 0
    roots = {
        int(topology[row, PARENT])
        for row in range(1, len(topology))
        if in_loops[row - 1] and not _carried(topology, in_loops, int(topology[row, PARENT]))
    }
    if len(roots) > 1 or not roots:
        return topology
    (root,) = roots
    for row in range(1, len(topology)):
        if in_loops[row - 1] and topology[row, PARENT] == root:
            topology[row, PARENT] = 0
    for row in range(1, topology[0, CLOSURES] + 1):
        for side in (BODY_A, BODY_B):
            if topology[row, side] == root:
                topology[row, side] = 0
    return topology


def _carried(topology, in_loops, row):
    """Return whether a joint of the loops moves a body."""
    while row > 0:
        if in_loops[row - 1]:
            return True
        row = topology[row, PARENT]
    return False


def _equations(topology, constants, scratch, everything, rates, moving):
    """Return the rows of all closures, see `loops.write_equations`."""
    L = np.full(
        (topology[0, STOPPED_ROWS], topology[0, UNKNOWNS] + topology[0, FIRST] + 1),
        0.0,
        dtype=object,
    )
    write = loops.write_equations.__wrapped__
    write(topology, constants, scratch, everything, rates, moving, True, L)
    return L


def _numbers(topology, constants, posture):
    """Return the rows of `_equations` as numbers, at a posture."""
    rows, d, nv = topology[0, [STOPPED_ROWS, UNKNOWNS, FIRST]]
    L = np.zeros((rows, d + nv + 1))
    scratch = columns.allocate(topology)
    embedded.loop_equations(topology, constants, scratch, posture, posture, False, True, L)
    return L


def _pivots(model, topology, together, postures):
    """Return the pivots for equations at some postures, see `sparse_pivots`."""
    d = len(together.independent)
    if not d:
        return ()
    equations = (_numbers(topology, model.constants, posture) for posture in postures)
    return sparse_pivots(np.array([together.columns(L)[:, :d] for L in equations]))


def _on_grid(values):
    """Return values rounded to multiples of GRID."""
    return GRID * np.round(values / GRID)
