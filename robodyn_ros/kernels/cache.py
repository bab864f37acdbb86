"""Where compiled kernels are kept between runs: a private folder, keyed by everything the machine
code depends on.
"""
import contextlib
import errno
import functools
import hashlib
import os
import pathlib
import platform
import stat
import tempfile
import warnings

import llvmlite.binding
import numba
from numba.core.codegen import get_host_cpu_features

#: Folders of this package whose text ends up in a kernel.
SOURCES = ('model/layout.py', 'spatial', 'recursions', 'kernels', 'control', 'simulation')

#: Ending of the marks of what has been compiled completely.
MARK = '.ready'

#: Troubles with a file for which nothing in the cache is to blame.
FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

_package = pathlib.Path(__file__).resolve().parent.parent


class CacheWarning(UserWarning):
    """Kernels are compiled, and not kept for the next time."""


def root():
    """Return the folder that holds the caches of all versions, without creating it."""
    chosen = os.environ.get('ROBODYN_CACHE_DIR')
    if chosen:
        return pathlib.Path(chosen)
    home = os.environ.get('XDG_CACHE_HOME')
    try:
        return (pathlib.Path(home) if home else pathlib.Path.home() / '.cache') / 'robodyn_ros'
    except RuntimeError:  # no home folder
        return None


def folder(source_file):
    """Return the private cache folder of kernels defined in source_file, or None where none can be
    had.

    The files in it are pickles that numba loads, so a folder that another user owns or may write
    to is not used.
    """
    base, file = root(), pathlib.Path(source_file).resolve()
    if base is None or not file.is_file():  # a generated kernel may be in memory only
        return None
    # a generated kernel is compiled where its text is
    path = file.parent if base.resolve() in file.parents else base / _key(str(file))
    try:
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = path.stat()
        if found.st_uid != os.getuid() or stat.S_IMODE(found.st_mode) & 0o022:
            _tell_once(f'the kernel cache {path} is not private to this user: '
                       'compiling without it')
            return None
        with tempfile.TemporaryFile(dir=path):
            return path
    except OSError as error:
        _tell_once(f'no kernel cache at {path} ({error.strerror}): compiling without it; '
                   'set ROBODYN_CACHE_DIR to a folder that can be written')
        return None


@contextlib.contextmanager
def directed_to(path):
    """Let numba's cache live in path while a kernel is compiled; it reads the setting once, at
    decoration.
    """
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(path)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def keep(path, data):
    """Write a file of the cache in one piece, whoever writes it at the same time; return whether
    it is there.
    """
    part = None
    try:
        with tempfile.NamedTemporaryFile(dir=path.parent, suffix='.part',
                                         delete=False) as part:
            part.write(data)
        os.replace(part.name, path)
        return True
    except OSError as error:
        _tell_once(f'nothing can be written to the kernel cache {path.parent} '
                   f'({error.strerror}): compiling without it')
        if part is not None:
            with contextlib.suppress(OSError):
                os.unlink(part.name)
        return False


def purge(path):
    """Remove the machine code below path; texts of generated kernels stay: they are sealed."""
    for file in [*path.rglob('*.nbi'), *path.rglob('*.nbc'), *path.glob(f'*{MARK}')]:
        with contextlib.suppress(OSError):
            file.unlink()


@functools.cache
def _key(source_file):
    """Name of the folder: package sources, numba, Python and processor; and the file, if it is
    another package's.
    """
    digest = hashlib.sha256()
    for name in SOURCES:
        path = _package / name
        for file in [path] if path.is_file() else sorted(path.rglob('*.py')):
            digest.update(str(file.relative_to(_package)).encode())
            digest.update(file.read_bytes())
    digest.update(repr((get_host_cpu_features(), numba.config.CPU_FEATURES)).encode())
    if _package not in pathlib.Path(source_file).parents:
        digest.update(pathlib.Path(source_file).read_bytes())
    parts = [digest.hexdigest()[:16], f'numba{numba.__version__}',
             f'py{platform.python_version()}',
             llvmlite.binding.get_host_cpu_name(), numba.config.CPU_NAME, platform.machine()]
    if numba.config.BOUNDSCHECK:
        parts.append('boundscheck')
    return '-'.join(part for part in parts if part)


@functools.cache
def _tell_once(sentence):
    warnings.warn(sentence, CacheWarning, stacklevel=4)
