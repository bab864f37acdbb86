# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Make the arms these tests share importable, and hold tests of misprints to code of the book."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from tools.books.errata import MISPRINTS  # noqa: E402  needs the path

#: Of programs of others, of which only the printed numbers of operations are known.
NUMBERS_ALONE = ('test_published_formulas_have_the_published_worth',)
#: {test: folders of robodyn_ros.formulations with the code of its misprints}.
BOOKS = {}
for each in MISPRINTS:
    if each.test not in NUMBERS_ALONE:
        BOOKS.setdefault(each.test, set()).add(each.place.partition(',')[0].lower())


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Run a test; that of a misprint fails unless it enters functions of each of its books."""
    missing = set(BOOKS.get(pyfuncitem.originalname, ()))
    if not missing:
        return (yield)

    def note(frame, event, _):
        if event == 'call':
            place = frame.f_code.co_filename
            missing.difference_update(
                [book for book in missing if f'/formulations/{book}/' in place]
            )
            if not missing:
                sys.setprofile(None)  # what follows runs at full speed

    sys.setprofile(note)
    try:
        result = yield
    finally:
        sys.setprofile(None)
    assert not missing, (
        f'{pyfuncitem.name} holds a misprint of {", ".join(sorted(missing))} and calls no '
        'function of its formulations'
    )
    return result
