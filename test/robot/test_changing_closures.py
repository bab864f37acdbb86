# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closures that come and go, against the same closures over independent coordinates.

To 1e-10: both lose the condition of the closures, below 1e4 here.
"""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import UnknownNameError
from robodyn_ros.robot.loops.changing_closures import ChangingClosures
from support.compare import agree
from support.robots.closed_loops import GRAVITY, MECHANISMS


def both(name):
    """Return the robot over independent coordinates, and the tree with its closures."""
    mechanism = MECHANISMS[name]
    tree = Robot.from_description(mechanism.description, gravity=GRAVITY)
    return mechanism.robot(), ChangingClosures(tree, mechanism.closures)


def of_tree(robot, tree, values):
    """Return values of all joints in the order of the tree."""
    found = dict(zip(robot.all_joint_names, values))
    return np.array([found[name] for name in tree.joint_names])


@pytest.mark.parametrize(
    'name', ['two arms with a tray', 'parallelogram in a tree', 'rod of constant length']
)
def test_accelerations_are_those_over_independent_coordinates(name):
    """With a weld, with redundant rows, and with a distance; the closures do no work."""
    robot, changing = both(name)
    tree, rng = changing.robot, np.random.default_rng(1)
    q = robot.model.closed_posture + rng.uniform(-0.1, 0.1, robot.nv)
    qd, tau = rng.uniform(-1.0, 1.0, (2, robot.nv))
    qdd = robot.forward_dynamics(q, qd, tau)
    theta, rates, expected = (of_tree(robot, tree, x) for x in robot.expand(q, qd, qdd))
    driven = np.zeros(tree.nv)
    driven[[tree.joint_names.index(joint) for joint in robot.joint_names]] = tau
    found = changing.forward_dynamics(theta, rates, driven)
    agree(found.qdd, expected, tolerance=1e-10)
    agree(found.torque @ rates, 0.0, np.abs(found.torque).max(), 1e-10)
    free = changing.forward_dynamics(theta, rates, driven, active=())
    np.testing.assert_array_equal(free.qdd, tree.forward_dynamics(theta, rates, driven))


def test_two_arms_grasp_a_tray_carry_it_and_release_it():
    """A grasp takes energy, and stops what is constrained; the gap of 200 steps stays closed."""
    robot, changing = both('two arms with a tray')
    tree, rng = changing.robot, np.random.default_rng(2)
    theta = changing.close(
        of_tree(robot, tree, robot.expand(robot.model.closed_posture)[0]) + 0.01
    )
    before = rng.uniform(-0.5, 0.5, tree.nv)
    after = changing.grasp(theta, before)
    J, gap = changing._rows(theta, None)
    assert np.abs(gap).max() < 1e-12 and np.abs(J @ before).max() > 0.1
    agree(J @ after, np.zeros(len(J)), 1.0, 1e-12)
    assert tree.energy(theta, after)[0] < tree.energy(theta, before)[0]
    agree(changing.grasp(theta, after), after)
    q, qd = theta, after
    for _ in range(200):
        q, qd = changing.step(q, qd, tree.gravity_torque(q), 1e-3)
    J, gap = changing._rows(q, None)
    assert np.abs(gap).max() < 1e-12 and np.abs(J @ qd).max() < 1e-12
    assert np.abs(q - theta).max() > 0.01
    for _ in range(50):
        q, qd = changing.step(q, qd, tree.gravity_torque(q), 1e-3, active=())
    assert np.abs(changing._rows(q, None)[1]).max() > 1e-6  # the arms go apart


def test_an_unknown_closure_is_refused():
    """A closure that does not exist."""
    _, changing = both('rod of constant length')
    q = np.zeros(changing.robot.nv)
    with pytest.raises(UnknownNameError, match="no closure 'bar'; valid: rod"):
        changing.close(q, ['bar'])
