# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives in code for one robot with closed loops, against two independent ways.

The kernels for any robot expand the terms of dE/dq by hand. Complex steps differentiate the
recorded functions with their steps of Newton's method, which the derivatives leave out.
"""

import cmath
from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.codegen import tape
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.loops import loop_closing
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import record
from support.compare import agree
from support.robots.closed_loops import MECHANISMS
from support.robots.mechanisms import STANDARD

ALL = MECHANISMS | STANDARD
#: Rounding of the kernels, which solve for third derivatives of the closures: 1e-11.
NEAR = 1e-11
STEP = 1e-40  # imaginary; it has no cancellation
NAMES = (
    'four-bar with rotors',
    'rod of constant length',
    'arm with a four-bar',
    'palletizer',
    'gripper',
    'Delta',
)


def entries(name, values):
    """Return {entry of an array, such as 'q[0]': value}."""
    return {f'{name}[{k}]': value for k, value in enumerate(values)}


def played(recording, given):
    """Return the results of a recording, real or complex, as one vector."""
    found = [value for value in recording.results.values() if isinstance(value, tape.Recorded)]
    values = iter(tape.evaluate(recording.tape, [value.index for value in found], given))
    return np.array(
        [
            next(values) if isinstance(value, tape.Recorded) else value
            for value in recording.results.values()
        ]
    )


def in_complex_steps(recording, arguments, by):
    """Return the derivatives of the results by the entries of an argument, a column for each."""
    columns = []
    for k in range(len(arguments[by])):
        moved = {name: np.array(values, dtype=complex) for name, values in arguments.items()}
        moved[by][k] += STEP * 1j
        given = {}
        for name, values in moved.items():
            given |= entries(name, values)
        columns.append(np.imag(played(recording, given)) / STEP)
    return np.array(columns).T


@pytest.fixture
def complex_tapes(monkeypatch):
    """Evaluate tapes in complex numbers, and close loops in two more steps.

    The slope of a step of Newton's method is as exact as its start, so it is a step behind.
    """
    for name in ('cos', 'sin', 'tanh'):
        monkeypatch.setitem(tape._ON_NUMBERS, name, getattr(cmath, name))
    exact = loop_closing.plan

    def with_more_steps(model, real):
        closing = exact(model, real)
        return replace(closing, steps=closing.steps + 2)

    monkeypatch.setattr(loop_closing, 'plan', with_more_steps)


def state(robot, seed=8):
    """Return a state of motion whose loops close, in the box of the code."""
    rng = np.random.default_rng(seed)
    return (
        robot.model.closed_posture + rng.uniform(-0.1, 0.1, robot.nv),
        *rng.uniform(-1.5, 1.5, (2, robot.nv)),
    )


def of_code(name, robot, *given):
    """Return the derivatives that the code of a robot computes, in the order of its outputs."""
    recipe = DERIVATIVES[name]
    recording = recipe.recorder(name, recipe, robot.model)
    arguments = {}
    for argument, values in zip(recording.inputs, given):
        arguments |= entries(argument, values)
    shapes = list(recording.outputs.values())
    ends = np.cumsum([np.prod(shape) for shape in shapes])
    results = np.split(played(recording, arguments).real, ends[:-1])
    return [each.reshape(shape) for each, shape in zip(results, shapes)]


@pytest.mark.parametrize('name', NAMES)
def test_derivatives_are_those_of_the_kernels(name):
    """Also where followers have rotors, closures are redundant, and rods stay parallel."""
    robot = ALL[name].robot()
    q, qd, third = state(robot)
    for each, given in (
        ('inverse_dynamics', (q, qd, third)),
        ('forward_dynamics', (q, qd, third)),
        ('mass_matrix', (q,)),
    ):
        expected = getattr(robot.derivatives, each)(*given)
        expected = expected if isinstance(expected, tuple) else (expected,)
        title = each + ('_derivative' if each == 'mass_matrix' else '_derivatives')
        for found, wanted in zip(of_code(title, robot, *given), expected):
            agree(found, wanted, max(np.abs(wanted).max(), 1.0), NEAR)


@pytest.mark.parametrize('name', ['four-bar with rotors', 'palletizer', 'Delta'])
def test_derivatives_are_those_by_complex_steps(name, complex_tapes):
    """Of the recorded functions; forward dynamics have q, qd and tau, the mass matrix q."""
    robot = ALL[name].robot()
    q, qd, third = state(robot, 9)
    for title, of, given in (
        ('inverse_dynamics_derivatives', 'inverse_dynamics', {'q': q, 'qd': qd, 'qdd': third}),
        ('forward_dynamics_derivatives', 'forward_dynamics', {'q': q, 'qd': qd, 'tau': third}),
        ('mass_matrix_derivative', 'mass_matrix', {'q': q}),
    ):
        recording = record(of, RECIPES[of], robot.model)
        for by, found in zip(given, of_code(title, robot, *given.values())):
            expected = in_complex_steps(recording, given, by).reshape(found.shape)
            agree(found, expected, max(np.abs(expected).max(), 1.0), NEAR)
