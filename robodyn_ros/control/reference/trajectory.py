# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint trajectories as received, with the rules of joint_trajectory_controller."""

import dataclasses

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr


@dataclasses.dataclass(frozen=True, eq=False)
class Trajectory:
    """Points of a trajectory, in joint order.

    Parameters
    ----------
    times : (k,) array_like
        Times from the start [s], strictly increasing. A first point at time 0 is the posture that
        the sender assumes.
    positions : (k, nv) array_like
        Positions [rad or m]. Without velocities the interpolation is linear.
    velocities : (k, nv) array_like, optional
        Velocities [rad/s or m/s]. With them the interpolation is cubic.
    accelerations : (k, nv) array_like, optional
        Accelerations [rad/s^2 or m/s^2]. With them the interpolation is quintic.
    delay : float
        Time from reception to time 0 [s]; negative if that has passed.

    Raises
    ------
    ShapeError
        If a field is not an array of numbers.
    """

    times: np.ndarray
    positions: np.ndarray
    velocities: np.ndarray | None = None
    accelerations: np.ndarray | None = None
    delay: float = 0.0

    __repr__ = short_repr

    def __post_init__(self):
        for name in ('times', 'positions', 'velocities', 'accelerations'):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value))

    @property
    def fields(self):
        """Return the arrays that are present, by name, highest derivative last."""
        names = ('positions', 'velocities', 'accelerations')
        return {name: getattr(self, name) for name in names if getattr(self, name) is not None}

    @property
    def passed(self):
        """Return the number of points that are due at reception."""
        return int(np.searchsorted(self.times + self.delay, 0.0, side='right'))

    def refusal(self, joint_names, streamed=False):
        """Refuse a trajectory that is not valid for these joints.

        Parameters
        ----------
        joint_names : sequence of str
            Names of the joints, in the order of the columns.
        streamed : bool
            Whether this is a target of a stream, which may be due at once and may have a velocity.

        Returns
        -------
        str
            Reason of the refusal, or ''.
        """
        return (
            self._refuse_shape(joint_names)
            or self._refuse_times(streamed)
            or ('' if streamed else self._refuse_end(joint_names))
        )

    def _refuse_shape(self, joint_names):
        times, n = self.times, len(joint_names)
        if times.ndim != 1 or times.size == 0:
            return f'the trajectory has no points (times: shape {times.shape}); expected some'
        if self.accelerations is not None and self.velocities is None:
            return (
                'got accelerations without velocities; expected both (quintic), '
                'velocities (cubic) or neither (linear)'
            )
        for name, rows in self.fields.items():
            if rows.shape != (times.size, n):
                return (
                    f'{name}: got an array of shape {rows.shape}; expected {(times.size, n)}, '
                    f'{times.size} points of the joints {", ".join(joint_names)}'
                )
            wrong = np.argwhere(~np.isfinite(rows))
            if len(wrong):
                k, i = wrong[0]
                return (
                    f'{name}: got {rows[k, i]} for joint {joint_names[i]} in point {k}; '
                    'expected a finite number'
                )
        return ''

    def _refuse_times(self, streamed):
        times = self.times
        if not (np.isfinite(times).all() and np.isfinite(self.delay) and times[0] >= 0.0):
            return (
                f'time_from_start: got {times.min()} to {times.max()} s, delayed by '
                f'{self.delay} s; expected finite, not negative'
            )
        late = np.flatnonzero(np.diff(times) <= 0.0)
        if late.size:
            k = late[0]
            return (
                f'time_from_start: got {times[k + 1]} s for point {k + 1} after {times[k]} s; '
                'expected strictly increasing'
            )
        if streamed and times.size > 1:
            return f'a streamed target: got {times.size} points; expected one'
        if not streamed and self.passed == times.size:
            return (
                f'the last point is due {0.0 - (times[-1] + self.delay):g} s before now; '
                'expected one that lies ahead'
            )
        return ''

    def _refuse_end(self, joint_names):
        if self.velocities is not None and np.any(self.velocities[-1] != 0.0):
            i = np.flatnonzero(self.velocities[-1])[0]
            return (
                f'velocities: got {self.velocities[-1, i]} for joint {joint_names[i]} in '
                'the last point; expected 0, so that it can be held'
            )
        return ''


def _numbers(name, value):
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(
            f'{name}: got {value!r:.60}; expected numbers, as many for every point'
        ) from None
