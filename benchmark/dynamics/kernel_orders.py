# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code for one robot as it is, or without one of the features that make it fast.

One compiled loop calls each for a bank of states, for one state and in batches. They take turns.
See robodyn_ros.codegen.fused_sums, robodyn_ros.codegen.regular_pivots and
robodyn_ros.algorithms.variants.prescribed_motion.
"""

import contextlib
import time
from dataclasses import replace
from unittest import mock

import numba
import numpy as np

from benchmark import table
from benchmark.chains import read
from robodyn_ros import Robot
from robodyn_ros.algorithms.mass_matrix import mass_matrix_solve
from robodyn_ros.algorithms.variants import prescribed_motion
from robodyn_ros.codegen import specialise
from robodyn_ros.codegen.registry import RECIPES

SIZES, ROUNDS, PASSES, BANK = (6, 7, 14, 30, 48), 60, 4, 256
NAMES = 'inverse_dynamics', 'forward_dynamics'


@numba.njit
def _loop(run, q, qd, third, result):
    for i in range(len(q)):
        run(q[i], qd[i], third[i], result[i])


def plain_sums():
    """Keep the sums of the recursion."""
    return mock.patch.object(specialise, 'with_fused_sums', lambda recording: recording)


def checked_pivots():
    """Check all pivots, also those that are regular at every posture."""
    return mock.patch.object(specialise, 'unchecked_joints', lambda model, recipe: frozenset())


def own_axes():
    """Compute joint accelerations in the axes of each body, not in those of its parent."""
    return mock.patch.object(
        prescribed_motion, 'accelerate_from_parent', mass_matrix_solve.cross_base_to_tip
    )


#: What each way of recording is without.
WAYS = {
    'compiled': contextlib.nullcontext,
    'plain_sums': plain_sums,
    'checked_pivots': checked_pivots,
    'own_axes': own_axes,
}


def measure():
    """Return {'rows': [{joints, name, us: {'way kind': time}}]}."""
    rows = []
    for joints in SIZES:
        model = Robot.from_urdf(read(joints)).model
        rows += [{'joints': joints, 'name': name, 'us': _times(model, name)} for name in NAMES]
    return {'rows': rows}


def _times(model, name):
    """Return {'way kind': the least time of a state [us]}."""
    given = np.random.default_rng(model.nv).uniform(-1.0, 1.0, (3, BANK, model.nv))
    calls, results = {}, {}
    for way, changed in WAYS.items():
        with changed():  # the name of the model is in that of the cached text
            made = specialise.specialise(replace(model, name=f'kernel {way}'), name, RECIPES[name])
        one, rows = made.one.compiled, made.rows.compiled
        results[way] = out = np.empty((BANK, model.nv))
        calls[f'{way} one'] = lambda one=one, out=out: _loop(one, *given, out)
        calls[f'{way} rows'] = lambda rows=rows, out=out: rows(*given, out, 0, BANK)
    best = dict.fromkeys(calls, np.inf)
    for call in calls.values():
        call()
    for _ in range(ROUNDS):
        for key, call in calls.items():
            begin = time.perf_counter()
            for _ in range(PASSES):
                call()
            took = (time.perf_counter() - begin) / (PASSES * BANK)
            best[key] = min(best[key], 1e6 * took)
    for result in results.values():
        error = np.abs(result - results['compiled']).max()
        assert error <= 1e-10 * np.abs(result).max()
    return best


def show(result):
    """Show times, and the ratio of each other way to what is compiled."""
    others = list(WAYS)[1:]
    table.show(
        'code for one robot [us a state], and ratios to it',
        ('joints', 'quantity', *(x for kind in ('one', 'batch') for x in (kind, *others))),
        [
            (
                row['joints'],
                row['name'],
                *(
                    text
                    for kind in ('one', 'rows')
                    for text in (
                        f'{row["us"][f"compiled {kind}"]:.3f}',
                        *(
                            f'{row["us"][f"{way} {kind}"] / row["us"][f"compiled {kind}"]:.2f}'
                            for way in others
                        ),
                    )
                ),
            )
            for row in result['rows']
        ],
    )
