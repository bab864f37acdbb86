# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Simulation of x' = f(t, x), x = (q, qd): Angeles, section 7.6.3 (7.45, 7.119, 7.120).

    ode23, ode45    explicit Runge-Kutta methods in pairs, of two and three stages and of four and
                    five, which choose their step by comparing with each other
    gear            implicit, for stiff arms: heavy near the base and light at the tip
    backward Euler  y_(k+1) = y_k + h f(t_(k+1), y_(k+1))                               (7.121)

The first three are scipy's RK23, RK45 and BDF.

Corrections to the print: (7.121) is the rectangle rule at the end of the step, not the trapezoidal
one. A Runge-Kutta method has as many stages as its order only up to four.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ParameterError, SingularityError, short_repr

SOLVERS = {'ode23': 'RK23', 'ode45': 'RK45', 'gear': 'BDF'}


@dataclass(frozen=True, eq=False)
class Simulation:
    """A simulated motion.

    `t`: times [s].
    `q`: coordinates [rad, m].
    `qd`: velocities [rad/s, m/s].
    `evaluations`: number of calls of the acceleration.
    """

    t: np.ndarray
    q: np.ndarray
    qd: np.ndarray
    evaluations: int

    __repr__ = short_repr


def simulate(acceleration, q, qd, duration, method='ode45', tolerance=1e-8):
    """Simulate a robot over a duration; needs scipy.

    `acceleration` (callable): `acceleration(t, q, qd)` returns the accelerations (n,) [rad/s2,
      m/s2].
    `q` ((n,) array_like): coordinates at the start [rad, m].
    `qd` ((n,) array_like): velocities at the start [rad/s, m/s].
    `duration`: duration [s].
    `method`: 'ode23', 'ode45' or 'gear'.
    `tolerance`: relative and absolute tolerance of one step.
    Returns the motion.
    Raises ParameterError: for another method, or if the solver fails.
    """
    if method not in SOLVERS:
        raise ParameterError(f'method is {method!r}; expected one of {", ".join(SOLVERS)}')
    from scipy.integrate import solve_ivp  # optional dependency

    n = len(q)
    found = solve_ivp(
        lambda t, x: np.concatenate((x[n:], acceleration(t, x[:n], x[n:]))),
        (0.0, duration),
        np.concatenate((q, qd)),
        method=SOLVERS[method],
        rtol=tolerance,
        atol=tolerance,
    )
    if not found.success:
        raise ParameterError(
            f'{method} stopped at {found.t[-1]:.6g} s; expected to reach {duration} s: '
            f'{found.message}'
        )
    return Simulation(found.t, found.y[:n].T, found.y[n:].T, found.nfev)


def backward_euler(f, t, y, h, tolerance=1e-10, iterations=20):
    """Return y after one step of (7.121) for y' = f(t, y), by Newton's iteration.

    The error is of order h.

    `f` (callable): `f(t, y)` returns the rate of y.
    `t`: time [s].
    `y` (m,): state.
    `h`: length of the step [s].
    `tolerance`: tolerance of the last Newton step, relative to 1 + |y|.
    `iterations`: largest number of iterations.
    Raises SingularityError: if the iteration has not converged.
    """
    z = y + h * f(t, y)
    for _ in range(iterations):
        value = f(t + h, z)
        slope = np.stack(
            [(f(t + h, z + d) - value) / d.sum() for d in np.diag(1e-7 * (1.0 + np.abs(z)))],
            axis=1,
        )
        step = np.linalg.solve(np.eye(len(y)) - h * slope, y + h * value - z)
        z = z + step
        if np.abs(step).max() < tolerance * (1.0 + np.abs(z).max()):
            return z
    raise SingularityError(
        f'backward Euler has not converged at {t + h:.6g} s; expected a step shorter than {h} s'
    )
