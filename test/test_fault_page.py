# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of faults, its tests and its rows belong together."""

import re
from pathlib import Path

import pytest

from tools.pages import fault_figures, fault_page
from tools.pages.fault_rows import ROWS

TESTS = Path(__file__).resolve().parent


def test_the_page_is_what_its_generator_writes():
    assert fault_page.PAGE.read_text() == fault_page.page(), (
        'run `python -m tools.pages.fault_page`'
    )


def test_there_are_80_rows_and_each_is_shown_or_has_a_reason():
    functions = fault_page.test_functions()
    assert [row.number for row in ROWS] == list(range(1, 81))
    for row in ROWS:
        shown = fault_page.shown_by(row, functions)  # KeyError for a test that does not exist
        assert shown or row.untested, f'row {row.number} has no test and no reason'
        assert row.fault and row.happens


@pytest.mark.parametrize('row', ROWS, ids=lambda row: str(row.number))
def test_every_row_has_a_figure_that_is_read_from_its_source(row):
    typed = fault_figures.FIELD.sub('', row.measured)
    assert fault_figures.FIELD.search(row.measured) or typed.startswith('one case')
    assert not re.search(r'\d', typed), 'a figure typed by hand is not held to its test'
    assert fault_figures.measured(row.measured)


def test_a_figure_follows_the_code_of_its_test(tmp_path, monkeypatch):
    test = tmp_path / 'test' / 'test_arm.py'
    test.parent.mkdir()
    monkeypatch.setattr(fault_figures, 'ROOT', tmp_path)
    for cycles, cases in ((1_000, 'range(3)'), (20, '[1, 2]')):
        forget()
        test.write_text(
            f"@pytest.mark.parametrize('one', {cases})\ndef test_it(one):\n"
            f'    assert run(\n        {cycles:_}, fresh\n    )\n'
        )
        found = fault_figures.measured('{it|cases} of {it|run( #, fresh} cycles')
        assert found == f'{len(eval(cases))} of {cycles:_} cycles'.replace('_', ' ')
    for changed in ('{it|run(#)}', '{that|cases}'):
        with pytest.raises(ValueError, match='expected 1'):
            fault_figures.measured(changed)
    forget()


def forget():
    """Let the tests be read anew."""
    fault_figures.trees.cache_clear()
    fault_figures.functions.cache_clear()


def test_every_row_that_a_test_cites_exists():
    cited = {
        int(number)
        for path in TESTS.rglob('*.py')
        for number in re.findall(r'test_row_(\d+)_|fault row (\d+)', path.read_text())
        for number in number
        if number
    }
    assert cited and cited <= {row.number for row in ROWS}
