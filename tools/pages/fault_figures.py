# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Figures of the fault table, each read from its source, so that no figure is typed by hand.

`{place|code}` in a text is one figure. The place is a test without its `test_`, a Python file, or
one of RUNS. In the code, `#` stands for the figure; `cases` counts the cases of a test.
"""

import ast
import math
import re
from functools import cache
from pathlib import Path

from tools import fuzz, soak, versions

ROOT = Path(__file__).resolve().parents[2]
FIELD = re.compile(r'\{([^|{}]+)\|([^{}]+)\}')
NUMBER = r'(-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?|[+-]\d[\d.]*)'


def measured(text):
    """Return a text with its figures filled in.

    Raises
    ------
    ValueError
        If a place has not exactly one such figure.
    """
    return FIELD.sub(lambda found: _figure(*found.groups()), text)


def _figure(place, code):
    if place in RUNS:
        source = RUNS[place]()
    elif place.endswith('.py'):
        source = (ROOT / place).read_text()
    else:
        path, function = _test(place)
        if code == 'cases':
            return str(_cases(function, _assigned(path)))
        first = min(node.lineno for node in (function, *function.decorator_list))
        source = '\n'.join(path.read_text().splitlines()[first - 1 : function.end_lineno])
    pattern = r'\s*'.join(re.escape(word) for word in code.split()).replace(r'\#', NUMBER)
    found = set(re.findall(pattern, source))
    if len(found) != 1:
        raise ValueError(f'{place} has {len(found)} figures of {code!r}; expected 1')
    return found.pop().replace('_', ' ')


@cache
def trees():
    """Return {path: syntax tree} of every file of tests."""
    return {path: ast.parse(path.read_text()) for path in sorted(ROOT.glob('test/**/test_*.py'))}


@cache
def functions():
    """Return {name: [(path, function)]} of the functions at the top level of the tests."""
    found = {}
    for path, tree in trees().items():
        for node in tree.body:
            if isinstance(node, ast.FunctionDef):
                found.setdefault(node.name, []).append((path, node))
    return found


def _test(name):
    """Return path and function of a test, whose name must be unique."""
    found = functions().get(f'test_{name}', ())
    if len(found) != 1:
        raise ValueError(f'there are {len(found)} tests test_{name}; expected 1')
    return found[0]


def _assigned(path):
    """Return {name: value} of the assignments at the top level of a file."""
    return {
        node.targets[0].id: node.value
        for node in trees()[path].body
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name)
    }


def _cases(function, names):
    """Return the number of cases that the parameters of a test give."""
    decorators = (names.get(getattr(one, 'id', ''), one) for one in function.decorator_list)
    counts = [
        _length(one.args[1], names)
        for one in decorators
        if isinstance(one, ast.Call) and ast.unparse(one.func).endswith('parametrize')
    ]
    return math.prod(counts)


def _length(node, names):
    """Return the number of entries of a list in the code of a test."""
    if isinstance(node, ast.Name):
        return _length(names[node.id], names)
    if isinstance(node, ast.Dict):
        return len(node.keys)
    if isinstance(node, (ast.List, ast.Tuple)):
        return len(node.elts)
    what = ast.unparse(node.func) if isinstance(node, ast.Call) else ''
    if what == 'range':
        return len(range(*map(ast.literal_eval, node.args)))
    if what == 'list':
        return _length(node.args[0], names)
    if what == 'itertools.product':
        repeated = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
        return math.prod(_length(each, names) for each in node.args) ** repeated['repeat']
    raise ValueError(f'{ast.unparse(node)} is no list of cases')


def _soaked(part):
    """Return the figures of the longest run of a part of tools.soak."""
    rows = [row for row in soak.runs() if row['part'] == part]
    row = max(rows, key=lambda one: int(one['count']))
    return f'count {row["count"]}; {row["result"]}'


def _fuzzed():
    rows = fuzz.runs()
    inputs, findings = (sum(int(row[key]) for row in rows) for key in ('inputs', 'findings'))
    return f'inputs {inputs}, findings {findings}'


def _versions():
    rows = versions.runs().values()
    return f'environments {len(rows)}, tests {min(int(row["passed"]) for row in rows)}'


RUNS = {
    'soak kills': lambda: _soaked('kills'),
    'soak traffic': lambda: _soaked('traffic'),
    'soak undecodable': lambda: _soaked('undecodable'),
    'fuzz': _fuzzed,
    'versions': _versions,
}
