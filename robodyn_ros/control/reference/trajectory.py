# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joint trajectories as received, with the rules of joint_trajectory_controller."""

import dataclasses
import functools

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr

#: [rad/s or m/s] Largest velocity at the end that is rounding: the epsilon of a float of 32 bit,
#: as in joint_trajectory_controller.
REST = float(np.finfo(np.float32).eps)
HALF = 0.5 + 1e-9  # [-] rounding must not turn a joint by half a turn the other way
FIELDS = ('positions', 'velocities', 'accelerations', 'efforts')


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
        Velocities [rad/s or m/s]. Between two points that have them the interpolation is cubic.
    accelerations : (k, nv) array_like, optional
        Accelerations [rad/s^2 or m/s^2]. Between two points with both it is quintic.
    delay : float
        Time from reception to time 0 [s]; negative if that has passed.
    efforts : (k, nv) array_like, optional
        Efforts [N m or N] that are added to those of the law, linear between the points.
    given : (4, k) array_like of bool, optional
        Whether each point has positions, velocities, accelerations and efforts. By default all
        points have the fields that are not None.
    moved : (nv,) array_like of bool, optional
        Joints that the trajectory moves; the others hold. By default all.

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
    efforts: np.ndarray | None = None
    given: np.ndarray | None = None
    moved: np.ndarray | None = None

    __repr__ = short_repr

    def __post_init__(self):
        for name in ('times', *FIELDS):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value))
        if self.given is not None:
            object.__setattr__(self, 'given', np.array(self.given, dtype=bool))

    @property
    def fields(self):
        """Return the arrays that are present, by name, highest derivative last."""
        return {name: getattr(self, name) for name in FIELDS if getattr(self, name) is not None}

    @functools.cached_property
    def rows(self):
        """Return positions, velocities, accelerations and efforts, (4, k, nv); zeros if absent."""
        zeros = np.zeros_like(self.positions)
        return np.stack([zeros if x is None else x for x in map(self.__dict__.get, FIELDS)])

    @functools.cached_property
    def degrees(self):
        """Return the degree of the polynomials to and from each point: 1, 3 or 5, (k,)."""
        has_velocity, has_acceleration = self._has('velocities'), self._has('accelerations')
        return 1 + 2 * has_velocity + 2 * (has_velocity & has_acceleration)

    def _has(self, field):
        """Return which points have a field, (k,)."""
        has = np.full(self.times.size, getattr(self, field) is not None)
        return has if self.given is None else has & self.given[FIELDS.index(field)]

    @property
    def begun(self):
        """Return the trajectory as at its begin, without a delay."""
        return dataclasses.replace(self, delay=0.0)

    @property
    def moves_all(self):
        """Return whether the trajectory moves all joints."""
        return self.moved is None or bool(np.all(self.moved))

    def completed(self, q):
        """Return the trajectory with a posture of the joints that it does not move.

        Parameters
        ----------
        q : (nv,) ndarray
            The posture [rad or m].

        Returns
        -------
        Trajectory
            The trajectory.
        """
        if self.moves_all:
            return self
        return dataclasses.replace(self, positions=np.where(self.moved, self.positions, q))

    def near(self, q, turns):
        """Return the trajectory turned by whole turns, so that it begins near a posture.

        The point that counts is the last one that is due, or the first.

        Parameters
        ----------
        q : (nv,) ndarray
            The posture [rad or m].
        turns : (nv,) ndarray
            A whole turn of each joint [rad]; 0 for a joint that does not turn without end.

        Returns
        -------
        Trajectory
            The trajectory.
        """
        shift = whole_turns(q - self.positions[max(self.passed - 1, 0)], turns)
        return dataclasses.replace(self, positions=self.positions + shift) if any(shift) else self

    @property
    def passed(self):
        """Return the number of points that are due at reception."""
        return int(np.searchsorted(self.times + self.delay, 0.0, side='right'))

    def refusal(self, joint_names, streamed=False, ends_moving=False):
        """Refuse a trajectory that is not valid for these joints.

        Parameters
        ----------
        joint_names : sequence of str
            Names of the joints, in the order of the columns.
        streamed : bool
            Whether this is a target of a stream, which may be due at once and may have a velocity.
        ends_moving : bool
            Whether the last point may have a velocity.

        Returns
        -------
        str
            Reason of the refusal, or ''.
        """
        return (
            self._refuse_shape(joint_names)
            or self._refuse_times(streamed)
            or ('' if streamed or ends_moving else self._refuse_end(joint_names))
        )

    def _refuse_shape(self, joint_names):
        times, n = self.times, len(joint_names)
        if times.ndim != 1 or times.size == 0:
            return f'the trajectory has no points (times: shape {times.shape}); expected some'
        if self.given is not None and self.given.shape != (len(FIELDS), times.size):
            return f'given: got {self.given.shape}; expected {(len(FIELDS), times.size)}'
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
        lonely = np.flatnonzero(self._has('accelerations') & ~self._has('velocities'))
        if lonely.size:
            return (
                f'got accelerations without velocities in point {lonely[0]}; expected both '
                '(quintic), velocities (cubic) or neither (linear)'
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
        late = 0.0 - (times[-1] + self.delay)
        if not streamed and late > 0.0:
            return (
                f'the last point is due {late:g} s before now; expected one that lies ahead, or '
                'the stamp 0, which is now'
            )
        return ''

    @property
    def ends_moving(self):
        """Return which joints have a velocity at the last point, (nv,)."""
        return np.abs(self.rows[1, -1]) > REST

    def _refuse_end(self, joint_names):
        moving = np.flatnonzero(self.ends_moving)
        if moving.size:
            i = moving[0]
            return (
                f'velocities: got {self.rows[1, -1, i]} for joint {joint_names[i]} in '
                f'the last point; expected 0, or rounding of it up to {REST:.2g}, so that it can '
                'be held. With allow_nonzero_velocity_at_trajectory_end the joints stop beyond it'
            )
        return ''


def whole_turns(away, turns):
    """Return the whole turns within a difference of positions.

    `away` (nv,): the difference [rad or m].
    `turns` (nv,): a whole turn of each joint [rad]; 0 for a joint that does not turn
      without end.
    Returns the turns [rad]; what is left of the difference is half a turn at most.
    """
    share = np.divide(away, turns, out=np.zeros_like(away), where=turns > 0.0)
    return turns * np.sign(share) * np.ceil(np.abs(share) - HALF)


def _numbers(name, value):
    try:
        return np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ShapeError(
            f'{name}: got {value!r:.60}; expected numbers, as many for every point'
        ) from None
