# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Draw the picture of the demonstration: references, measurements and torque terms."""

import numpy as np

from robodyn_ros.control.laws.law import TERMS
from robodyn_ros.demonstration.plot_text import plain

COLOURS = {'pd': 'tab:red', 'pd_gravity': 'tab:orange', 'computed_torque': 'tab:blue'}
FLOOR = 1e-4  # [rad] smallest error in the plot, whose scale is logarithmic
LABELS = {'pd': 'PD alone', 'pd_gravity': 'PD + gravity', 'computed_torque': 'computed torque'}


def draw(records, push, live, joint_names, clock, verdict, path):
    """Write the figure.

    `records` (dict): {mode: Record}.
    `push` (Record): the run of the pushed arm, under gravity compensation.
    `live` (Record or object): the run in real time; anything else if there was none.
    `clock`: time base of the records, in words.
    `verdict`: a sentence on the records.
    `path` (path): file of the figure.
    """
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    figure = plt.figure(figsize=(16, 11), layout='constrained')
    title = f'Simulated 7-joint arm over DDS, {clock}. {verdict}'
    figure.suptitle(plain(title), fontsize=13)
    top, middle, bottom = figure.subfigures(3, 1, height_ratios=(1.0, 1.0, 1.0))
    _tracking(top, records, joint_names)
    if hasattr(live, 'series'):
        left, right = middle.subfigures(1, 2, width_ratios=(2.35, 1.0))
        _errors(left, records, joint_names)
        _real_time(right, records['computed_torque'], live)
    else:
        _errors(middle, records, joint_names)
    left, right = bottom.subfigures(1, 2, width_ratios=(1.35, 1.0))
    _torques(left, records['computed_torque'], joint_names)
    _pushing(right, push, joint_names)
    figure.savefig(path, dpi=110)
    plt.close(figure)


def _tracking(figure, records, joint_names):
    """Plot references and measurements of the joints with the largest torque."""
    heaviest = np.argsort(np.abs(records['computed_torque'].series['gravity']).max(axis=0))[::-1][
        :3
    ]
    for axes, j in zip(figure.subplots(1, 3), sorted(heaviest)):
        for mode, record in records.items():
            axes.plot(
                record.time,
                record.series['measured_position'][:, j],
                color=COLOURS[mode],
                lw=1.2,
                label=LABELS[mode],
            )
        record = records['computed_torque']
        axes.plot(
            record.time,
            record.series['reference_position'][:, j],
            'k--',
            lw=1.0,
            label='reference',
        )
        axes.set(title=plain(f'{joint_names[j]}: position'), xlabel='time [s]', ylabel='[rad]')
        axes.grid(alpha=0.3)
    _legend(figure, axes)


def _errors(figure, records, joint_names):
    """Plot the error over time on a logarithmic scale, and RMS per joint."""
    over_time, per_joint = figure.subplots(1, 2, width_ratios=(1.35, 1.0))
    width = 0.8 / len(records)
    for k, (mode, record) in enumerate(records.items()):
        error = record.series['reference_position'] - record.series['measured_position']
        over_time.semilogy(
            record.time, _norm(record), color=COLOURS[mode], lw=1.0, label=LABELS[mode]
        )
        per_joint.bar(
            np.arange(len(joint_names)) + k * width,
            1e3 * np.sqrt(np.mean(error**2, axis=0)),
            width,
            color=COLOURS[mode],
        )
        for each in record.disturbances:
            over_time.axvspan(
                *np.clip((each.begin, each.end), 0.0, record.time[-1]),
                color=COLOURS[mode],
                alpha=0.15,
                lw=0,
            )
    busy = any(record.disturbances for record in records.values())
    over_time.set(
        title='tracking error, norm over all joints'
        + ' (shaded: the machine missed cycles)' * busy,
        xlabel='time [s]',
        ylabel='[mrad]',
    )
    per_joint.set(title='RMS error per joint', ylabel='[mrad]', yscale='log')
    per_joint.set_xticks(
        np.arange(len(joint_names)) + width, list(map(plain, joint_names)), fontsize=8
    )
    for axes in (over_time, per_joint):
        axes.set_axisbelow(True)
        axes.grid(alpha=0.3)


def _norm(record):
    """Return the norm of the tracking error over all joints [mrad]."""
    error = record.series['reference_position'] - record.series['measured_position']
    return 1e3 * np.maximum(np.linalg.norm(error, axis=1), FLOOR)


def _real_time(figure, lock_step, live):
    """Plot computed torque in real time on this machine, beside lock step."""
    axes = figure.subplots()
    axes.semilogy(live.time, _norm(live), color='tab:green', lw=0.8, label='in real time')
    axes.semilogy(lock_step.time, _norm(lock_step), color='tab:blue', lw=1.0, label='in lock step')
    due = live.cycles + live.missed
    axes.set(
        title=f'in real time: {100.0 * live.missed / due:.2g} % of cycles missed',
        xlabel='time [s]',
        ylabel='[mrad]',
        xlim=(0.0, live.time[-1]),
    )
    axes.grid(alpha=0.3)
    _legend(figure, axes)


def _torques(figure, record, joint_names):
    """Plot the torque terms of the two joints with the largest torque."""
    heaviest = np.argsort(np.abs(record.series['gravity']).max(axis=0))[::-1][:2]
    for axes, j in zip(figure.subplots(1, 2), sorted(heaviest)):
        for term in filter(lambda term: record.series[term].any(), TERMS):
            axes.plot(record.time, record.series[term][:, j], lw=1.0, label=term)
        axes.plot(record.time, record.series['effort'][:, j], 'k', lw=0.8, label='published')
        axes.set(
            title=plain(f'{joint_names[j]}: torque by term'), xlabel='time [s]', ylabel='[N m]'
        )
        axes.grid(alpha=0.3)
    _legend(figure, axes)


def _pushing(figure, push, joint_names):
    """Plot gravity compensation: a push moves the arm, which stays where it is released."""
    axes = figure.subplots()
    q = push.series['measured_position']
    for j, name in enumerate(joint_names):
        axes.plot(push.time, q[:, j] - q[0, j], lw=1.0, label=plain(name))
    axes.set(
        title='gravity compensation while the flange is pushed',
        xlabel='time [s]',
        ylabel='displacement [rad]',
    )
    axes.grid(alpha=0.3)
    _legend(figure, axes)
    force = axes.twinx()
    times, values = zip(*push.pushes)
    force.plot(times, np.array(values), color='grey', lw=0.8, alpha=0.7)
    force.set_ylabel('force x, y, z [N] (grey)')


def _legend(figure, axes):
    """Draw one legend for all axes of a part, above them, so that it covers no curve."""
    figure.legend(
        *axes.get_legend_handles_labels(),
        loc='outside upper center',
        ncols=7,
        fontsize=8,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.5,
    )
