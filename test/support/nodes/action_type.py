# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Types of interface packages that may not be installed, generated from test/interfaces."""

import ctypes
import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
SOURCES = ROOT / 'test' / 'interfaces'
#: Loaded by their full paths, in this order, each needs the ones before it.
LIBRARIES = (
    'rosidl_generator_c',
    'rosidl_typesupport_fastrtps_c',
    'rosidl_typesupport_introspection_c',
    'rosidl_typesupport_c',
    'rosidl_generator_py',
)


def provide(name='control_msgs'):
    """Make `import control_msgs` work in this process and in those that it starts.

    name : of the package, a folder of test/interfaces.
    """
    if find_spec(name) is not None:
        return
    prefix = _generated(name)
    library = prefix / 'lib'
    (packages,) = (path.parents[1] for path in prefix.rglob(f'{name}/__init__.py'))
    sys.path.insert(0, str(packages))
    for key, path in (
        ('PYTHONPATH', packages),
        ('LD_LIBRARY_PATH', library),
        ('AMENT_PREFIX_PATH', prefix),
    ):
        os.environ[key] = os.pathsep.join(filter(None, (str(path), os.environ.get(key))))
    for part in LIBRARIES:  # the search path of this process is that of its start
        path = library / f'lib{name}__{part}.so'
        if path.exists():
            ctypes.CDLL(str(path), ctypes.RTLD_GLOBAL)


def _generated(name):
    """Return the prefix of the generated package, which is built once for its sources."""
    files = sorted(path for path in (SOURCES / name).rglob('*') if path.is_file())
    told = [sys.prefix, platform.python_version(), *(path.read_text() for path in files)]
    key = hashlib.sha256('\n'.join(told).encode()).hexdigest()[:16]
    prefix = ROOT / 'build' / f'{name}-{key}'
    prefix.parent.mkdir(exist_ok=True)
    with prefix.with_suffix('.lock').open('w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several processes collect the same tests
        if not prefix.exists():
            _build(SOURCES / name, prefix)
    return prefix


def _build(source, prefix):
    """Build the package, and give it its name when it is whole."""
    work, part = prefix.with_suffix('.work'), prefix.with_suffix('.part')
    cmake = shutil.which('cmake')
    flags = [f'-DCMAKE_INSTALL_PREFIX={part}', '-DBUILD_TESTING=OFF']
    flags += [f'-DPython3_EXECUTABLE={sys.executable}', f'-DPYTHON_EXECUTABLE={sys.executable}']
    for command in (
        [cmake, '-S', source, '-B', work, *flags],
        [cmake, '--build', work, '--parallel', '2'],
        [cmake, '--install', work],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f'{command}: {done.stdout[-3000:]}{done.stderr[-3000:]}'
    shutil.rmtree(work)
    part.rename(prefix)
