# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy between pages without access: code that leaves its arrays ends the process.

`install` changes what NumPy allocates from then on: every array, of tests and of the package. An
array that was freed ends the process, too, and new ones are full of NaN. Memory that kernels
allocate by themselves stays as it is.

Any tests may run so: `FENCE=end python -m pytest -p support.fence FILE`, or FENCE=begin.
"""

import ctypes
import os
import subprocess
import tempfile
import threading
from pathlib import Path

import numpy as np

SET_HANDLER = 304  # index of PyDataMem_SetHandler in numpy's table of functions
NAME = ctypes.create_string_buffer(b'mem_handler')


class Fence:
    """The handler of memory, compiled here.

    compiler : path of a C compiler. at_the_end : whether arrays end at a page without access; else
    they begin behind one.
    """

    def __init__(self, compiler='cc', at_the_end=True):
        source = Path(__file__).with_suffix('.c')
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / 'libfence.so'
            subprocess.run([compiler, '-O1', '-shared', '-fPIC', source, '-o', path], check=True)
            self._library = ctypes.CDLL(str(path))
        self._library.fence_handler.restype = ctypes.c_void_p
        self._library.fence_count.restype = ctypes.c_size_t
        capsule = ctypes.pythonapi.PyCapsule_New
        capsule.restype, capsule.argtypes = ctypes.py_object, [ctypes.c_void_p] * 3
        handler = self._library.fence_handler(at_the_end)
        self._handler = capsule(handler, ctypes.addressof(NAME), None)

    def install(self):
        """Fence what this thread allocates from now on, and threads that it starts."""
        self._set()
        run = threading.Thread.run

        def fenced(thread):
            self._set()
            run(thread)

        threading.Thread.run = fenced

    def _set(self):
        core = getattr(np, '_core', None) or np.core  # before numpy 2
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, (ctypes.py_object, ctypes.c_char_p)
        table = ctypes.cast(
            pointer(core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p)
        )
        ctypes.PYFUNCTYPE(ctypes.py_object, ctypes.py_object)(table[SET_HANDLER])(self._handler)

    @property
    def counts(self):
        """How many arrays were fenced, and how many were not since too many existed."""
        return self._library.fence_count(1), self._library.fence_count(0)


def pytest_configure(config):
    """Fence the arrays of tests, if this is a plugin of pytest."""
    config.fence = Fence(at_the_end=os.environ.get('FENCE', 'end') == 'end')
    config.fence.install()


def pytest_unconfigure(config):
    """Tell how many arrays were fenced."""
    print('fenced arrays: {}, others: {}'.format(*config.fence.counts))
