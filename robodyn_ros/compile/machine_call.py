# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of machine code at an address, by Numba's calling convention."""

from numba.extending import intrinsic

from robodyn_ros.compile.numba_private import cgutils


def machine_code(kernel):
    """Compile a kernel, and return its compiled result and the address of its machine code.

    Parameters
    ----------
    kernel : Kernel
        The kernel.

    Returns
    -------
    result : numba CompileResult
        It must live as long as the address is in use.
    address : int
        Address of the machine code.
    """
    (result,) = kernel.compiled.overloads.values()
    return result, result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def emit_call(context, builder, code, returns, kinds, arguments):
    """Emit a call of machine code; its errors become those of the calling code.

    Parameters
    ----------
    context : numba context
        Context of the code generation.
    builder : llvmlite IRBuilder
        Where the call is emitted.
    code : LLVM value
        Function, or pointer to one.
    returns : numba type
        Type of its result.
    kinds : sequence of numba types
        Types of its arguments.
    arguments : sequence of LLVM values
        Its arguments.

    Returns
    -------
    LLVM value
        The result of the call.
    """
    convention = context.call_conv
    status, value = convention.call_function(builder, code, returns, kinds, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return value


def named_intrinsic(names, typed):
    """Return an intrinsic whose arguments have names, as Numba demands.

    Parameters
    ----------
    names : iterable of str
        Names of the arguments.
    typed : callable
        Called with the typing context and the types of the arguments, as by
        numba.extending.intrinsic.

    Returns
    -------
    callable
        The intrinsic.
    """
    listed = ', '.join(names)
    space = {'typed': typed}
    exec(f'def call(context, {listed}):\n    return typed(context, {listed})\n', space)
    return intrinsic(space['call'])
