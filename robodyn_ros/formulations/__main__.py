"""Print all formulations as Markdown: python -m robodyn_ros.formulations > doc/formulations.md."""

import inspect

import numpy as np

from robodyn_ros.formulations.count import operations
from robodyn_ros.formulations.index import COMPANIONS, FORMULATIONS
from robodyn_ros.formulations.misprints import MISPRINTS
from robodyn_ros.model import build, dh
from robodyn_ros.model.dh import DHRow

N = 6
INTRODUCTION = f"""\
# The classical formulations

Written by `python -m robodyn_ros.formulations`. `robodyn_ros.formulations.compare(robot, q, qd,
qdd)` prints what each of them makes of a robot, side by side.

Counts are multiplications, additions for the function named first, of a {N}-revolute arm. Counted:
what the text in the file does when it is run, on standard DH rows with no zero in them and full
inertia tensors, sines, cosines and whatever does not depend on the motion left out; nothing is
shared or reordered for speed. Published: what the book says, for n and for n = 6. A dash: it
differentiates by complex step, or is not for such an arm.
"""


def general_arm(n):
    """RobotModel of n turning joints, no entry of whose table is zero."""
    rng = np.random.default_rng(0)
    rows = []
    for _ in range(n):
        a, d, *com = rng.uniform(0.1, 0.5, 5)
        inertia = np.diag(rng.uniform(1.0, 1.2, 3)) + 0.05 * (1.0 - np.eye(3))
        rows.append(DHRow(a=a, alpha=rng.uniform(0.3, 1.2), d=d, mass=2.0, com=com,
                          inertia=inertia))
    return build.build(dh.describe(rows, convention='standard'))


def counted(form):
    """'M, A' of one formulation, or a dash."""
    if not form.countable:
        return '-'
    states = np.random.default_rng(1).uniform(0.5, 1.0, (3, N))
    function = form.main
    arguments = states[:len(inspect.signature(function).parameters)]
    return '{}, {}'.format(*operations(function, general_arm(N), *arguments))


def functions(form):
    """The functions of a formulation, the counted one first."""
    named = [f for f in (form.torque, form.mass, form.forward) if f is not None]
    return sorted(named, key=lambda f: f is not form.main)


def located(named):
    """Names of functions by file, each file once."""
    files = {}
    for function in named:
        file = inspect.getmodule(function).__name__.rpartition('.')[2]
        files.setdefault(f'{file}.py', []).append(f'`{function.__name__}`')
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
    lines += table(['Book', 'Section', 'Equations', 'What', 'File, functions', 'Cost'],
                   [[c.book, c.section, c.equations, c.name, located(c.functions), f'O({c.cost})']
                    for c in COMPANIONS])
    lines += ['', '## What the books got wrong', '', 'In the texts at hand; every test is in '
              '`test/formulations` and holds the right value.', '']
    lines += table(['Place', 'Right', 'Test'],
                   [[m.place, m.correction, f'`{m.test}`'] for m in MISPRINTS])
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    print(document(), end='')
