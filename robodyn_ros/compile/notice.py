# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A notice during a first call, which compiles.

`robodyn_ros.verbose = True` enables it, False disables it. With None, the default, it is enabled
in an interactive Python, in a notebook, and if stderr is a terminal.
"""

import contextlib
import contextvars
import sys

_elsewhere = contextvars.ContextVar('elsewhere', default=False)  # whether another report covers it


def is_wanted():
    """Return whether to print a notice."""
    wanted = getattr(sys.modules.get('robodyn_ros'), 'verbose', None)
    if wanted is not None:
        return bool(wanted)
    somebody = hasattr(sys, 'ps1') or 'ipykernel' in sys.modules
    return somebody or (sys.stderr is not None and sys.stderr.isatty())


@contextlib.contextmanager
def told_elsewhere():
    """Suppress notices while entered."""
    token = _elsewhere.set(True)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def compiling(name):
    """Print that a kernel is being compiled, and return the context for it."""
    if not _elsewhere.get() and is_wanted():
        print(f'robodyn_ros: compiling {name} for the first call', file=sys.stderr, flush=True)
    return told_elsewhere()
