# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The rows of Tables 3 to 5 of Turney, Mudge and Lee beside what the files here take."""

import numpy as np

from robodyn_ros.formulations.count import general_arm, operations
from robodyn_ros.formulations.task_graph import recorded
from robodyn_ros.formulations.turney import (
    concurrent_schedule,
    luh_walker_paul,
    modified_newton_euler,
)
from tools.pages.markdown import table

#: Rows: what, printed per link in Table 3, quantities of luh_walker_paul, the same of Table 4 and
#: modified_newton_euler. True where the table has n - 1 links.
ROWS = (
    ('w_i', (9, 7), False, ('w',), (9, 7), False, ('w',)),
    ('al_i', (9, 9), False, ('al',), (9, 9), False, ('al',)),
    ('A_i', (6, 9), False, (), (6, 9), False, ('A',)),
    ('a_i', (18, 15), False, ('R a', 'a'), (18, 15), True, ('R a', 'a')),
    ('abar_i; m abar_i', (9, 9), False, ('abar',), (12, 9), False, ('m abar',)),
    ('f_i', (12, 9), True, ('m abar', 'R f', 'f'), (9, 9), True, ('R f', 'f')),
    (
        'I al + w x I w; v(A K)',
        (24, 15),
        False,
        ('I al', 'w x I w', 'moment'),
        (6, 3),
        False,
        ('moment',),
    ),
    *(
        (name, cost, False, names, cost, False, names)
        for name, cost, names in (
            ('(r + rbar) x m abar', (6, 3), ('(r + rbar) x m abar',)),
            ('r x R f', (6, 3), ('r x R f',)),
            ('R n', (9, 6), ('R n',)),
            ('sum of n', (0, 15), ('n of its own', 'n')),
        )
    ),
)
TEXT = """
## Counted beside Tables 3 to 5

Tables 3 and 4 as printed, and the operations of `luh_walker_paul` and `modified_newton_euler` as
they run, for n = {n}: "multiplications, additions". Rotations and vectors between joints have
zeros, and the first link has less to do. So the counts are below the tables. `luh_walker_paul`
has cross products in place of A_i.

{rows}

The headline of the report is the difference of the totals: 18n + 15 multiplications and 12n + 15
additions. It is not met. Table 3 charges the moment of a full inertia tensor, Table 4 that of a
diagonal one. With equal tensors the tables differ by 6n + 15 and 15. As they run, the sets differ
by 17n - 21 and 5n - 11 in principal axes. With full tensors it is 17n - 23 and 5n - 14. The
modified set then takes more than the 90n - 27 multiplications of the report, from n = 6 on.

The next table has steps of multiplication and of addition, if one processor computes each
quantity. A list scheduler finds them from what each quantity needed while `modified_newton_euler`
ran. The operations are those of Table 4, or those counted in principal axes. No schedule of these
quantities is shorter. The pipeline of Table 5 computes seven quantities at once.

{steps}
"""


def printed(n, table_number):
    """Return the rows of Table 3 or 4 for n links, (rows, 2)."""
    at = 1 if table_number == 3 else 4
    return np.array([(n - row[at + 1]) * np.array(row[at]) for row in ROWS])


def counted(n, principal, table_number):
    """Return the operations of those rows as they run, those of rotations, and the total."""
    form = luh_walker_paul if table_number == 3 else modified_newton_euler
    at = 3 if table_number == 3 else 6
    arm = general_arm(n, principal)
    tasks = recorded(form.inverse_dynamics, arm)
    rows = np.array([_sum(tasks, row[at]) for row in ROWS])
    states = np.random.default_rng(1).uniform(0.5, 1.0, (3, n))
    total = np.array(operations(form.inverse_dynamics, arm, *states))
    return rows, total - rows.sum(axis=0), total


def _sum(tasks, names):
    """Return multiplications and additions of quantities of all links."""
    found = [(t.multiplications, t.additions) for (name, _), t in tasks.items() if name in names]
    return np.sum(found, axis=0) if found else np.zeros(2, int)


def section(n):
    """Return the section of the page of the report."""
    columns = []
    for number in (3, 4):
        rows = printed(n, number)
        columns.append([*rows, None, rows.sum(axis=0)])
        for principal in (True, False):
            rows, rotations, total = counted(n, principal, number)
            columns.append([*rows, rotations, total])
    names = [*(row[0] for row in ROWS), 'products of R', 'total']
    head = (
        'Row',
        *(f'{of}{how}' for of in ('Table 3', 'Table 4') for how in ('', ', principal', ', full')),
    )
    cells = [
        (name, *('-' if each is None else f'{each[0]}, {each[1]}' for each in row))
        for name, *row in zip(names, *columns)
    ]
    return TEXT.format(
        n=n,
        rows=table(head, cells, numbers=False),
        steps=table(
            ('n', 'Table 5', 'Operations of Table 4', 'Counted'),
            [(str(each), *_steps(each)) for each in (2, 4, 6, 8)],
            numbers=False,
        ),
    )


def _steps(n):
    """Return the cells of one number of links."""
    cells = ['{}, {}'.format(*concurrent_schedule.printed(n))]
    for of in (concurrent_schedule.printed_steps_of, concurrent_schedule.steps_of):
        steps, processors = concurrent_schedule.shortest(n, of)
        cells.append(f'{steps[0]}, {steps[1]} on {max(processors)} processors')
    return cells
