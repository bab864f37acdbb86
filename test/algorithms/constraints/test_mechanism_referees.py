# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The standard mechanisms against constraints of Pinocchio and of MuJoCo."""

import numpy as np
import pytest

from support.compare import EXACT, agree
from support.referees import mechanism_referees
from support.robots.closed_loops import Referee
from support.robots.mechanisms import STANDARD

#: What is left of MuJoCo's compliance: 24 (1e-4 a)^4 by the remainder of a cubic. a is the
#: ratio of the inertia felt by a constraint to MuJoCo's estimate of it, at most 20 here.
EXTRAPOLATED = 1e-9
#: Mechanisms without redundant closures. Others share wrenches, and each library in its own way.
DETERMINED = ('Delta', 'Stewart platform', 'two arms with a bar')


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


def is_determined(mechanism, robot):
    """Return whether no closure is redundant, so that their wrenches are unique."""
    referee = Referee(mechanism)
    by_name = dict(zip(robot.all_joint_names, robot.expand(robot.model.closed_posture)[0]))
    theta = np.array([by_name[name] for name in referee.tree.joint_names])
    J = referee.rows(theta, np.zeros_like(theta))[1]
    sizes = np.linalg.svd(J, compute_uv=False)
    return len(sizes) == len(J) and sizes[-1] > 1e-6 * sizes[0]


@pytest.mark.parametrize('name', DETERMINED)
def test_wrenches_between_links_are_those_of_mujoco(name):
    """Of links with closures, as a force-torque sensor measures them there."""
    pytest.importorskip('mujoco')
    mechanism = STANDARD[name]
    robot = mechanism.robot()
    assert is_determined(mechanism, robot)
    links = robot.model.body_names[1:]
    for positions, rates, _, torques in states(robot):
        state = [
            np.array([each[joint] for joint in robot.joint_names])
            for each in (positions, rates, torques)
        ]
        found = robot.links.forward_dynamics_wrenches(*state)[1]
        expected = mechanism_referees.wrenches_of_mujoco(mechanism, positions, rates, torques)
        agree(found, np.array([expected[link] for link in links]), tolerance=EXTRAPOLATED)
