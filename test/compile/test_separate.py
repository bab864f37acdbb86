# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Functions with machine code of their own, which kernels call, also those from the cache."""

from support.processes import run_script

SCRIPT = """
import json
import numpy as np
from robodyn_ros.compile.call import provide
from robodyn_ros.compile.kernel import Kernel, kernel
from robodyn_ros.spatial.primitive import separate
from robodyn_ros.spatial.types import Scalar, Vector

@separate
def double(x: Vector, y: Vector):
    '''Write twice x.'''
    for k in range(len(x)):
        y[k] = 2.0 * x[k]

@kernel
def caller(x: Vector, y: Vector):
    '''Write four times x.'''
    double(x, y)
    double(y, y)

@separate
def total(x: Vector) -> Scalar:
    '''Return the sum.'''
    return x[0] + x[1]

@kernel
def twice_total(x: Vector):
    '''Return twice the sum.'''
    return 2.0 * total(x)

x, y, refusal = np.array([3.0, -0.7]), np.zeros(2), ''
try:
    caller(x, y)
except RuntimeError as error:
    refusal = str(error)
provide([Kernel(double.__wrapped__), Kernel(total.__wrapped__)])
caller(x, y)
stats = getattr(caller.compiled, 'stats', None)
hits = sum(stats.cache_hits.values()) if stats else 0
print(json.dumps([[*y.tolist(), twice_total(x)], refusal, hits]))
"""
RIGHT = [12.0, -2.8, 4.6]


def test_a_separate_function_is_called_when_provided(python, tmp_path):
    """Before it a call says so; code from the cache finds the function in another process."""
    for expected_hits in (0, 1):
        (found, refusal, hits), _ = python(SCRIPT, ROBODYN_CACHE_DIR=tmp_path / 'c')
        assert found == RIGHT and hits == expected_hits
        assert 'double was not provided' in refusal


def test_a_separate_function_is_plain_python_without_the_compiler(tmp_path):
    """With NUMBA_DISABLE_JIT nothing has to be provided."""
    (found, refusal, _), _ = run_script(SCRIPT, tmp_path, NUMBA_DISABLE_JIT=1)
    assert found == RIGHT and refusal == ''
