# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The dependencies of a kernel of another package, beyond its own file.

Numba's cache checks only the file of a function. But the code also contains the functions that it
calls in other files, and the values of constants.
"""

import hashlib
import inspect
import sys
import types
from pathlib import Path

import numpy as np

#: Packages whose version, or sources as a whole, are part of every key.
KNOWN = {'robodyn_ros', 'numba', 'llvmlite', 'numpy', *sys.stdlib_module_names}

#: Attributes with the wrapped function. They belong to kernels of this package, to dispatchers and
#: intrinsics of Numba, to partials, methods and decorators.
HOLDERS = (
    'python', 'py_func', '_pyfunc', '_dispatcher', '_defn', 'func', '__func__', '__wrapped__'
)  # fmt: skip

#: Beginning of the names of generated modules.
GENERATED = 'robodyn_specialised_'

#: Depth of followed modules: `a.b.c.helper`.
LONGEST_PATH = 6

PLAIN = (bool, int, float, complex, str, bytes, type(None), np.generic)


def fingerprint(function):
    """Return a digest of all sources and constants on which the machine code of a function
    depends.

    The names that the function uses are followed recursively. All sources of another package that
    they reach count, since Numba may find some by type alone. This package, Numba and Python are
    excluded.

    `function` (callable): the plain function of a kernel.
    Returns digest of 64 characters, '' without dependencies on other packages.
    """
    reached = _Reached()
    reached.follow(function)
    if not reached.files:
        return ''
    digest = hashlib.sha256()
    for file in sorted({source for own in reached.files for source in _sources(own)}):
        digest.update(f'{file.name}\0'.encode() + hashlib.sha256(file.read_bytes()).digest())
    for value in sorted(reached.values):
        digest.update(hashlib.sha256(value).digest())
    return digest.hexdigest()


class _Reached:
    """Files and values on which a function depends."""

    def __init__(self):
        self.files, self.values = set(), set()
        self._seen = {}  # by identity; kept alive, so that no identity is reused

    def follow(self, start):
        """Follow a function, or any object that its names refer to."""
        waiting = [('', start)]
        while waiting:
            name, item = waiting.pop()
            if isinstance(item, PLAIN):
                self.values.add(f'{name}={type(item).__name__}:{item!r}'.encode())
            elif id(item) not in self._seen:
                self._seen[id(item)] = item
                waiting += self._parts(name, item)

    def _parts(self, name, item):
        """Return (name, value) of the parts of an object, and record its file."""
        if isinstance(item, np.ndarray):
            self.values.add(f'{name}={item.dtype}{item.shape}:'.encode() + item.tobytes())
            return []
        if isinstance(item, (tuple, list, set, frozenset)):
            return [(f'{name}[{k}]', part) for k, part in enumerate(item)]
        if isinstance(item, dict):
            return [(f'{name}[{key!r}]', part) for key, part in item.items()]
        if isinstance(item, types.FunctionType):
            return self._parts_of_function(item)
        if isinstance(item, (type, types.ModuleType)):
            self._note(item.__module__ if isinstance(item, type) else item.__name__)
            return []
        return [
            (name, getattr(item, holder))
            for holder in HOLDERS
            if callable(getattr(item, holder, None))
        ]

    def _parts_of_function(self, function):
        """Return (name, value) of what a function names, and record its file."""
        cells = [
            (name, cell.cell_contents)
            for name, cell in zip(function.__code__.co_freevars, function.__closure__ or ())
            if _is_filled(cell)
        ]
        if not self._note(function.__module__, function):
            return cells
        names = _names(function.__code__)
        space = function.__globals__
        found = [(name, space[name]) for name in sorted(names) if name in space]
        for module, value in found:  # grows by the modules found in modules
            if isinstance(value, types.ModuleType) and not _is_known(value.__name__):
                found += [
                    (inner, vars(value)[name])
                    for name in sorted(names)
                    if name in vars(value)
                    and (inner := f'{module}.{name}') not in dict(found)
                    and inner.count('.') < LONGEST_PATH
                ]
        defaults = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
        return cells + found + [(function.__qualname__, each) for each in defaults]

    def _note(self, module, function=None):
        """Record the file of a module; return whether it belongs to another package."""
        if _is_known(module):
            return False
        file = getattr(sys.modules.get(module), '__file__', None) or (
            function and inspect.getsourcefile(function)
        )
        if file and Path(file).is_file():
            self.files.add(Path(file).resolve())
        return True


def _is_known(module):
    """Return whether keys cover a module: one of this package, of Numba or of Python."""
    first = (module or 'builtins').partition('.')[0]
    return first in KNOWN or first.startswith(GENERATED)


def _is_filled(cell):
    """Return whether a variable of an enclosing function has a value yet."""
    try:
        _ = cell.cell_contents
    except ValueError:
        return False
    return True


def _names(code):
    """Return the names that a code object and those inside it use."""
    inner = [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    return set(code.co_names).union(*map(_names, inner))


def _sources(file):
    """Return the Python sources of the outermost package that a file is in, or the file."""
    package = None
    for folder in file.parents:
        if not (folder / '__init__.py').is_file():
            break
        package = folder
    return {file, *(package.rglob('*.py') if package else ())}
