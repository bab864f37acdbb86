# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emitted C code as it is, or without one of the features that make it fast.

One compiled loop calls all of it in turn, as in benchmark/dynamics/emitted.py.
"""

import contextlib
import subprocess
import tempfile
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np

from benchmark import table
from benchmark.chains import read
from benchmark.dynamics import emitted, emitted_peers
from benchmark.dynamics.kernel_orders import checked_pivots, own_axes, plain_sums
from robodyn_ros.algorithms.variants import prescribed_motion
from robodyn_ros.codegen import statement_order
from robodyn_ros.codegen.emission import c_package, c_selection, emit_c
from robodyn_ros.codegen.emission.emit_c import Style
from robodyn_ros.codegen.registry import RECIPES
from robodyn_ros.model import build, urdf

SIZES, NAMES = (6, 7, 14, 30), ('inverse_dynamics', 'forward_dynamics')


def plain_order():
    """Keep the order in which few values are alive."""
    return mock.patch.object(statement_order, 'STAGE', 10**9)


@contextlib.contextmanager
def inner_check():
    """Check all pivots in the function that computes, which then has one more branch."""
    with checked_pivots(), mock.patch.object(emit_c, 'checks_last', return_value=False):
        yield


def single_sum():
    """Check that the arguments are finite by one sum, not by sums of neighbours."""
    return mock.patch.object(emit_c, 'SIDE', 10**9)


def single_shifts():
    """Add the constant of an angle before its register is filled."""
    return mock.patch.object(emit_c._Printer, 'shifts', lambda printer, stage: {})


def bias_forces():
    """Leave out forward dynamics by articulated bodies from a prescribed motion."""
    recipe, left_out = RECIPES['forward_dynamics'], prescribed_motion.forward_dynamics
    others = tuple(each for each in recipe.others if each is not left_out)
    without = {'forward_dynamics': replace(recipe, others=others)}
    return mock.patch.dict(c_selection.OF_ROBOT, without)


def fused_pairs():
    """Let the compiler fuse a product with each of two sums."""
    return mock.patch.object(emit_c, 'products_of_pairs', return_value=set())


def early_check():
    """Check that the arguments are finite before the cosines and sines."""
    return mock.patch.object(emit_c._Printer, 'body', _checked_early)


def _checked_early(printer):
    """Yield the lines of a function for one state that checks its arguments first."""
    finite = list(printer.finite())
    yield from finite
    with mock.patch.object(printer, 'finite', return_value=()):
        yield from _body(printer)


_body = emit_c._Printer.body


def plain_options():
    """Compile without the options of the CMake package."""
    return mock.patch.object(emitted_peers, 'package_options', return_value=())


#: What each way of emission is without.
WAYS = {
    'emitted': contextlib.nullcontext,
    'plain_sums': plain_sums,
    'plain_order': plain_order,
    'checked_pivots': checked_pivots,
    'inner_check': inner_check,
    'single_sum': single_sum,
    'early_check': early_check,
    'fused_pairs': fused_pairs,
    'single_shifts': single_shifts,
    'bias_forces': bias_forces,
    'own_axes': own_axes,
    'plain_options': plain_options,
}


def measure():
    """Return {'rows': [{joints, name, us: {way: time}, instructions: {way: number}}]}."""
    rows = []
    for joints in SIZES:
        text = emitted_peers.without_friction(read(joints))
        for name in NAMES:
            with tempfile.TemporaryDirectory() as folder:
                rows.append({'joints': joints, 'name': name, **_row(Path(folder), text, name)})
    return {'rows': rows}


def _row(folder, text, name):
    """Return times and lengths of all ways of one function."""
    model, objects, lengths = build.build(urdf.parse(text)), [], {}
    for way, changed in WAYS.items():
        with changed():
            chosen = c_selection.selected_functions(model, (name,))
            found = c_selection.record_all(model, chosen)
            c_package.write(folder / way, c_package.files(model, text, found, Style(way)))
            made = _compiled(folder / way, way, name, model.nv)
        objects += made
        lengths[way] = _instructions(made[0])
    keys = [(way, 'loop') for way in WAYS]
    times, results = emitted.best_times(folder, model.nv, keys, objects, [])
    for result in results.values():
        error = np.abs(result - results['emitted', 'loop']).max()
        assert error <= 1e-10 * np.abs(result).max()
    return {'us': {way: times[way, 'loop'] for way in WAYS}, 'instructions': lengths}


def _compiled(folder, way, name, n):
    """Return the object files of a function, and of one that a loop calls."""
    wrapped = folder / 'src' / 'wrapped.c'
    wrapped.write_text(
        f'#include "{way}_dynamics/{way}_dynamics.h"\n'
        f'void {way}_loop(const double *x, double *out)\n'
        f'{{ {way}_{name}(x, x + {n}, x + {2 * n}, out); }}\n'
    )
    return [
        emitted_peers.compiled(source, source.with_suffix('.o'), '-std=c99', '-ffp-contract=fast',
                               '-I', folder / 'include')
        for source in (folder / 'src' / f'{name}.c', wrapped)
    ]  # fmt: skip


def _instructions(path):
    """Return the number of instructions of an object file."""
    text = subprocess.run(
        ['objdump', '-d', '--no-show-raw-insn', path], check=True, capture_output=True, text=True
    ).stdout
    return sum(line.startswith(' ') for line in text.splitlines())


def show(result):
    """Show times, and the ratio of each other way to what is emitted."""
    table.show(
        'emitted C, one state [us], and ratios to it',
        ('joints', 'quantity', 'instructions', 'emitted [us]', *list(WAYS)[1:]),
        [
            (
                row['joints'],
                row['name'],
                row['instructions']['emitted'],
                f'{row["us"]["emitted"]:.4f}',
                *(f'{row["us"][way] / row["us"]["emitted"]:.2f}' for way in list(WAYS)[1:]),
            )
            for row in result['rows']
        ],
    )
