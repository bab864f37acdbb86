# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An exciting motion: periodic, within the limits, from rest to rest.

q_j(t) = q0_j + sum_l (a_jl sin(l w t) - b_jl cos(l w t)) / (l w): a finite Fourier series (Swevers
et al. 1997, "Optimal robot excitation and identification"), whose derivatives are exact. The
coefficients satisfy sum a = 0 and sum l b = 0. So velocity and acceleration are zero at t = 0 and
after each period. A random search minimises the condition number of W_b (Gautier and Khalil 1992).
"""

from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ParameterError, short_repr
from robodyn_ros.identification.inertial_parameters import Parameters
from robodyn_ros.model.extended.joint_friction import friction_of
from robodyn_ros.model.layout import STRIBECK_VELOCITY

HARMONICS = 5
MARGIN = 0.9  # usable share of the limits
SAMPLES = 100  # of a period, at which limits and condition number are evaluated
UNLIMITED = np.pi  # [rad or m] range of a joint without position limits, to either side
ROUNDING = 16.0 * np.finfo(float).eps  # of a sum of ten terms, relative to their magnitudes
FASTEST = 2.0  # [rad/s or m/s] of a joint without a velocity limit
FAST_ENOUGH = 5.0  # times the Stribeck velocity
SHORTER = 6  # trials with shorter passages
PASSAGE = 10.0  # [s] of a slow motion in one direction
#: Share of the largest eigenvalue above which rounding leaves six digits of the least.
SQUARED = 1e-9


@dataclass(frozen=True, eq=False)
class Fourier:
    """A periodic motion: a finite Fourier series for each joint.

    Parameters
    ----------
    centre : (nv,) ndarray
        Centre of the motion [rad or m].
    a, b : (nv, harmonics) ndarray
        Coefficients [rad/s or m/s].
    period : float
        Period [s].
    """

    centre: np.ndarray
    a: np.ndarray
    b: np.ndarray
    period: float

    __repr__ = short_repr

    def at(self, t):
        """Return position, velocity and acceleration, each (k, nv).

        Parameters
        ----------
        t : (k,) array_like
            Times [s].
        """
        w = 2.0 * np.pi / self.period * np.arange(1, self.a.shape[1] + 1)
        angle = np.outer(t, w)
        s, c = np.sin(angle), np.cos(angle)
        velocity = c @ self.a.T + s @ self.b.T
        # at rest friction has no sign; the rounding of sum a = 0 would give it one
        resting = ROUNDING * (np.abs(self.a) + np.abs(self.b)).sum(axis=1)
        return (
            self.centre + s @ (self.a / w).T - c @ (self.b / w).T,
            np.where(np.abs(velocity) <= resting, 0.0, velocity),
            c @ (self.b * w).T - s @ (self.a * w).T,
        )


@dataclass(frozen=True, eq=False)
class SlowPassages:
    """A periodic motion, followed by slow motions of the joints with a Stribeck curve.

    v(t) = V sin^2(pi t / T) forwards, then backwards. V is FAST_ENOUGH times the Stribeck
    velocity, so a joint is slower than that for 30 % of the time.

    `first`: the periodic motion.
    `speed`: V with the sign of the direction, zero for the other joints [rad/s or m/s].
    `passage`: T [s].
    """

    first: Fourier
    speed: np.ndarray
    passage: float

    __repr__ = short_repr

    @property
    def period(self):
        """Return the period of the whole motion [s]."""
        return self.first.period + 2.0 * self.passage

    def at(self, t):
        """Return position, velocity and acceleration, each (k, nv).

        `t` ((k,) array_like): times [s].
        """
        t = np.mod(np.asarray(t, dtype=float), self.period)
        slow, w = np.maximum(t - self.first.period, 0.0), 2.0 * np.pi / self.passage
        back = slow > self.passage
        slow = slow - self.passage * back
        way, sign = 0.5 * (slow - np.sin(w * slow) / w), np.where(back, -1.0, 1.0)
        parts = (
            np.where(back, 0.5 * self.passage, 0.0) + sign * way,
            sign * 0.5 * (1.0 - np.cos(w * slow)),
            sign * 0.5 * w * np.sin(w * slow),
        )
        states = self.first.at(np.minimum(t, self.first.period))
        return tuple(each + np.outer(part, self.speed) for each, part in zip(states, parts))


@dataclass(frozen=True, eq=False)
class Excitation:
    """An exciting motion.

    Parameters
    ----------
    motion : Fourier
        The motion.
    condition : float
        Condition number of W_b on it.
    tried : int
        Number of motions tried.
    """

    motion: Fourier
    condition: float
    tried: int

    __repr__ = short_repr


def excite(
    robot,
    base,
    parameters=None,
    period=10.0,
    harmonics=HARMONICS,
    trials=400,
    seed=0,
    progress=None,
):
    """Search the motion with the least condition number at random.

    The first third of the motions is drawn independently. The rest are variations of the best one.
    Motions beyond a limit are scaled down. Efforts are those of the nominal robot, with its
    friction. The same seed gives the same motion.

    Parameters
    ----------
    robot : Robot
        The robot.
    base : BaseParameters
        Base parameters of the robot.
    parameters : Parameters, optional
        Parameters of the robot.
    period : float
        Period of the motion [s].
    harmonics : int
        Number of harmonics.
    trials : int
        Number of motions to try.
    seed : int
        Seed of the search.
    progress : callable, optional
        Called with (tried, trials, condition).

    Returns
    -------
    Excitation

    Raises
    ------
    ParameterError
        If gravity alone exceeds an effort limit.
    """
    parameters = parameters or Parameters(robot)
    rng = np.random.default_rng(seed)
    centre, room, fastest = _limits(robot)
    t = np.arange(SAMPLES) * period / SAMPLES
    best = None
    for k in range(trials):
        if best is None or k < trials // 3:
            a, b = rng.normal(size=(2, robot.nv, harmonics))
        else:
            size = rng.choice((0.03, 0.1, 0.3)) * np.abs(best.motion.a).max()
            change = rng.normal(size=(2, robot.nv, harmonics)) * size
            change *= rng.random((1, robot.nv, 1)) < 0.5
            a, b = best.motion.a + change[0], best.motion.b + change[1]
        found = _within(parameters, Fourier(centre, *_at_rest(a, b), period), room, fastest, t)
        if found is not None:
            motion, W = found
            condition = _condition(W[:, :, base.kept])
            if best is None or condition < best.condition:
                best = Excitation(motion, condition, k + 1)
        if progress:
            progress(k + 1, trials, best.condition if best else np.inf)
    if best is None:
        raise ParameterError(
            f'robot {robot.name!r} exceeds its effort limits even at rest in the '
            f'middle of its ranges; expected a posture that the motors can hold'
        )
    return Excitation(best.motion, best.condition, trials)


def with_slow_passages(robot, motion):
    """Return a motion with slow passages behind it, unchanged if no joint has a Stribeck curve.

    Parameters
    ----------
    robot : Robot
        The robot.
    motion : Fourier
        A motion from rest to rest.

    Raises
    ------
    ParameterError
        If the passages exceed an effort limit.
    """
    speed = FAST_ENOUGH * robot.model.joint_values(STRIBECK_VELOCITY)
    if not speed.any():
        return motion
    start = motion.at([0.0])[0][0]
    up, down = (np.abs(each - start) for each in (robot.limits.upper, robot.limits.lower))
    up, down = (np.nan_to_num(each, nan=UNLIMITED, posinf=UNLIMITED) for each in (up, down))
    room = MARGIN * np.maximum(up, down)
    speed = np.minimum(speed, 2.0 * room / PASSAGE) * np.where(up >= down, 1.0, -1.0)
    for _ in range(SHORTER):
        slow = SlowPassages(motion, speed, PASSAGE)
        states = slow.at(np.linspace(motion.period, slow.period, SAMPLES))
        tau = robot.inverse_dynamics(*states) + friction_of(robot.model, *states[:2])
        if not (np.abs(tau) > MARGIN * robot.limits.effort).any():  # a missing limit is nan
            return slow
        speed = 0.7 * speed
    raise ParameterError(
        f'robot {robot.name!r} exceeds its effort limits in slow passages from where its motion '
        'ends; expected one of another seed (seed, --seed)'
    )


def _limits(robot):
    """Return (centre, range to either side, largest speed), each (nv,), with a margin."""
    limits = robot.limits
    bounded = np.isfinite(limits.lower) & np.isfinite(limits.upper)
    centre = np.clip(0.0, limits.lower + UNLIMITED, limits.upper - UNLIMITED)
    centre[bounded] = 0.5 * (limits.lower[bounded] + limits.upper[bounded])
    room = np.minimum(np.minimum(limits.upper - centre, centre - limits.lower), UNLIMITED)
    speed = np.where(np.isfinite(limits.velocity), limits.velocity, FASTEST)
    return centre, MARGIN * room, MARGIN * speed


def _at_rest(a, b):
    """Return the nearest coefficients of a motion that begins and ends at rest."""
    order = np.arange(1, a.shape[1] + 1)
    return (a - a.mean(axis=1, keepdims=True), b - np.outer(b @ order, order) / (order @ order))


def _within(parameters, motion, room, fastest, t):
    """Return (motion, W), scaled to the limits by joint and then as a whole; or None."""
    q, qd, _ = motion.at(t)
    reach = np.maximum(
        np.abs(q - motion.centre).max(axis=0) / room, np.abs(qd).max(axis=0) / fastest
    )
    scale = 1.0 / np.maximum(reach, np.finfo(float).tiny)
    effort = parameters.robot.limits.effort
    for _ in range(6):
        trial = Fourier(
            motion.centre, motion.a * scale[:, None], motion.b * scale[:, None], motion.period
        )
        states = trial.at(t)
        W = parameters.regressor(*states)
        tau = W @ parameters.nominal + parameters.known_torque(states[2])
        if not (np.abs(tau) > MARGIN * effort).any():  # a missing limit is nan
            return trial, W
        scale = 0.7 * scale
    return None


def _condition(W_b):
    """Return the condition number of W_b with normalised columns."""
    rows = W_b.reshape(-1, W_b.shape[2])
    sizes = np.linalg.norm(rows, axis=0)
    if not sizes.all():
        return np.inf
    scaled = rows / sizes
    squares = np.linalg.eigvalsh(scaled.T @ scaled)  # far less work than singular values
    if squares[0] > SQUARED * squares[-1]:
        return float(np.sqrt(squares[-1] / squares[0]))
    return float(np.linalg.cond(scaled))
