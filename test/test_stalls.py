# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the tests of nodes know of the machine."""

import os
import signal
import time

from support.stalls import BEFORE, LATE, LONGEST, SHARE, Watch, told


def test_what_a_loop_bears_is_not_told():
    """A few short delays, and anything that was over long before or came after."""
    noted = [(100.0 + k, 2.0 * LATE) for k in range(5)]
    assert 5 * 2.0 * LATE < SHARE * 10.0
    assert told(noted, 100.0, 110.0) == ''
    assert told([(100.0 - 2.0 * BEFORE, 1.0), (111.0, 1.0)], 100.0, 110.0) == ''
    assert told([], 100.0, 110.0) == ''


def test_one_long_stall_or_many_short_ones_are_told():
    """With their number, the longest one and their sum."""
    assert told([(105.0, 2.0 * LONGEST)], 100.0, 110.0) == (
        'the machine stood still 1 times, for 60 ms at most and 0.1 s of 15.0 s in all'
    )
    assert '40 times' in told([(100.0 + 0.1 * k, 2.0 * LATE) for k in range(40)], 100.0, 110.0)


def test_a_process_that_is_stopped_notes_it():
    """As it would be with the whole machine."""
    watch, begin, longest = Watch(), time.time(), 0.0
    try:
        deadline = time.monotonic() + 30.0
        while longest < 0.25 and time.monotonic() < deadline:
            time.sleep(0.5)  # it has to run before it can be stopped
            os.kill(watch._process.pid, signal.SIGSTOP)
            time.sleep(0.3)
            os.kill(watch._process.pid, signal.SIGCONT)
            time.sleep(0.2)
            longest = max((late for _, late in watch._noted), default=0.0)
        assert longest >= 0.25 and watch.told(begin, time.time())
    finally:
        watch.close()
    assert not os.path.exists(f'/proc/{watch._process.pid}')
