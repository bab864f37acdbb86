# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page for users of other libraries: both columns give the same."""

import functools
import importlib
import re

import numpy as np
import pytest

from support.compare import EXACT, solve_tolerance
from support.processes import ROOT

PAGE = (ROOT / 'doc' / 'start' / 'coming_from.md').read_text()
BLOCK = re.compile(r'^```python\n(.*?)^```', re.S | re.M)
ROW = re.compile(r'^\| ([^|`]+) \| `([^`]+)` \| `([^`]+)` \|$', re.M)
PARTS = {part.partition('\n')[0]: part for part in PAGE.split('\n## ')}


def rows(library):
    """Return [(quantity, ours, theirs)] of a table."""
    return ROW.findall(PARTS[library])


@functools.cache
def names(library):
    """Return what the blocks of the page define up to the table of a library."""
    space = {}
    for text in BLOCK.findall(PAGE.split('\n## ')[0]) + BLOCK.findall(PARTS[library]):
        exec(text, space)
    return space


def value(cell, space):
    """Return the value of a cell: statements, then an expression."""
    *statements, expression = cell.split('; ')
    space = dict(space)
    for statement in statements:
        exec(statement, space)
    return np.array(eval(expression, space))


@pytest.mark.parametrize(
    'library, quantity, ours, theirs',
    [(library, *row) for library in ('Pinocchio', 'MuJoCo') for row in rows(library)],
)
def test_both_columns_give_the_same(library, quantity, ours, theirs):
    """At a random state, as precisely as the two can agree."""
    pytest.importorskip({'Pinocchio': 'pinocchio', 'MuJoCo': 'mujoco'}[library])
    space = names(library)
    mine, other = value(ours, space), value(theirs, space)
    assert mine.shape == other.shape and np.isfinite(mine).all()
    solves = any(word in ours for word in ('inverse(', 'forward_dynamics', 'solve'))
    tolerance = solve_tolerance(space['robot'].mass_matrix(space['q'])) if solves else EXACT
    assert np.abs(mine - other).max() <= 10 * tolerance * max(1.0, np.abs(other).max()), quantity


@pytest.mark.parametrize('quantity, ours, theirs', rows('Drake'))
def test_our_column_beside_drake_runs(quantity, ours, theirs):
    """Each expression gives something finite."""
    found = value(ours, names('Pinocchio'))
    found = found.item().q if found.dtype == object else found
    assert np.isfinite(found).all(), quantity


@pytest.mark.parametrize('quantity, ours, theirs', rows('Drake'))
def test_drake_has_the_names(quantity, ours, theirs):
    """Where Drake is installed: the method, or the class, exists."""
    pytest.importorskip('pydrake')
    module, _, name = theirs.rpartition('.')
    if module == 'MultibodyPlant':
        module = importlib.import_module('pydrake.multibody.plant').MultibodyPlant
    else:
        module = importlib.import_module(module)
    assert hasattr(module, name)


def test_the_tables_are_read():
    """A change of their form must not leave them untested."""
    assert [len(rows(name)) for name in ('Pinocchio', 'MuJoCo', 'Drake')] == [25, 7, 9]
