# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated sources in the kernel cache, which are written once and can be inspected.

Compiling such a source to bytecode takes long, so its bytecode is cached too. Python's own cache
would trust a damaged file, or not write one.
"""

import hashlib
import importlib.util
import linecache
import marshal
import sys
import types

from robodyn_ros.compile import cache
from robodyn_ros.compile.dependencies import GENERATED

SEAL = '\n# sha256 '  # of the source before it
SIZE = hashlib.sha256().digest_size  # of the seal before bytecode


def imported(stem, write):
    """Return the module of a generated source, from the kernel cache if it is there.

    `stem`: name of the file without its ending. It identifies the source.
    `write` (callable): called without arguments; returns the source as text. Not called for a
      cached source.
    """
    name, file = f'{GENERATED}{stem}', f'{stem}.py'
    path, sealed = next(
        (
            (folder.path / file, text)
            for folder, data in cache.found(__file__, file)
            if (text := _intact(data))
        ),
        (None, ''),
    )
    if not sealed:
        text = write()
        sealed = f'{text}{SEAL}{_digest(text)}\n'
        if not cache.save(__file__, file, sealed.encode()):
            return _in_memory(name, f'<{stem}>', text)
        path = cache.folder(__file__) / file
    _show(str(path), sealed)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path))
    exec(_code(path, sealed), vars(module))
    return _registered(name, module)


def _code(path, text):
    """Return the bytecode of a source: cached, or compiled and cached."""
    kept, inputs = f'{path.stem}.code', f'{sys.flags.optimize}\n{path}\n{text}'.encode()
    for _, data in cache.found(__file__, kept):
        if data[:SIZE] == _seal(inputs, data[SIZE:]):
            return marshal.loads(data[SIZE:])
    code = compile(text, str(path), 'exec')
    data = marshal.dumps(code)
    cache.save(__file__, kept, _seal(inputs, data) + data)
    return code


def _in_memory(name, path, text):
    """Return the module of a source in memory only."""
    _show(path, text)
    module = types.ModuleType(name)
    exec(compile(text, path, 'exec'), vars(module))
    return _registered(name, module)


def _registered(name, module):
    """Register a module, and return it.

    It must be complete, since another thread may import it meanwhile. Numba looks for it in
    sys.modules when it loads machine code. Generated sources import it from there, too.
    """
    sys.modules[name] = module
    return module


def _show(path, text):
    """Make tracebacks show the source that runs, even if the file changes."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)


def _intact(data):
    """Return a sealed text, or '' if its seal is broken."""
    sealed = data.decode(errors='replace')
    text, _, digest = sealed.rpartition(SEAL)
    return sealed if digest.strip() == _digest(text) else ''


def _seal(inputs, data):
    """Return the digest of bytecode and of all that it is made of."""
    return hashlib.sha256(hashlib.sha256(inputs).digest() + data).digest()


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
