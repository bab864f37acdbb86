# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shortest time for a motion of given shape within all limits: Angeles, Example 7.5.1.

    q(t) = q0 + s(t/T) dq,    x = t/T,    f(x) = (s'' I(q) + s'^2 C(q, dq)) dq
    tau = f(x)/T^2 + d(x)/T + w(x),    |tau_i| <= taubar_i,    |qd_i| <= qdbar_i

The book has f alone, so T_i = sqrt(max |f_i|/taubar_i). Here w is the weight with the Coulomb
friction, and d = s' D dq the viscous friction. The time that a torque limit of the sign p = +-1
allows at x is the larger solution of an equation in 1/T:

    T = (p d + sqrt(d^2 + 4 p f room))/(2 room),    room = taubar - p w

Stiction adds to the Coulomb friction, and so does the amplitude of friction that varies with the
position. The torque is then below its limit. The cost is two inverse dynamics per sample.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from robodyn_ros.errors import ModelError, ParameterError, short_repr
from robodyn_ros.formulations.craig.iterative_newton_euler import inverse_dynamics
from robodyn_ros.formulations.posture import model_of, states
from robodyn_ros.formulations.turney.strobing import NO_GRAVITY
from robodyn_ros.model.layout import COSINE, DAMPING, FRICTION, SINE, STICTION

S345 = Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
S4567 = Polynomial([0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0])
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True, eq=False)
class MinimumTime:
    """The shortest time of a motion.

    `time`: shortest time within all limits [s].
    `times`: shortest time within each joint's own limits [s].
    `forces`: max |f| of each joint [N m s2, N s2].
    """

    time: float
    times: np.ndarray
    forces: np.ndarray

    __repr__ = short_repr


def minimum_time(robot, q0, dq, limits, shape=S345, samples=500):
    """Return the shortest time from q0 to q0 + dq within the limits of torque and velocity.

    The velocity limits are those of the description, and the weight is that of its gravity.

    `q0` ((n,) array_like): coordinates at the start [rad, m].
    `dq` ((n,) array_like): displacement [rad, m].
    `limits` ((n,) array_like): largest |tau_i|, above 0 [N m, N].
    `shape` (numpy.polynomial.Polynomial): s(x), from 0 to 1 on [0, 1], without a return.
    `samples`: number of intervals that are searched before maxima are refined.
    Raises ShapeError: if an array has another shape.
    Raises ParameterError: if a torque limit is not above 0, or the motion leaves the range of a
      joint.
    Raises ModelError: if a joint cannot hold the arm in a posture on the way, so that no time is
      long enough.
    """
    q0, dq, limits = states(robot, q0, dq, limits)
    model = model_of(robot)
    if not (limits > 0.0).all():
        raise ParameterError(f'robot {model.name!r}: torque limits are {limits}; expected > 0')
    _require_range(model, q0, q0 + dq)
    weightless, rate, curvature = robot.with_gravity(NO_GRAVITY), shape.deriv(), shape.deriv(2)
    dry = model.joint_values(FRICTION) + model.joint_values(STICTION)
    dry = np.sign(dq) * (dry + np.hypot(model.joint_values(COSINE), model.joint_values(SINE)))
    viscous, rest = model.joint_values(DAMPING) * dq, np.zeros_like(dq)

    def f(x):
        return inverse_dynamics(weightless, q0 + shape(x) * dq, rate(x) * dq, curvature(x) * dq)

    def weight(x):
        return inverse_dynamics(robot, q0 + shape(x) * dq, rest, rest) + dry

    def times(x):
        force, w, d = f(x), weight(x), rate(x) * viscous
        found = np.abs(rate(x) * dq) / model.limits.velocity
        for sign in (1.0, -1.0):
            room = limits - sign * w
            if not (room > 0.0).all():
                raise ModelError(_unheld(model, q0 + shape(x) * dq, w, limits))
            inner = d * d + 4.0 * sign * force * room
            root = sign * d + np.sqrt(np.maximum(inner, 0.0))
            found = np.maximum(found, np.where(inner >= 0.0, root / (2.0 * room), 0.0))
        return found

    grid = np.linspace(0.0, 1.0, samples + 1)
    each = _maxima(times, grid)
    return MinimumTime(each.max(), each, _maxima(lambda x: np.abs(f(x)), grid))


def _require_range(model, *ends):
    """Refuse ends of a motion beyond the position limits."""
    for q in ends:
        lower, upper = model.limits.lower, model.limits.upper
        wrong = np.flatnonzero(~((lower <= q) & (q <= upper)))
        if wrong.size:
            i = wrong[0]
            raise ParameterError(
                f'robot {model.name!r}: the motion has joint {model.joint_names[i]} at '
                f'{q[i]:.6g}; expected {lower[i]:.6g} to {upper[i]:.6g}'
            )


def _unheld(model, q, weight, limits):
    """Return a sentence about the joint that cannot hold a posture."""
    i = np.argmax(np.abs(weight) / limits)
    return (
        f'robot {model.name!r}: joint {model.joint_names[i]} needs {abs(weight[i]):.6g} against '
        f'weight and dry friction at q = {np.round(q, 6).tolist()}, however slow the motion is; '
        f'expected less than its limit, {limits[i]:.6g}. A larger limit or another way is needed.'
    )


def _maxima(f, grid):
    """Return the largest value of each entry of f on a grid, refined between its points."""
    peaks, last = np.argmax([f(x) for x in grid], axis=0), len(grid) - 1
    return np.array(
        [
            _maximum(lambda x, i=i: f(x)[i], grid[max(k - 1, 0)], grid[min(k + 1, last)])
            for i, k in enumerate(peaks)
        ]
    )


def _maximum(f, a, b):
    """Return the largest value of f between a and b, for one maximum, by golden section."""
    best = max(f(a), f(b))
    while b - a > 1e-9:
        left, right = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        at_left, at_right = f(left), f(right)
        best = max(best, at_left, at_right)
        a, b = (a, right) if at_left > at_right else (left, b)
    return best
