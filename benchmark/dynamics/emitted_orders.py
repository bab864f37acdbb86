# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emitted C code in the order of urgency and with fused sums, or without one such feature.

One compiled loop calls all of it in turn, as in benchmark/dynamics/emitted.py.
"""

import contextlib
import subprocess
import tempfile
from pathlib import Path
from unittest import mock

import numpy as np

from benchmark import table
from benchmark.chains import read
from benchmark.dynamics import emitted, emitted_peers
from benchmark.dynamics.kernel_sums import plain_sums
from robodyn_ros.codegen import c_package, c_selection, emit_c, statement_order
from robodyn_ros.codegen.emit_c import Style
from robodyn_ros.model import build, urdf

SIZES, NAMES = (6, 7, 14, 30), ('inverse_dynamics', 'forward_dynamics')


def plain_order():
    """Keep the order in which few values are alive."""
    return mock.patch.object(statement_order, 'STAGE', 10**9)


def inner_check():
    """Check pivots in the function that computes, which then has one more branch."""
    return mock.patch.object(emit_c, 'checks_last', lambda recording, style: False)


def single_shifts():
    """Add the constant of an angle before its register is filled."""
    return mock.patch.object(emit_c._Printer, 'shifts', lambda printer, stage: {})


#: What each way of emission is without.
WAYS = {
    'emitted': contextlib.nullcontext,
    'plain_sums': plain_sums,
    'plain_order': plain_order,
    'inner_check': inner_check,
    'single_shifts': single_shifts,
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
        n = model.nv
        wrapped = folder / way / 'src' / 'wrapped.c'
        wrapped.write_text(
            f'#include "{way}_dynamics/{way}_dynamics.h"\n'
            f'void {way}_loop(const double *x, double *out)\n'
            f'{{ {way}_{name}(x, x + {n}, x + {2 * n}, out); }}\n'
        )
        made = [
            emitted_peers.compiled(source, source.with_suffix('.o'), '-std=c99',
                                   '-ffp-contract=fast', '-I', folder / way / 'include')
            for source in (folder / way / 'src' / f'{name}.c', wrapped)
        ]  # fmt: skip
        objects += made
        lengths[way] = _instructions(made[0])
    keys = [(way, 'loop') for way in WAYS]
    times, results = emitted.best_times(folder, model.nv, keys, objects, [])
    for result in results.values():
        error = np.abs(result - results['emitted', 'loop']).max()
        assert error <= 1e-10 * np.abs(result).max()
    return {'us': {way: times[way, 'loop'] for way in WAYS}, 'instructions': lengths}


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
