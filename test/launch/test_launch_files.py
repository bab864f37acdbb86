# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Runs the launch_testing description of the launch files, where launch_testing is installed."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.mark.launch_file
@pytest.mark.skipif(find_spec('launch_testing') is None, reason='launch_testing is not installed')
def test_every_launch_file_holds_the_arm_and_ends_cleanly(tmp_path):
    """launch_testing starts each launch file with a robot, real or simulated, around it."""
    description = Path(__file__).parent / 'arm_under_launch.py'
    command = [sys.executable, '-m', 'launch_testing.launch_test', str(description)]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=900)
    assert run.returncode == 0, run.stdout + run.stderr
    assert 'Ran 0 tests' not in run.stdout + run.stderr
