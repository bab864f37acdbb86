# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot with four numbers in each register, or number by number.

A register holds the same quantity of four joints in derivatives, see robodyn_ros.codegen.packs. In
forward dynamics of closed loops from all positions it holds four columns of matrices, see
robodyn_ros.codegen.loops.column_packs. Both ways are called from Python, for one state, and take
turns.
"""

import functools
import sys
import time
from pathlib import Path

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.codegen import emit_python
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.loops.column_packs import from_all_positions
from robodyn_ros.codegen.machine_scheduler import statements_in_order
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.codegen.specialise import final_recording, sizes
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.compile.vectorcall.entry import entry

sys.path.append(str(Path(__file__).resolve().parents[2] / 'test'))  # has the mechanisms
from support.robots.mechanisms import STANDARD  # noqa: E402

SIZES, ROUNDS, CALLS = (6, 7, 9, 14), 100, 200  # joints, rounds, calls of a measurement
NAMES = 'inverse_dynamics_derivatives', 'forward_dynamics_derivatives'


def measure():
    """Return {'rows': [{robot, name, statements, packs_us, numbers_us}]} of both ways.

    Robots for which packs are not shorter are left out.
    """
    rows = []
    for joints in SIZES:
        model = Robot.from_urdf(read(joints)).model
        given = np.random.default_rng(joints).uniform(-1.0, 1.0, (3, joints))
        for name in NAMES:
            rows.append(_measured(f'{joints} joints', model, name, DERIVATIVES[name], given))
    name = 'forward_dynamics'
    for title, mechanism in STANDARD.items():
        robot = mechanism.robot()
        q, given = robot.model.closed_posture, np.full((2, robot.nv), 0.5)
        given = robot.expand(q)[0], *given
        recipe = from_all_positions(name, RECIPES[name]).of_model(robot.model)
        rows.append(_measured(title, robot.model, name, recipe, given))
    return {'rows': [row for row in rows if row]}


def _measured(title, model, name, recipe, given):
    """Return the row of a quantity at a state; None if packs are not shorter."""
    recording = final_recording(name, recipe, model)
    packed = recipe.packed(name, recipe, model, recording)
    if packed is None:
        return None
    calls = {
        'packs': _compiled(title, recording, packed),
        'numbers': _compiled(title, recording, None),
    }
    length = {way: len(each.computed) for way, each in zip(calls, (packed, recording))}
    times = _alternating(calls, model, recipe, given)
    return {'robot': title, 'name': name, 'statements': length, **times}


def _compiled(title, recording, packed):
    """Return the fast call of the code of one state, which is not cached."""
    text = emit_python.write(recording, packed)
    stem = f'benchmark_{recording.name}_{title.replace(" ", "_")}_{packed is None}'
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


def _alternating(calls, model, recipe, given):
    """Return {way_us: the least time of a call}."""
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
        'code for one robot, one state [us]',
        ('robot', 'quantity', 'statements', 'of numbers', 'packs [us]', 'numbers [us]', 'ratio'),
        [
            (
                row['robot'],
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
