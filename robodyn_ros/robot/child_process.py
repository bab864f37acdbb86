# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Run modules of this package in child processes, without code of the current folder."""

import os
import subprocess
import sys
from pathlib import Path

#: `python -m` and `python -c` put the current folder first, so a file numpy.py there would be run.
#: `-P` prevents this from Python 3.11 on; this does so for all versions. It also lets the child
#: import the package of its parent.
START = """
import sys
root, module = sys.argv[1:3]
sys.path[:] = [folder for folder in sys.path if folder]
if root not in sys.path:
    sys.path.insert(0, root)
del sys.argv[1:3]
import runpy
runpy.run_module(module, run_name='__main__', alter_sys=True)
"""

ROOT = Path(__file__).resolve().parents[2]


def start(module, *arguments, env=None, **options):
    """Start a module of this package in a child process.

    `module`: name of the module.
    `*arguments`: arguments of its command line.
    `env` (mapping of str to str): its environment; that of this process by default.
    `**options`: further options of subprocess.Popen.
    Returns the process.
    """
    command = [sys.executable, '-c', START, str(ROOT), module, *arguments]
    return subprocess.Popen(command, env=_cleaned(os.environ if env is None else env), **options)


def _cleaned(env):
    """Return the environment without the current folder, which is an empty entry of PYTHONPATH."""
    environment = dict(env)
    folders = environment.pop('PYTHONPATH', '').split(os.pathsep)
    if any(folders):
        environment['PYTHONPATH'] = os.pathsep.join(filter(None, folders))
    return environment
