# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The interface of control laws, both built in and from other packages."""

import math
from typing import NamedTuple

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.codegen import linker
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.errors import RobodynError, short_repr

#: Torque terms, rows of `terms`; the torque is their sum.
TERMS = ('feedback', 'inertia', 'coriolis', 'gravity', 'friction', 'other')
FEEDBACK, INERTIA, CORIOLIS, GRAVITY, FRICTION, OTHER = range(6)

POSITION_GAIN, VELOCITY_GAIN = 0, 1  # rows of `gains`
POSITION, VELOCITY, ACCELERATION = 0, 1, 2  # rows of `reference`
ROWS = 2  # vectors of working memory of a KernelLaw, after a matrix


class LawParameter(NamedTuple):
    """A numeric parameter of a law, besides the joint gains; it may change at any time.

    Parameters
    ----------
    name : str
        Name; the node declares it as `<law>.<name>`.
    default : float or tuple of float
        Default value. A tuple means as many numbers with the same bounds.
    unit : str
        SI unit.
    text : str
        One sentence for the description.
    lower, upper : float
        Bounds.
    """

    name: str
    default: float | tuple[float, ...]
    unit: str
    text: str
    lower: float = 0.0
    upper: float = math.inf

    def __repr__(self):
        return short_repr(self)

    @property
    def defaults(self):
        """Return the default as a tuple."""
        return self.default if isinstance(self.default, tuple) else (self.default,)


class LawOption(NamedTuple):
    """A string argument of a law's constructor, such as the name of a frame.

    Parameters
    ----------
    name : str
        Name of the argument.
    default : str or tuple of str
        Default value. A tuple means any number of strings.
    text : str
        One sentence for the description.
    """

    name: str
    default: str | tuple[str, ...]
    text: str

    def __repr__(self):
        return short_repr(self)


class ControlLaw:
    """Compute the torque, term by term, from a state and a reference.

    Another package adds a law as a subclass under the entry-point group
    `robodyn_ros.control_laws`. It is guarded like the built-in ones: an exception or a non-finite
    torque leads to FAULT.

    Parameters
    ----------
    robot : Robot
        The robot under control.

    Attributes
    ----------
    values : (k,) ndarray
        Values of `parameters` in order. The supervisor replaces them as a whole, between two
        calls of `torques`.
    period : float
        Time between calls of `torques` [s], set by the supervisor.
    """

    #: Name that selects the law; also that of the entry point.
    name = ''
    #: The equation as text.
    equation = ''
    #: Whether it follows a reference; a law that does not is ACTIVE without one.
    tracks = True
    #: Whether a call of `torques` changes the law. If not, extra calls can warm the caches.
    stateful = True
    #: Whether a limit changed the torque of the last cycle. Adaptation and integral terms then
    #: stop, since the error does not show the effect of their torque.
    saturated = False
    #: Units of the position and the velocity gain.
    gain_unit = ('', '')
    #: LawParameters; the node declares them as `<law>.<name>`.
    parameters: tuple[LawParameter, ...] = ()
    #: LawOptions, keyword arguments of the class; the node declares them too.
    options: tuple[LawOption, ...] = ()
    #: TaskReference that the law follows in addition to the joint reference, or None.
    task = None
    #: Entries of `values` for the axes x, y, z, rx, ry, rz of `task`. Positive ones are
    #: controlled. None: all are.
    task_axes: slice | None = None
    #: Whether the base moves, and `set_base` sets its state.
    floats = False
    #: Whether `set_base` has been called.
    base_known = False
    #: Joints whose torque is always zero, (nv,) of bool, or None.
    undriven = None
    #: Kernels that `torques` calls, compiled before activation.
    kernels: tuple[Kernel, ...] = ()

    def __repr__(self):
        return f'<{type(self).__name__} of {self.robot.name!r}>'

    def __init__(self, robot):
        """Allocate all memory of `torques`, which runs in the real-time loop.

        Raises ModelError: if a joint of the robot has a quaternion.
        """
        robot.model.refuse_quaternions(f'the control law {self.name!r}')
        self.robot = robot
        self.values = np.array(
            [value for parameter in self.parameters for value in parameter.defaults], dtype=float
        )
        self.period = 0.0
        model, coordinates = robot.model, linker.coordinates_of(robot.model)
        self._general = {
            kernel: linker.over_coordinates(kernel, model, coordinates) for kernel in self.kernels
        }
        self.replace_kernels({kernel: robot.linked(kernel) for kernel in self.kernels})

    def replace_kernels(self, replacements):
        """Replace kernels by versions for this robot, or restore them.

        A version for one robot has the same results (codegen/linker.py). `torques` calls
        `_torques`. One assignment replaces it here, so a cycle never mixes kernels. A law with
        several kernels replaces all of them here.

        Parameters
        ----------
        replacements : mapping of Kernel to Kernel
            Kernels for this robot by the generic ones; empty to restore these, over the
            coordinates of this robot.
        """
        self._replacements = {**self._general, **replacements}
        if self.kernels:
            self._torques = self._replacements[self.kernels[0]].vectorcall

    @classmethod
    def trial_options(cls, robot):
        """Return the options with which the kernels of a law are verified.

        A law overrides this if its defaults leave out part of its kernels.

        Parameters
        ----------
        robot : Robot
            The robot.

        Returns
        -------
        dict
            Options by name.
        """
        return {}

    @classmethod
    def model_of_kernels(cls, model):
        """Return the model whose recursions the kernels call; by default the robot's.

        Parameters
        ----------
        model : RobotModel
            The robot.

        Returns
        -------
        RobotModel
            The model.
        """
        return model

    def end_effector(self, frame):
        """Return an end effector in the form that kernels expect.

        Parameters
        ----------
        frame : str
            Name of a frame; '' for the link of the last joint.

        Returns
        -------
        name : str
            Name of the frame.
        body : int
            Body that carries it.
        placement : (12,) ndarray
            Its rotation by rows and its position on the body.

        Raises
        ------
        UnknownNameError
            If the frame does not exist.
        RobodynError
            If the frame does not move.
        """
        name = frame or self.robot.model.body_names[-1]
        found = self.robot.model.frame(name)
        if found.body == 0:
            raise RobodynError(
                f'frame of law {self.name}: got {name!r}, which does not move; expected one '
                'beyond a joint'
            )
        placement = np.concatenate((np.ravel(found.rotation), found.translation))
        placement.flags.writeable = False
        return name, found.body, placement

    def reset(self, q, qd):
        """Reset the state of the law.

        It is called at activation, reset and recovery, and at the start of each hold.

        Parameters
        ----------
        q, qd : (nv,) ndarray
            Measured state [rad or m, rad/s or m/s].
        """

    def forget(self):
        """Reset estimates of the robot; called at activation and reset only.

        Estimates, such as a load, stay valid while a posture is held.
        """

    def refuse_target(self, target):
        """Refuse a target of the end effector that the law cannot follow.

        Parameters
        ----------
        target : TaskTarget
            The target.

        Returns
        -------
        str
            Reason of the refusal, or ''.
        """
        return f'control law {self.name} takes no target of the end effector'

    def whole_kernel(self):
        """Return the Kernel whose result the torques are, and new arrays for it, or None.

        `Plant.rollout` calls it. See KernelLaw.
        """
        return None

    def torques(self, q, qd, reference, gains, terms):
        """Write the torque terms.

        It is called every cycle, so it should be one compiled kernel. Kernels do not check
        lengths: they read and write beyond shorter arrays.

        Parameters
        ----------
        q, qd : (nv,) ndarray
            Measured state [rad or m, rad/s or m/s], read-only.
        reference : (3, nv) ndarray
            Position, velocity and acceleration, read-only.
        gains : (2, nv) ndarray
            Position and velocity gain, in `gain_unit`.
        terms : (6, nv) ndarray
            Torque terms in the order of TERMS [N m or N]; zeros on entry, written.

        Returns
        -------
        int or None
            0 or None. A positive status leads to FAULT: the body whose pivot is singular.
        """
        raise NotImplementedError


class KernelLaw(ControlLaw):
    """A law without a state whose torques are those of one kernel, the only one of `kernels`.

    Its arguments are topology, constants, gravity, work, rows, q, qd, reference, gains, terms.
    `rows`, (nv + 2, nv), is working memory. Its result is a status, 0 without a failure.

    Parameters
    ----------
    robot : Robot
        The robot under control.
    """

    stateful = False

    def __init__(self, robot):
        super().__init__(robot)
        self._arrays = self._memory()

    def _memory(self):
        """Return the arguments of the kernel before the state."""
        n = self.robot.nv
        return *model_arrays(self.robot), np.zeros((n + ROWS, n))

    def whole_kernel(self):
        """Return the kernel and arrays for it, the last one for the terms.

        None if a subclass computes its torques in another way.
        """
        if type(self).torques is not KernelLaw.torques:
            return None
        return self.kernels[0], (*self._memory(), np.zeros((len(TERMS), self.robot.nv)))

    def torques(self, q, qd, reference, gains, terms):
        """Write the torque terms of the kernel.

        Parameters
        ----------
        q, qd : (nv,) ndarray
            Measured [rad or m, rad/s or m/s].
        reference : (3, nv) ndarray
            Position, velocity, acceleration.
        gains : (2, nv) ndarray
            Position and velocity gain.
        terms : (6, nv) ndarray
            Written [N m or N].

        Returns
        -------
        int
            Status of the kernel.
        """
        return self._torques(*self._arrays, q, qd, reference, gains, terms)


def model_arrays(robot):
    """Return the first arguments of a law's kernel.

    Returns `topology, constants, gravity, work` (tuple of ndarray): arrays of the model, and
      memory for the recursions.
    """
    model = robot.model
    return model.topology, model.constants, model.gravity, working_memory.allocate(model.topology)
