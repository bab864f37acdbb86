# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Write doc/faults.md from the fault table: python -m tools.pages.fault_page."""

import ast
import inspect
import re
from pathlib import Path

from robodyn_ros.realtime.log_throttle import LineBudget
from tools import soak
from tools.pages import markdown
from tools.pages.fault_rows import ROWS

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'doc' / 'faults.md'
ROW_TEST = re.compile(r'test_row_(\d+)_')


def test_functions():
    """Return {(file stem, function): path} of every test function in test/."""
    return {
        (path.stem, node.name): path.relative_to(ROOT).as_posix()
        for path in sorted(ROOT.glob('test/**/test_*.py'))
        for node in ast.parse(path.read_text()).body
        if isinstance(node, ast.FunctionDef) and node.name.startswith('test_')
    }


def shown_by(row, functions):
    """Return the tests of a row as `path::name`: those named after the row, then those that it
    names.

    Raises
    ------
    KeyError
        With a test that does not exist.
    """
    own = [
        (stem, name)
        for stem, name in functions
        if (found := ROW_TEST.match(name)) and int(found[1]) == row.number
    ]
    named = [tuple(f'test_{part}' for part in test.split('::')) for test in row.tests.split()]
    return [f'{functions[test]}::{test[1]}' for test in [*own, *named]]


def page():
    """Return the page."""
    functions = test_functions()
    lines = []
    for row in ROWS:
        where = [f'`{test}`' for test in shown_by(row, functions)]
        if row.untested:
            where.append(f'Not shown: {row.untested}')
        cells = row.number, row.fault, row.happens, '<br>'.join(where)
        lines.append(f'| {" | ".join(map(str, cells))} |')
    whole = sum(not row.untested for row in ROWS)
    burst = inspect.signature(LineBudget).parameters['burst'].default
    head = [
        '# Faults: what happens when something goes wrong',
        '',
        'Written by `python -m tools.pages.fault_page`. A fault row that a test cites is here.',
        '',
        'In every row the process lives, or ends as the row says. Every effort is finite, within',
        'its limit and its rate. The status names the cause. Each part of a node logs at most',
        f'{burst} lines at once, then one a second. What the middleware prints about lengths that',
        'lie comes once a second, too.',
        '',
        f'Tests show {whole} of {len(ROWS)} rows whole. The other {len(ROWS) - whole} say what no '
        'test shows, and why.',
        '',
        '| Row | Fault | What happens | Shown by |',
        '|---:|---|---|---|',
    ]
    return '\n'.join([*head, *lines, '', *long_runs()]) + '\n'


def long_runs():
    """Yield the lines about the runs of `make soak` so far."""
    rows = [
        [f'`{row["part"]}`', row['seed'], row['count'], row['result'], row['failures'] or 'none']
        for row in soak.runs()
    ]
    if not rows:
        return ['## Long runs', 'No run of `make soak` has been recorded yet.']
    return [
        '## Long runs',
        'What `make soak ARGS=--record` has run so far, in counts or seconds; `make soak` alone',
        'has the full length. Times are those of a machine that did other work meanwhile.',
        '',
        *markdown.table(('Part', 'Seed', 'Count', 'Result', 'Failures'), rows, False).splitlines(),
    ]


if __name__ == '__main__':
    PAGE.write_text(page())
