# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Report the step of a start while the executor is busy with it."""

import threading
import time
from typing import Callable

INTERVAL = 1.0  # [s] from one message to the next
FIRST = 1.0  # [s] of silence before the first line in the log
LATER = 4.0  # [s] from one line to the next


class StartReport:
    """Tells the phase of a start from a thread of its own, as long as a `with` block lasts.

    Args:
      tell: called with the sentence, and whether it is of a compilation, every second.
      log: called with the sentence after FIRST and then every LATER seconds.
      clock: time [s].

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

    def say(self, sentence: str):
        """Set what is reported from now on."""
        self._sentence, self._compiles = sentence, False

    def compiling(self, name: str, done: int, total: int):
        """Say how far compilation has come; `progress` of compile.warm_up."""
        if done < total:
            self._sentence = (
                f'Compiling kernel {done + 1} of {total}, once on this machine: {name}.'
            )
            self._compiles = True

    def loading(self, name: str, done: int, total: int):
        """Say how far loading has come; `progress` of compile.warm_up."""
        if done < total:
            self.say(f'Loading kernel {done + 1} of {total}: {name}.')

    def tick(self):
        """Tell what is due."""
        now, sentence = self._clock(), self._sentence
        self._tell(sentence, self._compiles)
        if now >= self._due:
            self._due = now + LATER
            self._log(sentence)

    def _run(self):
        while not self._end.wait(INTERVAL):
            self.tick()
