# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sums that take products one by one, and statements in the order of urgency."""

from types import SimpleNamespace

import numpy as np
import pytest

from robodyn_ros.codegen.fused_sums import separate_operations, with_fused_sums
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import Recording, record
from robodyn_ros.codegen.statement_order import LATENCY, ordered, time_left
from robodyn_ros.codegen.tape import Tape, operands
from support.referees.tape_results import by_the_tape
from support.robots.families import MIXED, states
from support.robots.real_robots import robot

NAMES = 'inverse_dynamics', 'forward_dynamics'


def small(result):
    """Record a function of the inputs x[0] to x[6]."""
    tape = Tape()
    values = [tape.input(f'x[{k}]') for k in range(7)]
    results = {'y[0]': result(*values)}
    return Recording('small', '', '', tape, {'x': (7,)}, {'y': (1,)}, results)


@pytest.mark.parametrize(
    ('result', 'saved'),
    [
        (lambda x, a, b, c, d, *_: x + (a * b + c * d), 1),
        (lambda x, a, b, c, d, *_: x - (a * b + c * d), 1),
        (lambda x, a, b, c, d, *_: (a * b - c * d) - x, 1),
        (lambda x, a, b, c, d, e, f: (x + e) + (a * b + c * d + e * f), 1),
        (lambda x, a, b, c, d, *_: (a * b + c * d) - 2.0, 1),
        (lambda x, a, b, c, d, *_: 2.0 - (a * b + c * d), 1),
        # x is known much later than the products
        (lambda x, a, b, c, d, *_: 1.0 / (x * x + 1.0) + (a * b + c * d), 0),
        # the inner sum is needed elsewhere
        (lambda x, a, b, c, d, *_: (x + (a * b + c * d)) * (a * b + c * d), 0),
        (lambda x, a, b, *_: x + a * b, 0),
    ],
)
def test_a_sum_saves_an_operation_where_it_costs_no_time(result, saved):
    """The value stays, and so do the numbers of products and sums."""
    before = small(result)
    after = with_fused_sums(before)
    assert (after is before) == (saved == 0)
    assert separate_operations(before) - separate_operations(after) == saved
    assert after.counts() == before.counts()
    given = [np.random.default_rng(0).uniform(0.5, 1.5, 7)]
    old, new = (by_the_tape(SimpleNamespace(recording=each), given) for each in (before, after))
    # seven operations round terms below 8
    np.testing.assert_allclose(new, old, rtol=0.0, atol=7 * np.spacing(8.0))


def test_a_sum_waits_for_its_last_term_only():
    """A term known late is added last, in place of first."""

    def late_first(x, a, b, c, d, e, f):
        return 1.0 / x + a * b + c * d + e + f

    before = small(late_first)
    after = with_fused_sums(before)
    times = [
        max(time_left(each.tape, each.computed, each.needed()).values())
        for each in (before, after)
    ]
    # the reciprocal, then four sums or one
    once = LATENCY['invert']
    assert times == [once + 4 + 4 + 3 + 3, once + 3]
    assert after.counts() == before.counts()


@pytest.mark.parametrize('name', NAMES)
@pytest.mark.parametrize('case', ['ur_like', *MIXED])
def test_recordings_keep_their_results(name, case):
    """Sums in another order differ by rounding; inputs without effect are still checked."""
    arm = (MIXED.get(case) or robot(case)).robot
    before = record(name, RECIPES[name], arm.model)
    after = with_fused_sums(before)
    names = [
        [node[1] for node in each.tape.nodes if node[0] == 'input'] for each in (before, after)
    ]
    assert names[0] == names[1]
    assert len(after.tape.checks) == len(before.tape.checks)
    assert separate_operations(after) <= separate_operations(before)
    for given in states(arm, 2):
        old, new = (
            by_the_tape(SimpleNamespace(recording=each), given) for each in (before, after)
        )
        # forward dynamics multiplies rounding by the condition of the mass matrix, below 1e4 here
        scale = max(1.0, np.abs(old).max())
        assert np.abs(np.subtract(new, old)).max() <= 1e-11 * scale


@pytest.mark.parametrize('name', NAMES)
def test_urgent_statements_come_first(name):
    """Operands precede their statements, and stages with more time to the last result others."""
    recording = record(name, RECIPES[name], robot('ur_like').robot.model)
    tape, outputs = recording.tape, recording.needed()
    order = ordered(tape, outputs)
    assert sorted(order) == recording.computed
    place = {index: k for k, index in enumerate(order)}
    left = time_left(tape, recording.computed, outputs)
    for index in order:
        for operand in operands(tape.nodes[index]):
            assert place[operand] < place[index]
            assert left[operand] >= left[index]
    assert max(left.values()) == left[order[0]]
