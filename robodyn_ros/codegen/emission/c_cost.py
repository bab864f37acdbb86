# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Code size and stack of emitted functions, reported by a compiler."""

import subprocess
import tempfile
from pathlib import Path

from robodyn_ros.errors import KernelError

FLAGS = ('-O2', '-ffp-contract=fast', '-fstack-usage')


def cost(folder, names, style, compiler=None):
    """Return the sizes of the machine code and of the stack of functions.

    `folder` (path): folder of the package.
    `names` (sequence of str): names of functions, without prefix.
    `compiler`: a compiler that knows -fstack-usage; by default gcc or g++.
    Raises KernelError: if the compiler is missing, or refuses a file.
    """
    compiler = compiler or ('gcc' if style.is_c else 'g++')
    standard, ext = ('-std=c99', 'c') if style.is_c else ('-std=c++17', 'cpp')
    found, folder = {}, Path(folder)
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            target = Path(scratch) / f'{name}.o'
            _run(compiler, standard, *FLAGS, '-I', folder / 'include', '-c',
                 folder / 'src' / f'{name}.{ext}', '-o', target)  # fmt: skip
            used = [int(line.split('\t')[1]) for line in
                    target.with_suffix('.su').read_text().splitlines()]  # fmt: skip
            code = int(_run('size', target).splitlines()[1].split()[0])
            found[name] = code, sum(used)
    return found


def _run(*command):
    """Return the output of a command."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except FileNotFoundError:
        raise KernelError(f'got no {command[0]} to compile with; expected it to be installed, or '
                          'no --cost') from None  # fmt: skip
    except subprocess.CalledProcessError as error:
        raise KernelError(f'{command[0]} refused {command[-3]}: {error.stderr[:300]}; expected '
                          'a compiler that knows -fstack-usage') from None  # fmt: skip
