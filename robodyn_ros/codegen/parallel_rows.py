# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Batches in parallel: compiled loops over states, distributed over the cores."""

import functools
import os
from concurrent.futures import ThreadPoolExecutor

from robodyn_ros.codegen.emit_llvm import LANES

SMALLEST = 512  # states that are worth a thread


def cores():
    """Return the number of processors for this process."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # other systems than Linux have no affinities
        return os.cpu_count() or 1


def parallel_for(count, work, smallest=SMALLEST):
    """Call work(first, last) on parts of range(count) in parallel.

    Every part but the last is a multiple of LANES.

    `count`: number of states.
    `work` (callable): must release the GIL, and should not raise.
    `smallest`: fewest states that are worth a thread.
    Returns the results in order.
    """
    parts = max(1, min(cores(), count // smallest))
    size = max(1, -(-count // (parts * LANES))) * LANES
    bounds = [(first, min(first + size, count)) for first in range(0, count, size)]
    if len(bounds) < 2:
        return [work(*part) for part in bounds]
    return list(_pool().map(lambda part: work(*part), bounds))


@functools.cache
def _pool():
    """Return the pool of threads, one per core."""
    return ThreadPoolExecutor(cores(), 'robodyn-batch')


if hasattr(os, 'register_at_fork'):
    os.register_at_fork(after_in_child=_pool.cache_clear)  # threads do not survive a fork
