# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Loops of the recursions over the states of a batch, for any robot; they release the GIL.

All loops share one template, filled in for a kernel of `generic` at its first use. The loop calls
the machine code of the kernel, which compiles faster than a copy of its source.

A loop has the arguments of its kernel. Arrays of states and results get one more axis in front.
The model and the working arrays of SPARE stay as they are. The wrenches f_ext are replaced by
those of m frames: their bodies (m,), their placements (m, 12), and their wrenches (k, m, 6), or
(1, m, 6) for all states. The last two arguments are the first state, and the end of the range. A
loop stops at the first nonzero status, and returns it.
"""

import functools
import hashlib
import inspect
import textwrap

import numpy as np

from robodyn_ros.algorithms.task_space import task_inertia as _task_inertia
from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.compile.source_cache import imported
from robodyn_ros.compile.syntax_tree import returns_a_value
from robodyn_ros.spatial import types
from robodyn_ros.spatial.types import Integer, Matrix, Scalar, Stack, Vector

MODULE = '''"""{name} over the states of a batch.

Written by robodyn_ros; not meant to be edited.
"""
import numpy as np

{imports}
from robodyn_ros.compile.call import called
from robodyn_ros.spatial.types import (
    Block, Boolean, Constant, Flags, Indices, Integer, Matrix, Scalar, Stack, Table, Topology,
    Vector, Work)

{name} = called({kernel})


{head}
    """Return 0, or the first nonzero status among the states from first to last."""
{body}
    return 0
'''

NAMES = {value: name for name, value in vars(types).items() if name.istitle()}
PROMOTED = {Vector: 'Matrix', Matrix: 'Stack', Stack: 'Block'}
#: Arguments that all states share; the kernel only reads them.
SHARED = ('zero', 'diagonal', 'offsets')
#: Working arrays, by kernel. Each thread has its own.
SPARE = {
    'joint_wrenches': ('tau',),
    'centroidal_momentum': ('com',),
    'centroidal_momentum_matrix': ('com',),
    'centroidal_momentum_bias': ('com',),
    'forward_dynamics_factored': ('F', 'bias'),
    'forward_dynamics_dense': ('M', 'bias'),
    'forward_dynamics_derivatives': ('bias', 'wide'),
    'forward_dynamics_second_derivatives': ('negative', 'mixed'),
    'mass_matrix_inverse': ('motions',),
    'task_acceleration': ('qdd',),
    'of_axes': ('damped', 'factor'),
    'inverse_kinematics': ('tried', 'trial', 'step', 'away', 'columns', 'normal', 'residual'),
}


@functools.cache
def of(kernel):
    """Return the loop of a kernel over a batch, not yet compiled.

    `kernel` (Kernel): a kernel of `generic`, or its counterpart over independent coordinates.
    """
    if kernel is generic.task_inertia:
        return task_inertia
    text = _written(kernel, kernel is not getattr(generic, kernel.__name__, None))
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    module = imported(f'rows_of_{kernel.python.__name__}_{digest}', lambda: text)
    return Kernel(module.rows, f'{kernel.name} of batches', has_vectorcall=False, nogil=True)


#: Imports of the source of a loop: for generic kernels, and over independent coordinates.
IMPORTS = (
    'from robodyn_ros.compile import generic\n'
    'from robodyn_ros.algorithms.core.kinematics import load_wrenches'
)
EMBEDDED_IMPORTS = (
    'from robodyn_ros.compile import generic\n'
    'from robodyn_ros.algorithms.constraints.task_space import load_wrenches\n'
    'from robodyn_ros.compile.embedded import kernel_of'
)


def _written(kernel, embedded):
    """Return the source of a loop."""
    function = kernel.python
    name, spares = function.__name__, ('work', *SPARE.get(function.__name__, ()))
    typed, given, before, within = [], [], [], []
    for argument, given_kind in zip(inspect.signature(function).parameters, kernel.signature):
        kind, passed = NAMES[given_kind], argument
        if argument == 'f_ext':
            typed += ['on: Indices', 'where: Table', 'pushes: Stack']
            before.append('f_ext = np.empty((len(topology), 6))')
            within.append(
                'load_wrenches(topology, constants, work, q[k], on, where,\n'
                '              pushes[k % len(pushes)], f_ext)'
            )
        elif argument in spares:
            typed.append(f'{argument}: {kind}')
            before.append(f'{argument} = np.empty_like({argument})')
        else:
            if given_kind in PROMOTED and argument not in SHARED:
                kind, passed = PROMOTED[given_kind], f'{argument}[k]'
            typed.append(f'{argument}: {kind}')
        given.append(passed)
    head = f'def rows({", ".join(typed)}, first: Integer, last: Integer):'
    call = textwrap.fill(f'{name}({", ".join(given)})', 80, subsequent_indent='    ')
    within += (
        [f'status = {call}', 'if status != 0:', '    return status']
        if returns_a_value(function)
        else [call]
    )
    body = [*before, 'for k in range(first, last):', textwrap.indent('\n'.join(within), '    ')]
    return MODULE.format(
        name=name,
        imports=EMBEDDED_IMPORTS if embedded else IMPORTS,
        kernel=f'kernel_of(generic.{name})' if embedded else f'generic.{name}',
        head=textwrap.fill(head, 99, subsequent_indent=9 * ' '),
        body=textwrap.indent('\n'.join(body), '    '),
    )


@functools.partial(Kernel, has_vectorcall=False, nogil=True)
def task_inertia(
    compliance: Stack,
    damping: Scalar,
    inertia: Stack,
    singular_values: Matrix,
    rank: Vector,
    first: Integer,
    last: Integer,
):
    """Compute inertias, singular values and ranks of tasks, without a status.

    `compliance`: inverses of the inertias, for k states and a task of m axes.
    `damping`: damping of the inversion near singularities.
    `inertia`: written: the inertias.
    `singular_values`: written: the singular values of the compliances.
    `rank`: written: the ranks.
    `first`: first state.
    `last`: end of the range of states.
    """
    m = compliance.shape[1]
    spare, vectors = np.empty((m, m)), np.empty((m, m))
    for k in range(first, last):
        rank[k] = _task_inertia.task_inertia(
            compliance[k], damping, spare, vectors, inertia[k], singular_values[k]
        )
    return 0


def kernels_in_use():
    """Return the loops that laws and services call."""
    return [of(kernel) for kernel in generic.SERVING if kernel is not generic.apply_wrench]
