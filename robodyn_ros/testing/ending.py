# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""End what a test has started; a thread that hangs is named, with its stack."""

import contextlib
import sys
import threading
import traceback
from typing import Any, Callable, Iterator

END = 30.0  # [s] of wall time: a deadline for failures, not a measure of speed


def closing_factory(make: Callable[..., Any]) -> Iterator[Callable[..., Any]]:
    """Yield a function that makes objects, and close them in the end, the newest first.

    Each one is closed, even if another one raises. This is the body of a fixture of pytest.

    Parameters
    ----------
    make : callable
        Returns an object that has `close`.

    Yields
    ------
    callable
        Passes its arguments to `make`, and returns the object.
    """
    with contextlib.ExitStack() as stack:

        def started(*arguments, **options):
            made = make(*arguments, **options)
            stack.callback(made.close)
            return made

        yield started


def stack_of(thread: threading.Thread) -> str:
    """Return where a thread is, as in a traceback.

    Parameters
    ----------
    thread : Thread
        The thread.
    """
    frame = sys._current_frames().get(thread.ident or 0)
    return ''.join(traceback.format_stack(frame)) if frame else ''


def join(thread: threading.Thread):
    """Wait for the end of a thread.

    Parameters
    ----------
    thread : Thread
        A daemon, so that a hanging one does not keep its process.

    Raises
    ------
    AssertionError
        If it does not end in time, with its name and its stack.
    """
    thread.join(END)
    if thread.is_alive():
        others = sorted({each.name for each in threading.enumerate()} - {thread.name})
        raise AssertionError(
            f"thread '{thread.name}' has not ended within {END:g} s; it is at\n{stack_of(thread)}"
            f'besides, there are {", ".join(others)}'
        )


def call_until_end(action: Callable[[], None], name: str):
    """Call a function that may wait for other threads.

    Parameters
    ----------
    action : callable
        The function.
    name : str
        Of its thread, for the message.

    Raises
    ------
    AssertionError
        If it does not return in time, with its stack.
    Exception
        Whatever the function raises.
    """
    raised: list[BaseException] = []

    def run():
        try:
            action()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    join(thread)
    if raised:
        raise raised[0]
