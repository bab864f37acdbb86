# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recording scalars: what they fold away, and that what is left computes the same."""

import math

import numpy as np
import pytest

from robodyn_ros.codegen.tape import Recorded, Tape, count, evaluate, needed

VALUES = {'a': 0.7, 'b': -1.3, 'c': 2.1, 'd': 0.4}


@pytest.fixture
def tape():
    """Return an empty tape."""
    return Tape()


def inputs(tape):
    """Return the inputs a, b, c, d."""
    return [tape.input(name) for name in VALUES]


def total(tape, *nodes):
    """Return how many multiplications and additions the nodes need."""
    counts = count(tape, needed(tape, [node.index for node in nodes]))
    return counts['multiplications'], counts['additions']


def value(tape, node):
    """Return what a node computes."""
    return evaluate(tape, [node.index], VALUES)[0]


@pytest.mark.parametrize(
    'expression',
    [
        lambda a, b, c, d: a * b + c * d,
        lambda a, b, c, d: -a * b - c * -d,
        lambda a, b, c, d: (a - b) * (b - a) + (c - d) / (d - c),
        lambda a, b, c, d: 2.0 * (a + 3.0) - (4.0 - b) * 0.5 + 1.0 / c,
        lambda a, b, c, d: np.cos(a + b) * np.sin(c - d) - np.sin(-a) * np.cos(-b),
        lambda a, b, c, d: (
            np.cos(a + math.pi / 2) + np.sin(b - math.pi) * np.cos(c + 3 * math.pi / 2)
        ),
        lambda a, b, c, d: -(-(a + b) - (c - d)) * 3.0 * -2.0 / 7.0,
        lambda a, b, c, d: 1.0 - (-a) * (b - 1.0) / (2.0 * c) - d,
        lambda a, b, c, d: -a - b + (-c) - (-d) + (-a) * (-b) + 5.0 / (-c),
    ],
)
def test_computes_what_numbers_compute(tape, expression):
    """Signs, differences, quotients, angles: the same value as with floats."""
    node = expression(*inputs(tape))
    assert value(tape, node) == pytest.approx(expression(*VALUES.values()), rel=1e-14)


def test_zeros_and_ones_vanish(tape):
    """Nothing is recorded for x + 0, 1 x and x (1 / x), and 0 x is the number 0."""
    a, *_ = inputs(tape)
    assert isinstance(0.0 * a, float) and 0.0 * a == 0.0
    for same in (a + 0.0, 0.0 + a, a - 0.0, 1.0 * a, a / 1.0, -(-a)):
        assert same.index == a.index
    assert isinstance(a - a, float) and a - a == 0.0
    reciprocal = 1.0 / a
    assert a * reciprocal == 1.0 and -reciprocal * a == -1.0


def test_a_chain_of_constant_factors_is_one_factor(tape):
    """A chain of constant factors is one."""
    a, *_ = inputs(tape)
    assert total(tape, 2.0 * (3.0 * (a * 0.25))) == (1, 0)
    assert (2.0 * (0.5 * a)).index == a.index


def test_signs_cost_nothing(tape):
    """A minus moves outwards until a sum absorbs it."""
    a, b, c, d = inputs(tape)
    assert total(tape, (-a) * b + c * (-d)) == (2, 1)
    assert ((-a) * b).index == (-(a * b)).index
    assert (a - b).index == (-(b - a)).index
    assert ((-2.0 * a) * b).index == (-((2.0 * a) * b)).index


def test_common_constants_are_taken_out(tape):
    """c a + c b is c (a + b), whatever the signs, and c a + d a is (c + d) a; where neither is the
    same nothing changes.
    """
    a, b, c, _ = inputs(tape)
    for node in (0.3 * a + 0.3 * b, 0.3 * a - 0.3 * b, -0.3 * a - b * 0.3, 0.3 * a + -0.3 * c):
        assert total(tape, node) == (1, 1)
    assert value(tape, 0.3 * a - 0.3 * b) == pytest.approx(0.3 * (VALUES['a'] - VALUES['b']))
    assert total(tape, 0.3 * a + 0.4 * b) == (2, 1)
    assert total(tape, 0.3 * (a + b) - 0.3 * b) == (1, 0)
    for node, factor in ((0.3 * a + 0.4 * a, 0.7), (0.3 * a - 0.4 * a, -0.1)):
        assert total(tape, node) == (1, 0)
        assert value(tape, node) == pytest.approx(factor * VALUES['a'])


def test_common_expressions_are_one_node(tape):
    """Whatever is computed twice is computed once."""
    a, b, c, _ = inputs(tape)
    assert (a * b).index == (b * a).index
    assert total(tape, (a * b + c), (b * a + c) * c) == (2, 1)


def test_quarter_turns_cost_nothing(tape):
    """cos(x + pi/2) is -sin x, and no new angle."""
    a, *_ = inputs(tape)
    for quarters in range(-4, 5):
        turned = a + quarters * math.pi / 2
        nodes = needed(tape, [node.index for node in (np.cos(turned), np.sin(turned))])
        counts = count(tape, nodes)
        assert counts['additions'] == 0 and counts['trigonometric'] == 2
        assert value(tape, np.cos(turned)) == pytest.approx(
            math.cos(VALUES['a'] + quarters * math.pi / 2), abs=1e-15
        )


def test_dead_code_is_not_needed(tape):
    """Only what an output depends on counts, in an order in which it can be computed."""
    a, b, c, d = inputs(tape)
    wanted, dead = a * b, c * d
    order = needed(tape, [wanted.index])
    assert dead.index not in order and order == sorted(order)
    assert set(order) == {a.index, b.index, wanted.index}


def test_comparisons_are_recorded(tape):
    """A pivot is taken as positive while recording, and checked when the code runs."""
    a, b, *_ = inputs(tape)
    assert a * b > 1e-15
    assert tape.checks == [((a * b).index, 1e-15)]


def test_a_numpy_scalar_times_a_recorded_number_is_recorded(tape):
    """A constant from a numpy table behaves like a float."""
    a, *_ = inputs(tape)
    for number in (np.float64(2.0), np.array([2.0])[0]):
        assert isinstance(number * a, Recorded) and isinstance(number + a, Recorded)
        assert (number * a).index == (2.0 * a).index


def test_opposite_terms_of_a_sum_vanish(tape):
    """What is added and taken away again was never there."""
    a, b, *_ = inputs(tape)
    for same in ((a - b) + b, b + (a - b), (a + b) - b, a - (a - (a - b)) + b, -(b - (a + b))):
        assert same.index == a.index
    assert ((b - a) - b).index == (-a).index
    doubled = (a + a) - a
    assert doubled.index == a.index


def test_constants_a_few_units_apart_are_one(tape):
    """The first one met stands for the others, of either sign; 1 costs no multiplication."""
    x = tape.input('x')
    near, far = 0.7 * (1.0 + 2.0**-51), 0.7 * (1.0 + 2.0**-45)
    assert (0.7 * x).index == (near * x).index == (-(-near * x)).index
    assert (0.7 * x).index != (far * x).index
    assert ((1.0 + 2.0**-51) * x).index == x.index
    assert (0.7 + x).index == (near + x).index != (-0.7 + x).index
