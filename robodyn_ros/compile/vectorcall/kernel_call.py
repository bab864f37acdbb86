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
    ArgumentReader,
    api,
    callable_at,
    layout_is_known,
)
from robodyn_ros.spatial.types import Work
from robodyn_ros.spatial.work import WORK

#: Array types and their dtypes.
DTYPES = {
    types.float64: np.float64,
    types.int64: np.int64,
    types.boolean: np.bool_,
    types.uint8: np.uint8,
    Work.dtype: WORK,
}
#: Items of the tuple that owns the function, before its dispatcher.
ITEMS = (np.ndarray, float, int, *(np.dtype(kind) for kind in DTYPES.values()), None)
FLOAT, WHOLE, FIRST_DTYPE, NONE, DISPATCHER = 1, 2, 3, len(ITEMS) - 1, len(ITEMS)
#: Types of numbers: how to check them, and the item with their type.
NUMBERS = {types.float64: (ArgumentReader.real, FLOAT), types.int64: (ArgumentReader.whole, WHOLE)}


def vectorcall(kernel):
    """Return a faster callable that is equivalent to `kernel.compiled`.

    Arrays and numbers of exactly the types of its signature go directly to the machine code.
    Otherwise the dispatcher is called with the same arguments.

    `kernel` (Kernel): the kernel, compiled here.
    Returns the dispatcher itself for other signatures, or if the layout of objects is unknown.
    """
    dispatcher, address = kernel.compiled, None
    if layout_is_known():
        (result,) = dispatcher.overloads.values()
        if _is_known(result.signature.args, result.signature.return_type):
            address = result.library.get_pointer_to_function(_name(result.fndesc))
    return callable_at(address, *ITEMS, dispatcher) if address else dispatcher


def _is_known(kinds, returned):
    """Return whether code with this signature can have a fast call."""
    # a kernel that always returns 0 has the type of that literal
    return types.unliteral(returned) in (types.int64, types.boolean, types.none) and all(
        kind in NUMBERS
        or isinstance(kind, types.Array)
        and kind.dtype in DTYPES
        and kind.layout == 'C'
        for kind in kinds
    )


def _name(code):
    """Return the name of the fast call of a compiled function."""
    return f'{code.llvm_func_name}.vectorcall'


class _LowerBoth(Lower):
    """Emits a kernel, and its fast call beside the call of the dispatcher."""

    def create_cpython_wrapper(self, release_gil=False):
        super().create_cpython_wrapper(release_gil)
        if _is_known(self.fndesc.argtypes, self.fndesc.restype):
            module = self.library.create_ir_module('vectorcall')
            _emit(module, self.context, self.fndesc)
            self.library.add_ir_module(module)


@register_pass(mutates_CFG=True, analysis_only=False)
class _LoweringOfBoth(typed_passes.NativeLowering):
    """The compiler pass that emits both."""

    _name = 'robodyn_lowering'
    lowering_class = _LowerBoth


class VectorcallCompiler(CompilerBase):
    """Numba's compiler, for kernels with a fast call: njit(pipeline_class=...)."""

    def define_pipelines(self):
        passes = DefaultPassBuilder.define_nopython_pipeline(self.state)
        passes.passes = [
            (_LoweringOfBoth if each is typed_passes.NativeLowering else each, text)
            for each, text in passes.passes
        ]
        passes.finalize()
        return [passes]


def _emit(module, context, code):
    """Emit the fast call: check arguments, call the machine code or else the dispatcher."""
    function = ir.Function(module, ir.FunctionType(INTEGER, [INTEGER] * 3), _name(code))
    start, otherwise = (function.append_basic_block(part) for part in ('start', 'otherwise'))
    builder = ir.IRBuilder(start)
    reader = ArgumentReader(builder, *function.args, otherwise)
    reader.expect_count(len(code.argtypes))
    values = [_value(context, reader, k, kind) for k, kind in enumerate(code.argtypes)]
    status, value = context.call_conv.call_function(
        builder, context.declare_function(module, code), code.restype, code.argtypes, values
    )
    done = builder.append_basic_block('done')
    builder.cbranch(status.is_ok, done, otherwise)
    builder.position_at_end(done)
    builder.ret(_object(module, reader, code.restype, value))
    builder.position_at_end(otherwise)
    owner, arguments, count = function.args
    builder.ret(
        builder.call(
            api(module, 'PyObject_VectorcallDict', *[INTEGER] * 4),
            [reader.item(DISPATCHER), arguments, count, INTEGER(0)],
        )
    )


def _value(context, reader, k, kind):
    """Return argument k in the form that the machine code expects."""
    if kind in NUMBERS:
        read, item = NUMBERS[kind]
        return read(reader, k, item)
    builder, dtype = reader.builder, FIRST_DTYPE + list(DTYPES).index(kind.dtype)
    data, lengths = reader.array(k, kind.ndim, dtype, WRITEABLE if kind.mutable else READABLE)
    array = context.make_array(kind)(context, builder)
    size = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [INTEGER(size)]
    for length in reversed(lengths[1:]):
        strides.insert(0, builder.mul(strides[0], length))
    populate_array(
        array, builder.inttoptr(data, array.data.type), lengths, strides, INTEGER(size), None
    )
    return array._getvalue()


def _object(module, reader, kind, value):
    """Return the Python object of a returned value."""
    builder = reader.builder
    if kind == types.none:
        nothing = reader.item(NONE)
        builder.call(api(module, 'Py_IncRef', INTEGER), [nothing])
        return nothing
    if kind == types.boolean:
        return builder.call(
            api(module, 'PyBool_FromLong', INTEGER), [builder.zext(value, INTEGER)]
        )
    return builder.call(api(module, 'PyLong_FromLong', INTEGER), [value])
