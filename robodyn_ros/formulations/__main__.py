"""Print all formulations as Markdown: python -m robodyn_ros.formulations > doc/formulations.md."""

import inspect

from robodyn_ros.formulations.companions import COMPANIONS
from robodyn_ros.formulations.count import of_general_arm
from robodyn_ros.formulations.index import FORMULATIONS
from robodyn_ros.formulations.misprints import MISPRINTS

N = 6
INTRODUCTION = f"""\
# The classical formulations

Written by `python -m robodyn_ros.formulations`. `robodyn_ros.formulations.compare(robot, q, qd,
qdd)` prints what each of them makes of a robot, side by side; `robodyn_ros check arm.urdf` does so
in a random state, and checks the properties of Spong's section 6.5. The lessons of `doc/tutorials`
go through the chapters, the book's numbers beside ours: `python doc/tutorials/angeles.py`.

Counts are multiplications, additions for the function named first, of a {N}-revolute arm. Counted:
what the text in the file does when it is run, on standard DH rows with no zero in them and full
inertia tensors, sines, cosines and whatever does not depend on the motion left out; nothing is
shared or reordered for speed. Published: what the book says, for n and for n = 6. A dash: it
differentiates by complex step, calls a library's solver, or is not for such an arm. Files are in
`robodyn_ros/formulations`; how many operations the same recursions need once they are specialised
is in `doc/operation_counts.md`.
"""


def counted(form):
    """'M, A' of one formulation, or a dash."""
    if not form.countable:
        return '-'
    function = form.main
    arguments = len(inspect.signature(function).parameters)
    return of_general_arm(lambda robot, *states: function(robot, *states[:arguments - 1]))(N)


def functions(form):
    """The functions of a formulation, the counted one first."""
    named = [f for f in (form.torque, form.mass, form.forward) if f is not None]
    return sorted(named, key=lambda f: f is not form.main)


def located(named):
    """Names of functions by file, each file once."""
    files = {}
    for function in named:
        if isinstance(function, str):
            module, _, name = function.rpartition('.')
            folder, _, file = module.partition('.')
            place = f'../{folder}/{file}.py' if file and file.islower() else f'../{folder}.py'
        else:
            place, name = f'{inspect.getmodule(function).__name__.rpartition(".")[2]}.py', ''
        files.setdefault(place, []).append(f'`{name or function.__name__}`')
    return '; '.join(f'{file}: {", ".join(names)}' for file, names in files.items())


def table(head, rows):
    """Lines of a Markdown table."""
    return [f'| {" | ".join(cells)} |' for cells in (head, ['---'] * len(head), *rows)]


def document():
    """The whole text of doc/formulations.md."""
    lines = INTRODUCTION.splitlines() + ['']
    lines += table(['Book', 'Section', 'Equations', 'Formulation', 'File, functions', 'For',
                    'Cost', 'Counted', 'Published'],
                   [[f.book, f.section, f.equations, f.name, located(functions(f)), f.scope,
                     f'O({f.cost})', counted(f), f.published or '-'] for f in FORMULATIONS])
    lines += ['', '## What stands beside them', '']
    lines += table(['Book', 'Section', 'Equations', 'What', 'File, functions', 'Cost', 'Counted',
                    'Published'],
                   [[c.book, c.section, c.equations, c.name, located(c.functions), c.cost,
                     c.counted(N) if c.counted else '-', c.published or '-'] for c in COMPANIONS])
    lines += ['', '## What the books got wrong', '', 'In the texts at hand; every test is in '
              '`test/formulations` and holds the right value.', '']
    lines += table(['Place', 'Right', 'Test'],
                   [[m.place, m.correction, f'`{m.test}`'] for m in MISPRINTS])
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    print(document(), end='')
