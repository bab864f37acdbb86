# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of long straight-line functions in the order of their statements.

LLVM's machine scheduler moves instructions to hide latencies. In a long function without branches
it lengthens the life of hundreds of values, which then leave the registers. Recursions are
recorded in a good order, so there the code is shorter and faster without it. LLVM has this switch
for the whole process only.
"""

import contextlib

import llvmlite.binding

from robodyn_ros.compile.numba_private import MISSING, global_compiler_lock

#: Versions of LLVM in which the switch can be set again.
KNOWN = range(15, 23)
#: Statements beyond which code is faster without the scheduler.
LONG = 3_000


@contextlib.contextmanager
def statements_in_order(statements):
    """Return the context in which a function is compiled; others wait until it ends.

    `statements`: length of the function. Up to LONG statements, the scheduler stays on.
    """
    if statements <= LONG or MISSING or llvmlite.binding.llvm_version_info[0] not in KNOWN:
        yield
        return
    with global_compiler_lock:
        _switch('off')
        try:
            yield
        finally:
            _switch('on')


def _switch(state):
    """Switch the machine scheduler 'on' or 'off'."""
    llvmlite.binding.set_option('robodyn_ros', f'-enable-misched={int(state == "on")}')
