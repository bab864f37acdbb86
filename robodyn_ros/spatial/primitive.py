# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decorators of functions that run inside kernels."""

import functools

from numba.extending import overload, register_jitable

#: Keeps the function plain Python for Python callers, and compiles it into calling kernels.
primitive = register_jitable
#: The same, for functions that are cheaper inlined but too long for the compiler to inline.
inlined = register_jitable(forceinline=True)
#: The same without fused multiply-adds, whose places differ between kernels. So the results have
#: the same bits in all kernels.
unfused = register_jitable(fastmath=False)


def only_for(dtype):
    """Return a decorator of functions (table, ...) that return nothing.

    A call is empty if the table has another dtype. The compiler decides this by the type, and then
    compiles nothing of the function.
    """

    def decorated(function):
        @functools.wraps(function)
        def called(table, *arguments):
            if str(table.dtype) == str(dtype):
                function(table, *arguments)

        @overload(called, strict=False)
        def chosen(table, *_):
            return function if table.dtype == dtype else nothing

        return called

    return decorated


def nothing(*_):
    """Replace a function in kernels that do not need it."""
