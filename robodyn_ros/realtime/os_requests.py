# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Requests of a thread to the operating system and to Python, to be woken in time: soft real time.

Every request that is refused is reported in one sentence with its cure; the thread runs without.
"""

import ctypes
import gc
import os
import sys
from dataclasses import dataclass
from threading import Lock

PR_SET_TIMERSLACK = 29
MCL_CURRENT, MCL_FUTURE, MCL_ONFAULT = 1, 2, 4


@dataclass(frozen=True)
class RealTime:
    """Requests of one thread.

    Attributes:
      priority: SCHED_FIFO priority 1..99; 0 leaves the ordinary scheduler.
      cpus: processors the thread may run on; empty leaves the choice to the kernel.
      lock_memory: keep the pages of the process that are in use in memory.
      switch_interval: longest time [s] another Python thread may keep the interpreter from this
        one. Python's own 5 ms make a 1 kHz loop beside one busy thread lose five cycles out of
        six (measured).

    """

    priority: int = 0
    cpus: tuple[int, ...] = ()
    lock_memory: bool = False
    switch_interval: float = 5e-5

    def apply(self) -> tuple[str, ...]:
        """Apply to the calling thread; one sentence for each request that was refused."""
        sys.setswitchinterval(self.switch_interval)
        requests = [_set_timer_slack]
        if self.priority:
            requests.append(lambda: _set_fifo(self.priority))
        if self.cpus:
            requests.append(lambda: _set_affinity(self.cpus))
        if self.lock_memory:
            requests.append(_lock_memory)
        return tuple(sentence for request in requests if (sentence := request()))


def _libc():
    return ctypes.CDLL(None, use_errno=True)


def _set_timer_slack() -> str:
    # The kernel may delay every wake-up by the slack, 50 us by default, to save power.
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


def _set_affinity(cpus: tuple[int, ...]) -> str:
    try:
        os.sched_setaffinity(0, cpus)
    except (OSError, ValueError, AttributeError) as error:
        return f'The loop could not be bound to processors {list(cpus)} ({error}): it runs on any.'
    return ''


def _lock_memory() -> str:
    # On fault only: all that is mapped includes the unused stacks of every thread (1 GB measured).
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
    """Collect garbage once, also of earlier loops, and exempt what is left while this one runs.

    A full collection beside Numba and rclpy takes some fifty periods at 1 kHz, so it is done
    before a loop starts.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


class CollectorPause:
    """While entered, there are no garbage collections; those that happen all the same are counted.

    Several pauses may overlap: the collector returns when the last one ends.
    """

    _entered = 0
    _lock = Lock()

    def __init__(self):
        self.collections = 0

    def __enter__(self):
        with CollectorPause._lock:
            CollectorPause._entered += 1
            gc.disable()
        gc.callbacks.append(self._count)
        return self

    def __exit__(self, *_):
        gc.callbacks.remove(self._count)
        with CollectorPause._lock:
            CollectorPause._entered -= 1
            if CollectorPause._entered == 0:
                gc.enable()

    def _count(self, phase, _info):
        if phase == 'stop':
            self.collections += 1
