# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Nodes in processes forked from one that has imported what needs no middleware.

The process of a node is like a started one in all else. It has its own environment, arguments,
output, signals and exit code. It imports rclpy, and loads its kernels.
"""

import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

MODULES = ('robodyn_ros.nodes.controller', 'robodyn_ros.nodes.simulator')
BEFORE = (  # not rclpy, whose libraries start threads
    'robodyn_ros.control',
    'robodyn_ros.simulation',
    'diagnostic_msgs.msg',
    'lifecycle_msgs.srv',
    'rosidl_generator_py',
    'robodyn_msgs.msg',
    'robodyn_msgs.srv',
    'rosgraph_msgs.msg',
    'std_srvs.srv',
    'trajectory_msgs.msg',
    'yaml',
)
OWN = {'ROS_LOG_DIR', 'PYTEST_CURRENT_TEST', 'PYTHONUNBUFFERED'}  # nothing imported rests on it
#: Libraries that numpy loads start threads otherwise, and a process with threads cannot be forked.
ONE_THREAD = {'OPENBLAS_NUM_THREADS': '1', 'OMP_NUM_THREADS': '1', 'MKL_NUM_THREADS': '1'}
COVERAGE = {'COVERAGE_PROCESS_START', 'COVERAGE_PROCESS_CONFIG'}


def start(command, environment, log):
    """Start a node as a process with the face of `subprocess.Popen`, forked if that is the same.

    It is not if the environment differs in what imports may rest on.

    Parameters
    ----------
    command : list of str
        Interpreter, '-m', module and arguments.
    environment : dict
        All of the new process.
    log : file
        Takes its output.
    """
    if command[:2] == [sys.executable, '-m'] and command[2] in MODULES:
        if _Server.only is None and not COVERAGE & set(environment):
            _Server.only = _Server(environment)
        if _Server.only is not None and _Server.only.fits(environment):
            return ForkedProcess(_Server.only, command, environment, log)
    return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT)


class ForkedProcess:
    """A process of the server, which alone can collect its exit code."""

    def __init__(self, server, command, environment, log):
        self.args, self.returncode, self._server = command, None, server
        request = {'command': command, 'environment': environment, 'folder': os.getcwd()}
        self.pid = server.ask(request, log.fileno())
        self._handle = os.pidfd_open(self.pid)

    def poll(self):
        """Return the exit code, None while it runs."""
        if self.returncode is None and select.select([self._handle], [], [], 0.0)[0]:
            self._collect()
        return self.returncode

    def wait(self, timeout=None):
        """Return the exit code when it has ended; subprocess.TimeoutExpired if it does not."""
        if self.returncode is None:
            if not select.select([self._handle], [], [], timeout)[0]:
                raise subprocess.TimeoutExpired(self.args, timeout)
            self._collect()
        return self.returncode

    def send_signal(self, number):
        """Send a signal unless it has ended."""
        if self.poll() is None:
            signal.pidfd_send_signal(self._handle, number)

    def kill(self):
        """End it as the kernel does."""
        self.send_signal(signal.SIGKILL)

    def _collect(self):
        self.returncode = self._server.ask({'collect': self.pid})
        os.close(self._handle)


class _Server:
    """The process that forks, from its first request to the end of this one."""

    only = None

    def __init__(self, environment):
        self._given, self._lock = _without_own(environment), threading.Lock()
        self._line, other = socket.socketpair()
        with other:
            subprocess.Popen(
                [sys.executable, '-c', SCRIPT, str(other.fileno())],
                env={**environment, **ONE_THREAD},
                pass_fds=[other.fileno()],
            )

    def fits(self, environment):
        return _without_own(environment) == self._given

    def ask(self, request, *descriptors):
        """Return the number that the server answers."""
        data = json.dumps(request).encode()
        with self._lock:
            socket.send_fds(self._line, [len(data).to_bytes(4, 'big')], descriptors)
            self._line.sendall(data)
            return int.from_bytes(_received(self._line, 4), 'big', signed=True)


def _without_own(environment):
    return {name: value for name, value in environment.items() if name not in OWN}


def _received(line, size):
    data = b''
    while len(data) < size:
        part = line.recv(size - len(data))
        if not part:
            raise EOFError('the other end is closed')
        data += part
    return data


SCRIPT = f"""
import sys
sys.path.insert(0, {str(Path(__file__).resolve().parents[2])!r})
from support.nodes.forked import serve
serve(int(sys.argv[1]))
"""


def serve(descriptor):
    """Import the nodes, then answer requests until the other end is closed.

    A forked process runs the node instead, and raises SystemExit.
    """
    import gc
    import importlib

    for name in BEFORE:
        importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # of a terminal, which is for the tests
    assert len(os.listdir('/proc/self/task')) == 1, 'a process with threads cannot be forked'
    line, running = socket.socket(fileno=descriptor), set()
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            head, (*log,), _, _ = socket.recv_fds(line, 4, 1)
            if not head:
                break
            head += _received(line, 4 - len(head))
            request = json.loads(_received(line, int.from_bytes(head, 'big')))
            if 'collect' in request:
                answer = os.waitstatus_to_exitcode(os.waitpid(request['collect'], 0)[1])
                running.discard(request['collect'])
            else:
                answer = os.fork()
                if answer == 0:
                    line.close()
                    _run(log[0], **request)
                    return
                os.close(log[0])
                running.add(answer)
            line.sendall(answer.to_bytes(4, 'big', signed=True))
    for number in running:
        with contextlib.suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)


def _run(log, command, environment, folder):
    """Run the module of a command as the interpreter would."""
    import runpy

    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for number in (1, 2):
        os.dup2(log, number)
    os.close(log)
    sys.stdout.reconfigure(write_through=True)
    sys.argv = command[2:]
    runpy.run_module(command[2], run_name='__main__', alter_sys=True)
