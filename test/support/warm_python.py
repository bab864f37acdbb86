# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scripts in forks of a process that has imported what they need, and has compiled with Numba.

Both take most of the time of a short script, or of the start of a node.
"""

import importlib
import json
import os
import select
import selectors
import signal
import subprocess
import sys
import time
import types
from pathlib import Path

if __name__ != '__main__':  # the process itself needs neither
    from support.processes import ROOT, environment_of_script

TIMEOUT = 900  # [s]
READ_EARLY = 'NUMBA_', 'ROBODYN_', 'RMW_'  # variables that count when a package is imported


class WarmPython:
    """A process that forks for each script.

    Parameters
    ----------
    *modules : str
        What it imports before, besides Numba.
    """

    def __init__(self, *modules):
        self._codes, self._environment = {}, environment_of_script()
        self._process = subprocess.Popen(
            [sys.executable, __file__, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            env=self._environment,
        )

    def serves(self, environment):
        """Return whether what has been imported would be the same in an environment."""
        names = {*environment, *self._environment}
        early = (name for name in names if name.startswith(READ_EARLY))
        return all(environment.get(name) == self._environment.get(name) for name in early)

    def run_script(self, script, folder, arguments=(), package=None, **environment):
        """Do as processes.run_script does; the package is not imported yet, Numba is."""
        out, err = self.run(script, folder, arguments, package, **environment)
        return json.loads(out), err

    def run(self, script, folder, arguments=(), package=None, **environment):
        """Return what a script wrote to its output and to its error output."""
        out, err = (Path(folder) / f'script.{ending}' for ending in ('out', 'err'))
        wanted = environment_of_script(package or ROOT, environment)
        code = self.start(script, folder, arguments, wanted, out, err).wait(TIMEOUT)
        assert code == 0, f'{code}: {err.read_text()}'
        return out.read_text(), err.read_text()

    def start(self, script, folder, arguments, environment, out, err):
        """Start a script in a folder; return the fork, which writes to two files, or to one."""
        late = [name for name in environment if name.startswith('NUMBA_')]
        assert not late, f'Numba has read {late} already'
        file = Path(folder) / 'script.py'
        file.write_text(script)
        for output in (out, err):
            Path(output).write_text('')
        argv = [str(file), *map(str, arguments)]
        told = [str(folder), argv, environment, str(out), str(err)]
        self._process.stdin.write(json.dumps(told).encode() + b'\n')
        while (answer := self._read())[1] is not None:
            pass
        self._codes.pop(answer[0], None)  # of an earlier one with this number
        return Fork(self, answer[0])

    def code_of(self, pid, timeout):
        """Return the exit code of a fork, or None if it does not end in time."""
        deadline = time.monotonic() + timeout
        while pid not in self._codes:
            left = max(deadline - time.monotonic(), 0.0)
            if not select.select([self._process.stdout], (), (), left)[0]:
                return None
            self._read()
        return self._codes[pid]

    def _read(self):
        """Read and return the number of a fork and its exit code, None if it has begun."""
        pid, code = json.loads(self._process.stdout.readline())
        if code is not None:
            self._codes[pid] = code
        return pid, code

    def close(self):
        """End the process."""
        self._process.communicate(timeout=TIMEOUT)


class Fork:
    """A fork, with what is needed of subprocess.Popen."""

    def __init__(self, python, pid):
        self._python, self.pid = python, pid

    def poll(self):
        """Return the exit code, or None if it has not ended."""
        return self._python.code_of(self.pid, 0.0)

    def wait(self, timeout=TIMEOUT):
        """Return the exit code when it has ended."""
        code = self._python.code_of(self.pid, timeout)
        if code is None:
            raise subprocess.TimeoutExpired(str(self.pid), timeout)
        return code

    def send_signal(self, number):
        """Send it a signal, unless it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self):
        """End it at once."""
        self.send_signal(signal.SIGKILL)


def serve():
    """Fork for each line of the input, until one fork is to become a script; return its line.

    The output tells the number of each fork, and later its exit code.
    """
    with selectors.DefaultSelector() as events:
        events.register(sys.stdin, selectors.EVENT_READ)
        while True:
            for key, _ in events.select():
                if key.fileobj is not sys.stdin:
                    code = os.waitstatus_to_exitcode(os.waitpid(key.data, 0)[1])
                    events.unregister(key.fileobj)
                    os.close(key.fileobj)
                    print(json.dumps([key.data, code]), flush=True)
                    continue
                line = sys.stdin.readline()
                if not line:
                    return None
                child = os.fork()
                if not child:
                    return json.loads(line)
                events.register(os.pidfd_open(child), selectors.EVENT_READ, child)
                print(json.dumps([child, None]), flush=True)


def become(folder, arguments, environment, out, err):
    """Make this process what Python is when it starts a script; return its code and its names."""
    signal.alarm(TIMEOUT)
    for stream, path in enumerate((os.devnull, out, err)):
        with open(path, 'a' if stream else 'r') as file:
            os.dup2(file.fileno(), stream)
    ours = {str(Path(__file__).parent), *os.environ['PYTHONPATH'].split(os.pathsep)}
    rest = [path for path in sys.path if path not in ours]
    sys.path[:] = [folder, *environment['PYTHONPATH'].split(os.pathsep), *rest]
    sys.argv = arguments
    os.environ.clear()
    os.environ.update(environment)
    os.chdir(folder)
    sys.modules['__main__'] = main = types.ModuleType('__main__')
    main.__file__ = arguments[0]
    return compile(Path(arguments[0]).read_text(), arguments[0], 'exec'), vars(main)


if __name__ == '__main__':
    import numba

    numba.njit('float64(float64[:])')(lambda x: 2.0 * x[0])
    for module in sys.argv[1:]:
        importlib.import_module(module)
    wanted = serve()
    if wanted:
        exec(*become(*wanted))
        sys.stdout.flush()
        os._exit(0)  # taking numba down takes longer than a short script
