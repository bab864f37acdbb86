# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The standard mechanisms against constraints of Pinocchio and of MuJoCo."""

import numpy as np
import pytest

from support.compare import EXACT, agree
from support.referees import mechanism_referees
from support.robots.mechanisms import STANDARD

#: What is left of MuJoCo's compliance: 24 (1e-4 a)^4 by the remainder of a cubic. a is the
#: ratio of the inertia felt by a constraint to MuJoCo's estimate of it, at most 20 here.
EXTRAPOLATED = 1e-9


def states(robot, count=3):
    """Yield positions, rates and accelerations of all joints, and torques of those that lead."""
    rng = np.random.default_rng(4)
    for _ in range(count):
        q = robot.model.closed_posture + rng.uniform(-0.1, 0.1, robot.nv)
        qd, tau = rng.uniform(-1.0, 1.0, (2, robot.nv))
        all_joints = robot.expand(q, qd, robot.forward_dynamics(q, qd, tau))
        yield (
            *(dict(zip(robot.all_joint_names, each)) for each in all_joints),
            dict(zip(robot.joint_names, tau)),
        )


@pytest.mark.parametrize('name', STANDARD)
@pytest.mark.parametrize(
    ('library', 'tolerance'), [('pinocchio', EXACT), ('mujoco', EXTRAPOLATED)]
)
def test_accelerations_are_those_of(library, tolerance, name):
    """Those of all joints, with the parser, the constraints and the solver of the library."""
    pytest.importorskip(library)
    referee = getattr(mechanism_referees, f'of_{library}')
    mechanism = STANDARD[name]
    for positions, rates, accelerations, torques in states(mechanism.robot()):
        expected = referee(mechanism, positions, rates, torques)
        assert expected.keys() == accelerations.keys()
        found = [accelerations[joint] for joint in expected]
        agree(found, list(expected.values()), tolerance=tolerance)
