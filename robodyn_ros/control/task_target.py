"""Targets of a hand as they come from outside: where it shall be, how it shall move, push."""
import dataclasses

import numpy as np

from robodyn_ros.errors import ShapeError

SIZES = {'position': 3, 'quaternion': 4, 'twist': 6, 'acceleration': 6, 'wrench': 6}
UNIT_TOLERANCE = 1e-3      # of the length of a quaternion: rounded to four digits it still is one
FARTHEST = 1e3             # [m] from the base; no arm reaches there


@dataclasses.dataclass(frozen=True, eq=False)
class TaskTarget:
    """What a hand shall do; None leaves that part as it is.

    frame : name of the frame in whose axes it is given: the base or, without a pose, the hand
        itself, as it stands when the target is taken over.
    position : (3,) [m] of the hand's origin in the base.
    quaternion : (4,) [-] x, y, z, w, of length one: the hand's axes in the base.
    twist : (6,) [m/s, rad/s] velocity of the hand's origin, angular velocity; the target moves
        on with it until it times out.
    acceleration : (6,) [m/s^2, rad/s^2] rate of change of the twist given with it.
    wrench : (6,) [N, N m] force and moment about the hand's origin that the hand exerts on what it
        touches, until it times out.

    Raises ShapeError if a field is not as many numbers.
    """

    frame: str
    position: np.ndarray = None
    quaternion: np.ndarray = None
    twist: np.ndarray = None
    acceleration: np.ndarray = None
    wrench: np.ndarray = None

    def __post_init__(self):
        for name, size in SIZES.items():
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _numbers(name, value, size))

    def refusal(self, base, hand, speed):
        """Return '' if the target makes sense, or the sentence that says why not.

        base, hand : names of the two frames. speed : (2,) [m/s, rad/s] largest of the hand.
        """
        return self._refuse_frame(base, hand) or self._refuse_values() or self._refuse_speed(speed)

    def _refuse_frame(self, base, hand):
        given = [name for name in SIZES if getattr(self, name) is not None]
        if not given:
            return 'the target has neither pose, twist nor wrench; expected one of them'
        if self.acceleration is not None and self.twist is None:
            return 'the target has an acceleration without a twist; expected both, or neither'
        placed = self.position is not None or self.quaternion is not None
        if self.frame == base or (self.frame == hand and not placed):
            return ''
        expected = f'{base!r}, the base' + ('' if placed else f', or {hand!r}, the hand itself')
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

    def _refuse_speed(self, speed):
        if self.twist is not None:
            for part, limit, unit in ((self.twist[:3], speed[0], 'm/s'),
                                      (self.twist[3:], speed[1], 'rad/s')):
                if not np.linalg.norm(part) <= limit:
                    return (f'twist: got {np.linalg.norm(part):.6g} {unit}; '
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
