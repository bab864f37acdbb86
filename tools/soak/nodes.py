# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes of this package as separate processes, started or forked."""

import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from tools.soak import ROOT

URDF = ROOT / 'config' / 'urdf' / 'two_link.urdf'
SOON = 30.0  # [s] for all but the start of a node that compiles
_SERVER = multiprocessing.get_context('forkserver')
_SERVER.set_forkserver_preload(['tools.soak.forked'])


class Started:
    """A new process: interpreter, imports, kernels from the cache."""

    def __init__(self, name, arguments, log, environment):
        command = [sys.executable, '-m', f'robodyn_ros.nodes.{name}', *arguments]
        with open(log, 'ab') as file:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env={**os.environ, **environment},
                stdout=file,
                stderr=subprocess.STDOUT,
            )
        self.pid, self.code, self.kill = self._process.pid, self._process.poll, self._process.kill

    def wait(self, seconds):
        """Return the exit code, None while the process runs."""
        try:
            return self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


class Forked:
    """A copy of a process that has imported everything."""

    def __init__(self, *given):
        from tools.soak import forked

        self._process = _SERVER.Process(target=forked.run, args=given)
        self._process.start()
        self.pid, self.kill = self._process.pid, self._process.kill

    def code(self):
        """Return the exit code, None while the process runs."""
        return self._process.exitcode

    def wait(self, seconds):
        """Return the exit code, None while the process runs."""
        self._process.join(seconds)
        return self._process.exitcode


class Node:
    """A node of this package as a process.

    Parameters
    ----------
    name : str
        'controller' or 'simulator'.
    folder : path
        Folder for its log.
    remaps : sequence of str
        Further ROS arguments.
    forked : bool
        Whether it is forked, which takes a fraction of the time of a start.
    **parameters
        Parameters of the node.
    """

    def __init__(self, name, folder, remaps=(), forked=False, **parameters):
        parameters = {'urdf_path': URDF, 'specialise': 'false', **parameters}
        given = [part for item in parameters.items() for part in ('-p', ':='.join(map(str, item)))]
        self.log = Path(folder) / f'{name}-{time.monotonic_ns()}.log'
        self.process = (Forked if forked else Started)(
            name, ['--ros-args', *remaps, *given], str(self.log), {'ROS_LOG_DIR': str(folder)}
        )

    @property
    def lives(self):
        """Whether the process has not ended."""
        return self.process.code() is None

    def output(self):
        """Return the output so far."""
        return self.log.read_text(errors='replace')

    def memory(self):
        """Return resident memory [MB], threads and open files."""
        place = Path(f'/proc/{self.process.pid}')
        status = (place / 'status').read_text()
        kilobytes, threads = (
            int(re.search(rf'^{key}:\s+(\d+)', status, re.MULTILINE)[1])
            for key in ('VmRSS', 'Threads')
        )
        return kilobytes / 1024.0, threads, len(os.listdir(place / 'fd'))

    def kill(self):
        """End the process by SIGKILL, without a shutdown."""
        self.process.kill()
        self.process.wait(SOON)

    def end(self):
        """End the node by its shutdown; return its exit code."""
        os.kill(self.process.pid, signal.SIGINT)
        code = self.process.wait(SOON)
        if code is None:
            self.kill()
        return code
