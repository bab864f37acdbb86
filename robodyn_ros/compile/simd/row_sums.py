# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `spatial.row_products`, whose sums stay in registers while all rows are added.

A compiler vectorises a loop over columns, but loads and stores the sums for every few rows. It
also checks at every loop whether rows overlap. Here a register has LANES numbers, and each row of
sums has DEPTH registers. Every sum subtracts its terms in the order of the rows. So it does not
depend on how wide the registers of a processor are.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.spatial.primitive import MACHINE_CODE
from robodyn_ros.spatial.row_products import BYTES, LANES, subtract_products, subtract_two_products

DEPTH = 4  # registers for each row of sums


@intrinsic
def _one_row(_, X, target, count, A, row, begin, end):
    """Emit `subtract_products`."""

    def emit(context, builder, signature, given):
        X, target, count, A, row, begin, end = given
        matrices = (
            Rows(context, builder, signature.args[0], X),
            Rows(context, builder, signature.args[3], A),
        )
        _emit_sums(builder, *matrices, [(target, row)], count, begin, end)
        return context.get_dummy_value()

    index = types.intp
    return types.void(X, index, index, A, index, index, index), emit


@intrinsic
def _two_rows(_, X, target, count, A, row, below, end):
    """Emit `subtract_two_products`."""

    def emit(context, builder, signature, given):
        X, target, count, A, row, below, end = given
        matrices = (
            Rows(context, builder, signature.args[0], X),
            Rows(context, builder, signature.args[3], A),
        )
        one = target.type(1)
        pairs = [(target, row), (builder.add(target, one), below)]
        _emit_sums(builder, *matrices, pairs, count, target.type(0), end)
        return context.get_dummy_value()

    index = types.intp
    return types.void(X, index, index, A, index, index, index), emit


class Rows:
    """The rows of an array in machine code.

    Parameters
    ----------
    context, builder, kind, value
        As in numba.
    """

    def __init__(self, context, builder, kind, value):
        array = context.make_array(kind)(context, builder, value)
        self._builder, self._stride = builder, builder.extract_value(array.strides, 0)
        self._data = builder.bitcast(array.data, ir.IntType(8).as_pointer())

    def at(self, row, column, kind):
        """Return a pointer to what begins at a row and column.

        Parameters
        ----------
        row, column, kind
            LLVM values of both numbers, and the LLVM type of what begins there.
        """
        build = self._builder
        offset = build.add(build.mul(row, self._stride), build.mul(column, column.type(BYTES)))
        return build.bitcast(build.gep(self._data, [offset]), kind.as_pointer())


def _emit_sums(builder, X, A, pairs, count, begin, end):
    """Emit the sums of some rows, in blocks of columns."""
    index = count.type
    width, block = index(LANES), index(LANES * DEPTH)
    registers = builder.sdiv(builder.add(count, index(LANES - 1)), width)
    whole = builder.mul(builder.sdiv(registers, index(DEPTH)), block)
    with cgutils.for_range_slice(builder, index(0), whole, block, intp=index) as (first, _):
        _emit_block(builder, X, A, pairs, first, DEPTH, begin, end)
    rest = builder.srem(registers, index(DEPTH))
    for depth in range(1, DEPTH):
        with builder.if_then(builder.icmp_signed('==', rest, index(depth))):
            _emit_block(builder, X, A, pairs, whole, depth, begin, end)


def _emit_block(builder, X, A, pairs, first, depth, begin, end):
    """Emit the sums of one block of columns. LLVM keeps the allocated vectors in registers."""
    number, index = ir.DoubleType(), first.type
    vector = ir.VectorType(number, LANES)
    columns = [builder.add(first, index(LANES * k)) for k in range(depth)]
    sums = [
        (X.at(target, column, vector), cgutils.alloca_once(builder, vector))
        for target, _ in pairs
        for column in columns
    ]
    for stored, kept in sums:
        builder.store(builder.load(stored, align=8), kept)
    with cgutils.for_range_slice(builder, begin, end, index(1), intp=index) as (k, _):
        added = [builder.load(X.at(k, column, vector), align=8) for column in columns]
        for place, (_, row) in enumerate(pairs):
            factor = _everywhere(builder, builder.load(A.at(row, k, number)), vector)
            for term, (_, kept) in zip(added, sums[place * depth :]):
                product = builder.fmul(factor, term)
                builder.store(builder.fsub(builder.load(kept), product), kept)
    for stored, kept in sums:
        builder.store(builder.load(kept), stored, align=8)


def _everywhere(builder, number, vector):
    """Return a vector with one number in every lane."""
    nothing, index = ir.Constant(vector, ir.Undefined), ir.IntType(32)
    one = builder.insert_element(nothing, number, index(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(index, LANES), None))


def _product(X, target, count, A, row, begin, end):
    """Run the machine code of `subtract_products`."""
    _one_row(X, target, count, A, row, begin, end)


def _products(X, target, count, A, row, below, end):
    """Run the machine code of `subtract_two_products`."""
    _two_rows(X, target, count, A, row, below, end)


def _fits(X, A):
    """Return whether two arrays have the layout of the machine code."""
    return all(
        isinstance(each, types.Array)
        and (each.dtype, each.ndim, each.layout) == (types.float64, 2, 'C')
        for each in (X, A)
    )


if not MISSING:
    MACHINE_CODE[subtract_products] = lambda X, target, count, A, *_: (
        _product if _fits(X, A) else None
    )
    MACHINE_CODE[subtract_two_products] = lambda X, target, count, A, *_: (
        _products if _fits(X, A) else None
    )
