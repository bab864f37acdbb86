# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Avoid two defects of Fast DDS: shared memory of killed nodes, and a shutdown that hangs."""

import contextlib
import ctypes
import os
from pathlib import Path
from typing import Iterator, MutableMapping

LOCALHOST = Path(__file__).with_name('fast_dds_localhost.xml')
MIDDLEWARE = 'RMW_IMPLEMENTATION'
RANGE = 'ROS_AUTOMATIC_DISCOVERY_RANGE'
TRANSPORTS = 'FASTDDS_BUILTIN_TRANSPORTS'
PEERS = 'ROS_STATIC_PEERS'
PROFILES = 'FASTRTPS_DEFAULT_PROFILES_FILE'
CLOCK_MONOTONIC = 1
SIGEV_THREAD = 2


class _SigEvent(ctypes.Structure):
    """`struct sigevent` of Linux, with the function that a timer calls in a separate thread."""

    _fields_ = [
        ('value', ctypes.c_void_p),
        ('signal', ctypes.c_int),
        ('notify', ctypes.c_int),
        ('function', ctypes.c_void_p),
        ('attributes', ctypes.c_void_p),
        ('padding', ctypes.c_byte * 32),
    ]


class _TimerSpec(ctypes.Structure):
    """`struct itimerspec`: interval and first expiry, in seconds and nanoseconds."""

    _fields_ = [(name, ctypes.c_long) for name in ('every_s', 'every_ns', 'first_s', 'first_ns')]


def leave_shared_memory(environment: MutableMapping[str, str] = os.environ) -> None:
    """Make the nodes of this process and its children use UDP alone, unless the user chose.

    A process may be killed just when it has taken a message from its port in shared memory.
    Writers of that port then keep using it, and the successor of the process receives nothing.
    Nothing changes for another middleware, nor where transports, a profile or static peers are
    chosen.

    `environment`: variables that the middleware reads when a context begins.
    """
    if 'fastrtps' not in environment.get(MIDDLEWARE, 'rmw_fastrtps_cpp'):
        return
    if any(name in environment for name in (TRANSPORTS, PROFILES, PEERS)):
        return
    environment[TRANSPORTS] = 'UDPv4'
    if environment.get(RANGE) == 'LOCALHOST':
        # rmw_fastrtps adds shared memory to every profile in this range.
        environment.update({PROFILES: str(LOCALHOST), RANGE: 'SYSTEM_DEFAULT'})


@contextlib.contextmanager
def bounded_end(seconds: float, code: int) -> Iterator[None]:
    """Let the C library end this process with an exit code, unless the block ends in time.

    Fast DDS 2.14 loops forever in `DomainParticipant::set_listener` if a participant ends while it
    handles the discovery of another. It holds the lock that the handling needs. rclpy holds the
    GIL meanwhile, so no Python code can end the process. The C library calls `_exit` in a thread
    of its own. Without such timers the block may hang.

    `seconds`: time for the block [s], above zero.
    `code`: exit code, 0 to 255.
    """
    library, timer = ctypes.CDLL(None), ctypes.c_void_p()
    running = False
    with contextlib.suppress(AttributeError):
        end = ctypes.cast(library._exit, ctypes.c_void_p)
        event = _SigEvent(value=code, notify=SIGEV_THREAD, function=end)
        running = not library.timer_create(
            CLOCK_MONOTONIC, ctypes.byref(event), ctypes.byref(timer)
        )
    if running:
        whole = int(seconds)
        first = _TimerSpec(first_s=whole, first_ns=int(1e9 * (seconds - whole)))
        library.timer_settime(timer, 0, ctypes.byref(first), None)
    try:
        yield
    finally:
        if running:
            library.timer_delete(timer)
