# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Two Runge-Kutta schemes that agree on a step or halve it: Angeles, section 7.6.3.

    |y^(N+1) - y^N| < tolerance:   the step h is taken; otherwise h / 2 is tried

    2, 3   k2 = f(h, y + h k1),  k3 = f(h/2, y + h (k1 + k2)/4)
           y^2 = y + h (k1 + k2)/2,  y^3 = y + h (k1 + k2 + 4 k3)/6
    4, 5   Kutta and Merson: k2 at h/3, k3 at h/3, k4 at h/2, k5 at h
           y^4 = y + h (k1 - 3 k3 + 4 k4)/2,  y^5 = y + h (k1 + 4 k4 + k5)/6

The text names the pairs without coefficients; in these, both schemes share their stages. y^3 is of
third and y^5 of fourth order. Each step begins again with the given h.
"""

from typing import NamedTuple

import numpy as np

from robodyn_ros.errors import ParameterError, SingularityError

#: Halvings of one step before it is given up: h is then 1e-9 of the first.
HALVINGS = 30


class Solution(NamedTuple):
    """A solution at all accepted steps.

    `t`: times [s].
    `y`: states.
    `refused`: number of refused steps.
    """

    t: np.ndarray
    y: np.ndarray
    refused: int


def two_three(f, t, y, h):
    """Return y^2 and y^3 after one step of y' = f(t, y).

    `f` (callable): `f(t, y)` returns the rate (m,) of y.
    `t`: time [s].
    `y` (m,): state.
    `h`: length of the step [s].
    Returns `coarse` (m,): y^2.
    Returns `fine` (m,): y^3.
    """
    k1 = f(t, y)
    k2 = f(t + h, y + h * k1)
    k3 = f(t + h / 2, y + h / 4 * (k1 + k2))
    return y + h / 2 * (k1 + k2), y + h / 6 * (k1 + k2 + 4 * k3)


def four_five(f, t, y, h):
    """Return y^4 and y^5 after one step of y' = f(t, y).

    `f` (callable): `f(t, y)` returns the rate (m,) of y.
    `t`: time [s].
    `y` (m,): state.
    `h`: length of the step [s].
    Returns `coarse` (m,): y^4.
    Returns `fine` (m,): y^5.
    """
    k1 = f(t, y)
    k2 = f(t + h / 3, y + h / 3 * k1)
    k3 = f(t + h / 3, y + h / 6 * (k1 + k2))
    k4 = f(t + h / 2, y + h / 8 * (k1 + 3 * k3))
    fourth = y + h / 2 * (k1 - 3 * k3 + 4 * k4)
    return fourth, y + h / 6 * (k1 + 4 * k4 + f(t + h, fourth))


def simulate(f, y, duration, h, tolerance, pair=four_five):
    """Solve y' = f(t, y) over a duration, with steps that are halved as needed.

    `f` (callable): `f(t, y)` returns the rate (m,) of y.
    `y` ((m,) array_like): state at the start.
    `duration`: duration [s].
    `h`: longest step [s].
    `tolerance`: largest norm of the difference of both schemes, in the units of y.
    `pair` (callable): `two_three` or `four_five`.
    Returns the solution.
    Raises ParameterError: if h, the duration or the tolerance is not above 0.
    Raises SingularityError: if no step is short enough.
    """
    if not min(h, duration, tolerance) > 0.0:
        raise ParameterError(
            f'got a step of {h} s, a duration of {duration} s and a tolerance of {tolerance}; '
            'expected all above 0'
        )
    t, y, refused = 0.0, np.array(y, dtype=float), 0
    times, states = [t], [y]
    while duration - t > 1e-12 * duration:
        step = min(h, duration - t)
        for _ in range(HALVINGS):
            coarse, fine = pair(f, t, y, step)
            if np.linalg.norm(fine - coarse) < tolerance:
                break
            step, refused = step / 2, refused + 1
        else:
            raise SingularityError(
                f'at {t:.6g} s no step down to {step:.3g} s is within the tolerance {tolerance}; '
                'expected a smooth f, or an implicit method where the system is stiff'
            )
        t, y = t + step, fine
        times.append(t)
        states.append(y)
    return Solution(np.array(times), np.array(states), refused)
