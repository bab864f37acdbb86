# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Delays of the machine alone, from a minimal program, to separate them from those of the nodes.

It has no Python, no middleware and no second thread. It sleeps until an absolute deadline, as the
control loop does. Then it reads memory for as long as a tick should take.
"""

import ctypes
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numba
import numpy as np

from robodyn_ros.realtime.os_requests import RealTime

WORK = 36_000  # [ns] median time of reading, as of a tick
SIZE = 1 << 15  # numbers to read, 256 KiB; more than the first cache holds, as in a tick
SECOND = 1_000_000_000
MONOTONIC, ABSOLUTE = 1, 1  # of <time.h>

_libc = ctypes.CDLL(None)
_sleep, _time = _libc.clock_nanosleep, _libc.clock_gettime
_sleep.argtypes = ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p
_time.argtypes = ctypes.c_int, ctypes.c_void_p


@numba.njit
def _now(timespec):
    _time(MONOTONIC, timespec.ctypes)
    return timespec[0] * SECOND + timespec[1]


@numba.njit
def _loop(period, ahead, data, passes, late, took):
    """Run cycles that begin at start + k period [ns]; return missed cycles and a sum.

    late, took (k,) [ns] are written.
    """
    time, wake = np.zeros(2, np.int64), np.zeros(2, np.int64)
    start, slot, missed, total = _now(time), 0, 0, 0.0
    for k in range(late.shape[0]):
        deadline = start + (slot + 1) * period
        wake[0], wake[1] = (deadline - ahead) // SECOND, (deadline - ahead) % SECOND
        _sleep(MONOTONIC, ABSOLUTE, wake.ctypes, 0)
        now = _now(time)
        while now < deadline:
            now = _now(time)
        for _ in range(passes):
            for i in range(0, data.shape[0], 8):  # one number of every cache line
                total += data[i]
        late[k], took[k] = now - deadline, _now(time) - now
        due = (now - start) // period
        missed += due - slot - 1
        slot = due
    return missed, total


def measure(rate, seconds, ahead, realtime=RealTime()):
    """Run the program at a rate [Hz] for some time [s], waking ahead [s] of its deadlines."""
    return _apart(_alone, rate, seconds, ahead, realtime)


def refusals(realtime):
    """Return sentences on real-time requests that the operating system refuses."""
    return _apart(realtime.apply)


def _apart(call, *arguments):
    """Return the result of a call in a thread of its own, whose priority may rise."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(call, *arguments).result()


def _alone(rate, seconds, ahead, realtime):
    realtime.apply()
    data = np.ones(SIZE)
    passes = 1
    for cycles in (1, 200, 200, 200, round(rate * seconds)):  # the first compiles
        late, took = np.empty((2, cycles), np.int64)
        missed, _ = _loop(round(SECOND / rate), round(SECOND * ahead), data, passes, late, took)
        passes = max(1, round(passes * WORK / np.median(took)))
    late_p50, late_p99 = (float(x) * 1e-3 for x in np.percentile(late, (50, 99)))
    tick_p50, tick_p99 = (float(x) * 1e-3 for x in np.percentile(took, (50, 99)))
    return {
        'success_rate': cycles / (cycles + missed),
        'tick_p50_us': tick_p50,
        'tick_p99_us': tick_p99,
        'wake_p50_us': late_p50,
        'wake_p99_us': late_p99,
    }


class Use:
    """Shares of all processors' time since its creation: in use, and given to other machines."""

    def __init__(self):
        self._before = self._read()

    def shares(self):
        """Return both shares."""
        idle, stolen, total = (b - a for a, b in zip(self._before, self._read()))
        return {'busy_share': 1.0 - (idle + stolen) / total, 'stolen_share': stolen / total}

    @staticmethod
    def _read():
        # the system samples busy times, which is wrong for a loop in step with the sampling
        fields = Path('/proc/stat').read_text().split('\n', 1)[0].split()
        uptime = float(Path('/proc/uptime').read_text().split()[0])
        ticks = os.sysconf('SC_CLK_TCK') * os.cpu_count()
        unused = sum(int(fields[k]) for k in (2, 4, 5))  # nice (idle_prevention), idle, iowait
        return unused, int(fields[8]), uptime * ticks
