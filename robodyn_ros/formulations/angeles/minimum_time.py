# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The shortest time for a motion of given shape under torque limits: Angeles, Example 7.5.1.

    q(t) = q0 + s(t/T) dq,    tau = f(x)/T^2,    f(x) = (s'' I(q) + s'^2 C(q, dq)) dq,    x = t/T
    F_i = max |f_i(x)|,    T_i = sqrt(F_i/taubar_i),    T_min = max T_i

Weight and friction are left out, as they do not scale with 1/T^2. The cost is an inverse dynamics
per sample.
"""

from dataclasses import dataclass

import numpy as np
from numpy.polynomial import Polynomial

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.arm import model_of, states
from robodyn_ros.formulations.craig.iterative_newton_euler import inverse_dynamics
from robodyn_ros.formulations.turney.strobing import NO_GRAVITY

S345 = Polynomial([0.0, 0.0, 0.0, 10.0, -15.0, 6.0])
S4567 = Polynomial([0.0, 0.0, 0.0, 0.0, 35.0, -84.0, 70.0, -20.0])
GOLDEN = (np.sqrt(5.0) - 1.0) / 2.0


@dataclass(frozen=True, eq=False)
class MinimumTime:
    """The shortest time of a motion.

    Parameters
    ----------
    time : float
        Shortest time within all limits [s].
    times : (n,) ndarray
        Shortest time within each joint's own limit [s].
    forces : (n,) ndarray
        F of each joint [N m s2, N s2].
    """

    time: float
    times: np.ndarray
    forces: np.ndarray


def minimum_time(robot, q0, dq, limits, shape=S345, samples=500):
    """Return the shortest time from q0 to q0 + dq under torque limits.

    Parameters
    ----------
    robot : Robot or RobotModel
        The robot.
    q0 : (n,) array_like
        Coordinates at the start [rad, m].
    dq : (n,) array_like
        Displacement [rad, m].
    limits : (n,) array_like
        Largest |tau_i|, above 0 [N m, N].
    shape : numpy.polynomial.Polynomial
        s(x), from 0 to 1 on [0, 1].
    samples : int
        Number of intervals that are searched before maxima are refined.

    Returns
    -------
    MinimumTime
        The time.

    Raises
    ------
    ShapeError
        If an array has another shape.
    ParameterError
        If a limit is not above 0.
    """
    q0, dq, limits = states(robot, q0, dq, limits)
    model = model_of(robot)
    if not (limits > 0.0).all():
        raise ParameterError(f'robot {model.name!r}: torque limits are {limits}; expected > 0')
    weightless, rate, curvature = robot.with_gravity(NO_GRAVITY), shape.deriv(), shape.deriv(2)

    def f(x):
        return np.abs(
            inverse_dynamics(weightless, q0 + shape(x) * dq, rate(x) * dq, curvature(x) * dq)
        )

    grid = np.linspace(0.0, 1.0, samples + 1)
    peaks = np.argmax([f(x) for x in grid], axis=0)
    forces = np.array(
        [
            _maximum(lambda x, i=i: f(x)[i], grid[max(k - 1, 0)], grid[min(k + 1, samples)])
            for i, k in enumerate(peaks)
        ]
    )
    times = np.sqrt(forces / limits)
    return MinimumTime(times.max(), times, forces)


def _maximum(f, a, b):
    """Return the largest value of f between a and b, for one maximum, by golden section."""
    best = max(f(a), f(b))
    while b - a > 1e-9:
        left, right = b - GOLDEN * (b - a), a + GOLDEN * (b - a)
        at_left, at_right = f(left), f(right)
        best = max(best, at_left, at_right)
        a, b = (a, right) if at_left > at_right else (left, b)
    return best
