# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Compile a plain function for the signature of its annotations."""

import contextlib
import functools
import inspect
import os
import threading

from numba import NumbaError, njit, types

from robodyn_ros.compile import notice, reproducible
from robodyn_ros.compile.call import declare, provide_recursions
from robodyn_ros.compile.numba_private import MISSING
from robodyn_ros.compile.sealed_code import SealedCode
from robodyn_ros.compile.simd import joint_pairs, products, torque_sweeps  # noqa: F401  their code
from robodyn_ros.compile.vectorcall.kernel_call import VectorcallCompiler, vectorcall
from robodyn_ros.errors import KernelError

#: Optimisations that keep infinities and NaN, so that guards in a kernel see them.
FASTMATH = {'contract', 'reassoc', 'arcp', 'nsz'}
#: Without Numba's run time (NRT) a kernel cannot allocate, and counts no references to arrays.
OPTIONS = {
    'error_model': 'numpy',
    'fastmath': False if reproducible.WANTED else FASTMATH,
    '_nrt': False,
    'no_cfunc_wrapper': True,
}

_lock = threading.RLock()  # two threads that need a kernel compile it once


class Kernel:
    """A plain function and its machine code.

    A call runs the machine code, and compiles it first if needed. An argument of another type or
    layout than annotated raises a TypeError. It never compiles a second version. The attribute
    `python` is the plain function.

    `function` (callable): the plain function, with annotations of robodyn_ros.spatial.types.
    `name`: name in messages; by default that of the function with its module.
    `has_vectorcall`: False makes `vectorcall` the dispatcher, for kernels that are not called in
      hot loops.
    `context` (callable): called without arguments; returns the context in which the kernel is
      compiled.
    `**options`: options of numba.njit, in addition to OPTIONS.
    """

    def __init__(
        self, function, name=None, has_vectorcall=True, context=contextlib.nullcontext, **options
    ):
        functools.update_wrapper(self, function)
        self.python = function
        module = function.__module__.removeprefix('robodyn_ros.')
        self.name = name or f'{module}.{function.__qualname__}'
        is_fast = has_vectorcall and not options.get('nogil') and not MISSING
        self.options = (
            OPTIONS | options | ({'pipeline_class': VectorcallCompiler} if is_fast else {})
        )
        self.signature, self._context = _signature(function), context

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self):
        """The numba dispatcher, with its single signature."""
        with _lock:
            if reproducible.WANTED:
                reproducible.install()
            declare()
            if not MISSING:
                provide_recursions(self.python)
            notices = contextlib.nullcontext() if self.is_kept else notice.compiling(self.name)
            try:
                with notices, self._context():
                    return _compile(self.python, self.signature, self.options, self._code)
            except Exception as error:
                raise KernelError(
                    f'kernel {self.name} does not compile: {type(error).__name__}: {error}'
                ) from error

    @functools.cached_property
    def vectorcall(self):
        """`compiled` without the cost of Numba's dispatcher, for hot loops."""
        return vectorcall(self)

    @property
    def is_kept(self):
        """Whether the machine code is on disk."""
        return self._code is not None and self._code.is_kept()

    @functools.cached_property
    def _code(self):
        """The cache of its machine code, None for a source in memory only."""
        if MISSING or not os.path.isfile(inspect.getsourcefile(self.python) or ''):
            return None
        return SealedCode(self.python, self.signature, self.options)

    @property
    def is_compiled(self):
        """Whether the machine code is in memory."""
        return 'compiled' in self.__dict__


def kernel(function):
    """Decorate a plain, annotated function, so that it becomes a kernel.

    `function` (callable): the plain function, with annotations of robodyn_ros.spatial.types.
    Returns the kernel.
    """
    return Kernel(function)


def separate_kernel(function, **options):
    """Return the kernel of a separate function, see robodyn_ros.compile.call.

    `function` (callable): the separate function.
    `**options`: options of numba.njit.
    """
    return Kernel(inspect.unwrap(function), has_vectorcall=False, **options)


def warm_up(kernels, progress=None):
    """Compile every kernel of the list, or load it from the cache.

    `progress` (callable): called with (name, number done, total) before each kernel and once at
      the end.
    Raises KernelError: with the name of a kernel that does not compile.
    """
    kernels = list(kernels)
    notices = notice.suppressed() if progress else contextlib.nullcontext()
    with notices:
        for done, item in enumerate(kernels):
            if progress:
                progress(item.name, done, len(kernels))
            item.compiled  # noqa: B018  the property compiles
    if progress:
        progress('', len(kernels), len(kernels))


def _signature(function):
    """Return the Numba signature of the annotations; every argument must have one."""
    parameters = inspect.signature(function).parameters
    bare = [
        name for name, value in parameters.items() if not isinstance(value.annotation, types.Type)
    ]
    if bare:
        raise KernelError(
            f'kernel {function.__qualname__}: got no type for argument '
            f'{", ".join(bare)}; expected an annotation from '
            'robodyn_ros.spatial.types on every argument'
        )
    return tuple(value.annotation for value in parameters.values())


def _compile(function, signature, options, code):
    """Compile a function, with Numba's run time if it allocates."""
    try:
        return _compiled(function, signature, options, code)
    except NumbaError:
        return _compiled(function, signature, options | {'_nrt': True}, code)


def _compiled(function, signature, options, code):
    """Compile a function, or load its machine code from the cache."""
    dispatcher = njit(**options)(function)
    if dispatcher is function:  # NUMBA_DISABLE_JIT is set
        return function
    if code is not None:
        dispatcher._cache = code
    dispatcher.compile(signature)
    dispatcher.disable_compile()
    return dispatcher
