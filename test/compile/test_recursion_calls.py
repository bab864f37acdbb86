# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels call the machine code of recursions, and do not compile them again."""

from pathlib import Path

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.spatial.primitive import RECURSIONS
from support.processes import run_script
from support.robots.fingers import GRIPPER, WITHOUT_LOOPS

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'ur_like.urdf'
SCRIPT = """
import json
import sys
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import gravity as module
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.working_memory import allocate
from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

@primitive
def through_a_module(topology, constants, gravity, work, q, tau):
    module.gravity_torque(topology, constants, gravity, work, q, tau)

@kernel
def twice(topology: Topology, constants: Table, gravity: Constant, work: Work, q: Vector,
          tau: Vector, columns: Matrix):
    '''Write gravity torques into a vector, and into a column that is not contiguous.'''
    through_a_module(topology, constants, gravity, work, q, tau)
    gravity_torque(topology, constants, gravity, work, q, columns[:, 1])

robot = Robot.from_urdf(sys.argv[1])
model = robot.model
q, tau, columns = np.linspace(-1.1, 0.9, 6), np.zeros(6), np.zeros((6, 2))
twice(model.topology, model.constants, model.gravity, allocate(model.topology), q, tau, columns)
expected = robot.gravity_torque(q)
stats = getattr(twice.compiled, 'stats', None)
hits = sum(stats.cache_hits.values()) if stats else 0
text = ''
if not hits and stats:
    (result,) = twice.compiled.overloads.values()
    text = result.library.get_llvm_str()
print(json.dumps([
    float(abs(tau - expected).max()), float(abs(columns[:, 1] - expected).max()), hits,
    'gravity.gravity_torque.addresses' in text]))
"""

LAW = """
import json
import sys
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.compile.kernel import kernel
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector, Work

@kernel
def other_layout(topology: Topology, constants: Table, gravity: Constant, work: Work,
                 q: Vector, columns: Matrix):
    '''Write gravity torques into a column that is not contiguous.'''
    gravity_torque(topology, constants, gravity, work, q, columns[:, 1])

robot = Robot.from_urdf(sys.argv[1])
law, terms = GravityCompensation(robot), np.zeros((6, 1))
twin = robot.linked(law.kernels[0])
law.torques(np.array([0.4]), np.zeros(1), np.zeros((3, 1)), np.ones((2, 1)), terms)
error = terms.sum() - robot.gravity_torque([0.4])[0]
stats = getattr(law.kernels[0].compiled, 'stats', None)
hits = sum(stats.cache_hits.values()) if stats else 0
refusal, column = '', np.zeros((1, 2))
try:
    other = robot.linked(other_layout)
    other(*robot._weighted, np.array([0.4]), column)
except TypeError as caught:
    refusal = str(caught)
print(json.dumps([twin is not law.kernels[0], error, hits, refusal, column[0, 1]]))
"""


def test_a_recursion_is_called_where_types_fit_and_compiled_in_elsewhere(python, tmp_path):
    """Also with code from the cache. The two differ by roundoff of 50 N m: 1e-13."""
    for expected_hits in (0, 1):
        (called, inlined, hits, by_address), _ = python(
            SCRIPT, arguments=[URDF], ROBODYN_CACHE_DIR=tmp_path / 'cache'
        )
        assert called == 0.0 and inlined < 1e-13
        assert hits == expected_hits and by_address == (not hits)


def test_a_law_over_dependent_joints_comes_from_the_cache(python, tmp_path):
    """In a new process, where nothing has named the kernels that it calls.

    A recursion over the tree never serves such a robot, which it could not see.
    """
    (tmp_path / 'fingers.urdf').write_text(GRIPPER)
    for expected_hits in (0, 1):
        (is_twin, error, hits, refusal, _), _ = python(
            WITHOUT_LOOPS + LAW,
            arguments=[tmp_path / 'fingers.urdf'],
            ROBODYN_CACHE_DIR=tmp_path / 'cache',
        )
        assert is_twin and abs(error) < 1e-14 and hits == expected_hits
        assert 'gravity_torque: got an array of another type or layout' in refusal


def test_a_law_over_dependent_joints_runs_without_the_compiler(tmp_path):
    """Python has no tables of addresses: copies of functions call the other recursions."""
    (tmp_path / 'fingers.urdf').write_text(GRIPPER)
    (is_twin, error, _, refusal, column), _ = run_script(
        LAW, tmp_path, [str(tmp_path / 'fingers.urdf')], NUMBA_DISABLE_JIT='1'
    )
    assert is_twin and abs(error) < 1e-14 and refusal == ''
    weight = 9.81 * 0.1 * (np.cos(0.4) + 0.5 * 2.0 * np.cos(0.5 * 0.4))
    assert column == pytest.approx(-weight, rel=1e-12)


def test_the_same_without_the_compiler(tmp_path):
    """With NUMBA_DISABLE_JIT a recursion is plain Python."""
    (called, inlined, *_), _ = run_script(SCRIPT, tmp_path, [str(URDF)], NUMBA_DISABLE_JIT='1')
    assert called < 1e-13 and inlined < 1e-13


def test_the_recursions_are_the_functions_of_the_generic_kernels():
    """No kernel has a copy of a function that has machine code."""
    kernels = [each for each in vars(generic).values() if isinstance(each, Kernel)]
    assert set(RECURSIONS) == {each.python for each in kernels}
