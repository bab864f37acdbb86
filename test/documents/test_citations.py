# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Cited sections, equations, algorithms and so on of the five books exist."""

from pathlib import Path

import pytest

from robodyn_ros.formulations.index import FORMULATIONS
from tools.books.citations import BOOKS, Citation, citations, prose
from tools.books.contents import ANGELES, CRAIG, JAIN, SPONG, TURNEY, exists
from tools.books.formulation_pages import PAGES
from tools.books.jain_items.item_index import ITEMS
from tools.books.supplements import COMPANIONS
from tools.books.systems import SYSTEMS

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ('robodyn_ros', 'robodyn_control', 'doc', 'examples', 'test', 'tools', 'benchmark')
#: Where a book is not named because the file is about it.
ABOUT = ('robodyn_ros/formulations/', 'doc/books/', 'doc/tutorials/', 'test/formulations/test_')


def default_of(path):
    """Return the book that a file is about, or None."""
    name = path.relative_to(ROOT).as_posix()
    if name.startswith('test/formulations/jain/'):
        return JAIN
    books = (ANGELES, TURNEY, SPONG, CRAIG, JAIN)
    return next((book for book in books for place in ABOUT if name.startswith(place + book)), None)


def files(folder):
    """Return the files of a folder that may cite a book."""
    found = [path for end in ('py', 'md', 'hpp', 'cpp') for path in folder.rglob(f'*.{end}')]
    return sorted(path for path in found if path.name != Path(__file__).name)


@pytest.mark.parametrize('folder', FOLDERS)
def test_every_cited_place_exists(folder):
    """In docstrings, comments and pages; the changelog keeps what was written."""
    missing, count = [], 0
    for path in files(ROOT / folder):
        cites = default_of(path) or any(book in path.read_text() for book in BOOKS)
        for text in prose(path) if cites else ():
            for found in citations(text, default_of(path)):
                count += 1
                if not exists(*found):
                    missing.append(
                        f'{path.relative_to(ROOT)}: {found.book} {found.kind} {found.number}'
                    )
    assert not missing, '\n'.join(missing)
    assert count >= {'robodyn_ros': 1000, 'doc': 500, 'test': 500}.get(folder, 0)


def test_places_of_the_tables_exist():
    """Sections and equations of the tables from which the pages of the books are written."""
    rows = [(JAIN, item.section, item.equations or '') for item in ITEMS]
    rows += [(PAGES[f.book], f.section, f.equations) for f in (*FORMULATIONS, *COMPANIONS)]
    count = 0
    for book, section, equations in rows:
        found = citations(f'sections {section}', book) + citations(f'equations {equations}', book)
        missing = [each for each in found if not exists(*each)]
        assert not missing, (section, equations)
        count += len(found)
    assert count > 500
    for system in SYSTEMS:
        assert all(exists(*each) for each in citations(system.books)), system.books


@pytest.mark.parametrize(
    ('text', 'book', 'expected'),
    [
        ('Jain 2011, section 11.7).', None, [(JAIN, 'section', '11.7')]),
        ('as in section 3.6.3 of it.', JAIN, [(JAIN, 'section', '3.6.3')]),
        (
            'Jain, eq. 11.52 and (11.99a).',
            None,
            [(JAIN, 'equation', '11.52'), (JAIN, 'equation', '11.99')],
        ),
        ('Angeles, Example 7.11, and others', None, [(ANGELES, 'example', '7.11')]),
        (
            "Spong's section 6.2.4; Craig 6.118",
            None,
            [(SPONG, 'section', '6.2.4'), (CRAIG, 'any', '6.118')],
        ),
        (
            'Turney, Mudge and Lee, section 11, Table 6',
            None,
            [(TURNEY, 'section', '11'), (TURNEY, 'table', '6')],
        ),
        ('Lemmas 7.3 and 9.13.', JAIN, [(JAIN, 'lemma', '7.3'), (JAIN, 'lemma', '9.13')]),
        ('(Alg 6.1, 9.59)', JAIN, [(JAIN, 'algorithm', '6.1'), (JAIN, 'any', '9.59')]),
    ],
)
def test_citations_are_found_and_judged(text, book, expected):
    """The last of each does not exist: the test above can fail."""
    found = citations(text, book)
    assert found == [Citation(*each) for each in expected]
    assert not exists(*found[-1])


@pytest.mark.parametrize(
    'text',
    [
        'Featherstone 2008, section 9.2, eq. 99.9',
        'Jain 2011, Algorithm 6.1; Featherstone 2008, eq. 7.99. And section 11.7 of the manual.',
        'm = (1.5, 1.0) kg of Spong, I = (1.5, 1.2)',
        'Spong 1987, section 9.9; Craig-Bampton models, section 8.8',
    ],
)
def test_other_numbers_are_no_citations(text):
    """Other sources and papers of the same authors, decimals, and the next sentence."""
    assert all(exists(*each) for each in citations(text))


def test_sections_of_the_books_are_those_of_the_texts():
    """A few of each, and their neighbours that do not exist."""
    for book, kind, last, beyond in (
        (JAIN, 'section', '11.2.1', '11.2.4'),
        (JAIN, 'section', '8.6.1.1', '8.6.1.2'),
        (JAIN, 'section', 'B.3.3', 'C.1'),
        (JAIN, 'chapter', '19', '20'),
        (JAIN, 'equation', '16.25', '16.29'),
        (JAIN, 'algorithm', '10.6', '15.1'),
        (ANGELES, 'section', '7.6.3', '7.6.4'),
        (ANGELES, 'algorithm', '7.4.2', '7.4.3'),
        (ANGELES, 'exercise', '7.15', '7.16'),
        (TURNEY, 'equation', '3.21', '3.22'),
        (TURNEY, 'section', '9', '10'),
        (SPONG, 'section', '6.5.3', '6.5.4'),
        (CRAIG, 'section', '6.12', '6.13'),
    ):
        assert exists(book, kind, last) and not exists(book, kind, beyond), (book, last)
