# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Recording scalars: a recursion that runs on them records its arithmetic for one robot.

Constants are folded, zeros and ones removed, signs moved outwards, and equal expressions share a
node. So the tape has only the operations that this robot needs.
"""

import contextlib
import contextvars
import math
import struct
import time

#: Units in the last place within which a constant equals an earlier one. Products of the same
#: numbers in another order differ by two or three.
CLOSE = 8
#: Nodes between checks of the limits.
CHECKED_EVERY = 256

#: Nodes of a tape and clock time [s] beyond which recording stops.
_limits = contextvars.ContextVar('limits', default=(math.inf, math.inf))


class RecordingTooLong(Exception):
    """The tape has more nodes than are allowed."""


class RecordingTooSlow(Exception):
    """Recording takes longer than is allowed on this machine."""


@contextlib.contextmanager
def limited(nodes, seconds):
    """Limit the nodes of each new tape, and the total time [s], while entered."""
    token = _limits.set((nodes, time.monotonic() + seconds))
    try:
        yield
    finally:
        _limits.reset(token)


class Tape:
    """Nodes of a directed acyclic graph of arithmetic, in the order of their recording.

    A node is (operation, operands). Operands are numbers of earlier nodes. The factor of a 'scale'
    and the constant of a 'shift' are floats. `values` are the scalars of the nodes. `checks` are
    the comparisons of recorded values: (node, floor) pairs. The tape is valid for states with node
    > floor.
    """

    def __init__(self):
        self.nodes, self.values = [], []
        self.names = {}
        self.checks = []
        self._known = {}
        self._constants = {_place(1.0) // CLOSE: 1.0}
        self._most, self._deadline = _limits.get()

    def input(self, name):
        """Return a new input of the tape, such as 'q[0]'."""
        return self._node('input', name)

    def _node(self, operation, *operands):
        key = (operation, *operands)
        known = self._known.get(key)
        return self._new(key) if known is None else known

    def _new(self, key):
        positive = self.values[key[1]] if key[0] == 'negate' else None
        value = Recorded(self, len(self.nodes), positive)
        self.nodes.append(key)
        self.values.append(value)
        self._known[key] = value
        if not len(self.nodes) % CHECKED_EVERY:
            self._check_limits()
        return value

    def _check_limits(self):
        if len(self.nodes) > self._most:
            raise RecordingTooLong
        if time.monotonic() > self._deadline:
            raise RecordingTooSlow

    def add(self, a, b):
        """Return a + b, for recorded a and b."""
        a_turned, b_turned = a.positive, b.positive
        if a_turned is not None and b_turned is not None:
            return -self.add(a_turned, b_turned)
        if b_turned is not None:
            return self.subtract(a, b_turned)
        if a_turned is not None:
            return self.subtract(b, a_turned)
        common = self._common(a, b)
        if common is not None:
            x, y, c = common
            return c * (x + y)
        for x, y in ((a, b), (b, a)):
            node = self.nodes[y.index]
            if node[0] == 'subtract' and node[2] == x.index:  # x + (z - x)
                return self.values[node[1]]
        return self._node('add', *_in_order(a, b))

    def subtract(self, a, b):
        """Return a - b, for recorded a and b."""
        if a.index == b.index:
            return 0.0
        a_turned, b_turned = a.positive, b.positive
        if b_turned is not None:
            return self.add(a, b_turned)
        if a_turned is not None:
            return -self.add(a_turned, b)
        common = self._common(a, b)
        if common is not None:
            x, y, c = common
            return c * (x - y)
        rest = self._cancelled(a, b)
        if rest is not None:
            return rest
        if a.index > b.index:  # one node for a - b and b - a
            return -self._node('subtract', b.index, a.index)
        return self._node('subtract', a.index, b.index)

    def _common(self, a, b):
        """Return (x, y, c) with a = c x and b = c y for a common constant factor c, else None.

        It saves a multiplication, as products with constants are rarely used twice.
        """
        left, right = self.nodes[a.index], self.nodes[b.index]
        if not left[0] == right[0] == 'scale':
            return None
        (_, c, x), (_, d, y) = left, right
        if c == d:
            return self.values[x], self.values[y], c
        return (c, d, self.values[x]) if x == y else None

    def _cancelled(self, a, b):
        """Return a - b if one is a sum or difference with the other in it, else None."""
        left, right = self.nodes[a.index], self.nodes[b.index]
        if left[0] == 'add' and b.index in left[1:]:  # (z + b) - b
            return self.values[left[2] if left[1] == b.index else left[1]]
        if right[0] == 'add' and a.index in right[1:]:  # a - (z + a)
            return -self.values[right[2] if right[1] == a.index else right[1]]
        if right[0] == 'subtract' and right[1] == a.index:  # a - (a - z)
            return self.values[right[2]]
        if left[0] == 'subtract' and left[1] == b.index:  # (b - z) - b
            return -self.values[left[2]]
        return None

    def multiply(self, a, b):
        """Return a b, for recorded a and b."""
        a_turned, b_turned = a.positive, b.positive
        if a_turned is not None or b_turned is not None:
            product = self.multiply(
                a if a_turned is None else a_turned, b if b_turned is None else b_turned
            )
            return product if (a_turned is None) == (b_turned is None) else -product
        return self._node('multiply', *_in_order(a, b))

    def scale(self, factor, a):
        """Return factor a, for a float and a recorded a."""
        if factor == 0.0:
            return 0.0
        turned = a.positive
        if turned is not None:
            return self.scale(-factor, turned)
        if factor < 0.0:
            return -self.scale(-factor, a)
        factor = self._constant(factor)
        if factor == 1.0:
            return a
        node = self.nodes[a.index]
        if node[0] == 'scale':
            return self.scale(factor * node[1], self.values[node[2]])
        return self._node('scale', factor, a.index)

    def shift(self, constant, a):
        """Return constant + a, for a float and a recorded a."""
        if constant == 0.0:
            return a
        constant = math.copysign(self._constant(abs(constant)), constant)
        turned = a.positive
        if turned is not None:
            return self._node('from', constant, turned.index)
        return self._node('shift', constant, a.index)

    def _constant(self, value):
        """Return the constant that represents a positive value: 1, a close one, or itself."""
        place = _place(value)
        for bucket in (place // CLOSE, place // CLOSE - 1, place // CLOSE + 1):
            known = self._constants.get(bucket)
            if known is not None and abs(_place(known) - place) <= CLOSE:
                return known
        return self._constants.setdefault(place // CLOSE, value)


def _in_order(a, b):
    return (a.index, b.index) if a.index < b.index else (b.index, a.index)


def _place(value):
    """Return the index of a positive number in the sequence of all doubles."""
    return _INTEGER.unpack(_DOUBLE.pack(value))[0]


_DOUBLE, _INTEGER = struct.Struct('<d'), struct.Struct('<q')


class Recorded:
    """A scalar that is a node of a tape; `positive` is x if this is -x, else None."""

    __slots__ = ('index', 'positive', 'tape')

    def __init__(self, tape, index, positive):
        self.tape, self.index, self.positive = tape, index, positive

    def __neg__(self):
        turned = self.positive
        return self.tape._node('negate', self.index) if turned is None else turned

    def __add__(self, other):
        if isinstance(other, Recorded):
            return self.tape.add(self, other)
        return self.tape.shift(float(other), self)

    def __sub__(self, other):
        if isinstance(other, Recorded):
            return self.tape.subtract(self, other)
        return self.tape.shift(-float(other), self)

    def __rsub__(self, other):
        return self.tape.shift(float(other), -self)

    def __mul__(self, other):
        if isinstance(other, Recorded):
            return self.tape.multiply(self, other)
        return self.tape.scale(float(other), self)

    def __truediv__(self, other):
        if isinstance(other, Recorded):
            return self * (1.0 / other)
        return self.tape.scale(1.0 / float(other), self)

    def __rtruediv__(self, other):
        turned = self.positive
        if turned is not None:
            return -(other / turned)
        return self.tape.scale(float(other), self.tape._node('invert', self.index))

    __radd__, __rmul__ = __add__, __mul__

    def __gt__(self, floor):
        """Return True and record the comparison, which the generated code checks at run time."""
        self.tape.checks.append((self.index, float(floor)))
        return True

    def cos(self):
        """Return cos x; numpy's cos calls it."""
        quarters, rest = self._quarter_turns()
        if quarters % 2:
            turned = rest._plain_sin()
            return -turned if quarters == 1 else turned
        return -rest._plain_cos() if quarters == 2 else rest._plain_cos()

    def sin(self):
        """Return sin x; numpy's sin calls it."""
        quarters, rest = self._quarter_turns()
        turned = rest._plain_cos() if quarters % 2 else rest._plain_sin()
        return -turned if quarters >= 2 else turned

    def tanh(self):
        """Return tanh x; numpy's tanh calls it."""
        turned = self.positive
        return self.tape._node('tanh', self.index) if turned is None else -turned.tanh()

    def _quarter_turns(self):
        """Return (k, y) with this = k pi/2 + y, k from 0 to 3: constant quarter turns are free."""
        operation, *rest = self.tape.nodes[self.index]
        if operation == 'shift':
            quarters = round(rest[0] / (0.5 * math.pi))
            if abs(rest[0] - quarters * 0.5 * math.pi) < 1e-12:
                return quarters % 4, self.tape.values[rest[1]]
        return 0, self

    def _plain_cos(self):
        turned = self.positive
        return self.tape._node('cos', (self if turned is None else turned).index)

    def _plain_sin(self):
        turned = self.positive
        return self.tape._node('sin', self.index) if turned is None else -turned._plain_sin()


def count(tape, outputs):
    """Return the numbers of operations of the nodes `outputs`, by kind.

    The kinds are 'multiplications', 'additions', 'divisions' and 'trigonometric'.

    A subtraction counts as an addition. A change of sign is free, because the user of the value
    absorbs it.
    """
    kinds = {
        'add': 'additions',
        'subtract': 'additions',
        'shift': 'additions',
        'from': 'additions',
        'multiply': 'multiplications',
        'scale': 'multiplications',
        'invert': 'divisions',
        'cos': 'trigonometric',
        'sin': 'trigonometric',
        'tanh': 'trigonometric',
    }
    counts = dict.fromkeys(('multiplications', 'additions', 'divisions', 'trigonometric'), 0)
    for index in needed(tape, outputs):
        kind = kinds.get(tape.nodes[index][0])
        if kind:
            counts[kind] += 1
    return counts


def needed(tape, outputs):
    """Return the nodes on which `outputs` (node numbers) depend, in order."""
    alive = [False] * len(tape.nodes)
    for index in outputs:
        alive[index] = True
    for index in range(len(tape.nodes) - 1, -1, -1):
        if alive[index]:
            for operand in operands(tape.nodes[index]):
                alive[operand] = True
    return [index for index, live in enumerate(alive) if live]


def operands(node):
    """Return the node numbers of the operands of a node."""
    operation, *rest = node
    if operation == 'input':
        return ()
    return tuple(rest[1:] if operation in ('scale', 'shift', 'from') else rest)


def evaluate(tape, outputs, inputs):
    """Return the values of the nodes `outputs` for inputs given by name, for tests."""
    values = {}
    for index in needed(tape, outputs):
        operation, *rest = tape.nodes[index]
        if operation == 'input':
            values[index] = inputs[rest[0]]
            continue
        arguments = [values[i] for i in operands(tape.nodes[index])]
        constant = rest[:1] if len(rest) > len(arguments) else ()
        values[index] = _ARITHMETIC[operation](*constant, *arguments)
    return [values[index] for index in outputs]


_ARITHMETIC = {
    'add': lambda a, b: a + b,
    'subtract': lambda a, b: a - b,
    'multiply': lambda a, b: a * b,
    'negate': lambda a: -a,
    'invert': lambda a: 1.0 / a,
    'cos': math.cos,
    'sin': math.sin,
    'tanh': math.tanh,
    'scale': lambda c, a: c * a,
    'shift': lambda c, a: c + a,
    'from': lambda c, a: c - a,
}
