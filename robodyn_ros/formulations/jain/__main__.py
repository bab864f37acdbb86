"""Print the items of Jain as Markdown: python -m robodyn_ros.formulations.jain > doc/jain.md."""

from robodyn_ros.formulations.jain.identities import IDENTITIES
from robodyn_ros.formulations.jain.index import ITEMS

INTRODUCTION = """\
# Jain, Robot and Multibody Dynamics (2011), chapters 1 to 10

Written by `python -m robodyn_ros.formulations.jain`, from the index beside it.

Functions are named below `robodyn_ros`: under `formulations.jain` the form of the book, in numpy,
to be read with the book open; under `recursions` and `robot` the one that is fast. The tests named
are in `test/`. n bodies with N degrees of freedom together, m nodes. The book numbers bodies from
the tip (1) to the base (n), puts the angular part of a spatial vector first, and adds to the
accelerations a g that points up; so do the functions under `formulations.jain`.

`python doc/tutorials/jain.py` is a lesson on the operators of a robot with two arms; this is what
`robodyn_ros.formulations.spatial_operators.operators(robot, q).draw()` makes of it:

![Digraph and block patterns](operators.png)
"""

BETWEEN = """
## Identities

What holds for every tree, and the tests that say so: chains, trees and forests of 3 to 20 bodies
on hinges of every kind; section 4.2 on robots of single freedoms, and on trees with all hinges by
their coordinates about a posture.
"""


def located(names):
    """Dotted names as Markdown, by what they are in: one line of the cell each."""
    places = {}
    for name in names:
        place, _, last = name.rpartition('.')
        places.setdefault(place, []).append(f'`{last}`')
    return '<br>'.join(f'{place}: {", ".join(found)}' for place, found in places.items())


def row(item):
    """Cells of one item."""
    where = f'{item.section}; {item.equations}' if item.equations else item.section
    return (str(item.number), where, item.title,
            f'theory only: {item.theory}' if item.theory else located(item.functions),
            ', '.join(f'`{name}`' for name in item.tests),
            f'O({item.cost})' if item.cost else '-', item.correction or '-')


def document():
    """The whole text of doc/jain.md."""
    head = ('Item', 'Section; equations', 'What', 'Functions', 'Tests', 'Cost',
            'Right, where the print is wrong')
    rows = [head, ('---',) * len(head), *map(row, ITEMS)]
    return '\n'.join((*INTRODUCTION.splitlines(), '', *_table(rows), *BETWEEN.splitlines(), '',
                      *_table(identities()))) + '\n'


def identities():
    """Cells of the table of identities."""
    return [('Equations', 'Identity', 'Tests'), ('---',) * 3, *(
        (each.equations, each.statement, ', '.join(f'`{name}`' for name in each.tests))
        for each in IDENTITIES)]


def _table(rows):
    return [f'| {" | ".join(cells)} |' for cells in rows]


if __name__ == '__main__':
    print(document(), end='')
