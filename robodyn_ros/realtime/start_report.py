# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Report the progress of a start while the executor is busy."""

import threading
import time
from typing import Callable

INTERVAL = 1.0  # [s] between messages
FIRST = 1.0  # [s] before the first line in the log
LATER = 4.0  # [s] between lines


class StartReport:
    """Report the phase of a start from a separate thread, within a `with` block.

    `tell` (callable): called every second with the sentence, and whether it is about a
      compilation.
    `log` (callable): called with the sentence after FIRST, then every LATER seconds.
    `clock` (callable): time [s].
    """

    def __init__(
        self,
        tell: Callable[[str, bool], None],
        log: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ):
        self._tell, self._log, self._clock = tell, log, clock
        self._sentence, self._compiles = 'The start has begun.', False
        self._due, self._end = clock() + FIRST, threading.Event()
        self._thread = threading.Thread(target=self._run, name='start_report', daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self._thread.join()

    def announce(self, sentence: str):
        """Set the sentence to report.

        `sentence`: the phase of the start.
        """
        self._sentence, self._compiles = sentence, False

    def compiling(self, name: str, done: int, total: int):
        """Report the progress of a compilation; `progress` of compile.warm_up.

        `done`, `total`: number of kernels that are compiled, and of all.
        """
        if done < total:
            self._sentence = (
                f'Compiling kernel {done + 1} of {total}, once on this machine: {name}.'
            )
            self._compiles = True

    def loading(self, name: str, done: int, total: int):
        """Report the progress of loading; `progress` of compile.warm_up.

        `done`, `total`: number of kernels that are loaded, and of all.
        """
        if done < total:
            self.announce(f'Loading kernel {done + 1} of {total}: {name}.')

    def tick(self):
        """Report if it is due."""
        now, sentence = self._clock(), self._sentence
        self._tell(sentence, self._compiles)
        if now >= self._due:
            self._due = now + LATER
            self._log(sentence)

    def _run(self):
        while not self._end.wait(INTERVAL):
            self.tick()
