# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""A script in a process of its own: other environment, other cache, another copy of the code."""

import json
import os
import subprocess
import sys
from pathlib import Path

from support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def run_script(script, folder, arguments=(), package=ROOT, **environment):
    """Return the JSON that a Python script printed, and what it wrote to the error output.

    folder : where it runs. package : folder that holds robodyn_ros. environment : what differs
    from ours, None to unset; NUMBA_ settings of ours are dropped, our kernel cache is kept. With a
    cache of its own, the kernels that were built with the package are not there either.
    """
    file = Path(folder) / 'script.py'
    file.write_text(script)
    done = subprocess.run(
        [sys.executable, str(file), *arguments],
        timeout=PATIENCE,
        capture_output=True,
        text=True,
        env=environment_of_script(package, environment),
        check=False,
        cwd=folder,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


def environment_of_script(package=ROOT, environment=None):
    """Return the environment in which run_script starts a script."""
    environment = environment or {}
    inherited = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(('NUMBA_', 'PYTEST_'))
    }
    path = os.pathsep.join((str(package), str(ROOT / 'test'), os.environ.get('PYTHONPATH', '')))
    cold = {'ROBODYN_BUILT_KERNELS': ''} if 'ROBODYN_CACHE_DIR' in environment else {}
    wanted = {
        **inherited,
        'PYTHONPATH': path,
        'PYTHONDONTWRITEBYTECODE': '1',
        **cold,
        **environment,
    }
    return {name: str(value) for name, value in wanted.items() if value is not None}
