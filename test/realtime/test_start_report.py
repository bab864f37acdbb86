# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A starting node reports its phase within 2 s, and at least every 5 s."""

import threading

import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')

from robodyn_ros.realtime import start_report
from robodyn_ros.realtime.start_report import StartReport
from support.patience import PATIENCE

SOON, OFTEN = 2.0, 5.0  # [s]


class Told:
    """The outputs and logs of a report, with times of a test clock."""

    def __init__(self):
        self.now, self.messages, self.lines = 100.0, [], []
        self.report = StartReport(
            lambda *what: self.messages.append((self.now, *what)),
            lambda sentence: self.lines.append((self.now, sentence)),
            lambda: self.now,
        )

    def passes(self, seconds):
        """Let time pass as the thread of the report sees it."""
        for _ in range(round(seconds / start_report.INTERVAL)):
            self.now += start_report.INTERVAL
            self.report.tick()


def test_messages_and_lines_come_soon_and_often():
    """However long one kernel takes to compile."""
    told = Told()
    told.report.compiling('model.aba', 2, 11)
    told.passes(60.0)
    for found in (told.messages, told.lines):
        times = [100.0, *(what[0] for what in found), told.now]
        assert times[1] - times[0] <= SOON
        assert max(b - a for a, b in zip(times, times[1:])) <= OFTEN


def test_a_quick_start_is_not_logged():
    """A phase shorter than a second is not reported."""
    told = Told()
    told.now += 0.9
    told.report.tick()
    assert told.messages and not told.lines


def test_remaining_work_is_reported():
    told = Told()
    told.report.compiling('model.aba', 2, 11)
    told.passes(1.0)
    told.report.loading('model.rnea', 10, 11)
    told.passes(1.0)
    told.report.loading('', 11, 11)  # the end changes nothing
    told.report.announce('Opening the topics.')
    told.passes(1.0)
    assert [what[1:] for what in told.messages] == [
        ('Compiling kernel 3 of 11, once on this machine: model.aba.', True),
        ('Loading kernel 11 of 11: model.rnea.', False),
        ('Opening the topics.', False),
    ]


def test_the_thread_reports_while_its_owner_is_busy_and_ends_with_it(monkeypatch):
    monkeypatch.setattr(start_report, 'INTERVAL', 1e-3)
    heard = threading.Event()
    with StartReport(lambda *_: heard.set(), lambda _: None) as report:
        report.announce('Busy.')
        assert heard.wait(PATIENCE)
    assert not any(each.name == 'start_report' for each in threading.enumerate())
