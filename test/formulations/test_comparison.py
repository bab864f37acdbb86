# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All formulations against each other, and the operation counts."""

import pkgutil
import re
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros import Robot, example
from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations import FORMULATIONS, compare
from robodyn_ros.formulations.angeles import factored_transfer
from robodyn_ros.formulations.angeles.noc_forward_dynamics import (
    back_substitution,
    forward_substitution,
    projected_twists,
    reverse_cholesky,
)
from robodyn_ros.formulations.count import Tally, general_arm, operations
from robodyn_ros.formulations.index import PLANAR, TREE
from robodyn_ros.formulations.index import SERIAL as SERIAL_ONLY
from robodyn_ros.formulations.serial_chain import links_at
from support.robots.formulation_arms import ALL, SERIAL, TREES, error, motion
from tools.books.errata import MISPRINTS
from tools.books.supplements import COMPANIONS
from tools.books.systems import SYSTEMS
from tools.pages import published_counts

pytestmark = pytest.mark.sensitive

IN_A_PLANE = {'planar', 'two_link'}


@pytest.mark.parametrize('name', ALL)
def test_all_formulations_agree(name):
    robot = ALL[name]()
    fit = (
        {TREE}
        | ({SERIAL_ONLY} if name in SERIAL else set())
        | ({PLANAR} if name in IN_A_PLANE else set())
    )
    for state in motion(robot, seed=17, count=2):
        found = compare(robot, *state)
        assert found.worst < 1e-10, str(found)
        ran = found.torque.keys() | found.mass.keys() | found.acceleration.keys()
        assert ran - {'Robot'} == {form.name for form in FORMULATIONS if form.scope in fit}
        assert found.skipped.keys() == {f.name for f in FORMULATIONS if f.scope not in fit}


def test_comparison_prints_every_formulation_with_its_difference(capsys):
    robot = TREES['tree']()
    compare(robot, *next(motion(robot)))
    text = capsys.readouterr().out
    for form in FORMULATIONS:
        assert form.name in text
    assert 'starts a branch' in text and 'is not planar' in text
    assert text.count('mass matrix, ') == robot.nv


def test_comparison_shows_a_difference():
    robot = SERIAL['6R']()
    found = compare(robot, *next(motion(robot)))
    found.torque['Kane'] = found.torque['Kane'] * 1.01
    assert 1e-3 < found.worst < 2e-2 and '1.0e-02' in str(found)


def test_comparison_takes_a_model_and_refuses_a_wrong_state():
    robot = SERIAL['two_link']()
    assert compare(robot.model, *next(motion(robot))).worst < 1e-10
    with pytest.raises(ShapeError, match='expected'):
        compare(robot, np.zeros(3), np.zeros(2), np.zeros(2))


def test_counting_numbers_count():
    tally = Tally()
    x, y = tally.numbers([2.0, 3.0])
    z = (x * y + 0.0 + 1.0 * x) / y - x * 0.0
    assert z.value == 8 / 3
    assert (tally.multiplications, tally.additions) == (2, 1)


def test_counting_leaves_the_result_alone():
    model, state = general_arm(3), np.full((3, 3), 0.7)
    for form in FORMULATIONS:
        if form.countable and form.torque:
            tally = Tally()
            counted = form.torque(model, *map(tally.numbers, state))
            assert error([x.value for x in counted], form.torque(model, *state)) < 1e-12
            assert tally.multiplications > 0


def test_recursions_are_linear_in_n_and_close_to_the_published_count():
    for form in FORMULATIONS:
        if form.cost == 'n':
            counts = [
                operations(form.torque, general_arm(n), *np.full((3, n), 0.7)) for n in (4, 5, 6)
            ]
            np.testing.assert_array_equal(np.diff(counts, 2, axis=0), 0)
            assert 500 < counts[-1][0] < 900


def worth(formula, n):
    """Return the value of a published count, such as '17n^2/6 - 15n(n - 1) + 3', at n."""
    text = re.sub(r'(\d|n|\))\s*(?=[n(])', r'\1*', formula).replace('^', '**')
    assert not set(text) - set('0123456789n+-*/() '), formula
    return round(eval(text, {'__builtins__': {}}, {'n': n}), 9)


def test_published_formulas_have_the_published_worth():
    # Luh 852/738 and Walker and Orin 800/595, Balafoutis and Patel 421, and all others.
    rows = [
        *published_counts.INVERSE,
        *published_counts.CONCURRENT,
        *published_counts.FORWARD,
        *published_counts.STAGES,
        *(row for part in published_counts.PARTS.values() for row in part),
    ]
    checked = {}
    for source, *counts in rows:
        formulas = source.rpartition(': ')[2].split(', ')
        if len(formulas) == 2 and 'n' in formulas[0] and formulas[0][0].isdigit():
            assert [worth(each, 6) for each in formulas] == counts, source
            checked[source.partition(':')[0]] = tuple(counts)
    assert len(checked) > 12
    assert checked['Luh, Walker and Paul 1980'] == (852, 738) != (800, 595)
    assert checked['Walker and Orin 1982'] == (800, 595)
    assert 420 not in checked['Balafoutis and Patel 1991 (420 additions are printed)']


def quadratic(f):
    """Return b of the multiplications a n^3 + b n^2 + .. of f(robot, q), for n from 3 to 7."""
    counts = [operations(f, general_arm(n), np.full(n, 0.7))[0] for n in range(3, 8)]
    (third,) = set(np.diff(counts, 3).tolist())
    return (np.diff(counts, 2)[0] - 4 * third) / 2


def square(q):
    """Return a positive matrix of counting numbers as large as the first of q."""
    one, n = q[0] / q[0].value, len(q)
    return np.array([[one * (n if i == j else 1) for i in range(n)] for j in range(n)])


def test_steps_of_forward_dynamics_add_up_to_1540_and_1137():
    (_, *solve), (_, *bias) = (
        published_counts.PARTS[name][0] for name in ('mass_solve', 'bias_torque')
    )
    total = tuple(np.add(solve, bias).tolist())
    # P, L and the triangular systems take the 37/2 n^2 of (7.117): it forgets the 3 n^2 of P^T P
    P = quadratic(lambda robot, q: projected_twists(links_at(robot, q)))
    L = quadratic(lambda robot, q: reverse_cholesky(square(q)))
    systems = quadratic(
        lambda robot, q: back_substitution(square(q), forward_substitution(square(q), q))
    )
    assert (P, L, systems) == (17.0, 0.5, 1.0)
    (ours,) = [row[1:] for row in published_counts.FORWARD if 'summed step by step' in row[0]]
    assert total == ours == (1540, 1137)
    printed = tuple(
        worth(each, 6)
        for each in (
            'n^3/6 + 37n^2/2 + 367n/3 - 22',  # (7.117)
            'n^3/6 + 23n^2/2 + 298n/3 - 14',
        )
    )
    assert printed == (1414, 1032) and total not in (printed, (1450, 1068), (1596, 1263))


def test_columns_of_p_take_34_multiplications_a_step_beyond_their_first():
    # (7.112): n - j steps in column j, 17 n (n - 1) multiplications; j steps would be n^2 + n.
    def twists(robot, q):
        links = links_at(robot, q)
        transfers = np.array(factored_transfer.transfers(links), dtype=object)
        projected_twists(replace(links, Q=transfers))

    counts = [operations(twists, general_arm(n), np.full(n, 0.7))[0] for n in range(1, 8)]
    assert counts[0] == 0  # no step beyond the first: j steps would be one
    np.testing.assert_array_equal(np.diff(counts[1:], 2), 34)


def test_every_misprint_names_a_test():
    tests = ''.join(path.read_text() for path in Path(__file__).parents[1].rglob('test_*.py'))
    for misprint in MISPRINTS:
        assert f'def {misprint.test}(' in tests, misprint


def test_every_system_of_the_texts_has_functions_and_tests():
    robot = Robot.from_urdf(example('two_link'))
    tests = ''.join(path.read_text() for path in Path(__file__).parents[1].rglob('test_*.py'))
    assert len(SYSTEMS) > 20
    for system in SYSTEMS:
        assert system.functions and system.tests
        for name in system.functions:
            assert callable(pkgutil.resolve_name(f'robodyn_ros.{name}'))
        for name in system.robot:
            assert callable(attrgetter(name)(robot)), name
        for test in system.tests:
            assert f'def {test}(' in tests, test
    readable = {system.books for system in SYSTEMS if not system.robot}
    assert readable == {'Angeles, Exercise 7.4', 'Jain 17.3', 'Jain 17.4'}


def test_companions_outside_this_folder_are_there():
    named = [name for each in COMPANIONS for name in each.functions if isinstance(name, str)]
    assert len(named) > 5
    for name in named:
        assert callable(pkgutil.resolve_name(f'robodyn_ros.{name}'))
