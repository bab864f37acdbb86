# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Suspension of Python's garbage collection, where several threads may want it at once."""

import contextlib
import gc
from threading import Lock

_lock = Lock()
_entered = 0
_was_enabled = True


@contextlib.contextmanager
def collections_paused():
    """Suspend garbage collection inside a `with` block, or in a decorated function.

    Pauses may overlap: collection resumes when the last one ends, if it was on before the first.
    """
    global _entered, _was_enabled
    with _lock:
        if not _entered:
            _was_enabled = gc.isenabled()
        _entered += 1
        gc.disable()
    try:
        yield
    finally:
        with _lock:
            _entered -= 1
            if not _entered and _was_enabled:
                gc.enable()
