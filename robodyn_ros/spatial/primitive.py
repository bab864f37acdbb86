# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decorators of functions that run inside kernels."""

import functools
import inspect
from typing import Callable

from numba import types
from numba.extending import overload, register_jitable

#: Keeps the function plain Python for Python callers, and compiles it into calling kernels. There
#: is no wrapper for C, since nothing would call it.
primitive = register_jitable(no_cfunc_wrapper=True)
#: The same, for functions that are cheaper inlined but too long for the compiler to inline.
inlined = register_jitable(no_cfunc_wrapper=True, forceinline=True)
#: The same without fused multiply-adds. The compiler places those differently in each kernel, and
#: without them the results have the same bits in all kernels.
unfused = register_jitable(no_cfunc_wrapper=True, fastmath=False)

#: The functions with a kernel in compile.generic that other kernels call, in order.
RECURSIONS: dict[Callable, None] = {}


def recursion(function):
    """Decorate an annotated function that has a separate kernel in compile.generic.

    Other kernels call the machine code of that kernel if their arguments have the annotated types.
    Otherwise they compile the function into themselves, as a primitive. Python calls the plain
    function.

    `function` (callable): function with annotated parameters.
    Returns the function itself.
    """
    RECURSIONS[function] = None

    @overload(function, jit_options={'no_cfunc_wrapper': True}, strict=False)
    def chosen(*given):
        kinds = [each.annotation for each in inspect.signature(function).parameters.values()]
        fits = len(given) == len(kinds) and all(map(_fits, given, kinds))
        return recursion.call_of(function) if fits else recursion.copy_of(function)

    return function


#: What kernels compile in place of a recursion: a call, or a copy if the types differ. Both are
#: set by robodyn_ros.compile.
recursion.call_of = recursion.copy_of = lambda function: function


def _fits(given, kind):
    """Return whether a value of one Numba type can be passed as another without a copy."""
    if isinstance(kind, types.Array):
        return (
            isinstance(given, types.Array)
            and (given.dtype, given.ndim, given.layout) == (kind.dtype, kind.ndim, kind.layout)
            and (given.mutable or not kind.mutable)
        )
    if isinstance(kind, types.Float):
        return isinstance(given, (types.Float, types.Integer))
    if isinstance(kind, types.Integer):
        return isinstance(given, types.Integer)
    return given == kind


#: The functions with machine code of their own, in the order of their definition.
SEPARATE: list[Callable] = []


def separate(function):
    """Give an annotated function separate machine code, which kernels call.

    Its code is not compiled into every kernel that calls it, which saves compile time. See
    robodyn_ros.compile.call.

    In Python, an argument may replace the function. Its attribute `replaced` then maps the
    function to the one to call.

    `function` (callable): function with annotated parameters. Without an annotated result it
      returns nothing.
    Returns function to call in its place, from Python and from kernels.
    """

    @functools.wraps(function)
    def called(*arguments):
        replaced = next((a.replaced for a in arguments if hasattr(a, 'replaced')), {})
        return replaced.get(function, function)(*arguments)

    @overload(called, strict=False)
    def chosen(*_):
        return separate.call_of(function)

    SEPARATE.append(function)
    return called


#: What kernels compile in place of a separate function: a call, set by robodyn_ros.compile.
separate.call_of = lambda function: function


#: {emitted function: function that returns what kernels compile in its place, or None}. It is told
#: the types of the arguments. Its entries are set by robodyn_ros.compile.simd.
MACHINE_CODE: dict[Callable, Callable] = {}


def emitted(function):
    """Decorate a plain function that is machine code written by hand in kernels.

    Python calls the plain function. So do kernels for arrays of a type without machine code.

    `function` (callable): the plain function.
    Returns the function itself.
    """

    @overload(function, jit_options={'forceinline': True, 'no_cfunc_wrapper': True}, strict=False)
    def chosen(*given):
        return MACHINE_CODE.get(function, lambda *_: None)(*given) or function

    return function
