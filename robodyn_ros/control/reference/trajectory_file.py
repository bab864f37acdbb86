# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Trajectories in files: CSV, and JSON or YAML as written by MoveIt and `ros2 topic echo`."""

import csv
import json
import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from robodyn_ros.control.reference.trajectory import FIELDS as TRAJECTORY_FIELDS
from robodyn_ros.control.reference.trajectory import Trajectory
from robodyn_ros.errors import ShapeError, UnknownNameError, shorten

MOST_BYTES = 50_000_000
MOST_DEPTH = 10  # largest nesting around the trajectory
FIELDS = {
    'position': 'positions',
    'velocity': 'velocities',
    'acceleration': 'accelerations',
    'effort': 'effort',
}
NANOSECONDS = 1_000_000_000
LATEST = 10**9  # [s] latest time of a point


@dataclass(frozen=True)
class Points:
    """The points of a trajectory as a file has them.

    `joint_names`: names of the n joints, in the order of the file.
    `times`: times of the points from the start [ns].
    `values`: for each point the 'positions' (n,), and the 'velocities', 'accelerations' and
      'effort' if the file has them.
    """

    joint_names: list[str]
    times: list[int]
    values: list[dict[str, list[float]]]

    def of(self, joint_names):
        """Return the trajectory of some joints; columns of others are left out.

        `joint_names` (sequence of str): names of the joints, in the order wanted.
        Raises UnknownNameError: for a joint that the file does not move.
        """
        missing = [name for name in joint_names if name not in self.joint_names]
        if missing:
            raise UnknownNameError(
                f'the trajectory has no joint {missing[0]!r}; got '
                f'{shorten(", ".join(self.joint_names), 1000)}'
            )
        where = [self.joint_names.index(name) for name in joint_names]
        given = [[word in point for point in self.values] for word in FIELDS.values()]
        none = [0.0] * len(self.joint_names)
        fields = {
            field: np.array([point.get(word, none) for point in self.values])[:, where]
            for field, word, has in zip(TRAJECTORY_FIELDS, FIELDS.values(), given)
            if any(has)
        }
        return Trajectory(np.array(self.times) / NANOSECONDS, given=given, **fields)


def read_points(path: str | os.PathLike) -> Points:
    """Read the trajectory of a file.

    A CSV has a header with the columns time [s] and <joint>.position. <joint>.velocity,
    <joint>.acceleration and <joint>.effort are optional; other columns are ignored. A JSON or
    YAML file holds a JointTrajectory, possibly within a RobotTrajectory, a DisplayTrajectory or a
    goal of FollowJointTrajectory.

    `path`: name of a file that ends with .csv, .json, .yaml or .yml.
    Returns the points.
    Raises ShapeError: if it has no trajectory; the message names missing fields.
    Raises OSError: if the file cannot be read.
    """
    path = Path(path)
    if path.suffix not in READERS:
        raise ShapeError(f'{str(path)!r}: expected a file that ends with {", ".join(READERS)}')
    if path.stat().st_size > MOST_BYTES:
        raise ShapeError(f'{str(path)!r} has more than {MOST_BYTES} bytes')
    try:
        names, rows = READERS[path.suffix](path.read_text(encoding='utf-8'))
        points = [_point(k, row, len(names)) for k, row in enumerate(rows)]
    except (ShapeError, UnicodeDecodeError) as error:
        raise ShapeError(f'{str(path)!r}: {error}') from None
    if not points:
        raise ShapeError(f'{str(path)!r} has no points; expected at least one')
    return Points(names, *map(list, zip(*points)))


def nanoseconds(value: float) -> int:
    """Return a time rounded to a whole number of nanoseconds.

    `value`: the time [ns].
    Raises ValueError: for a time beyond LATEST.
    """
    whole = round(value)
    if abs(whole // NANOSECONDS) > LATEST:
        raise ValueError(f'{value / NANOSECONDS:g} s')
    return whole


def _point(k, row, joints):
    """Return time [ns] and values of a point, after checking them."""
    if not isinstance(row, dict):
        raise ShapeError(f'point {k} is {shorten(row)}; expected positions and time_from_start')
    time, point = _time(k, row.get('time_from_start')), {}
    for field in FIELDS.values():
        values = row.get(field)
        if values is None or len(values) == 0 and field != 'positions':
            continue
        try:
            numbers = np.array(values, dtype=float)
        except (TypeError, ValueError):
            raise ShapeError(
                f'point {k} has {field} {shorten(values)}; expected numbers'
            ) from None
        if numbers.shape != (joints,) or not np.isfinite(numbers).all():
            raise ShapeError(
                f'point {k} has {field} {shorten(values)}; expected {joints} finite numbers, '
                'one for each joint'
            )
        point[field] = numbers.tolist()
    if len(point.get('positions', ())) != joints:
        raise ShapeError(f'point {k} has no positions; expected one for each joint')
    return time, point


def _time(k, value):
    """Return the time [ns] of a point from seconds, or from sec and nanosec, or secs and nsecs."""
    try:
        if isinstance(value, dict):
            whole = value['sec'] if 'sec' in value else value['secs']
            part = value.get('nanosec', value.get('nsecs', 0))
            return nanoseconds(int(whole) * NANOSECONDS + int(part))
        return nanoseconds(float(value) * NANOSECONDS)
    except (KeyError, OverflowError, TypeError, ValueError):
        raise ShapeError(
            f'point {k} has time_from_start {shorten(value)}; expected seconds, or sec and nanosec'
        ) from None


def _of_csv(text):
    """Return joint names and points of a CSV."""
    rows = list(csv.reader(text.splitlines()))
    header = [name.strip() for name in rows[0]] if rows else []
    names = [name.removesuffix('.position') for name in header if name.endswith('.position')]
    if 'time' not in header or not names:
        raise ShapeError(
            f'the header is {shorten(header)}; expected time and <joint>.position of each joint'
        )
    columns = {'time_from_start': header.index('time')}
    for suffix, field in FIELDS.items():
        wanted = [f'{name}.{suffix}' for name in names]
        if set(wanted) <= set(header):
            columns[field] = [header.index(name) for name in wanted]
    return names, [
        {
            key: [row[k] for k in where] if isinstance(where, list) else row[where]
            for key, where in columns.items()
        }
        for row in (_whole(number, row, len(header)) for number, row in enumerate(rows[1:], 2))
        if row
    ]


def _whole(number, row, width):
    """Return a row of a CSV, after checking its number of entries."""
    if row and len(row) != width:
        raise ShapeError(f'line {number} has {len(row)} entries; expected {width}')
    return row


def _of_json(text):
    """Return joint names and points of a JSON text."""
    try:
        return _trajectory(json.loads(text))
    except (ValueError, RecursionError) as error:
        if isinstance(error, ShapeError):
            raise
        raise ShapeError(f'no JSON: {error}') from None


def _of_yaml(text):
    """Return joint names and points of a YAML text."""
    import yaml  # comes with ROS

    loader = getattr(yaml, 'CSafeLoader', yaml.SafeLoader)
    try:
        return _trajectory(next(yaml.load_all(text, loader), None))
    except (yaml.YAMLError, RecursionError) as error:
        raise ShapeError(f'no YAML: {error}') from None


def _trajectory(content):
    """Return joint names and points of the first trajectory that is not empty."""
    found = next(_search(content, MOST_DEPTH), None)
    if found is None:
        raise ShapeError('there is no trajectory; expected joint_names and points')
    names = found['joint_names']
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ShapeError(f'joint_names is {shorten(names)}; expected names')
    if not isinstance(found['points'], list):
        raise ShapeError(f'points is {shorten(found["points"])}; expected a list')
    return names, found['points']


def _search(content, depth):
    """Yield the trajectories within nested content."""
    if depth == 0 or not isinstance(content, (dict, list)):
        return
    if isinstance(content, dict) and content.get('joint_names') and 'points' in content:
        yield content
    for value in content.values() if isinstance(content, dict) else content:
        yield from _search(value, depth - 1)


READERS = {'.csv': _of_csv, '.json': _of_json, '.yaml': _of_yaml, '.yml': _of_yaml}
