# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A periodic loop in a separate thread with absolute deadlines; it counts missed ones.

A timer of an rclpy executor loses ticks silently.

A thread wakes late and with cold caches. So it can wake ahead of a tick, prepare it, and poll
until the deadline.
"""

import threading
import time
from typing import Callable, NamedTuple, Sequence

from robodyn_ros.realtime.histogram import Histogram
from robodyn_ros.realtime.os_requests import RealTime

NANOSECONDS = 1_000_000_000


class Counts(NamedTuple):
    """Cycles of a loop at one instant.

    `cycles`, `missed`: cycles run, and cycles missed.
    `elapsed`: time from the start of the loop to its last tick [ns].
    """

    cycles: int
    missed: int
    elapsed: int


class PeriodicLoop:
    """Call `tick(now)` at start + k period, k = 1, 2, ..., on the monotonic clock, until stopped.

    A tick that is too late for its period is counted as missed and skipped. The phase is kept:
    cycles + missed == elapsed // period exactly, after every tick.

    `period`: time between two ticks [s].
    `tick` (callable): called with the monotonic time [s] at which it starts.
    `on_fault` (callable): called with the exception of a tick, and must not raise. The loop
      continues.
    `realtime` (RealTime): requests to the operating system for this thread.
    `ahead`: time between wake-up and tick [s], at most half a period. 0: wake at the deadline.
    `prepare` (sequence of callable): functions that are called once with the monotonic time [s]
      after each early wake-up, as long as there is time.
    `look` (callable): called repeatedly with the monotonic time [s] until the tick, and once
      before a late tick. After an exception the next call is after this tick.
    `clock` (callable): monotonic clock [ns].
    `sleep` (callable): suspends the thread [s].
    Raises ValueError: if the period is not positive.
    """

    def __init__(
        self,
        period: float,
        tick: Callable[[float], None],
        on_fault: Callable[[Exception], None],
        realtime: RealTime = RealTime(),
        ahead: float = 0.0,
        prepare: Sequence[Callable[[float], None]] = (),
        look: Callable[[float], None] = lambda _: None,
        clock: Callable[[], int] = time.monotonic_ns,
        sleep: Callable[[float], None] = time.sleep,
    ):
        if not period > 0.0:
            raise ValueError(f'A loop needs a positive period, got {period} s.')
        self.period = period
        self.wake_latency = Histogram()  # [us] of each tick, from its first deadline
        self.tick_time = Histogram()  # [us]
        self.faults = 0
        self.warnings: tuple[str, ...] = ()
        self._period = round(period * NANOSECONDS)
        self._ahead = min(round(ahead * NANOSECONDS), self._period // 2)
        self._tick, self._prepare, self._look, self._on_fault = tick, prepare, look, on_fault
        self._realtime = realtime
        self._clock, self._sleep = clock, sleep
        self._counts = (0, 0, 0)
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._asked = threading.Event()

    @property
    def counts(self) -> Counts:
        """Cycles, missed cycles and elapsed time [ns] at one instant."""
        return Counts(*self._counts)

    @property
    def running(self) -> bool:
        """Whether the thread is alive."""
        return self._thread is not None and self._thread.is_alive()

    def start(self):
        """Start the thread with cleared counts and histograms.

        `warnings` then lists the requests that the system refused.
        """
        if self.running:
            raise RuntimeError('The loop runs already.')
        self._stopping = False
        self._counts = (0, 0, 0)
        self.wake_latency.clear()
        self.tick_time.clear()
        self._thread = threading.Thread(target=self._main, name='robodyn_loop', daemon=True)
        self._asked.clear()
        self._thread.start()
        self._asked.wait()

    def stop(self):
        """End the loop after the current tick, and wait; harmless if it has ended."""
        self._stopping = True
        if self.running and self._thread is not threading.current_thread():
            self._thread.join()

    def _main(self):
        try:
            self.warnings = self._realtime.apply()
        finally:
            self._asked.set()
        self.run()

    def run(self):
        """Run in the calling thread until `stop` is called."""
        clock, sleep, period, ahead = self._clock, self._sleep, self._period, self._ahead
        start = clock()
        cycles = missed = slot = 0
        while not self._stopping:
            deadline = start + (slot + 1) * period
            now = clock()
            if now < deadline - ahead:
                while now < deadline - ahead:
                    sleep((deadline - ahead - now) / NANOSECONDS)
                    now = clock()
                for step in self._prepare:
                    if now < deadline:
                        self._guarded(step, now / NANOSECONDS)
                        now = clock()
            looking = self._guarded(self._look, now / NANOSECONDS)
            while (now := clock()) < deadline:
                looking = looking and self._guarded(self._look, now / NANOSECONDS)
            due = (now - start) // period
            missed += due - slot - 1
            cycles += 1
            slot = due
            self._counts = (cycles, missed, now - start)
            self._guarded(self._tick, now / NANOSECONDS)
            # Bookkeeping comes last, since the first code after a sleep runs on cold caches.
            self.tick_time.add((clock() - now) * 1e-3)
            self.wake_latency.add((now - deadline) * 1e-3)

    def _guarded(self, call: Callable[[float], None], now: float) -> bool:
        try:
            call(now)
            return True
        except Exception as error:  # the loop must go on: silence is not safe in torque mode
            self.faults += 1
            self._on_fault(error)
            return False
