# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Generated texts: kept in the kernel cache, so that they are written once and can be read.

Python takes longer to compile such a text than for all else with it, so its bytecode is kept
beside it. This module keeps it, because Python trusts a damaged file of its own, or does not write
one.
"""

import hashlib
import importlib.util
import linecache
import marshal
import sys
import types

from robodyn_ros.compile import cache
from robodyn_ros.compile.dependencies import GENERATED

SEAL = '\n# sha256 '  # of the text before it
SIZE = hashlib.sha256().digest_size  # of the seal before code


def imported(stem, write):
    """Return the module of a generated text, from the kernel cache where it is there."""
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
        if not cache.keep(__file__, file, whole.encode()):
            return _in_memory(name, f'<{stem}>', text)
        path = cache.folder(__file__) / file
    _show(str(path), whole)
    module = importlib.util.module_from_spec(importlib.util.spec_from_file_location(name, path))
    exec(_code(path, whole), vars(module))
    return _known(name, module)


def _code(path, text):
    """Return the code of a text: kept, or compiled and kept."""
    kept, made_of = f'{path.stem}.code', f'{sys.flags.optimize}\n{path}\n{text}'.encode()
    for _, data in cache.found(__file__, kept):
        if data[:SIZE] == _seal(made_of, data[SIZE:]):
            return marshal.loads(data[SIZE:])
    code = compile(text, str(path), 'exec')
    data = marshal.dumps(code)
    cache.keep(__file__, kept, _seal(made_of, data) + data)
    return code


def _in_memory(name, path, text):
    """Return the module of a text that is kept nowhere else."""
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
    """Let error messages show the lines that run, whatever becomes of the file."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)


def _whole(data):
    """Return a text with its seal, as it was written; or ''."""
    whole = data.decode(errors='replace')
    text, _, digest = whole.rpartition(SEAL)
    return whole if digest.strip() == _digest(text) else ''


def _seal(made_of, data):
    return hashlib.sha256(hashlib.sha256(made_of).digest() + data).digest()


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
