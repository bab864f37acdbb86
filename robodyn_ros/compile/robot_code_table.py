# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of one robot's own code, from kernels for any robot.

The first row of `topology` may have the address of a table (model.layout.CODE). A kernel that
calls a recursion looks there first. So one compiled kernel serves every robot. The table has

    [topology without a table, coordinates, code of each recursion in ARGUMENTS or 0].

`code` is the address of the straight-line code of the robot. Without it, or where it does not
apply, `coordinates` selects the kernel of the recursion. It is over the joints of a tree, over
independent joints, or over joints and modes. The last two kernels get the topology without a
table. So recursions over the tree that they call do run over the tree.
"""

import inspect
from types import FunctionType

import numpy as np
from numba import types
from numba.extending import intrinsic

from robodyn_ros.algorithms.core import aba, coriolis, crba, energy, gravity, rnea
from robodyn_ros.algorithms.mass_matrix import mass_matrix_inverse_world_frame, mass_matrix_solve
from robodyn_ros.algorithms.variants import damping_torques, mixed_dynamics
from robodyn_ros.compile.machine_call import address_of, code_call
from robodyn_ros.compile.syntax_tree import returns_a_value
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
#: Coordinates of a robot: all joints, independent joints, or joints and modes of links.
JOINTS, INDEPENDENT, MODES = range(3)
WITHOUT, COORDINATES, FIRST_CODE = range(3)  # entries of the table

#: Arguments that own code takes as zero, unless they are in its list.
ZEROS = ('f_ext', 'diagonal')

TEMPLATE = """
def {name}({parameters}):
    table = topology[0, {CODE}]
    if table != 0:{own}
        coordinates = entry(table, {COORDINATES})
        if coordinates != {JOINTS}:
            return over(coordinates, entry(table, {WITHOUT}), {parameters})
    return otherwise({parameters})
"""
COPY_TEMPLATE = """
def {name}({parameters}):
    table = topology[0, {CODE}]
    if table != 0 and entry(table, {COORDINATES}) != {JOINTS}:
        raise TypeError('{refusal}')
    return otherwise({parameters})
"""
REFUSAL = (
    '{name}: got an array of another type or layout than annotated, in a kernel for a robot with '
    'dependent joints or flexible links; expected the annotated ones'
)
OWN_TEMPLATE = """
        code = entry(table, {slot})
        if {condition}:
            return{success}"""


class RobotCodeTable:
    """The table of one robot, and its topology with the address of the table.

    `topology` (nb, k): topology of the robot.
    `kernels` (dict): {recursion of ARGUMENTS: Kernel}, compiled here.
    `coordinates`: JOINTS, INDEPENDENT or MODES.
    """

    def __init__(self, topology, kernels, coordinates=JOINTS):
        # The kernels must live as long as their addresses are in use.
        self._given = topology, kernels, coordinates
        # One piece of memory. So whoever has the topology keeps all that its address leads to.
        memory = np.zeros(2 * topology.size + FIRST_CODE + len(ARGUMENTS), np.int64)
        without, own, table = np.split(memory, (topology.size, 2 * topology.size))
        without[:] = own[:] = topology.ravel()
        table[:FIRST_CODE] = without.ctypes.data, coordinates
        for slot, recursion in enumerate(ARGUMENTS, start=FIRST_CODE):
            if recursion in kernels:
                table[slot] = address_of(kernels[recursion], _kinds(recursion))
        own[CODE] = table.ctypes.data  # in the first row
        self.topology = own.reshape(topology.shape)
        self.topology.flags.writeable = False

    def __reduce__(self):
        return type(self), self._given  # the addresses of a copy lead to its own memory

    def bound(self, compiled):
        """Return a function that calls a compiled kernel with this topology.

        `compiled` (callable): a compiled kernel, whose first argument is the topology.
        Returns its first argument is ignored; the others are those of the kernel.
        """

        def call(_, *arguments):
            return compiled(self.topology, *arguments)

        return call


def of_robot(recursion, over, otherwise):
    """Return a function for kernels: the robot's own code for a recursion, or else `otherwise`.

    `recursion` (callable): the recursion. Only those of ARGUMENTS may have own code.
    `over` (callable): called where the coordinates of the robot are not the joints of a tree. Its
      first arguments are the coordinates, and the address of the topology without a table.
    `otherwise` (callable): called in all other cases without own code, or where own code does not
      apply or refuses.
    """
    has_own = recursion in ARGUMENTS
    return _written(
        recursion,
        TEMPLATE,
        {'own': _own(recursion) if has_own else ''},
        over=over,
        otherwise=otherwise,
        all_zero=_all_zero,
        run=code_call(_kinds(recursion)) if has_own else None,
    )


def of_tree(recursion):
    """Return a copy of a recursion for kernels, which refuses robots with other coordinates.

    `recursion` (callable): a recursion over the joints of a tree.
    """
    copy = FunctionType(recursion.__code__, recursion.__globals__, recursion.__name__)
    refusal = REFUSAL.format(name=recursion.__name__)
    return _written(recursion, COPY_TEMPLATE, {'refusal': refusal}, otherwise=primitive(copy))


def _written(recursion, text, inserted, **space):
    """Return the function that a template gives for a recursion, with the names in `space`."""
    text = text.format(
        name=recursion.__name__,
        parameters=', '.join(inspect.signature(recursion).parameters),
        CODE=CODE,
        COORDINATES=COORDINATES,
        JOINTS=JOINTS,
        WITHOUT=WITHOUT,
        **inserted,
    )
    space['entry'] = _entry
    exec(text, space)
    return space[recursion.__name__]


def _own(recursion):
    """Return the lines of the template that run the robot's own code."""
    given, parameters = ARGUMENTS[recursion], inspect.signature(recursion).parameters
    call = f'run(code, {", ".join(given)}) == 0'
    zeros = [f'all_zero({each})' for each in ZEROS if each in parameters and each not in given]
    return OWN_TEMPLATE.format(
        slot=FIRST_CODE + list(ARGUMENTS).index(recursion),
        condition=' and '.join(('code != 0', *zeros, call)),
        success=' 0' if returns_a_value(recursion) else '',
    )


@primitive
def _all_zero(array):
    """Return whether all entries are zero."""
    for entry in array.flat:
        if not entry == 0.0:
            return False
    return True


def _kinds(recursion):
    """Return the types of the arguments of the own code for a recursion."""
    parameters = inspect.signature(recursion).parameters
    return tuple(parameters[name].annotation for name in ARGUMENTS[recursion])


@intrinsic
def _entry(_context, table, slot):
    """Return an entry of the table at an address."""

    def emit(_context, builder, _signature, arguments):
        table, slot = arguments
        first = builder.inttoptr(table, table.type.as_pointer())
        return builder.load(builder.gep(first, [slot]))

    return types.int64(types.int64, types.int64), emit
