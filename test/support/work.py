# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Working memory of kernels, full of a value: for machine code, and for plain text."""

import numpy as np

from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.spatial.work import WIDTH, NamedRows


def filled(topology, value=np.nan):
    """Return working memory for machine code."""
    work = working_memory.allocate(topology)
    work.view(np.float64).fill(value)
    return work


class PlainWork(NamedRows):
    """Working memory for plain text that computes with any kind of number."""

    def __init__(self, topology, value=np.nan):
        super().__init__(np.full((working_memory.rows(topology), WIDTH), value, dtype=object))

    def view(self, _):
        """Return all entries as a vector."""
        return self.entries.reshape(-1)
