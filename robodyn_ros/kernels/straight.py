"""Straight-line Python text straight to LLVM: for long recorded code ten times quicker to compile
than by type inference, and the same text also runs on several states at once.
"""
import ast
import functools
import inspect

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.kernels import entry, trigonometry

LANES = 8  # states, or angles, at once: one register of AVX-512, two of AVX, four of NEON
FLAGS = ('contract',)  # the tape settled the order of operations; fused multiply-adds are welcome
REAL, INTEGER = ir.DoubleType(), ir.IntType(64)

_ARITHMETIC = {ast.Add: 'fadd', ast.Sub: 'fsub', ast.Mult: 'fmul', ast.Div: 'fdiv'}
_COMPARISONS = {ast.Gt: '>', ast.Eq: '==', ast.NotEq: '!='}


def straight_line(function, by_lanes=False, outputs=None):
    """A compiled twin of a function of straight-line arithmetic, for calls from kernels.

    The function takes float64 arrays of fixed shape, and is made of assignments of + - * /, cos
    and sin to names and array entries, of `if test: return code`, and a last return (see
    `source.write`).
    by_lanes : take arrays with one axis more in front, and after them the first of LANES rows to
    compute; the status is then that of the worst row, and with any row refused none is written.
    outputs : how many arrays, the last ones, are written: the kernel that calls the twin has an
    `entry` then.
    """
    def typed(_context, *arguments):
        emit = (functools.partial(_in_place, function) if by_lanes else
                functools.partial(_beside, function, outputs))
        return types.int64(*arguments), emit

    names = ', '.join((*inspect.signature(function).parameters, *(['row'] if by_lanes else [])))
    space = {'typed': typed}  # an intrinsic names its arguments
    name = function.__name__
    exec(f'def {name}(context, {names}):\n    return typed(context, {names})\n', space)
    return intrinsic(space[name])


def _tree(function):
    """Syntax tree of a function, and the names of its arguments."""
    tree = ast.parse(inspect.getsource(function)).body[0]
    return tree, [argument.arg for argument in tree.args.args]


def _in_place(function, context, builder, signature, arguments):
    """Emit the function for LANES rows into a kernel; return its status."""
    tree, names = _tree(function)
    arrays = [context.make_array(kind)(context, builder, value)
              for kind, value in zip(signature.args, arguments[:-1])]
    data = {name: array.data for name, array in zip(names, arrays)}
    shapes = {name: _unpacked(builder, array.shape) for name, array in zip(names, arrays)}
    return Emitter(builder, data, shapes, arguments[-1]).function(tree)


def _beside(function, outputs, context, builder, signature, arguments):
    """Emit the function for one state beside a kernel, with an entry of its own, and call it."""
    tree, names = _tree(function)
    dimensions = [kind.ndim for kind in signature.args]
    kinds = [kind for axes in dimensions for kind in (REAL.as_pointer(), *[INTEGER] * axes)]
    module, caller = builder.module, builder.function.name
    body = ir.Function(module, ir.FunctionType(INTEGER, kinds), f'{caller}.{function.__name__}')
    body.linkage = 'internal'
    given, data, shapes = iter(body.args), {}, {}
    for name, axes in zip(names, dimensions):
        data[name] = next(given)
        shapes[name] = [next(given) for _ in range(axes)]
    inside = ir.IRBuilder(body.append_basic_block('start'))
    inside.ret(Emitter(inside, data, shapes, None).function(tree))
    if outputs is not None:
        entry.emit(module, entry.symbol(caller), body, dimensions, outputs)
    flat = []
    for kind, value in zip(signature.args, arguments):
        array = context.make_array(kind)(context, builder, value)
        flat += [array.data, *_unpacked(builder, array.shape)]
    return builder.call(body, flat)


class Emitter:
    """Writes one straight-line function into an LLVM block."""

    def __init__(self, builder, data, shapes, row):
        self.builder, self.row = builder, row
        self.kind = REAL if row is None else ir.VectorType(REAL, LANES)
        self.data, self.shapes = data, shapes
        self.definitions, self.values = {}, {}

    def function(self, tree):
        """Emit every statement; return the status as a 64-bit integer."""
        leave = self.builder.append_basic_block('leave')
        results = []
        self.definitions = {statement.targets[0].id: statement.value for statement in tree.body
                            if _defines(statement)}
        for statement in tree.body:
            if isinstance(statement, ast.If):
                refused = self.test(statement.test)
                results.append((_literal(statement.body[0].value), self.builder.block))
                carry_on = self.builder.append_basic_block('go')
                self.builder.cbranch(refused, leave, carry_on)
                self.builder.position_at_end(carry_on)
            elif isinstance(statement, ast.Return):
                results.append((_literal(statement.value), self.builder.block))
                self.builder.branch(leave)
            elif isinstance(statement, ast.Assign):
                if not _defines(statement):
                    self.store(statement.targets[0], self.value(statement.value))
                elif not _trigonometric(statement.value):
                    self.value(statement.targets[0])
                elif statement.targets[0].id not in self.values:  # else it came with the first
                    self.angles(tree)
        self.builder.position_at_end(leave)
        status = self.builder.phi(INTEGER)
        for value, block in results:
            status.add_incoming(INTEGER(value), block)
        return status

    def angles(self, tree):
        """Cosine and sine of every angle of the function, all at once."""
        wanted = [statement for statement in tree.body
                  if _defines(statement) and _trigonometric(statement.value)
                  and statement.targets[0].id not in self.values]
        texts = {}
        for statement in wanted:
            texts.setdefault(ast.unparse(statement.value.args[0]), statement.value.args[0])
        both = trigonometry.cosines_and_sines(
            self.builder, [self.value(angle) for angle in texts.values()])
        found = dict(zip(texts, both))
        for statement in wanted:
            cosine, sine = found[ast.unparse(statement.value.args[0])]
            self.values[statement.targets[0].id] = (
                cosine if statement.value.func.id == 'cos' else sine)

    def value(self, node):
        """Value of an expression."""
        if isinstance(node, ast.Name):
            if node.id not in self.values:
                self.values[node.id] = self.value(self.definitions[node.id])
            return self.values[node.id]
        if isinstance(node, ast.Constant):
            return self.constant(node.value)
        if isinstance(node, ast.Subscript):
            text = ast.unparse(node)
            if text not in self.values:
                self.values[text] = self.load(node)
            return self.values[text]
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return self.builder.fneg(self.value(node.operand), flags=FLAGS)
        operation = getattr(self.builder, _ARITHMETIC[type(node.op)])
        return operation(self.value(node.left), self.value(node.right), flags=FLAGS)

    def constant(self, number):
        """A literal, in every lane."""
        number = float(number)
        return ir.Constant(self.kind, number if self.row is None else [number] * LANES)

    def test(self, node):
        """Truth of a condition, as one bit; with lanes, whether it holds in any of them."""
        bit = self._test(node)
        if isinstance(bit.type, ir.VectorType):
            bits = ir.IntType(LANES)
            bit = self.builder.icmp_unsigned('!=', self.builder.bitcast(bit, bits), bits(0))
        return bit

    def _test(self, node):
        if isinstance(node, ast.BoolOp):
            join = self.builder.or_ if isinstance(node.op, ast.Or) else self.builder.and_
            return functools.reduce(join, map(self._test, node.values))
        if isinstance(node, ast.UnaryOp):
            return self.builder.not_(self._test(node.operand))
        sign = _COMPARISONS[type(node.ops[0])]
        left, right = node.left, node.comparators[0]
        if isinstance(left, ast.Subscript) and isinstance(left.value, ast.Attribute):
            axis = left.slice.value + (self.row is not None)  # q.shape[0], of every row
            length = self.shapes[left.value.value.id][axis]
            return self.builder.icmp_signed(sign, length, INTEGER(right.value))
        return self.builder.fcmp_ordered(sign, self.value(left), self.value(right))

    def places(self, node):
        """Addresses of an array entry, one for each lane."""
        name = node.value.id
        entries = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        shape = self.shapes[name][self.row is not None:]
        place = INTEGER(0)
        for index, length in zip(entries, shape):
            place = self.builder.add(self.builder.mul(place, length), INTEGER(index.value))
        if self.row is None:
            return [self.builder.gep(self.data[name], [place])]
        size = functools.reduce(self.builder.mul, shape)
        first = self.builder.add(self.builder.mul(self.row, size), place)
        return [self.builder.gep(self.data[name], [
            self.builder.add(first, self.builder.mul(INTEGER(lane), size))])
            for lane in range(LANES)]

    def load(self, node):
        """An array entry: one number, or one for each lane."""
        numbers = [self.builder.load(place) for place in self.places(node)]
        return numbers[0] if self.row is None else trigonometry.packed(self.builder, numbers)

    def store(self, node, value):
        """Write an array entry, or those of all lanes."""
        for lane, place in enumerate(self.places(node)):
            self.builder.store(value if self.row is None else self.builder.extract_element(
                value, ir.IntType(32)(lane)), place)


def _unpacked(builder, shape):
    return [builder.extract_value(shape, axis) for axis in range(shape.type.count)]


def _defines(statement):
    """Whether a statement gives a name to a value."""
    return isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name)


def _trigonometric(node):
    return isinstance(node, ast.Call)


def _literal(node):
    return ast.literal_eval(node)
