# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The clock of references: it follows the loop's clock, without jumps and never backwards."""

#: Largest advance of one tick, in periods. The rest of a longer gap is dropped and counted.
MAX_PERIODS = 3.0


class Clock:
    """The clock of references.

    `time`: time of the clock [s].
    `elapsed`: advance by the last tick [s].
    `clamps`: number of ticks whose elapsed time was out of range.
    """

    def __init__(self):
        self.time = 0.0
        self.clamps = 0
        self.elapsed = 0.0
        self._last = None

    def restart(self):
        """Treat the next tick as the first."""
        self._last = None

    def tick(self, now, period):
        """Advance the clock.

        `now`: time of the loop's clock [s].
        `period`: period of the loop [s].
        Returns elapsed time [s], within [0, MAX_PERIODS periods].
        """
        dt = 0.0 if self._last is None else now - self._last
        if self._last is not None and not 0.0 < dt <= MAX_PERIODS * period:
            self.clamps += 1
            dt = MAX_PERIODS * period if dt > 0.0 else 0.0
        self._last, self.elapsed = now, dt
        self.time += dt
        return dt

    def at(self, now, period):
        """Return the time of the clock between two ticks.

        `now`: time of the loop's clock [s].
        `period`: period of the loop [s].
        """
        since = 0.0 if self._last is None else now - self._last
        return self.time + (since if 0.0 < since <= MAX_PERIODS * period else 0.0)
