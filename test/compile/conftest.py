# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels in processes of their own."""

import pytest

from support.processes import run_script


@pytest.fixture
def python(tmp_path, warm_python):
    """Return run_script for a folder of this test's own; it forks where settings allow that."""

    def run(script, **options):
        # Numba reads these when it is imported.
        anew = any(name.startswith('NUMBA_') for name in options)
        return (run_script if anew else warm_python.run_script)(script, tmp_path, **options)

    return run
