# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Working memory for machine code that takes LANES numbers of a row at a time."""

import numpy as np

LANES = 8  # numbers of a register
BYTES = 8  # of a number
CACHE_LINE = 64  # bytes; a register that spans two of them takes two loads


def padded(n):
    """Return a number of columns that fills whole registers.

    `n`: number of columns in use.
    """
    return -(-n // LANES) * LANES


def aligned(shape):
    """Return working memory whose rows start at cache lines.

    `shape` (tuple of int): rows and columns; the columns are a multiple of LANES.
    """
    size, spare = int(np.prod(shape)), CACHE_LINE // BYTES
    memory = np.empty(size + spare)
    start = -memory.ctypes.data % CACHE_LINE // BYTES
    return memory[start : start + size].reshape(shape)
