# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""An end effector draws a figure eight, and moves through singular postures. Without ROS.

    robodyn_ros task_demo          a table; task/task.json and task/task.png

The simulated arms, the supervisor with its guards and the law are those of the nodes. Time is
simulated, so the numbers are the same on any machine.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np

from robodyn_ros import RobodynError, Robot
from robodyn_ros.compile import warm_up
from robodyn_ros.control import Supervisor, law_class
from robodyn_ros.demonstration.result_files import ResultFolder, add_force
from robodyn_ros.demonstration.task_drives import DRIVES
from robodyn_ros.demonstration.task_run import EFFORT_RATE, LAW, PERIOD, run_drive
from robodyn_ros.demonstration.text_table import aligned
from robodyn_ros.model.sources.examples import package_file
from robodyn_ros.nodes.start import require

WANTED_ERROR = 1e-3  # [m] largest error of the end effector in the eight
HEAD = (
    'Drive',
    'largest error [mm]',
    'largest rotation error [mrad]',
    'error in the end [mm]',
    'least share controlled',
    'largest torque rate [N m/s]',
    'largest torque / limit',
    'cycles limited',
)


def record(name):
    """Run one of the drives.

    Parameters
    ----------
    name : str
        Its name in DRIVES.

    Returns
    -------
    Record
        Its time series.
    """
    urdf, drive = DRIVES[name]
    robot = Robot.from_urdf(package_file(f'config/urdf/{urdf}.urdf'))
    return run_drive(robot, drive(robot), lambda share: show_progress(name, share))


def figures(record):
    """Return the numbers of one drive.

    Parameters
    ----------
    record : Record
        Its time series.

    Returns
    -------
    dict
        {name with unit: number}.
    """
    return {
        'max_error_m': float(record.error.max()),
        'max_turn_rad': float(record.rotation.max()),
        'last_error_m': float(record.error[-1]),
        'least_share': float(record.shares.min()),
        'max_torque_rate': float(record.rate.max()),
        'peak_effort_share': float((np.abs(record.torque) / record.limits.effort).max()),
        'limited_cycles': record.limited,
        'refused': record.refused,
        'faults': record.faults,
    }


def rows(numbers):
    """Return the cells of the table.

    Parameters
    ----------
    numbers : dict
        {name of the drive: its numbers}.

    Returns
    -------
    list of tuple of str
        A row for each drive.
    """
    return [
        (
            DRIVES[name][1].title,
            f'{1e3 * found["max_error_m"]:.2f}',
            f'{1e3 * found["max_turn_rad"]:.1f}',
            f'{1e3 * found["last_error_m"]:.2f}',
            f'{found["least_share"]:.2f}',
            f'{found["max_torque_rate"]:.0f}',
            f'{found["peak_effort_share"]:.2f}',
            f'{found["limited_cycles"]}',
        )
        for name, found in numbers.items()
    ]


def succeeded(numbers):
    """Return whether the eight has the required accuracy, and no guard acted.

    Parameters
    ----------
    numbers : dict
        {name of the drive: its numbers}.
    """
    return numbers['eight']['max_error_m'] < WANTED_ERROR and all(
        found['max_torque_rate'] <= EFFORT_RATE
        and not found['limited_cycles']
        and not found['refused']
        and not found['faults']
        for found in numbers.values()
    )


def show(numbers):
    """Print the table.

    Parameters
    ----------
    numbers : dict
        {name of the drive: its numbers}.
    """
    lines = [
        ('', 'error mm', 'error mrad', 'end mm', 'share', 'N m/s', 'torque', 'limited'),
        *rows(numbers),
    ]
    print(
        'Largest errors of position and orientation, error in the end, least share to which a\n'
        f'direction is controlled, largest torque rate (limit {EFFORT_RATE:g}), largest torque '
        'over its\nlimit, cycles in which a guard acted.'
    )
    print(aligned(lines))


def draw(records, path):
    """Draw the eight, and both singular drives over time.

    Parameters
    ----------
    records : dict
        {name of the drive: Record}.
    path : path
        File of the picture.
    """
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(2, 3, figsize=(14, 7), layout='constrained')
    eight, time = (
        records['eight'],
        {name: PERIOD * np.arange(len(record.rotation)) for name, record in records.items()},
    )
    axes[0, 0].plot(
        1e3 * eight.commanded[:, 1], 1e3 * eight.commanded[:, 2], 'k--', lw=1.2, label='commanded'
    )
    axes[0, 0].plot(
        1e3 * eight.reached[:, 1], 1e3 * eight.reached[:, 2], 'tab:blue', lw=0.8, label='tip'
    )
    axes[0, 0].set(title='a figure eight', xlabel='y [mm]', ylabel='z [mm]', aspect='equal')
    axes[1, 0].plot(time['eight'], 1e3 * eight.error, 'tab:blue', lw=0.8)
    axes[1, 0].set(
        title='its position error',
        xlabel='time [s]',
        ylabel='position error [mm]',
        ylim=(0.0, 1.0),
    )
    for column, name in ((1, 'wrist'), (2, 'stretch')):
        record, t, upper = records[name], time[name], axes[0, column]
        upper.plot(t, 1e3 * record.error, 'k', lw=0.9, label='position error')
        upper.set(title=DRIVES[name][1].title, xlabel='time [s]', ylabel='position error [mm]')
        right = upper.twinx()
        right.plot(t, record.shares[:, 0], 'tab:orange', lw=1.2, label='least share controlled')
        right.set(ylim=(-0.05, 1.05), ylabel='least share controlled [-]')
        lines = [*upper.lines, *right.lines]
        upper.legend(lines, [line.get_label() for line in lines], loc='center right', fontsize=8)
        lower = axes[1, column]
        lower.plot(
            t,
            record.torque,
            lw=0.9,
            label=[f'joint {k + 1}' for k in range(record.torque.shape[1])],
        )
        lower.set(
            title=f'torques, changing by at most {record.rate.max():.0f} N m/s',
            xlabel='time [s]',
            ylabel='torque [N m]',
        )
        lower.legend(loc='upper center', bbox_to_anchor=(0.5, 0.88), fontsize=8, ncols=3)
    axes[0, 0].legend(loc='upper right', fontsize=8)
    for each in axes.flat:
        each.grid(alpha=0.3)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def show_progress(name, share):
    """Show one line on a terminal, else a sentence for each drive.

    Parameters
    ----------
    name : str
        Name of the drive.
    share : float
        Share done.
    """
    title = DRIVES[name][1].title
    if sys.stderr.isatty():
        sys.stderr.write(f'\r{title:<42}{share:4.0%}{"" if share < 1.0 else chr(10)}')
    elif share == 1.0:
        sys.stderr.write(f'{title}: done\n')


def main(args=None):
    """Run the drives.

    Parameters
    ----------
    args : sequence of str, optional
        Arguments of the command; by default those of this process.

    Returns
    -------
    int
        The exit code: 0 if the end effector meets its criteria, else 1.
    """
    parser = argparse.ArgumentParser(
        prog='robodyn_ros task_demo',
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument('--output', type=Path, default=Path('task'), help='folder for the results')
    add_force(parser)
    options = parser.parse_args(args)
    require('matplotlib')
    try:
        results = ResultFolder(options, ('task.json', 'task.png'), own=Path('task'))
        warm_up(Supervisor.kernels(law_class(LAW)))
        records = {name: record(name) for name in DRIVES}
    except RobodynError as error:
        print(f'The demonstration stopped: {error}', file=sys.stderr)
        return 1
    numbers = {name: figures(record) for name, record in records.items()}
    results.write('task.json', json.dumps(numbers, indent=2) + '\n')
    show(numbers)
    with results.whole('task.png') as part:
        draw(records, part)
    return 0 if succeeded(numbers) else 1


if __name__ == '__main__':
    sys.exit(main())
