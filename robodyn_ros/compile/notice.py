# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The notice that a first call compiles a kernel, on stderr.

By default, with `robodyn_ros.verbose` None, it appears after DELAY seconds of waiting. True shows
it at once, False never. A second line states how long a compilation took that was reported.
"""

import contextlib
import contextvars
import sys
import threading
import time

DELAY = 1.0  # [s] of compilation before it is reported

_suppressed = contextvars.ContextVar('suppressed', default=False)


@contextlib.contextmanager
def suppressed():
    """Suppress notices inside a `with` block, where another report covers them."""
    token = _suppressed.set(True)
    try:
        yield
    finally:
        _suppressed.reset(token)


@contextlib.contextmanager
def compiling(name):
    """Report the compilation of a kernel inside a `with` block, but none of its inner kernels."""
    verbose = getattr(sys.modules.get('robodyn_ros'), 'verbose', None)
    if _suppressed.get() or verbose is False:
        with suppressed():
            yield
        return
    begin, report = time.monotonic(), _Report(name)
    timer = threading.Timer(DELAY, report.begin)
    timer.daemon = True
    report.begin() if verbose else timer.start()
    try:
        with suppressed():
            yield
    finally:
        timer.cancel()
        report.end(time.monotonic() - begin)


class _Report:
    """The two lines about one compilation; the second only after the first."""

    def __init__(self, name):
        self._name, self._lock, self._state = name, threading.Lock(), 'quiet'

    def begin(self):
        """Print the first line, unless the compilation has ended."""
        with self._lock:
            if self._state == 'quiet':
                self._state = 'told'
                _print(
                    f'compiling {self._name} for the first call, once on this machine; '
                    '`robodyn_ros warmup --build` compiles all kernels'
                )

    def end(self, duration):
        """Print the second line."""
        with self._lock:
            if self._state == 'told':
                _print(f'{self._name} is compiled, in {duration:.1f} s')
            self._state = 'ended'


def _print(sentence):
    """Print to stderr, which a process may lack."""
    if sys.stderr is not None:
        print(f'robodyn_ros: {sentence}', file=sys.stderr, flush=True)
