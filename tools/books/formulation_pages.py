# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Pages of the four books whose formulations are compared, and their index."""

import inspect

from robodyn_ros.formulations.count import of_general_arm
from robodyn_ros.formulations.index import ANGELES, CRAIG, FORMULATIONS, SPONG, TURNEY
from tools.books import turney_counts
from tools.books.errata import MISPRINTS
from tools.books.supplements import COMPANIONS
from tools.books.systems import SYSTEMS
from tools.pages.markdown import table

N = 6
INDEX = f"""\
# The books

Written by `python -m tools.books`.

The package contains the equations of motion as five books write them, in numpy, one formulation
per file. They are referees of the fast recursions, to be read with the book open.

```python
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.formulations import compare

robot = Robot.from_urdf('config/urdf/two_link.urdf')
found = compare(robot, *np.random.default_rng(0).uniform(-1, 1, (3, robot.nv)))
assert found.worst < 1e-10
```

`compare` prints the torques of every formulation, side by side. `robodyn_ros check arm.urdf` does
this in a random state, and checks the properties of Spong's section 6.5. Each book has a lesson
that prints the book's numbers beside ours: `python doc/tutorials/angeles.py`.

```{{toctree}}
:maxdepth: 1

angeles
turney
spong
craig
jain
```

## Counted and published operations

Counts are "multiplications, additions" of the function named first, for an arm with {N} revolute
joints. "Counted" is what the file does when it runs: on standard Denavit-Hartenberg rows without
zeros, with full inertia tensors. Sines, cosines, and whatever does not depend on the motion are
left out. Nothing is shared or reordered for speed. "Published" is what the book states, for n and
for n = {N}. A dash has one of three reasons. The function differentiates by complex step, calls a
solver of a library, or is not for such an arm. The counts of code for one robot are on the page
[Operation counts](../code/operation_counts.md).
"""
SYSTEMS_TEXT = """
## Systems of the five books

Every kind of system that the books treat runs here. Functions are below `robodyn_ros`. The tests
compare it with printed numbers, with a second route, or with another library. "From Robot" are
methods of `Robot` that serve the system in one call. A system that is readable only has its
functions in numpy alone.
"""
TITLES = {
    ANGELES: 'Angeles, Fundamentals of Robotic Mechanical Systems (2014), chapter 7',
    TURNEY: 'Turney, Mudge and Lee, Equivalence of two formulations (1980)',
    SPONG: 'Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, chapter 6',
    CRAIG: 'Craig, Introduction to Robotics, chapter 6',
}
LESSONS = {ANGELES: 'angeles', TURNEY: 'turney_mudge_lee', SPONG: 'spong', CRAIG: 'craig'}
#: Name of the page of a book, and the first word of its misprints.
PAGES = {ANGELES: 'angeles', TURNEY: 'turney', SPONG: 'spong', CRAIG: 'craig'}
FORMULATION_HEAD = (
    'Section',
    'Equations',
    'Formulation',
    'File, functions',
    'For',
    'Cost',
    'Counted',
    'Published',
)
SUPPLEMENT_HEAD = (
    'Section',
    'Equations',
    'What',
    'File, functions',
    'Cost',
    'Counted',
    'Published',
)


def overview():
    """Return the text of the index: all formulations with their costs."""
    rows = [
        (f.book, f.section, f.name, f.scope, f'O({f.cost})', counted(f), f.published or '-')
        for f in FORMULATIONS
    ]
    head = ('Book', 'Section', 'Formulation', 'For', 'Cost', 'Counted', 'Published')
    return f'{INDEX}\n{table(head, rows, numbers=False)}\n{_systems()}'


def _systems():
    """Return the section about the systems of the books."""
    rows = [
        (
            s.name,
            s.books,
            ', '.join(f'`{f}`' for f in s.functions),
            ', '.join(f'`{name}`' for name in s.robot) or 'readable only',
            ', '.join(f'`{t}`' for t in s.tests),
        )
        for s in SYSTEMS
    ]
    head = ('System', 'Books', 'Functions', 'From Robot', 'Tests')
    return f'{SYSTEMS_TEXT}\n{table(head, rows, numbers=False)}\n'


def page(book):
    """Return the text of the page of one book."""
    formulations = [
        (
            f.section,
            f.equations,
            f.name,
            located(functions(f)),
            f.scope,
            f'O({f.cost})',
            counted(f),
            f.published or '-',
        )
        for f in FORMULATIONS
        if f.book == book
    ]
    supplements = [
        (
            c.section,
            c.equations,
            c.name,
            located(c.functions),
            c.cost,
            c.counted(N) if c.counted else '-',
            c.published or '-',
        )
        for c in COMPANIONS
        if c.book == book
    ]
    return f"""\
# {TITLES[book]}

Written by `python -m tools.books`. Functions are below `robodyn_ros`. The
[index](index.md#counted-and-published-operations) explains the columns. The lesson is
`python doc/tutorials/{LESSONS[book]}.py`.

## Formulations

{table(FORMULATION_HEAD, formulations, numbers=False)}

## Beside the equations of motion

{table(SUPPLEMENT_HEAD, supplements, numbers=False)}
{turney_counts.section(N) if book == TURNEY else ''}
## Errata

{errata(PAGES[book])}
"""


def errata(book):
    """Return a sentence, and the table of the misprints of a book."""
    rows = [
        (m.place.partition(', ')[2] or m.place, m.correction, f'`{m.test}`')
        for m in MISPRINTS
        if m.place.lower().startswith(book)
    ]
    return (
        'In the text at hand. Every test is in `test/formulations` and holds the right value.\n\n'
        + table(('Place', 'Right', 'Test'), rows, numbers=False)
    )


def counted(form):
    """Return 'M, A' of one formulation: multiplications and additions, or a dash."""
    if not form.countable:
        return '-'
    function = form.main
    arguments = len(inspect.signature(function).parameters)
    return of_general_arm(lambda robot, *states: function(robot, *states[: arguments - 1]))(N)


def functions(form):
    """Return the functions of a formulation; the first one is that whose operations are
    counted."""
    named = [f for f in (form.torque, form.mass, form.forward) if f is not None]
    return sorted(named, key=lambda f: f is not form.main)


def located(named):
    """Return the names of functions by module, each module once.

    Parameters
    ----------
    named : sequence of callable or str
        Functions, or dotted names below `robodyn_ros`.
    """
    modules = {}
    for function in named:
        if isinstance(function, str):
            module, _, name = function.rpartition('.')
        else:
            module = inspect.getmodule(function).__name__.removeprefix('robodyn_ros.')
            name = function.__name__
        modules.setdefault(module, []).append(f'`{name}`')
    return '; '.join(f'{module}: {", ".join(names)}' for module, names in modules.items())
