# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""When to write a line into the log: a budget, and what takes long."""

import time

PATIENCE = 2.0  # [s] of silence before somebody wonders


class LineBudget:
    """So many log lines at once, and one more each second: a fault must not flood the log."""

    def __init__(self, burst: int = 10):
        self._burst, self._left, self._time = burst, float(burst), time.monotonic()

    def take(self) -> bool:
        """Whether one more line may be written."""
        now = time.monotonic()
        self._left, self._time = min(self._left + now - self._time, self._burst), now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class SlowCompilation:
    """Says how far compilation has come where it takes long; `progress` of compile.warm_up."""

    def __init__(self, logger):
        self._logger, self._due = logger, 0.0

    def __call__(self, _name: str, done: int, total: int):
        """Take note that `done` of `total` kernels are ready."""
        now = time.monotonic()
        if done == 0:
            self._due = now + PATIENCE
        elif now >= self._due and done < total:
            self._due = now + 5.0 * PATIENCE
            self._logger.info(
                f'Compiling, once on this machine: {done} of {total} kernels are ready.'
            )
