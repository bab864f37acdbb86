# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Self-tests of the guards, and of a law's machine code against its Python source.

The source runs as plain Python, so no compiler can affect it.
"""

import math
from types import SimpleNamespace

import numpy as np

from robodyn_ros.control.laws.law import FEEDBACK, GRAVITY, TERMS
from robodyn_ros.control.reference import path
from robodyn_ros.control.supervisor import guards
from robodyn_ros.control.supervisor.control_settings import EFFORT, LOWER, RATE, SPEED, TURN, UPPER
from robodyn_ros.errors import KernelError
from robodyn_ros.robot.robot import Robot

TOLERANCE = 1e-8  # [-] relative error, far above rounding and far below that of wrong code


def guards_known_answers():
    """Run every kernel that guards a torque or samples a trajectory on a known case.

    Raises KernelError: if a result is wrong; the message names the kernel.
    """
    _judged()
    _stuck()
    _followed()
    _braked()
    _limited()
    _sampled()


def law_known_answers(law, robot):
    """Compare the torque terms of a compiled law with those of its source run as Python.

    `law` (type): the ControlLaw class.
    `robot` (Robot): the robot to compute for.
    Raises KernelError: if they differ; the message names the law.
    """
    if not law.kernels:
        return
    options = law.trial_options(robot)
    compiled, plain = law(robot, **options), law(robot, **options)
    linked = Robot(robot.model).linked  # a specialised one links to machine code
    plain.replace_kernels(
        {each: SimpleNamespace(vectorcall=linked(each).python) for each in law.kernels}
    )
    rng, found = np.random.default_rng(0), np.zeros((2, len(TERMS), robot.nv))
    q, qd = rng.uniform(-1.0, 1.0, (2, robot.nv))
    reference, gains = rng.uniform(-1.0, 1.0, (3, robot.nv)), np.full((2, robot.nv), 10.0)
    with np.errstate(all='ignore'):
        for each, terms in zip((compiled, plain), found):
            each.reset(q, qd)
            each.torques(q, qd, reference, gains, terms)
    _expect(f'of law {law.name}', found[0], found[1], TOLERANCE)


def _judged():
    """Check `judge` and `add_terms`."""
    limits = _limits()
    limits[TURN] = 0.0, 4.0  # [rad]
    rest, fast = np.zeros((2, 2)), np.array(((0.0, 0.0), (0.0, 3.1)))
    beyond, away = np.array(((0.0, 1e6), (0.0, 0.0))), np.array(((0.3, 0.0), (0.0, 0.0)))
    for state, expected in (
        (rest, 0),
        (fast, guards.TOO_FAST),
        (beyond, 2),
        (rest * math.nan, 1),
        (away, guards.JUMPED),
        (np.array(((0.0, 8.009), (0.0, 0.0))), 0),
    ):
        got = guards.judge(state, rest, limits, 0.1, 0.01, 1.5)
        _expect(guards.judge.name, got, expected)
    terms, total = np.arange(12.0).reshape(6, 2), np.empty(2)
    commanded = np.array((True, False, True, True, True, True))
    _expect(guards.add_terms.name, guards.add_terms(terms, commanded, total), -1)
    _expect(guards.add_terms.name, total, (28.0, 33.0))
    terms[0, 1] = math.inf
    _expect(guards.add_terms.name, guards.add_terms(terms, commanded, total), 1)


def _followed():
    """Check `first_behind` with tolerances of 0.1 and 0.2 rad."""
    tolerance = np.array((0.1, 0.2))
    for reference, expected in (
        (((0.1, -0.2), (9.0, 9.0), (9.0, 9.0)), -1),
        (((0.2, 0.3), (0.0, 0.0), (0.0, 0.0)), 0),
        (((0.2, -0.5), (0.0, 0.0), (0.0, 0.0)), 1),
        (((0.2, 0.5), (0.0, 0.0), (math.nan, 0.0)), guards.NOT_FINITE),
    ):
        got = guards.first_behind(np.array(reference), np.zeros(2), tolerance)
        _expect(guards.first_behind.name, got, expected)


def _stuck():
    """Check `first_stuck`: a new reading, one at rest, one that moves, one under a new torque."""
    limits, friction, still = _limits(), np.zeros(2), np.zeros((2, 2))
    moving = np.array(((0.0, 0.0), (0.0, 1.0)))
    for state, before, torque, share, expected in (
        (moving, still, 0.0, 0.1, -1),
        (still, still, 9.0, math.inf, -1),
        (moving, moving, 0.0, math.inf, 1),
        (still, still, 9.0, 0.1, 0),
    ):
        memory = before.copy(), np.full(2, torque), np.zeros(2), np.zeros(2)
        repeated, command, earlier, since = memory
        got = guards.first_stuck(
            state, repeated, command, earlier, since, friction, limits, 0.1, 0.02, share, -1
        )
        _expect(guards.first_stuck.name, got, expected)


def _braked():
    """Check `brake` with limits of 5 N m: both joints slowed, one at its limit, one driven on."""
    everything = np.ones(6, dtype=bool)
    for momentum, rate, expected in (
        ((-1.0, 1.0), 2.0, (-2.0, 2.0)),
        ((-4.0, 1.0), 2.0, (-3.0, 2.0)),
        ((-4.0, -1.0), 2.0, (-3.0, -0.75)),
    ):
        terms = np.zeros((6, 2))
        terms[FEEDBACK], terms[GRAVITY] = momentum, (-2.0, 1.0)
        guards.brake(terms, everything, np.array((1.0, -1.0)), _limits(), rate)
        _expect(guards.brake.name, terms[FEEDBACK], expected)


def _limited():
    """Check `limit_torque` on two joints: free, effort limit, rate limit, stop and NaN."""
    limits, state = _limits(), np.array(((0.0, 1.1), (0.0, 0.0)))
    for wanted, last, expected, bits in (
        ((1.0, -1.0), (0.0, 0.0), (1.0, -1.0), 0),
        ((9.0, -1.0), (4.5, -1.0), (5.0, -1.0), guards.EFFORT_LIMITED),
        ((4.0, -1.0), (-4.0, -1.0), (1.0, -1.0), guards.RATE_LIMITED),
        ((1.0, 2.0), (1.0, 0.0), (1.0, 0.0), guards.POSITION_GUARDED),
        ((math.nan, -1.0), (1.0, -1.0), (0.0, -1.0), guards.POSITION_GUARDED),
    ):
        torque, flags = np.array(last), np.empty((3, 2), dtype=bool)
        got = guards.limit_torque(np.array(wanted), state, limits, 0.1, torque, *flags)
        _expect(guards.limit_torque.name, torque, expected)
        _expect(guards.limit_torque.name, got, bits)


def _sampled():
    """Check `path` on one joint: along 1 + 2 t + 3 t^2 for a second, then at rest."""
    knots, coefficients = np.array((0.0, 1.0)), np.zeros((path.STRIDE, 1))
    coefficients[:3, 0] = 1.0, 2.0, 3.0
    coefficients[path.EFFORT :, 0] = 4.0, -2.0
    end, reference = np.array(((6.0,), (0.0,), (0.0,), (2.0,))), np.empty((4, 1))
    for t, expected in ((0.5, (2.75, 5.0, 6.0, 3.0)), (1.0, (6.0, 0.0, 0.0, 2.0))):
        path.sample(knots, coefficients, end, t, reference)
        _expect(path.sample.name, reference[:, 0], expected)
    for highest, expected in ((9.0, -1), (1.0 + 1e-9, 1)):
        limits = np.array(((0.0,), (highest,), (9.0,)))
        got = path.first_violation(knots, coefficients, end, limits, 0, 2)
        _expect(path.first_violation.name, got, expected)


def _limits():
    """Return two joints from -1 to 1 rad, with limits of 2 rad/s, 5 N m and 50 N m/s."""
    limits = np.zeros((6, 2))
    for row, value in ((LOWER, -1.0), (UPPER, 1.0), (SPEED, 2.0), (EFFORT, 5.0), (RATE, 50.0)):
        limits[row] = value
    return limits


def _expect(what, got, expected, tolerance=0.0):
    got, expected = np.asarray(got, float), np.asarray(expected, float)
    if not np.abs(got - expected).max() <= tolerance * max(1.0, np.abs(expected).max()):
        raise KernelError(
            f'kernel {what} fails its known-answer test: got {got.tolist()}, expected '
            f'{expected.tolist()}; remove the kernel cache and try again'
        )
