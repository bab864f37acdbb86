# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Processors that do not fall asleep, as with `idle=poll` of the kernel.

A virtual machine's processor that sleeps is given to another machine, and comes back when that one
releases it. On a busy host that is milliseconds late. Real-time robot computers do not let theirs
sleep either.
"""

import os
import subprocess
import sys

SCRIPT = """
import os, sys
os.sched_setaffinity(0, {int(sys.argv[1])})
os.nice(19)
os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
while os.getppid() == int(sys.argv[2]):
    for _ in range(100_000):
        pass
"""


class Awake:
    """On each processor runs, from now on, a process that gives way to all others."""

    def __init__(self):
        self._processes = [
            subprocess.Popen([sys.executable, '-I', '-c', SCRIPT, str(number), str(os.getpid())])
            for number in sorted(os.sched_getaffinity(0))
        ]

    def close(self):
        """Let them sleep again."""
        for process in self._processes:
            process.kill()
            process.wait()
