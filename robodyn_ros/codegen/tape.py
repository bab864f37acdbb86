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

#: Units in the last place within which two constants count as equal. Products of the same numbers
#: in another order differ by two or three.
CLOSE = 8
#: Nodes between checks of the limits.
CHECKED_EVERY = 256

#: Nodes of a tape and clock time [s] beyond which recording stops.
_limits = contextvars.ContextVar('limits', default=(math.inf, math.inf))


class RecordingTooLong(Exception):
    """The tape would have more nodes than allowed."""


class RecordingTooSlow(Exception):
    """The recording takes longer than allowed."""


@contextlib.contextmanager
def limited(nodes, seconds):
    """Limit recordings inside a `with` block.

    `nodes`: largest number of nodes of each new tape.
    `seconds`: largest total time [s].
    """
    token = _limits.set((nodes, time.monotonic() + seconds))
    try:
        yield
    finally:
        _limits.reset(token)


class Tape:
    """Nodes of a directed acyclic graph of arithmetic, in the order of their recording.

    `columns`: number of right sides of closed loops that are solved at once, in a pack.
    `real`: type of the numbers of the code, 'double' or 'float'.
    `nodes` (list of tuple): (operation, *operands). Operands are numbers of earlier nodes. The
      first operand of 'scale', 'shift', 'from' and 'constant' is a constant, that of 'lane' the
      lane.
    `values` (list of Recorded): the scalar of each node.
    `names` (dict): {node: name of its value}.
    `checks` (list of tuple): (node, floor) of recorded comparisons. The tape is valid for states
      with node > floor.
    `positions_known` (int or None): number of the first node that follows from the positions of
      all joints of closed loops.
    `exact_checks`: number of the first checks whose nodes are computed as recorded, and share no
      equal values.
    """

    def __init__(self, columns=1, real='double'):
        self.nodes, self.values = [], []
        self.names = {}
        self.checks = []
        self.positions_known, self.exact_checks = None, 0
        self.columns, self.real = columns, real
        self._known, self._packs = {}, set()
        self._constants = {_place(1.0) // CLOSE: 1.0}
        self._most, self._deadline = _limits.get()

    def input(self, name):
        """Return a new input of the tape.

        `name`: its name, such as 'q[0]'.
        """
        return self._node('input', name)

    def _node(self, *node):
        """Return the value of a node, which is new unless an equal node exists."""
        known = self._known.get(node)
        if known is not None:
            return known
        nodes, values = self.nodes, self.values
        value = Recorded(self, len(nodes), values[node[1]] if node[0] == 'negate' else None)
        if self._packs and node[0] != 'lane' and not self._packs.isdisjoint(operands(node)):
            self._packs.add(len(nodes))
        nodes.append(node)
        values.append(value)
        self._known[node] = value
        if not len(nodes) % CHECKED_EVERY:
            self._check_limits()
        return value

    def _check_limits(self):
        if len(self.nodes) > self._most:
            raise RecordingTooLong
        if time.monotonic() > self._deadline:
            raise RecordingTooSlow

    def add(self, a, b):
        """Return a + b.

        `a`, `b` (Recorded): the operands.
        """
        minus_a, minus_b = a.positive, b.positive
        if minus_a is not None and minus_b is not None:
            return -self.add(minus_a, minus_b)
        if minus_b is not None:
            return self.subtract(a, minus_b)
        if minus_a is not None:
            return self.subtract(b, minus_a)
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
        """Return a - b.

        `a`, `b` (Recorded): the operands.
        """
        if a.index == b.index:
            return 0.0
        minus_a, minus_b = a.positive, b.positive
        if minus_b is not None:
            return self.add(a, minus_b)
        if minus_a is not None:
            return -self.add(minus_a, b)
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

        Taking c out saves a multiplication, as products with constants are rarely used twice.
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
        """Return a b.

        `a`, `b` (Recorded): the operands.
        """
        minus_a, minus_b = a.positive, b.positive
        if minus_a is not None or minus_b is not None:
            product = self.multiply(
                a if minus_a is None else minus_a, b if minus_b is None else minus_b
            )
            return product if (minus_a is None) == (minus_b is None) else -product
        for x, y in ((a, b), (b, a)):
            if self.nodes[x.index] == ('invert', y.index):
                return 1.0
        return self._node('multiply', *_in_order(a, b))

    def scale(self, factor, a):
        """Return factor a.

        `factor`: a constant.
        `a` (Recorded): the operand.
        """
        if factor == 0.0:
            return 0.0
        negated = a.positive
        if negated is not None:
            return self.scale(-factor, negated)
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
        """Return constant + a.

        `constant`: a constant.
        `a` (Recorded): the operand.
        """
        if constant == 0.0:
            return a
        constant = math.copysign(self._constant(abs(constant)), constant)
        negated = a.positive
        if negated is not None:
            return self._node('from', constant, negated.index)
        return self._node('shift', constant, a.index)

    def pack(self, numbers):
        """Return several numbers as one value. Operations of it are those of each number.

        `numbers` (sequence of Recorded or float): the numbers, one in each lane.
        """
        recorded = [each for each in numbers if isinstance(each, Recorded)]
        if len({_identity(each) for each in numbers}) == 1:
            return numbers[0]
        if recorded and all(each.positive is not None for each in recorded):
            return -self.pack([-each if each else 0.0 for each in numbers])
        whole = self._whole([self.nodes[each.index] for each in recorded], len(numbers))
        if whole is not None:
            return whole
        lanes = [
            each if isinstance(each, Recorded) else self._node('constant', float(each))
            for each in numbers
        ]
        pack = self._node('pack', *(each.index for each in lanes))
        self._packs.add(pack.index)
        return pack

    def _whole(self, nodes, count):
        """Return the pack whose lanes in turn are these nodes; None if there is none."""
        if [node[:2] for node in nodes] != [('lane', k) for k in range(count)]:
            return None
        packs = {node[2] for node in nodes}
        pack = self.values[packs.pop()]
        return pack if not packs and self._count(pack.index) == count else None

    def _count(self, index):
        """Return the number of lanes of a pack."""
        while self.nodes[index][0] != 'pack':
            index = next(each for each in operands(self.nodes[index]) if each in self._packs)
        return len(operands(self.nodes[index]))

    def lane(self, value, k):
        """Return the number in lane k of a pack; any other value is the same in all lanes.

        `k`: the lane.
        """
        if not isinstance(value, Recorded) or value.index not in self._packs:
            return value
        if value.positive is not None:
            return -self.lane(value.positive, k)
        node = self.nodes[value.index]
        if node[0] != 'pack':
            return self._node('lane', k, value.index)
        inside = operands(node)[k]
        is_constant = self.nodes[inside][0] == 'constant'
        return self.nodes[inside][1] if is_constant else self.values[inside]

    def is_pack(self, index):
        """Return whether a node has several numbers.

        `index`: number of the node.
        """
        return index in self._packs

    def _constant(self, value):
        """Return the constant that represents a positive value: 1, a close one, or itself."""
        place = _place(value)
        for bucket in (place // CLOSE, place // CLOSE - 1, place // CLOSE + 1):
            known = self._constants.get(bucket)
            if known is not None and abs(_place(known) - place) <= CLOSE:
                return known
        return self._constants.setdefault(place // CLOSE, value)


def _identity(number):
    """Return what tells numbers apart: that of the node, or a constant."""
    return ('node', number.index) if isinstance(number, Recorded) else float(number)


def _in_order(a, b):
    """Return two node numbers, the smaller one first, since a + b and b + a share a node."""
    return (a.index, b.index) if a.index < b.index else (b.index, a.index)


def _place(value):
    """Return the index of a positive number in the sequence of all doubles."""
    return _INTEGER.unpack(_DOUBLE.pack(value))[0]


#: Where node numbers begin in nodes that have a name or a constant first.
FIRST_OPERAND = {'input': 2, 'constant': 2, 'lane': 2, 'scale': 2, 'shift': 2, 'from': 2}
_DOUBLE, _INTEGER = struct.Struct('<d'), struct.Struct('<q')


class Recorded:
    """A scalar that is a node of a tape.

    `index`: number of the node.
    `positive` (Recorded or None): x if this is -x.
    """

    __slots__ = ('index', 'positive', 'tape')

    def __init__(self, tape, index, positive):
        self.tape, self.index, self.positive = tape, index, positive

    def __neg__(self):
        negated = self.positive
        return self.tape._node('negate', self.index) if negated is None else negated

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
        negated = self.positive
        if negated is not None:
            return -(other / negated)
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
            sine = rest._plain_sin()
            return -sine if quarters == 1 else sine
        return -rest._plain_cos() if quarters == 2 else rest._plain_cos()

    def sin(self):
        """Return sin x; numpy's sin calls it."""
        quarters, rest = self._quarter_turns()
        result = rest._plain_cos() if quarters % 2 else rest._plain_sin()
        return -result if quarters >= 2 else result

    def tanh(self):
        """Return tanh x; numpy's tanh calls it."""
        negated = self.positive
        return self.tape._node('tanh', self.index) if negated is None else -negated.tanh()

    def _quarter_turns(self):
        """Return (k, y) with this angle = k pi/2 + y and k from 0 to 3.

        So constant quarter turns need no operation.
        """
        operation, *rest = self.tape.nodes[self.index]
        if operation == 'shift':
            quarters = round(rest[0] / (0.5 * math.pi))
            if abs(rest[0] - quarters * 0.5 * math.pi) < 1e-12:
                return quarters % 4, self.tape.values[rest[1]]
        return 0, self

    def _plain_cos(self):
        """Return the node of cos x."""
        negated = self.positive
        return self.tape._node('cos', (self if negated is None else negated).index)

    def _plain_sin(self):
        """Return the node of sin x."""
        negated = self.positive
        return self.tape._node('sin', self.index) if negated is None else -negated._plain_sin()


def count(tape, nodes):
    """Return the numbers of operations by kind.

    A subtraction counts as an addition. A change of sign is free, because the user of the value
    absorbs it.

    `nodes` (sequence of int): numbers of the nodes to count, see `needed`.
    Returns {'multiplications', 'additions', 'divisions', 'trigonometric': number}.
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
    for index in nodes:
        kind = kinds.get(tape.nodes[index][0])
        if kind:
            counts[kind] += 1
    return counts


def needed(tape, outputs):
    """Return the nodes on which outputs depend, in order."""
    nodes = tape.nodes
    alive = [False] * len(nodes)
    for index in outputs:
        alive[index] = True
    for index in range(len(nodes) - 1, -1, -1):
        if alive[index]:
            for operand in operands(nodes[index]):
                alive[operand] = True
    return [index for index, live in enumerate(alive) if live]


def operands(node):
    """Return the node numbers of the operands of a node.

    `node` (tuple): (operation, *operands).
    """
    return node[FIRST_OPERAND.get(node[0], 1) :]


def evaluate(tape, outputs, inputs):
    """Return the values of nodes, for tests.

    `inputs` (dict): {name: value}.
    """
    values = {}
    for index in needed(tape, outputs):
        operation, *rest = tape.nodes[index]
        if operation == 'input':
            values[index] = inputs[rest[0]]
            continue
        arguments = [values[i] for i in operands(tape.nodes[index])]
        constant = rest[:1] if len(rest) > len(arguments) else ()
        values[index] = _ON_NUMBERS[operation](*constant, *arguments)
    return [values[index] for index in outputs]


#: What an operation does with its constant, if it has one, and its operands.
ARITHMETIC = {
    'add': lambda a, b: a + b,
    'subtract': lambda a, b: a - b,
    'multiply': lambda a, b: a * b,
    'negate': lambda a: -a,
    'invert': lambda a: 1.0 / a,
    'scale': lambda c, a: c * a,
    'shift': lambda c, a: c + a,
    'from': lambda c, a: c - a,
}
_ON_NUMBERS = {**ARITHMETIC, 'cos': math.cos, 'sin': math.sin, 'tanh': math.tanh}
