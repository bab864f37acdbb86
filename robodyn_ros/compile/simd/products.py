# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `algorithms.core.matrices.negative_products`, whose sums stay in registers.

A block of columns of both right factors is copied to working memory, where its rows start at cache
lines. Then two rows of both products at a time are summed in registers, and replace the
columns. Every sum subtracts its terms in the order of the rows.
"""

import contextlib

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.algorithms.core.matrices import negative_products
from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.compile.simd.lanes import NUMBER, REGISTER, is_matrix, spread
from robodyn_ros.compile.simd.masked import lanes_before, load_lanes, store_lanes
from robodyn_ros.compile.simd.matrix_rows import Rows
from robodyn_ros.spatial.primitive import MACHINE_CODE
from robodyn_ros.spatial.row_products import BYTES, LANES

DEPTH = 2  # registers of each matrix in a block; with two matrices and two rows, eight sums
ZERO = ir.Constant(REGISTER, [0.0] * LANES)


@intrinsic
def _both(_, A, B, C, spare):
    """Emit both products."""

    def emit(context, builder, signature, given):
        square = context.make_array(signature.args[0])(context, builder, given[0])
        n = builder.extract_value(square.shape, 0)
        A, B, C, spare = (Rows(context, builder, *each) for each in zip(signature.args, given))
        _Products(builder, A, (B, C), spare, n).emit()
        return context.get_dummy_value()

    return types.void(A, B, C, spare), emit


class _Products:
    """Emits the products of one matrix with two others, a block of columns at a time.

    `builder` (llvmlite IRBuilder): where the code is emitted.
    `left` (Rows): the left factor.
    `right` (tuple of Rows): the right factors, replaced.
    `work` (Rows): working memory.
    `n` (LLVM value): size of the matrices.
    """

    def __init__(self, builder, left, right, spare, n):
        self._build, self._left, self._right, self._work = builder, left, right, spare
        self._n, self._index = n, n.type

    def emit(self):
        """Emit all blocks; the last one may have fewer registers, and the last of them lanes."""
        build, width = self._build, self._index(LANES * DEPTH)
        zero, whole = self._index(0), build.and_(self._n, self._index(-LANES * DEPTH))
        with cgutils.for_range_slice(build, zero, whole, width, intp=self._index) as (first, _):
            self._block(first, DEPTH, None)
        rest = build.sub(self._n, whole)
        for depth in range(1, DEPTH + 1):
            before = self._index(LANES * (depth - 1))
            more = build.icmp_signed('>', rest, before)
            fits = build.icmp_signed('<=', rest, self._index(LANES * depth))
            with build.if_then(build.and_(more, fits)):
                self._block(whole, depth, lanes_before(build, build.sub(rest, before)))

    def _block(self, first, depth, kept):
        """Emit one block; `kept` are the lanes of its last registers, all of them if None."""
        build, index = self._build, self._index
        columns = [build.add(first, index(LANES * k)) for k in range(depth)]
        places = [
            (matrix, column, kept if column is columns[-1] else None)
            for matrix in self._right
            for column in columns
        ]
        copies = [index(LANES * k) for k in range(len(places))]
        with self._rows(self._n, 1) as row:
            for (matrix, column, lanes), copy in zip(places, copies):
                address = matrix.at(row, column, REGISTER)
                value = (
                    build.load(address, align=BYTES)
                    if lanes is None
                    else load_lanes(build, address, lanes)
                )
                build.store(value, self._work.at(row, copy, REGISTER), align=BYTES)
        sums = [[cgutils.alloca_once(build, REGISTER) for _ in places] for _ in range(2)]
        with self._rows(self._n, 2) as row:
            last = build.sub(self._n, index(1))
            below = build.select(build.icmp_signed('<', row, last), build.add(row, index(1)), last)
            self._sum((row, below), copies, sums)
            for target, some in zip((row, below), sums):
                for (matrix, column, lanes), kept_sum in zip(places, some):
                    address, value = matrix.at(target, column, REGISTER), build.load(kept_sum)
                    if lanes is None:
                        build.store(value, address, align=BYTES)
                    else:
                        store_lanes(build, value, address, lanes)

    def _sum(self, rows, copies, sums):
        """Emit the sums of two rows. LLVM keeps the allocated registers in registers."""
        build = self._build
        for kept in (each for some in sums for each in some):
            build.store(ZERO, kept)
        with self._rows(self._n, 1) as k:
            terms = [build.load(self._work.at(k, copy, REGISTER), align=BYTES) for copy in copies]
            for row, some in zip(rows, sums):
                factor = spread(build, build.load(self._left.at(row, k, NUMBER)))
                for term, kept in zip(terms, some):
                    product = build.fmul(factor, term)
                    build.store(build.fsub(build.load(kept), product), kept)

    @contextlib.contextmanager
    def _rows(self, end, step):
        """Emit a loop over rows."""
        zero, step = self._index(0), self._index(step)
        with cgutils.for_range_slice(self._build, zero, end, step, intp=self._index) as (row, _):
            yield row


def _negative_products(A, B, C, spare):
    """Run the machine code."""
    _both(A, B, C, spare)


if not MISSING:
    MACHINE_CODE[negative_products] = lambda *arrays: (
        _negative_products if is_matrix(*arrays) else None
    )
