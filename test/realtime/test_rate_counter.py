# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The share of cycles that were run is judged over enough of them."""

from collections import Counter
from types import SimpleNamespace

import pytest

from robodyn_ros.realtime.rate_counter import ENOUGH, RateCounter


class Session:
    """A session whose counts a test sets."""

    def __init__(self):
        self.intake = SimpleNamespace(accepted=0, rejected=Counter())
        self.refused_references, self.totals = 0, (0, 0, 0)

    def go_on(self, run, missed):
        self.totals = (self.totals[0] + run, self.totals[1] + missed, self.totals[2] + 10**9)


@pytest.mark.parametrize(('run', 'missed'), [(1, 3), (0, 1), (0, ENOUGH - 1), (50, 49)])
def test_a_few_cycles_are_no_share(run, missed):
    """Of four, one that ran is no 25 %."""
    counter, session = RateCounter(), Session()
    session.go_on(run, missed)
    assert counter.sample(session).success == 1.0


def test_slow_loops_are_judged_when_enough_cycles_have_gathered():
    """Ten cycles in each report, four of them missed: known after ten reports, and kept."""
    counter, session, found = RateCounter(), Session(), []
    for missed in (4,) * 10 + (0,) * 15:
        session.go_on(10 - missed, missed)
        found.append(counter.sample(session).success)
    assert found == [1.0] * 9 + [0.6] * 10 + [1.0] * 6


def test_a_fast_loop_is_judged_in_every_report_and_a_new_session_anew():
    """The share is that of the report, not of all time."""
    counter, session = RateCounter(), Session()
    for run, missed in ((1000, 0), (900, 100), (990, 10)):
        session.go_on(run, missed)
        rates = counter.sample(session)
        assert rates.success == run / 1000 and rates.rate == run
    other = Session()
    other.go_on(3, 1)
    assert counter.sample(other).success == 1.0
    assert counter.sample(None).success == 1.0
