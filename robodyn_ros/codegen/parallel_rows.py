# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Many states at once: compiled loops over the rows of a batch, shared out over the cores."""

import functools
import os
from concurrent.futures import ThreadPoolExecutor

from robodyn_ros.codegen.emit_llvm import LANES

SMALLEST = 512  # rows that are worth a thread of their own


def cores():
    """Return how many processors this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on this system
        return os.cpu_count() or 1


def share_out(count, work, smallest=SMALLEST):
    """Call work(first, last) on parts of range(count), on all cores; return the results in order.

    Every part but the last one is a multiple of LANES. work has to leave the interpreter lock to
    others, and should not raise. smallest : rows that are worth a thread.
    """
    parts = max(1, min(cores(), count // smallest))
    size = max(1, -(-count // (parts * LANES))) * LANES
    bounds = [(first, min(first + size, count)) for first in range(0, count, size)]
    if len(bounds) < 2:
        return [work(*part) for part in bounds]
    return list(_pool().map(lambda part: work(*part), bounds))


@functools.cache
def _pool():
    return ThreadPoolExecutor(cores(), 'robodyn-batch')


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the threads stay with the parent
