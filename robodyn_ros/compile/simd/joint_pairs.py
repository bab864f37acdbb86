# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `inverse_dynamics_derivatives.by_motion`: rows of all joints, eight at a time.

Joint i carries joint j if j is among its descendants. Numbered depth first, these follow i. Above
the diagonal an entry is a motion of the row's joint times a wrench of the column's joint. Below it
is the other way round. Wrenches or motions of eight columns stay in registers while all rows take
turns. So each entry is written once, a register at a time.
"""

import contextlib
import functools

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.algorithms.core.matrices import ordered
from robodyn_ros.algorithms.core.working_memory import TILE, TILE_WIDTH, tiles_of
from robodyn_ros.algorithms.derivatives.inverse_dynamics_derivatives import (
    by_motion,
    by_position,
    by_velocity,
)
from robodyn_ros.algorithms.derivatives.tiles import body_by_body
from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.compile.simd.lanes import (
    ALIGNED,
    FLAGS,
    REGISTER,
    is_matrix,
    is_work,
    spread,
    tile_memory,
)
from robodyn_ros.compile.simd.masked import lanes_before, store_lanes
from robodyn_ros.compile.simd.matrix_rows import Rows
from robodyn_ros.model.layout import PARENT
from robodyn_ros.spatial.primitive import MACHINE_CODE, inlined
from robodyn_ros.spatial.row_products import BYTES
from robodyn_ros.spatial.work import AT

ZERO = ir.Constant(REGISTER, [0.0] * TILE)


def _pairs(row, column, count):
    """Return pairs of columns: of the joint of the row, and of that of the column."""
    return [(row + k, column + k) for k in range(count)]


#: Sums of products for by_q, by_qd and by_qdd, above the diagonal and on it.
ABOVE = (
    _pairs(AT.axis, AT.beyond, 6),
    _pairs(AT.axis, AT.by_velocity, 6),
    _pairs(AT.axis, AT.joint_momentum, 6),
)
#: The same below the diagonal. Motions of B^T S have an angular part only.
BELOW = (
    _pairs(AT.joint_momentum, AT.carried_rate, 6) + _pairs(AT.joint_coriolis, AT.carried, 3),
    _pairs(AT.joint_momentum, AT.both_rates, 6) + _pairs(AT.joint_coriolis, AT.axis, 3),
    _pairs(AT.joint_momentum, AT.axis, 6),
)


@inlined
def number_depth_first(topology, rows):
    """Store the numbers of every body and of its last descendant, in the order of a walk.

    `rows`: rows of bodies in tiles.
    """
    for i in range(topology.shape[0]):
        rows[i].last = 0.0
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        rows[parent].last = rows[parent].last + rows[i].last + 1.0
    rows[0].free = 0.0
    for i in range(1, topology.shape[0]):
        parent = topology[i, PARENT]
        own = rows[parent].free
        last = own + rows[i].last
        rows[i].enter = own
        rows[i].last = last
        rows[i].free = own + 1.0
        rows[parent].free = last + 1.0


@intrinsic
def _all_pairs(_, work, count, by_q, by_qd, by_qdd):
    """Emit the rows of the three matrices."""

    def emit(context, builder, signature, given):
        kinds, count = signature.args, given[1]
        work = context.make_array(kinds[0])(context, builder, given[0])
        square = context.make_array(kinds[2])(context, builder, given[2])
        n = builder.extract_value(square.shape, 0)
        matrices = [Rows(context, builder, *each) for each in zip(kinds[2:], given[2:])]
        tiles = tile_memory(builder, work, count)
        _Columns(builder, tiles, matrices, n).emit()
        return context.get_dummy_value()

    return types.void(work, types.intp, by_q, by_qd, by_qdd), emit


class _Columns:
    """Emits all rows of three matrices, eight columns at a time.

    `builder` (llvmlite IRBuilder): where the code is emitted.
    `tiles` (LLVM value): address of the first tile.
    `matrices` (list of Rows): written matrices.
    `n` (LLVM value): their size.
    """

    def __init__(self, builder, tiles, matrices, n):
        self._build, self._tiles, self._matrices, self._n = builder, tiles, matrices, n
        self._index = n.type

    def emit(self):
        """Emit all columns; the last ones may be fewer than eight."""
        build, index = self._build, self._index
        whole = build.and_(self._n, index(-TILE))
        with cgutils.for_range_slice(build, index(0), whole, index(TILE), intp=index) as (
            first,
            _,
        ):
            self._columns(first, build.add(first, index(TILE)), None)
        with build.if_then(build.icmp_signed('<', whole, self._n)):
            self._columns(whole, self._n, lanes_before(build, build.sub(self._n, whole)))

    def _columns(self, first, end, kept):
        """Emit the columns from first to before end: rows above them, theirs, and those below."""
        build, index, tile = self._build, self._index, self._tile(first)
        wrenches = self._registers(tile, ABOVE)
        numbers = [self._register(tile, k) for k in (AT.enter, AT.last)]
        with self._rows(index(0), first) as row:
            carried, _ = self._related(row, *numbers)
            above = self._sums(ABOVE, row, wrenches)
            self._store(row, first, kept, [build.select(carried, x, ZERO) for x in above])
        motions = self._registers(tile, BELOW)
        with self._rows(first, end) as row:
            carried, carries = self._related(row, *numbers)
            sums = zip(self._sums(ABOVE, row, wrenches), self._sums(BELOW, row, motions))
            chosen = [build.select(carried, x, build.select(carries, y, ZERO)) for x, y in sums]
            self._store(row, first, kept, chosen)
        with self._rows(end, self._n) as row:
            _, carries = self._related(row, *numbers)
            below = self._sums(BELOW, row, motions)
            self._store(row, first, kept, [build.select(carries, x, ZERO) for x in below])

    @contextlib.contextmanager
    def _rows(self, begin, end):
        """Emit a loop over rows."""
        one = self._index(1)
        with cgutils.for_range_slice(self._build, begin, end, one, intp=self._index) as (row, _):
            yield row

    def _tile(self, column):
        """Return the address of the tile of a joint."""
        build, index = self._build, self._index
        tile = build.add(build.ashr(column, index(TILE.bit_length() - 1)), index(1))
        return build.gep(self._tiles, [build.mul(tile, index(TILE_WIDTH * TILE))])

    def _register(self, tile, k):
        """Return a register of a tile."""
        address = self._build.gep(tile, [self._index(k * TILE)])
        address = self._build.bitcast(address, REGISTER.as_pointer())
        return self._build.load(address, align=ALIGNED)

    def _registers(self, tile, terms):
        """Return {column: register} of the columns in sums."""
        columns = dict.fromkeys(column for pairs in terms for _, column in pairs)
        return {column: self._register(tile, column) for column in columns}

    def _everywhere(self, row, k):
        """Return a number of one joint in all lanes."""
        lane = self._build.and_(row, self._index(TILE - 1))
        place = self._build.add(lane, self._index(k * TILE))
        return spread(self._build, self._build.load(self._build.gep(self._tile(row), [place])))

    def _related(self, row, enter, last):
        """Return which joints the joint of the row carries, itself too, and which carry it."""
        build = self._build
        own, end = (self._everywhere(row, k) for k in (AT.enter, AT.last))
        behind = build.fcmp_ordered('>=', enter, own)
        carried = build.and_(behind, build.fcmp_ordered('<=', enter, end))
        before = build.fcmp_ordered('<', enter, own)
        return carried, build.and_(before, build.fcmp_ordered('>=', last, own))

    def _sums(self, terms, row, registers):
        """Return sums of products: numbers of the joint of a row, with registers of columns."""
        build, sums = self._build, []
        for pairs in terms:
            products = [
                build.fmul(self._everywhere(row, k), registers[column], flags=FLAGS)
                for k, column in pairs
            ]
            sums.append(functools.reduce(self._add, products))
        return sums

    def _add(self, a, b):
        return self._build.fadd(a, b, flags=FLAGS)

    def _store(self, row, first, kept, values):
        """Write a register to each matrix; only the lanes that are kept."""
        build = self._build
        for matrix, value in zip(self._matrices, values):
            address = matrix.at(row, first, REGISTER)
            if kept is None:
                build.store(value, address, align=BYTES)
            else:
                store_lanes(build, value, address, kept)


def _by_motion(topology, work, by_q, by_qd, by_qdd):
    """Run the machine code, or the plain functions if joints and bodies differ in their order."""
    rows = body_by_body(topology, work)
    if ordered(topology):
        number_depth_first(topology, rows)
        _all_pairs(work, tiles_of(topology), by_q, by_qd, by_qdd)
    else:
        by_velocity(topology, rows, by_qd, by_qdd)
        by_position(topology, rows, by_q)


if not MISSING:
    MACHINE_CODE[by_motion] = lambda topology, work, *arrays: (
        _by_motion if is_work(work) and is_matrix(*arrays) else None
    )
