# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scheduled targets of the end effector, each for its time."""

import bisect

import numpy as np

from robodyn_ros.spatial.turning import turn_between

SAME = 1e-3  # [s] times nearer than this are one instant: of a pose and of its twist
MOST = 1000  # instants that may lie ahead


class TaskSchedule:
    """Parts of targets by name, in base axes, in the order of the times [s] at which they hold.

    A target for an instant that is known already adds to its parts or replaces them.
    """

    def __init__(self):
        self._times, self._parts, self._before = [], [], {}

    def __len__(self):
        return len(self._times)

    @property
    def time(self):
        """When the next of them holds."""
        return self._times[0]

    def begin(self, time, **places):
        """Say where the target is before the first of them: 'position' (3,), 'quaternion' (4,)."""
        self._before = {name: (time, place) for name, place in places.items()}

    def put(self, time, parts):
        """Keep the parts of a target for its time; there is room for MOST instants."""
        k = bisect.bisect(self._times, time)
        for known in (k - 1, k):
            if 0 <= known < len(self) and abs(self._times[known] - time) <= SAME:
                self._parts[known].update(parts)
                return
        self._times.insert(k, time)
        self._parts.insert(k, dict(parts))

    def next(self):
        """Return the parts of the next of them.

        A place without a twist is passed with a velocity as on a Catmull-Rom spline: the mean from
        the place before it to the one after it. The last place is reached at rest.
        """
        parts = self._parts[0]
        if 'twist' in parts or not ('position' in parts or 'quaternion' in parts):
            return parts
        twist = np.concatenate([self._mean('position'), self._mean('quaternion')])
        return {**parts, 'twist': twist}

    def pop(self):
        """Let the next of them go; return its time and its parts."""
        parts, time = self.next(), self._times.pop(0)
        self._before.update({name: (time, parts[name]) for name in self._before if name in parts})
        del self._parts[0]
        return time, parts

    def clear(self):
        """Let all of them go."""
        self._times.clear()
        self._parts.clear()

    def _mean(self, name):
        began, start = self._before[name]
        for time, parts in zip(self._times[1:], self._parts[1:]):
            if name in parts:
                way = (
                    parts[name] - start
                    if name == 'position'
                    else np.array(turn_between(parts[name], start))
                )
                return way / (time - began)
        return np.zeros(3)
