"""From a tape to Python text that can be read, and compiled."""
from robodyn_ros.kernels.tape import Recorded, needed, operands

HEADER = '''"""{title}

{counts}.
Recorded by robodyn_ros from its {origin}; not meant to be edited.
"""
from math import cos, sin

from robodyn_ros.spatial.types import Matrix, Vector


'''

_FORMATS = {
    'add': '{0} + {1}', 'subtract': '{0} - {1}', 'multiply': '{0} * {1}', 'negate': '-{0}',
    'invert': '1.0 / {0}', 'cos': 'cos({0})', 'sin': 'sin({0})',
    'scale': '{c!r} * {0}', 'shift': '{c!r} + {0}', 'from': '{c!r} - {0}'}


def write(recording):
    """The module of a recording: one function that checks its arguments, computes and stores.

    It returns 0, or -1 where an argument has the wrong length or is not finite, or 1 where a pivot
    is singular; whenever it does not return 0 the output is as it was.
    """
    tape, floors = recording.tape, dict(recording.tape.checks)
    lines = _checks(recording)
    for index in needed(tape, recording.needed()):
        lines.append(f'{_name(tape, index)} = {_expression(tape, index)}')
        if index in floors:
            lines += [f'if not {_name(tape, index)} > {floors[index]!r}:', '    return 1']
    for place, value in recording.results.items():
        told = _name(tape, value.index) if isinstance(value, Recorded) else repr(float(value))
        lines.append(f'{place} = {told}')
    lines.append('return 0')
    arguments = ', '.join(f'{name}: {"Vector" if len(shape) == 1 else "Matrix"}'
                          for name, shape in (recording.inputs | recording.outputs).items())
    counts = ', '.join(f'{number} {what}' for what, number in recording.counts().items())
    return (HEADER.format(title=recording.title, counts=counts, origin=recording.origin)
            + f'def {recording.name}({arguments}):\n    ' + '\n    '.join(lines) + '\n')


def _checks(recording):
    """Statements that refuse arguments of the wrong shape, or that are not finite."""
    shapes = [f'{name}.shape[{axis}] != {size}'
              for name, shape in (recording.inputs | recording.outputs).items()
              for axis, size in enumerate(shape)]
    # zero times a sum is zero unless a term is infinite or not a number
    entries = ' + '.join(node[1] for node in recording.tape.nodes if node[0] == 'input')
    return [f'if {" or ".join(shapes)}:', '    return -1',
            f'if not 0.0 * ({entries}) == 0.0:', '    return -1']


def _expression(tape, index):
    operation, *rest = tape.nodes[index]
    if operation == 'input':
        return rest[0]
    names = [_name(tape, i) for i in operands(tape.nodes[index])]
    return _FORMATS[operation].format(*names, c=rest[0])


def _name(tape, index):
    return tape.names.get(index) or f't{index}'
