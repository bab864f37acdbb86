# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Fast calls of kernels from a control loop, with the results of Numba's dispatcher.

Numba's dispatcher resolves the type of every argument and wraps every array. For the small kernels
of a control cycle this takes longer than their work, above all on cold caches. But each kernel has
one signature, so a check of the arguments against it is enough. This check is compiled and cached
together with the kernel.
"""

import numpy as np
from llvmlite import ir
from numba import types

from robodyn_ros.compile.numba_private import (
    CompilerBase,
    DefaultPassBuilder,
    Lower,
    populate_array,
    register_pass,
    typed_passes,
)
from robodyn_ros.compile.vectorcall.entry import (
    INTEGER,
    READABLE,
    WRITEABLE,
    Given,
    api,
    callable_at,
    layout_is_known,
)

#: Items of the function's owner before its dispatcher, in this order.
DTYPES = {
    types.float64: np.float64,
    types.int64: np.int64,
    types.boolean: np.bool_,
    types.uint8: np.uint8,
}
ITEMS = (np.ndarray, float, int, *(np.dtype(kind) for kind in DTYPES.values()), None)
FLOAT, WHOLE, FIRST_DTYPE, NONE, DISPATCHER = 1, 2, 3, len(ITEMS) - 1, len(ITEMS)
#: Types of numbers: how to check them, and the item with their type.
NUMBERS = {types.float64: (Given.real, FLOAT), types.int64: (Given.whole, WHOLE)}


def vectorcall(kernel):
    """Return a faster callable that is equivalent to `kernel.compiled`.

    Arrays and numbers of exactly the types of its signature go directly to the machine code.
    Otherwise the dispatcher is called with the same arguments. For other signatures, or an unknown
    layout of the interpreter, the dispatcher itself is returned.
    """
    dispatcher, address = kernel.compiled, None
    if layout_is_known():
        (result,) = dispatcher.overloads.values()
        if _is_known(result.signature.args, result.signature.return_type):
            address = result.library.get_pointer_to_function(_name(result.fndesc))
    return callable_at(address, *ITEMS, dispatcher) if address else dispatcher


def _is_known(kinds, returned):
    """Return whether code of this signature has a fast call."""
    return returned in (types.int64, types.boolean, types.none) and all(
        kind in NUMBERS
        or isinstance(kind, types.Array)
        and kind.dtype in DTYPES
        and kind.layout == 'C'
        for kind in kinds
    )


def _name(code):
    return f'{code.llvm_func_name}.vectorcall'


class _LowerBoth(Lower):
    """Lowers a kernel, and its fast call beside the dispatcher's."""

    def create_cpython_wrapper(self, release_gil=False):
        super().create_cpython_wrapper(release_gil)
        if _is_known(self.fndesc.argtypes, self.fndesc.restype):
            module = self.library.create_ir_module('vectorcall')
            _emit(module, self.context, self.fndesc)
            self.library.add_ir_module(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfBoth(typed_passes.NativeLowering):
    _name = 'robodyn_lowering'
    lowering_class = _LowerBoth


class VectorcallCompiler(CompilerBase):
    """Numba's, for kernels with a fast call: njit(pipeline_class=VectorcallCompiler)."""

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_LoweringOfBoth if each is typed_passes.NativeLowering else each, text)
            for each, text in passes.passes
        ]
        passes.finalize()
        return [passes]


def _emit(module, context, code):
    """Emit the function: check arguments, call the machine code or else the dispatcher."""
    function = ir.Function(module, ir.FunctionType(INTEGER, [INTEGER] * 3), _name(code))
    start, otherwise = (function.append_basic_block(part) for part in ('start', 'otherwise'))
    builder = ir.IRBuilder(start)
    given = Given(builder, *function.args, otherwise)
    given.expect_count(len(code.argtypes))
    values = [_value(context, given, k, kind) for k, kind in enumerate(code.argtypes)]
    status, value = context.call_conv.call_function(
        builder, context.declare_function(module, code), code.restype, code.argtypes, values
    )
    done = builder.append_basic_block('done')
    builder.cbranch(status.is_ok, done, otherwise)
    builder.position_at_end(done)
    builder.ret(_object(module, given, code.restype, value))
    builder.position_at_end(otherwise)
    owner, arguments, count = function.args
    builder.ret(
        builder.call(
            api(module, 'PyObject_VectorcallDict', *[INTEGER] * 4),
            [given.item(DISPATCHER), arguments, count, INTEGER(0)],
        )
    )


def _value(context, given, k, kind):
    """Return argument k in the form that the machine code expects."""
    if kind in NUMBERS:
        look, item = NUMBERS[kind]
        return look(given, k, item)
    builder, dtype = given.builder, FIRST_DTYPE + list(DTYPES).index(kind.dtype)
    data, lengths = given.array(k, kind.ndim, dtype, WRITEABLE if kind.mutable else READABLE)
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [INTEGER(size)]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        array, builder.inttoptr(data, array.data.type), lengths, strides, INTEGER(size), None
    )
    return array._getvalue()


def _object(module, given, kind, value):
    """Return an object of a returned value."""
    builder = given.builder
    if kind == types.none:
        nothing = given.item(NONE)
        builder.call(api(module, 'Py_IncRef', INTEGER), [nothing])
        return nothing
    if kind == types.boolean:
        return builder.call(
            api(module, 'PyBool_FromLong', INTEGER), [builder.zext(value, INTEGER)]
        )
    return builder.call(api(module, 'PyLong_FromLong', INTEGER), [value])
