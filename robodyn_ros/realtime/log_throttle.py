# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Limit the number of log lines: by a budget, or of each subject."""

import time


class LineBudget:
    """Allow some log lines at once, then one per second: a fault must not flood the log.

    `burst`: number of lines that are allowed at once.
    """

    def __init__(self, burst: int = 10):
        self._burst, self._left, self._time = burst, float(burst), time.monotonic()

    def try_acquire(self) -> bool:
        """Return whether one more line may be written."""
        now = time.monotonic()
        self._left, self._time = min(self._left + now - self._time, self._burst), now
        if self._left < 1.0:
            return False
        self._left -= 1.0
        return True


class LinesBySubject:
    """Allow one line about each subject in a period: none hides that of another.

    `period`: time between lines about one subject [s].
    """

    def __init__(self, period: float):
        self._period = period
        self._due: dict[str, float] = {}  # subject: time of its next line

    def try_acquire(self, subject: str) -> bool:
        """Return whether a line about the subject may be written.

        `subject`: name of the subject.
        """
        now = time.monotonic()
        if now < self._due.get(subject, now):
            return False
        self._due[subject] = now + self._period
        return True
