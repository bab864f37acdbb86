# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot model whose payloads change within a ramp, while a loop computes torques with it."""

import dataclasses
import math

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.rigid_body import Payloads

LONGEST = 60.0  # [s]


class PayloadRamp:
    """The payloads of a controlled robot.

    Mass, first moment and inertia of a body go linearly from one payload to the next. So every
    body on the way is possible: it is a mean of two bodies.

    model : RobotModel, in the attribute of this name with constants that change; the controller
    and its laws use that one. moving : whether a ramp is under way.
    """

    def __init__(self, model):
        self._payloads = Payloads(model)
        self._constants = model.constants.copy()
        seen = self._constants.view()
        seen.flags.writeable = False
        self.model = dataclasses.replace(model, constants=seen)
        self._start, self._change = model.constants, np.zeros_like(self._constants)
        self._goal, self._duration, self._elapsed = model.constants, 0.0, 0.0
        self.moving = False

    @property
    def empty(self):
        """Whether the model is that without payloads."""
        return not self._payloads and not self.moving

    def plan(self, frame, mass, com, inertia, duration):
        """Return what `begin` takes, for a payload as in Payloads.attach and a ramp [s].

        Raises UnknownNameError, ModelError or ParameterError for a refused value; nothing has
        changed then.
        """
        if not 0.0 <= duration <= LONGEST:  # a NaN is refused, too
            raise ParameterError(
                f'a ramp of {duration:g} s; expected 0 to {LONGEST:g} s to go over to a payload'
            )
        return self._payloads.attach(frame, mass, com, inertia).constants, duration

    def begin(self, plan):
        """Begin a ramp from the present constants."""
        self._goal, self._duration = plan
        self._start, self._elapsed, self.moving = self._constants.copy(), 0.0, True
        np.subtract(self._goal, self._start, out=self._change)

    def advance(self, dt):
        """Advance the ramp by dt [s]."""
        self._elapsed += dt
        share = self._elapsed / self._duration if self._duration else math.inf
        if share < 1.0:
            np.multiply(self._change, share, out=self._constants)
            self._constants += self._start
        else:
            self._constants[:] = self._goal
            self.moving = False
