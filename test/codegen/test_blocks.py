# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Long code in blocks: the same results, refusals and nothing left out."""

import ast
import importlib
import inspect
import time
from pathlib import Path
from threading import Barrier, Thread

import numpy as np
import pytest

from robodyn_ros.codegen import partition
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.emit_llvm import LANES
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import sizes, specialise
from robodyn_ros.compile import source_cache
from test.codegen.conftest import named

EXACT = 1e-13  # a product and its sum in two blocks are not fused: the last bit may differ


@pytest.fixture
def short_blocks(monkeypatch, tmp_path):
    """Cut at every 60 statements, in a cache of our own: its code is that of this cut."""
    monkeypatch.setattr(partition, 'LONGEST', 60)
    monkeypatch.setattr(partition, 'SHORT', 20)
    monkeypatch.setattr(partition, 'FENCED', 7)
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))


@pytest.mark.parametrize(
    'robot, name',
    [
        ('franka_like', 'inverse_dynamics'),
        ('sliding_tree', 'forward_dynamics'),
        ('one_slide', 'inverse_dynamics_derivatives'),
        ('franka_like', 'inverse_dynamics_derivatives'),  # with packs, also between blocks
    ],
)
def test_blocks_equal_the_text(short_blocks, robot, name):
    """Machine code in blocks gives what Python gives with the same text, for one state and eight.
    What it refuses leaves the outputs unchanged.
    """
    model, recipe = named(robot).robot.model, (RECIPES | DERIVATIVES)[name]
    kernels = specialise(model, name, recipe)
    text = getattr(importlib.import_module(kernels.one.python.__module__), name)
    assert robot == 'one_slide' or len(partition.plan(_tree(text).body).parts) > 8
    rng = np.random.default_rng(4)
    given = [
        rng.uniform(-1.5, 1.5, (LANES, *shape)) for shape in sizes(recipe.inputs, model).values()
    ]
    shapes = list(sizes(recipe.outputs, model).values())
    together = [np.full((LANES, *shape), np.nan) for shape in shapes]
    assert kernels.rows(*given, *together, 0, LANES) == LANES
    for k in range(LANES):
        state = [array[k] for array in given]
        expected, got = ([np.full(shape, np.nan) for shape in shapes] for _ in range(2))
        assert text(*state, *expected) == kernels.one(*state, *got) == 0
        for theirs, mine, lane in zip(expected, got, together):
            allowed = EXACT * max(np.abs(theirs).max(), 1.0) * len(theirs)
            assert np.abs(mine - theirs).max() <= allowed
            assert np.abs(lane[k] - theirs).max() <= allowed
    given[-1][3, 0] = np.nan
    untouched = [np.full((LANES, *shape), 7.0) for shape in shapes]
    assert kernels.rows(*given, *untouched, 0, LANES) == 0
    assert kernels.one(*(array[3] for array in given), *(array[3] for array in untouched)) == -1
    assert all((array == 7.0).all() for array in untouched)


def test_places_of_needed_values_are_not_shared(monkeypatch):
    """From the part that makes a value to the last one that wants it, its place is its own."""
    monkeypatch.setattr(partition, 'LONGEST', 10)
    rng = np.random.default_rng(6)
    lines = ['t0 = q[0]', 't1 = cos(t0)', 't2 = 0.5 + t0']
    for k in range(3, 400):
        a, b = (k - 1 - rng.geometric(0.1, 2) % k).tolist()
        lines.append(f't{k} = t{a} {"+-*"[k % 3]} t{b}')
        if k % 9 == 0:
            lines.append(f'tau[{k // 9}] = -t{k}')
    lines += ['if not (t390 > 1.0 and t7 > 2.0):\n    return 1', 'return 0']
    statements = (
        ast.parse(
            '\n'.join(['def f():', *(f'    {line}'.replace('\n', '\n    ') for line in lines)])
        )
        .body[0]
        .body
    )
    plan = partition.plan(statements)
    assert [statement for part in plan.parts for statement in part] == statements
    assert all(len(part) <= 10 for part in plan.parts) and plan.size < len(plan.places)
    holds = {}
    for part in plan.parts:
        for statement in part:
            for name in partition.names(getattr(statement, 'test', None) or statement.value):
                if name in plan.places and name not in _made(part):
                    assert name == 't1' or holds[plan.places[name]] == name
        for name in _made(part):
            if name in plan.places:
                holds[plan.places[name]] = name


def test_a_text_is_seen_whole_or_not_at_all(monkeypatch, tmp_path):
    """Threads that import one text at once never meet half of it."""
    monkeypatch.setenv('ROBODYN_CACHE_DIR', str(tmp_path))
    body = 'import time\ntime.sleep(0.3)\nnumber = 1\n'
    start, seen = Barrier(2), []

    def first():
        start.wait()
        seen.append(source_cache.imported('slow_text', lambda: body).number)

    def second():
        start.wait()
        for _ in range(500):
            time.sleep(1e-3)
            try:
                seen.append(importlib.import_module('robodyn_specialised_slow_text').number)
            except ModuleNotFoundError:  # not there yet
                continue
            break

    threads = [Thread(target=run) for run in (first, second)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert seen in ([1], [1, 1])


def _tree(function):
    tree = ast.parse(Path(inspect.getsourcefile(function)).read_text())
    return next(node for node in tree.body if getattr(node, 'name', '') == function.__name__)


def _made(part):
    return {statement.targets[0].id for statement in part if partition.defines(statement)}
