# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Report of an identification: a table, a JSON file, a plot."""

import json
from dataclasses import asdict

import numpy as np

from robodyn_ros.demonstration.plot_text import plain
from robodyn_ros.model.layout import STRIBECK_VELOCITY
from robodyn_ros.model.urdf_writer import link_inertias

FILES = ('identification.json', 'identification.png')

WIDEST = 60  # characters of a parameter's name in the table
MOSTLY = 0.9  # share of a value that comes from the recording, at least, without a sentence
UNRELIABLE = 30.0  # [%] relative standard deviation beyond which a value is unreliable


def rows(found):
    """Yield the cells of the table, see HEADER."""
    none = np.full(len(found.base), np.nan)
    possible, told = none, none
    if found.consistent:
        possible, told = found.consistent.values, 100.0 * found.consistent.data_share
    for name, value, deviation, share, nominal, near, data in zip(
        found.base.names,
        found.estimate.values,
        found.estimate.deviations,
        100.0 * found.estimate.relative,
        found.nominal_values,
        possible,
        told,
    ):
        short = name if len(name) <= WIDEST else f'{name[: WIDEST - 4]} ...'
        yield (
            short,
            f'{value:.5g}',
            f'{deviation:.2g}',
            f'{share:.1f}{" ?" if share > UNRELIABLE else ""}',
            f'{nominal:.5g}',
            f'{near:.5g}',
            f'{data:.0f}',
        )


HEADER = ('parameter', 'value', 'std', 'std %', 'nominal', 'possible', 'data %')


def table(found):
    """Return the table as text, with a summary below it."""
    cells = [HEADER, *rows(found)]
    widths = [max(len(row[k]) for row in cells) for k in range(len(HEADER))]
    lines = [
        '  '.join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(row, widths))
        )
        for row in cells
    ]
    return '\n'.join((*lines, '', *summary(found)))


def summary(found):
    """Yield sentences: condition number, torque errors, distance of consistent bodies."""
    rms = found.rms()
    for defect in found.defects:
        yield f'Defect of the recording: {defect.sentence}.'
    yield (
        f'{len(found.base)} base parameters from {int(found.used.sum())} equations, condition '
        f'number {found.estimate.condition:.3g} with columns of one length, '
        f'{found.estimate.unscaled:.3g} in SI units. Units: kg, m, N, s; bodies as in '
        f'`report`, "?" where a standard deviation exceeds {UNRELIABLE:g} %.'
    )
    for each in found.left_out:
        yield (
            f'Left out, since the motion does not determine it: {each.name[:WIDEST]} '
            f'({each.value:.3g} +- {each.deviation:.2g}); it keeps the described value, '
            f'{each.nominal:.3g}.'
        )
    yield from stribeck_sentences(found)
    for joint, estimate, nominal in zip(
        found.parameters.robot.joint_names, rms['estimate'], rms['nominal']
    ):
        yield (
            f'{joint}: torque error {estimate:.3g} (as identified), {nominal:.3g} (as '
            'described) [N m or N, RMS]'
        )
    if found.consistent:
        farthest = np.argmax(np.abs(found.consistent.shift))
        yield (
            'Nearest possible bodies: base parameters '
            f'{np.sqrt(np.mean(found.consistent.shift**2)):.2g} standard deviations away in '
            f'the mean, at most {abs(found.consistent.shift[farthest]):.2g} '
            f'({found.base.names[farthest][:WIDEST]}).'
        )
        told, least = found.consistent.data_share, np.argmin(found.consistent.data_share)
        if told[least] < MOSTLY:
            yield (
                f'{np.count_nonzero(told < MOSTLY)} of them come to more than '
                f'{100.0 * (1.0 - MOSTLY):.0f} % from the description; least from the recording '
                f'comes {found.base.names[least][:WIDEST]}, {100.0 * told[least]:.0f} %.'
            )


def stribeck_sentences(found):
    """Yield sentences of Stribeck velocities, and of what to record for those left out."""
    names = found.parameters.robot.joint_names
    described = found.parameters.robot.model.joint_values(STRIBECK_VELOCITY)
    stribeck = found.stribeck
    for joint, value, deviation in zip(stribeck.joints, stribeck.velocities, stribeck.deviations):
        yield (
            f'{names[joint]}: Stribeck velocity {value:.3g} +- {deviation:.2g} rad/s or m/s, '
            f'described {described[joint]:.3g}.'
        )
    for name, count in stribeck.few.items():
        velocity = described[names.index(name)]
        yield (
            f'{name}: the stiction is not determined. {count} equations are slower than twice '
            f'its Stribeck velocity of {velocity:.3g} rad/s or m/s. Record slow passages '
            f'at {0.5 * velocity:.2g} to {5.0 * velocity:.2g} in both directions, for 10 s each, '
            'as `identify excite` appends with the same --friction-file.'
        )


def as_json(found):
    """Return all results as one dictionary of plain numbers and names."""
    base, estimate = found.base, found.estimate
    combinations = [
        {found.parameters.names[k]: row[k] for k in np.flatnonzero(row)}
        for row in base.combination
    ]
    result = {
        'robot': found.parameters.robot.name,
        'condition': float(estimate.condition),
        'condition_unscaled': float(estimate.unscaled),
        'defects': [asdict(each) for each in found.defects],
        'left_out': [
            {
                k: v if isinstance(v, str) or np.isfinite(v) else None
                for k, v in asdict(each).items()
            }
            for each in found.left_out
        ],
        'stribeck_velocity': {
            found.parameters.robot.joint_names[joint]: {
                'value': float(value),
                'deviation': float(deviation),
            }
            for joint, value, deviation in zip(
                found.stribeck.joints, found.stribeck.velocities, found.stribeck.deviations
            )
        },
        'noise': dict(zip(found.parameters.robot.joint_names, estimate.noise.tolist())),
        'torque_error': {name: values.tolist() for name, values in found.rms().items()},
        'base_parameters': [
            {
                'name': name,
                'combination': {k: float(v) for k, v in combination.items()},
                'value': float(value),
                'deviation': float(deviation),
                'nominal': float(nominal),
            }
            for name, combination, value, deviation, nominal in zip(
                base.names,
                combinations,
                estimate.values,
                estimate.deviations,
                found.nominal_values,
            )
        ],
    }
    if found.consistent:
        result['shift'] = found.consistent.shift.tolist()
        result['data_share'] = found.consistent.data_share.tolist()
        result['parameters'] = dict(zip(found.parameters.names, found.consistent.theta.tolist()))
        result['bodies'] = {
            link: {'mass': mass, 'com': com.tolist(), 'inertia': inertia.tolist()}
            for link, (mass, com, inertia) in link_inertias(found.robot().model).items()
        }
    return result


def write(found, results):
    """Write the FILES.

    `results` (ResultFolder): the folder.
    Returns the written files.
    """
    written = [results.path / name for name in FILES]
    results.write(FILES[0], json.dumps(as_json(found), indent=1) + '\n')
    import matplotlib

    matplotlib.use('Agg')
    from matplotlib import pyplot as plt

    names = found.parameters.robot.joint_names
    figure, axes = plt.subplots(
        len(names),
        1,
        sharex=True,
        squeeze=False,
        layout='constrained',
        figsize=(11, 1.0 + 1.7 * len(names)),
    )
    for j, (name, each) in enumerate(zip(names, axes[:, 0])):
        each.plot(found.time, found.measured[:, j], 'k', lw=1.4, label='measured')
        each.plot(
            found.time, found.nominal[:, j], color='tab:orange', lw=1.0, label='as described'
        )
        each.plot(
            found.time,
            found.predicted[:, j],
            color='tab:blue',
            lw=1.0,
            ls='--',
            label='as identified',
        )
        each.set_ylabel(plain(name))
        each.grid(alpha=0.3)
    axes[0, 0].legend(loc='upper right', ncols=3, fontsize=8)
    axes[0, 0].set_title(plain(f'{found.parameters.robot.name}: torque [N m or N]'))
    axes[-1, 0].set_xlabel('time [s]')
    with results.whole(FILES[1]) as part:
        figure.savefig(part, dpi=110)
    plt.close(figure)
    return written
