# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A process that only sleeps, and reports late wake-ups."""

import subprocess
import sys
import threading
import time

import numpy as np

from tools.soak import ROOT

NAP = 0.001  # [s] of a sleep
LATE = 0.003  # [s] of delay that counts


class Sleeper:
    """The process, and the times of the system's monotonic clock at which it was late [s]."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, '-m', __name__], cwd=ROOT, stdout=subprocess.PIPE, text=True
        )
        self._stalls = []
        self._thread = threading.Thread(target=self._read)
        self._thread.start()

    def _read(self):
        for line in self._process.stdout:
            self._stalls.append(tuple(map(float, line.split())))

    def stood(self, spans):
        """Return for how long the process was late within each (begin, end) [s]."""
        begin, end = np.array(self._stalls, float).reshape(-1, 2).T
        return np.array(
            [np.maximum(np.minimum(end, last) - np.maximum(begin, first), 0.0).sum()
             for first, last in spans]
        )  # fmt: skip

    def close(self):
        """End the process."""
        self._process.kill()
        self._process.wait()
        self._thread.join()


def sleep():
    """Print begin and end of each time that a sleep took too long."""
    while True:
        begin = time.monotonic()
        time.sleep(NAP)
        end = time.monotonic()
        if end - begin > NAP + LATE:
            print(begin + NAP, end, flush=True)


if __name__ == '__main__':
    sleep()
