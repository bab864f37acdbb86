# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Log lines have a budget, and each subject has its own turn."""

import time

import pytest

from robodyn_ros.realtime.log_throttle import LineBudget, LinesBySubject


@pytest.fixture
def clock(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(time, 'monotonic', lambda: now[0])
    return now


def test_after_a_burst_one_line_a_second(clock):
    lines = LineBudget(burst=3)
    assert [lines.try_acquire() for _ in range(5)] == [True] * 3 + [False] * 2
    clock[0] += 0.9
    assert not lines.try_acquire()
    clock[0] += 0.2
    assert lines.try_acquire() and not lines.try_acquire()


def test_one_subject_does_not_hide_another(clock):
    lines = LinesBySubject(5.0)
    assert lines.try_acquire('joint states') and lines.try_acquire('topics')
    clock[0] += 4.0
    assert not lines.try_acquire('joint states') and lines.try_acquire('loop')
    clock[0] += 1.5
    assert (
        lines.try_acquire('joint states')
        and lines.try_acquire('topics')
        and not lines.try_acquire('loop')
    )
