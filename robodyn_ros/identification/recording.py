"""A motion that was recorded: times, positions and efforts of the joints of a robot."""
import csv
from dataclasses import dataclass

import numpy as np

from robodyn_ros.errors import ShapeError, UnknownNameError

LARGEST_GAP = 10.0  # sampling periods that may be missing, and are bridged by a straight line


@dataclass(frozen=True, eq=False)
class Recording:
    """Samples at equal distances. rate [Hz]; q, tau : (k, nv) [rad or m; N m or N]."""

    rate: float
    q: np.ndarray
    tau: np.ndarray

    @property
    def time(self):
        """(k,) [s] from the first sample."""
        return np.arange(len(self.q)) / self.rate


def resampled(time, q, tau):
    """The Recording of samples at times (k,) [s] that are not quite equally far apart.

    They go onto a grid with the median of the distances, by straight lines between neighbours;
    samples of the same instant count once. Raises ShapeError for values that are not finite, times
    that go back, or a gap of more than LARGEST_GAP periods.
    """
    time, q, tau = (np.asarray(values, dtype=float) for values in (time, q, tau))
    if not (len(time) == len(q) == len(tau) and q.shape == tau.shape and len(time) >= 2):
        raise ShapeError(f'got {len(time)} times, positions {q.shape} and efforts {tau.shape}; '
                         'expected as many of each, and at least two')
    whole = np.isfinite(time) & np.isfinite(q).all(axis=1) & np.isfinite(tau).all(axis=1)
    if not whole.all():
        raise ShapeError(f'sample {np.flatnonzero(~whole)[0]} of the recording is not finite; '
                         'expected a number for the time and for each joint')
    steps = np.diff(time)
    if (steps < 0.0).any():
        k = np.flatnonzero(steps < 0.0)[0]
        raise ShapeError(f'time goes back from {time[k]:g} to {time[k + 1]:g} s at sample {k + 1} '
                         'of the recording; expected times in order')
    new = np.concatenate(([True], steps > 0.0))
    time, q, tau = time[new], q[new], tau[new]
    period = np.median(np.diff(time)) if len(time) > 1 else 0.0
    widest = np.diff(time).max(initial=0.0)
    if not 0.0 < widest <= LARGEST_GAP * period:
        raise ShapeError(f'the recording has a gap of {widest:.4g} s between samples {period:.4g} '
                         f's apart; expected at most {LARGEST_GAP:g} of them to be missing')
    grid = np.arange(time[0], time[-1] + 0.5 * period, period)

    def at(values):
        return np.stack([np.interp(grid, time, column) for column in values.T], axis=1)
    return Recording(1.0 / period, at(q), at(tau))


def read_csv(path, joint_names):
    """The Recording in a CSV file with a header.

    Columns 'time' [s] and, for each joint, '<joint>.position' [rad or m] and '<joint>.effort' [N m
    or N], in any order; others are passed over. Raises UnknownNameError for a column that is
    missing, ShapeError for anything else that is wrong, naming the line.
    """
    with open(path, newline='') as file:
        lines = csv.reader(file)
        header = [name.strip() for name in next(lines, ())]
        wanted = ['time', *(f'{joint}.{what}' for what in ('position', 'effort')
                            for joint in joint_names)]
        missing = [name for name in wanted if name not in header]
        if missing:
            raise UnknownNameError(f'{path}: no column {", ".join(missing)}; got '
                                   f'{", ".join(header) or "an empty file"}')
        places = [header.index(name) for name in wanted]
        rows = []
        for line in lines:
            if line:
                try:
                    rows.append([float(line[place]) for place in places])
                except (ValueError, IndexError):
                    raise ShapeError(f'{path}, line {lines.line_num}: got {",".join(line)[:80]!r};'
                                     f' expected {len(header)} numbers') from None
    table = np.array(rows).reshape(-1, len(wanted))
    n = len(joint_names)
    return resampled(table[:, 0], table[:, 1:1 + n], table[:, 1 + n:])


def write_csv(path, joint_names, time, q, tau):
    """Write a CSV that `read_csv` reads. time (k,), q and tau (k, nv)."""
    header = ['time', *(f'{joint}.{what}' for what in ('position', 'effort')
                        for joint in joint_names)]
    np.savetxt(path, np.column_stack((time, q, tau)), fmt='%.9g', delimiter=',',
               header=','.join(header), comments='')
