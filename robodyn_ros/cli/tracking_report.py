"""What the demonstration measured: numbers for a file, a table for a person."""
import json
import platform
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

from robodyn_ros.cli.disturbance import ENOUGH, SETTLING, undisturbed

WANTED_RATIO = 20.0   # by how much computed torque must beat PD alone

COLUMNS = ('mode', 'RMS\n[mrad]', 'max\n[mrad]', 'rate\n[Hz]', 'cycles', 'missed',
           'compute\np50/p99\n[us]', 'CPU\n[%]')


def figures(record, joint_names):
    """The numbers of one tracking run, per joint where they are of joints."""
    error = record.series['reference_position'] - record.series['measured_position']
    calm = undisturbed(record.time, record.disturbances)
    share = float(calm.mean())
    return {
        'disturbances': [each._asdict() | {'sentence': str(each)} for each in record.disturbances],
        'undisturbed': {
            'share': share, 'rms_error_all_rad': (
                float(np.sqrt(np.mean(error[calm]**2))) if share >= ENOUGH else None)},
        'rms_error_rad': dict(zip(joint_names, np.sqrt(np.mean(error**2, axis=0)).tolist())),
        'max_error_rad': dict(zip(joint_names, np.abs(error).max(axis=0).tolist())),
        'rms_error_all_rad': float(np.sqrt(np.mean(error**2))),
        'duration_s': float(record.time[-1]), 'samples': len(record.time),
        'rate_hz': record.rate, 'cycles': int(record.cycles), 'missed': int(record.missed),
        'compute_us': {'p50': record.status.compute_p50, 'p99': record.status.compute_p99},
        'tick_us': {'p50': record.status.tick_p50, 'p99': record.status.tick_p99},
        'wake_us': {'p50': record.status.wake_p50, 'p99': record.status.wake_p99},
        'cpu_share': record.cpu_share}


def push_figures(record):
    """The numbers of the run in which the arm was pushed."""
    q = record.series['measured_position']
    force = np.array([f for _, f in record.pushes])
    return {'largest_force_n': float(np.linalg.norm(force, axis=1).max()),
            'displacement_rad': np.abs(q - q[0]).max(axis=0).tolist(),
            'speed_at_end_rad_s': float(np.abs(record.series['measured_velocity'][-1]).max()),
            'rate_hz': record.rate, 'cycles': int(record.cycles), 'missed': int(record.missed),
            'compute_us': {'p50': record.status.compute_p50, 'p99': record.status.compute_p99},
            'cpu_share': record.cpu_share}


def machine():
    """Where the numbers come from: they are of this machine, and of what else ran on it."""
    cpu = [line.split(':', 1)[1].strip() for line in Path('/proc/cpuinfo').read_text().splitlines()
           if line.startswith('model name')]
    return {'processor': cpu[0] if cpu else platform.processor(), 'cores': len(cpu),
            'kernel': platform.release(), 'python': platform.python_version(),
            'numba': version('numba'), 'numpy': np.__version__}


def report(robot, modes, push, urdf, repeated):
    """Everything as one dictionary: `modes` are figures(), `push` push_figures().

    repeated : how many runs were disturbed by a busy machine, and done again.
    """
    calm = [modes[mode]['undisturbed']['rms_error_all_rad'] for mode in ('pd', 'computed_torque')]
    ratio = None if None in calm else calm[0] / calm[1]
    return {'robot': robot.name, 'urdf': Path(urdf).name, 'joints': list(robot.joint_names),
            'modes': modes, 'gravity_compensation': push,
            'computed_torque_against_pd': {
                'ratio': ratio, 'wanted': WANTED_RATIO,
                'reached': None if ratio is None else ratio >= WANTED_RATIO},
            'repeated_runs': repeated, 'machine': machine()}


def save(result, path):
    """Write the report as JSON."""
    path.write_text(json.dumps(result, indent=2) + '\n')


def rows(result):
    """The table's cells, row by row: the modes, each followed by its joints' errors."""
    def row(name, numbers, rms, largest):
        compute = numbers['compute_us']
        return (name, rms, largest, f'{numbers["rate_hz"]:.1f}', f'{numbers["cycles"]}',
                f'{numbers["missed"]}', f'{compute["p50"]:.0f}/{compute["p99"]:.0f}',
                f'{100.0 * numbers["cpu_share"]:.0f}')
    for mode, numbers in result['modes'].items():
        rms, largest = (numbers[key].values() for key in ('rms_error_rad', 'max_error_rad'))
        yield row(mode, numbers, f'{1e3 * numbers["rms_error_all_rad"]:.4g}',
                  f'{1e3 * max(largest):.4g}')
        for joint, of_rms, of_largest in zip(result['joints'], rms, largest):
            yield (f'  {joint}', f'{1e3 * of_rms:.4g}', f'{1e3 * of_largest:.4g}',
                   *[''] * (len(COLUMNS) - 3))
    yield row('gravity comp.', result['gravity_compensation'], '-', '-')


def disturbed(result):
    """What kept the nodes from their work, in a sentence or two for each tracking run."""
    for mode, numbers in result['modes'].items():
        found, calm = numbers['disturbances'], numbers['undisturbed']
        if not found:
            continue
        told = f'The machine disturbed {mode}: {"; ".join(each["sentence"] for each in found)}.'
        if calm['rms_error_all_rad'] is None:
            yield f'{told} Less than {100.0 * ENOUGH:.0f} % of the run is left: not judged.'
        else:
            yield (f'{told} Judged is the rest, without {SETTLING:g} s after it: RMS error '
                   f'{1e3 * calm["rms_error_all_rad"]:.4g} mrad instead of '
                   f'{1e3 * numbers["rms_error_all_rad"]:.4g}.')


def verdict(result):
    """Whether computed torque is as much better as it should be, in a sentence."""
    found = result['computed_torque_against_pd']
    if found['reached'] is None:
        compute = result['modes']['computed_torque']['compute_us']['p50']
        return ('Not judged: this machine was too busy for the control loop, of whose cycles '
                f'computed torque takes {compute:.0f} us (median). Close what else runs, and try '
                'again.')
    return (f'Computed torque tracks {found["ratio"]:.0f} times better than PD alone '
            f'({"at least" if found["reached"] else "expected were at least"} '
            f'{found["wanted"]:.0f} times, RMS over all joints).')


def show(result):
    """Print the table: by rich where it is installed."""
    try:
        from rich.console import Console
        from rich.markup import escape
        from rich.table import Table
    except ImportError:
        heads = [' '.join(column.split()) for column in COLUMNS]
        for cells in (heads, *rows(result)):
            sys.stdout.write('  '.join(f'{cell:>22}' for cell in cells) + '\n')
        sys.stdout.write('\n'.join((*disturbed(result), verdict(result))) + '\n')
        return
    table = Table(*map(escape, COLUMNS), title=f'{result["robot"]}: tracking over real DDS')
    for column in table.columns:
        column.no_wrap = True
        column.justify = 'left' if column is table.columns[0] else 'right'
    for cells in rows(result):
        table.add_row(*cells, style='dim' if cells[0].startswith(' ') else 'bold')
    console = Console()
    console.print(table)
    for sentence in (*disturbed(result), verdict(result)):
        console.print(sentence)
