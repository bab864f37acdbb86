"""Generated texts: kept in the kernel cache, so that they are written once and can be read."""
import hashlib
import importlib.util
import linecache
import sys
import types

from robodyn_ros.kernels import cache

SEAL = '\n# sha256 '  # of the text before it


def imported(stem, write):
    """The module of a generated text, from the cache folder where there is one."""
    name, folder = f'robodyn_specialised_{stem}', cache.folder(__file__)
    path = None if folder is None else folder / f'{stem}.py'
    if path is None or not _whole(path):
        text = write()
        if path is None or not cache.keep(path, f'{text}{SEAL}{_digest(text)}\n'):
            return _in_memory(name, f'<{stem}>', text)
        linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return _known(name, module)


def _in_memory(name, path, text):
    """The module of a text that is kept nowhere else."""
    linecache.cache[path] = (len(text), None, text.splitlines(True), path)
    module = types.ModuleType(name)
    exec(compile(text, path, 'exec'), vars(module))
    return _known(name, module)


def _known(name, module):
    """The module, where numba looks for it when it loads machine code, and texts that import it;
    not before it is whole, as another thread may be among them.
    """
    sys.modules[name] = module
    return module


def _whole(path):
    """Whether a text is there as it was written."""
    try:
        text, _, digest = path.read_text().rpartition(SEAL)
    except (OSError, ValueError):
        return False
    return digest.strip() == _digest(text)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()
