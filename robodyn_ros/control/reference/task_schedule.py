# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scheduled targets of the end effector, ordered by their times."""

import bisect

import numpy as np

from robodyn_ros.spatial.turning import turn_between

SAME = 1e-3  # [s] targets closer than this are one target, such as a pose and its twist
MOST = 1000  # largest number of scheduled targets


class TaskSchedule:
    """Targets of the end effector, each with its parts by name, in base axes.

    A second target for the same time adds parts or replaces them.
    """

    def __init__(self):
        self._times, self._parts, self._before = [], [], {}

    def __len__(self):
        return len(self._times)

    @property
    def time(self):
        """Return the time of the next target [s]."""
        return self._times[0]

    def begin(self, time, **places):
        """Set the pose before the first target.

        `time`: time of the pose [s].
        `**places`: 'position' (3,) and 'quaternion' (4,).
        """
        self._before = {name: (time, place) for name, place in places.items()}

    def insert(self, time, parts):
        """Add the parts of a target at its time; at most MOST targets fit.

        `time`: time of the target [s].
        `parts` (dict): parts of the target by name, in base axes.
        """
        k = bisect.bisect(self._times, time)
        for known in (k - 1, k):
            if 0 <= known < len(self) and abs(self._times[known] - time) <= SAME:
                self._parts[known].update(parts)
                return
        self._times.insert(k, time)
        self._parts.insert(k, dict(parts))

    def next(self):
        """Return the parts of the next target.

        A pose without a twist gets the velocity of a Catmull-Rom spline. This is the mean velocity
        from the pose before it to the pose after it. The last pose is reached at rest.
        """
        parts = self._parts[0]
        if 'twist' in parts or not ('position' in parts or 'quaternion' in parts):
            return parts
        twist = np.concatenate([self._mean('position'), self._mean('quaternion')])
        return {**parts, 'twist': twist}

    def pop(self):
        """Remove the next target.

        Returns `time` (float): its time [s].
        Returns `parts` (dict of str to ndarray): its parts by name.
        """
        parts, time = self.next(), self._times.pop(0)
        self._before.update({name: (time, parts[name]) for name in self._before if name in parts})
        del self._parts[0]
        return time, parts

    def clear(self):
        """Remove all targets."""
        self._times.clear()
        self._parts.clear()

    def _mean(self, name):
        """Return the mean velocity from the pose before the next target to the pose after it."""
        began, start = self._before[name]
        for time, parts in zip(self._times[1:], self._parts[1:]):
            if name in parts:
                distance = (
                    parts[name] - start
                    if name == 'position'
                    else np.array(turn_between(parts[name], start))
                )
                return distance / (time - began)
        return np.zeros(3)
