# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Every private part of Numba that this package imports, and what serves where one is missing.

Numba promises none of them from one version to the next. Without them kernels are called by
Numba's own dispatcher and not kept, which is slower, and `MISSING` says what is missing.
"""

# ruff: noqa: F401  what is imported here is used elsewhere
import types
import warnings

import numba

from robodyn_ros.errors import KernelError

#: The oldest version whose machine code this package has been tested with.
OLDEST = (0, 59)


def require_version(version):
    """Refuse a Numba that is too old, as the one of a distribution may be.

    Raises
    ------
    KernelError
        With the version that is there and the one that is needed.
    """
    found = tuple(int(part) for part in version.split('.')[:2])
    if found < OLDEST:
        raise KernelError(
            f'Numba {version} is installed; expected {".".join(map(str, OLDEST))} or newer, as by '
            f'pip install "numba>={".".join(map(str, OLDEST))}" in an environment of its own'
        )


require_version(numba.__version__)

MISSING = ''
try:
    from numba.core import cgutils, typed_passes
    from numba.core.caching import _Cache as Cache
    from numba.core.codegen import get_host_cpu_features
    from numba.core.compiler import CompilerBase, CompileResult, DefaultPassBuilder
    from numba.core.compiler_machinery import register_pass
    from numba.core.lowering import Lower
    from numba.core.runtime.nrt import rtsys
    from numba.core.serialize import dumps
    from numba.np.arrayobj import populate_array
except ImportError as error:
    from llvmlite.binding import get_host_cpu_features

    MISSING = str(error)
    cgutils = CompileResult = DefaultPassBuilder = dumps = populate_array = rtsys = None
    Cache = CompilerBase = Lower = object
    typed_passes = types.SimpleNamespace(NativeLowering=object)

    def register_pass(**_):
        """Register nothing."""
        return lambda lowering: lowering

    warnings.warn(
        f'Numba {numba.__version__} has changed ({MISSING}): kernels are called more slowly',
        RuntimeWarning,
        stacklevel=2,
    )
