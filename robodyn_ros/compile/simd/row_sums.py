# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `spatial.row_products`, whose sums stay in registers while all rows are added.

A compiler vectorises a loop over columns, but loads and stores the sums for every few rows. It
also checks at every loop whether rows overlap. Here a register has LANES numbers, and a row of
sums has up to DEPTH registers. Every sum subtracts its terms in the order of the rows. So it does
not depend on how wide the registers of a processor are.
"""

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.compile.simd.lanes import REGISTER, is_matrix, spread
from robodyn_ros.spatial.primitive import MACHINE_CODE
from robodyn_ros.spatial.row_products import BYTES, LANES, subtract_products

DEPTH = 4  # registers for a row of sums


@intrinsic
def _one_row(_, X, target, count, A, row, begin, end):
    """Emit `subtract_products`."""

    def emit(context, builder, signature, given):
        X, target, count, A, row, begin, end = given
        matrices = (
            Rows(context, builder, signature.args[0], X),
            Rows(context, builder, signature.args[3], A),
        )
        _emit_sums(builder, *matrices, (target, row), count, begin, end)
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


def _emit_sums(builder, X, A, rows, count, begin, end):
    """Emit the sums of a row, in blocks of columns."""
    index = count.type
    width, block = index(LANES), index(LANES * DEPTH)
    registers = builder.sdiv(builder.add(count, index(LANES - 1)), width)
    whole = builder.mul(builder.sdiv(registers, index(DEPTH)), block)
    with cgutils.for_range_slice(builder, index(0), whole, block, intp=index) as (first, _):
        _emit_block(builder, X, A, rows, first, DEPTH, begin, end)
    rest = builder.srem(registers, index(DEPTH))
    for depth in range(1, DEPTH):
        with builder.if_then(builder.icmp_signed('==', rest, index(depth))):
            _emit_block(builder, X, A, rows, whole, depth, begin, end)


def _emit_block(builder, X, A, rows, first, depth, begin, end):
    """Emit the sums of one block of columns. LLVM keeps the allocated vectors in registers."""
    (target, row), number, index = rows, ir.DoubleType(), first.type
    columns = [builder.add(first, index(LANES * k)) for k in range(depth)]
    sums = [
        (X.at(target, column, REGISTER), cgutils.alloca_once(builder, REGISTER))
        for column in columns
    ]
    for stored, kept in sums:
        builder.store(builder.load(stored, align=8), kept)
    with cgutils.for_range_slice(builder, begin, end, index(1), intp=index) as (k, _):
        added = [builder.load(X.at(k, column, REGISTER), align=8) for column in columns]
        factor = spread(builder, builder.load(A.at(row, k, number)))
        for term, (_, kept) in zip(added, sums):
            product = builder.fmul(factor, term)
            builder.store(builder.fsub(builder.load(kept), product), kept)
    for stored, kept in sums:
        builder.store(builder.load(kept), stored, align=8)


def _product(X, target, count, A, row, begin, end):
    """Run the machine code of `subtract_products`."""
    _one_row(X, target, count, A, row, begin, end)


if not MISSING:
    MACHINE_CODE[subtract_products] = lambda X, target, count, A, *_: (
        _product if is_matrix(X, A) else None
    )
