# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The reference of the end effector: its target, and the smooth motion towards it."""

import math

import numpy as np

from robodyn_ros.control.reference.task_schedule import MOST, TaskSchedule
from robodyn_ros.control.supervisor.controller_states import Reason
from robodyn_ros.spatial.quaternion import axes_of_quaternion, product, unit
from robodyn_ros.spatial.turning import quaternion_of, turn_by

#: Rows of `target`, the command, and of `state`, which the law follows.
POSITION, QUATERNION, VELOCITY, SPIN, ACCELERATION, SPIN_RATE, FORCE, MOMENT = range(8)
#: Rows of `measured` in place of the accelerations: pose error.
ERROR, TURN = 4, 5
#: Row of `goal` with LEFT, PLACED, TURNED and MOVING.
AHEAD = 4
#: Time left [s]; 1.0 if the goal has a position, an orientation, a twist.
LEFT, PLACED, TURNED, MOVING = range(4)
#: Rows of `state` with one entry: 1.0 after arrival; admissible factor on the speed.
ARRIVED, PACE = 8, 9
FREE = 1e6  # the factor where no limit applies
#: First row of each part that ends without a successor.
STREAMED = {'twist': VELOCITY, 'acceleration': ACCELERATION, 'wrench': FORCE}
#: Rows that are cleared when the part ends.
ENDS = {
    'twist': slice(VELOCITY, FORCE),
    'acceleration': slice(ACCELERATION, FORCE),
    'wrench': slice(FORCE, ARRIVED),
}


class TaskReference:
    """Target and reference of a law's end effector; owned by the loop, like the joint reference.

    Vectors are in base axes; position and velocity are those of the end effector's origin. Rows
    are four wide, for the quaternions (x, y, z, w); the fourth entry of the other rows is zero.

    `base`, `end_effector`: names of the two frames.
    `fixed` (dict): rotation (3, 3) and origin (3,) [m] by name, of the base and of all frames
      fixed to it.
    `target` (8, 4): position, quaternion, velocity, spin, acceleration, spin rate,
      force, moment [m, -, m/s, rad/s, m/s^2, rad/s^2, N, N m]. It is the last command,
      extrapolated to the present.
    `goal` (5, 4): position, quaternion, velocity and spin of the next scheduled target.
      The last row is AHEAD. The target reaches the goal in the time left, which is 0 without a
      goal.
    `state` (10, 4): the reference, with the rows of `target`. Two more rows: whether it
      has arrived, and the factor on its speed that joint velocity limits allow.
    `measured` (6, 4): position, quaternion, velocity and spin of the end effector,
      written by the law. Two more rows: the error to the reference, a distance and a rotation
      vector [m, rad].
    `shares` (6,): share of the control gain in each principal direction of the task. It
      is 1, less near a singular posture, and 0 for an axis that is left out.
    `elapsed`: time by which the law advances the reference [s].
    `age`: age of the joint state [s].
    `moving`: whether a target is being followed.
    `led`: whether the reference of the joints leads this one, as during a stop.
    `coasts`: whether the end effector moved when it was last held.
    """

    def __init__(self, base, end_effector, fixed):
        self.base, self.end_effector, self.fixed = base, end_effector, fixed
        self.target, self.state = np.zeros((ARRIVED, 4)), np.zeros((PACE + 1, 4))
        self.goal, self.measured, self.shares = np.zeros((5, 4)), np.zeros((6, 4)), np.ones(6)
        self._motion, self._wrenches, self._new = TaskSchedule(), TaskSchedule(), False
        self._until, self._outcome, self.age, self.led = {}, Reason.NONE, 0.0, False
        self.hold(np.zeros(3), (0.0, 0.0, 0.0, 1.0))

    def hold(self, position, quaternion, coasts=False):
        """Rest at a pose without a wrench.

        `position` ((3,) array_like): origin of the end effector in the base [m].
        `quaternion` ((4,) array_like): its orientation (x, y, z, w).
        `coasts`: whether it moves, and should come to rest with the joints.
        """
        for rows in (self.target, self.state):
            rows.fill(0.0)
            rows[POSITION, :3], rows[QUATERNION] = position, quaternion
        self.state[PACE, 0] = FREE
        self._until = dict.fromkeys(STREAMED, math.inf)
        self._motion.clear()
        self._wrenches.clear()
        self.goal[AHEAD] = 0.0
        self.elapsed, self.moving, self.coasts = 0.0, False, coasts

    def set_target(self, target, clock, since, timeout):
        """Follow a target of the end effector, or refuse it.

        A target for a later time is reached at that time. A target for the past is extrapolated. A
        target for now replaces all scheduled ones. A twist or a wrench without a successor ends a
        timeout after its time.

        `since`: time from the last `advance` to now [s].
        `timeout`: age at which a twist or a wrench ends [s].
        Returns reason of a refusal, or ''.
        """
        if max(len(self._motion), len(self._wrenches)) >= MOST:
            return f'{MOST} targets lie ahead already; expected fewer'
        motion, due, tick = self._in_base(target), clock + target.delay, clock - since
        for name in STREAMED:
            if name in motion:
                self._until[name] = due + timeout
        wrench = {'wrench': motion.pop('wrench')} if 'wrench' in motion else {}
        if motion and target.delay == 0.0 and self._motion:
            self._motion.clear()
            self.target[VELOCITY:FORCE] = 0.0
        if wrench and target.delay == 0.0:
            self._wrenches.clear()
        for schedule, parts in ((self._motion, motion), (self._wrenches, wrench)):
            if parts and target.delay > 0.0:
                if not schedule:
                    schedule.begin(
                        tick,
                        position=self.target[POSITION, :3].copy(),
                        quaternion=self.target[QUATERNION].copy(),
                    )
                schedule.insert(due, parts)
            else:
                self._apply(parts, tick - due)
        self.state[ARRIVED] = 0.0
        self.moving, self._new, self._outcome = True, True, Reason.TARGET_REACHED
        return ''

    def advance(self, clock, elapsed, age):
        """Advance to a time.

        A twist or a wrench without a successor ends: the end effector comes to rest within its
        limits. After TARGET_REACHED `moving` stays until the caller has seen the end effector
        there, and clears it.

        `elapsed`: time since the last call [s].
        `age`: age of the joint state [s].
        Returns TARGET_REACHED while the reference rests at the target, REFERENCE_TIMEOUT after the
          end of a part without a successor, or ''.
        """
        self.elapsed, self.age = elapsed, age
        if not self.moving:
            return Reason.NONE
        self._apply_due(clock, clock - elapsed)
        for name, until in self._until.items():
            ahead = self._wrenches if name == 'wrench' else self._motion
            if clock > until and not ahead:
                self._until[name], self._outcome = math.inf, Reason.REFERENCE_TIMEOUT
                self.target[ENDS[name]] = 0.0
                self.state[ARRIVED] = 0.0
        streamed = min(self._until.values()) < math.inf or self._motion or self._wrenches
        if streamed or not self.state[ARRIVED, 0]:
            return Reason.NONE
        self.moving = self._outcome == Reason.TARGET_REACHED
        return self._outcome

    def _apply_due(self, clock, tick):
        """Apply scheduled targets that are due, and set the next goal."""
        for schedule in (self._motion, self._wrenches):
            while schedule and schedule.time <= clock:
                due, parts = schedule.pop()
                if schedule is self._motion and not schedule:
                    self.target[ACCELERATION:FORCE] = 0.0  # it led to this last goal
                self._apply(parts, tick - due)
                self.state[ARRIVED], self._new = 0.0, True
        if self._new:
            self._new = False
            self._write_goal(self._motion.next() if self._motion else {})
        if self._motion:
            self.goal[AHEAD, LEFT] = self._motion.time - tick

    def _write_goal(self, parts):
        """Write the goal from the parts of a target."""
        self.goal.fill(0.0)
        twist = parts.get('twist', np.zeros(6))
        self.goal[VELOCITY, :3], self.goal[SPIN, :3] = twist[:3], twist[3:]
        self.goal[POSITION, :3] = parts.get('position', 0.0)
        self.goal[QUATERNION] = parts.get('quaternion', 0.0)
        self.goal[AHEAD, PLACED:] = 'position' in parts, 'quaternion' in parts, 'twist' in parts

    def _apply(self, parts, since):
        """Apply the parts of a target whose time passed `since` [s] ago."""
        target = self.target
        for name, row in STREAMED.items():
            if name in parts:
                target[row, :3], target[row + 1, :3] = parts[name][:3], parts[name][3:]
        if 'twist' in parts:
            target[VELOCITY:ACCELERATION] += since * target[ACCELERATION:FORCE]
        mean = target[VELOCITY:ACCELERATION, :3] - 0.5 * since * target[ACCELERATION:FORCE, :3]
        if 'position' in parts:
            target[POSITION, :3] = parts['position'] + since * mean[0]
        if 'quaternion' in parts:
            target[QUATERNION] = turn_by(since * mean[1], parts['quaternion'])

    def _in_base(self, target):
        """Return the parts of a TaskTarget by name, in base axes."""
        R, origin = self.fixed.get(target.frame) or (rotation(self.state[QUATERNION]), 0.0)
        streamed = {name: getattr(target, name) for name in STREAMED}
        found = {
            name: np.concatenate((R @ value[:3], R @ value[3:]))
            for name, value in streamed.items()
            if value is not None
        }
        if target.position is not None:
            found['position'] = origin + R @ target.position
        if target.quaternion is not None:
            found['quaternion'] = np.array(product(quaternion_of(*R.T), unit(target.quaternion)))
        return found


def rotation(quaternion):
    """Return the rotation matrix of a quaternion.

    `quaternion` ((4,) array_like): (x, y, z, w).
    """
    return np.column_stack(axes_of_quaternion(*quaternion))
