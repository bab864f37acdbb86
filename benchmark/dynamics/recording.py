# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recording the quantities of a robot, with Python's search for garbage suspended or not.

All nodes of a recording are in use until its end, so a search finds nothing. Both ways take turns,
so that other work of the machine disturbs both alike. Times are of the processor.
"""

import time
from unittest import mock

import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.codegen import specialise
from robodyn_ros.codegen.registry import RECIPES

SIZES, ROUNDS = (7, 30), 7
SUSPENDED, SEARCHED = 'suspended', 'not suspended'


def measure():
    """Return the median time of all recordings by number of joints, for both ways [ms]."""
    return {str(joints): _robot(Robot.from_urdf(read(joints)).model) for joints in SIZES}


def _robot(model):
    searched = specialise.run_on_tape.__wrapped__
    times = {SUSPENDED: [], SEARCHED: []}
    for _ in range(ROUNDS):
        times[SUSPENDED].append(_recorded(model))
        with mock.patch.object(specialise, 'run_on_tape', searched):
            times[SEARCHED].append(_recorded(model))
    return {name: float(np.median(found)) for name, found in times.items()}


def _recorded(model):
    begin = time.process_time()
    for name, recipe in RECIPES.items():
        specialise.record(name, recipe, model)
    return 1e3 * (time.process_time() - begin)


def show(result):
    """Show both times and their ratio."""
    table.show(
        f'Recording {len(RECIPES)} quantities [ms]',
        ('joints', SUSPENDED, SEARCHED, 'ratio'),
        [
            (str(joints), f'{row[SUSPENDED]:.0f}', f'{row[SEARCHED]:.0f}',
             f'{row[SEARCHED] / row[SUSPENDED]:.2f}')
            for joints in SIZES
            for row in [result[str(joints)]]
        ],
    )  # fmt: skip
