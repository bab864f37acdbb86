# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A recorded motion: times, positions and efforts of the joints of a robot."""

import csv
import os
from array import array
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, UnknownNameError, short_repr, shorten

LARGEST_GAP = 10.0  # missing sampling periods that linear interpolation may bridge
LONGEST_LINE = 1_000_000  # characters of a CSV file
MOST_NUMBERS = 20_000_000  # of a CSV file: 160 MB
FORMULA = ('=', '+', '-', '@', '\t', '\r')  # first characters of a formula in a spreadsheet


@dataclass(frozen=True, eq=False)
class Recording:
    """Equidistant samples of a motion.

    Parameters
    ----------
    rate : float
        Sampling rate [Hz].
    q, tau : (k, nv) ndarray
        Positions [rad or m] and efforts [N m or N].
    """

    rate: float
    q: np.ndarray
    tau: np.ndarray

    __repr__ = short_repr

    @property
    def time(self):
        """Return (k,) the times from the first sample [s]."""
        return np.arange(len(self.q)) / self.rate


@np.errstate(over='ignore')  # an overflow of a step is refused as a gap
def resampled(time, q, tau):
    """Return the Recording of samples at slightly irregular times, by interpolation.

    The grid has the median period; interpolation is linear. Samples of the same time count once.

    Parameters
    ----------
    time : (k,) array_like
        Times [s].
    q, tau : (k, nv) array_like
        Positions [rad or m] and efforts [N m or N].

    Raises
    ------
    ShapeError
        For values that are not finite, decreasing times, or a gap of more than LARGEST_GAP
        periods.
    """
    time, q, tau = (np.asarray(values, dtype=float) for values in (time, q, tau))
    if not (len(time) == len(q) == len(tau) and q.shape == tau.shape and len(time) >= 2):
        raise ShapeError(
            f'got {len(time)} times, positions {q.shape} and efforts {tau.shape}; '
            'expected as many of each, and at least two'
        )
    whole = np.isfinite(time) & np.isfinite(q).all(axis=1) & np.isfinite(tau).all(axis=1)
    if not whole.all():
        raise ShapeError(
            f'sample {np.flatnonzero(~whole)[0]} of the recording is not finite; '
            'expected a number for the time and for each joint'
        )
    steps = np.diff(time)
    if (steps < 0.0).any():
        k = np.flatnonzero(steps < 0.0)[0]
        raise ShapeError(
            f'time goes back from {time[k]:g} to {time[k + 1]:g} s at sample {k + 1} '
            'of the recording; expected times in order'
        )
    new = np.concatenate(([True], steps > 0.0))
    time, q, tau = time[new], q[new], tau[new]
    period = np.median(np.diff(time)) if len(time) > 1 else 0.0
    widest = np.diff(time).max(initial=0.0)
    if not 0.0 < widest <= LARGEST_GAP * period < np.inf or not 1.0 / period < np.inf:
        raise ShapeError(
            f'the recording has a gap of {widest:.4g} s between samples {period:.4g} '
            f's apart; expected at most {LARGEST_GAP:g} of them to be missing'
        )
    grid = np.arange(time[0], time[-1] + 0.5 * period, period)

    def at(values):
        return np.stack([np.interp(grid, time, column) for column in values.T], axis=1)

    return Recording(1.0 / period, at(q), at(tau))


def require_file(path):
    """Refuse an existing path that is not a regular file: a pipe or a device may never end.

    Raises ShapeError: with the path.
    """
    if os.path.exists(path) and not os.path.isfile(path):
        raise ShapeError(f'{path}: got a folder, pipe or device; expected a regular file')


def read_csv(path, joint_names):
    """Return the Recording in a CSV file with a header.

    A column is 'time' [s]. Each joint has '<joint>.position' [rad or m] and '<joint>.effort' [N m
    or N]. Columns are in any order, others are ignored.

    Parameters
    ----------
    path : str or path
        The file.
    joint_names : sequence of str
        Names of the joints.

    Raises
    ------
    UnknownNameError
        For a missing column.
    ShapeError
        For any other error; the message names the line.
    """
    wanted = ['time', *_columns(joint_names)]
    values = array('d')
    require_file(path)
    with open(path, newline='', encoding='utf-8-sig') as file:
        lines = _cells(path, file)
        header = [_unshielded(name.strip()) for name in next(lines, ())]
        places = {name: place for place, name in reversed(list(enumerate(header)))}
        missing = [name for name in wanted if name not in places]
        if missing:
            raise UnknownNameError(
                f'{path}: no column {", ".join(missing)}; got '
                f'{shorten(header, 1000) if header else "an empty file"}'
            )
        twice = [name for name in wanted if header.count(name) > 1]
        if twice:
            raise ShapeError(f'{path}: got the column {twice[0]} twice; expected each once')
        chosen = [places[name] for name in wanted]
        for number, line in enumerate(lines, start=2):
            if line:
                try:
                    values.extend([float(line[place]) for place in chosen])
                except (ValueError, IndexError):
                    raise ShapeError(
                        f'{path}, line {number}: got {shorten(line)}; expected {len(header)} '
                        'numbers'
                    ) from None
            if len(values) > MOST_NUMBERS:
                raise ShapeError(
                    f'{path}, line {number}: got more than {MOST_NUMBERS} numbers; expected a '
                    'recording of fewer samples'
                )
    table = np.frombuffer(values).reshape(-1, len(wanted))
    n = len(joint_names)
    return resampled(table[:, 0], table[:, 1 : 1 + n], table[:, 1 + n :])


def write_csv(path, joint_names, time, q, tau):
    """Write a CSV file that `read_csv` reads.

    Parameters
    ----------
    path : str or path
        The file.
    joint_names : sequence of str
        Names of the joints.
    time : (k,) array_like
        Times [s].
    q, tau : (k, nv) array_like
        Positions [rad or m] and efforts [N m or N].
    """
    write_table(path, ['time', *_columns(joint_names)], np.column_stack((time, q, tau)))


def write_table(path, header, table):
    """Write columns of numbers under their names.

    A name that begins with one of FORMULA, which a spreadsheet reads as a formula, gets an
    apostrophe that `read_csv` removes. Other special characters are quoted.

    Parameters
    ----------
    path : str or path
        The file.
    header : sequence of str
        Names of the columns.
    table : (k, len(header)) array_like
        The numbers.
    """
    with open(path, 'w', newline='', encoding='utf-8') as file:
        csv.writer(file, lineterminator='\n').writerow(map(_shielded, header))
        np.savetxt(file, table, fmt='%.9g', delimiter=',')


def _columns(joint_names):
    return [f'{joint}.{what}' for what in ('position', 'effort') for joint in joint_names]


def _shielded(name):
    return f"'{name}" if name.startswith((*FORMULA, "'")) else name


def _unshielded(name):
    return name[1:] if name.startswith("'") else name


def _cells(path, file):
    """Yield the cells of each line; ShapeError for a line that is too long, or not text."""
    number = 1
    try:
        while line := file.readline(LONGEST_LINE + 1):
            if len(line) > LONGEST_LINE:
                raise ShapeError(
                    f'{path}, line {number}: got more than {LONGEST_LINE} characters; expected '
                    'fewer columns'
                )
            # line by line: an open quote must not extend to the end of the file
            yield next(csv.reader([line], strict=True), [])
            number += 1
    except (csv.Error, UnicodeDecodeError) as error:
        raise ShapeError(
            f'{path}, line {number}: {error}; expected UTF-8 text with cells between commas'
        ) from None
