# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `derivatives.unit_torques`: torques at eight joints in each register.

The numbers of a body are the same for all torques. Each of three sweeps keeps the forces or
accelerations for several torques in registers from body to body. It stores them in working memory
only where the tree branches. Results are columns of the matrices, and turned into rows at last.
"""

import contextlib

import numba
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from robodyn_ros.algorithms.core.matrices import ordered
from robodyn_ros.algorithms.core.working_memory import TILE, TILE_WIDTH, tiles_of
from robodyn_ros.algorithms.derivatives.tiles import body_by_body
from robodyn_ros.algorithms.derivatives.unit_torques import (
    ACCELERATION,
    BEYOND,
    BY_Q,
    BY_QD,
    FORCE,
    JOINT,
    TOGETHER,
    TORQUE,
    products_by_unit_torques,
)
from robodyn_ros.compile import reproducible
from robodyn_ros.compile.numba_private import MISSING, cgutils, get_host_cpu_features
from robodyn_ros.compile.simd.lanes import (
    NUMBER,
    REGISTER,
    is_matrix,
    is_work,
    spread,
    tile_memory,
)
from robodyn_ros.compile.simd.masked import lanes_before, store_lanes
from robodyn_ros.compile.simd.matrix_rows import Rows
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.primitive import MACHINE_CODE, inlined
from robodyn_ros.spatial.row_products import BYTES
from robodyn_ros.spatial.work import AT


def _depth():
    """Return the number of registers of each quantity.

    With one, a sweep waits for results of the body before. Not all processors have enough for two.
    """
    features = numba.config.CPU_FEATURES or get_host_cpu_features()
    return TOGETHER // TILE if '+avx512f' in features else 1


DEPTH = _depth()
FLAGS = () if reproducible.WANTED else ('contract', 'nsz')  # sums keep their order
ZERO = ir.Constant(REGISTER, [0.0] * TILE)
INTEGER = ir.IntType(64)
HALF = ir.VectorType(NUMBER, TILE // 2)
#: Columns of work, in the place of numbers for pairs of joints.
SECOND_CHILD = AT.enter  # first child that does not follow its parent at once
NEXT_SIBLING = AT.last  # next child of the same parent
FIRST_CHILD = AT.free
NONE = 1e9  # no such child: behind all bodies


@inlined
def number_children(topology, rows):
    """Store where the tree branches.

    `rows`: rows of bodies in tiles.
    """
    for i in range(topology.shape[0]):
        rows[i, SECOND_CHILD] = NONE
        rows[i, FIRST_CHILD] = NONE
    for i in range(topology.shape[0] - 1, 0, -1):
        parent = topology[i, PARENT]
        rows[i, NEXT_SIBLING] = rows[parent, FIRST_CHILD]
        rows[parent, FIRST_CHILD] = float(i)
        if parent != i - 1:
            rows[parent, SECOND_CHILD] = float(i)


@inlined
def in_order_of_joints(topology, matrix, spare):
    """Move rows and columns from the order of the bodies to that of the joints.

    `spare`: working memory, of the shape of `unit_torques.memory`.
    """
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            spare[i, j] = matrix[i, j]
    for i in range(matrix.shape[0]):
        for j in range(matrix.shape[0]):
            matrix[topology[i + 1, V], topology[j + 1, V]] = spare[i, j]


@intrinsic
def _sweeps(_, topology, work, count, spare, by_q, by_qd, by_tau):
    """Emit the sweeps for all torques."""

    def emit(context, builder, signature, given):
        kinds = signature.args
        arrays = [context.make_array(kinds[k])(context, builder, given[k]) for k in (1, 4)]
        n = builder.extract_value(arrays[1].shape, 0)
        parents, spare, *matrices = (
            Rows(context, builder, kinds[k], given[k]) for k in (0, 3, 4, 5, 6)
        )
        tiles = tile_memory(builder, arrays[0], given[2])
        _Torques(builder, tiles, parents, spare, matrices, n).emit()
        return context.get_dummy_value()

    return types.void(topology, work, types.intp, spare, by_q, by_qd, by_tau), emit


class _Torques:
    """Emits all sweeps, some torques at a time.

    `builder` (llvmlite IRBuilder): where the code is emitted.
    `tiles` (LLVM value): address of the first tile.
    `topology`, `work` (Rows): structure of the robot, and working memory.
    `matrices` (list of Rows): written matrices.
    `n` (LLVM value): their size.
    """

    def __init__(self, builder, tiles, topology, spare, matrices, n):
        self._build, self._tiles, self._topology, self._work = builder, tiles, topology, spare
        self._matrices, self._n, self._index = matrices, n, n.type

    def emit(self):
        """Emit all torques; the last ones may need fewer registers."""
        build, index = self._build, self._index
        with self._rows(index(0), self._n, TILE * DEPTH) as first:
            end = self._least(self._next(first, TILE * DEPTH), self._n)
            count = build.sub(end, first)
            for depth in range(1, DEPTH + 1):
                fits = build.icmp_signed('>', count, index(TILE * (depth - 1)))
                if depth < DEPTH:
                    least = build.icmp_signed('<=', count, index(TILE * depth))
                    fits = build.and_(fits, least)
                with build.if_then(fits):
                    self._torques(first, end, range(depth))
                    self._accelerations(range(depth))
                    self._beyond(range(depth))
            with self._rows(first, end, TILE) as row:
                self._write(row, build.sub(row, first))

    def _torques(self, first, end, every):
        """Emit `torque_at_joint`; bodies behind the last torque carry no joint with one."""
        with self._rows(end, self._n) as row:
            for d in every:
                self._keep(row, TORQUE, d, ZERO)
        force = self._registers(6, every)
        with self._bodies_to_base(end) as (row, body, parent):
            self._add_branches(row, body, end, force, FORCE)
            place = self._build.sub(row, first)
            torque = self._subtract([self._unit(place, d) for d in every], body, AT.axis, force)
            for d in every:
                self._keep(row, TORQUE, d, torque[d])
            for k, each in enumerate(force):
                self._add_to(each, self._number(body, AT.gain + k), torque)
            self._leave(row, body, parent, end, force, FORCE)

    def _accelerations(self, every):
        """Emit `accelerate_bodies`."""
        build, index = self._build, self._index
        motion, by_q, by_qd = (self._registers(count, every) for count in (6, 1, 1))
        with self._rows(index(0), self._n) as row:
            body, parent = self._place(row)
            with build.if_then(build.icmp_signed('!=', parent, row)):
                self._clear(motion)
                with build.if_then(build.icmp_signed('>', parent, index(0))):
                    self._load_all(self._next(parent, -1), ACCELERATION, motion)
            inverse = self._number(body, AT.d_inverse)
            own = [self._times(inverse, self._kept(row, TORQUE, d)) for d in every]
            joint = self._subtract(own, body, AT.gain, motion)
            for d in every:
                self._keep(row, JOINT, d, joint[d])
            self._clear(by_q + by_qd)
            for k, each in enumerate(motion):
                self._add_to(each, self._number(body, AT.axis + k), joint)
                for total, column in ((by_q, AT.beyond), (by_qd, AT.by_velocity)):
                    self._add_to(total[0], self._number(body, column + k), self._loaded(each))
            self._store_all(row, BY_Q, by_q + by_qd)
            branches = build.fcmp_ordered('<', self._scalar(body, SECOND_CHILD), NUMBER(NONE))
            with build.if_then(branches):
                self._store_all(row, ACCELERATION, motion)

    def _beyond(self, every):
        """Emit `add_joints_beyond`."""
        beyond, by_q, by_qd = (self._registers(count, every) for count in (9, 1, 1))
        motions = [
            [*range(first, first + 6), *range(turning, turning + 3)]
            for first, turning in ((AT.carried_rate, AT.carried), (AT.both_rates, AT.axis))
        ]
        with self._bodies_to_base(self._n) as (row, body, parent):
            self._add_branches(row, body, self._n, beyond, BEYOND)
            self._load_all(row, BY_Q, by_q + by_qd)
            joint = [self._kept(row, JOINT, d) for d in every]
            for k, each in enumerate(beyond):
                for total, columns in zip((by_q, by_qd), motions):
                    self._add_to(total[0], self._number(body, columns[k]), self._loaded(each))
                self._add_to(each, self._number(body, AT.joint_momentum + k), joint)
            self._store_all(row, BY_Q, by_q + by_qd)
            self._leave(row, body, parent, self._n, beyond, BEYOND)

    def _write(self, first, shift):
        """Write the rows for eight torques to all matrices, eight columns at a time."""
        build, index = self._build, self._index
        rows = [self._next(first, lane) for lane in range(TILE)]
        places = [[self._begin(matrix, row) for row in rows] for matrix in self._matrices]
        whole = build.and_(self._n, index(-TILE))
        with self._rows(index(0), whole, TILE) as column:
            self._write_columns(first, column, shift, places, None)
        with build.if_then(build.icmp_signed('<', whole, self._n)):
            kept = lanes_before(build, build.sub(self._n, whole))
            self._write_columns(first, whole, shift, places, kept)

    def _write_columns(self, first, column, shift, places, kept):
        """Write eight columns; those of M^-1 from the diagonal on, with their mirror image."""
        build, (by_q, by_qd, by_tau) = self._build, places
        self._store_rows(by_q, column, self._turned(column, BY_Q, shift), kept)
        self._store_rows(by_qd, column, self._turned(column, BY_QD, shift), kept)
        with build.if_then(build.icmp_signed('>=', column, first)):
            rows = [self._next(column, r) for r in range(TILE)]
            below = [build.fneg(self._eight(row, JOINT, shift)) for row in rows]
            above = [build.fneg(row) for row in self._turned(column, JOINT, shift)]
            with build.if_else(build.icmp_signed('==', column, first)) as (diagonal, beside):
                with diagonal:
                    self._store_rows(by_tau, column, self._symmetric(below, above), kept)
                with beside:
                    self._store_rows(by_tau, column, above, kept)
                    mirrored = [self._begin(self._matrices[2], row) for row in rows]
                    self._store_rows(mirrored, first, below, None)

    def _symmetric(self, below, above):
        """Return rows with entries of two matrices, below the diagonal and above it."""
        kind = ir.VectorType(ir.IntType(1), TILE)
        lower = [[k <= row for k in range(TILE)] for row in range(TILE)]
        return [
            self._build.select(ir.Constant(kind, each), x, y)
            for each, x, y in zip(lower, below, above)
        ]

    def _begin(self, matrix, row):
        """Return where a row begins; a row behind the last one is in working memory instead."""
        place, start = self._build.icmp_signed('<', row, self._n), self._index(0)
        return self._build.select(
            place, matrix.at(row, start, NUMBER), self._work.at(row, start, NUMBER)
        )

    def _store_rows(self, places, column, values, kept):
        """Write registers to rows, at the same columns; only the lanes that are kept."""
        build = self._build
        for place, value in zip(places, values):
            address = build.bitcast(build.gep(place, [column]), REGISTER.as_pointer())
            if kept is None:
                build.store(value, address, align=BYTES)
            else:
                store_lanes(build, value, address, kept)

    def _turned(self, first, k, shift):
        """Return a quantity of eight bodies for eight torques, a register for each torque."""
        turned = []
        for half in range(0, TILE, TILE // 2):
            quarters = [
                self._eight(self._next(first, r), k, self._next(shift, half), HALF)
                for r in range(TILE)
            ]
            four = [self._mixed(quarters[r], quarters[r + 4], range(TILE)) for r in range(4)]
            even, odd = (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15)
            pairs = [
                [self._mixed(*four[r : r + 2], order) for r in (0, 2)] for order in (even, odd)
            ]
            for order in (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15):
                turned += [self._mixed(*pair, order) for pair in pairs]
        return turned

    def _eight(self, row, k, shift, kind=REGISTER):
        """Return a register of working memory for torques behind the first of the block."""
        column = self._next(shift, k * TOGETHER)
        return self._build.load(self._work.at(row, column, kind), align=BYTES)

    def _mixed(self, a, b, order):
        """Return entries of two registers in some order."""
        kind = ir.VectorType(ir.IntType(32), TILE)
        return self._build.shuffle_vector(a, b, ir.Constant(kind, list(order)))

    @contextlib.contextmanager
    def _rows(self, begin, end, step=1):
        """Emit a loop over rows."""
        step = self._index(step)
        with cgutils.for_range_slice(self._build, begin, end, step, intp=self._index) as (row, _):
            yield row

    @contextlib.contextmanager
    def _bodies_to_base(self, count):
        """Emit a loop over the first bodies, from the last of them to the base."""
        last, behind, step = self._next(count, -1), self._index(-1), self._index(-1)
        with cgutils.for_range_slice(
            self._build, last, behind, step, intp=self._index, inc=False
        ) as (row, _):
            yield row, *self._place(row)

    def _place(self, row):
        """Return the address of the numbers of a body, and the row of its parent in `work`."""
        build, index = self._build, self._index
        tile = self._next(build.ashr(row, index(TILE.bit_length() - 1)), 1)
        lane = build.and_(row, index(TILE - 1))
        offset = build.add(build.mul(tile, index(TILE_WIDTH * TILE)), lane)
        parent = build.load(self._topology.at(self._next(row, 1), index(PARENT), INTEGER))
        return build.gep(self._tiles, [offset]), parent

    def _next(self, row, further):
        return self._build.add(row, self._index(further))

    def _least(self, a, b):
        return self._build.select(self._build.icmp_signed('<', a, b), a, b)

    def _scalar(self, body, k):
        """Return a number of a body."""
        return self._build.load(self._build.gep(body, [self._index(k * TILE)]))

    def _number(self, body, k):
        """Return a number of a body in all lanes."""
        return spread(self._build, self._scalar(body, k))

    def _unit(self, place, d):
        """Return -1 in the lane of a torque, if it is in register d."""
        build, lanes = self._build, ir.VectorType(self._index, TILE)
        here = ir.Constant(lanes, [TILE * d + lane for lane in range(TILE)])
        found = build.icmp_signed('==', spread(build, place, lanes), here)
        return build.select(found, ir.Constant(REGISTER, [-1.0] * TILE), ZERO)

    def _kept(self, row, k, d):
        """Return a register of working memory."""
        return self._eight(row, k, self._index(d * TILE))

    def _keep(self, row, k, d, value):
        """Write a register to working memory."""
        column = self._index(k * TOGETHER + d * TILE)
        self._build.store(value, self._work.at(row, column, REGISTER), align=BYTES)

    def _registers(self, count, every):
        """Return variables that LLVM keeps in registers, zero at first."""
        found = [[cgutils.alloca_once(self._build, REGISTER) for _ in every] for _ in range(count)]
        self._clear(found)
        return found

    def _clear(self, variables):
        for each in (each for some in variables for each in some):
            self._build.store(ZERO, each)

    def _loaded(self, some):
        return [self._build.load(each) for each in some]

    def _load_all(self, row, first, variables):
        """Read variables from working memory."""
        for k, some in enumerate(variables):
            for d, each in enumerate(some):
                self._build.store(self._kept(row, first + k, d), each)

    def _store_all(self, row, first, variables):
        """Write variables to working memory."""
        for k, some in enumerate(variables):
            for d, value in enumerate(self._loaded(some)):
                self._keep(row, first + k, d, value)

    def _sum_all(self, row, first, variables):
        """Add working memory to variables."""
        for k, some in enumerate(variables):
            for d, each in enumerate(some):
                total = self._add(self._build.load(each), self._kept(row, first + k, d))
                self._build.store(total, each)

    def _add_branches(self, row, body, end, variables, first):
        """Add what children of a body left that do not follow it at once, before a last row."""
        found = self._build.fcmp_ordered('<=', self._scalar(body, SECOND_CHILD), self._float(end))
        with self._build.if_then(found):
            self._sum_all(row, first, variables)

    def _leave(self, row, body, parent, end, variables, first):
        """Leave variables to the parent, unless it is the next body; then clear them."""
        build = self._build
        with build.if_then(build.icmp_signed('!=', parent, row)):
            with build.if_then(build.icmp_signed('>', parent, self._index(0))):
                place, sibling = self._next(parent, -1), self._scalar(body, NEXT_SIBLING)
                with build.if_then(build.fcmp_ordered('<=', sibling, self._float(end))):
                    self._sum_all(place, first, variables)
                self._store_all(place, first, variables)
            self._clear(variables)

    def _float(self, number):
        return self._build.sitofp(number, NUMBER)

    def _add(self, a, b):
        return self._build.fadd(a, b, flags=FLAGS)

    def _times(self, a, b):
        return self._build.fmul(a, b, flags=FLAGS)

    def _add_to(self, some, number, values):
        """Add products with a number to variables."""
        for each, value in zip(some, values):
            total = self._add(self._build.load(each), self._times(number, value))
            self._build.store(total, each)

    def _subtract(self, values, body, first, variables):
        """Return values minus sums of products, in two parts that do not wait for each other."""
        build, parts = self._build, [list(values), [ZERO] * len(values)]
        for k, some in enumerate(variables):
            number, part = self._number(body, first + k), parts[k % 2]
            for d, value in enumerate(self._loaded(some)):
                part[d] = build.fsub(part[d], self._times(number, value), flags=FLAGS)
        return [self._add(*pair) for pair in zip(*parts)]


def _products(topology, work, spare, by_q, by_qd, by_tau):
    """Run the machine code, and order its results if joints and bodies differ in their order."""
    number_children(topology, body_by_body(topology, work))
    _sweeps(topology, work, tiles_of(topology), spare, by_q, by_qd, by_tau)
    if not ordered(topology):
        in_order_of_joints(topology, by_q, spare)
        in_order_of_joints(topology, by_qd, spare)
        in_order_of_joints(topology, by_tau, spare)


if not MISSING:
    MACHINE_CODE[products_by_unit_torques] = lambda topology, *arrays: (
        _products if is_work(arrays[0]) and is_matrix(*arrays[1:]) else None
    )
