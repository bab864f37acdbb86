# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of eight bodies at a time, beside the plain functions that take one body."""

import numpy as np
import pytest
from numba.core.registry import cpu_target

from benchmark.chains import chain
from robodyn_ros import Robot
from robodyn_ros.algorithms.core import working_memory
from robodyn_ros.compile import generic
from robodyn_ros.compile.simd.lanes import TILES, RowType
from robodyn_ros.compile.simd.trigonometry import LARGEST
from robodyn_ros.model.layout import PARENT, V
from robodyn_ros.spatial.work import COLUMNS, WIDTH, WORK
from support.calls import OUTPUTS, arguments
from support.robots.families import FAMILIES

#: Less than a tile, a whole tile and more than one; of each number of joints in the last tile.
SIZES = [1, 5, 8, 9, 15, 16, 17, 30, 33]
ROUNDING = 1e-13  # of the largest entry; sums of 33 joints, in another order and fused


def compare(robot, kernel, **changed):
    """Compare a kernel with its plain function; working memory begins with NaN."""
    mine, theirs = (arguments(robot, kernel, seed=3) | changed for _ in range(2))
    assert kernel(*mine.values()) == kernel.python(*theirs.values())
    for name in OUTPUTS[kernel.python.__name__]:
        size = np.abs(theirs[name]).max()
        assert np.abs(mine[name] - theirs[name]).max() <= ROUNDING * max(size, 1.0), name


@pytest.mark.parametrize('joints', SIZES)
def test_chains_that_fill_tiles_and_that_do_not(joints):
    """Wrenches act on all bodies."""
    robot = Robot.from_urdf(chain(joints))
    compare(robot, generic.inverse_dynamics_derivatives)


def test_fields_have_one_type_in_tiles():
    """A function of a field is compiled once, not once for each of them."""

    def kinds(row):
        return {
            cpu_target.typing_context.resolve_getattr(row, name)
            for name, (_, size) in row.fields.items()
            if size != 1 and not isinstance(size, dict)
        }

    row = RowType(TILES, COLUMNS)
    block = cpu_target.typing_context.resolve_getattr(row, 'P')
    assert len(kinds(row)) == 1
    assert kinds(block) == kinds(row)


def in_different_branches(topology):
    """Return which pairs of joints are in different branches, from the parents alone."""
    apart = np.ones((len(topology) - 1,) * 2, bool)
    for i in range(1, len(topology)):
        j = i
        while j > 0:
            row, column = topology[i, V], topology[j, V]
            apart[row, column] = apart[column, row] = False
            j = topology[j, PARENT]
    return apart


@pytest.mark.parametrize('family', FAMILIES)
def test_trees_and_joints_in_another_order(family):
    """Entries of joints in different branches are zero to the bit."""
    robot = FAMILIES[family].robot
    compare(robot, generic.inverse_dynamics_derivatives)
    given = arguments(robot, generic.inverse_dynamics_derivatives, seed=3)
    generic.inverse_dynamics_derivatives(*given.values())
    apart = in_different_branches(robot.model.topology)
    for name in ('by_q', 'by_qd', 'by_qdd'):
        assert not given[name][apart].any()


def test_angles_beyond_the_reduction():
    """One of them sends its tile to the C library, and no other."""
    robot = Robot.from_urdf(chain(17))
    q = np.random.default_rng(0).uniform(-3.0, 3.0, 17)
    q[11] = 3.0 * LARGEST
    compare(robot, generic.inverse_dynamics_derivatives, q=q)


@pytest.mark.parametrize('joints', [3, 8, 11])
def test_memory_around_the_results_stays(joints):
    """The last register of a row has lanes behind the matrix."""
    robot = Robot.from_urdf(chain(joints))
    given = arguments(robot, generic.inverse_dynamics_derivatives, seed=3)
    around = {}
    for name in ('by_q', 'by_qd', 'by_qdd'):
        around[name] = np.full((joints + 4, joints), np.nan)
        given[name] = around[name][2:-2]
    generic.inverse_dynamics_derivatives(*given.values())
    for name, memory in around.items():
        assert np.isfinite(given[name]).all()
        assert np.isnan(memory[:2]).all() and np.isnan(memory[-2:]).all()


@pytest.mark.parametrize('shift', range(8))
def test_working_memory_at_any_address(shift):
    """Tiles begin at a cache line, wherever working memory does, and stay within it."""
    robot = Robot.from_urdf(chain(9))
    size = working_memory.rows(robot.model.topology) * WIDTH
    memory = np.full(size + 16, np.nan)
    work = memory[shift : shift + size].view(WORK)
    compare(robot, generic.inverse_dynamics_derivatives, work=work)
    assert np.isnan(memory[:shift]).all() and np.isnan(memory[shift + size :]).all()
