"""Kernels in processes of their own."""

import functools

from oracles.processes import run_script
import pytest


@pytest.fixture
def python(tmp_path):
    """Return run_script for a folder of this test's own."""
    return functools.partial(run_script, folder=tmp_path)
