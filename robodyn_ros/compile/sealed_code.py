# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sealed machine code on disk: executed only if a digest confirms every bit.

Numba's cache checks time and size of the source file, but not the machine code. A flipped bit in
it gives wrong numbers. Here a file begins with its seal, a digest of its key and data.
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
    """The cache of a Numba dispatcher: one file per kernel.

    `function` (callable): the plain function. Its source file selects the folders, see
      compile.cache.
    `signature` (tuple of numba types): types of its arguments.
    `options` (dict): options of numba.njit, which affect the code.
    """

    def __init__(self, function, signature, options):
        self._key = _key(function, signature, options)
        label = f'{function.__module__.rpartition(".")[2]}.{function.__name__}'[-140:]
        self._name = f'{label}-{hashlib.sha256(self._key).hexdigest()[:20]}{ENDING}'
        self._source = inspect.getsourcefile(function)

    def is_kept(self):
        """Return whether there is a file for the kernel, without a check of its seal."""
        return cache.has(self._source, self._name)

    def load_overload(self, sig, target_context):
        """Load the machine code.

        `sig` (numba signature): unused; there is one signature.
        `target_context` (numba context): context of the code generation.
        Returns None without a file with a valid seal.
        """
        rtsys.initialize(target_context)  # sufficient for loading, and much faster than a refresh
        for folder, data in cache.found(self._source, self._name):
            code = data[SIZE:]
            try:
                if data[:SIZE] != self._seal(code):
                    raise ValueError('its seal is broken')
                return CompileResult._rebuild(target_context, *pickle.loads(code))
            except Exception as error:  # a file of another build may raise any exception
                logging.getLogger(__name__).warning(
                    'The machine code %s is damaged (%s): it is compiled anew.',
                    folder.path / self._name,
                    error,
                )
                folder.remove(self._name)
        return None

    def save_overload(self, sig, data):
        """Store machine code, unless it contains addresses of this process.

        `sig` (numba signature): unused; there is one signature.
        `data` (numba CompileResult): the compiled function.
        """
        if data.library.has_dynamic_globals or data.lifted:
            return
        code = dumps(data._reduce())
        cache.save(self._source, self._name, self._seal(code) + code)

    def _seal(self, code):
        """Return the digest of the key and of machine code."""
        return hashlib.sha256(hashlib.sha256(self._key).digest() + code).digest()

    @property
    def cache_path(self):
        """The folder for new code."""
        return str(cache.folder(self._source))

    def enable(self):
        """Do nothing: a cache that is not wanted is never created."""

    disable = flush = enable


def _key(function, signature, options):
    """Return all inputs of the machine code that the folder's name does not cover."""
    with open(inspect.getsourcefile(function), 'rb') as file:
        source = hashlib.sha256(file.read()).hexdigest()
    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    inputs = {
        name: sorted(value) if isinstance(value, (set, frozenset)) else value
        for name, value in options.items()
    }
    return repr(
        (
            function.__module__,
            function.__qualname__,
            signature,
            sorted(inputs.items()),
            source,
            fingerprint(function),
            function.__code__.co_code,
            dumps(cells) if cells else b'',
        )
    ).encode()
