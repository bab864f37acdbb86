"""Compiling a plain function for the one signature that its annotations state."""
import functools
import inspect
import threading
import warnings

from numba import njit, types
from numba.core.errors import NumbaError

from robodyn_ros.errors import KernelError
from robodyn_ros.kernels import cache
from robodyn_ros.kernels.quick import QuickCompiler, quick

#: Rewrites that keep infinities and NaN meaningful: guards in a kernel still see them.
FASTMATH = {'contract', 'reassoc', 'arcp', 'nsz'}
OPTIONS = {'error_model': 'numpy', 'fastmath': FASTMATH}

_lock = threading.RLock()  # numba's cache directory is a global of the process


class Kernel:
    """A plain function and its machine code.

    Calling it runs the machine code, compiling it first if need be. An argument of another type or
    layout than the annotations state is a TypeError, never a second compilation. `python` is the
    plain function, `compiled` the bare dispatcher, `quick` the same for hot loops. name : for
    messages. has_quick : False where `quick` is not worth its compilation; it is the dispatcher
    then, as for a kernel that lets other threads run. options : of numba.njit, where they differ
    from OPTIONS.
    """

    def __init__(self, function, name=None, has_quick=True, **options):
        functools.update_wrapper(self, function)
        self.python = function
        module = function.__module__.removeprefix('robodyn_ros.')
        self.name = name or f'{module}.{function.__qualname__}'
        self.options = OPTIONS | options | (
            {'pipeline_class': QuickCompiler} if has_quick and not options.get('nogil') else {})
        self.signature = _signature(function)

    def __call__(self, *arguments):
        return self.compiled(*arguments)

    @functools.cached_property
    def compiled(self):
        """The numba dispatcher, with its single signature."""
        with _lock:
            return _compile(self.python, self.signature, self.name, self.options)

    @functools.cached_property
    def quick(self):
        """`compiled` without what its dispatcher costs, see robodyn_ros.kernels.quick."""
        return quick(self)

    @property
    def is_compiled(self):
        """Whether the machine code is in memory."""
        return 'compiled' in self.__dict__


def kernel(function):
    """Decorate a plain, annotated function: it becomes a `Kernel`."""
    return Kernel(function)


def warm_up(kernels, progress=None):
    """Compile every kernel of the list, or load it from the cache.

    progress : called with (name, how many are done, how many there are) before each kernel and
    once at the end. Raises KernelError with the name of a kernel that does not compile.
    """
    kernels = list(kernels)
    for done, item in enumerate(kernels):
        if progress:
            progress(item.name, done, len(kernels))
        item.compiled  # noqa: B018  the property compiles
    if progress:
        progress('', len(kernels), len(kernels))


def _signature(function):
    """Numba signature from the annotations; every argument must have one."""
    parameters = inspect.signature(function).parameters
    bare = [name for name, value in parameters.items()
            if not isinstance(value.annotation, types.Type)]
    if bare:
        raise KernelError(f'kernel {function.__qualname__}: got no type for argument '
                          f'{", ".join(bare)}; expected an annotation from '
                          'robodyn_ros.spatial.types on every argument')
    return tuple(value.annotation for value in parameters.values())


def _compile(function, signature, name, options):
    """Compile with the cache; on any trouble there, purge it and compile again; then without it"""
    folder = cache.folder(inspect.getsourcefile(function))
    if folder is not None:
        for _ in range(2):
            try:
                with cache.directed_to(folder):
                    return njit([signature], cache=True, **options)(function)
            except Exception as error:  # damaged pickles surface as nearly any exception
                trouble = error
                if isinstance(error, NumbaError) or getattr(error, 'errno', 0) in cache.FULL:
                    break  # the kernel or the disk: what has been compiled is sound
                cache.purge(folder)
        warnings.warn(f'compiling {name} without a cache: {type(trouble).__name__}: {trouble}',
                      cache.CacheWarning, stacklevel=3)
    try:
        return njit([signature], **options)(function)
    except Exception as error:
        raise KernelError(
            f'kernel {name} does not compile: {type(error).__name__}: {error}') from error
