# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Kernels call the machine code of recursions, and do not compile them again."""

from pathlib import Path

from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import Kernel
from robodyn_ros.spatial.primitive import RECURSIONS
from support.processes import run_script

URDF = Path(__file__).resolve().parents[2] / 'config' / 'urdf' / 'ur_like.urdf'
SCRIPT = """
import json
import sys
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import gravity as module
from robodyn_ros.algorithms.core.gravity import gravity_torque
from robodyn_ros.algorithms.core.scratch import allocate
from robodyn_ros.compile import generic
from robodyn_ros.compile.kernel import kernel
from robodyn_ros.spatial.primitive import primitive
from robodyn_ros.spatial.types import Constant, Matrix, Table, Topology, Vector

@primitive
def through_a_module(topology, constants, gravity, scratch, q, tau):
    module.gravity_torque(topology, constants, gravity, scratch, q, tau)

@kernel
def twice(topology: Topology, constants: Table, gravity: Constant, scratch: Matrix, q: Vector,
          tau: Vector, columns: Matrix):
    '''Write gravity torques into a vector, and into a column that is not contiguous.'''
    through_a_module(topology, constants, gravity, scratch, q, tau)
    gravity_torque(topology, constants, gravity, scratch, q, columns[:, 1])

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
    'gravity.gravity_torque.address' in text]))
"""

GRIPPER = """
<robot name="fingers"><link name="base"/>
  <link name="left"><inertial><origin xyz="0.1 0 0"/><mass value="1"/>
    <inertia ixx="0.01" iyy="0.02" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <link name="right"><inertial><origin xyz="0 0.1 0"/><mass value="2"/>
    <inertia ixx="0.02" iyy="0.01" izz="0.02" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="lead" type="continuous"><parent link="base"/><child link="left"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="follow" type="continuous"><parent link="base"/><child link="right"/>
    <axis xyz="1 0 0"/><mimic joint="lead" multiplier="-0.5"/></joint>
</robot>
"""
LAW = """
import json
import sys
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation

robot = Robot.from_urdf(sys.argv[1])
law, terms = GravityCompensation(robot), np.zeros((6, 1))
twin = robot.linked(law.kernels[0])
law.torques(np.array([0.4]), np.zeros(1), np.zeros((3, 1)), np.ones((2, 1)), terms)
error = terms.sum() - robot.gravity_torque([0.4])[0]
hits = sum(twin.compiled.stats.cache_hits.values())
print(json.dumps([twin is not law.kernels[0], error, hits]))
"""


def test_a_recursion_is_called_where_types_fit_and_compiled_in_elsewhere(tmp_path):
    """Also with code from the cache. The two differ by roundoff of 50 N m: 1e-13."""
    for expected_hits in (0, 1):
        (called, inlined, hits, by_address), _ = run_script(
            SCRIPT, tmp_path, [str(URDF)], ROBODYN_CACHE_DIR=tmp_path / 'cache'
        )
        assert called == 0.0 and inlined < 1e-13
        assert hits == expected_hits and by_address == (not hits)


def test_a_law_over_dependent_joints_comes_from_the_cache(tmp_path):
    """In a new process, where nothing has named the kernels that it calls."""
    (tmp_path / 'fingers.urdf').write_text(GRIPPER)
    for expected_hits in (0, 1):
        (is_twin, error, hits), _ = run_script(
            LAW, tmp_path, [str(tmp_path / 'fingers.urdf')], ROBODYN_CACHE_DIR=tmp_path / 'cache'
        )
        assert is_twin and abs(error) < 1e-14 and hits == expected_hits


def test_the_same_without_the_compiler(tmp_path):
    """With NUMBA_DISABLE_JIT a recursion is plain Python."""
    (called, inlined, *_), _ = run_script(SCRIPT, tmp_path, [str(URDF)], NUMBA_DISABLE_JIT='1')
    assert called < 1e-13 and inlined < 1e-13


def test_the_recursions_are_the_functions_of_the_generic_kernels():
    """No kernel has a copy of a function that has machine code."""
    kernels = [each for each in vars(generic).values() if isinstance(each, Kernel)]
    assert set(RECURSIONS) == {each.python for each in kernels}
