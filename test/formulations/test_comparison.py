# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All formulations against each other, and the operation counts."""

import pkgutil
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations import FORMULATIONS, compare
from robodyn_ros.formulations.count import Tally, general_arm, operations
from robodyn_ros.formulations.index import PLANAR, TREE
from robodyn_ros.formulations.index import SERIAL as SERIAL_ONLY
from support.formulation_arms import ALL, SERIAL, TREES, error, motion
from tools.books.errata import MISPRINTS
from tools.books.supplements import COMPANIONS

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


def test_published_counts_add_up():
    n = 6
    # Angeles, Table 7.1 with its missing row {c_i}, Table 7.2, and their sum.
    assert 4 + 8 + 20 + 10 + 32 + 8 == 82 and 5 + 16 + 7 + 28 + 10 == 66
    assert (4 + 8 + 20 + 10 + 32, 5 + 16 + 7 + 28) == (74, 56)  # without the row
    assert (137 * n - 22, 110 * n - 14) == (800, 646)
    assert (82 * n + 55 * n - 22, 66 * n + 44 * n - 14) == (800, 646)
    assert 81 * n - 65 == 421  # 420 is printed
    assert (150 * n - 48, 131 * n - 48, 137 * n - 22, 101 * n - 11) == (852, 738, 800, 595)
    # Forward dynamics, step by step.
    cholesky = (n**3 + 3 * n**2 + 2 * n) // 6
    assert (
        17 * n**2 - 15 * n + 3 * n**2 + 3 * n + cholesky + n**2 + 800,
        10 * n**2 - 10 * n + 5 * (n**2 + n) // 2 + cholesky + n**2 - n + 646,
    ) == (1540, 1137)
    formula = ((n**3 + 111 * n**2 + 734 * n) / 6 - 22, (n**3 + 69 * n**2 + 596 * n) / 6 - 14)
    assert formula == (1414, 1032)  # (7.117): neither that, nor what (7.118) says it is worth
    assert (1450, 1068) != formula
    # (7.112): column j of P takes n - j steps beyond its first; j steps would add up to more.
    steps = [n - j for j in range(1, n + 1)]
    assert (2 * n + 34 * sum(steps), 20 * sum(steps)) == (17 * n**2 - 15 * n, 10 * n**2 - 10 * n)
    assert 20 * sum(range(1, n + 1)) != 10 * n**2 - 10 * n
    # Turney, Table 2 against Table 1, with 8 n (n^2 - 1) for the second derivatives.
    assert 2 * 32 * n * (n - 1) + 32 * n * (n * n - 1) // 3 + 1336 + 336 + 84 == 5916
    assert 2 * 24 * n * (n - 1) + 8 * n * (n * n - 1) + 1312 + 330 + 78 == 4840
    assert 8 * 64 == 48 * 32 / 3  # of 4 x 4 products, 64 and 48 each; 16 is printed in the text
    # A bracket: the sum of q first and q^2 second derivatives, 16 numbers each, times J_q.
    bracket = sum(16 * (q + q * q - 1) + 48 for q in range(1, n + 1))
    assert bracket == 16 * n * (n + 1) * (n + 2) // 3 + 32 * n
    assert 16 * n * (n * n - 1) // 3 + 32 * n == 1312 == bracket - 16 * n * (n + 1)  # as printed
    assert (108 * n - 12, 100 * n - 9, 90 * n - 27, 88 * n - 24) == (636, 591, 513, 504)


def test_every_misprint_names_a_test():
    tests = ''.join(path.read_text() for path in Path(__file__).parent.rglob('test_*.py'))
    for misprint in MISPRINTS:
        assert f'def {misprint.test}(' in tests, misprint


def test_companions_outside_this_folder_are_there():
    named = [name for each in COMPANIONS for name in each.functions if isinstance(name, str)]
    assert len(named) > 5
    for name in named:
        assert callable(pkgutil.resolve_name(f'robodyn_ros.{name}'))
