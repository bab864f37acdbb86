# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Derivatives for one robot, with LLVM's machine scheduler on or off, called from Python.

Both ways take turns. See robodyn_ros.codegen.machine_scheduler.
"""

import sys
import time
from unittest import mock

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.codegen import machine_scheduler
from robodyn_ros.codegen.derivative_registry import DERIVATIVES
from robodyn_ros.codegen.specialise import sizes, specialise
from robodyn_ros.compile.vectorcall.entry import entry

SIZES, ROUNDS, CALLS = (5, 6, 7, 9, 14), 100, 200
NAMES = 'inverse_dynamics_derivatives', 'forward_dynamics_derivatives'
#: The length up to which the scheduler stays on.
LONGEST = {'on': 10**9, 'off': 0}


def measure():
    """Return {'rows': [{joints, name, statements, on_us, off_us}], 'long': LONG}."""
    rows = []
    for joints in SIZES:
        model = Robot.from_urdf(read(joints)).model
        for name in NAMES:
            made = specialise(model, name, DERIVATIVES[name])
            times = _alternating(
                {way: _compiled(model, name, way) for way in LONGEST}, model, name
            )
            length = sys.modules[made.one.python.__module__].statements
            rows.append({'joints': joints, 'name': name, 'statements': length, **times})
    return {'rows': rows, 'long': machine_scheduler.LONG}


def _compiled(model, name, way):
    """Return the fast call of code that is compiled in one way, and not cached."""
    one = specialise(model, name, DERIVATIVES[name]).one
    vars(one)['_code'] = None
    with mock.patch.object(machine_scheduler, 'LONG', LONGEST[way]):
        return entry(one)


def _alternating(calls, model, name):
    """Return {way_us: the least time of a call}."""
    rng, recipe = np.random.default_rng(model.nv), DERIVATIVES[name]
    given = [rng.uniform(-1.0, 1.0, shape) for shape in sizes(recipe.inputs, model).values()]
    given += [np.empty(shape) for shape in sizes(recipe.outputs, model).values()]
    best = dict.fromkeys(calls, np.inf)
    for _ in range(ROUNDS):
        for way, call in calls.items():
            begin = time.perf_counter()
            for _ in range(CALLS):
                call(*given)
            best[way] = min(best[way], 1e6 * (time.perf_counter() - begin) / CALLS)
    return {f'{way}_us': time_of for way, time_of in best.items()}


def show(result):
    """Show both times and their ratio."""
    table.show(
        f"Derivatives with LLVM's scheduler on and off; off beyond {result['long']} statements",
        ('joints', 'quantity', 'statements', 'on [us]', 'off [us]', 'on / off'),
        [
            (
                row['joints'],
                row['name'],
                row['statements'],
                f'{row["on_us"]:.3f}',
                f'{row["off_us"]:.3f}',
                f'{row["on_us"] / row["off_us"]:.2f}',
            )
            for row in result['rows']
        ],
    )
