# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Translate straight-line Python text directly to LLVM.

For long recorded code this avoids the cost of type inference. The same text also runs on several
states at once.
"""

import ast
import functools
import inspect
import math

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.codegen import partition
from robodyn_ros.compile.simd import trigonometry
from robodyn_ros.compile.syntax_tree import parsed
from robodyn_ros.compile.vectorcall import entry

LANES = 8  # states at once: one register of AVX-512, two of AVX, four of NEON
FLAGS = ('contract',)  # the tape fixes the order of operations; fused multiply-adds are allowed
REAL, INTEGER = ir.DoubleType(), ir.IntType(64)
POINTER = REAL.as_pointer()

_ARITHMETIC = {ast.Add: 'fadd', ast.Sub: 'fsub', ast.Mult: 'fmul', ast.Div: 'fdiv'}
_COMPARISONS = {ast.Gt: '>', ast.Eq: '==', ast.NotEq: '!='}


def pack(*numbers):
    """Return numbers as one value, whose operations are those of each number.

    `*numbers`: the numbers, one in each lane.
    """
    return np.array(numbers)


def lane(numbers, k):
    """Return one number of a pack.

    `numbers` (k,): the pack.
    `k`: the lane.
    """
    return numbers[k]


def straight_line(function, by_lanes=False, outputs=None):
    """Compile a function of straight-line arithmetic, for calls from kernels.

    The function takes float64 arrays of fixed shape. It assigns + - * /, cos and sin to names and
    array entries. It also has `if test: return code`, and a last return (see emit_python.write).
    For one state it may have `pack` and `lane`, and assign packs to slices of rows. If one row is
    refused, no row is written.

    `function` (callable): the plain function.
    `by_lanes`: whether to compute LANES rows at once. The arrays then have one more axis in front,
      and a further argument is the first row. The status is that of the worst row.
    `outputs`: number of written arrays, the last ones. With it the calling kernel has an `entry`.
    Returns an intrinsic of the arrays, which returns the status.
    """

    def typed(_context, *arguments):
        emit = (
            functools.partial(_inline, function)
            if by_lanes
            else functools.partial(_separately, function, outputs)
        )
        return types.int64(*arguments), emit

    names = ', '.join((*inspect.signature(function).parameters, *(['row'] if by_lanes else [])))
    space = {'typed': typed}  # an intrinsic needs named arguments
    name = function.__name__
    exec(f'def {name}(context, {names}):\n    return typed(context, {names})\n', space)
    return intrinsic(space[name])


def _tree(function):
    """Return the syntax tree of a function, and the names of its arguments."""
    # parsing the whole file takes less time than finding the end of a long function
    tree = next(
        node
        for node in parsed(''.join(inspect.findsource(function)[0])).body
        if getattr(node, 'name', None) == function.__name__
    )
    return tree, [argument.arg for argument in tree.args.args]


def _inline(function, context, builder, signature, arguments):
    """Emit the function for LANES rows into a kernel; return its status."""
    tree, names = _tree(function)
    arrays = [
        context.make_array(kind)(context, builder, value)
        for kind, value in zip(signature.args, arguments[:-1])
    ]
    lengths = {name: _unpacked(builder, array.shape)[1:] for name, array in zip(names, arrays)}
    emitter = Emitter(builder, lanes=True)
    emitter.sizes = _sizes(tree)
    for name, array in zip(names, arrays):
        first = builder.mul(arguments[-1], INTEGER(math.prod(emitter.sizes[name])))
        emitter.data[name] = builder.gep(array.data, [first])
    return emitter.function(tree, lengths)


def _separately(function, outputs, context, builder, signature, arguments):
    """Emit the function for one state as a separate function, with an entry, and call it."""
    tree, names = _tree(function)
    dimensions = [kind.ndim for kind in signature.args]
    kinds = [kind for axes in dimensions for kind in (POINTER, *[INTEGER] * axes)]
    module, caller = builder.module, builder.function.name
    body = _function(module, f'{caller}.{function.__name__}', INTEGER, kinds)
    emitter = Emitter(ir.IRBuilder(body.append_basic_block('start')))
    emitter.sizes = _sizes(tree)
    given, lengths = iter(body.args), {}
    for name, axes in zip(names, dimensions):
        emitter.data[name] = next(given)
        lengths[name] = [next(given) for _ in range(axes)]
    emitter.builder.ret(emitter.function(tree, lengths))
    if outputs is not None:
        entry.emit(module, entry.symbol(caller), body, dimensions, outputs)
    flat = []
    for kind, value in zip(signature.args, arguments):
        array = context.make_array(kind)(context, builder, value)
        flat += [array.data, *_unpacked(builder, array.shape)]
    return builder.call(body, flat)


def _function(module, name, result, kinds):
    """Return a new function with internal linkage."""
    function = ir.Function(module, ir.FunctionType(result, kinds), name)
    function.linkage = 'internal'
    return function


def _sizes(tree):
    """Return the lengths that the tests of a function demand of its arrays: {name: list}."""
    sizes = {}
    for node in ast.walk(tree.body[0].test):
        if isinstance(node, ast.Compare):
            sizes.setdefault(node.left.value.value.id, []).append(node.comparators[0].value)
    return sizes


class Emitter:
    """Emits one straight-line function, or a block of it, as LLVM code.

    `builder` (llvmlite IRBuilder): where the code is emitted.
    `lanes`: whether values are vectors of LANES states.
    `data` (dict): addresses of the arrays; with lanes, of the first row.
    `sizes` (dict): lengths of the arrays, known before the first entry is read.
    `values` (dict): values emitted here, by name.
    `frame` (LLVM value): address of the values that blocks share.
    `places` (dict): {name: index in the frame} of these values.
    `kept` (dict): {name: LLVM type} of the values that are in the frame already.
    """

    def __init__(self, builder, lanes=False):
        self.builder, self.lanes = builder, lanes
        self.kind = ir.VectorType(REAL, LANES) if lanes else REAL
        self.data, self.sizes, self.definitions, self.values = {}, {}, {}, {}
        self.frame, self.places, self.kept = None, {}, {}

    def function(self, tree, lengths):
        """Emit every statement.

        `tree` (ast.FunctionDef): the function.
        `lengths` (dict): lengths of the arguments, as LLVM values.
        Returns the status, an integer of 64 bits.
        """
        leave = self.builder.append_basic_block('leave')
        results = []
        cut = partition.plan(tree.body)
        self.definitions = {
            statement.targets[0].id: statement.value
            for statement in tree.body
            if partition.defines(statement)
        }
        if cut.size:
            self.places = cut.places
            widest = max(map(_width, self.definitions.values()))
            place = ir.VectorType(REAL, widest) if widest else self.kind
            with self.builder.goto_entry_block():
                self.frame = self.builder.alloca(place, cut.size)
        for part in cut.parts:
            statement = part[0]
            if isinstance(statement, ast.If):
                refused = self.test(statement.test, lengths)
                results.append((_literal(statement.body[0].value), self.builder.block))
                accepted = self.builder.append_basic_block('accepted')
                self.builder.cbranch(refused, leave, accepted)
                self.builder.position_at_end(accepted)
            elif isinstance(statement, ast.Return):
                results.append((_literal(statement.value), self.builder.block))
                self.builder.branch(leave)
            elif self.frame is None:
                self.assign(part)
            else:
                if not self.kept:
                    self.angles()
                self.block(part)
        self.builder.position_at_end(leave)
        status = self.builder.phi(INTEGER)
        for value, block in results:
            status.add_incoming(INTEGER(value), block)
        return status

    def assign(self, statements):
        """Emit a run of assignments.

        `statements` (list of ast.Assign): the assignments.
        """
        for k, statement in enumerate(statements, start=1):
            if k % partition.FENCED == 0 and len(statements) > partition.SHORT:
                self.builder.fence(
                    'seq_cst', 'singlethread'
                )  # limits the compiler's search, see partition
            if not partition.defines(statement):
                self.store(statement.targets[0], self.value(statement.value))
                continue
            name = statement.targets[0].id
            if not partition.trigonometric(statement.value):
                self.store_variable(name, self.value(statement.targets[0]))
            elif name not in self.values and name not in self.kept:
                self.angles()

    def block(self, statements):
        """Emit a run of assignments as a separate function, and call it.

        `statements` (list of ast.Assign): the assignments.
        """
        addresses = [*self.data.values(), self.frame]
        kinds = [address.type for address in addresses]
        own = _function(
            self.builder.module,
            self.builder.module.get_unique_name(f'{self.builder.function.name}.block'),
            ir.VoidType(),
            kinds,
        )
        own.attributes.add('noinline')
        inside = Emitter(ir.IRBuilder(own.append_basic_block('start')), self.lanes)
        *arrays, inside.frame = own.args
        inside.frame.add_attribute('noalias')
        inside.data = dict(zip(self.data, arrays))
        inside.sizes, inside.definitions = self.sizes, self.definitions
        inside.places, inside.kept = self.places, self.kept
        inside.assign(statements)
        inside.builder.ret_void()
        self.builder.call(own, addresses)

    def store_variable(self, name, value):
        """Store a value in the frame, if a later block uses it.

        `name`: name of the value.
        """
        if name in self.places:
            self.kept[name] = value.type
            self.builder.store(value, self.address_of(name), align=8)

    def address_of(self, name):
        """Return the address of a value in the frame.

        `name`: name of the value.
        """
        place = self.builder.gep(self.frame, [INTEGER(self.places[name])])
        return self.builder.bitcast(place, self.kept[name].as_pointer())

    def angles(self):
        """Emit cosine and sine of every angle of the function, all at once.

        Angles that depend on a cosine or sine follow in further stages.
        """
        for k, (before, wanted) in enumerate(partition.stages(self.definitions)):
            for name in (
                before if k else ()
            ):  # in the order of the tape, which keeps the recursion of `value` flat
                self.value(ast.Name(name))
            self.circular(wanted)

    def circular(self, wanted):
        """Emit the cosines and sines of one stage.

        `wanted` (dict): {name: expression of a cosine or sine}.
        """
        texts = {ast.unparse(value.args[0]): value.args[0] for value in wanted.values()}
        both = dict(
            zip(
                texts,
                trigonometry.cosines_and_sines(
                    self.builder, [self.value(angle) for angle in texts.values()]
                ),
            )
        )
        for name, value in wanted.items():
            cosine, sine = both[ast.unparse(value.args[0])]
            self.values[name] = cosine if value.func.id == 'cos' else sine
            self.store_variable(name, self.values[name])

    def value(self, node):
        """Return the value of an expression, emitted once.

        `node` (ast.expr): the expression.
        """
        if isinstance(node, ast.Name):
            if node.id not in self.values:
                self.values[node.id] = (
                    self.builder.load(self.address_of(node.id), align=8)
                    if node.id in self.kept
                    else self.value(self.definitions[node.id])
                )
            return self.values[node.id]
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Subscript):
            text = ast.unparse(node)
            if text not in self.values:
                self.values[text] = self.load(node)
            return self.values[text]
        if isinstance(node, ast.Call) and node.func.id == 'pack':
            return trigonometry.packed(self.builder, [self.value(each) for each in node.args])
        if isinstance(node, ast.Call):
            numbers, k = node.args
            return self.builder.extract_element(self.value(numbers), ir.IntType(32)(k.value))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.builder.fneg(self.value(node.operand), flags=FLAGS)
        operation = getattr(self.builder, _ARITHMETIC[type(node.op)])
        left, right = self.value(node.left), self.value(node.right)
        return operation(self.spread(left, right.type), self.spread(right, left.type), flags=FLAGS)

    def spread(self, value, kind):
        """Return a number in all lanes if it meets a pack; else the value itself.

        `kind` (LLVM type): type of the other operand.
        """
        if value.type == kind or isinstance(value.type, ir.VectorType):
            return value
        return trigonometry.packed(self.builder, [value] * kind.count)

    def constant(self, number):
        """Return a constant, the same in every lane."""
        number = float(number)
        return ir.Constant(self.kind, [number] * LANES if self.lanes else number)

    def test(self, node, lengths):
        """Return whether a condition is true; with lanes, whether it is true in any of them.

        `node` (ast.expr): the condition.
        `lengths` (dict): lengths of the arguments, as LLVM values.
        """
        bit = self._test(node, lengths)
        if isinstance(bit.type, ir.VectorType):
            bits = ir.IntType(LANES)
            bit = self.builder.icmp_unsigned('!=', self.builder.bitcast(bit, bits), bits(0))
        return bit

    def _test(self, node, lengths):
        """Return a condition as one bit, or one bit for each lane."""
        if isinstance(node, ast.BoolOp):
            join = self.builder.or_ if isinstance(node.op, ast.Or) else self.builder.and_
            return functools.reduce(join, [self._test(part, lengths) for part in node.values])
        if isinstance(node, ast.UnaryOp):
            return self.builder.not_(self._test(node.operand, lengths))
        sign = _COMPARISONS[type(node.ops[0])]
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Subscript) and isinstance(left.value, ast.Attribute):
            length = lengths[left.value.value.id][left.slice.value]  # q.shape[0]
            return self.builder.icmp_signed(sign, length, INTEGER(right.value))
        return self.builder.fcmp_ordered(sign, self.value(left), self.value(right))

    def addresses(self, node):
        """Return the addresses of an array entry, one for each lane.

        `node` (ast.Subscript): the entry.
        """
        name = node.value.id
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        place = 0
        for index, length in zip(entries, self.sizes[name]):
            first = index.lower if isinstance(index, ast.Slice) else index
            place = place * length + first.value
        size = math.prod(self.sizes[name])
        return [
            self.builder.gep(self.data[name], [INTEGER(place + lane * size)])
            for lane in range(LANES if self.lanes else 1)
        ]

    def load(self, node):
        """Return an array entry: one number, or one for each lane.

        `node` (ast.Subscript): the entry.
        """
        numbers = [self.builder.load(address) for address in self.addresses(node)]
        return trigonometry.packed(self.builder, numbers) if self.lanes else numbers[0]

    def store(self, node, value):
        """Write an array entry, in every lane; a pack to a slice of a row.

        `node` (ast.Subscript): the entry.
        """
        columns = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) else node.slice
        if isinstance(columns, ast.Slice):
            row = ir.VectorType(REAL, columns.upper.value - columns.lower.value)
            (address,) = self.addresses(node)
            address = self.builder.bitcast(address, row.as_pointer())
            self.builder.store(self.spread(value, row), address, align=8)
            return
        for lane, address in enumerate(self.addresses(node)):
            self.builder.store(
                self.builder.extract_element(value, ir.IntType(32)(lane)) if self.lanes else value,
                address,
            )


def _unpacked(builder, shape):
    """Return the lengths of an array as LLVM values."""
    return [builder.extract_value(shape, axis) for axis in range(shape.type.count)]


def _width(node):
    """Return the number of lanes of a pack; 0 for other expressions."""
    is_pack = isinstance(node, ast.Call) and node.func.id == 'pack'
    return len(node.args) if is_pack else 0


def _literal(node):
    """Return the value of a literal."""
    return ast.literal_eval(node)
