# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of existing machine code from kernels that are compiled later.

Numba copies functions into the kernels that call them, and compiles them again. For the code of
one robot this would dominate the compile time. Here only a symbol is compiled into the kernel. The
linker resolves its address, for new and for cached kernels.
"""

import llvmlite.binding
from numba.extending import intrinsic

from robodyn_ros.compile.numba_private import MISSING, cgutils


def called(kernel):
    """Compile a `Kernel`, and return a function with which kernels call its machine code."""
    if MISSING:
        return kernel.compiled  # Numba copies it
    (result,) = kernel.compiled.overloads.values()
    address = result.library.get_pointer_to_function(result.fndesc.llvm_func_name)
    function, kinds, returns = kernel.python, kernel.signature, result.signature.return_type
    symbol = f'{function.__module__}.{function.__qualname__}'  # the same in every process
    llvmlite.binding.add_symbol(symbol, address)

    def emit(context, builder, signature, arguments):
        convention = context.call_conv
        code = cgutils.get_or_insert_function(
            builder.module, convention.get_function_type(returns, kinds), symbol
        )
        status, value = convention.call_function(builder, code, returns, kinds, arguments)
        with cgutils.if_unlikely(builder, status.is_error):
            convention.return_status_propagate(builder, status)
        return value

    def typed(_context, *_):
        return returns(*kinds), emit

    typed.machine_code = result  # must live as long as its address is in use
    return _named(function, typed)


def _named(function, typed):
    """Return the intrinsic: numba wants its arguments by name."""
    names = ', '.join(function.__code__.co_varnames[: function.__code__.co_argcount])
    space = {'typed': typed}
    exec(f'def call(context, {names}):\n    return typed(context, {names})\n', space)
    return intrinsic(space['call'])
