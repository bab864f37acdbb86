# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the five books contain: numbers of their sections, equations, algorithms and so on.

Facts, taken from the texts at hand: all of Jain and of the report by Turney, Mudge and Lee. Of
Angeles that is chapter 7, of Spong chapter 6, of Craig lecture notes on chapter 6. The headings of
the last two have no numbers there. Those here follow from references and from the order of the
subjects. Citations of other chapters cannot be checked, and are in UNCHECKED.
"""

ANGELES, TURNEY, SPONG, CRAIG, JAIN = 'angeles', 'turney', 'spong', 'craig', 'jain'

#: Number of subsections of each section, by book and chapter; section 3.2.4 exists if entry 2 of
#: chapter 3 is at least 4. The sections of Turney's report have none, and are its chapters.
SECTIONS = {
    ANGELES: {'7': (0, 0, 3, 2, 2, 3, 0, 0, 0)},
    TURNEY: {str(section): () for section in range(10)},
    SPONG: {'6': (3, 3, 0, 0, 3, 1, 0)},
    CRAIG: {'6': (0,) * 12},
    JAIN: {
        '1': (0, 2, 2, 2, 0),
        '2': (4, 3, 2, 0, 0, 0),
        '3': (0, 4, 3, 3, 0, 0),
        '4': (5, 3),
        '5': (3, 3, 3, 1),
        '6': (3, 5, 2, 4),
        '7': (3, 1, 4),
        '8': (0, 3, 0, 1, 2, 2, 1),
        '9': (3, 1, 3, 2, 1, 2),
        '10': (2, 6, 2, 0),
        '11': (2, 3, 0, 0, 2),
        '12': (2, 1, 1, 3),
        '13': (3, 5, 2, 0, 0, 0, 2),
        '14': (1, 2, 4, 3, 2, 3),
        '15': (1, 3, 3, 0, 0),
        '16': (4, 1, 3, 1),
        '17': (4, 4, 6, 0),
        '18': (2, 3, 1, 4, 0, 0, 0),
        '19': (0, 2, 1, 3, 1),
        'A': (0, 0, 0, 0, 0, 3),
        'B': (0, 0, 3, 0),
    },
}
#: Sections below those: Jain, 8.6.1.1.
DEEPER = {JAIN: ('8.6.1.1',)}

_JAIN = (*map(str, range(1, 20)), 'A', 'B')


def _of_jain(*last):
    """Return {chapter: last number} of Jain, chapters 1 to 19, A and B."""
    return dict(zip(_JAIN, last))


#: Last number of each kind, by book, kind and chapter or section; all count from 1.
LAST = {
    ANGELES: {
        'equation': {'7': 138},
        'algorithm': {'7.4': 2, '7.6': 2},
        'example': {'7.3': 1, '7.5': 1, '7.6': 2},
        'exercise': {'7': 15},
        'table': {'7': 5},
        'figure': {'7': 12},
    },
    TURNEY: {'equation': {'1': 28, '2': 11, '3': 21, '4': 32, '5': 2}, 'table': {'': 5}},
    SPONG: {
        'equation': {'6': 180},
        'example': {'6': 3},
        'proposition': {'6': 1},
        'figure': {'6': 13},
    },
    CRAIG: {'equation': {'6': 117}, 'example': {'6': 6}},
    JAIN: {
        'equation': _of_jain(
            *(47, 38, 53, 52, 66, 50, 44, 45, 58, 53, 51, 27, 71, 37, 27, 28, 52, 68, 42),
            *(29, 49),
        ),
        'algorithm': _of_jain(0, 0, 2, 2, 3, 2, 3, 0, 5, 6, 3, 5, 7, 0, 0, 4, 5, 1, 3, 0, 0),
        'lemma': _of_jain(1, 3, 2, 2, 1, 0, 6, 8, 12, 6, 2, 2, 2, 9, 2, 4, 6, 14, 11, 1, 0),
        'exercise': _of_jain(9, 14, 7, 11, 6, 5, 6, 1, 2, 3, 7, 2, 1, 3, 1, 3, 5, 15, 4, 2, 18),
        'example': {'5': 2},
        'table': {'2': 2, '5': 1, '6': 1, '7': 1, '19': 3},
        'figure': _of_jain(2, 1, 7, 4, 5, 4, 1, 7, 3, 2, 2, 3, 2, 9, 7, 1, 6, 1, 0, 0, 0),
        'remark': {'2': 4, '4': 2, '5': 2, '6': 4, '8': 3, '10': 2, '17': 2, '18': 2, '19': 1},
        'assumption': {'14': 1, '18': 1, '19': 2},
    },
}

#: Chapters of these books that are cited but not at hand.
UNCHECKED = {CRAIG: ('3', '7', '10'), SPONG: ('3',), ANGELES: ('3', '4')}


def exists(book, kind, number):
    """Return whether a book has this section, equation or the like.

    Parameters
    ----------
    book : str
        One of ANGELES, TURNEY, SPONG, CRAIG and JAIN.
    kind : str
        'section', 'chapter', a kind of LAST, or 'any' for a section or an equation.
    number : str
        Its number, such as '11.2.1', '7.4.2' or 'B.34'.

    Returns
    -------
    bool
        Whether it exists, or is of a chapter that is UNCHECKED.
    """
    chapter, *inner = number.split('.')
    if chapter in UNCHECKED.get(book, ()):
        return True
    if kind == 'any':
        return exists(book, 'section', number) or exists(book, 'equation', number)
    if kind in ('section', 'chapter'):
        return _is_section(book, number, chapter, inner)
    place, _, last = number.rpartition('.')
    return 1 <= int(last) <= LAST[book].get(kind, {}).get(place, 0)


def _is_section(book, number, chapter, inner):
    """Return whether a book has this section, given the parts of its number."""
    sections = SECTIONS[book].get(chapter)
    if sections is None or not inner:
        return sections is not None
    if number in DEEPER.get(book, ()):
        return True
    section, subsection = int(inner[0]), [int(each) for each in inner[1:]]
    if not 1 <= section <= len(sections) or len(subsection) > 1:
        return False
    return all(1 <= each <= sections[section - 1] for each in subsection)
