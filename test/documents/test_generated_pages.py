# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated pages are what their generators write."""

import pytest

from tools import versions
from tools.books.__main__ import FOLDER, documents
from tools.books.errata import MISPRINTS
from tools.pages import jain_orders, message_page
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


def test_every_message_is_on_its_page():
    assert message_page.PAGE.read_text() == message_page.page(), (
        'run `python -m tools.pages.message_page`'
    )


def test_comments_of_a_message_go_where_they_belong():
    """An indented one to the field before, one at the margin to the fields after it."""
    text = '# It is\n# this.\n\nint8 A=-1 # one\n  # and\n# B:\nfloat64[<=3] b\n'
    sentences, fields = message_page.described(text)
    assert sentences == 'It is this.'
    assert fields == [['int8', 'A=-1', 'one and'], ['', '', 'B:'], ['float64[<=3]', 'b', '']]
    with pytest.raises(ValueError, match='neither a field nor a comment'):
        message_page.described('float64')


@pytest.mark.parametrize('name, power', [row[2:] for row in jain_orders.ROWS])
def test_counts_grow_with_the_power_that_jain_states(name, power):
    """Chapters 16 to 19: five counts lie on a polynomial of exactly this degree."""
    assert [len(coefficients) - 1 for coefficients in jain_orders.growth(name)] == [power] * 2


def test_polynomials_are_printed_as_in_the_literature():
    with pytest.raises(ValueError, match='no polynomial'):
        jain_orders.polynomial([2**n for n in range(8, 13)], 8)
    values = [n * (n - 1) // 2 + n**3 - 4 for n in range(8, 13)]
    found = jain_orders.polynomial(values, 8)
    assert jain_orders.formula(found) == 'n^3 + n^2/2 - n/2 - 4'


def test_every_combination_of_versions_has_passed():
    """The oldest and the newest NumPy and Numba under Python 3.10 to 3.13."""
    assert versions.PAGE.read_text() == versions.page(), 'run `python -m tools.versions`'
    rows = versions.runs()
    assert set(rows) == set(versions.COMBINATIONS)
    assert [name for name, row in rows.items() if row['failed'] != '0'] == []
    assert all(int(row['passed']) > 1000 for row in rows.values())
