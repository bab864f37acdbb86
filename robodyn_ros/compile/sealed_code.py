# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code on disk, sealed: executed only if it is what was written, bit by bit.

Numba's own cache checks the source file's time and size, and nothing of the code. One flipped bit
in it gives a wrong number. Here a file begins with a digest over its key and its data.
"""

import hashlib
import inspect
import logging
import pickle

from robodyn_ros.compile import cache
from robodyn_ros.compile.dependencies import fingerprint
from robodyn_ros.compile.numba_private import Cache, CompileResult, dumps, rtsys

ENDING = '.nbc'
SIZE = hashlib.sha256().digest_size


class SealedCode(Cache):
    """What a numba dispatcher asks for code, and hands code to: one file per kernel.

    Parameters
    ----------
    function : callable
        The plain function. Its folders are those of its source file, see compile.cache.
    signature : tuple of numba types
        Types of its arguments.
    options : dict
        Options of numba.njit: they change the code.
    """

    def __init__(self, function, signature, options):
        self._key = _key(function, signature, options)
        label = f'{function.__module__.rpartition(".")[2]}.{function.__name__}'[-140:]
        self._name = f'{label}-{hashlib.sha256(self._key).hexdigest()[:20]}{ENDING}'
        self._source = inspect.getsourcefile(function)

    def is_kept(self):
        """Return whether there is a file for the kernel, not whether it is sound."""
        return cache.has(self._source, self._name)

    def load_overload(self, sig, target_context):
        """Return the compiled function, None where no file with an unbroken seal has it."""
        rtsys.initialize(target_context)  # all that loading needs, in a tenth of a refresh's time
        for folder, data in cache.found(self._source, self._name):
            code = data[SIZE:]
            try:
                if data[:SIZE] != self._seal(code):
                    raise ValueError('its seal is broken')
                return CompileResult._rebuild(target_context, *pickle.loads(code))
            except Exception as error:  # what a library of another build wrote may raise anything
                logging.getLogger(__name__).warning(
                    'The machine code %s is damaged (%s): it is compiled anew.',
                    folder.path / self._name,
                    error,
                )
                folder.remove(self._name)
        return None

    def save_overload(self, sig, data):
        """Keep a compiled function, unless it holds addresses of this process."""
        if data.library.has_dynamic_globals or data.lifted:
            return
        code = dumps(data._reduce())
        cache.keep(self._source, self._name, self._seal(code) + code)

    def _seal(self, code):
        return hashlib.sha256(hashlib.sha256(self._key).digest() + code).digest()

    @property
    def cache_path(self):
        """The folder that code is written to."""
        return str(cache.folder(self._source))

    def enable(self):
        """Do nothing: a cache that is not wanted is not made."""

    disable = flush = enable


def _key(function, signature, options):
    """Return all that the code depends on, but for what the folder stands for."""
    with open(inspect.getsourcefile(function), 'rb') as file:
        source = hashlib.sha256(file.read()).hexdigest()
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    told = {
        name: sorted(value) if isinstance(value, (set, frozenset)) else value
        for name, value in options.items()
    }
    return repr(
        (
            function.__module__,
            function.__qualname__,
            signature,
            sorted(told.items()),
            source,
            fingerprint(function),
            function.__code__.co_code,
            dumps(cells) if cells else b'',
        )
    ).encode()
