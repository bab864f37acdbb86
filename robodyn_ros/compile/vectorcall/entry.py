# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fastest safe call of machine code from Python: no type resolution, no boxes, no copies.

Numba's dispatcher resolves the type of every argument and wraps every array. For short code this
takes most of the time of a call. An entry is a C function with CPython's vectorcall interface,
emitted beside the code that it calls. It checks the arrays directly, and accepts only known
layouts.
"""

import builtins
import ctypes
import functools
import sys
import weakref
from types import BuiltinFunctionType

import numba
import numpy as np
from llvmlite import ir

from robodyn_ros.compile.numba_private import MISSING
from robodyn_ros.errors import KernelError

REFUSED = -2  # status of an argument that is not a float64 array of the expected axes

REAL, INTEGER, FLAGS = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
#: Offsets [bytes] in objects of CPython and NumPy. They stand in object.h, floatobject.h,
#: tupleobject.h, methodobject.h and ndarraytypes.h.
TYPE, VALUE, FIRST_ITEM = 8, 16, 24
LIST_ITEMS = 24  # their address
REFERENCES = 0  # their number, in the lower 32 bits
DATA, DIMENSIONS, LENGTHS, DTYPE, TRAITS, WEAK_REFERENCES, END = 16, 24, 32, 56, 64, 72, 80
RECORD, OWNER = 16, 24  # in a C function
NAME, ADDRESS, CALL = 0, 8, 16  # in its record, a PyMethodDef
KIND = 24  # in a dtype: kind, letter, byte order, flags, number
READABLE, WRITEABLE = 0x101, 0x501  # C-contiguous and aligned; and writeable
OWN = 0x505  # and with memory of its own

METH_FASTCALL, _METH_KEYWORDS, _METH_ONE = 0x80, 0x02, 0x08


class _Method(ctypes.Structure):
    """The structure PyMethodDef of CPython."""

    _fields_ = [
        ('name', ctypes.c_char_p),
        ('address', ctypes.c_void_p),
        ('flags', ctypes.c_int),
        ('text', ctypes.c_char_p),
    ]


def symbol(function_name):
    """Return the name of the entry of a compiled function.

    `function_name`: name of the function in LLVM.
    """
    return f'{function_name}.entry'


class ArgumentReader:
    """Reads the arguments of a vectorcall function, in its LLVM code.

    Every method emits code. Unexpected arguments branch to a block that refuses them. A tuple owns
    the function; it has the objects with which the code compares.

    `builder` (llvmlite IRBuilder): at the beginning of the function.
    `owner`, `arguments`, `count` (LLVM values): the tuple that owns the function, its arguments
      and their number.
    `refused` (LLVM block): block for unexpected arguments.
    `refusals` (list of LLVM blocks): the blocks that branch to `refused`.
    """

    def __init__(self, builder, owner, arguments, count, refused):
        self.builder, self.refusals = builder, []
        self.arguments, self.count = arguments, count
        self._owner, self._refused = owner, refused

    def expect_count(self, count):
        """Branch to refusal unless the number of arguments is right.

        `count`: expected number.
        """
        self.expect(self.count, INTEGER(count))

    def item(self, k):
        """Return an item of the tuple that owns the function.

        `k`: index of the item.
        """
        return self.load(self._owner, FIRST_ITEM + 8 * k)

    def array(self, k, axes, dtype, traits):
        """Return the data address and the lengths of an argument that is an array.

        `k`: index of the argument.
        `axes`: expected number of axes.
        `dtype`: index of the item of the owner with the expected dtype. A copy of it from a pickle
          is accepted, too.
        `traits`: expected flags, READABLE or WRITEABLE.
        Returns `data` (LLVM value): address of its data.
        Returns `lengths` (list of LLVM values): length of each axis.
        """
        data, lengths = self.data_and_lengths(
            self.load(self.arguments, 8 * k), INTEGER(axes), dtype, traits
        )
        return data, [self.load(lengths, 8 * axis) for axis in range(axes)]

    def data_and_lengths(self, array, axes, dtype, traits):
        """Return the addresses of data and lengths of an array; refuse any other object.

        `array` (LLVM value): address of the object.
        `axes` (LLVM value): expected number of axes.
        `dtype`: index of the item of the owner with the expected dtype.
        `traits`: expected flags, READABLE or WRITEABLE.
        Returns `data, lengths` (LLVM value): addresses of its data, and of the lengths of its
          axes.
        """
        self.expect(self.load(array, TYPE), self.item(0))
        found = self.load(self.load(array, DTYPE), KIND)
        self.expect(found, self.load(self.item(dtype), KIND))
        found = self.builder.and_(self.load(array, TRAITS, FLAGS), FLAGS(traits))
        self.expect(found, FLAGS(traits))
        self.expect(self.builder.zext(self.load(array, DIMENSIONS, FLAGS), INTEGER), axes)
        return self.load(array, DATA), self.load(array, LENGTHS)

    def real(self, k, kind):
        """Return an argument that is a float.

        `k`: index of the argument.
        `kind`: index of the item of the owner that is the type float.
        """
        return self.load(self._object(k, kind), VALUE, REAL)

    def whole(self, k, kind):
        """Return an argument that is an int of 64 bits, except -1.

        CPython returns -1 for errors, so that -1 itself is refused.

        `k`: index of the argument.
        `kind`: index of the item of the owner that is the type int.
        """
        builder = self.builder
        value = builder.call(
            api(builder.module, 'PyLong_AsLongLong', INTEGER), [self._object(k, kind)]
        )
        good = builder.append_basic_block('good')
        bad = builder.append_basic_block('bad')
        builder.cbranch(builder.icmp_signed('!=', value, INTEGER(-1)), good, bad)
        builder.position_at_end(bad)
        builder.call(api(builder.module, 'PyErr_Clear', returns=ir.VoidType()), [])
        self.refusals.append(bad)
        builder.branch(self._refused)
        builder.position_at_end(good)
        return value

    def _object(self, k, kind):
        """Return argument k, an object whose type is item `kind` of the owner."""
        found = self.load(self.arguments, 8 * k)
        self.expect(self.load(found, TYPE), self.item(kind))
        return found

    def load(self, address, offset, kind=INTEGER):
        """Load the value at an address.

        `offset`: offset from the address [bytes].
        `kind` (LLVM type): type of the value.
        Returns the value.
        """
        place = self.builder.add(address, INTEGER(offset))
        return self.builder.load(self.builder.inttoptr(place, kind.as_pointer()))

    def expect(self, value, wanted, comparison='=='):
        """Branch to refusal unless a condition is true.

        `value`, `wanted` (LLVM values): the two sides of the comparison.
        `comparison`: its operator.
        """
        self.refusals.append(self.builder.block)
        accepted = self.builder.append_basic_block('accepted')
        self.builder.cbranch(
            self.builder.icmp_signed(comparison, value, wanted), accepted, self._refused
        )
        self.builder.position_at_end(accepted)


def emit(module, name, body, dimensions, outputs):
    """Emit the entry of a function.

    `module` (llvmlite Module): where it is emitted.
    `name`: name of the entry.
    `body` (LLVM function): takes data and lengths of each array, and returns a status.
    `dimensions` (sequence of int): number of axes of each array.
    `outputs`: number of written arrays, the last ones.
    """
    function = ir.Function(module, ir.FunctionType(INTEGER, [INTEGER] * 3), name)
    start, leave = (function.append_basic_block(part) for part in ('start', 'leave'))
    builder = ir.IRBuilder(start)
    reader = ArgumentReader(builder, *function.args, leave)
    reader.expect_count(len(dimensions))
    flat = []
    for k, axes in enumerate(dimensions):
        traits = WRITEABLE if k >= len(dimensions) - outputs else READABLE
        data, lengths = reader.array(k, axes, 1, traits)
        flat += [builder.inttoptr(data, REAL.as_pointer()), *lengths]
    done, last = builder.call(body, flat), builder.block
    builder.branch(leave)
    builder.position_at_end(leave)
    status = builder.phi(INTEGER)
    for block in reader.refusals:
        status.add_incoming(INTEGER(REFUSED), block)
    status.add_incoming(done, last)
    builder.ret(builder.call(api(module, 'PyLong_FromLong', INTEGER), [status]))


def api(module, name, *kinds, returns=INTEGER):
    """Return a function of CPython's API.

    `module` (llvmlite Module): where it is declared.
    `name`: name of the function.
    `*kinds` (LLVM types): types of its arguments.
    `returns` (LLVM type): type of its result; the default is an object.
    Raises KernelError: if this interpreter has no such function; a call would end the process.
    """
    if not hasattr(ctypes.pythonapi, name):
        raise KernelError(
            f'Python {sys.version.split()[0]} exports no {name}; expected one that does'
        )
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(returns, kinds), name)


def entry(kernel):
    """Return a fast callable of the arrays of a kernel.

    It returns the status of the kernel, or REFUSED. It never raises and never converts. An array
    of another type, dtype, order or number of axes is refused, and so is a read-only array for a
    result. Then nothing is computed. Inputs may be read-only.

    `kernel` (Kernel): a kernel with an entry, compiled here.
    Returns the entry; a Python function of the same behaviour if the layout of objects is unknown.
    """
    dispatcher = kernel.compiled
    (result,) = dispatcher.overloads.values()
    name = symbol(result.fndesc.llvm_func_name)
    address = result.library.get_pointer_to_function(name) if layout_is_known() else 0
    if not address:
        return functools.partial(_dispatched, dispatcher)
    return callable_at(address, np.ndarray, np.dtype(np.float64), dispatcher)


def callable_at(address, *items, name='entry', text=None, keywords=False):
    """Return the Python function of machine code at an address.

    `address`: address of the machine code.
    `*items` (object): first items of the tuple that owns the function. The code compares with some
      of these objects; the others must outlive it.
    `name`: name of the function.
    `text`: its docstring.
    `keywords`: whether it takes arguments by name.
    """
    texts = name.encode(), text and text.encode()
    traits = METH_FASTCALL | _METH_KEYWORDS * keywords
    # CPython reads the record until the function has ended. The garbage collector may clear a
    # ctypes structure before, and so free its memory, but not bytes.
    record = bytes(_Method(texts[0], address, traits, texts[1]))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_char_p, ctypes.py_object, ctypes.c_void_p)
    return make(record, (*items, record, *texts), None)


def _dispatched(dispatcher, *arrays):
    """Call a dispatcher as an entry: return its status, or REFUSED."""
    try:
        return dispatcher(*arrays)
    except (TypeError, ValueError):
        return REFUSED


@functools.cache
def layout_is_known():
    """Return whether compilation is on, and Python and NumPy objects have the expected layout."""
    if (
        MISSING
        or numba.config.DISABLE_JIT
        or not (
            sys.implementation.name == 'cpython'
            and ctypes.sizeof(ctypes.c_void_p) == 8
            and sys.byteorder == 'little'
            and object.__basicsize__ == 16
            and tuple.__basicsize__ == FIRST_ITEM
            and float.__basicsize__ == VALUE + 8
            and np.ndarray.__basicsize__ >= END
            and BuiltinFunctionType.__basicsize__ > OWNER
        )
    ):
        return False
    array = np.zeros((2, 3))
    array.flags.writeable = False
    items = (np.ndarray, array.dtype)
    listed = [np.zeros(1)]
    followed = weakref.ref(array)

    def at(address, offset, kind=ctypes.c_int64):
        return kind.from_address(address + offset).value

    lengths = at(id(array), LENGTHS)
    traits = at(id(array), TRAITS, ctypes.c_int32)
    return (
        at(id(array), TYPE) == id(np.ndarray) == at(id(items), FIRST_ITEM)
        and at(id(array), DTYPE) == id(np.dtype(np.float64)) == at(id(items), FIRST_ITEM + 8)
        and ctypes.string_at(id(array.dtype) + KIND, 3) == b'fd='
        and at(id(array.dtype), KIND + 4, ctypes.c_int32) == array.dtype.num
        and at(id(array), DATA) == array.ctypes.data
        and at(id(array), DIMENSIONS, ctypes.c_int32) == 2
        and [at(lengths, 0), at(lengths, 8)] == [2, 3]
        and traits & WRITEABLE == READABLE
        and at(id(array), WEAK_REFERENCES) == id(followed)
        and at(at(id(listed), LIST_ITEMS), 0) == id(listed[0])
        and at(id(listed[0]), REFERENCES, ctypes.c_int32) == 1
        and at(id(listed[0]), WEAK_REFERENCES) == 0
        and at(id(len), TYPE) == id(BuiltinFunctionType)
        and at(id(len), OWNER) == id(builtins)
        and ctypes.string_at(at(at(id(len), RECORD), NAME)) == b'len'
        and at(at(id(len), RECORD), CALL, ctypes.c_int32) == _METH_ONE
    )
