# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Bound how often C code repeats a line on the error output of the process."""

import contextlib
import os
import threading
import time
from typing import Iterator

INTERVAL = 1.0  # [s] between two such lines
ERRORS = 2  # file descriptor of the error output

_lock = threading.Lock()
_latest: dict[bytes, float] = {}  # when each line was written last


@contextlib.contextmanager
def limited_lines(beginning: bytes) -> Iterator[None]:
    """Pass lines with this beginning once a second, and all other lines.

    Meanwhile the error output is a file in memory. Output of other threads is passed on, too.

    `beginning`: beginning of the lines to limit.
    """
    with _lock, contextlib.ExitStack() as stack:
        try:
            held = os.memfd_create('errors')
            stack.callback(os.close, held)
            kept = os.dup(ERRORS)
            stack.callback(os.close, kept)
        except (OSError, AttributeError):  # no error output, or no such file
            yield
            return
        os.dup2(held, ERRORS)
        try:
            yield
        finally:
            os.dup2(kept, ERRORS)
            if size := os.fstat(held).st_size:
                _pass_on(os.pread(held, size, 0), beginning)


def _pass_on(written: bytes, beginning: bytes):
    now, passed = time.monotonic(), []
    for line in written.splitlines(keepends=True):
        if line.startswith(beginning):
            if now - _latest.get(beginning, -INTERVAL) < INTERVAL:
                continue
            _latest[beginning] = now
        passed.append(line)
    os.write(ERRORS, b''.join(passed))
