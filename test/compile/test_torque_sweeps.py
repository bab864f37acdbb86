# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Machine code of sweeps for unit torques, beside the plain functions."""

import numpy as np
import pytest

from benchmark.chains import read
from robodyn_ros.compile import generic
from robodyn_ros.robot.robot import Robot
from support.calls import OUTPUTS, arguments
from support.robots.families import MIXED, case

KERNEL = generic.forward_dynamics_derivatives
KINDS = ('revolute', 'prismatic')
#: Less than a register and all of it, one and more than two, and branches across registers.
ROBOTS = {
    'chain of 2': lambda: Robot.from_urdf(read(2)),
    'chain of 7': lambda: Robot.from_urdf(read(7)),
    'chain of 14': lambda: Robot.from_urdf(read(14)),
    'chain of 30': lambda: Robot.from_urdf(read(30)),
    'tree of 16': lambda: case('bush', 16, kinds=KINDS, branching=2).robot,
    'tree of all joints': lambda: MIXED['mixed_tree'].robot,
    'permuted tree': lambda: MIXED['mixed_permuted'].robot,
    'tree of 41': lambda: case('wood', 41, kinds=KINDS, branching=5).robot,
}


@pytest.mark.parametrize('name', ROBOTS)
def test_machine_code_of_all_sweeps(name):
    """It agrees with the plain recursion to the rounding of M^-1, which is symmetric to the bit.

    Its sums have another order. So errors differ by cond(M) roundings.
    """
    robot = ROBOTS[name]()
    mine, plain = (arguments(robot, KERNEL) for _ in range(2))
    assert KERNEL(*mine.values()) == KERNEL.python(*plain.values()) == 0
    assert np.array_equal(mine['by_tau'], mine['by_tau'].T)
    allowed = 1e-14 * np.sqrt(np.linalg.cond(robot.mass_matrix(mine['q'])))
    for each in OUTPUTS['forward_dynamics_derivatives']:
        scale = np.abs(plain[each]).max()
        assert scale > 0.0
        assert np.abs(mine[each] - plain[each]).max() <= max(1e-13, allowed) * scale, each
