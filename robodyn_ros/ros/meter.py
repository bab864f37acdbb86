"""Rates over the time between two reports, from counters that only grow."""
import time
from dataclasses import dataclass

from robodyn_ros.ros.loop import Counts


@dataclass(frozen=True)
class Reading:
    """What happened between two reports.

    Attributes:
      rate: cycles run per second [Hz].
      success: share of the cycles that were run [-].
      cpu_share: processor time over elapsed time of the process; 1 is one core [-].
      accepted: joint states taken over per second [Hz].
      rejected: joint states refused.

    """

    rate: float = 0.0
    success: float = 1.0
    cpu_share: float = 0.0
    accepted: float = 0.0
    rejected: int = 0


class Meter:
    """Remembers the counters of the last report."""

    def __init__(self):
        self._time, self._cpu = time.monotonic(), time.process_time()
        self._counts, self._accepted, self._rejected = Counts(0, 0, 0), 0, 0

    def read(self, session) -> Reading:
        """What happened since the last call, in a ControlSession or, if that is None, without."""
        now, cpu = time.monotonic(), time.process_time()
        elapsed, busy = max(now - self._time, 1e-9), cpu - self._cpu
        counts = session.loop.counts if session else Counts(0, 0, 0)
        accepted = session.intake.accepted if session else 0
        rejected = session.intake.rejected.total() if session else 0
        if counts.elapsed < self._counts.elapsed:   # another session
            self._counts, self._accepted, self._rejected = Counts(0, 0, 0), 0, 0
        cycles, missed, nanoseconds = (a - b for a, b in zip(counts, self._counts))
        reading = Reading(1e9 * cycles / nanoseconds if nanoseconds else 0.0,
                          success(cycles, missed), busy / elapsed,
                          (accepted - self._accepted) / elapsed, rejected - self._rejected)
        self._time, self._cpu = now, cpu
        self._counts, self._accepted, self._rejected = counts, accepted, rejected
        return reading


def success(cycles: int, missed: int) -> float:
    """Share of the cycles that were run; 1 when none was due."""
    return cycles / (cycles + missed) if cycles + missed else 1.0
