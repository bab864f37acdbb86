# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Calls of machine code at an address, in Numba's calling convention."""

from numba.extending import intrinsic

from robodyn_ros.compile.numba_private import cgutils


def machine_code(kernel):
    """Return the compiled result of a Kernel, and the address of its machine code.

    The result must live as long as its address is in use.
    """
    (result,) = kernel.compiled.overloads.values()
    return result, result.library.get_pointer_to_function(result.fndesc.llvm_func_name)


def emit_call(context, builder, code, returns, kinds, arguments):
    """Emit a call of code with arguments of types `kinds`; return its value. Errors propagate."""
    convention = context.call_conv
    status, value = convention.call_function(builder, code, returns, kinds, arguments)
    with cgutils.if_unlikely(builder, status.is_error):
        convention.return_status_propagate(builder, status)
    return value


def named_intrinsic(names, typed):
    """Return the intrinsic typed(context, *arguments): numba wants the arguments by name."""
    listed = ', '.join(names)
    space = {'typed': typed}
    exec(f'def call(context, {listed}):\n    return typed(context, {listed})\n', space)
    return intrinsic(space['call'])
