# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emit a recording as a function in C99 or C++17.

The code has the operations and constants of the tape. It has no heap, no mutable data, and no
branches except the checks of the status.
"""

import math
import re
import textwrap
from dataclasses import dataclass

import numpy as np

from robodyn_ros.codegen.statement_order import ordered, products_of_pairs, steps
from robodyn_ros.codegen.tape import Recorded, needed, operands

#: Return values of a function.
STATUS = {'OK': 0, 'NOT_FINITE': -1, 'SINGULAR': 1}
#: The trigonometric routine gets a multiple of this number of angles, for vectorisation.
PACKED = 4
#: Neighbours of an argument that are summed side by side.
SIDE = 4
#: Numbers that a function passes on at most.
MOST_PASSED = 64
COLUMNS = 96
_FORMATS = {
    'add': '{0} + {1}',
    'subtract': '{0} - {1}',
    'multiply': '{0} * {1}',
    'negate': '-{0}',
    'invert': '{one} / {0}',
    'scale': '{c} * {0}',
    'shift': '{c} + {0}',
    'from': '{c} - {0}',
}


@dataclass(frozen=True)
class Style:
    """Style of the emitted code.

    `prefix`: first part of every public name in C, the namespace in C++.
    `language`: 'c' for C99 or 'c++' for C++17.
    `real`: 'double' or 'float'.
    `lanes`: states of one call: 1, or 4 or 8 in vector registers of GCC and Clang. With several,
      entry k of state i is at [lanes k + i] of each array.
    """

    prefix: str
    language: str = 'c'
    real: str = 'double'
    lanes: int = 1

    @property
    def is_c(self):
        """Whether the language is C."""
        return self.language == 'c'

    @property
    def restrict(self):
        """The keyword of pointers that do not overlap."""
        return 'restrict' if self.is_c else '__restrict'

    @property
    def variable(self):
        """The type of a value: one number, or one for each lane."""
        return self.real if self.lanes == 1 else self.own(f'x{self.lanes}')

    def number(self, value):
        """Return a number as a literal of full precision.

        `value`: the number.
        """
        if self.real == 'double':
            return repr(float(value))
        return f'{float(np.float32(value))!r}f'

    def constant(self, name):
        """Return the public name of a constant.

        `name`: its name without prefix, such as that of a status.
        """
        return f'{self.prefix.upper()}_{name}'

    @property
    def suffix(self) -> str:
        """The ending of the names of functions of several states."""
        return '' if self.lanes == 1 else f'_x{self.lanes}'

    def function(self, name):
        """Return the public name of a function.

        `name`: its name without prefix.
        """
        return self.own(name + self.suffix)

    def own(self, name):
        """Return the name of an internal symbol of the package.

        `name`: its name without prefix.
        """
        return f'{self.prefix}_{name}' if self.is_c else name

    def load(self, array, place):
        """Return the expression of an entry, in all lanes.

        `array`: name of the array.
        `place`: index of the entry, an expression.
        """
        if self.lanes == 1:
            return f'{array}[{place}]'
        return f'{self.constant(f"LOAD_X{self.lanes}")}({array}, {place})'

    def store(self, array, place, value):
        """Return the statement that writes an entry, in all lanes.

        `array`: name of the array.
        `place`: index of the entry, an expression.
        `value`: the value, an expression.
        """
        if self.lanes == 1:
            return f'{array}[{place}] = {value};'
        return f'{self.constant(f"STORE_X{self.lanes}")}({array}, {place}, {value});'


def identifier(text):
    """Return a text as a part of a C identifier.

    `text`: any text.
    """
    return re.sub(r'\W', '_', text, flags=re.ASCII)


def comment(text, indent=''):
    """Return a comment; ends of comments and characters beyond ASCII are replaced.

    `text`: any text.
    `indent`: spaces before the comment.
    """
    plain = text.encode('ascii', 'replace').decode().replace('*/', '* /').replace('/*', '/ *')
    plain = plain.replace('\\', '/')
    return f'{indent}/* {plain} */'


def declaration(recording, name, style, restrict=None):
    """Return the declaration of the function of a recording, without a semicolon.

    `name`: name of the function, before the style gives it a prefix.
    `restrict`: a keyword in place of the style's, such as a macro.
    """
    restrict = restrict or style.restrict
    pointers = [f'const {style.real} *{restrict} {argument}' for argument in recording.inputs]
    pointers += [f'{style.real} *{restrict} {argument}' for argument in recording.outputs]
    head = f'int {style.function(name)}('
    line = head + ', '.join(pointers) + ')'
    if len(line) > COLUMNS:
        line = head + '\n    ' + ',\n    '.join(pointers) + ')'
    return line if style.is_c else f'{line} noexcept'


def definition(recording, name, style, bodies):
    """Return the function of a recording.

    It returns OK, NOT_FINITE for an infinite or NaN argument, or SINGULAR for a singular pivot.
    Unless it returns OK the results do not change.

    `name`: name of the function, before the style gives it a prefix.
    `bodies` (sequence of str): names of the bodies, for comments.
    """
    printer = _Printer(recording, style, bodies)
    lines = [f'    {line}' if line else '' for line in printer.body()]
    if not checks_last(recording, style):
        return '\n'.join([declaration(recording, name, style), '{', *lines, '}', ''])
    inner = f'{name}_computed'
    head = f'static {style.constant("NOINLINE")} {declaration(recording, inner, style)}'
    return '\n'.join([head, '{', *lines, '}', '', *_checked(recording, name, inner, style)])


def checks_last(recording, style):
    """Return whether the check of pivots is left to a function that passes on the results.

    Many results would take longer to pass on than a branch costs.
    """
    numbers = sum(map(math.prod, recording.outputs.values()))
    return bool(
        style.lanes == 1
        and recording.tape.checks
        and not recording.singular
        and numbers <= MOST_PASSED
    )


def _checked(recording, name, inner, style):
    """Yield the lines of a function that passes on the results of another one, if it returns OK.

    So the other one has no branch behind the check of its arguments, and gcc needs fewer copies of
    values.
    """
    given = ', '.join((*recording.inputs, *(f'new_{result}' for result in recording.outputs)))
    yield from (declaration(recording, name, style), '{')
    for result, shape in recording.outputs.items():
        yield f'    {style.real} new_{result}[{math.prod(shape)}];'
    yield f'    const int status = {style.function(inner)}({given});'
    yield f'    if (status == {style.constant("OK")}) {{'
    for result in recording.outputs:
        yield f'        memcpy({result}, new_{result}, sizeof new_{result});'
    yield from ('    }', '    return status;', '}', '')


class _Printer:
    """Writes the statements of one recording."""

    def __init__(self, recording, style, bodies):
        self.recording, self.style, self.bodies = recording, style, bodies
        self.tape = recording.tape
        self.shapes = recording.inputs | recording.outputs
        self.angles, self.tangents, self.place = {}, {}, {}
        self.checks_last = checks_last(recording, style)
        self.rounded = set()
        if style.lanes == 1:
            self.rounded = products_of_pairs(self.tape, recording.computed, recording.needed())

    def body(self):
        """Yield the lines of the function.

        Cosines and sines take longest, so they come first. They are defined for all arguments.
        """
        if self.style.lanes > 1:
            yield from self.loads()
        if self.recording.singular:
            yield from self.finite()
            yield from ('(void)' + name + ';' for name in self.recording.outputs)
            yield f'return {self.style.constant("SINGULAR")};'
            return
        order = ordered(self.tape, self.recording.needed())
        yield from self.trigonometry(order)
        yield from self.finite()
        yield from self.statements(order)
        ok = self.style.constant('OK')
        if self.checks_last:
            ok = f'regular ? {ok} : {self.style.constant("SINGULAR")}'
        yield f'return {ok};'

    def finite(self):
        """Yield statements that refuse arguments that are not finite.

        Zero times a sum is zero only if every term is finite. The sum is balanced: one term after
        the other would keep later operations waiting. Sums of neighbours fill a vector register.
        """
        style, zero = self.style, self.style.number(0.0)
        blocks, others = self.terms()
        joined = _folded(_balanced_sum(others), '\n        ') if others else ''
        if blocks:
            yield f'{style.real} part[{SIDE}];'
            yield f'for (int k = 0; k < {SIDE}; ++k) {{'
            yield f'    part[k] = {_folded(_balanced_sum(blocks), chr(10) + " " * 12)};'
            yield '}'
            parts = _balanced_sum([f'part[{k}]' for k in range(SIDE)])
            joined = f'({parts}) + ({joined})' if joined else parts
        yield f'const {style.variable} sum = {joined};'
        yield from self.refused([(f'{zero} * sum', '==', zero)], 'NOT_FINITE')

    def inputs(self):
        """Return the nodes of all entries of the arguments."""
        return [
            index for index, node in enumerate(self.tape.nodes)
            if node[0] == 'input' and node[1].partition('[')[0] in self.recording.inputs
        ]  # fmt: skip

    def loads(self):
        """Yield statements that load the arguments of all lanes."""
        for index in self.inputs():
            place = self.style.load(*self.entry(self.tape.nodes[index][1]))
            yield f'const {self.style.variable} {self.value(index)} = {place};'

    def terms(self):
        """Return terms that hold SIDE neighbours from entry k on, and terms of single entries.

        An argument of less than two times SIDE entries has single ones. The last neighbours of an
        argument may be among those before.
        """
        sizes = {name: math.prod(shape) for name, shape in self.recording.inputs.items()}
        if self.style.lanes > 1:
            return [], [*map(self.value, self.inputs())]
        blocks, others = [], []
        for name, size in sizes.items():
            if size < 2 * SIDE:
                others += [f'{name}[{k}]' for k in range(size)]
                continue
            starts = sorted({*range(0, size - SIDE, SIDE), size - SIDE})
            blocks += [f'{name}[k + {start}]' if start else f'{name}[k]' for start in starts]
        return blocks, others

    def refused(self, tests, status):
        """Yield statements that return a status unless all tests hold in every lane.

        A test is (value, operator, constant).
        """
        style = self.style
        if style.lanes == 1:
            yield from (f'if (!({_all(tests)})) {{', f'    return {style.constant(status)};', '}')
            return
        yield f'for (int lane = 0; lane < {style.lanes}; ++lane) {{'
        for value, sign, constant in tests:
            yield f'    if (!(({value})[lane] {sign} {constant})) {{'
            yield f'        return {style.constant(status)};'
            yield '    }'
        yield '}'

    def trigonometry(self, order):
        """Yield statements that compute all cosines and sines at once, then the hyperbolic
        tangents.

        Angles that depend on a cosine or sine follow in further stages.
        """
        stages, slopes = (self.stages(order, kinds) for kinds in (_CIRCULAR, _HYPERBOLIC))
        for k, stage in enumerate(stages or [[]]):
            shifts = self.shifts(stage)
            given = [operands(self.tape.nodes[i])[0] if i in shifts else i for i in stage]
            yield from self.before(given + (slopes[0] if slopes and not k else []))
            arrays = [f'{name}_{k + 1}' if k else name for name in ('angle', 'cosine', 'sine')]
            stage = self.in_registers(stage)
            self.angles |= {
                index: dict(zip(_CIRCULAR, ((array, at) for array in arrays[1:])))
                for at, index in enumerate(stage)
            }
            if stage:
                yield from self.functions('cosines_and_sines', stage, arrays, shifts)
        for k, stage in enumerate(slopes):
            yield from self.before(stage)
            arrays = [f'{name}_{k + 1}' if k else name for name in ('slope', 'tangent')]
            self.tangents |= {index: (arrays[1], at) for at, index in enumerate(stage)}
            yield from self.functions('hyperbolic_tangents', stage, arrays)

    def in_registers(self, stage):
        """Return angles for whole registers: the last one begins with angles of that before it.

        So all are loaded as they are in memory. A register that is put together waits for that.
        """
        rest = len(stage) % PACKED
        if self.style.lanes > 1 or not rest or len(stage) < PACKED:
            return stage
        return stage[:-rest] + stage[-PACKED:]

    def shifts(self, stage):
        """Return {angle: constant} of angles that are a position plus a constant.

        The routine of angles adds whole registers of constants. So it loads positions as they are
        in memory, and needs no statement of each sum.
        """
        nodes = self.tape.nodes
        if self.style.lanes > 1:
            return {}
        found = {
            index: nodes[index][1]
            for index in stage
            if nodes[index][0] == 'shift' and nodes[nodes[index][2]][0] == 'input'
        }
        elsewhere = {
            operand
            for index in self.recording.computed
            if nodes[index][0] not in _CIRCULAR
            for operand in operands(nodes[index])
        }.union(self.recording.needed())
        self.place |= dict.fromkeys(found.keys() - elsewhere)
        return found

    def before(self, arguments):
        """Yield the statements of the values that arguments of functions depend on."""
        for index in needed(self.tape, arguments):
            if self.tape.nodes[index][0] != 'input' and index not in self.place:
                yield self.assignment(index)
                self.place[index] = None

    def stages(self, order, kinds):
        """Return the arguments of functions of some kinds, by how deeply these are nested."""
        nodes, depth = self.tape.nodes, {}
        for index in self.recording.computed:
            depth[index] = max((depth[i] for i in operands(nodes[index])), default=0)
            depth[index] += nodes[index][0] in kinds
        arguments = list(dict.fromkeys(nodes[i][1] for i in order if nodes[i][0] in kinds))
        return [
            [i for i in arguments if depth[i] == k] for k in sorted({depth[i] for i in arguments})
        ]

    def functions(self, routine, nodes, arrays, shifts=None):
        """Yield a call of a routine of the package, for the values of some nodes.

        Its first array has the arguments, the others the results. The routine of angles gets
        shifts, too: of angles with a shift it is given the operand.
        """
        style, known = self.style, shifts or {}
        given = [self.value(operands(self.tape.nodes[i])[-1] if i in known else i) for i in nodes]
        added = [known.get(i, -0.0) for i in nodes]
        if style.lanes == 1:
            added += [-0.0] * (-len(given) % PACKED)
            given += [style.number(0.0)] * (-len(given) % PACKED)
        size = len(given) * style.lanes
        for name in arrays:
            yield f'{style.real} {name}[{size}];'
        yield from (style.store(arrays[0], k, value) for k, value in enumerate(given))
        passed = [str(size), *arrays]
        if shifts is not None:
            passed.insert(2, 'NULL')
        if known:
            passed[2] = f'{arrays[0]}_shift'
            listed = _folded(', '.join(map(style.number, added)), '\n        ')
            yield f'static const {style.real} {passed[2]}[{size}] = {{\n        {listed}}};'
        yield f'{style.own(routine)}({", ".join(passed)});'

    def statements(self, order):
        """Yield statements that compute, check the pivots and store."""
        tape, style, body = self.tape, self.style, None
        for step, what in steps(self.recording, order):
            if step == 'check':
                tests = [(self.value(i), '>', style.number(floor)) for i, floor in tape.checks]
                if self.checks_last:
                    yield f'const int regular = {_all(tests)};'
                else:
                    yield from self.refused(tests, 'SINGULAR')
            elif step == 'store':
                place, value = what
                if isinstance(value, Recorded):
                    text = self.value(value.index)
                else:  # the same in every lane
                    text = style.number(value) + ' + 0.0 * sum' * (style.lanes > 1)
                yield style.store(*self.entry(place), text)
            elif what not in self.place and tape.nodes[what][0] != 'input':
                named = self.body_of(what)
                if named not in (None, body):
                    body = named
                    yield comment(self.bodies[body])
                yield self.assignment(what)

    def body_of(self, index):
        """Return the number of the body of a named value, else None."""
        found = _NAMED.search(self.tape.names.get(index, ''))
        return int(found[1]) if found and int(found[1]) < len(self.bodies) else None

    def assignment(self, index):
        """Return the statement of one node."""
        operation, *rest = self.tape.nodes[index]
        if operation in _CIRCULAR:
            text = self.style.load(*self.angles[rest[0]][operation])
        elif operation in _HYPERBOLIC:
            text = self.style.load(*self.tangents[rest[0]])
        else:
            values = [self.value(i) for i in operands(self.tape.nodes[index])]
            constant = self.style.number(rest[0]) if isinstance(rest[0], float) else None
            text = _FORMATS[operation].format(*values, c=constant, one=self.style.number(1.0))
        statement = f'{self.style.variable} {self.name(index)} = {text};'
        if index in self.rounded:
            return f'{statement}\n    {self.style.constant("ROUNDED")}({self.name(index)});'
        return f'const {statement}'

    def name(self, index):
        """Return the name of a node's value."""
        return self.tape.names.get(index) or f't{index}'

    def value(self, index):
        """Return the expression of a node."""
        operation, *rest = self.tape.nodes[index]
        if operation != 'input':
            return self.name(index)
        if self.style.lanes > 1:
            return identifier(rest[0].rstrip(']').replace(', ', '_'))
        return self.style.load(*self.entry(rest[0]))

    def entry(self, text):
        """Return the array of an entry, 'M[0, 1]', and its flat index."""
        argument, _, places = text.rstrip(']').partition('[')
        shape, strides = self.shapes[argument], [1]
        for size in reversed(shape[1:]):
            strides.insert(0, strides[0] * size)
        terms = [
            f'{stride} * {place}' if stride > 1 else place
            for stride, place in zip(strides, places.split(', '))
        ]
        return argument, ' + '.join(terms)


def _all(tests):
    """Return whether all tests hold, as an expression without branches."""
    return '\n      & '.join(f'({" ".join(test)})' for test in tests)


def _balanced_sum(terms):
    """Return the sum of some terms as an expression whose depth is logarithmic."""
    sums = [' + '.join(terms[k : k + 2]) for k in range(0, len(terms), 2)]
    return sums[0] if len(sums) < 2 else _balanced_sum([f'({each})' for each in sums])


def _folded(text, between):
    """Return a long expression on several lines."""
    lines = textwrap.wrap(text, COLUMNS - 12, break_long_words=False, break_on_hyphens=False)
    return between.join(lines)


_CIRCULAR = ('cos', 'sin')
_HYPERBOLIC = ('tanh',)
_NAMED = re.compile(r'_(\d+)_\d+_\d+$')
