# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Rates between two reports, from monotonic counters."""

import time
from dataclasses import dataclass
from typing import NamedTuple

ENOUGH = 100  # cycles of which a share is judged: of four, one missed says nothing


@dataclass(frozen=True)
class Rates:
    """Rates and counts between two reports.

    `rate`: cycles run per second [Hz].
    `success`: share of the cycles that were run [-], of at least ENOUGH.
    `cpu_share`: processor time over elapsed time of the process; 1 is one core [-].
    `accepted`: joint states accepted per second [Hz].
    `rejected`: joint states refused.
    `refused`: references refused.
    """

    rate: float = 0.0
    success: float = 1.0
    cpu_share: float = 0.0
    accepted: float = 0.0
    rejected: int = 0
    refused: int = 0


class _Totals(NamedTuple):
    """Counters of one session."""

    cycles: int = 0
    missed: int = 0
    elapsed: int = 0  # [ns]
    accepted: int = 0
    rejected: int = 0
    refused: int = 0


class RateCounter:
    """Compute rates since the last report."""

    def __init__(self):
        self._time, self._cpu = time.monotonic(), time.process_time()
        self._session, self._totals = None, _Totals()
        self._judged, self._success = _Totals(), 1.0

    def sample(self, session) -> Rates:
        """Return the Rates since the last call.

        `session` (ControlSession or None): the counters; None while there is no session.
        """
        now, cpu = time.monotonic(), time.process_time()
        elapsed, busy = max(now - self._time, 1e-9), cpu - self._cpu
        totals = _totals(session)
        if session is not self._session:
            self._totals, self._judged, self._success = _Totals(), _Totals(), 1.0
        before = self._totals
        run, missed = (a - b for a, b in zip(totals[:2], self._judged[:2]))
        if run + missed >= ENOUGH:
            self._success, self._judged = success_rate(run, missed), totals
        new = _Totals._make(a - b for a, b in zip(totals, before))
        self._time, self._cpu, self._session, self._totals = now, cpu, session, totals
        return Rates(
            1e9 * new.cycles / new.elapsed if new.elapsed else 0.0,
            self._success,
            busy / elapsed,
            new.accepted / elapsed,
            new.rejected,
            new.refused,
        )


def _totals(session) -> _Totals:
    if session is None:
        return _Totals()
    intake = session.intake
    cycles, missed, elapsed = session.totals
    return _Totals(
        cycles,
        missed,
        elapsed,
        intake.accepted,
        intake.rejected.total(),
        session.refused_references,
    )


def success_rate(cycles: int, missed: int) -> float:
    """Return the share of the cycles that were run; 1 when none was due.

    `cycles`, `missed`: cycles run, and cycles missed.
    """
    return cycles / (cycles + missed) if cycles + missed else 1.0
