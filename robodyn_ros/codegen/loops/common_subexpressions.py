# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that move together, and values that are equal, in every state with closed loops.

Closed loops make values equal whose expressions differ. The two rods of an arm of a Delta robot
stay parallel, and its platform does not turn. No rule of algebra shows this on the tape. So the
tape is evaluated at sample states. Analytic functions that differ somewhere differ at almost all
states, so values that are equal at all samples are equal. Source: Schwartz 1980, "Fast
probabilistic algorithms for verification of polynomial identities". Equal values share a node, up
to their sign, and constant ones become numbers.

Only values that follow from closed positions are compared. Those of Newton's method are not equal,
but close. Gaps of given positions are zero but for rounding, and are computed to be checked.
"""

from dataclasses import dataclass, replace

import numpy as np

from robodyn_ros.codegen.tape import ARITHMETIC, Recorded, Tape, needed, operands

STATES = 24  # at which values are compared
EQUAL = 2e-12  # difference of equal values, as a share of the largest of the samples
TOGETHER = 1e-10  # [rad or m] between positions of joints that move together
SHIFT_GRID = 2.0**-44  # [rad or m] spacing of shifts between them, so that all processors agree
CONSTANT_BITS = 44  # of a constant that replaces a node, so that all processors agree on it
DIGITS = 1e8  # buckets of mantissas in which equal values are looked up
OPERATIONS = {**ARITHMETIC, 'cos': np.cos, 'sin': np.sin, 'tanh': np.tanh}
#: Of samples: a row for each lane of a pack.
OF_SAMPLES = OPERATIONS | {
    'constant': lambda c: np.full(STATES, c),
    'pack': lambda *lanes: np.stack(lanes),
    'lane': lambda k, lanes: lanes[k],
}


def operations_on(tape):
    """Return what operations do that are written to a tape.

    Returns {operation: function of its constant, if it has one, and its operands}.
    """
    return OPERATIONS | {
        'constant': float,
        'pack': lambda *lanes: tape.pack(lanes),
        'lane': lambda k, pack: tape.lane(pack, k),
    }


def with_common_subexpressions(recording, closing):
    """Return a recording in which values that are equal in all states share a node.

    `recording` (Recording): a recording, see `Tape.positions_known`.
    `closing` (Closing or GivenPositions): how it closes the loops, see `loop_closing` and
      `given_positions`.
    Returns the recording itself if it needs no positions of loops, or if sharing saves nothing.
      The same if a matrix is singular in all states.
    """
    if recording.tape.positions_known is None:
        return recording
    try:
        shorter = _Sharing(recording, _states(recording, closing)).recording()
    except ZeroDivisionError:  # a pivot is zero in all states, which the code itself states
        return recording
    lengths = [sum(each.counts().values()) for each in (shorter, recording)]
    return shorter if lengths[0] < lengths[1] else recording


def _states(recording, closing):
    """Return {input: values} of states with closed loops, the same on all machines."""
    rng, found = np.random.default_rng(0), {}
    for argument, shape in recording.inputs.items():
        values = rng.uniform(-1.0, 1.0, (*shape, STATES))
        if argument == 'q':
            closing.write_samples(values)
        for place in np.ndindex(shape):
            found[f'{argument}[{", ".join(map(str, place))}]'] = values[place]
    return found


@dataclass(frozen=True, eq=False)
class MergedJoints:
    """Unknowns that move together with others, or with independent joints.

    Each is ratio * leader + slopes . q + shift.

    `leaders`: unknown that each follows; itself, or -1 for none.
    `ratios`: ratio to the leader: 1 or -1, or 0 for none.
    `slopes`: ratios to the independent joints: 0, 1 or -1.
    `shifts`: shifts [rad or m].
    """

    leaders: np.ndarray
    ratios: np.ndarray
    slopes: np.ndarray
    shifts: np.ndarray

    @property
    def independent(self):
        """The unknowns that follow nothing, in order."""
        return np.flatnonzero(self.leaders == np.arange(len(self.leaders)))

    def columns(self, L):
        """Return equations for the independent unknowns.

        Columns of unknowns that follow others are added to theirs.

        `L` (rows, unknowns + nv + 1): equations for all unknowns, see
          `loops.write_equations`.
        """
        own, d, L = self.independent, len(self.leaders), L.copy()
        for k in range(d):
            for column in np.flatnonzero(self.slopes[k]):
                L[:, d + column] = L[:, d + column] + self.slopes[k, column] * L[:, k]
            if k != self.leaders[k] >= 0:
                leader = self.leaders[k]
                L[:, leader] = L[:, leader] + self.ratios[k] * L[:, k]
        return np.hstack((L[:, own], L[:, d:]))

    def all_unknowns(self, found):
        """Return the moves of all unknowns while independent joints rest.

        `found` (own,): moves of the independent unknowns.
        """
        moves = np.full(len(self.leaders), 0.0, dtype=found.dtype)
        for k in np.flatnonzero(self.ratios):
            moves[k] = self.ratios[k] * found[np.searchsorted(self.independent, self.leaders[k])]
        return moves


def moving_together(unknowns, q, coordinates):
    """Return which unknowns move together, from their values and those of q at some postures.

    `unknowns` (k, unknowns): dependent joints at k postures.
    `q` (k, nv): independent joints; only those of the coordinates may be followed.
    `coordinates` ((c,) ndarray of int): independent velocities of the loops.
    """
    d, about = unknowns.shape[1], q[:, coordinates] - q[:, coordinates].mean(axis=0)
    found = MergedJoints(np.arange(d), np.ones(d), np.zeros((d, q.shape[1])), np.zeros(d))
    for k in range(d):
        away = unknowns[:, k] - unknowns[:, k].mean()
        slopes = np.zeros(q.shape[1])
        slopes[coordinates] = np.round(np.linalg.lstsq(about, away, rcond=None)[0]) + 0.0
        own = np.flatnonzero(found.leaders[:k] == np.arange(k))
        ways = [(-1, 0.0, slopes), *((i, sign, 0.0 * slopes) for i in own for sign in (1.0, -1.0))]
        for leader, ratio, slope in ways:
            rest = unknowns[:, k] - ratio * unknowns[:, leader] - q @ slope
            if np.abs(slope).max() <= 1.0 and np.abs(rest - rest[0]).max() < TOGETHER:
                found.leaders[k], found.ratios[k], found.slopes[k] = leader, ratio, slope
                found.shifts[k] = SHIFT_GRID * np.round(rest.mean() / SHIFT_GRID)
                break
    return found


class _Sharing:
    """A recording that is written again, with equal values shared.

    `states` (dict): {input, such as 'q[0]': (STATES,) ndarray} of states with closed loops.
    """

    def __init__(self, recording, states):
        self._old, self._states, self._tape = recording, states, Tape(real=recording.tape.real)
        self._samples, self._known, self._shared = [], {}, {}

    def recording(self):
        """Return the new recording."""
        old, tape = self._old.tape, self._tape
        exact = needed(old, [index for index, _ in old.checks[: old.exact_checks]])
        gaps = self._written(exact, len(old.nodes))
        for index, floor in old.checks[: old.exact_checks]:
            tape.checks.append((gaps[index].index, floor))
        tape.exact_checks = old.exact_checks
        found = self._written(self._old.computed, old.positions_known)
        for index, floor in old.checks[old.exact_checks :]:
            if isinstance(found[index], Recorded):
                tape.checks.append((found[index].index, floor))
        for index, name in old.names.items():
            value = found.get(index)
            if isinstance(value, Recorded) and value.positive is None:
                tape.names.setdefault(value.index, name)
        for entry in self._states:  # the code also checks inputs that no result needs
            tape.input(entry)
        results = {
            entry: found[value.index] if isinstance(value, Recorded) else value
            for entry, value in self._old.results.items()
        }
        return replace(self._old, tape=tape, results=results)

    def _written(self, nodes, known):
        """Write nodes to the new tape; return their values. From `known` on equal ones share."""
        old, tape, found = self._old.tape, self._tape, {}
        operations = operations_on(tape)
        for index in nodes:
            if index >= known and tape.positions_known is None:
                tape.positions_known = len(tape.nodes)
            operation, *rest = old.nodes[index]
            if operation == 'input':
                found[index] = tape.input(rest[0])
            else:
                given = [found[i] for i in operands(old.nodes[index])]
                constants = rest[: len(rest) - len(given)]
                found[index] = operations[operation](*constants, *given)
            self._sample()
            if index >= known:
                found[index] = self._first_equal(found[index])
        return found

    def _sample(self):
        """Evaluate the nodes that are new at all states."""
        for operation, *rest in self._tape.nodes[len(self._samples) :]:
            if operation == 'input':
                self._samples.append(self._states[rest[0]])
                continue
            places = operands((operation, *rest))
            constants = rest[: len(rest) - len(places)]
            given = [self._samples[i] for i in places]
            self._samples.append(OF_SAMPLES[operation](*constants, *given))

    def _first_equal(self, value):
        """Return the first value that is equal to another, up to its sign, or a constant."""
        if not isinstance(value, Recorded) or self._samples[value.index].ndim > 1:
            return value
        positive = value.positive or value
        if positive.index not in self._shared:
            self._shared[positive.index] = self._looked_up(positive)
        equal = self._shared[positive.index]
        return equal if positive is value else -equal

    def _looked_up(self, value):
        """Return the first value that is equal to one without a sign, or a constant."""
        sample = self._samples[value.index]
        size = np.abs(sample).max()
        if size <= EQUAL * self._size_of_terms(value.index):
            return 0.0
        sign = -1.0 if sample[0] < 0.0 else 1.0
        if np.abs(sample - sample[0]).max() <= EQUAL * size:
            return sign * _rounded(abs(float(sample.mean())))
        mantissa, exponent = np.frexp(sample[0] * sign)
        bucket = int(mantissa * DIGITS)
        for near in (bucket, bucket - 1, bucket + 1):
            for other, other_sign in self._known.get((near, int(exponent)), ()):
                gap = np.abs(sign * sample - other_sign * self._samples[other.index]).max()
                if gap <= EQUAL * size:
                    return other if sign == other_sign else -other
        self._known.setdefault((bucket, int(exponent)), []).append((value, sign))
        return value

    def _size_of_terms(self, index):
        """Return the largest term of a sum, whose rounding may be all of it; 0 for no sum."""
        operation, *rest = node = self._tape.nodes[index]
        if operation not in ('add', 'subtract', 'shift', 'from'):
            return 0.0
        constant = abs(rest[0]) if operation in ('shift', 'from') else 0.0
        return max(constant, *(np.abs(self._samples[i]).max() for i in operands(node)))


def _rounded(value):
    """Return a value rounded to CONSTANT_BITS bits."""
    mantissa, exponent = np.frexp(value)
    return float(np.ldexp(np.round(np.ldexp(mantissa, CONSTANT_BITS)), exponent - CONSTANT_BITS))
