# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""All private parts of Numba that this package imports, and their replacements.

They may change with any version of Numba. Without them kernels are called by Numba's dispatcher
and not cached, which is slower; `MISSING` names the missing parts.
"""

# ruff: noqa: F401  what is imported here is used elsewhere
import types
import warnings

import numba

from robodyn_ros.errors import KernelError

#: The oldest tested version.
OLDEST = (0, 59)


def require_version(version):
    """Refuse a Numba that is too old, such as one of a distribution.

    `version`: version of Numba, such as '0.61.2'.
    Raises KernelError: with the installed and the required version.
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
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.compiler_machinery import register_pass
    from numba.core.lowering import Lower
    from numba.core.runtime.nrt import rtsys
    from numba.core.serialize import dumps
    from numba.core.typing.templates import AttributeTemplate
    from numba.np.arrayobj import populate_array
except ImportError as error:
    from llvmlite.binding import get_host_cpu_features

    MISSING = str(error)
    cgutils = CompileResult = DefaultPassBuilder = dumps = populate_array = rtsys = None
    global_compiler_lock = None
    AttributeTemplate = Cache = CompilerBase = Lower = object
    typed_passes = types.SimpleNamespace(NativeLowering=object)

    def register_pass(**_):
        """Do nothing in place of Numba's registration."""
        return lambda lowering: lowering

    warnings.warn(
        f'Numba {numba.__version__} has changed ({MISSING}): kernels are called more slowly',
        RuntimeWarning,
        stacklevel=2,
    )
