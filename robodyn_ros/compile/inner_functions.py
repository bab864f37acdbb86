# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile functions inside kernels once, as a part of the kernels.

Numba optimises every function that a kernel calls, makes machine code of it, and copies it into
the kernel, which it optimises and makes code of again. Nobody calls the code of the function
alone. Here it is made only when its address is requested, which takes two fifths off the time of
compiling.
"""

import contextlib

from robodyn_ros.compile.numba_private import MISSING, JITCodeLibrary, cpu_target

#: Begin of the names of functions that Python can call.
FROM_PYTHON = '_ZN7cpython'


class PatientLibrary(JITCodeLibrary):
    """Code of one function, which waits for a request of its address if Python cannot call it."""

    _waits = False

    def _optimize_final_module(self):
        functions = self._final_module.functions
        self._waits = not any(each.name.startswith(FROM_PYTHON) for each in functions)
        if not self._waits:
            super()._optimize_final_module()

    def _finalize_final_module(self):
        if self._waits:
            self._finalized = True
        else:
            super()._finalize_final_module()

    def get_pointer_to_function(self, name):
        """Return the address of a function, 0 if it is not in this library."""
        self._ensure_finalized()
        if self._waits:
            if not self._has(name):
                return 0
            self._waits = False
            super()._optimize_final_module()
            super()._finalize_final_module()
        return super().get_pointer_to_function(name)

    def _has(self, name):
        functions = self._final_module.functions
        return any(each.name == name and not each.is_declaration for each in functions)


@contextlib.contextmanager
def compiled_once():
    """Compile functions that kernels contain only as their parts, while entered."""
    codegen = None if MISSING else cpu_target.target_context.codegen()
    if not hasattr(codegen, '_library_class'):  # another Numba
        yield
        return
    before = codegen._library_class, codegen.set_env

    def set_env(name, env):
        if codegen._engine.get_global_value_address(name):  # 0 where code waits
            before[1](name, env)

    codegen._library_class, codegen.set_env = PatientLibrary, set_env
    try:
        yield
    finally:
        codegen._library_class, codegen.set_env = before
