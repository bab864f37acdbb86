# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emit a tape as readable Python source, which is compiled."""

import re

from robodyn_ros.codegen.statement_order import steps
from robodyn_ros.codegen.tape import Recorded, operands

MODULE = '''"""{title}

{counts}.
Recorded by robodyn_ros from its {origin}; not meant to be edited.
"""
from math import cos, sin

from robodyn_ros.codegen.emit_llvm import LANES, {imported}straight_line
from robodyn_ros.spatial.types import Block, Integer, Matrix, Stack, Vector

statements = {statements}


def {name}({arguments}):
    {body}


{packed}_one = straight_line({one_state}, outputs={outputs})
_lanes = straight_line({name}, by_lanes=True)


def one({one}):
    """One state."""
    return _one({arguments})


def rows({rows}, first: Integer, last: Integer):
    """Compute states first to last, a multiple of LANES; return last, or the first refused."""
    while first < last and _lanes({arguments}, first) == 0:
        first += LANES
    return first
'''

PACKED = """\
def {name}_of_packs({arguments}):
    {body}


"""

_TYPES = {1: 'Vector', 2: 'Matrix', 3: 'Stack', 4: 'Block'}
_FORMATS = {
    'add': '{0} + {1}',
    'subtract': '{0} - {1}',
    'multiply': '{0} * {1}',
    'negate': '-{0}',
    'invert': '1.0 / {0}',
    'cos': 'cos({0})',
    'sin': 'sin({0})',
    'scale': '{c!r} * {0}',
    'shift': '{c!r} + {0}',
    'from': '{c!r} - {0}',
    'lane': 'lane({0}, {c!r})',
}


def write(recording, packed=None):
    """Return the source of a module with a recorded function.

    The function checks its arguments, computes and stores. Two kernels compile it: `one` for one
    state, `rows` for a batch. It returns 0, or -1 if an argument has the wrong length or is not
    finite, or 1 for a singular pivot. If it does not return 0, the results are unchanged.

    `packed` (Recording): a recording with packs, which `one` then compiles.
    """
    shapes, name = recording.inputs | recording.outputs, recording.name

    def typed(extra):
        return ', '.join(f'{name}: {_TYPES[len(shape) + extra]}' for name, shape in shapes.items())

    return MODULE.format(
        title=_title(recording),
        counts=_counted(recording),
        origin=recording.origin,
        name=name,
        arguments=', '.join(shapes),
        body=_body(recording),
        imported='lane, pack, ' if packed else '',
        packed=(
            PACKED.format(name=name, arguments=', '.join(shapes), body=_body(packed))
            if packed
            else ''
        ),
        one_state=f'{name}_of_packs' if packed else name,
        outputs=len(recording.outputs),
        statements=len(recording.computed),
        one=typed(0),
        rows=typed(1),
    )


def _body(recording):
    """Return the statements of a recording."""
    last = ['return 1'] if recording.singular else _steps(recording)
    return '\n    '.join(_checks(recording) + last)


def _steps(recording):
    """Return the statements that compute, check the pivots and store."""
    tape, lines = recording.tape, []
    for step, what in steps(recording, recording.computed):
        if step == 'compute' and tape.nodes[what][0] == 'constant':
            continue  # written where it is used
        if step == 'compute':
            lines.append(f'{_name(tape, what)} = {_expression(tape, what)}')
        elif step == 'check':
            pivots = ' and '.join(f'{_name(tape, i)} > {floor!r}' for i, floor in tape.checks)
            lines += [f'if not ({pivots}):', '    return 1']
        else:
            place, value = what
            is_node = isinstance(value, Recorded)
            text = _name(tape, value.index) if is_node else repr(float(value))
            lines.append(f'{place} = {text}')
    return [*lines, 'return 0']


def refuse(recording):
    """Return the module of a recording too long to be compiled: a comment, and no kernels."""
    return refuse_unfinished(recording.title, _counted(recording))


def refuse_unfinished(title, length):
    """Return the module of a recording that became too long: a comment, and no kernels.

    `title`: name of the recording.
    `length`: its length in words.
    """
    text = f'{_words(title)}\n\nToo long for straight-line code: {length}.\n'
    return f'"""{text}"""\none = rows = None\n'


def _title(recording):
    """Return the title of a recording, safe in source."""
    return _words(recording.title)


def _words(title):
    """Return a title without special characters, since the source is executed."""
    return re.sub(r'[^\w .,()/-]', '_', title)


def _counted(recording):
    """Return the numbers of operations in words."""
    return ', '.join(f'{number} {what}' for what, number in recording.counts().items())


def _checks(recording):
    """Return statements that refuse arguments of the wrong shape, or that are not finite."""
    shapes = [
        f'{name}.shape[{axis}] != {size}'
        for name, shape in (recording.inputs | recording.outputs).items()
        for axis, size in enumerate(shape)
    ]
    # zero times a sum is zero unless a term is infinite or NaN
    entries = ' + '.join(
        node[1]
        for node in recording.tape.nodes
        if node[0] == 'input' and node[1].partition('[')[0] in recording.inputs
    )
    return [
        f'if {" or ".join(shapes)}:',
        '    return -1',
        f'if not 0.0 * ({entries}) == 0.0:',
        '    return -1',
    ]


def _expression(tape, index):
    """Return the expression of a node."""
    operation, *rest = tape.nodes[index]
    if operation == 'input':
        return rest[0]
    names = [_name(tape, i) for i in operands(tape.nodes[index])]
    if operation == 'pack':
        return f'pack({", ".join(names)})'
    return _FORMATS[operation].format(*names, c=rest[0])


def _name(tape, index):
    """Return the name of the value of a node; a constant itself."""
    if tape.nodes[index][0] == 'constant':
        return repr(tape.nodes[index][1])
    return tape.names.get(index) or f't{index}'
