# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Lock step of two processes: the same bits, whatever the machine does meanwhile."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

pytest.importorskip('rclpy', reason='rclpy is not installed')
pytest.importorskip('robodyn_msgs', reason='robodyn_msgs is not built')

from support.nodes.lock_step_run import TARGET, Run
from support.processes import run_script

pytestmark = [pytest.mark.ros, pytest.mark.slow]
CHILD = """import json
from support.nodes.lock_step_run import alone
print(json.dumps({step: state.hex() for step, state in alone().items()}))
"""


@pytest.fixture(scope='module')
def referee_of_processes(tmp_path_factory):
    """Return the direct calls of a third process, which loads kernels in an order of its own."""
    told, _ = run_script(CHILD, tmp_path_factory.mktemp('referee'), ROBODYN_REPRODUCIBLE=1)
    return {int(step): bytes.fromhex(state) for step, state in told.items()}


@pytest.fixture(scope='module')
def processes(start_shared, graph):
    """Return a run of two processes whose bits do not rest on what a process loads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv('ROBODYN_REPRODUCIBLE', '1')
        return Run(start_shared, graph)


@pytest.fixture
def two_processes(processes):
    """Return the same run at its beginning."""
    if processes.inbox.last.step:
        processes.begin()
    return processes


def test_two_processes_give_the_bits_of_direct_calls(two_processes, referee_of_processes):
    """And the arm does move."""
    states = two_processes.tracked()
    assert states == referee_of_processes
    first, last = (np.frombuffer(states[step])[:7] for step in (0, max(states)))
    assert np.abs(last - TARGET).max() < 0.05 < np.abs(last - first).max()


def test_a_process_that_stands_still_changes_nothing(two_processes, referee_of_processes):
    def stall():
        for node in (two_processes.controller, two_processes.simulator):
            time.sleep(0.02)
            node.send(signal.SIGSTOP)
            time.sleep(10.0)
            node.send(signal.SIGCONT)

    assert two_processes.tracked(stall) == referee_of_processes


def test_a_loaded_machine_changes_nothing(two_processes, referee_of_processes):
    number = (os.cpu_count() or 1) + 1  # more than processors, so that none is left
    busy = [subprocess.Popen([sys.executable, '-c', 'while True: pass']) for _ in range(number)]
    try:
        assert two_processes.tracked() == referee_of_processes
    finally:
        for process in busy:
            process.kill()
            process.wait()
