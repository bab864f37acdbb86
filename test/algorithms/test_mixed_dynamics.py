# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Hybrid dynamics term by term, against partitions of dense matrices (Jain, eq. 16.4)."""

import numpy as np
import pytest

from robodyn_ros.compile import generic
from robodyn_ros.formulations.jain.body_tree import tree_at
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics
from support.compare import agree, solve_tolerance
from support.robots.closed_loops import four_bar
from support.robots.families import states
from support.robots.jain_trees import ROBOTS
from test.algorithms.constraints.test_mimic_joints import ROBOTS as MIMIC
from test.algorithms.constraints.test_mimic_joints import Tree


@pytest.fixture(scope='session')
def every_case(every_joint_type):
    """Return robots with joints of any number of freedoms."""
    return every_joint_type


def some(n):
    """Return which of n joints are free: some of them, unless there is but one."""
    return np.arange(n) % 3 != 1


def mixed(robot, q, qd, free, known):
    """Return (tau, qdd), both of the shape of known, and the status."""
    tau, qdd = np.full((2, *known.shape), np.nan)
    call = robot._kernel(generic.mixed_dynamics)
    arguments = (*robot._weighted, q, qd, free.astype(float), known, robot._no_wrench)
    return tau, qdd, call(*arguments, tau, qdd)


def rows_of(robot, seed=1):
    """Return three rows of what is known, none of it zero."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.2, 1.4, (3, robot.nv)) * rng.choice((-1.0, 1.0), (3, robot.nv))


def partition(M, bias, free, known):
    """Solve (16.4) by dense blocks: (tau, qdd) of one row."""
    qdd, p, a = np.where(free, 0.0, known), free, ~free
    rest = known[p] - bias[p] - M[np.ix_(p, a)] @ known[a]
    qdd[p] = np.linalg.solve(M[np.ix_(p, p)], rest)
    return np.where(free, known, M @ qdd + bias), qdd


def judge(robot, M, bias, q, qd):
    """Compare every row with the partition; the first has the bias."""
    free, known, slack = some(robot.nv), rows_of(robot), solve_tolerance(M)
    tau, qdd, status = mixed(robot, q, qd, free, known)
    assert status == 0
    for row, drift in enumerate((bias, 0.0 * bias, 0.0 * bias)):
        torque, motion = partition(M, drift, free, known[row])
        scale = np.abs(M).max() * np.abs(motion).sum() + np.abs(drift).max()
        agree(tau[row], torque, scale, slack)
        agree(qdd[row], motion, tolerance=slack)
        assert np.array_equal(tau[row, free], known[row, free])
        assert np.array_equal(qdd[row, ~free], known[row, ~free])


def test_every_row_solves_the_partitioned_equations_of_motion(every_case):
    """M_aa, M_ap and M_pp of the dense referee, over all robots there are."""
    robot, dense = every_case.robot, every_case.dense
    for q, qd, _ in states(robot):
        judge(robot, dense.mass_matrix(q), dense.bias_torque(q, qd), q, qd)


@pytest.mark.parametrize('name', MIMIC)
def test_joints_that_follow_others_are_embedded(name):
    """E^T M E of the tree in which nothing follows."""
    tree = Tree(*MIMIC[name])
    for (q, qd, _), (free_q, free_qd, _) in tree.states():
        M = tree.E.T @ tree.free.mass_matrix(free_q) @ tree.E
        judge(tree.robot, M, tree.E.T @ tree.free.bias_torque(free_q, free_qd), q, qd)


def test_joints_of_closed_loops_are_embedded():
    """The projected dynamics of a four-bar in an arm."""
    robot = four_bar().robot()
    q = robot.configuration.neutral() + 0.1
    qd = np.linspace(0.3, -0.8, robot.nv)
    judge(robot, robot.mass_matrix(q), robot.bias_torque(q, qd), q, qd)


@pytest.mark.parametrize('name', ['skew_chain', 'sliding_tree', 'rotors', 'tree of 20'])
def test_the_book_gives_the_same(name):
    """Algorithm 16.2 by the operators of the book, at joints of one freedom."""
    robot = ROBOTS[name]
    q, qd, _ = states(robot, 1)[0]
    free, known = some(robot.nv), rows_of(robot)
    tree = tree_at(robot, q)
    active = np.array([not free[dofs[0]] for dofs in np.split(tree.dofs, tree.n)])
    given = tree.to_jain(known[0])
    book = hybrid_dynamics(tree, active, tree.to_jain(qd), given[active], given[~active])
    tau, qdd, _ = mixed(robot, q, qd, free, known)
    # the operators of the book solve with another arrangement of the same inertias
    slack = 10.0 * solve_tolerance(robot.mass_matrix(q))
    agree(tree.to_jain(qdd[0]), book.thdd, tolerance=slack)
    agree(tree.to_jain(tau[0]), book.T, tolerance=slack)


def test_mixed_dynamics_lies_between_inverse_and_forward_dynamics(every_case):
    """No joint free is inverse dynamics, every joint free is forward dynamics."""
    robot = every_case.robot
    q, qd, x = states(robot, 1)[0]
    slack = solve_tolerance(robot.mass_matrix(q))
    none, every, known = np.zeros(robot.nv), np.ones(robot.nv), np.array((x, x, qd))
    tau, _, _ = mixed(robot, q, qd, none, known)
    agree(tau[0], robot.inverse_dynamics(q, qd, x), tolerance=10.0 * slack)
    agree(tau[2], robot.mass_matrix(q) @ qd, tolerance=10.0 * slack)
    _, qdd, _ = mixed(robot, q, qd, every, known)
    agree(qdd[0], robot.forward_dynamics(q, qd, x), tolerance=slack)


def test_rows_share_nothing_but_the_inertias(every_case):
    """The rows after the first are linear: their order does not matter, to the bit."""
    robot = every_case.robot
    q, qd, _ = states(robot, 1)[0]
    free, known = some(robot.nv), rows_of(robot)
    one, other = mixed(robot, q, qd, free, known), mixed(robot, q, qd, free, known[[0, 2, 1]])
    assert np.array_equal(one[0][[0, 2, 1]], other[0])
    assert np.array_equal(one[1][[0, 2, 1]], other[1])


def test_a_joint_that_is_held_needs_no_inertia():
    """A pivot of zero is singular where its joint is free, and only there."""
    robot = ROBOTS['skew_chain']
    constants = robot.model.constants.copy()
    constants[-1, 12:23] = 0.0
    light = type(robot)(robot.model.with_constants(constants))
    q, qd, _ = states(light, 1)[0]
    free, known = np.zeros(light.nv, bool), rows_of(light)
    free[0] = True
    tau, qdd, status = mixed(light, q, qd, free, known)
    assert status == 0 and np.isfinite(tau).all() and np.isfinite(qdd).all()
    free[-1] = True
    assert mixed(light, q, qd, free, known)[2] == len(light.model.topology) - 1
