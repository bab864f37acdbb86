# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Results of the demonstration: a dictionary for a file, and a table."""

import math
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from robodyn_ros.demonstration.disturbance import ENOUGH, SETTLING, undisturbed

WANTED_RATIO = 20.0  # required advantage of computed torque over PD

COLUMNS = (
    'mode',
    'RMS\n[mrad]',
    'max\n[mrad]',
    'cycles\nper s',
    'cycles',
    'missed',
    'compute\np50/p99\n[us]',
    'CPU\n[%]',
)
#: Largest share of missed cycles, and what a machine with it can be used for.
JUDGEMENTS = (
    (1e-4, 'good enough to try with a robot'),
    (0.05, 'good enough for a demonstration, not for a robot'),
    (1.0, 'too busy for a control loop; close other programs'),
)


def figures(record, joint_names):
    """Return the numbers of one tracking run.

    All but those of the loop are exactly rounded sums, so they depend only on the record.

    `record` (Record): the run.
    """
    error = record.series['reference_position'] - record.series['measured_position']
    mask = undisturbed(record.time, record.disturbances)
    share = float(mask.mean())
    return {
        'disturbances': [each._asdict() | {'sentence': str(each)} for each in record.disturbances],
        'undisturbed': {
            'share': share,
            'rms_error_all_rad': root_mean_square(error[mask]) if share >= ENOUGH else None,
        },
        'rms_error_rad': dict(zip(joint_names, map(root_mean_square, error.T))),
        'max_error_rad': dict(zip(joint_names, np.abs(error).max(axis=0).tolist())),
        'rms_error_all_rad': root_mean_square(error),
        'duration_s': float(record.time[-1]),
        'samples': len(record.time),
        'loop': loop_figures(record),
    }


def root_mean_square(values):
    """Return the root mean square, from an exactly rounded sum."""
    return math.sqrt(math.fsum(x * x for x in values.ravel().tolist()) / values.size)


def loop_figures(record):
    """Return the numbers of the controller's loop, which depend on the machine and its load.

    `record` (Record): the run.
    """
    status = record.status
    return {
        'rate_hz': record.rate,
        'cycles': int(record.cycles),
        'missed': int(record.missed),
        'compute_us': {'p50': status.compute_p50, 'p99': status.compute_p99},
        'tick_us': {'p50': status.tick_p50, 'p99': status.tick_p99},
        'wake_us': {'p50': status.wake_p50, 'p99': status.wake_p99},
        'state_age_p99_ms': status.state_age_p99,
        'cpu_share': record.cpu_share,
    }


def push_figures(record):
    """Return the numbers of the run in which the arm was pushed.

    `record` (Record): the run.
    """
    q = record.series['measured_position']
    return {
        'largest_force_n': max(abs(x) for _, f in record.pushes for x in f.tolist()),
        'displacement_rad': np.abs(q - q[0]).max(axis=0).tolist(),
        'speed_at_end_rad_s': float(np.abs(record.series['measured_velocity'][-1]).max()),
        'loop': loop_figures(record),
    }


def real_time_figures(record, joint_names):
    """Return the numbers of the run in real time, and the use that they permit.

    `record` (Record or str): the run, or the reason why there is none.
    """
    if isinstance(record, str):
        return {'sentence': f'The run in real time stopped: {record}'}
    found = {
        'rms_error_all_rad': figures(record, joint_names)['rms_error_all_rad']
    } | loop_figures(record)
    due = found['cycles'] + found['missed']
    share = found['missed'] / due if due else 1.0
    judgement = next(text for most, text in JUDGEMENTS if share <= most)
    cycles = f'{due:,}'.replace(',', ' ')
    return found | {
        'missed_share': share,
        'sentence': f'{100.0 * share:.2g} % of {cycles} cycles missed: {judgement}; see '
        'doc/benchmarks.md.',
    }


def machine_description():
    """Return a description of the machine.

    Returns processor, cores, and versions of the system, Python, Numba and NumPy.
    """
    cpu = [
        line.split(':', 1)[1].strip()
        for line in Path('/proc/cpuinfo').read_text().splitlines()
        if line.startswith('model name')
    ]
    return {
        'processor': cpu[0] if cpu else platform.processor(),
        'cores': len(cpu),
        'kernel': platform.release(),
        'python': platform.python_version(),
        'numba': version('numba'),
        'numpy': np.__version__,
    }


def report(robot, records, push, live, urdf):
    """Return all results as one dictionary.

    `robot` (Robot): the arm.
    `records` (dict): {mode: Record}.
    `push` (Record): the run of the pushed arm.
    `live` (Record, str or None): the run in real time, or the reason why there is none. None if it
      was not wanted.
    `urdf`: path of the description of the arm.
    """
    names = robot.joint_names
    modes = {mode: figures(record, names) for mode, record in records.items()}
    undisturbed_rms = [
        modes[mode]['undisturbed']['rms_error_all_rad'] for mode in ('pd', 'computed_torque')
    ]
    ratio = None if None in undisturbed_rms else undisturbed_rms[0] / undisturbed_rms[1]
    return {
        'robot': robot.name,
        'urdf': Path(urdf).name,
        'joints': list(names),
        'clock': 'in lock step on simulated time' if live is not None else 'in real time',
        'modes': modes,
        'gravity_compensation': push_figures(push),
        'computed_torque_against_pd': {
            'ratio': ratio,
            'wanted': WANTED_RATIO,
            'reached': None if ratio is None else ratio >= WANTED_RATIO,
        },
        'real_time': None if live is None else real_time_figures(live, names),
        'machine': machine_description(),
    }


def rows(result):
    """Yield the cells of the table: the modes, each followed by the errors of its joints."""

    def row(name, loop, rms, largest):
        compute = loop['compute_us']
        return (
            name,
            rms,
            largest,
            f'{loop["rate_hz"]:.1f}',
            f'{loop["cycles"]}',
            f'{loop["missed"]}',
            f'{compute["p50"]:.0f}/{compute["p99"]:.0f}',
            f'{100.0 * loop["cpu_share"]:.0f}',
        )

    for mode, numbers in result['modes'].items():
        rms, largest = (numbers[key].values() for key in ('rms_error_rad', 'max_error_rad'))
        yield row(
            mode,
            numbers['loop'],
            f'{1e3 * numbers["rms_error_all_rad"]:.4g}',
            f'{1e3 * max(largest):.4g}',
        )
        for joint, of_rms, of_largest in zip(result['joints'], rms, largest):
            yield (
                f'  {joint}',
                f'{1e3 * of_rms:.4g}',
                f'{1e3 * of_largest:.4g}',
                *[''] * (len(COLUMNS) - 3),
            )
    yield row('gravity comp.', result['gravity_compensation']['loop'], '-', '-')
    live = result['real_time'] or {}
    if 'cycles' in live:
        yield row('real time', live, f'{1e3 * live["rms_error_all_rad"]:.4g}', '-')


def disturbance_sentences(result):
    """Yield sentences about the disturbances of each tracking run."""
    for mode, numbers in result['modes'].items():
        found, rest = numbers['disturbances'], numbers['undisturbed']
        if not found:
            continue
        disturbed = (
            f'The machine disturbed {mode}: {"; ".join(each["sentence"] for each in found)}.'
        )
        if rest['rms_error_all_rad'] is None:
            yield (
                f'{disturbed} Less than {100.0 * ENOUGH:.0f} % of the run was undisturbed: '
                'not judged.'
            )
        else:
            yield (
                f'{disturbed} Without it and the {SETTLING:g} s after it, the RMS error is '
                f'{1e3 * rest["rms_error_all_rad"]:.4g} mrad instead of '
                f'{1e3 * numbers["rms_error_all_rad"]:.4g}.'
            )


def verdict(result):
    """Return a sentence: whether computed torque has the required advantage."""
    found = result['computed_torque_against_pd']
    if found['reached'] is None:
        compute = result['modes']['computed_torque']['loop']['compute_us']['p50']
        return (
            'Not judged: this machine was too busy for the control loop. Computed torque takes '
            f'{compute:.0f} us of a cycle (median). Close other programs, and try again.'
        )
    return (
        f'Computed torque tracks {found["ratio"]:.0f} times better than PD alone '
        f'({"at least" if found["reached"] else "expected were at least"} '
        f'{found["wanted"]:.0f} times, RMS over all joints).'
    )


def sentences(result):
    """Yield all sentences below the table."""
    yield from disturbance_sentences(result)
    yield verdict(result)
    live = result['real_time']
    if live and 'cycles' in live:
        tick = live['tick_us']
        yield (
            f'In real time at 1 kHz on this machine: tick {tick["p50"]:.0f} us (median) and '
            f'{tick["p99"]:.0f} us (99 %), woken {live["wake_us"]["p99"]:.0f} us late (99 %), '
            f'{100.0 * live["cpu_share"]:.0f} % of a core.'
        )
    if live:
        yield live['sentence']


def show(result):
    """Print the table, with rich if it is installed."""
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ImportError:
        heads = [' '.join(column.split()) for column in COLUMNS]
        for cells in (heads, *rows(result)):
            sys.stdout.write('  '.join(f'{cell:>22}' for cell in cells) + '\n')
        sys.stdout.write('\n'.join(sentences(result)) + '\n')
        return
    title = escape(f'{result["robot"]}: tracking over DDS, {result["clock"]}')
    table = Table(*map(escape, COLUMNS), title=title)
    for column in table.columns:
        column.no_wrap = True
        column.justify = 'left' if column is table.columns[0] else 'right'
    for cells in rows(result):
        table.add_row(*map(escape, cells), style='dim' if cells[0].startswith(' ') else 'bold')
    console = Console()
    console.print(table)
    for sentence in sentences(result):
        console.print(escape(sentence))
