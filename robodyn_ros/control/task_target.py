"""Targets of a hand as they come from outside: where it shall be, how it shall move, push."""
import dataclasses

import numpy as np

from robodyn_ros.errors import ShapeError

SIZES = {'position': 3, 'quaternion': 4, 'twist': 6, 'acceleration': 6, 'wrench': 6}
UNIT_TOLERANCE = 1e-3      # of the length of a quaternion: rounded to four digits it still is one
FARTHEST = 1e3             # [m] from the base; no arm reaches there
LATEST = 10.0              # [s] from now; beyond, a clock is wrong rather than a plan long


@dataclasses.dataclass(frozen=True, eq=False)
class TaskTarget:
    """What a hand shall do, and when; None leaves that part as it is.

    frame : name of the frame in which it is given: the base, one that is fixed to it or, without
        a pose, the hand itself, as its reference stands when the target is received.
    position : (3,) [m] of the hand's origin in the base.
    quaternion : (4,) [-] x, y, z, w, of length one: the hand's axes in the base.
    twist : (6,) [m/s, rad/s] velocity of the hand's origin, angular velocity; the target moves
        on with it until it times out.
    acceleration : (6,) [m/s^2, rad/s^2] rate of change of the twist, until it times out.
    wrench : (6,) [N, N m] force and moment about the hand's origin that the hand exerts on what it
        touches, until it times out.
    delay : [s] from reception to when it holds: a pose is reached, a velocity had, a wrench
        begun. If negative that has passed, and the target has moved on since.

    Raises ShapeError if a field is not as many numbers.
    """

    frame: str
    position: np.ndarray = None
    quaternion: np.ndarray = None
    twist: np.ndarray = None
    acceleration: np.ndarray = None
    wrench: np.ndarray = None
    delay: float = 0.0

    def __post_init__(self):
        for name, size in SIZES.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value, size))

    def refusal(self, task, limits):
        """Return '' if the target makes sense, or the sentence that says why not.

        task : TaskReference that it is for. limits : (4,) largest speed and acceleration of the
        hand [m/s, rad/s, m/s^2, rad/s^2].
        """
        return (self._refuse_frame(task) or self._refuse_values()
                or self._refuse_size('twist', limits[:2], ('m/s', 'rad/s'))
                or self._refuse_size('acceleration', limits[2:], ('m/s^2', 'rad/s^2')))

    def refuse_time(self, timeout):
        """Return '' if its time is one to act on, or the sentence that says why not.

        timeout : [s] after which a target without a successor has ended.
        """
        if -timeout <= self.delay <= LATEST:
            return ''
        when = 'before' if self.delay < 0.0 else 'after'
        return (f'stamp: got {abs(self.delay):.6g} s {when} now; expected at most {timeout:g} s '
                f'(reference_timeout) before it and {LATEST:g} s after, on the clock of this node')

    def _refuse_frame(self, task):
        given = [name for name in SIZES if getattr(self, name) is not None]
        if not given:
            return ('the target has neither pose, twist, acceleration nor wrench; expected one of '
                    'them')
        placed = self.position is not None or self.quaternion is not None
        if self.frame in task.fixed or (self.frame == task.hand and not placed):
            return ''
        fixed = [name for name in task.fixed if name != task.base]
        expected = (f'{task.base!r}, the base'
                    + (f', {" or ".join(map(repr, fixed))}, fixed to it' if fixed else '')
                    + ('' if placed else f', or {task.hand!r}, the hand itself'))
        return (f'frame_id of {" and ".join(given)}: got {self.frame!r:.80}; '
                f'expected {expected}')

    def _refuse_values(self):
        for name in SIZES:
            value = getattr(self, name)
            if value is not None and not np.isfinite(value).all():
                return f'{name}: got {value.tolist()}; expected finite numbers'
        if self.position is not None and not np.all(np.abs(self.position) <= FARTHEST):
            return (f'position: got {self.position.tolist()}; '
                    f'expected at most {FARTHEST:g} m each way')
        if self.quaternion is not None:
            length = np.linalg.norm(self.quaternion)
            if not abs(length - 1.0) <= UNIT_TOLERANCE:
                return (f'quaternion: got {self.quaternion.tolist()} of length {length:.6g}; '
                        'expected length 1, the scalar part last')
        return ''

    def _refuse_size(self, name, limits, units):
        value = getattr(self, name)
        if value is not None:
            for part, limit, unit in zip((value[:3], value[3:]), limits, units):
                if not np.linalg.norm(part) <= limit:
                    return (f'{name}: got {np.linalg.norm(part):.6g} {unit}; '
                            f'expected at most {limit:g} {unit}')
        return ''


def _numbers(name, value, size):
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        array = None
    if array is None or array.shape != (size,):
        raise ShapeError(f'{name} of a task target: got {value!r:.80}; expected {size} numbers')
    return array
