# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Keep processors awake, as with `idle=poll` of the kernel.

The host gives a sleeping processor of a virtual machine to another machine. On a busy host it
comes back milliseconds late. Real-time robot computers do not let processors sleep either.
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
    """Runs a process of lowest priority on each processor, until it is closed."""

    def __init__(self):
        self._processes = [
            subprocess.Popen([sys.executable, '-I', '-c', SCRIPT, str(number), str(os.getpid())])
            for number in sorted(os.sched_getaffinity(0))
        ]

    def close(self):
        """End the processes."""
        for process in self._processes:
            process.kill()
            process.wait()
