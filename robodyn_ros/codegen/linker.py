# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels that call recursions, linked to one robot.

A control law or a step of the plant branches on its data: limits, stops, friction. So it cannot be
recorded. But its dynamics are calls of recursions. Each robot has a table of the code that these
calls run: its recorded code, or the recursions over its coordinates. So only the recordings are
compiled for a robot. See robodyn_ros.compile.robot_code_table.
"""

import functools
from dataclasses import replace

import numpy as np

from robodyn_ros.algorithms.core import aba
from robodyn_ros.codegen.registry import FURTHER_RECIPES, LAW_RECURSIONS, RECIPES
from robodyn_ros.codegen.specialise import specialise
from robodyn_ros.compile import embedded, flexible_recursions
from robodyn_ros.compile.call import generic_kernel_of, provide_in_place, recursions_of
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.machine_call import address_of
from robodyn_ros.compile.numba_private import MISSING
from robodyn_ros.compile.rebound import rebound
from robodyn_ros.compile.robot_code_table import INDEPENDENT, JOINTS, MODES, RobotCodeTable
from robodyn_ros.errors import KernelError
from robodyn_ros.spatial.primitive import RECURSIONS

#: By kind of coordinates: the function that returns the counterpart of a generic kernel.
KERNEL_OF = {INDEPENDENT: embedded.kernel_of, MODES: flexible_recursions.kernel_of}

# A law calls `damping_torques`, which a robot specialises only on request.
_LINKED = RECIPES | LAW_RECURSIONS | {'damping_torques': FURTHER_RECIPES['damping_torques']}
#: {recursion: (name, recipe)}. The plant's friction adds to the diagonal of the mass matrix. Its
#: inverse is needed only at stops. The recursion for that is not worth long code.
LINKS = {recipe.recursion: (name, recipe) for name, recipe in _LINKED.items()}
_name, _recipe = LINKS[aba.forward_dynamics]
LINKS[aba.forward_dynamics] = (
    _name,
    replace(_recipe, inputs={**_recipe.inputs, 'diagonal': _recipe.inputs['tau']}),
)


class LinkedKernel:
    """A kernel that calls the recursions of one robot; called like the kernel.

    `kernel` (Kernel): has the machine code.
    `own` (sequence of callable): members of LINKS for which the robot's recorded code runs.
    `coordinates`: kind of coordinates of the robot, see robodyn_ros.compile.robot_code_table.
    """

    def __init__(self, kernel, model, own=(), coordinates=JOINTS):
        functools.update_wrapper(self, kernel.python)
        self.kernel, self.name = kernel, f'{kernel.name} of {model.name}'
        self._model, self._own, self._coordinates = model, own, coordinates

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @functools.cached_property
    def python(self):
        """The plain function, which calls the plain functions of the recursions."""
        if self._coordinates == JOINTS:
            return self.kernel.python
        return rebound(
            self.kernel.python, {each: kernel.python for each, kernel in self.in_place.items()}
        )

    @functools.cached_property
    def compiled(self):
        """The compiled kernel, with the topology that has the address of the table."""
        return self._bound('compiled')

    @functools.cached_property
    def vectorcall(self):
        """`compiled` without the cost of Numba's dispatcher, for hot loops."""
        return self._bound('vectorcall')

    @functools.cached_property
    def _code(self):
        """The table of the robot, whose recordings are compiled here."""
        provide_in_place(self.in_place, self._coordinates)
        found = {each: specialise(self._model, *LINKS[each]) for each in self._own}
        return RobotCodeTable(
            self._model.topology,
            {each: kernels.one for each, kernels in found.items() if kernels},
            self._coordinates,
        )

    @property
    def topology(self):
        """The topology that has the address of the table."""
        return self._code.topology

    @functools.cached_property
    def in_place(self):
        """{recursion: kernel that runs in its place}, of the recursions that the kernel calls."""
        if self._coordinates == JOINTS:
            return {}
        of = KERNEL_OF[self._coordinates]
        found = {each: of(generic_kernel_of(each)) for each in called_by(self.kernel)}
        return {each: kernel for each, kernel in found.items() if kernel is not None}

    def require(self, model):
        """Refuse a robot of another structure, whose arrays this kernel would leave.

        Raises KernelError: if its topology differs.
        """
        if not np.array_equal(self._model.topology, model.topology):
            raise KernelError(
                f'robot {model.name!r}: got the kernel {self.name}; expected one for a robot '
                'with the same joints on the same bodies'
            )

    def _bound(self, attribute):
        """Return an attribute of the kernel, bound to the topology with the table."""
        if not _has_code(self.kernel):  # there are no tables
            plain = self.kernel if self._coordinates == JOINTS else Kernel(self.python, self.name)
            return getattr(plain, attribute)
        return self._code.bound(getattr(self.kernel, attribute))


def code_and_topology(kernel, model, kinds):
    """Return the address of the code of a Kernel or LinkedKernel, and the topology to pass.

    Without the compiler or private parts of Numba, its plain function and the plain topology.

    `kinds` (tuple): types of its arguments.
    Returns `code` (int or callable): the address, or the plain function.
    Returns `topology` (ndarray): the first argument of the code.
    Raises KernelError: if its arguments are others.
    """
    is_linked = isinstance(kernel, LinkedKernel)
    general = kernel.kernel if is_linked else kernel
    if not _has_code(general):
        return kernel.python, model.topology
    return address_of(general, kinds), kernel.topology if is_linked else model.topology


def _has_code(kernel):
    """Return whether a Kernel has machine code with an address."""
    return not MISSING and hasattr(kernel.compiled, 'overloads')


def linked(kernel, model):
    """Return the counterpart of a kernel for one robot, not yet compiled.

    It has the same arguments and results. Calls of recursions of LINKS run the straight-line code
    of `specialise`. Results agree to rounding.
    """
    own = [each for each in called_by(kernel) if each in LINKS]
    if kernel.python in RECURSIONS or not own:
        return over_coordinates(kernel, model, coordinates_of(model))
    return LinkedKernel(kernel, model, own, coordinates_of(model))


def version_for(robot, kernel, general):
    """Return the kernel that a robot runs in place of a given one.

    `robot` (Robot): a robot without code of its own.
    `kernel` (Kernel or LinkedKernel): `general`, or a version of it for a robot of the same
      structure.
    `general` (Kernel): the kernel for any robot, which has a version for the coordinates of each.
    Raises KernelError: if it is a version for a robot of another structure.
    """
    if isinstance(kernel, LinkedKernel):
        kernel.require(robot.model)
    return robot.linked(kernel) if kernel is general else kernel


def over_coordinates(kernel, model, coordinates):
    """Return the counterpart of a kernel for robots with such coordinates, not yet compiled.

    `coordinates`: JOINTS, INDEPENDENT or MODES of robodyn_ros.compile.robot_code_table.
    Returns the kernel itself for joints of a tree, or if it calls no recursion.
    """
    if coordinates == JOINTS:
        return kernel
    found = KERNEL_OF[coordinates](kernel) if kernel.python in RECURSIONS else None
    if found is not None:
        return found
    return LinkedKernel(kernel, model, (), coordinates) if called_by(kernel) else kernel


def coordinates_of(model):
    """Return JOINTS or INDEPENDENT for a model."""
    return INDEPENDENT if model.is_embedded else JOINTS


def called_by(kernel):
    """Return the recursions that a kernel calls, but not those that they call."""
    return recursions_of(kernel.python, _is_no_recursion)


def _is_no_recursion(function):
    return function not in RECURSIONS


def linked_kernels(kernels, model):
    """Return the counterparts of kernels for one robot."""
    found = {kernel: linked(kernel, model) for kernel in dict.fromkeys(kernels)}
    return {kernel: other for kernel, other in found.items() if other is not kernel}
