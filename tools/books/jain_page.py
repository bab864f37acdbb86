# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The page of Jain: every item of its chapters, its counterpart here, and the identities."""

from tools.books import formulation_pages
from tools.books.identities import IDENTITIES
from tools.books.jain_items.item_index import ITEMS
from tools.pages.markdown import table

INTRODUCTION = """\
# Jain, Robot and Multibody Dynamics (2011), chapters 1 to 19 and appendices A and B

Written by `python -m tools.books`.

Functions are named below `robodyn_ros`. Under `formulations.jain` is the form of the book, in
numpy, to be read with the book open. Under `algorithms` and `robot` is the fast form. The tests
are in `test/`. There are n bodies with N degrees of freedom together, and m nodes.

The book numbers bodies from the tip (1) to the base (n). It puts the angular part of a spatial
vector first, and adds to the accelerations a g that points up. So do the functions under
`formulations.jain`.

`python doc/tutorials/jain.py` is a lesson on the operators of a robot with two arms. It draws them
with `formulations.jain.operators.spatial_operators.operators(robot, q).draw()`:

![Digraph and block patterns](operators.png)

`python doc/tutorials/jain_closed_chains.py` is the lesson of chapters 11, 12, 14 and 15, on a
parallelogram and on geared motors.

`python doc/tutorials/jain_flexible.py` is the lesson of chapter 13, on an arm whose links bend.

`python doc/tutorials/jain_under_actuated.py` is the lesson of chapter 16, on a crane.

`python doc/tutorials/jain_free_flying.py` is the lesson of chapter 17, on an arm without a base.

`python doc/tutorials/jain_sensitivities.py` is the lesson of chapter 18, on rates and gradients.

`python doc/tutorials/jain_diagonalised.py` is the lesson of chapter 19, on
velocities that decouple.

## Items
"""
IDENTITIES_INTRODUCTION = """
## Identities

These hold for every tree. The tests use chains, trees and forests of 3 to 20 bodies, with joints
of every kind. Section 4.2 is tested on robots whose joints have one degree of freedom. It is also
tested on trees with all joints, by their coordinates about a posture.
"""
HEAD = ('Item', 'Section; equations', 'What', 'Functions', 'Tests', 'Cost', 'Correction')


def located(names):
    """Return dotted names as Markdown for a cell, grouped by module."""
    places = {}
    for name in names:
        place, _, last = name.rpartition('.')
        places.setdefault(place, []).append(f'`{last}`')
    return '<br>'.join(f'{place}: {", ".join(found)}' for place, found in places.items())


def row(item):
    """Return the cells of one item."""
    where = f'{item.section}; {item.equations}' if item.equations else item.section
    return (
        str(item.number),
        where,
        item.title,
        f'theory only: {item.theory}' if item.theory else located(item.functions),
        ', '.join(f'`{name}`' for name in item.tests),
        f'O({item.cost})' if item.cost else '-',
        item.correction or '-',
    )


def document():
    """Return the text of the page."""
    identities = [
        (each.equations, each.statement, ', '.join(f'`{name}`' for name in each.tests))
        for each in IDENTITIES
    ]
    return '\n'.join(
        (
            INTRODUCTION,
            table(HEAD, map(row, ITEMS), numbers=False),
            IDENTITIES_INTRODUCTION,
            table(('Equations', 'Identity', 'Tests'), identities, numbers=False),
            '\n## Errata\n',
            formulation_pages.errata('jain'),
            '',
        )
    )
