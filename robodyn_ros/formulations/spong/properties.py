# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Properties of the equations of motion, checked on any robot: Spong, section 6.5.

    skew symmetry   Ddot - 2 C = -(Ddot - 2 C)^T                                      (6.112)
    passivity       int qd . tau dt = H(T) - H(0) >= -H(0), H >= 0                    (6.115)
    bounds          lambda_m 1 <= D(q) <= lambda_M 1                                  (6.120)
    linearity       tau = Y(q, qd, qdd) Theta                                         (6.122)

`print(report(check(robot)))` shows them. The Robot with its compiled algorithms is compared with
independent computations.
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
    """The result of checking one property.

    `name`: name of the property.
    `value`: result.
    `bound`: largest value for which the property holds.
    `sentence`: what the value is.
    """

    name: str
    value: float
    bound: float
    sentence: str

    @property
    def holds(self):
        """True if the value is within the bound; a value that is no number is not."""
        return bool(self.value <= self.bound)


def skew_symmetry(robot, q, qd):
    """Return how far N = Ddot - 2 C is from skew-symmetric.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    """
    C = robot.coriolis_matrix(q, qd)
    N = along(lambda x: mass_matrix(robot, x), q, qd) - 2.0 * C
    return _ratio(N + N.T, (C, np.abs(qd).max() * robot.mass_matrix(q)))


def linearity(robot, q, qd, qdd, rng):
    """Return how far the torque is from linear in the parameters Theta.

    Theta contains mass, first moment and inertia of every body, and rotor inertias. It is split at
    random into Theta_1 + Theta_2.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `qdd` ((nv,) array_like): joint accelerations [rad/s2, m/s2].
    `rng` (numpy.random.Generator): source of the random split.
    Returns difference of tau(Theta) and tau(Theta_1) + tau(Theta_2), relative.
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
    """Return the work of the torques and the gain of energy in a simulated motion.

    `q` ((nv,) array_like): joint coordinates [rad, m].
    `qd` ((nv,) array_like): joint velocities [rad/s, m/s].
    `torque` (callable): `torque(t)` returns the joint torques (nv,) [N m, N].
    `steps`: number of steps.
    `dt`: length of a step [s].
    Returns `work` (float): work of the torques [J].
    Returns `gain` (float): energy at the end minus energy at the start [J].
    """
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
    """Return the extreme eigenvalues of D(q) over the joint ranges.

    They are searched at random postures in `RobotModel.ranges`, then by pattern search from the
    best. So lambda_m is an upper estimate of its bound, and lambda_M a lower one.

    `samples`: number of random postures.
    `seed`: seed of the postures.
    Returns `lambda_m` (float): smallest eigenvalue [kg m2, kg].
    Returns `lambda_M` (float): largest eigenvalue [kg m2, kg].
    """
    lower, upper = robot.model.ranges
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


def check(robot, samples=20, seed=0):
    """Check every property at random states within the joint ranges.

    `samples`: number of states.
    `seed`: seed of the states.
    Returns results.
    """
    rng = np.random.default_rng(seed)
    lower, upper = robot.model.ranges
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
    # Work goes in and comes out, so the error scales with more than the difference of the ends.
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
    """Return the results of checks as a plain text table.

    `checks` (sequence of Check): results.
    """
    return '\n'.join(
        f'{c.name:<16}{"holds" if c.holds else "FAILS":<7}{c.value:11.2e}  {c.sentence}'
        for c in checks
    )


def _ratio(difference, sizes):
    """Return the largest difference relative to the largest of some sizes."""
    return np.abs(difference).max() / max(1e-12, *(np.abs(size).max() for size in sizes))


def _descend(f, x, lower, upper):
    """Return the least value of f near x in a box: steps along the axes, halved on failure."""
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
