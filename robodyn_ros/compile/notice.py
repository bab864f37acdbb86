# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The notice that a first call compiles a kernel.

`robodyn_ros.verbose = True` enables it, False disables it. With None, the default, it is enabled
in an interactive Python, in a notebook, and if stderr is a terminal.
"""

import contextlib
import contextvars
import sys

_suppressed = contextvars.ContextVar('suppressed', default=False)


def is_wanted():
    """Return whether to print a notice."""
    wanted = getattr(sys.modules.get('robodyn_ros'), 'verbose', None)
    if wanted is not None:
        return bool(wanted)
    is_interactive = hasattr(sys, 'ps1') or 'ipykernel' in sys.modules
    return is_interactive or (sys.stderr is not None and sys.stderr.isatty())


@contextlib.contextmanager
def suppressed():
    """Suppress notices inside a `with` block, where another report covers them."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)


def compiling(name):
    """Print that a kernel is being compiled, if notices are enabled.

    Parameters
    ----------
    name : str
        Name of the kernel.

    Returns
    -------
    context manager
        For the compilation; it suppresses the notices of inner kernels.
    """
    if not _suppressed.get() and is_wanted():
        print(f'robodyn_ros: compiling {name} for the first call', file=sys.stderr, flush=True)
    return suppressed()
