"""The quickest safe way into machine code from Python: no type resolution, no boxes, no copies.

Numba's dispatcher asks every argument for its type and wraps every array; for straight-line code
of 0.1 us that is most of a call. An entry is a C function of CPython's vectorcall, emitted beside
the code it leads to: it looks at the arrays themselves, and takes nothing but what it knows.
"""
import ctypes
import functools
import sys
import textwrap

from llvmlite import ir
import numpy as np

REFUSED = -2  # status of an argument that is no float64 array of the expected dimensions

REAL, INTEGER, FLAGS = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
#: Where CPython and numpy keep things, in bytes (object.h, floatobject.h, tupleobject.h,
#: ndarraytypes.h).
TYPE, VALUE, FIRST_ITEM = 8, 16, 24
DATA, DIMENSIONS, LENGTHS, DTYPE, TRAITS, END = 16, 24, 32, 56, 64, 68
KIND = 24  # in a dtype: kind, letter, byte order, flags, number
READABLE, WRITEABLE = 0x101, 0x501  # C-contiguous and aligned; and writeable

_METH_FASTCALL = 0x80


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [('name', ctypes.c_char_p), ('address', ctypes.c_void_p),
                ('flags', ctypes.c_int), ('text', ctypes.c_char_p)]


def symbol(function_name):
    """Name of the entry emitted for a compiled function."""
    return f'{function_name}.entry'


class Given:
    """The arguments of a function of CPython's vectorcall, as its LLVM code looks at them.

    builder : at the beginning of the function. owner, arguments, count : the function's. refused :
    block to go to with an argument that is not as expected; `refusals` are the blocks it is
    reached from.
    """

    def __init__(self, builder, owner, arguments, count, refused):
        self.builder, self.refusals = builder, []
        self._owner, self._arguments, self._count = owner, arguments, count
        self._refused = refused

    def expect_count(self, count):
        """Leave unless there are so many arguments."""
        self._expect(self._count, INTEGER(count))

    def item(self, k):
        """Entry k of the tuple that owns the function, an object."""
        return self._load(self._owner, FIRST_ITEM + 8 * k)

    def array(self, k, axes, dtype, traits):
        """Argument k, which must be an array with these traits and the dtype that is entry `dtype`
        of the owner, or a copy of it, as pickles make: address of its data, and its lengths.
        """
        array, traits = self._load(self._arguments, 8 * k), FLAGS(traits)
        self._expect(self._load(array, TYPE), self.item(0))
        found = self._load(self._load(array, DTYPE), KIND)
        self._expect(found, self._load(self.item(dtype), KIND))
        found = self.builder.and_(self._load(array, TRAITS, FLAGS), traits)
        self._expect(found, traits)
        self._expect(self._load(array, DIMENSIONS, FLAGS), FLAGS(axes))
        lengths = self._load(array, LENGTHS)
        return (self._load(array, DATA),
                [self._load(lengths, 8 * axis) for axis in range(axes)])

    def number(self, k, kind):
        """Argument k, which must be a float, and entry `kind` of the owner the type of floats."""
        found = self._load(self._arguments, 8 * k)
        self._expect(self._load(found, TYPE), self.item(kind))
        return self._load(found, VALUE, REAL)

    def _load(self, address, offset, kind=INTEGER):
        place = self.builder.add(address, INTEGER(offset))
        return self.builder.load(self.builder.inttoptr(place, kind.as_pointer()))

    def _expect(self, value, wanted):
        self.refusals.append(self.builder.block)
        carry_on = self.builder.append_basic_block('go')
        self.builder.cbranch(self.builder.icmp_signed('==', value, wanted), carry_on,
                             self._refused)
        self.builder.position_at_end(carry_on)


def emit(module, name, body, dimensions, outputs):
    """Emit the entry of a function.

    body : LLVM function of (data, lengths ...) of each array that returns a status. dimensions :
    of each array. outputs : how many arrays, the last ones, are written.
    """
    function = ir.Function(module, ir.FunctionType(INTEGER, [INTEGER] * 3), name)
    start, leave = (function.append_basic_block(part) for part in ('start', 'leave'))
    builder = ir.IRBuilder(start)
    given = Given(builder, *function.args, leave)
    given.expect_count(len(dimensions))
    flat = []
    for k, axes in enumerate(dimensions):
        traits = WRITEABLE if k >= len(dimensions) - outputs else READABLE
        data, lengths = given.array(k, axes, 1, traits)
        flat += [builder.inttoptr(data, REAL.as_pointer()), *lengths]
    done, last = builder.call(body, flat), builder.block
    builder.branch(leave)
    builder.position_at_end(leave)
    status = builder.phi(INTEGER)
    for block in given.refusals:
        status.add_incoming(INTEGER(REFUSED), block)
    status.add_incoming(done, last)
    builder.ret(builder.call(api(module, 'PyLong_FromLong', INTEGER), [status]))


def api(module, name, *kinds):
    """A function of CPython's that returns an object."""
    return module.globals.get(name) or ir.Function(
        module, ir.FunctionType(INTEGER, kinds), name)


def entry(kernel):
    """A callable of the arrays of a compiled `Kernel` that returns its status, or REFUSED.

    It never raises and never converts: an array of another type, dtype, order or number of
    dimensions, or one that should be written and may not be, is REFUSED and nothing happens.
    Inputs may be read-only.
    """
    dispatcher = kernel.compiled
    (result,) = dispatcher.overloads.values()
    name = symbol(result.fndesc.llvm_func_name)
    address = result.library.get_pointer_to_function(name) if layout_is_known() else 0
    if not address:
        return functools.partial(_dispatched, dispatcher)
    return callable_at(address, np.ndarray, np.dtype(np.float64), dispatcher)


def callable_at(address, *items):
    """The Python function with this machine code, owned by a tuple that begins with the items:
    what it compares with, and what has to live as long as it does.
    """
    method = _Method(b'entry', address, _METH_FASTCALL, None)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p)
    return make(method, (*items, method), None)


METHOD = """def {name}({inputs}{option}):
    {results}
    return otherwise({inputs}{passed}) if {test}one({inputs}, {names}) else ({names})
"""


def method(name, text, one, otherwise, inputs, shapes, wrenches=False):
    """A Python function of arrays that calls an entry with new results, or, if there is only one,
    with `out`; whatever is refused goes to `otherwise`.

    Names of the arguments and all calls are written out: to look any of them up would take as long
    as the work. inputs : names. shapes : of the results. wrenches : whether there is an argument
    f_ext, with which nothing but `otherwise` can deal.
    """
    names = [f'result{k}' for k in range(len(shapes))]
    made = [f'{result} = empty({shape!r})' for result, shape in zip(names, shapes)]
    given = (['f_ext'] if wrenches else []) + (['out'] if len(shapes) == 1 else [])
    if 'out' in given:
        made = [f'{made[0]} if out is None else out']
    written = METHOD.format(
        name=name, inputs=', '.join(inputs), results='; '.join(made), names=', '.join(names),
        option=''.join(f', {key}=None' for key in given),
        passed=''.join(f', {key}={key}' for key in given),
        test='f_ext is not None or ' if wrenches else '')
    space = {'one': one, 'otherwise': otherwise, 'empty': np.empty}
    exec(f'def make(one, otherwise, empty):\n{textwrap.indent(written, "    ")}'
         f'    return {name}\n', space)
    function = space['make'](one, otherwise, np.empty)
    function.__doc__ = text
    return function


def _dispatched(dispatcher, *arrays):
    try:
        return dispatcher(*arrays)
    except (TypeError, ValueError):
        return REFUSED


@functools.cache
def layout_is_known():
    """Whether this interpreter and this numpy keep things where the entries look for them."""
    if not (sys.implementation.name == 'cpython' and ctypes.sizeof(ctypes.c_void_p) == 8
            and sys.byteorder == 'little' and object.__basicsize__ == 16
            and tuple.__basicsize__ == FIRST_ITEM and float.__basicsize__ == VALUE + 8
            and np.ndarray.__basicsize__ >= END):
        return False
    array = np.zeros((2, 3))
    array.flags.writeable = False
    items = (np.ndarray, array.dtype)

    def at(address, offset, kind=ctypes.c_int64):
        return kind.from_address(address + offset).value

    lengths = at(id(array), LENGTHS)
    traits = at(id(array), TRAITS, ctypes.c_int32)
    return (at(id(array), TYPE) == id(np.ndarray) == at(id(items), FIRST_ITEM)
            and at(id(array), DTYPE) == id(np.dtype(np.float64)) == at(id(items), FIRST_ITEM + 8)
            and ctypes.string_at(id(array.dtype) + KIND, 3) == b'fd='
            and at(id(array.dtype), KIND + 4, ctypes.c_int32) == array.dtype.num
            and at(id(array), DATA) == array.ctypes.data
            and at(id(array), DIMENSIONS, ctypes.c_int32) == 2
            and [at(lengths, 0), at(lengths, 8)] == [2, 3]
            and traits & WRITEABLE == READABLE)
