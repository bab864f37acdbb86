# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The decorator of everything that runs inside a kernel."""

import functools

from numba.extending import overload, register_jitable

#: Leaves the function plain Python where Python calls it, and compiles it into the caller where a
#: kernel calls it.
primitive = register_jitable
#: The same, for what would cost more to call than to repeat, but is too long for the compiler to
#: see that.
inlined = register_jitable(forceinline=True)
#: The same without fused multiply-adds, which the compiler places differently in each kernel: the
#: results are the same bits in all of them.
unfused = register_jitable(fastmath=False)


def only_for(dtype):
    """Return a decorator of functions (table, ...) that return nothing.

    A call is empty where the table is of another dtype. The compiler sees this by the type, and
    compiles none of the function then.
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
    """Stand for a function in kernels that do without it."""
