# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Scripts in forks of a process that has imported Numba, and has compiled with it once.

Both take most of the time of a short script, and depend on nothing of this package.
"""

import json
import os
import signal
import subprocess
import sys
import types
from pathlib import Path

if __name__ != '__main__':  # the process itself needs neither
    from support.processes import ROOT, environment_of_script

TIMEOUT = 900  # [s]


class WarmPython:
    """A process that forks for each script."""

    def __init__(self):
        self._process = subprocess.Popen(
            [sys.executable, __file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment_of_script(),
        )

    def run_script(self, script, folder, arguments=(), package=None, **environment):
        """Do as processes.run_script does; the package is not imported yet, Numba is."""
        out, err = self.run(script, folder, arguments, package, **environment)
        return json.loads(out), err

    def run(self, script, folder, arguments=(), package=None, **environment):
        """Return what a script wrote to its output and to its error output."""
        late = [name for name in environment if name.startswith('NUMBA_')]
        assert not late, f'Numba has read {late} already'
        folder = Path(folder)
        file, out, err = (folder / f'script.{ending}' for ending in ('py', 'out', 'err'))
        file.write_text(script)
        wanted = environment_of_script(package or ROOT, environment)
        told = [str(folder), [str(file), *map(str, arguments)], wanted, str(out), str(err)]
        self._process.stdin.write(json.dumps(told) + '\n')
        self._process.stdin.flush()
        code = int(self._process.stdout.readline())
        assert code == 0, f'{code}: {err.read_text()}'
        return out.read_text(), err.read_text()

    def close(self):
        """End the process."""
        self._process.communicate(timeout=TIMEOUT)


def serve():
    """Fork for each line of the input, until one fork is to become a script; return its line."""
    for line in sys.stdin:
        child = os.fork()
        if not child:
            return json.loads(line)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        print(code, flush=True)
    return None


def become(folder, arguments, environment, out, err):
    """Make this process what Python is when it starts a script; return its code and its names."""
    signal.alarm(TIMEOUT)
    for stream, path in enumerate((os.devnull, out, err)):
        with open(path, 'w' if stream else 'r') as file:
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
    wanted = serve()
    if wanted:
        exec(*become(*wanted))
        sys.stdout.flush()
        os._exit(0)  # taking numba down takes longer than a short script
