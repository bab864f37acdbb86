# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A line for people who wait for a first call, which compiles.

`robodyn_ros.verbose = True` asks for it, False forbids it. With None, the default, it comes where
somebody is likely to wait: an interactive Python, a notebook, or error output that is a terminal.
"""

import contextlib
import contextvars
import sys

_elsewhere = contextvars.ContextVar('elsewhere', default=False)  # whether somebody else tells


def is_wanted():
    """Return whether a line is to be printed."""
    wanted = getattr(sys.modules.get('robodyn_ros'), 'verbose', None)
    if wanted is not None:
        return bool(wanted)
    somebody = hasattr(sys, 'ps1') or 'ipykernel' in sys.modules
    return somebody or (sys.stderr is not None and sys.stderr.isatty())


@contextlib.contextmanager
def told_elsewhere():
    """Print no line for what is compiled meanwhile."""
    token = _elsewhere.set(True)
    try:
        yield
    finally:
        _elsewhere.reset(token)


def compiling(name):
    """Print that a kernel is compiled now, and return the context to do it in."""
    if not _elsewhere.get() and is_wanted():
        print(f'robodyn_ros: compiling {name} for the first call', file=sys.stderr, flush=True)
    return told_elsewhere()
