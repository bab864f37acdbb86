# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spong, section 6.5, as checks to run on any robot: `print(report(check(robot)))`.

    skew symmetry   Ddot - 2 C = -(Ddot - 2 C)^T                                      (6.112)
    passivity       int qd . tau dt = H(T) - H(0) >= -H(0), H >= 0                    (6.115)
    bounds          lambda_m 1 <= D(q) <= lambda_M 1                                  (6.120)
    linearity       tau = Y(q, qd, qdd) Theta                                         (6.122)

The Robot with its compiled recursions is compared with independent computations.
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.formulations.angeles.kane import mass_matrix
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.simulate import runge_kutta
from robodyn_ros.model.layout import MASS, ROTOR
from robodyn_ros.robot.robot import Robot

ROUNDING = 1e-9  # relative, of sums of some thousand terms
INTEGRATION = 1e-6  # relative, of Runge-Kutta at STEP
STEP, STEPS = 1e-3, 500


@dataclass(frozen=True)
class Check:
    """One property: the result, its bound, and a sentence."""

    name: str
    value: float
    bound: float
    sentence: str

    @property
    def holds(self):
        """False also where the value is not a number."""
        return bool(self.value <= self.bound)


def skew_symmetry(robot, q, qd):
    """Return the largest entry of N + N^T, N = Ddot - 2 C, relative to C and to D times qd."""
    C = robot.coriolis_matrix(q, qd)
    N = along(lambda x: mass_matrix(robot, x), q, qd) - 2.0 * C
    return _ratio(N + N.T, (C, np.abs(qd).max() * robot.mass_matrix(q)))


def linearity(robot, q, qd, qdd, rng):
    """Deviation of tau(Theta_1 + Theta_2) from tau(Theta_1) + tau(Theta_2), relative.

    Theta : mass, first moment, inertia of every body and rotor inertias, split at random.
    """
    whole = robot.model.constants
    part = whole.copy()
    part[:, MASS : ROTOR + 1] *= rng.uniform(size=(len(whole), ROTOR + 1 - MASS))
    rest = whole.copy()
    rest[:, MASS : ROTOR + 1] -= part[:, MASS : ROTOR + 1]
    tau, *parts = (
        Robot(robot.model.with_constants(table)).inverse_dynamics(q, qd, qdd)
        for table in (whole, part, rest)
    )
    return _ratio(tau - sum(parts), (tau, *parts))


def passivity(robot, q, qd, torque, steps=STEPS, dt=STEP):
    """(work [J], gain of energy [J]) along a simulated motion under torque(t) (n,)."""
    n = robot.nv

    def rate(t, y):
        tau = torque(t)
        qdd = robot.forward_dynamics(y[:n], y[n : 2 * n], tau)
        return np.concatenate((y[n : 2 * n], qdd, [y[n : 2 * n] @ tau]))

    y = np.concatenate((q, qd, [0.0]))
    before = sum(robot.energy(q, qd))
    for k in range(steps):
        y = runge_kutta(rate, k * dt, y, dt)
    return y[-1], sum(robot.energy(y[:n], y[n : 2 * n])) - before


def inertia_bounds(robot, samples=2000, seed=0):
    """(lambda_m, lambda_M): extreme eigenvalues of D(q) over the joint ranges [kg m2, kg, ...].

    By random postures. The best of them is improved by a pattern search. lambda_m is an upper
    estimate of the bound, and lambda_M a lower one. A joint without limits is searched over one
    turn if it turns. If it slides, it is searched over a metre either way.
    """
    lower, upper = ranges(robot)
    q = np.random.default_rng(seed).uniform(lower, upper, (samples, robot.nv))
    values = np.linalg.eigvalsh(robot.mass_matrix(q))

    def smallest(x):
        return np.linalg.eigvalsh(robot.mass_matrix(x))[0]

    def largest(x):
        return -np.linalg.eigvalsh(robot.mass_matrix(x))[-1]

    return (
        _descend(smallest, q[np.argmin(values[:, 0])], lower, upper),
        -_descend(largest, q[np.argmax(values[:, -1])], lower, upper),
    )


def ranges(robot):
    """(lower, upper), (n,) each: the joint limits, or a turn or a metre where there are none."""
    free = np.where(robot.model.slides, 1.0, np.pi)
    return (
        np.where(np.isfinite(robot.limits.lower), robot.limits.lower, -free),
        np.where(np.isfinite(robot.limits.upper), robot.limits.upper, free),
    )


def check(robot, samples=20, seed=0):
    """Return every property at random states within the joint ranges: a list of Check."""
    rng = np.random.default_rng(seed)
    lower, upper = ranges(robot)
    found = [
        (skew_symmetry(robot, q, qd), linearity(robot, q, qd, qdd, rng))
        for q, qd, qdd in (
            (rng.uniform(lower, upper), *rng.uniform(-2, 2, (2, robot.nv))) for _ in range(samples)
        )
    ]
    skew, linear = np.max(found, axis=0)
    q = rng.uniform(lower, upper)
    push = robot.gravity_torque(q)
    work, gain = passivity(robot, q, np.zeros(robot.nv), lambda t: push * np.cos(6.0 * t))
    # The work that went in and out, of which the two ends are only the difference
    scale = max(abs(work), abs(gain), np.abs(push).max() * STEP * STEPS, 1e-9)
    smallest, largest = inertia_bounds(robot, seed=seed)
    return [
        Check('skew symmetry', skew, ROUNDING, 'Ddot - 2 C + (Ddot - 2 C)^T, relative'),
        Check(
            'passivity',
            abs(work - gain) / scale,
            INTEGRATION,
            f'work {work:.6g} J, gain of energy {gain:.6g} J in {STEP * STEPS:g} s',
        ),
        Check(
            'inertia bounds',
            -smallest,
            -np.finfo(float).tiny,
            f'{smallest:.6g} <= D(q) <= {largest:.6g} over the joint ranges',
        ),
        Check('linearity', linear, ROUNDING, 'tau of a split parameter vector, relative'),
    ]


def report(checks):
    """Return the checks as a plain text table."""
    return '\n'.join(
        f'{c.name:<16}{"holds" if c.holds else "FAILS":<7}{c.value:11.2e}  {c.sentence}'
        for c in checks
    )


def _ratio(difference, sizes):
    return np.abs(difference).max() / max(1e-12, *(np.abs(size).max() for size in sizes))


def _descend(f, x, lower, upper):
    """Least value of f near x in the box: steps along the axes, halved when none of them helps."""
    best, step = f(x), 0.1 * (upper - lower)
    while step.max() > 1e-7:
        axes = np.diag(step)
        trials = [np.clip(x + move, lower, upper) for move in (*axes, *-axes)]
        values = [f(trial) for trial in trials]
        if min(values) < best:
            best, x = min(values), trials[int(np.argmin(values))]
        else:
            step = step / 2
    return best
