# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fastest safe call of machine code from Python: no type resolution, no boxes, no copies.

Numba's dispatcher resolves the type of every argument and wraps every array, which dominates calls
of short code. An entry is a C function of CPython's vectorcall, emitted beside the code that it
calls. It checks the arrays directly, and accepts only known layouts.
"""

import builtins
import ctypes
import functools
import sys
from types import BuiltinFunctionType

import numba
import numpy as np
from llvmlite import ir

from robodyn_ros.compile.numba_private import MISSING
from robodyn_ros.errors import KernelError

REFUSED = -2  # status of an argument that is not a float64 array of the expected dimensions

REAL, INTEGER, FLAGS = ir.DoubleType(), ir.IntType(64), ir.IntType(32)
#: Offsets in objects of CPython and NumPy, in bytes (object.h, floatobject.h, tupleobject.h,
#: methodobject.h, ndarraytypes.h).
TYPE, VALUE, FIRST_ITEM = 8, 16, 24
DATA, DIMENSIONS, LENGTHS, DTYPE, TRAITS, END = 16, 24, 32, 56, 64, 68
RECORD, OWNER = 16, 24  # in a C function
NAME, ADDRESS, CALL = 0, 8, 16  # in its record, a PyMethodDef
KIND = 24  # in a dtype: kind, letter, byte order, flags, number
READABLE, WRITEABLE = 0x101, 0x501  # C-contiguous and aligned; and writeable

METH_FASTCALL, _METH_KEYWORDS, _METH_ONE = 0x80, 0x02, 0x08


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = [
        ('name', ctypes.c_char_p),
        ('address', ctypes.c_void_p),
        ('flags', ctypes.c_int),
        ('text', ctypes.c_char_p),
    ]


def symbol(function_name):
    """Return the name of the entry of a compiled function."""
    return f'{function_name}.entry'


class Given:
    """The arguments of a vectorcall function in its LLVM code.

    Parameters
    ----------
    builder : llvmlite IRBuilder
        At the beginning of the function.
    owner, arguments, count : LLVM values
        The tuple that owns the function, its arguments and their number.
    refused : LLVM block
        Block for unexpected arguments; `refusals` are the blocks that branch to it.
    """

    def __init__(self, builder, owner, arguments, count, refused):
        self.builder, self.refusals = builder, []
        self.arguments, self.count = arguments, count
        self._owner, self._refused = owner, refused

    def expect_count(self, count):
        """Branch to refusal unless the number of arguments is right."""
        self.expect(self.count, INTEGER(count))

    def item(self, k):
        """Return entry k of the tuple that owns the function, an object."""
        return self.load(self._owner, FIRST_ITEM + 8 * k)

    def array(self, k, axes, dtype, traits):
        """Return data address and lengths of argument k, an array with these traits.

        Its dtype must be entry `dtype` of the owner, or a copy from a pickle.
        """
        data, lengths = self.data_and_lengths(
            self.load(self.arguments, 8 * k), INTEGER(axes), dtype, traits
        )
        return data, [self.load(lengths, 8 * axis) for axis in range(axes)]

    def data_and_lengths(self, array, axes, dtype, traits):
        """Branch to refusal unless an object is such an array.

        Return addresses of data and lengths.
        """
        self.expect(self.load(array, TYPE), self.item(0))
        found = self.load(self.load(array, DTYPE), KIND)
        self.expect(found, self.load(self.item(dtype), KIND))
        found = self.builder.and_(self.load(array, TRAITS, FLAGS), FLAGS(traits))
        self.expect(found, FLAGS(traits))
        self.expect(self.builder.zext(self.load(array, DIMENSIONS, FLAGS), INTEGER), axes)
        return self.load(array, DATA), self.load(array, LENGTHS)

    def real(self, k, kind):
        """Return argument k, a float; entry `kind` of the owner is the type of floats."""
        return self.load(self._object(k, kind), VALUE, REAL)

    def whole(self, k, kind):
        """Return argument k, an int of 64 bits other than -1, which signals errors in CPython.

        Entry `kind` of the owner is the type of ints.
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
        """Return argument k, an object whose type is entry `kind` of the owner."""
        found = self.load(self.arguments, 8 * k)
        self.expect(self.load(found, TYPE), self.item(kind))
        return found

    def load(self, address, offset, kind=INTEGER):
        """Load the value at an address."""
        place = self.builder.add(address, INTEGER(offset))
        return self.builder.load(self.builder.inttoptr(place, kind.as_pointer()))

    def expect(self, value, wanted, comparison='=='):
        """Branch to refusal unless a condition is true."""
        self.refusals.append(self.builder.block)
        carry_on = self.builder.append_basic_block('go')
        self.builder.cbranch(
            self.builder.icmp_signed(comparison, value, wanted), carry_on, self._refused
        )
        self.builder.position_at_end(carry_on)


def emit(module, name, body, dimensions, outputs):
    """Emit the entry of a function.

    Parameters
    ----------
    module : llvmlite Module
        Where it is emitted.
    name : str
        Name of the function.
    body : LLVM function
        Takes data and lengths of each array, and returns a status.
    dimensions : sequence of int
        Number of dimensions of each array.
    outputs : int
        Number of written arrays, the last ones.
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


def api(module, name, *kinds, returns=INTEGER):
    """Return a function of CPython's API, by default one that returns an object.

    Raises
    ------
    KernelError
        If this interpreter has no such function; a call would end the process.
    """
    if not hasattr(ctypes.pythonapi, name):
        raise KernelError(
            f'Python {sys.version.split()[0]} exports no {name}; expected one that does'
        )
    return module.globals.get(name) or ir.Function(module, ir.FunctionType(returns, kinds), name)


def entry(kernel):
    """Return a callable of the arrays of a compiled `Kernel` that returns its status, or REFUSED.

    It never raises and never converts. An array of another type, dtype, order or number of
    dimensions is REFUSED. So is a read-only array for a result. Then nothing happens. Inputs may
    be read-only.
    """
    dispatcher = kernel.compiled
    (result,) = dispatcher.overloads.values()
    name = symbol(result.fndesc.llvm_func_name)
    address = result.library.get_pointer_to_function(name) if layout_is_known() else 0
    if not address:
        return functools.partial(_dispatched, dispatcher)
    return callable_at(address, np.ndarray, np.dtype(np.float64), dispatcher)


def callable_at(address, *items, name='entry', text=None, keywords=False):
    """Return the Python function with this machine code.

    The tuple that owns it begins with the items. These are objects that the code compares with,
    and objects that must outlive it.

    Parameters
    ----------
    address : int
        Address of the machine code.
    *items : object
        Items of the owner.
    name : str
        Name of the function.
    text : str, optional
        Its docstring.
    keywords : bool
        Whether it takes arguments by name.
    """
    method = _Method(
        name.encode(), address, METH_FASTCALL | _METH_KEYWORDS * keywords, text and text.encode()
    )
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.POINTER(_Method), ctypes.py_object, ctypes.c_void_p)
    return make(method, (*items, method), None)


def _dispatched(dispatcher, *arrays):
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
        and at(id(len), TYPE) == id(BuiltinFunctionType)
        and at(id(len), OWNER) == id(builtins)
        and ctypes.string_at(at(at(id(len), RECORD), NAME)) == b'len'
        and at(at(id(len), RECORD), CALL, ctypes.c_int32) == _METH_ONE
    )
