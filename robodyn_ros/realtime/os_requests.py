# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests of a thread to the operating system and to Python for soft real time.

A refused request gives a sentence with its remedy, and the thread runs without it.
"""

import contextlib
import ctypes
import gc
import os
import sys
from dataclasses import dataclass

from robodyn_ros.realtime.collector_pause import collections_paused

PR_SET_TIMERSLACK = 29
MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4
TUPLE_SIZES, SPARE_TUPLES = 20, 2000  # CPython keeps this many freed tuples of each shorter size


@dataclass(frozen=True)
class RealTime:
    """Requests of one thread.

    `priority`: SCHED_FIFO priority 1..99; 0 keeps the default scheduler.
    `cpus`: processors the thread may run on; empty for any.
    `lock_memory`: lock the used pages of the process in memory.
    `switch_interval`: longest time [s] for which another Python thread may keep the GIL from this
      one. Python's default of 5 ms makes a 1 kHz loop miss most cycles beside a busy thread.
    `binds_process`: whether `cpus` binds all threads that the process has, and not the calling
      thread alone.
    """

    priority: int = 0
    cpus: tuple[int, ...] = ()
    lock_memory: bool = False
    switch_interval: float = 5e-5
    binds_process: bool = False

    def apply(self) -> tuple[str, ...]:
        """Apply to the calling thread; return a sentence for each refused request."""
        sys.setswitchinterval(self.switch_interval)
        requests = [_set_timer_slack]
        if self.priority:
            requests.append(lambda: _set_fifo(self.priority))
        if self.cpus:
            requests.append(lambda: _set_affinity(self.cpus, self.binds_process))
        if self.lock_memory:
            requests.append(_lock_memory)
        return tuple(sentence for request in requests if (sentence := request()))


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _set_timer_slack() -> str:
    # The kernel may delay wake-ups by the timer slack to save power.
    try:
        refused = _libc().prctl(PR_SET_TIMERSLACK, ctypes.c_ulong(1), 0, 0, 0)
    except (OSError, AttributeError):
        refused = 1
    return 'The timer slack could not be set: wake-ups come about 50 us later.' if refused else ''


def _set_fifo(priority: int) -> str:
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(priority))
    except (OSError, ValueError, AttributeError) as error:
        return (
            f'SCHED_FIFO priority {priority} was refused ({error}): the loop runs with '
            "ordinary priority. Allow it with 'rtprio 99' for this user in "
            '/etc/security/limits.conf.'
        )
    return ''


def _set_affinity(cpus: tuple[int, ...], of_process: bool) -> str:
    try:
        for thread in os.listdir('/proc/self/task') if of_process else (0,):
            with contextlib.suppress(ProcessLookupError):  # it has ended meanwhile
                os.sched_setaffinity(int(thread), cpus)
    except (OSError, ValueError, AttributeError) as error:
        return f'The loop could not be bound to processors {list(cpus)} ({error}): it runs on any.'
    return ''


def _lock_memory() -> str:
    # On fault only: locking all mapped pages would include the unused stacks of all threads.
    try:
        refused = _libc().mlockall(MCL_CURRENT | MCL_FUTURE | MCL_ONFAULT)
    except (OSError, AttributeError):
        refused = 1
    if refused:
        return (
            f'The memory could not be locked ({os.strerror(ctypes.get_errno())}): page faults '
            "may delay the loop. Allow it with 'memlock unlimited' for this user in "
            '/etc/security/limits.conf.'
        )
    return ''


def settle_memory():
    """Collect garbage once, and exempt the remaining objects while this loop runs.

    With Numba and rclpy loaded, a full collection takes many periods, so it runs before the loop.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def fill_free_lists():
    """Give CPython the spare tuples that it would gather over half an hour.

    It keeps up to 2000 freed tuples of each short size, and only the collector frees them. A tuple
    made from a generator is allocated longer and cut to its size. It becomes a further spare
    tuple.
    """
    for size in range(1, TUPLE_SIZES):
        for _ in [(None,) * size for _ in range(SPARE_TUPLES)]:
            pass


class CollectorPause:
    """Suspend garbage collection while entered, and count collections that still happen.

    Pauses may overlap: collection resumes when the last one ends.
    """

    def __init__(self):
        self.collections = 0
        self._pause = contextlib.ExitStack()

    def __enter__(self):
        self._pause.enter_context(collections_paused())
        fill_free_lists()
        gc.callbacks.append(self._count)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self._count)
        self._pause.close()

    def _count(self, phase, _info):
        if phase == 'stop':
            self.collections += 1
