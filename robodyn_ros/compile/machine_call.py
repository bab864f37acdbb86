# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of machine code at an address, by Numba's calling convention."""

import functools
import inspect

from numba import types
from numba.extending import intrinsic, overload

from robodyn_ros.compile.numba_private import MISSING, cgutils
from robodyn_ros.errors import KernelError


def machine_code(kernel):
    """Compile a kernel, and return its compiled result and the address of its machine code.

    Returns `result` (numba CompileResult): it must live as long as the address is in use.
    Returns `address` (int): address of the machine code.
    """
    (result,) = kernel.compiled.overloads.values()
    return result, result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def emit_call(context, builder, code, returns, kinds, arguments):
    """Emit a call of machine code; its errors become those of the calling code.

    `context` (numba context): context of the code generation.
    `builder` (llvmlite IRBuilder): where the call is emitted.
    `code` (LLVM value): function, or pointer to one.
    `returns` (numba type): type of its result.
    `kinds` (sequence of numba types): types of its arguments.
    Returns the result of the call.
    """
    convention = context.call_conv
    status, value = convention.call_function(builder, code, returns, kinds, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return value


def named_intrinsic(names, typed):
    """Return an intrinsic whose arguments have names, as Numba demands.

    `names` (iterable of str): names of the arguments.
    `typed` (callable): called with the typing context and the types of the arguments, as by
      numba.extending.intrinsic.
    """
    listed = ', '.join(names)
    space = {'typed': typed}
    exec(f'def call(context, {listed}):\n    return typed(context, {listed})\n', space)
    return intrinsic(space['call'])


def address_of(kernel, kinds):
    """Return the address of the machine code of a kernel.

    `kinds` (sequence of numba type): types that its arguments must have.
    Raises KernelError: if its arguments have other types.
    """
    if kernel.signature != tuple(kinds):
        raise KernelError(
            f'kernel {kernel.name}: got arguments of types {kernel.signature}; expected {kinds}'
        )
    _, address = machine_code(kernel)
    return address


@functools.cache
def code_call(kinds):
    """Return a function for kernels that calls code at an address; its result is a status."""

    def emit(context, builder, _signature, arguments):
        address, *given = arguments
        pointer = context.call_conv.get_function_type(types.int64, kinds).as_pointer()
        code = builder.inttoptr(address, pointer)
        return emit_call(context, builder, code, types.int64, kinds, given)

    names = ('code', *(f'argument_{k}' for k in range(len(kinds))))
    return named_intrinsic(names, lambda _context, *_: (types.int64(types.int64, *kinds), emit))


def by_address(function):
    """Decorate an annotated function that calls its first argument with the others.

    In kernels this argument is the address of machine code that returns a status. In Python it is
    a function.

    `function` (callable): the function to decorate.
    Returns the same function.
    """
    names = ', '.join(inspect.signature(function).parameters)
    call = None if MISSING else code_call(argument_types(function))
    value = '-1' if MISSING else f'call({names})'  # without private parts there is no address
    space = {'call': call}
    exec(f'def at_address({names}):\n    return {value}\n', space)

    @overload(function, strict=False)
    def chosen(*_):
        return space['at_address']

    return function


@functools.cache
def argument_types(function):
    """Return the types of the arguments that a function of `by_address` passes on."""
    parameters = inspect.signature(function).parameters.values()
    return tuple(each.annotation for each in parameters)[1:]
