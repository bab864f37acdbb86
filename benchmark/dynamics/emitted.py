# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emitted C code beside that of other tools, in one compiled loop at random states.

One program calls every function for 1024 random states. The functions take turns, round after
round, and the best round counts [us per call]. All code is compiled by gcc -O3 -march=native, on
x86 with the option of the CMake package that emitted code comes with.

Results are compared with those of this package at three states; functions that differ are left out
and named. The tools are those installed, see benchmark/dynamics/emitted_peers.py.
"""

import datetime
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np

from benchmark.chains import read
from benchmark.dynamics import emitted_peers

SIZES = (6, 7, 14, 30)
QUANTITIES = (
    'inverse_dynamics',
    'forward_dynamics',
    'inverse_dynamics_derivatives',
    'forward_dynamics_derivatives',
)
#: Relative error of a peer beyond which it computes something else.
AGREEMENT = 1e-7
ROUNDS = 40
RESULTS = Path(__file__).parents[1] / 'results'

DRIVER = """\
#define _POSIX_C_SOURCE 200809L
#include <stdint.h>
#include <stdio.h>
#include <time.h>

enum {{ BANK = 1024, IN = 3 * {n}, OUT = 3 * {n} * {n}, CHECKED = 3 }};

{declared}
struct candidate {{
    const char *name;
    void (*run)(const double *, double *);
    int size;
    double best;
}};

static struct candidate all[] = {{
{table}
}};
static double bank[BANK][IN], out[OUT];

static double now(void)
{{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}}

int main(void)
{{
    const int count = (int)(sizeof all / sizeof all[0]);
    uint64_t seed = 1;
    for (int k = 0; k < BANK; ++k) {{
        for (int i = 0; i < IN; ++i) {{
            seed = seed * 6364136223846793005U + 1442695040888963407U;
            bank[k][i] = (double)(seed >> 11) * 0x1p-52 - 1.0;
        }}
    }}
{opened}
    for (int round = 0; round < {rounds}; ++round) {{
        for (int c = 0; c < count; ++c) {{
            const double begin = now();
            for (int k = 0; k < BANK; ++k) {{
                all[c].run(bank[k], out);
            }}
            const double took = (now() - begin) / BANK;
            all[c].best = took < all[c].best ? took : all[c].best;
        }}
    }}
    for (int c = 0; c < count; ++c) {{
        printf("%s %.17g", all[c].name, all[c].best);
        for (int k = 0; k < CHECKED; ++k) {{
            all[c].run(bank[k], out);
            for (int i = 0; i < all[c].size; ++i) {{
                printf(" %.17g", out[i]);
            }}
        }}
        printf("\\n");
    }}
    return 0;
}}
"""


def measure():
    """Return {'robots': {joints: {quantity: {library: us}}}, 'notes': sentences}."""
    result = {'robots': {}, 'notes': [], 'unit': 'us', 'wrong_counts': []}
    result['load'] = [os.getloadavg()[0]]
    for size in SIZES:
        with tempfile.TemporaryDirectory() as folder:
            rows, notes = _robot(Path(folder), size)
        result['robots'][str(size)] = rows
        result['notes'] += [f'{size} joints: {note}' for note in notes]
    result['load'].append(os.getloadavg()[0])
    return result


def _robot(folder, joints):
    """Return the times of all functions of one robot, and sentences about missing ones."""
    text = emitted_peers.without_friction(read(joints))
    functions, objects, flags, notes = [], [], [], []
    for peer in emitted_peers.PEERS:
        (folder / peer.__name__).mkdir()
        try:
            made = peer(folder / peer.__name__, text, joints)
        except (ImportError, FileNotFoundError, subprocess.SubprocessError) as error:
            notes.append(f'no {peer.__name__} ({str(error).strip()[:150]})')
            continue
        functions += made.functions
        objects += made.objects
        flags += made.flags
        notes += made.notes
    times, results = best_times(folder, joints, functions, objects, flags)
    rows = {quantity: {} for quantity in QUANTITIES}
    for (library, quantity), best in times.items():
        if ('ours', quantity) not in results:
            notes.append(f'{library} is left out of {quantity}: nothing of ours to compare with')
            continue
        ours = results['ours', quantity]
        error = np.abs(results[library, quantity] - ours).max() / np.abs(ours).max()
        if error < AGREEMENT:
            rows[quantity][library] = best
        else:
            notes.append(f'{library} is left out of {quantity}: it differs by {error:.1g}')
    return rows, notes


def best_times(folder, joints, functions, objects, flags):
    """Return times and results of the functions, {(library, quantity): ...}."""
    names = [f'{library}_{quantity}' for library, quantity in functions]
    sizes = [
        3 * joints * joints if quantity.endswith('derivatives') else joints
        for _, quantity in functions
    ]
    driver = folder / 'driver.c'
    opened = [name for name in ('pinocchio',) if any(key[0] == name for key in functions)]
    declared = ''.join(f'void {name}(const double *, double *);\n' for name in names)
    declared += ''.join(f'void {name}_open(void);\n' for name in opened)
    table = ',\n'.join(
        f'    {{"{name}", {name}, {size}, 1e30}}' for name, size in zip(names, sizes)
    )
    driver.write_text(
        DRIVER.format(
            n=joints,
            declared=declared,
            table=table,
            rounds=ROUNDS,
            opened=''.join(f'    {name}_open();\n' for name in opened),
        )
    )
    emitted_peers.compiled(driver, driver.with_suffix('.o'))
    program = folder / 'driver'
    subprocess.run(
        ['g++', driver.with_suffix('.o'), *objects, '-o', program, *flags, '-lm'], check=True
    )
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    times, results = {}, {}
    for key, line in zip(functions, printed.splitlines()):
        _, best, *numbers = line.split()
        times[key], results[key] = float(best), np.array(numbers, float)
    return times, results


def show(result):
    """Print one table, and write it as Markdown."""
    libraries = sorted(
        {name for rows in result['robots'].values() for row in rows.values() for name in row}
        - {'ours'}
    )
    where = ', '.join(f'{key} {value}' for key, value in result['machine'].items())
    first, last = result['load']
    lines = [
        '# Emitted C\n',
        f'Printed by `python -m benchmark emitted` on {datetime.date.today()}. Machine: {where}.',
        f'Load of the machine: {first:.1f} at first and {last:.1f} at last.\n',
        f'| joints | quantity [us] | ours | {" | ".join(libraries)} | best peer / ours |',
        f'|---:|---|---:|{"---:|" * len(libraries)}---:|',
    ]
    for joints, rows in result['robots'].items():
        for quantity, row in rows.items():
            cells = [f'{row[name]:.3f}' if name in row else '-' for name in libraries]
            peers = [row[name] for name in libraries if name in row]
            ratio = f'{min(peers) / row["ours"]:.1f}' if peers and 'ours' in row else '-'
            ours = f'{row["ours"]:.3f}' if 'ours' in row else '-'
            lines.append(f'| {joints} | {quantity} | {ours} | {" | ".join(cells)} | {ratio} |')
    lines += ['', *(f'- {note}.' for note in result['notes'])]
    print('\n'.join(lines))
    (RESULTS / 'emitted.md').write_text('\n'.join(lines) + '\n')
