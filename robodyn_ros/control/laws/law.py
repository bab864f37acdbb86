# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What a control law is: the protocol that built-in laws and those of other packages share."""

import math
from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.core import scratch

#: Torque terms, rows of `terms`; the torque is their sum.
TERMS = ('feedback', 'inertia', 'coriolis', 'gravity', 'friction', 'other')
FEEDBACK, INERTIA, CORIOLIS, GRAVITY, FRICTION, OTHER = range(6)

POSITION_GAIN, VELOCITY_GAIN = 0, 1  # rows of `gains`
POSITION, VELOCITY, ACCELERATION = 0, 1, 2  # rows of `reference`


class LawParameter(NamedTuple):
    """A number of a law's own, beside the gains of the joints; it may change at any time.

    Where the default is a tuple it is so many numbers, with the same bounds.
    """

    name: str
    default: float | tuple[float, ...]
    unit: str
    text: str  # one sentence
    lower: float = 0.0
    upper: float = math.inf

    @property
    def defaults(self):
        """The default as a tuple."""
        return self.default if isinstance(self.default, tuple) else (self.default,)


class LawOption(NamedTuple):
    """A string that a law is made with, by its name: what it is about, not how it acts.

    Where the default is a tuple it is any number of strings.
    """

    name: str
    default: str | tuple[str, ...]
    text: str  # one sentence


class ControlLaw:
    """A torque, term by term, from a state and a reference.

    Another package adds a law as a subclass under the entry-point group
    `robodyn_ros.control_laws`. It is checked and guarded like the built-in ones: an exception
    or a non-finite torque is a FAULT, not a crash.
    """

    #: Name by which a parameter selects it; the entry point's name.
    name = ''
    #: The equation, as shown to people.
    equation = ''
    #: Whether it follows a reference; one that does not is ACTIVE without one.
    tracks = True
    #: Whether `torques` keeps anything from one call for the next; one that does not may be called
    #: for nothing, to have it in the caches.
    stateful = True
    #: Whether a limit changed the torque of the cycle before. What learns or integrates then
    #: stops, since the error does not say what its torque would have done.
    saturated = False
    #: Units of the position and the velocity gain.
    gain_unit = ('', '')
    #: LawParameters; the node declares them as `<law>.<name>`.
    parameters = ()
    #: LawOptions, keyword arguments of the class; the node declares them too.
    options = ()
    #: TaskReference that the law follows beside the reference of the joints, or None.
    task = None
    #: Joints that get no torque in any state, (nv,) of bool, or None.
    undriven = None
    #: The compiled kernels that `torques` calls, to be warmed up before activation.
    kernels = ()

    def __init__(self, robot):
        """Allocate everything that `torques` needs: it runs in the real-time loop.

        robot : Robot. Raises ModelError if a joint of it has a quaternion.

        values : (k,) of `parameters`, one after the other, and period : [s] between two calls of
        `torques`, are set by the supervisor, as a whole and between two calls.
        """
        robot.model.refuse_quaternions(f'the control law {self.name!r}')
        self.robot = robot
        self.values = np.array(
            [value for parameter in self.parameters for value in parameter.defaults], dtype=float
        )
        self.period = 0.0
        self.use({kernel: robot.linked(kernel) for kernel in self.kernels})

    def use(self, twins):
        """Call these twins of `kernels` from now on, {kernel: twin}, or the kernels themselves.

        A twin does the same by the code of this robot alone (codegen/linker.py). `torques` calls
        `_torques`, set here in one assignment: a cycle under way ends as it began. A law
        with several kernels puts all of them in force here.
        """
        self._twins = twins
        if self.kernels:
            self._torques = twins.get(self.kernels[0], self.kernels[0]).vectorcall

    @classmethod
    def trial_options(cls, robot):
        """Return the options with which its kernels are compared before they serve, {name: value}.

        robot : Robot. For laws whose defaults leave out part of their kernels.
        """
        return {}

    def reset(self, q, qd):
        """Forget the past: called at activation, reset, recovery and whenever a posture is held.

        q, qd : (nv,) [rad or m; rad/s or m/s].
        """

    def forget(self):
        """Give up what was learnt about the robot: called at activation and at reset, not later.

        A load at the end effector is still there when a posture is held.
        """

    def refuse_target(self, target):
        """Return '' if the law can follow a TaskTarget, or the sentence that says why not."""
        return f'control law {self.name} takes no target of the end effector'

    def torques(self, q, qd, reference, gains, terms):
        """Write the torque terms; called every cycle, by one compiled kernel if it is to be fast.

        q, qd : (nv,) measured, not to be changed [rad or m; rad/s or m/s].
        reference : (3, nv) position, velocity, acceleration, not to be changed.
        gains : (2, nv) position and velocity gain, in `gain_unit`.
        terms : (6, nv), zeros on entry, written in the order of TERMS [N m or N].

        Returns None or 0, or a status greater than 0 that becomes a FAULT (the body whose pivot
        is singular).
        """
        raise NotImplementedError


def model_arrays(robot):
    """What a law's kernel begins with: topology, constants, gravity, a scratch array."""
    model = robot.model
    return model.topology, model.constants, model.gravity, scratch.allocate(model.topology)
