# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Emitted packages, compiled and called from Python."""

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.codegen.emission import c_package, c_selection
from robodyn_ros.control.laws.law_recipes import chosen_laws

#: Where programs of this Python are, such as colcon.
OWN = str(Path(sys.executable).parent)
#: What every compiler must accept without a word.
STRICT = ('-Wall', '-Wextra', '-Wconversion', '-Wshadow', '-pedantic', '-Werror')
#: The order and the rounding of the tape, and the C library's sines.
EXACT = ('-ffp-contract=off',)


def compiler(name):
    """Return the path of a compiler, or skip the test."""
    found = shutil.which(name, path=os.pathsep.join((os.environ['PATH'], OWN)))
    if not found:
        pytest.skip(f'{name} is not installed')
    return found


def with_sanitizers(name):
    """Return the path of a compiler that has sanitizers, or skip the test."""
    found = compiler(name)
    command = [found, '-fsanitize=address,undefined', '-x', 'c', '-', '-o', os.devnull]
    if subprocess.run(command, input=b'int main(void) {}', check=False).returncode:
        pytest.skip(f'{name} has no sanitizers; for clang they are in libclang-rt-dev')
    return found


def emitted(
    model,
    style,
    quantities=None,
    frames=(),
    prescribed=(),
    laws=(),
    passive=(),
    payloads=(),
    positions='independent',
    description='<robot/>',
):
    """Return the functions of a package, and its files."""
    of_laws = chosen_laws(model, laws, passive)
    chosen = c_selection.selected_functions(
        model, quantities, frames, prescribed, of_laws, payloads, positions
    )
    found = c_selection.record_all(model, chosen, style.real)
    return found, c_package.files(model, description, found, style)


def shared(folder, style, flags, command):
    """Return the library of a package that was written to a folder."""
    path = folder / f'lib{abs(hash((command, *flags)))}.so'
    standard = '-std=c99' if style.is_c else '-std=c++17'
    built(path, folder, [compiler(command), standard, *STRICT, *flags], '' if style.is_c else 'pp')
    return ctypes.CDLL(str(path))


def built(path, folder, command, ending=''):
    """Build the library `path` of a package with a compiler and its options.

    All sources are one text: starting the compiler for each takes most of the time.
    """
    text = folder / f'together.c{ending}'
    sources = sorted((folder / 'src').glob(f'*.c{ending}'))
    text.write_text(''.join(f'#include "{source}"\n' for source in sources))
    places = ['-I', folder / 'include', '-I', folder / 'src']
    run([*command, '-shared', '-fPIC', *places, text, '-o', path, '-lm'])


def run(command, **options):
    """Run a command, and return what it printed."""
    done = subprocess.run(
        [*map(str, command)], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


def call(library, style, one, given):
    """Return the status of a function, and its results, NaN where it wrote nothing.

    given : arrays of the inputs.
    """
    kind = np.float64 if style.real == 'double' else np.float32
    given = [np.ascontiguousarray(array, kind) for array in given]
    results = [
        np.full((*shape, style.lanes)[: len(shape) + (style.lanes > 1)], np.nan, kind)
        for shape in one.recording.outputs.values()
    ]
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (*given, *results)]
    return getattr(library, style.function(one.name))(*pointers), results
