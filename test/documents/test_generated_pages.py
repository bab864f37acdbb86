# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated pages are what their generators write."""

import pytest

from tools import versions
from tools.books.__main__ import FOLDER, documents
from tools.books.errata import MISPRINTS
from tools.pages.operation_counts import PAGE, document


@pytest.mark.parametrize('name', ['index', 'angeles', 'turney', 'spong', 'craig', 'jain'])
def test_pages_of_the_books_are_up_to_date(name):
    page = f'{name}.md'
    assert (FOLDER / page).read_text() == documents()[page], 'run `python -m tools.books`'


def test_every_misprint_stands_on_a_page():
    text = ''.join(documents().values())
    assert [m.place for m in MISPRINTS if m.correction not in text] == []


def test_operation_counts_are_up_to_date():
    assert PAGE.read_text() == document() + '\n', 'run `python -m tools.pages.operation_counts`'


def test_every_combination_of_versions_has_passed():
    """The oldest and the newest NumPy and Numba under Python 3.10 to 3.13."""
    assert versions.PAGE.read_text() == versions.page(), 'run `python -m tools.versions`'
    rows = versions.runs()
    assert set(rows) == set(versions.COMBINATIONS)
    assert [name for name, row in rows.items() if row['failed'] != '0'] == []
    assert all(int(row['passed']) > 1000 for row in rows.values())
