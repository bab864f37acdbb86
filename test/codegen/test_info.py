# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The command that counts operations, and the counts that others have published."""

import re
from pathlib import Path

import pytest

from robodyn_ros.cli import info
from robodyn_ros.robot.robot import Robot
from test.codegen.conftest import named
from tools.pages import published_counts as published
from tools.pages.reference_arms import general_arm, puma_arm, stanford_arm

MECHANISMS = Path(__file__).resolve().parents[2] / 'config' / 'mechanisms'


def test_counts_list_every_quantity_and_step(capsys):
    """Every quantity with every step."""
    assert info.main([str(named('two_link').path), '--counts']) == 0
    said = capsys.readouterr().out
    for word in (
        'two_link',
        'inverse_dynamics',
        'operational_space',
        'regrouped',
        'forward_dynamics_derivatives',
        'saved by the step',
        '0 more direction cosines within 1e-12',
    ):
        assert word in said


def test_missing_code_for_mimic_joints_is_reported(capsys):
    """The inertias of links are of a tree; torques are counted over the independent joints."""
    assert info.main([str(MECHANISMS / 'gripper.urdf'), '--counts']) == 0
    rows = dict(re.findall(r'^(\w+) +(\S.*)$', capsys.readouterr().out, re.MULTILINE))
    assert rows['body_inertias'] == 'not recorded for this robot'
    assert re.match(r'\d+ \+ \d+', rows['inverse_dynamics'])


def test_cleaned_cosines_are_listed(tmp_path, capsys):
    """What the reader made exact, by joint."""
    text = Path(named('two_link').path).read_text()
    straight = '<origin xyz="1.0 0 0" rpy="0 0 0"/>'
    assert text.count(straight) == 1
    file = tmp_path / 'almost.urdf'
    file.write_text(text.replace(straight, straight.replace('"0 0 0"', '"1.5707963267947 0 0"')))
    assert info.main([str(file), '--counts']) == 0
    assert 'one moves by 1.97e-13' in capsys.readouterr().out


def test_refuses_with_a_sentence(tmp_path, capsys):
    """No such file: exit code 1."""
    assert info.main([str(tmp_path / 'nowhere.urdf'), '--counts']) == 1
    assert 'nowhere.urdf' in capsys.readouterr().err


def value(formula):
    """Return the value of a published formula at n = 6."""
    product = re.sub(r'(?<=[0-9n)])(?=[n(])', '*', formula.replace(' ', ''))
    return eval(product.replace('^', '**'), {'n': 6})


def test_published_formulas_give_the_published_numbers():
    """Every row that states formulas for n joints, at six."""
    rows = [
        *published.INVERSE,
        *published.CONCURRENT,
        *published.FORWARD,
        *published.STAGES,
        *(row for rows in published.PARTS.values() for row in rows),
    ]
    stated = [
        (source.rpartition(': ')[2].split(', '), *numbers)
        for source, *numbers in rows
        if ': ' in source
    ]
    assert len(stated) > 45
    for formulas, *numbers in stated:
        assert [value(formula) for formula in formulas] == numbers, formulas


@pytest.mark.parametrize(
    'first, last, total',
    [
        (1, 7, published.STAGES[0]),
        (9, 15, published.INVERSE[1]),
        (15, 26, published.INVERSE[7]),
        (26, 36, published.INVERSE[10]),
    ],
    ids=['Angeles', 'Lagrange', 'Newton-Euler', 'modified'],
)
def test_stages_add_up(first, last, total):
    """The rows of each source's table are its total."""
    stages = published.STAGES[first:last]
    assert [sum(row[k] for row in stages) for k in (1, 2)] == list(total[1:])


@pytest.mark.parametrize('arm', [general_arm(6), stanford_arm(), puma_arm()])
def test_arms_can_move(arm):
    """Their mass matrices are positive definite."""
    import numpy as np

    for q in np.random.default_rng(0).uniform(-1.0, 1.0, (5, 6)):
        assert (np.linalg.eigvalsh(Robot(arm).mass_matrix(q)) > 0.0).all()
