# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of one robot's straight-line code, from kernels for any robot.

The first row of `topology` may have the address of a table (model.layout.CODE). The table has the
addresses of the robot's code for the recursions in ARGUMENTS, or zeros. A kernel that calls such a
recursion looks there first. So one compiled kernel serves every robot, at the speed of its code.
"""

import functools
import inspect

import numpy as np
from numba import types
from numba.extending import intrinsic

from robodyn_ros.algorithms.core import aba, coriolis, crba, energy, gravity, rnea
from robodyn_ros.algorithms.mass_matrix import mass_matrix_inverse_world_frame, mass_matrix_solve
from robodyn_ros.algorithms.variants import damping_torques, mixed_dynamics
from robodyn_ros.compile.machine_call import emit_call, machine_code, named_intrinsic
from robodyn_ros.compile.syntax_tree import returns_a_value
from robodyn_ros.errors import KernelError
from robodyn_ros.model.layout import CODE
from robodyn_ros.spatial.primitive import primitive

#: Recursions that a robot's own code may replace, and the arguments of that code.
ARGUMENTS = {
    rnea.inverse_dynamics: ('q', 'qd', 'qdd', 'tau'),
    rnea.bias_torque: ('q', 'qd', 'tau'),
    gravity.gravity_torque: ('q', 'tau'),
    crba.mass_matrix: ('q', 'M'),
    mass_matrix_inverse_world_frame.mass_matrix_inverse: ('q', 'inverse'),
    mass_matrix_solve.mass_solve: ('q', 'b', 'x'),
    aba.forward_dynamics: ('q', 'qd', 'tau', 'diagonal', 'qdd'),
    coriolis.coriolis_matrix: ('q', 'qd', 'C'),
    energy.energy: ('q', 'qd', 'energies'),
    mixed_dynamics.mixed_dynamics: ('q', 'qd', 'free', 'known', 'tau', 'qdd'),
    damping_torques.damping_torques: ('q', 'qd', 'rates', 'damping', 'coriolis'),
}
#: Arguments that are zero in that code, unless it takes them.
ZEROS = ('f_ext', 'diagonal')

TEXT = """
def {name}({parameters}):
    table = topology[0, {CODE}]
    if table != 0:
        code = entry(table, {slot})
        if {condition}:
            return{success}
    return otherwise({parameters})
"""


class OwnCode:
    """The table of one robot's code, and its topology with the address of the table.

    topology : that of the robot. kernels : {recursion of ARGUMENTS: Kernel}, compiled here.
    """

    def __init__(self, topology, kernels):
        self._kernels = kernels  # must live as long as their addresses are in use
        self._table = np.zeros(len(ARGUMENTS), np.int64)
        for slot, recursion in enumerate(ARGUMENTS):
            if recursion in kernels:
                self._table[slot] = _address(kernels[recursion], _kinds(recursion))
        self.topology = topology.copy()
        self.topology[0, CODE] = self._table.ctypes.data
        self.topology.flags.writeable = False

    def bound(self, compiled):
        """Return a function that calls a compiled kernel with this topology."""

        def call(_, *arguments):
            return compiled(self.topology, *arguments)

        return call


def or_own_code(recursion, otherwise):
    """Return a function for kernels: the robot's own code for a recursion, or else `otherwise`.

    `otherwise` runs too where the code does not apply, or refuses.
    """
    parameters = tuple(inspect.signature(recursion).parameters)
    given = ARGUMENTS[recursion]
    call = f'run(code, {", ".join(given)}) == 0'
    zeros = [f'nothing({each})' for each in ZEROS if each in parameters and each not in given]
    text = TEXT.format(
        name=recursion.__name__,
        parameters=', '.join(parameters),
        CODE=CODE,
        slot=list(ARGUMENTS).index(recursion),
        condition=' and '.join(('code != 0', *zeros, call)),
        success=' 0' if returns_a_value(recursion) else '',
    )
    space = {
        'entry': _entry,
        'nothing': _nothing,
        'run': _run(_kinds(recursion)),
        'otherwise': otherwise,
    }
    exec(text, space)
    return space[recursion.__name__]


@primitive
def _nothing(array):
    """Return whether all entries are zero."""
    for entry in array.flat:
        if not entry == 0.0:
            return False
    return True


def _kinds(recursion):
    """Return the types of the arguments of own code."""
    parameters = inspect.signature(recursion).parameters
    return tuple(parameters[name].annotation for name in ARGUMENTS[recursion])


def _address(kernel, kinds):
    """Return the address of the machine code of a kernel of these arguments."""
    if kernel.signature != kinds:
        raise KernelError(
            f'kernel {kernel.name}: got arguments of types {kernel.signature}; expected {kinds}'
        )
    _, address = machine_code(kernel)
    return address


@intrinsic
def _entry(_context, table, slot):
    """Return an entry of the table at an address."""

    def emit(_context, builder, _signature, arguments):
        table, slot = arguments
        first = builder.inttoptr(table, table.type.as_pointer())
        return builder.load(builder.gep(first, [slot]))

    return types.int64(types.int64, types.int64), emit


@functools.cache
def _run(kinds):
    """Return a function that calls code at an address; its result is a status."""

    def emit(context, builder, _signature, arguments):
        address, *given = arguments
        pointer = context.call_conv.get_function_type(types.int64, kinds).as_pointer()
        code = builder.inttoptr(address, pointer)
        return emit_call(context, builder, code, types.int64, kinds, given)

    names = ('code', *(f'argument_{k}' for k in range(len(kinds))))
    return named_intrinsic(names, lambda _context, *_: (types.int64(types.int64, *kinds), emit))
