# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of faults, its tests and its rows belong together."""

import re
from pathlib import Path

from tools.pages import fault_page
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


def test_every_row_that_a_test_cites_exists():
    cited = {
        int(number)
        for path in TESTS.rglob('*.py')
        for number in re.findall(r'test_row_(\d+)_|fault row (\d+)', path.read_text())
        for number in number
        if number
    }
    assert cited and cited <= {row.number for row in ROWS}
