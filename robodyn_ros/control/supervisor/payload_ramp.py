# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A robot model whose payloads change over a ramp, while a control loop uses it."""

import dataclasses
import math

import numpy as np

from robodyn_ros.errors import ParameterError
from robodyn_ros.model.rigid_body import Payloads

LONGEST = 60.0  # [s] longest ramp


class PayloadRamp:
    """The payloads of a controlled robot.

    Mass, first moment and inertia of a body change linearly from one payload to the next. All
    bodies in between are physical, since each is a mean of two bodies.

    Parameters
    ----------
    model : RobotModel
        The robot without payloads.

    Attributes
    ----------
    model : RobotModel
        The robot with payloads. Its constants change, so the controller and its laws must use this
        model.
    moving : bool
        Whether a ramp is under way.
    """

    def __init__(self, model):
        self._payloads = Payloads(model)
        self._constants = model.constants.copy()
        view = self._constants.view()
        view.flags.writeable = False
        self.model = dataclasses.replace(model, constants=view)
        self._start, self._change = model.constants, np.zeros_like(self._constants)
        self._goal, self._duration, self._elapsed = model.constants, 0.0, 0.0
        self.moving = False

    @property
    def empty(self):
        """Return whether the model is that without payloads."""
        return not self._payloads and not self.moving

    def plan(self, frame, mass, com, inertia, duration):
        """Plan a ramp to a payload, without starting it.

        Parameters
        ----------
        frame : str
            Name of a link or joint.
        mass : float
            Mass [kg].
        com : (3,) array_like
            Centre of mass [m] in the axes of the frame.
        inertia : (3, 3) array_like
            Inertia [kg m^2] about the centre of mass, in the axes of the frame.
        duration : float
            Duration of the ramp [s].

        Returns
        -------
        plan : tuple
            Argument of `begin`.

        Raises
        ------
        UnknownNameError, ModelError, ParameterError
            For a refused value. Nothing has changed then.
        """
        if not 0.0 <= duration <= LONGEST:  # also true for NaN
            raise ParameterError(f'a payload ramp of {duration:g} s; expected 0 to {LONGEST:g} s')
        return self._payloads.attach(frame, mass, com, inertia).constants, duration

    def begin(self, plan):
        """Begin a ramp from the present payloads.

        Parameters
        ----------
        plan : tuple
            Result of `plan`.
        """
        self._goal, self._duration = plan
        self._start, self._elapsed, self.moving = self._constants.copy(), 0.0, True
        np.subtract(self._goal, self._start, out=self._change)

    def advance(self, dt):
        """Advance the ramp.

        Parameters
        ----------
        dt : float
            Time step [s].
        """
        self._elapsed += dt
        share = self._elapsed / self._duration if self._duration else math.inf
        if share < 1.0:
            np.multiply(self._change, share, out=self._constants)
            self._constants += self._start
        else:
            self._constants[:] = self._goal
            self.moving = False
