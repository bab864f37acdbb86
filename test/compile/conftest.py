# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels in processes of their own."""

import functools

import pytest

from support.processes import run_script


@pytest.fixture
def python(tmp_path):
    """Return run_script for a folder of this test's own."""
    return functools.partial(run_script, folder=tmp_path)
