# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Time of update() of the plug-in, beside an empty controller and a loop that only waits.

Runs with and without messages alternate, and the medians over the runs count. Needs ros2_control
and robodyn_control, and the right to a real-time priority for a meaning of the last columns.
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
SHARES = ('median', '99 %', '99.99 %', 'maximum')
#: Parameters of the plug-in: controller_state at 100 Hz and Lambda at 50 Hz, or neither.
SETTINGS = {'with messages': {'osi_publish_rate': 50.0}, 'without': {'state_publish_rate': 0.0}}
UPDATE, WAITING = LAW, 'waiting'  # rows of the program


def command_of(folder, name):
    """Return the command of a run, at a real-time priority where that is allowed."""
    program = Path(get_package_prefix('robodyn_control'), 'lib', 'robodyn_control', 'cycle_cost')
    command = [program, folder / 'arm.urdf', folder / f'{name}.yaml', LAW, CYCLES]
    if shutil.which('chrt') and not subprocess.call(['chrt', '-f', str(PRIORITY), 'true']):
        command = ['chrt', '-f', PRIORITY, *command]
    return [*map(str, command)]


def run(command):
    """Return the times of a run [us], {row: (4,) array}, its counts and its page faults."""
    said = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    times, counts = {}, 0
    for line in said.splitlines():
        if 'median' in line:
            row, numbers = line.split(':')
            counts += sum(map(int, re.findall(r'(\d+) (?:allocations|locks|writes)', numbers)))
            times[row] = np.array([float(re.search(f'{s} ([0-9.]+)', numbers)[1]) for s in SHARES])
    return times, counts, int(re.search(r'(\d+) page faults', said)[1])


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
        'rows': {name: figures([times for times, *_ in done]) for name, done in runs.items()},
        'page_faults': {name: max(faults for *_, faults in done) for name, done in runs.items()},
        'wrong_counts': [
            f'{name}: {counts} allocations, locks and writes; expected none'
            for name, done in runs.items()
            for _, counts, _ in done
            if counts
        ],
        'load_average': (busy, os.getloadavg()),
    }


def figures(runs):
    """Return medians over runs of each row, and of the differences to the waiting loop."""
    rows = {name: np.median([times[name] for times in runs], axis=0) for name in runs[0]}
    beyond = [times[UPDATE] - times[WAITING] for times in runs]
    rows['update() beyond the waiting loop'] = np.median(beyond, axis=0)
    rows['quartiles of that'] = [
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
        table.show(title, ('', *SHARES), cells)
        print(f'page faults: at most {result["page_faults"][setting]} in a run')
    if result['rows']:
        print('load average:', result['load_average'])
