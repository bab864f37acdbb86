# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Processors that do not fall asleep."""

import os
import subprocess
import sys
import time

import psutil

from benchmark.nodes.idle_prevention import Awake
from support.patience import PATIENCE


def test_one_process_on_each_processor_gives_way_to_all_others():
    """And none is left when it is closed."""
    awake = Awake()
    try:
        pids = [process.pid for process in awake._processes]
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline and not all(
            os.sched_getscheduler(pid) == os.SCHED_IDLE for pid in pids
        ):
            time.sleep(0.05)
        assert {os.sched_getscheduler(pid) for pid in pids} == {os.SCHED_IDLE}
        assert sorted(os.sched_getaffinity(pid) for pid in pids) == [
            {number} for number in sorted(os.sched_getaffinity(0))
        ]
        assert all(os.getpriority(os.PRIO_PROCESS, pid) == 19 for pid in pids)
    finally:
        awake.close()
    assert not any(map(psutil.pid_exists, pids))


def test_they_end_with_who_started_them():
    """However that ended."""
    script = (
        'from benchmark.nodes.idle_prevention import Awake; import os, time; '
        'print(*(p.pid for p in Awake()._processes), flush=True); time.sleep(100)'
    )
    with subprocess.Popen([sys.executable, '-c', script], stdout=subprocess.PIPE) as process:
        pids = list(map(int, process.stdout.readline().split()))
        process.kill()
    assert pids
    deadline = time.monotonic() + PATIENCE
    while any(map(runs, pids)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(runs, pids))


def runs(pid):
    """Return whether a process runs, rather than being gone or a zombie."""
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
