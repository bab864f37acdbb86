# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time of update() of the plug-in, beside an empty controller and two loops that only wait.

Runs with and without messages alternate, and the medians over the runs count. All runs have the
same cycles. The slowest cycle is the largest of the medians of each cycle over the runs. It has
no delay of the machine, since those come in other cycles in each run. The second loop waits 5 us
longer in three cycles, and its slowest cycle must show that. Its maximum shows how far those of
two equal loops differ. Needs ros2_control and robodyn_control, and the right to a real-time
priority for a meaning of the maximum.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from ament_index_python.packages import PackageNotFoundError, get_package_prefix

from benchmark import table
from robodyn_ros.cli.demo import URDF
from robodyn_ros.control.plugin_files import LAW, plugin_files
from robodyn_ros.model.sources.examples import package_file

RUNS, CYCLES = 11, 300_000
PRIORITY = 50
TIMES = 'times'  # file of a run
SHARES = ('median', '99 %', '99.99 %', 'maximum')
COLUMNS = (*SHARES, 'slowest cycle')
#: Parameters of the plug-in: controller_state at 100 Hz and Lambda at 50 Hz, or neither.
SETTINGS = {'with messages': {'osi_publish_rate': 50.0}, 'without': {'state_publish_rate': 0.0}}
UPDATE, WAITING, MARKED = LAW, 'waiting', 'waiting, marked'
ROWS = (UPDATE, 'empty', WAITING, MARKED)  # of the program, in the order of its file


def command_of(folder, name):
    """Return the command of a run, at a real-time priority where that is allowed."""
    program = Path(get_package_prefix('robodyn_control'), 'lib', 'robodyn_control', 'cycle_cost')
    command = [program, folder / 'arm.urdf', folder / f'{name}.yaml', LAW, CYCLES, folder / TIMES]
    if shutil.which('chrt') and not subprocess.call(['chrt', '-f', str(PRIORITY), 'true']):
        command = ['chrt', '-f', PRIORITY, *command]
    return [*map(str, command)]


def run(command):
    """Return a run: {row: (4,) array [us]}, (4, cycles) times [s], counts and page faults."""
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    times, counts = {}, 0
    for line in said.splitlines():
        if 'median' in line:
            row, numbers = line.split(':')
            counts += sum(map(int, re.findall(r'(\d+) (?:allocations|locks|writes)', numbers)))
            times[row] = np.array([float(re.search(f'{s} ([0-9.]+)', numbers)[1]) for s in SHARES])
    cycles = np.fromfile(command[-1]).reshape(len(ROWS), CYCLES).astype(np.float32)
    return times, cycles, counts, int(re.search(r'(\d+) page faults', said)[1])


def measure():
    """Run the program in turn with both settings."""
    try:
        get_package_prefix('robodyn_control')
    except PackageNotFoundError:
        return {'missing': ['robodyn_control'], 'rows': {}}
    busy = os.getloadavg()
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        files = plugin_files(Path(package_file(URDF)).read_text(), folder, trajectories=False)
        (folder / 'arm.urdf').write_text(files.description)
        text, line = files.parameters.read_text(), "robot_compensates_gravity: 'no'"
        for name, changes in SETTINGS.items():
            own = ''.join(f'\n    {key}: {value}' for key, value in changes.items())
            (folder / f'{name}.yaml').write_text(text.replace(line, line + own))
        runs = {name: [] for name in SETTINGS}
        for _ in range(RUNS):
            for name in SETTINGS:
                runs[name].append(run(command_of(folder, name)))
    return {
        'missing': [],
        'rows': {name: figures(done) for name, done in runs.items()},
        'page_faults': {name: max(faults for *_, faults in done) for name, done in runs.items()},
        'wrong_counts': [
            f'{name}: {counts} allocations, locks and writes; expected none'
            for name, done in runs.items()
            for *_, counts, _ in done
            if counts
        ],
        'load_average': (busy, os.getloadavg()),
    }


def figures(runs):
    """Return medians over runs of each row, and of the differences to the waiting loop."""
    all_times = [times for times, *_ in runs]
    rows = {name: np.median([t[name] for t in all_times], axis=0) for name in all_times[0]}
    for k, name in enumerate(ROWS):
        of_each_cycle = np.median([cycles[k] for _, cycles, *_ in runs], axis=0)
        rows[name] = np.append(rows[name], 1e6 * of_each_cycle.max())
    for title, name in (('update()', UPDATE), ('marked loop', MARKED)):
        beyond = [times[name] - times[WAITING] for times in all_times]
        slowest = rows[name][-1] - rows[WAITING][-1]
        rows[f'{title} beyond the waiting loop'] = [*np.median(beyond, axis=0), slowest]
        rows[f'quartiles of the {title}'] = [
            '{:.1f} .. {:.1f}'.format(*pair) for pair in np.percentile(beyond, [25, 75], axis=0).T
        ]
    return {name: list(values) for name, values in rows.items()}


def show(result):
    """Print a table for each setting."""
    for name in result['missing']:
        print(f'{name} is not installed: nothing was measured')
    for setting, rows in result['rows'].items():
        cells = [
            [name, *(v if isinstance(v, str) else f'{v:.2f}' for v in values)]
            for name, values in rows.items()
        ]
        title = f'update() [us] {setting}, medians of {RUNS} runs of {CYCLES} cycles'
        table.show(title, ('', *COLUMNS), cells)
        print(f'page faults: at most {result["page_faults"][setting]} in a run')
    if result['rows']:
        print('load average:', result['load_average'])
