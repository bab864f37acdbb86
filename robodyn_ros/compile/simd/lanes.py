# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of `algorithms.derivatives.tiles`: registers of eight bodies as numbers.

A tile is a block of memory at the end of working memory. Column k of working memory is its
register k, with a lane for each of eight bodies. So a number is at a constant distance from the
begin of its tile. The base is the last lane of the first tile, and bodies begin with the second
one. Lanes behind the last body compute with any numbers, which no result depends on.

Rows of bodies and of tiles are types of their own, whose entries are numbers and registers. The
arithmetic of registers is that of numbers, so functions of a body take eight bodies as they are.
"""

import operator

from llvmlite import ir
from numba import from_dtype, types
from numba.extending import (
    infer_getattr,
    intrinsic,
    lower_getattr_generic,
    lower_setattr_generic,
    models,
    overload,
    register_model,
)

from robodyn_ros.algorithms.core.working_memory import TILE, TILE_WIDTH, tiles_of
from robodyn_ros.algorithms.derivatives import tiles
from robodyn_ros.compile import reproducible
from robodyn_ros.compile.numba_private import MISSING, AttributeTemplate, cgutils
from robodyn_ros.compile.simd.trigonometry import cosines_and_sines
from robodyn_ros.model.layout import HELICAL, KIND, MASS, REVOLUTE, ROTOR, ZERO, Q
from robodyn_ros.spatial.primitive import MACHINE_CODE, unfused
from robodyn_ros.spatial.work import AT, COLUMNS, WIDTH, WORK

FLAGS = () if reproducible.WANTED else ('contract', 'nsz', 'reassoc')
NUMBER = ir.DoubleType()
REGISTER = ir.VectorType(NUMBER, TILE)
ALIGNED = 8 * TILE  # bytes
WORK_ROW = from_dtype(WORK)
MASSES, WRENCHES = AT.mass, AT.wrench
INLINED = {'forceinline': True, 'no_cfunc_wrapper': True}


class RegisterType(types.Type):
    """The type of a register of eight numbers.

    `*args`, `**kwargs`: None; numba keeps one object of each type.
    """

    def __init__(self):
        super().__init__('register of eight numbers')


@register_model(RegisterType)
class _RegisterModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, REGISTER)


class RowsType(types.Type):
    """The type of the rows of tiles, one for each body or for eight bodies.

    `*args`, `**kwargs`: the type of an entry: a number or a register.
    """

    def __init__(self, entry):
        self.entry = entry
        super().__init__(f'rows of tiles, each entry a {entry}')


@register_model(RowsType)
class _RowsModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, NUMBER.as_pointer())


class RowType(types.Type):
    """The type of one row of tiles, or of a block in it.

    `*args`, `**kwargs`: the type of the rows, and the fields, as in COLUMNS.
    """

    def __init__(self, rows, fields):
        self.rows, self.fields = rows, fields
        first, _ = next(iter(fields.values()))
        super().__init__(f'row of {rows}, {len(fields)} fields from column {first}')


class FieldType(types.Type):
    """The type of fields of several entries.

    All fields have one type, so functions of a field are compiled once. Its column is a number,
    which is constant in machine code.

    `*args`, `**kwargs`: the type of the rows.
    """

    def __init__(self, rows):
        self.rows = rows
        super().__init__(f'field of {rows}')


@register_model(RowType)
@register_model(FieldType)
class _PlaceModel(models.StructModel):
    def __init__(self, manager, kind):
        parts = [('rows', kind.rows), ('i', types.intp), ('first', types.intp)]
        super().__init__(manager, kind, parts)


EIGHT = RegisterType()
BODIES, TILES = RowsType(types.float64), RowsType(EIGHT)


def _rows_of(kind):
    """Return an intrinsic that gives rows of tiles, whose columns may be shifted."""

    @intrinsic
    def rows(_, work, count, shift):
        def emit(context, builder, signature, given):
            array = context.make_array(signature.args[0])(context, builder, given[0])
            first = tile_memory(builder, array, given[1])
            return builder.gep(first, [builder.mul(given[2], given[2].type(TILE))])

        return kind(work, types.intp, types.intp), emit

    return rows


def tile_memory(builder, array, count):
    """Return the address of the first tile, that of the base, in machine code.

    `array` (array structure): working memory.
    `count` (LLVM value): number of tiles.
    """
    index = count.type
    rows = builder.extract_value(array.shape, 0)
    size = builder.mul(rows, rows.type(WIDTH))
    tiles = builder.mul(builder.add(count, index(1)), index(TILE_WIDTH * TILE))
    memory = builder.bitcast(array.data, NUMBER.as_pointer())
    first = builder.gep(memory, [builder.sub(size, tiles)])
    whole = builder.and_(builder.ptrtoint(first, index), index(-ALIGNED))
    return builder.inttoptr(whole, NUMBER.as_pointer())


_bodies, _tiles = _rows_of(BODIES), _rows_of(TILES)


def _address(builder, kind, rows, i, k):
    """Return the address of an entry."""
    index, tile, lane = i.type, i, None
    if kind == BODIES:
        place = builder.add(i, index(TILE - 1))
        tile = builder.ashr(place, index(TILE.bit_length() - 1))
        lane = builder.and_(place, index(TILE - 1))
    offset = builder.mul(builder.add(builder.mul(tile, index(TILE_WIDTH)), k), index(TILE))
    if lane is not None:
        return builder.gep(rows, [builder.add(offset, lane)])
    return builder.bitcast(builder.gep(rows, [offset]), REGISTER.as_pointer())


@intrinsic
def _load(_, rows, i, k):
    def emit(_context, builder, signature, given):
        kind = signature.args[0]
        return builder.load(
            _address(builder, kind, *given), align=ALIGNED if kind == TILES else None
        )

    return rows.entry(rows, types.intp, types.intp), emit


@intrinsic
def _store(_, rows, i, k, value):
    def emit(context, builder, signature, given):
        kind, *_, value = signature.args
        address = _address(builder, kind, *given[:3])
        number = spread(builder, given[3]) if kind.entry != value else given[3]
        builder.store(number, address, align=ALIGNED if kind == TILES else None)
        return context.get_dummy_value()

    kind = rows.entry if value == rows.entry else types.float64
    return types.void(rows, types.intp, types.intp, kind), emit


def spread(builder, number, kind=REGISTER):
    """Return a register with one number in every lane.

    `kind` (LLVM type): type of the register.
    """
    nothing, index = ir.Constant(kind, ir.Undefined), ir.IntType(32)
    one = builder.insert_element(nothing, number, index(0))
    return builder.shuffle_vector(one, nothing, ir.Constant(ir.VectorType(index, TILE), None))


@intrinsic
def _row(_, rows, i):
    def emit(context, builder, signature, given):
        return _place(context, builder, signature.return_type, *given)

    return RowType(rows, COLUMNS)(rows, types.intp), emit


def _place(context, builder, kind, rows, i, first=0):
    """Return the value of a row or field."""
    place = cgutils.create_struct_proxy(kind)(context, builder)
    place.rows, place.i, place.first = rows, i, i.type(first)
    return place._getvalue()


@intrinsic
def _parts(_, place):
    """Return rows, number of the row, and first column of a row or field."""
    returned = types.Tuple((place.rows, types.intp, types.intp))

    def emit(context, builder, signature, given):
        own = cgutils.create_struct_proxy(place)(context, builder, given[0])
        return context.make_tuple(builder, returned, (own.rows, own.i, own.first))

    return returned(place), emit


def _kind_of_field(row, name):
    """Return the type of a field of a row, None for an unknown one."""
    if name not in row.fields:
        return None
    _, size = row.fields[name]
    if isinstance(size, dict):
        return RowType(row.rows, size)
    return row.rows.entry if size == 1 else FieldType(row.rows)


def _read_field(context, builder, row, value, name):
    own = cgutils.create_struct_proxy(row)(context, builder, value)
    kind, (first, _) = _kind_of_field(row, name), row.fields[name]
    if isinstance(kind, FieldType):
        return _place(context, builder, kind, own.rows, own.i, first)
    if isinstance(kind, RowType):
        return _place(context, builder, kind, own.rows, own.i)
    address = _address(builder, row.rows, own.rows, own.i, own.i.type(first))
    return builder.load(address, align=ALIGNED if row.rows == TILES else None)


def _write_field(context, builder, signature, given, name):
    row, _ = signature.args
    own = cgutils.create_struct_proxy(row)(context, builder, given[0])
    first, _ = row.fields[name]
    address = _address(builder, row.rows, own.rows, own.i, own.i.type(first))
    builder.store(given[1], address, align=ALIGNED if row.rows == TILES else None)


def _arithmetic(operation, instruction):
    """Define an operation of registers, and of registers with numbers."""

    @intrinsic
    def run(_, a, b):
        kinds = [EIGHT if each == EIGHT else types.float64 for each in (a, b)]

        def emit(_context, builder, signature, given):
            both = [
                value if kind == EIGHT else spread(builder, value)
                for kind, value in zip(signature.args, given)
            ]
            return getattr(builder, instruction)(*both, flags=FLAGS)

        return EIGHT(*kinds), emit

    @overload(operation, jit_options=INLINED)
    def chosen(a, b):
        if EIGHT in (a, b):
            return lambda a, b: run(a, b)
        return None


@intrinsic
def _minus(_, a):
    return EIGHT(EIGHT), lambda _context, builder, _signature, given: builder.fneg(given[0])


def _entry_of(rows, place):
    """Return an entry of a row or field."""
    own, i, first = _parts(rows)
    return _load(own, i, first + place)


def _write_entry_of(rows, place, value):
    """Write an entry of a row or field."""
    own, i, first = _parts(rows)
    _store(own, i, first + place, value)


def _define():
    """Define entries and fields of rows, and the arithmetic of registers."""

    @infer_getattr
    class Fields(AttributeTemplate):
        key = RowType

        def generic_resolve(self, row, name):
            return _kind_of_field(row, name)

    lower_getattr_generic(RowType)(_read_field)
    lower_setattr_generic(RowType)(_write_field)

    @overload(operator.getitem, jit_options=INLINED)
    def entry(rows, place):
        if isinstance(rows, RowsType):
            if isinstance(place, types.Integer):
                return lambda rows, place: _row(rows, place)
            return lambda rows, place: _load(rows, place[0], place[1])
        if isinstance(rows, (RowType, FieldType)):
            return _entry_of
        return None

    @overload(operator.setitem, jit_options=INLINED)
    def write(rows, place, value):
        if isinstance(rows, RowsType):
            return lambda rows, place, value: _store(rows, place[0], place[1], value)
        if isinstance(rows, (RowType, FieldType)):
            return _write_entry_of
        return None

    @overload(operator.neg, jit_options=INLINED)
    def negative(a):
        return (lambda a: _minus(a)) if a == EIGHT else None

    @overload(operator.eq, jit_options=INLINED)
    def equal(a, b):
        # a shorter way that a single body may go, such as that of a rotation about x
        return (lambda a, b: False) if a == EIGHT else None

    for operation, instruction in (
        (operator.add, 'fadd'),
        (operator.sub, 'fsub'),
        (operator.mul, 'fmul'),
    ):
        _arithmetic(operation, instruction)


def _body_by_body(topology, work):
    """Return the rows of single bodies."""
    return _bodies(work, tiles_of(topology), 0)


def _tile_by_tile(topology, work):
    """Return the rows of tiles."""
    return _tiles(work, tiles_of(topology), 0)


def _last_tile(topology):
    """Return the number of tiles."""
    return tiles_of(topology)


def _numbers(topology, constants, work):
    """Copy numbers of bodies to the tiles; return the rows that have them."""
    count, shift = tiles_of(topology), MASSES - MASS
    rows = _bodies(work, count, shift)
    for i in range(1, topology.shape[0]):
        for k in range(MASS, ROTOR):
            rows[i, k] = constants[i, k]
    return _tiles(work, count, shift)


@intrinsic
def _as_tiles(_, rows):
    """Return rows of tiles for those of their bodies."""
    return TILES(rows), lambda _context, _builder, _signature, given: given[0]


@intrinsic
def _cosine_and_sine(_, angles):
    def emit(context, builder, signature, given):
        (both,) = cosines_and_sines(builder, given)
        return context.make_tuple(builder, signature.return_type, both)

    return types.UniTuple(EIGHT, 2)(EIGHT), emit


@unfused
def _turn_tile(joints, i):
    """Replace eight angles by cosines and sines; another order would break the rounding."""
    joints[i].cos, joints[i].sin = _cosine_and_sine(joints[i].sin)


def _turn_joints(topology, constants, rows, q):
    """Store cosine and sine of all joint angles, those of eight joints at once."""
    count, joints = tiles_of(topology), _as_tiles(rows)
    for i in range(1, topology.shape[0]):
        if topology[i, KIND] == REVOLUTE or topology[i, KIND] == HELICAL:
            rows[i].sin = q[topology[i, Q]] + constants[i, ZERO]
        else:
            rows[i].sin = 0.0
    for i in range(topology.shape[0], TILE * count + 1):
        rows[i].sin = 0.0  # an angle of any size would take the long way
    for i in range(1, count + 1):
        _turn_tile(joints, i)


def _wrenches(topology, f_ext, work):
    """Copy external wrenches to the tiles; return the rows that have them."""
    rows = _bodies(work, tiles_of(topology), WRENCHES)
    for i in range(1, topology.shape[0]):
        for k in range(6):
            rows[i, k] = f_ext[i, k]
    return _tiles(work, tiles_of(topology), WRENCHES)


def is_work(kind):
    """Return whether a type is that of working memory."""
    return isinstance(kind, types.Array) and kind.dtype == WORK_ROW and kind.layout == 'C'


def is_matrix(*kinds):
    """Return whether types are those of contiguous matrices of numbers.

    `*kinds` (numba type): the types.
    """
    return all(
        isinstance(each, types.Array)
        and (each.dtype, each.ndim, each.layout) == (types.float64, 2, 'C')
        for each in kinds
    )


if not MISSING:
    _define()
    MACHINE_CODE |= {
        tiles.body_by_body: lambda topology, work: _body_by_body if is_work(work) else None,
        tiles.tile_by_tile: lambda topology, work: _tile_by_tile if is_work(work) else None,
        tiles.last_tile: lambda topology: _last_tile,
        tiles.turn_joints: lambda topology, constants, rows, q: (
            _turn_joints if rows == BODIES and not reproducible.WANTED else None
        ),
        tiles.numbers_in_tiles: lambda topology, constants, work: (
            _numbers if is_matrix(constants) and is_work(work) else None
        ),
        tiles.wrenches_in_tiles: lambda topology, f_ext, work: (
            _wrenches if is_matrix(f_ext) and is_work(work) else None
        ),
    }
