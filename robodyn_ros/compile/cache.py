# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels, in private folders keyed by all inputs of the machine code.

There are two folders. One is in the installation, filled when the package is built. The other
belongs to the user, for all further kernels.
"""

import collections
import contextlib
import functools
import hashlib
import os
import pathlib
import platform
import pwd
import time
import warnings

import llvmlite.binding
import numba

from robodyn_ros.compile import reproducible
from robodyn_ros.compile.numba_private import MISSING, get_host_cpu_features
from robodyn_ros.compile.prune import prune
from robodyn_ros.compile.trusted_folder import TrustedFolder, UntrustedError

#: Folders of this package whose source is compiled into kernels.
SOURCES = (
    'model/layout.py',
    'spatial',
    'algorithms',
    'compile',
    'codegen',
    'control',
    'simulation',
)

#: Ending of the marks of complete compilations.
MARK = '.ready'

#: Folder of the package for the kernels that are compiled when it is built.
BUILT = '__kernels__'

#: Set in the environment during this build.
BUILDING = 'ROBODYN_BUILDING_KERNELS'

DAY = 86400.0  # [s] between records of a use

_package = pathlib.Path(__file__).resolve().parent.parent
#: By root: (source file or '', name) of each file that was read or written.
_used: dict[str, set[tuple[str, str]]] = collections.defaultdict(set)


class CacheWarning(UserWarning):
    """Kernels are compiled but not cached."""


def root():
    """Return the folder that holds the caches of all versions, without creating it."""
    if _is_building():
        return built_root()
    chosen = os.environ.get('ROBODYN_CACHE_DIR')
    if chosen:
        return pathlib.Path(chosen)
    chosen = os.environ.get('XDG_CACHE_HOME')
    try:
        base = pathlib.Path(chosen) if chosen else _home() / '.cache'
    except (KeyError, RuntimeError):  # no home folder
        return None
    return base / 'robodyn_ros'


def built_root():
    """Return the folder of the kernels that were compiled when the package was built."""
    chosen = os.environ.get('ROBODYN_BUILT_KERNELS')
    if chosen is None:
        return _package / BUILT
    return pathlib.Path(chosen) if chosen else None


@contextlib.contextmanager
def building():
    """Cache kernels of this process and its children in the installation, for all users."""
    os.environ[BUILDING] = '1'
    try:
        yield
    finally:
        del os.environ[BUILDING]


def folder(source_file):
    """Return the path of the user's cache folder for the kernels of a source file.

    `source_file`: path of the source file.
    """
    opened = _own(source_file)
    return opened and opened.path


def found(source_file, name):
    """Yield every cached file of a name, the user's own first.

    `source_file`: path of the source file of the kernel.
    `name`: name of the cached file.
    Yields `folder` (TrustedFolder): the folder.
    Yields `data` (bytes): contents of the file.
    """
    for opened in _folders(source_file):
        try:
            data = opened.read_bytes(name)
            if time.time() - opened.status(name).st_mtime > DAY:
                opened.touch(name)  # files in use are not pruned
        except FileNotFoundError:
            continue
        except (OSError, UntrustedError) as error:
            _warn_once(f'a file of the kernel cache is not used: {error}')
            continue
        _used[root()].add(_place(source_file, name))
        yield opened, data


def has(source_file, name):
    """Return whether a file is cached.

    `source_file`: path of the source file of the kernel.
    `name`: name of the cached file.
    """
    for opened in _folders(source_file):
        with contextlib.suppress(OSError):
            opened.status(name)
            return True
    return False


def save(source_file, name, data):
    """Write a file to the user's cache, atomically.

    `source_file`: path of the source file of the kernel.
    `name`: name of the cached file.
    `data` (bytes): its contents.
    Returns whether the file was written. A warning tells why not.
    """
    opened = _own(source_file)
    if opened is None:
        return False
    try:
        opened.write_bytes(name, data)
    except OSError as error:
        _warn_once(
            f'nothing can be written to the kernel cache {opened.path} '
            f'({error.strerror}): compiling without it'
        )
        return False
    _used[root()].add(_place(source_file, name))
    if not _is_building():
        prune(opened)
    return True


def set_mark(name):
    """Mark a compilation as complete, with the files it depends on.

    `name`: name of the compilation, such as that of a robot.
    Returns whether the mark was written.
    """
    lines = sorted('\t'.join(place) for place in _used[root()])
    return save(__file__, name + MARK, '\n'.join(lines).encode())


def has_mark(name):
    """Return whether a compilation is marked complete and all of its files exist.

    `name`: name of the compilation.
    """
    for _, data in found(__file__, name + MARK):
        places = [line.split('\t') for line in data.decode(errors='replace').splitlines()]
        if places and all(
            len(place) == 2 and has(place[0] or __file__, place[1]) for place in places
        ):
            return True
    return False


def _home():
    """Return the user's home folder; an empty HOME counts as unset."""
    if os.environ.get('HOME') == '':
        return pathlib.Path(pwd.getpwuid(os.getuid()).pw_dir)
    return pathlib.Path.home()


def _is_building():
    """Return whether this process compiles the kernels of the installation."""
    return BUILDING in os.environ


def _place(source_file, name):
    """Return the entry of a file in a mark: its source file and its name.

    All sources of this package share one folder, and the entry ''.
    """
    return '' if _is_own_source(pathlib.Path(source_file).resolve()) else str(source_file), name


def _folders(source_file):
    """Return the opened folders in which kernels of a source file may be."""
    return [opened for opened in (_own(source_file), _built(source_file)) if opened]


def _own(source_file):
    """Return the opened folder of the user, for writing; None without one."""
    base, name = root(), _name(source_file)
    if base is None or name is None:
        return None
    path = base / (name if _is_building() else f'{name}-uid{os.getuid()}')
    try:
        opened = TrustedFolder(path, _owners(base), create=True, shared=_is_building())
        if opened.writable:
            return opened
        why = 'it is read-only'
    except UntrustedError as error:
        _warn_once(
            f'the kernel cache {path} is not private to this user ({error}): compiling without it'
        )
        return None
    except OSError as error:
        why = error.strerror
    _warn_once(
        f'no kernel cache at {path} ({why}): compiling without it; '
        'set ROBODYN_CACHE_DIR to a folder that can be written'
    )
    return None


def _built(source_file):
    """Return the opened folder in the installation; None without one."""
    base, name = built_root(), _name(source_file)
    if base is None or name is None or _is_building():
        return None
    try:
        return TrustedFolder(base / name, _owners(base))
    except UntrustedError as error:
        _warn_once(
            f'the kernels that were compiled when the package was built are not used: {error}'
        )
    except OSError:  # not built for this version and processor
        pass
    return None


def _owners(base):
    """Return this user, and for the installation the owner of its trusted code."""
    if base == built_root():
        return os.getuid(), os.stat(__file__).st_uid
    return (os.getuid(),)


def _name(source_file):
    """Return the name of the folder of a source file, None for sources in memory only."""
    file = pathlib.Path(source_file).resolve()
    return _key('' if _is_own_source(file) else str(file)) if file.is_file() else None


def _is_own_source(file):
    """Return whether a file is of this package, or was generated by it."""
    return _package in file.parents or file.parent.name.startswith(_key(''))


@functools.cache
def _key(foreign):
    """Return the name of the folder: a hash of sources, Numba, Python and processor.

    It includes the source file if that belongs to another package.
    """
    digest = hashlib.sha256()
    for name in SOURCES:
        path = _package / name
        for file in [path] if path.is_file() else sorted(path.rglob('*.py')):
            digest.update(str(file.relative_to(_package)).encode())
            digest.update(file.read_bytes())
    digest.update(repr((get_host_cpu_features(), numba.config.CPU_FEATURES, MISSING)).encode())
    if foreign:
        digest.update(pathlib.Path(foreign).read_bytes())
    parts = [
        digest.hexdigest()[:16],
        f'numba{numba.__version__}',
        f'py{platform.python_version()}',
        llvmlite.binding.get_host_cpu_name(),
        numba.config.CPU_NAME,
        platform.machine(),
    ]
    if numba.config.BOUNDSCHECK:
        parts.append('boundscheck')
    if reproducible.WANTED:
        parts.append('reproducible')
    return '-'.join(part for part in parts if part)


@functools.cache
def _warn_once(sentence):
    """Warn once per process with the same sentence."""
    warnings.warn(sentence, CacheWarning, stacklevel=4)
