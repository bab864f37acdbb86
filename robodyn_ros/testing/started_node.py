# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A node in a process of its own: its signals, its output, and an end in any case."""

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

SOON = 60.0  # [s] of wall time: a deadline for failures, not a measure of speed
GRACE = 5.0  # [s] of wall time between SIGINT and SIGKILL


class StartedNode:
    """A process that runs a node or a launch file, with its output in a file.

    Parameters
    ----------
    command : sequence of str
        Its arguments, such as `['ros2', 'run', 'my_arm', 'holder', '--ros-args', ...]`.
    log_folder : path
        Existing folder for its output and for the log files of ROS.
    environment : mapping of str to str, optional
        Variables besides those of this process.

    Raises
    ------
    OSError
        If the command cannot be run.
    """

    def __init__(
        self,
        command: Sequence[str],
        log_folder: str | os.PathLike,
        environment: Mapping[str, str] | None = None,
    ):
        self._log = Path(log_folder) / 'output.txt'
        own = {'PYTHONUNBUFFERED': '1', 'ROS_LOG_DIR': str(log_folder)}
        self._process = self._begin(command, {**os.environ, **own, **(environment or {})})

    def _begin(self, command, environment):
        with self._log.open('w') as log:
            return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)

    def __repr__(self):
        state = 'running' if self.running else f'ended with {self._process.returncode}'
        return f'<StartedNode {" ".join(map(str, self._process.args))[:80]!r}, {state}>'

    @property
    def running(self) -> bool:
        """Whether the process has not ended."""
        return self._process.poll() is None

    @property
    def output(self) -> str:
        """All that it has written."""
        return self._log.read_text(errors='replace')

    def wait_for_output(self, text: str, timeout: float = SOON):
        """Wait until the output has a text.

        Parameters
        ----------
        text : str
            The text.
        timeout : float
            Longest wait [s] of wall time.

        Raises
        ------
        AssertionError
            If the text does not come in time or the process ends without it, with the output.
        """
        deadline = time.monotonic() + timeout
        while text not in self.output and self.running and time.monotonic() < deadline:
            time.sleep(0.005)
        assert text in self.output, f'{text!r}: not within {timeout} s in\n{self.output}'

    def send(self, number: int):
        """Send a signal to the process.

        Parameters
        ----------
        number : int
            The signal, such as `signal.SIGUSR1`.
        """
        self._process.send_signal(number)

    def stop(self, number: int = signal.SIGINT, timeout: float = SOON) -> tuple[int, float]:
        """Send a signal, and wait for the end.

        Parameters
        ----------
        number : int
            The signal.
        timeout : float
            Longest wait [s] of wall time.

        Returns
        -------
        tuple of int and float
            The exit code, and how long the end took [s].

        Raises
        ------
        subprocess.TimeoutExpired
            If it does not end in time.
        """
        start = time.monotonic()
        self.send(number)
        code = self._process.wait(timeout)
        return code, time.monotonic() - start

    def end_well(self):
        """Stop the node.

        Raises
        ------
        AssertionError
            If its exit code is not 0, or its output has a traceback.
        """
        code, _ = self.stop()
        assert code == 0, f'exit code {code} after\n{self.output}'
        assert 'Traceback' not in self.output, self.output

    def kill(self):
        """End the process by SIGKILL, without a shutdown."""
        if self.running:
            self._process.kill()
        self._process.wait()

    def close(self):
        """End the process by SIGINT if it still runs, and by SIGKILL if that is in vain."""
        if self.running:
            self.send(signal.SIGINT)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(GRACE)
        self.kill()
