# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot model whose payloads change over a ramp, while a control loop uses it."""

import copy
import dataclasses
import math

import numpy as np

from robodyn_ros.control.holding import cannot_carry
from robodyn_ros.control.supervisor.preconditions import refuse_weight
from robodyn_ros.errors import ParameterError
from robodyn_ros.model.rigid_body import Payloads
from robodyn_ros.robot.robot import Robot

LONGEST = 60.0  # [s] longest ramp


class PayloadRamp:
    """The payloads of a controlled robot.

    Mass, first moment and inertia of a body change linearly from one payload to the next. All
    bodies in between are physical, since each is a mean of two bodies.

    `model` (RobotModel): the robot without payloads.
    `model` (RobotModel): the robot with payloads. Its constants change, so the controller and its
      laws must use this model.
    `moving`: whether a ramp is under way.
    """

    def __init__(self, model):
        self._payloads = Payloads(model)
        self._constants, self.model = _changeable(model)
        self._planned, planned = _changeable(model)
        # made here, since that takes longer than cycles of a loop
        self._bare, self._robot = Robot(model), Robot(planned)
        self._start, self._change = model.constants, np.zeros_like(self._constants)
        self._goal, self._duration, self._elapsed = model.constants, 0.0, 0.0
        self.moving = False

    @property
    def now(self):
        """Return a plan that keeps the present payloads."""
        return self._constants.copy(), 0.0, self._payloads

    @property
    def empty(self):
        """Return whether the model is that without payloads."""
        return not self._payloads and not self.moving

    def plan(self, frame, mass, com, inertia, duration):
        """Plan a ramp to a payload, without starting it.

        `com` ((3,) array_like): centre of mass [m] in the axes of the frame.
        `inertia` ((3, 3) array_like): inertia [kg m^2] about the centre of mass, in the axes of
          the frame.
        `duration`: duration of the ramp [s].
        Returns `plan` (tuple): argument of `begin`.
        Raises UnknownNameError, ModelError, ParameterError: for a refused value. Nothing has
          changed then.
        """
        if not 0.0 <= duration <= LONGEST:  # also true for NaN
            raise ParameterError(f'a payload ramp of {duration:g} s; expected 0 to {LONGEST:g} s')
        payloads = copy.copy(self._payloads)
        return payloads.attach(frame, mass, com, inertia).constants, duration, payloads

    def weight(self, plan, q):
        """Return the gravity torque at the end of a ramp.

        `plan` (tuple): result of `plan`.
        `q` (nv,): posture [rad or m].
        """
        self._planned[:], *_ = plan
        return self._robot.gravity_torque(q)

    def require_held(self, plan, measured, settings, joint_names):
        """Refuse a plan whose weight a joint cannot hold.

        `plan` (tuple): result of `plan`.
        Raises ParameterError: if it is refused.
        """
        sentence = refuse_weight(self, plan, measured, settings, joint_names)
        if sentence:
            raise ParameterError(sentence)

    def overload(self, settings):
        """Say which joints hold the robot in every posture, but not with its payloads.

        `settings` (Settings): has the effort limits.
        Returns the sentence; '' if there are none, or if the robot holds its weight by itself.
        """
        if settings.robot_compensates_gravity:
            return ''
        self._planned[:] = self._goal
        found = cannot_carry(self._bare, self._robot, 'the payload', settings.effort_limits)
        told = '; '.join(f'{finding.subject} {finding.sentence}' for finding in found)
        return told and f'Warning: {told}.'

    def begin(self, plan):
        """Begin a ramp from the present payloads.

        `plan` (tuple): result of `plan`.
        """
        self._goal, self._duration, self._payloads = plan
        self._start, self._elapsed, self.moving = self._constants.copy(), 0.0, True
        np.subtract(self._goal, self._start, out=self._change)

    def advance(self, dt):
        """Advance the ramp.

        `dt`: time step [s].
        """
        self._elapsed += dt
        share = self._elapsed / self._duration if self._duration else math.inf
        if share < 1.0:
            np.multiply(self._change, share, out=self._constants)
            self._constants += self._start
        else:
            self._constants[:] = self._goal
            self.moving = False


def _changeable(model):
    """Return an array of constants, and a model that reads them."""
    constants = model.constants.copy()
    view = constants.view()
    view.flags.writeable = False
    return constants, dataclasses.replace(model, constants=view)
