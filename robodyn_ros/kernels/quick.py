"""Kernels called from a loop with little to spare: as their dispatcher, without what it costs.

Numba's dispatcher finds out the type of every argument and wraps every array, which for the small
kernels of a control cycle takes longer than their work, above all on cold caches. But each has
one signature, so it is enough to look whether the arguments are of it.
"""
from llvmlite import ir
import numpy as np
from numba import types
from numba.core.compiler_lock import global_compiler_lock
from numba.np.arrayobj import populate_array

from robodyn_ros.kernels.entry import (
    INTEGER, READABLE, WRITEABLE, Given, api, callable_at, layout_is_known)

#: What the owner of the function holds before its dispatcher, in this order.
DTYPES = {types.float64: np.float64, types.int64: np.int64, types.boolean: np.bool_,
          types.uint8: np.uint8}
ITEMS = (np.ndarray, float, *(np.dtype(kind) for kind in DTYPES.values()), None)
FLOAT, FIRST_DTYPE, NONE, DISPATCHER = 1, 2, len(ITEMS) - 1, len(ITEMS)


def quick(kernel):
    """A callable that does exactly what `kernel.compiled` does, three to ten times as quickly.

    Arrays and floats of the very types of its signature go straight to the machine code; for
    everything else the dispatcher is called with the same arguments, and answers or raises. Where
    the signature has other arguments, or the interpreter another layout, it is the dispatcher.
    """
    dispatcher = kernel.compiled
    (result,) = dispatcher.overloads.values()
    if not (layout_is_known() and all(map(_known, result.signature.args))
            and result.signature.return_type in (types.int64, types.boolean, types.none)):
        return dispatcher
    with global_compiler_lock:
        library = result.target_context.codegen().create_library(f'quick {kernel.name}')
        module = library.create_ir_module('quick')
        _emit(module, result)
        library.add_ir_module(module)
        library.finalize()
    return callable_at(library.get_pointer_to_function(_name(result)), *ITEMS, dispatcher, library)


def _known(kind):
    return kind == types.float64 or isinstance(kind, types.Array) and kind.dtype in DTYPES and (
        kind.layout == 'C')


def _name(result):
    return f'{result.fndesc.llvm_func_name}.quick'


def _emit(module, result):
    """Emit the function: look at the arguments, call the machine code, make an object of what it
    returns; or else call the dispatcher.
    """
    context, (kinds, returns) = result.target_context, (
        result.signature.args, result.signature.return_type)
    function = ir.Function(module, ir.FunctionType(INTEGER, [INTEGER] * 3), _name(result))
    start, otherwise = (function.append_basic_block(part) for part in ('start', 'otherwise'))
    builder = ir.IRBuilder(start)
    given = Given(builder, *function.args, otherwise)
    given.expect_count(len(kinds))
    values = [_value(context, given, k, kind) for k, kind in enumerate(kinds)]
    status, value = context.call_conv.call_function(
        builder, _stub(module, result), returns, kinds, values)
    done = builder.append_basic_block('done')
    builder.cbranch(status.is_ok, done, otherwise)
    builder.position_at_end(done)
    builder.ret(_object(module, given, returns, value))
    builder.position_at_end(otherwise)
    owner, arguments, count = function.args
    builder.ret(builder.call(api(module, 'PyObject_Vectorcall', *[INTEGER] * 4),
                             [given.item(DISPATCHER), arguments, count, INTEGER(0)]))


def _value(context, given, k, kind):
    """Argument k as the machine code expects it."""
    if kind == types.float64:
        return given.number(k, FLOAT)
    builder, dtype = given.builder, FIRST_DTYPE + list(DTYPES).index(kind.dtype)
    data, lengths = given.array(k, kind.ndim, dtype, WRITEABLE if kind.mutable else READABLE)
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [INTEGER(size)]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(array, builder.inttoptr(data, array.data.type), lengths, strides,
                   INTEGER(size), None)
    return array._getvalue()


def _stub(module, result):
    """A function of the module that goes on to the machine code, wherever that is."""
    kind = result.target_context.call_conv.get_function_type(
        result.signature.return_type, result.signature.args)
    stub = ir.Function(module, kind, 'machine_code')
    stub.linkage = 'internal'
    builder = ir.IRBuilder(stub.append_basic_block('start'))
    address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    target = builder.inttoptr(INTEGER(address), kind.as_pointer())
    builder.ret(builder.call(target, stub.args))
    return stub


def _object(module, given, kind, value):
    """An object of a returned value."""
    builder = given.builder
    if kind == types.none:
        nothing = given.item(NONE)
        builder.call(api(module, 'Py_IncRef', INTEGER), [nothing])
        return nothing
    if kind == types.boolean:
        return builder.call(api(module, 'PyBool_FromLong', INTEGER),
                            [builder.zext(value, INTEGER)])
    return builder.call(api(module, 'PyLong_FromLong', INTEGER), [value])
