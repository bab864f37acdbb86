# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A trajectory prepared for sampling in the loop: one polynomial per segment."""

import math

import numpy as np

from robodyn_ros.compile import kernel
from robodyn_ros.control.reference.polynomial import blended, splines
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Integer, Matrix, Scalar, Vector

ORDER = 6  # number of coefficients of a segment's polynomial
EFFORT = ORDER  # rows of a segment with the effort at its start and the slope of the effort
STRIDE = ORDER + 2  # rows of a segment
ROWS = 4  # position, velocity, acceleration, effort
CHECKED_INSTANTS = 16  # number of times in every segment at which limits are checked
BLOCK = 32  # segments checked per call, to bound the wait of other threads
SPEED_TOLERANCE = 1.001  # [-] rounding must not refuse a plan that reaches a velocity limit
#: [-] Splines between the points of a time-optimal plan swing over its largest velocity. Where an
#: acceleration begins or ends between two points, this is up to a sixth.
SWING = 1.2


class Path:
    """The reference as a function of the time since reception.

    `knots` (s + 1,): times from 0 [s].
    `coefficients` (8 s, nv): of each segment: ascending powers of the time since it
      began, and two of the effort.
    `end` (4, nv): value after the last knot. Without segments it is a target.
    """

    def __init__(self, knots, coefficients, end):
        self.knots, self.coefficients, self.end = knots, coefficients, end
        self.duration = float(knots[-1])
        self._sample = sample.vectorcall

    @classmethod
    def through(cls, trajectory, start):
        """Return the path from a start through the remaining points of a trajectory.

        Position, velocity and effort continue from the start, and the acceleration too where the
        first segment is quintic. At the end the path is at rest.
        """
        passed = trajectory.passed
        if passed == trajectory.times.size:
            end = trajectory.rows[:, -1].copy()
            end[1:3] = 0.0
            return cls(np.zeros(1), np.zeros((0, end.shape[1])), end)
        knots = np.concatenate([[0.0], trajectory.times[passed:] + trajectory.delay])
        rows = np.concatenate([start[:, None], trajectory.rows[:, passed:]], axis=1)
        degrees = trajectory.degrees[passed:]
        degrees = np.minimum(np.concatenate([degrees[:1], degrees[:-1]]), degrees)
        with np.errstate(over='ignore', invalid='ignore', divide='ignore'):
            # the limits refuse an overflow
            if degrees[0] == 1:
                knots, rows, degrees = blended(knots, rows, degrees)
            coefficients = np.concatenate(
                [splines(knots, *rows[:3], degrees), _lines(knots, rows[3])], axis=1
            )
        end = np.zeros_like(start)
        end[0], end[3] = rows[0, -1], rows[3, -1]
        return cls(knots, coefficients.reshape(-1, end.shape[1]), end)

    @classmethod
    def target(cls, trajectory):
        """Return the path of one target that holds at once, with its velocity.

        `trajectory` (Trajectory): the target, a trajectory of one point.
        """
        end = trajectory.rows[:, -1].copy()
        return cls(np.zeros(1), np.zeros((0, end.shape[1])), end)

    def merged(self, other, mine):
        """Return the path that has some joints of this one, and the others of another.

        `other` (Path): the other one, which begins at the same time.
        `mine` ((nv,) ndarray of bool): joints of this path.
        """
        knots = np.union1d(self.knots, other.knots)
        rows = np.where(mine, self._over(knots), other._over(knots))
        return Path(knots, rows.reshape(-1, len(mine)), np.where(mine, self.end, other.end))

    def followed_by(self, other, begin, switch):
        """Return the path along this one, and then along another.

        `other` (Path): the other one.
        `begin`: time on this path at which the new one begins [s].
        `switch`: time on this path at which the other one begins [s].
        """
        between = self.knots[(begin < self.knots) & (self.knots < switch)]
        knots = np.concatenate([[begin], between, [switch]])
        rows = self._over(knots).reshape(-1, self.end.shape[1])
        return Path(
            np.concatenate([knots, switch + other.knots[1:]]) - begin,
            np.concatenate([rows, other.coefficients]),
            other.end,
        )

    def _over(self, knots):
        """Return the coefficients over more knots, (s, 8, nv): polynomials are moved to them."""
        rest = np.zeros((1, STRIDE, self.end.shape[1]))
        rest[0, 0], rest[0, EFFORT] = self.end[0], self.end[3]
        rows = np.concatenate([self.coefficients.reshape(-1, *rest.shape[1:]), rest])
        k = np.searchsorted(self.knots, knots[:-1], side='right') - 1
        rows, later = rows[k], (knots[:-1] - self.knots[k])[:, None]
        for begin in range(ORDER - 1):
            for row in range(ORDER - 2, begin - 1, -1):
                rows[:, row] += later * rows[:, row + 1]
        rows[:, EFFORT] += later * rows[:, EFFORT + 1]
        return rows

    def sample(self, t, reference):
        """Write position, velocity and acceleration at a time.

        `t`: time since reception [s].
        `reference` (4, nv): position, velocity, acceleration and effort, written.
        """
        self._sample(self.knots, self.coefficients, self.end, t, reference)

    def refusal(self, start, lower, upper, velocity, joint_names):
        """Refuse a path that leaves the limits.

        The path is checked at CHECKED_INSTANTS of every segment. A start beyond a limit is
        accepted if the path returns within it. Between two points the velocity may be SWING times
        its limit.

        `lower`, `upper`, `velocity` (nv,): limits of the joints [rad or m, rad/s or
          m/s].
        Returns reason of the refusal, with the joint, or ''.
        """
        limits = np.array(
            [
                np.minimum(lower, start[0]),
                np.maximum(upper, start[0]),
                np.maximum(velocity, np.abs(start[1])),
            ]
        )
        segments = len(self.knots) - 1
        for begin in range(0, segments + 1, BLOCK):
            stop = min(begin + BLOCK, segments + 1)
            found = first_violation(self.knots, self.coefficients, self.end, limits, begin, stop)
            if found >= 0:
                return self._describe(found, limits, joint_names)
        return ''

    def _describe(self, found, limits, joint_names):
        """Return a message about the result of `first_violation`."""
        instant, i = divmod(found, self.end.shape[1])
        k, j = divmod(instant, CHECKED_INSTANTS)
        t, reference = self.duration, np.empty_like(self.end)
        if k < len(self.knots) - 1:
            t = self.knots[k] + j / CHECKED_INSTANTS * (self.knots[k + 1] - self.knots[k])
        self.sample(t, reference)
        q, qd = reference[:2, i]
        low, high, speed = limits[:, i]
        what, value = 'position', q
        if low <= q <= high and math.isfinite(q):
            speed *= SWING if j or k == len(self.knots) - 1 else SPEED_TOLERANCE
            what, value, low, high = 'velocity', qd, -speed, speed
        return (
            f'{what}: joint {joint_names[i]} would be at {value:.6g} after {t:.6g} s; '
            f'expected {low:.6g} to {high:.6g}'
        )


@primitive
def evaluate(coefficients, k, i, u):
    """Evaluate the polynomial of a joint within a segment.

    `k`, `i`: numbers of the segment and of the joint.
    `u`: time since the segment began [s].
    Returns position, velocity and half the acceleration.
    """
    q, qd, half_qdd = 0.0, 0.0, 0.0
    for row in range(STRIDE * k + ORDER - 1, STRIDE * k - 1, -1):
        half_qdd = half_qdd * u + qd
        qd = qd * u + q
        q = q * u + coefficients[row, i]
    return q, qd, half_qdd


def _lines(knots, efforts):
    """Return value and slope of the effort in each segment, (s, 2, nv)."""
    return np.stack([efforts[:-1], np.diff(efforts, axis=0) / np.diff(knots)[:, None]], axis=1)


@primitive
def keeps_to(limits, i, q, qd, factor):
    """Return whether a position and a velocity of a joint are finite and within the limits.

    `limits` (3, nv): lowest and highest position, highest speed.
    `i`: number of the joint.
    `q`, `qd`: position and velocity [rad or m, rad/s or m/s].
    `factor`: factor on the highest speed [-].
    """
    return (
        math.isfinite(q)
        and math.isfinite(qd)
        and limits[0, i] <= q <= limits[1, i]
        and abs(qd) <= factor * limits[2, i]
    )


@kernel
def sample(knots: Vector, coefficients: Matrix, end: Matrix, t: Scalar, reference: Matrix):
    """Write position, velocity, acceleration and effort at a time; bisection, O(log s + nv).

    `t`: time since reception [s].
    `reference`: position, velocity, acceleration and effort, written.
    """
    last = knots.shape[0] - 1
    if not (t < knots[last]):
        for row in range(ROWS):
            for i in range(end.shape[1]):
                reference[row, i] = end[row, i]
        return
    low, high = 0, last
    while high - low > 1:
        middle = (low + high) // 2
        if knots[middle] <= t:
            low = middle
        else:
            high = middle
    u = max(t - knots[low], 0.0)
    for i in range(end.shape[1]):
        q, qd, half_qdd = evaluate(coefficients, low, i, u)
        reference[0, i], reference[1, i], reference[2, i] = q, qd, 2.0 * half_qdd
        effort = STRIDE * low + EFFORT
        reference[3, i] = coefficients[effort, i] + u * coefficients[effort + 1, i]


@kernel
def first_violation(
    knots: Vector, coefficients: Matrix, end: Matrix, limits: Matrix, begin: Integer, stop: Integer
):
    """Return where the segments from begin to stop - 1 first leave the limits.

    `limits`: lowest and highest position, highest speed.
    `begin`, `stop`: range of the segments.
    """
    n = end.shape[1]
    for k in range(begin, stop):
        at_end = k == knots.shape[0] - 1
        for j in range(1 if at_end else CHECKED_INSTANTS):
            for i in range(n):
                q, qd = end[0, i], end[1, i]
                if not at_end:
                    u = j / CHECKED_INSTANTS * (knots[k + 1] - knots[k])
                    q, qd, _ = evaluate(coefficients, k, i, u)
                factor = SWING if j > 0 or at_end else SPEED_TOLERANCE
                if not keeps_to(limits, i, q, qd, factor):
                    return (k * CHECKED_INSTANTS + j) * n + i
    return -1


KERNELS = (sample, first_violation)
