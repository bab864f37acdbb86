"""Where a hand shall be: what was told last, and the smooth motion that leads it there."""
import math

import numpy as np

from robodyn_ros.control.states import Reason
from robodyn_ros.spatial.quaternion import axes_of_quaternion
from robodyn_ros.spatial.turning import turn_by

#: Rows of `target` and `state`: what is told, and what the law follows.
POSITION, QUATERNION, VELOCITY, SPIN, ACCELERATION, SPIN_RATE, FORCE, MOMENT = range(8)
ERROR, TURN = 4, 5     # rows of `measured`, in place of the accelerations
ARRIVED, PACE = 8, 9    # rows of `state` with one entry: nothing is left to do; see `state`
FREE = 1e6              # a pace that stands for any
STREAMED = {'twist': VELOCITY, 'acceleration': ACCELERATION, 'wrench': FORCE}
ENDS = {'twist': slice(VELOCITY, FORCE), 'acceleration': slice(VELOCITY, FORCE),
        'wrench': slice(FORCE, ARRIVED)}   # rows that end with it


class TaskReference:
    """What the hand of a law follows; belongs to the loop, like the reference of the joints.

    Vectors are in base axes; position and velocity are those of the hand's origin. Rows are four
    wide, for the quaternions (x, y, z, w); the fourth entry of the other rows is zero.

    target : (8, 4) position, quaternion, velocity, spin, acceleration, spin rate, force, moment
        [m, -, m/s, rad/s, m/s^2, rad/s^2, N, N m] as told last, moving on by themselves.
    state : (10, 4) the same of the reference, whether it has arrived, and by which factor it could
        be faster before a joint would be too fast.
    measured : (6, 4) position, quaternion, velocity, spin of the hand, and what it lacks to the
        reference, a distance and a rotation vector [m, rad]; written by the law.
    shares : (6,) what the law keeps of each principal direction of the task: 1, or less near a
        singular posture; 0 of an axis that is left out.
    elapsed : [s] by which the law is to advance it.
    moving : whether a target is being followed.
    base, hand : names of the two frames.
    """

    def __init__(self, base, hand):
        self.base, self.hand = base, hand
        self.target, self.state = np.zeros((ARRIVED, 4)), np.zeros((PACE + 1, 4))
        self.measured, self.shares = np.zeros((6, 4)), np.ones(6)
        self.target[QUATERNION, 3] = self.state[QUATERNION, 3] = 1.0
        self.state[PACE, 0] = FREE
        self.elapsed, self.moving = 0.0, False
        self._until = dict.fromkeys(STREAMED, math.inf)
        self._outcome = Reason.NONE

    def hold(self, position, quaternion):
        """Rest at a pose, push at nothing. position : (3,) [m]; quaternion : (4,)."""
        for rows in (self.target, self.state):
            rows.fill(0.0)
            rows[POSITION, :3], rows[QUATERNION] = position, quaternion
        self.state[PACE, 0] = FREE
        self._until = dict.fromkeys(STREAMED, math.inf)
        self.elapsed, self.moving = 0.0, False

    def aim(self, target, since, until):
        """Follow a TaskTarget, what moves or pushes until a time [s] without a successor.

        since : [s] from the last `advance` to now, for which a moving target is moved back.
        """
        for name, row in STREAMED.items():
            value = getattr(target, name)
            if value is not None:
                turn = np.eye(3)
                if target.frame != self.base:
                    turn = rotation(self.state[QUATERNION])
                self.target[row, :3], self.target[row + 1, :3] = turn @ value[:3], turn @ value[3:]
                self._until[name] = until
        if target.position is not None:
            self.target[POSITION, :3] = target.position - since * self.target[VELOCITY, :3]
        if target.quaternion is not None:
            unit = target.quaternion / np.linalg.norm(target.quaternion)
            self.target[QUATERNION] = turn_by(-since * self.target[SPIN, :3], unit)
        self.state[ARRIVED] = 0.0
        self.moving, self._outcome = True, Reason.TARGET_REACHED

    def advance(self, clock, elapsed):
        """Move on to a time; return why there is nothing left to follow, or ''.

        A twist or a wrench without a successor ends: the hand comes to rest by its limits.
        """
        self.elapsed = elapsed
        if not self.moving:
            return Reason.NONE
        for name, until in self._until.items():
            if clock > until:
                self._until[name], self._outcome = math.inf, Reason.REFERENCE_TIMEOUT
                self.target[ENDS[name]] = 0.0
                self.state[ARRIVED] = 0.0
        streamed = min(self._until.values()) < math.inf
        if streamed or not self.state[ARRIVED, 0]:
            return Reason.NONE
        self.moving = False
        return self._outcome


def rotation(quaternion):
    """R (3, 3) of a quaternion (x, y, z, w)."""
    return np.column_stack(axes_of_quaternion(*quaternion))
