# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Without private parts of Numba everything works, more slowly, and a warning is printed."""

import ast
from pathlib import Path

import pytest

from robodyn_ros.compile import numba_private
from robodyn_ros.errors import KernelError
from support.robots.fingers import GRIPPER, WITHOUT_LOOPS

PACKAGE = Path(numba_private.__file__).resolve().parents[1]
FILE = 'numba_private.py'

BLOCK = """
import builtins
import json
import sys
import warnings
real = builtins.__import__


def block(name, globals=None, locals=None, fromlist=(), level=0):
    if name.startswith('numba') and sys.argv[1] in (fromlist or ()) and (globals or {}).get(
        '__name__', ''
    ).endswith('private'):
        raise ImportError(f'cannot import name {sys.argv[1]!r}')
    return real(name, globals, locals, fromlist, level)


builtins.__import__ = block
warnings.simplefilter('always')
"""
LOOK = """
from robodyn_ros.compile import numba_private
from robodyn_ros.compile.vectorcall.entry import layout_is_known
print(json.dumps([numba_private.MISSING, layout_is_known()]))
"""
WORK = """
import numpy as np
from robodyn_ros.codegen.linker import linked
from robodyn_ros.compile import generic
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
from support.robots.textbook import Segment, serial
robot = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 2.0, (0.5, 0, 0), 0.1),))
tau, again = np.empty(1), np.empty(1)
generic.gravity_torque(*robot._weighted, np.zeros(1), tau)
generic.gravity_torque.vectorcall(*robot._weighted, np.zeros(1), again)
(law,) = GravityCompensation.kernels
twin = linked(law, robot.model)
terms = [np.zeros((6, 1)), np.zeros((6, 1))]
arms = GravityCompensation(robot)
found = [robot.gravity_torque(np.zeros(1))[0]]
twin.compiled
print(json.dumps([tau[0], again[0], *found, twin is not law]))
"""
FINGERS = """
import numpy as np
from robodyn_ros import Robot
from robodyn_ros.control.laws.gravity_compensation import GravityCompensation
robot = Robot.from_urdf(sys.argv[2])
law, terms, q = GravityCompensation(robot), np.zeros((6, 1)), np.array([0.4])
law.torques(q, np.zeros(1), np.zeros((3, 1)), np.ones((2, 1)), terms)
print(json.dumps([terms.sum(), robot.gravity_torque(q)[0]]))
"""
PARTS = (
    'cgutils', 'typed_passes', 'CompilerBase', 'DefaultPassBuilder', 'Lower', 'populate_array',
    'register_pass', 'get_host_cpu_features', '_Cache', 'CompileResult', 'dumps', 'rtsys',
    'global_compiler_lock', 'AttributeTemplate',
)  # fmt: skip


def private_imports(path):
    """The names that a file imports from the inside of Numba."""
    for node in ast.walk(ast.parse(path.read_text())):
        names = [node.module] if isinstance(node, ast.ImportFrom) and node.module else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        inner = [name for name in names if name.startswith('numba.') and name != 'numba.extending']
        if inner:
            yield from (alias.name for alias in node.names)


def test_private_parts_are_imported_in_one_file():
    """And every one of them is blocked below."""
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob('*.py')
        if any(private_imports(path))
    }
    assert found == {f'compile/{FILE}'}
    assert set(private_imports(PACKAGE / 'compile' / FILE)) == set(PARTS)


@pytest.mark.parametrize('part', PARTS)
def test_a_part_that_is_missing_is_reported_once(python, part):
    (missing, known), said = python(BLOCK + LOOK, arguments=[part])
    assert part in missing and not known
    assert said.count('kernels are called more slowly') == 1


def test_nothing_is_missing_here():
    """Else the tests of the fast calls would test nothing."""
    assert numba_private.MISSING == ''


def test_without_a_private_part_a_robot_works(python, tmp_path):
    """Generic kernels, and the code of one robot linked into a law."""
    (found, again, method, is_linked), said = python(
        BLOCK + WORK, arguments=['Lower'], ROBODYN_CACHE_DIR=tmp_path / 'cache'
    )
    assert found == again == method == pytest.approx(2.0 * 9.81 * 0.5) and is_linked
    assert said.count('kernels are called more slowly') == 1


def test_without_a_private_part_a_law_serves_dependent_joints(python, tmp_path):
    """Without tables of addresses: copies of functions call the other recursions."""
    (tmp_path / 'fingers.urdf').write_text(GRIPPER)
    (law, robot), _ = python(
        BLOCK + WITHOUT_LOOPS + FINGERS,
        arguments=['Lower', tmp_path / 'fingers.urdf'],
        ROBODYN_CACHE_DIR=tmp_path / 'cache',
    )
    assert law == pytest.approx(robot, rel=1e-14) and robot != 0.0


@pytest.mark.parametrize('version', ['0.55.1', '0.58.1', '0.9'])
def test_a_numba_that_is_too_old_is_refused(version):
    """That of a distribution may be; the sentence says what to do."""
    with pytest.raises(KernelError, match=f'Numba {version} is installed; expected 0.59 or newer'):
        numba_private.require_version(version)


@pytest.mark.parametrize('version', ['0.59.0', '0.68.1', '0.70.0rc1', '1.0.0'])
def test_newer_ones_are_tried(version):
    numba_private.require_version(version)
