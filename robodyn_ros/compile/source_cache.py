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
SIZE = hashlib.sha256().digest_size  # of the seal before code


def imported(stem, write):
    """Return the module of a generated source, from the kernel cache if it is there."""
    name, file = f'{GENERATED}{stem}', f'{stem}.py'
    path, whole = next(
        (
            (folder.path / file, text)
            for folder, data in cache.found(__file__, file)
            if (text := _whole(data))
        ),
        (None, ''),
    )
    if not whole:
        text = write()
        whole = f'{text}{SEAL}{_digest(text)}\n'
        if not cache.save(__file__, file, whole.encode()):
            return _in_memory(name, f'<{stem}>', text)
        path = cache.folder(__file__) / file
    _show(str(path), whole)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path))
    exec(_code(path, whole), vars(module))
    return _known(name, module)


def _code(path, text):
    """Return the code of a source: cached, or compiled and cached."""
    kept, made_of = f'{path.stem}.code', f'{sys.flags.optimize}\n{path}\n{text}'.encode()
    for _, data in cache.found(__file__, kept):
        if data[:SIZE] == _seal(made_of, data[SIZE:]):
            return marshal.loads(data[SIZE:])
    code = compile(text, str(path), 'exec')
    data = marshal.dumps(code)
    cache.save(__file__, kept, _seal(made_of, data) + data)
    return code


def _in_memory(name, path, text):
    """Return the module of a source in memory only."""
    _show(path, text)
    module = types.ModuleType(name)
    exec(compile(text, path, 'exec'), vars(module))
    return _known(name, module)


def _known(name, module):
    """Return the module once it is complete, since another thread may import it meanwhile.

    numba looks for it in sys.modules when it loads machine code; so do generated texts.
    """
    sys.modules[name] = module
    return module


def _show(path, text):
    """Make tracebacks show the running lines, even if the file changes."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)


def _whole(data):
    """Return an intact sealed text, or ''."""
    whole = data.decode(errors='replace')
    text, _, digest = whole.rpartition(SEAL)
    return whole if digest.strip() == _digest(text) else ''


def _seal(made_of, data):
    return hashlib.sha256(hashlib.sha256(made_of).digest() + data).digest()


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
