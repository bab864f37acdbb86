# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Targets of the end effector as received: pose, motion and wrench."""

import dataclasses

import numpy as np

from robodyn_ros.errors import ShapeError, short_repr

SIZES = {'position': 3, 'quaternion': 4, 'twist': 6, 'acceleration': 6, 'wrench': 6}
UNIT_TOLERANCE = 1e-3  # [-] on the length of a quaternion, to accept one with four digits
FARTHEST = 1e3  # [m] largest coordinate of a position, beyond the reach of any arm
LATEST = 10.0  # [s] largest delay; a later stamp means that a clock is wrong


@dataclasses.dataclass(frozen=True, eq=False)
class TaskTarget:
    """A target of the end effector and its time; None leaves that part unchanged.

    Parameters
    ----------
    frame : str
        Frame whose axes the values are in: the base, or one fixed to it. Without a pose it may
        also be the end effector, at its reference pose on reception.
    position : (3,) array_like, optional
        Origin of the end effector in the frame [m].
    quaternion : (4,) array_like, optional
        Its orientation in the frame, x, y, z, w, of length one.
    twist : (6,) array_like, optional
        Linear and angular velocity [m/s, rad/s]. The target moves with it until it times out.
    acceleration : (6,) array_like, optional
        Rate of change of the twist [m/s^2, rad/s^2], until it times out.
    wrench : (6,) array_like, optional
        Force and moment [N, N m] that the end effector exerts at its origin, until it times out.
    delay : float
        Time from reception to the time of the target [s]. If negative, the target is extrapolated.

    Raises
    ------
    ShapeError
        If a field has another number of entries.
    """

    frame: str
    position: np.ndarray | None = None
    quaternion: np.ndarray | None = None
    twist: np.ndarray | None = None
    acceleration: np.ndarray | None = None
    wrench: np.ndarray | None = None
    delay: float = 0.0

    __repr__ = short_repr

    def __post_init__(self):
        for name, size in SIZES.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value, size))

    def refusal(self, task, limits):
        """Refuse a target that the end effector cannot follow.

        Parameters
        ----------
        task : TaskReference
            The reference of the end effector.
        limits : (4,) array_like
            Largest linear and angular velocity and acceleration [m/s, rad/s, m/s^2, rad/s^2].

        Returns
        -------
        str
            Reason of the refusal, or ''.
        """
        return (
            self._refuse_frame(task)
            or self._refuse_values()
            or self._refuse_size('twist', limits[:2], ('m/s', 'rad/s'))
            or self._refuse_size('acceleration', limits[2:], ('m/s^2', 'rad/s^2'))
        )

    def refuse_time(self, timeout):
        """Refuse a target for a time too far from now.

        Parameters
        ----------
        timeout : float
            Time after which a target without a successor ends [s].

        Returns
        -------
        str
            Reason of the refusal, or ''.
        """
        if -timeout <= self.delay <= LATEST:
            return ''
        when = 'before' if self.delay < 0.0 else 'after'
        return (
            f'stamp: got {abs(self.delay):.6g} s {when} now; expected at most {timeout:g} s '
            f'(reference_timeout) before it and {LATEST:g} s after, on the clock of this node'
        )

    def _refuse_frame(self, task):
        given = [name for name in SIZES if getattr(self, name) is not None]
        if not given:
            return (
                'the target has neither pose, twist, acceleration nor wrench; expected one of them'
            )
        placed = self.position is not None or self.quaternion is not None
        if self.frame in task.fixed or (self.frame == task.end_effector and not placed):
            return ''
        fixed = [name for name in task.fixed if name != task.base]
        expected = (
            f'{task.base!r}, the base'
            + (f', {" or ".join(map(repr, fixed))}, fixed to it' if fixed else '')
            + ('' if placed else f', or {task.end_effector!r}, the end effector itself')
        )
        return f'frame_id of {" and ".join(given)}: got {self.frame!r:.80}; expected {expected}'

    def _refuse_values(self):
        for name in SIZES:
            value = getattr(self, name)
            if value is not None and not np.isfinite(value).all():
                return f'{name}: got {value.tolist()}; expected finite numbers'
        if self.position is not None and not np.all(np.abs(self.position) <= FARTHEST):
            return (
                f'position: got {self.position.tolist()}; expected at most {FARTHEST:g} m each way'
            )
        if self.quaternion is not None:
            length = np.linalg.norm(self.quaternion)
            if not abs(length - 1.0) <= UNIT_TOLERANCE:
                return (
                    f'quaternion: got {self.quaternion.tolist()} of length {length:.6g}; '
                    'expected length 1, the scalar part last'
                )
        return ''

    def _refuse_size(self, name, limits, units):
        value = getattr(self, name)
        if value is not None:
            for part, limit, unit in zip((value[:3], value[3:]), limits, units):
                if not np.linalg.norm(part) <= limit:
                    return (
                        f'{name}: got {np.linalg.norm(part):.6g} {unit}; '
                        f'expected at most {limit:g} {unit}'
                    )
        return ''


def _numbers(name, value, size):
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = None
    if array is None or array.shape != (size,):
        raise ShapeError(f'{name} of a task target: got {value!r:.80}; expected {size} numbers')
    return array
