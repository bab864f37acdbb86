# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives for one robot, with four joints in each register, or number by number.

Both are called from Python, for one state, and take turns. See robodyn_ros.codegen.packs.
"""

import functools
import time

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.machine_scheduler import statements_in_order
from robodyn_ros.codegen.specialise import sizes
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.compile.vectorcall.entry import entry

SIZES, ROUNDS, CALLS = (6, 7, 9, 14), 100, 200  # joints, rounds, calls of a measurement
NAMES = 'inverse_dynamics_derivatives', 'forward_dynamics_derivatives'


def measure():
    """Return {'rows': [{joints, name, statements, packs_us, numbers_us}]} of both ways.

    Robots for which packs are not shorter are left out.
    """
    rows = []
    for joints in SIZES:
        model = Robot.from_urdf(read(joints)).model
        for name in NAMES:
            recipe = DERIVATIVES[name]
            recording = recipe.recorder(name, recipe, model)
            packed = recipe.packed(name, recipe, model, recording)
            if packed is None:
                continue
            calls = {'packs': _compiled(recording, packed), 'numbers': _compiled(recording, None)}
            length = {way: len(each.computed) for way, each in zip(calls, (packed, recording))}
            times = _alternating(calls, model, recipe)
            rows.append({'joints': joints, 'name': name, 'statements': length, **times})
    return {'rows': rows}


def _compiled(recording, packed):
    """Return the fast call of the code of one state, which is not cached."""
    text = emit_python.write(recording, packed)
    stem = f'benchmark_{recording.name}_{len(recording.computed)}_{packed is None}'
    module = imported(stem, lambda: text)
    one = Kernel(
        module.one,
        stem,
        has_vectorcall=False,
        fastmath=False,
        context=functools.partial(statements_in_order, module.statements),
    )
    vars(one)['_code'] = None
    return entry(one)


def _alternating(calls, model, recipe):
    """Return {way_us: the least time of a call}."""
    rng = np.random.default_rng(model.nv)
    given = [rng.uniform(-1.0, 1.0, shape) for shape in sizes(recipe.inputs, model).values()]
    shapes = sizes(recipe.outputs, model).values()
    found = {way: [np.empty(shape) for shape in shapes] for way in calls}
    for way, call in calls.items():
        assert call(*given, *found[way]) == 0
    for mine, theirs in zip(*found.values()):
        assert np.abs(mine - theirs).max() <= 1e-11 * np.abs(theirs).max()
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for way, call in calls.items():
            arguments = *given, *found[way]
            begin = time.perf_counter()
            for _ in range(CALLS):
                call(*arguments)
            best[way] = min(best[way], 1e6 * (time.perf_counter() - begin) / CALLS)
    return {f'{way}_us': time_of for way, time_of in best.items()}


def show(result):
    """Show both lengths, both times and their ratio."""
    table.show(
        'derivatives for one robot, one state [us]',
        ('joints', 'quantity', 'statements', 'of numbers', 'packs [us]', 'numbers [us]', 'ratio'),
        [
            (
                row['joints'],
                row['name'],
                row['statements']['packs'],
                row['statements']['numbers'],
                f'{row["packs_us"]:.3f}',
                f'{row["numbers_us"]:.3f}',
                f'{row["numbers_us"] / row["packs_us"]:.2f}',
            )
            for row in result['rows']
        ],
    )
