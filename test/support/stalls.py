# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""When the machine stood still: what a control loop then did says nothing about it.

A virtual machine whose host is busy stops for tens of milliseconds at a time, and an arm falls in
less. A process that does nothing but sleep and look at the clock knows of it.
"""

import os
import subprocess
import sys
import threading

SLEEP, LATE = 0.005, 0.010  # [s] between two looks; late from which on it is noted
LONGEST = 0.030  # [s] that a loop bears once: three times the delay it is tried with
SHARE = 0.02  # of the time, in all
BEFORE = 5.0  # [s] before a test that may have left an arm shaken

SCRIPT = f"""
import os, sys, time
due = time.monotonic() + {SLEEP}
while os.getppid() == int(sys.argv[1]):
    time.sleep(max(0.0, due - time.monotonic()))
    late = time.monotonic() - due
    if late > {LATE}:
        print(time.time(), late, flush=True)
    due = time.monotonic() + {SLEEP}
"""


class Watch:
    """A process that notes when it was woken late, from now on."""

    def __init__(self):
        self._noted = []  # (when it woke [s since 1970], how late [s])
        self._process = subprocess.Popen(
            [sys.executable, '-c', SCRIPT, str(os.getpid())], text=True, stdout=subprocess.PIPE
        )
        threading.Thread(target=self._listen, daemon=True).start()

    def close(self):
        self._process.kill()
        self._process.wait()

    def told(self, begin, end):
        """Tell how long the machine stood still between two times [s since 1970], '' if a loop
        bears that.
        """
        return told(list(self._noted), begin, end)

    def _listen(self):
        for line in self._process.stdout:
            self._noted.append(tuple(map(float, line.split())))


def told(noted, begin, end):
    """Tell of what was noted, (when it woke, how late) [s], between two times."""
    late = [late for when, late in noted if begin - BEFORE < when < end]
    if max(late, default=0.0) < LONGEST and sum(late) < SHARE * (end - begin):
        return ''
    return (
        f'the machine stood still {len(late)} times, for {1e3 * max(late):.0f} ms at most '
        f'and {sum(late):.1f} s of {end - begin + BEFORE:.1f} s in all'
    )
