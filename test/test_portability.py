# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Which tests CI runs as other processors would."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def test_folders_that_are_sensitive_run_as_a_whole():
    """Also a file without a mark of its own, and only such ones."""
    sensitive = 'algorithms/test_referees.py', 'formulations/test_wrist.py'
    files = *sensitive, 'algorithms/test_frames.py'
    done = subprocess.run(
        [sys.executable, '-m', 'pytest', '-q', '--collect-only', '-m', 'sensitive']
        + [f'test/{file}' for file in files],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert tuple(file for file in files if f'{file}::' in done.stdout) == sensitive, done.stdout
