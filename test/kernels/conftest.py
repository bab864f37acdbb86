"""Kernels in processes of their own: another environment, another cache, another copy of the code."""

import json
import os
from pathlib import Path
import subprocess
import sys

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def python(tmp_path):
    """Return a function that runs a script in a process of its own and returns what it printed.

    The script prints one line of JSON. Warnings go to the second return value. The kernel cache is
    the one of this process unless the environment says otherwise.
    """
    def run(script, arguments=(), package=ROOT, **environment):
        file = tmp_path / 'script.py'
        file.write_text(script)
        clean = {name: value for name, value in os.environ.items()
                 if not name.startswith(('NUMBA_', 'PYTEST_'))}
        path = os.pathsep.join((str(package), str(ROOT / 'test')))
        clean |= {'PYTHONPATH': path, 'PYTHONDONTWRITEBYTECODE': '1', **environment}
        clean = {name: str(value) for name, value in clean.items() if value is not None}
        done = subprocess.run([sys.executable, str(file), *arguments], env=clean, timeout=300,
                              capture_output=True, text=True, check=False, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr
    return run
