# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Series-elastic joints, Jain's section 12.1 with springs: dense, Spong's, and the rigid gear."""

import numpy as np
import pytest

from robodyn_ros.errors import ParameterError
from robodyn_ros.formulations.jain import composite_bodies, hinges, inverse_dynamics
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.gears import geared_forward_dynamics, series_elastic_joints
from robodyn_ros.formulations.jain.gears.geared_chain import chain_of
from robodyn_ros.formulations.jain.gears.series_elastic_joints import Pair
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.spong import spong_arms
from support.compare import agree, solve_tolerance
from support.robots.jain_loops import TURN, grown
from support.robots.jain_trees import GRAVITY, coordinates


@pytest.fixture(params=[(True, True, True), (True, False, True, True)], ids=str)
def joints(request):
    """(tree, chain, pairs, rows of motors and links, k, d, theta, thd, tau, thd of the tree)."""
    motors, rng = request.param, np.random.default_rng(8)
    plan, n = [], len(motors)
    for i in range(n):
        inboard = f'link{i - 1}' if i else None
        plan += [(f'motor{i}', inboard, TURN)] if motors[i] else []
        plan.append((f'link{i}', inboard, TURN))
    bodies = grown(rng, plan)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    mu = rng.uniform(5.0, 60.0, n) * rng.choice((-1.0, 1.0), n)
    order = list(reversed(range(n)))
    pairs = [
        (tree.names.index(f'motor{i}') if motors[i] else None, tree.names.index(f'link{i}'))
        for i in order
    ]
    thd_all = rng.normal(size=tree.N)
    chain = chain_of(tree, thd_all, pairs, mu)
    k, d = rng.uniform(50.0, 400.0, n), rng.uniform(0.1, 2.0, n)
    theta = Pair(chain.mu * rng.normal(size=n), rng.normal(size=n))
    rows = [[-1 if m is None else tree.slices[m].start for m, _ in pairs]]
    rows.append([tree.slices[link].start for _, link in pairs])
    thd = Pair(np.where(chain.motor, thd_all[rows[0]], 0.0), thd_all[rows[1]])
    return tree, chain, pairs, rows, k, d, theta, thd, rng.normal(size=n), thd_all


def torques(tree, chain, rows, s, tau):
    """T (N,) of the tree: the spring by its principle, written once more."""
    T = np.zeros(tree.N)
    for k in range(chain.n):
        if chain.motor[k]:
            T[rows[0][k]] = tau[k] - s[k] / chain.mu[k]
            T[rows[1][k]] = s[k]
        else:
            T[rows[1][k]] = tau[k]
    return T


def test_elastic_joints_solve_the_equations_of_the_tree(joints):
    tree, chain, _, rows, k, d, theta, thd, tau, thd_all = joints
    s = np.where(
        chain.motor,
        k * (theta.motor / np.where(chain.motor, chain.mu, 1.0) - theta.link)
        + d * (thd.motor / np.where(chain.motor, chain.mu, 1.0) - thd.link),
        0.0,
    )
    M, C = composite_bodies.mass_matrix(tree), inverse_dynamics.bias(tree, thd_all)
    expected = np.linalg.solve(M, torques(tree, chain, rows, s, tau) - C)
    found = series_elastic_joints.forward_dynamics(chain, k, d, theta, thd, tau)
    tolerance = solve_tolerance(M)
    agree(found.link, expected[rows[1]], np.abs(expected).max(), tolerance)
    agree(
        found.motor[chain.motor], expected[rows[0]][chain.motor], np.abs(expected).max(), tolerance
    )


def test_springs_give_back_what_they_take(joints):
    """Their power is that of T' thd, less what motors put in and dampers take out."""
    tree, chain, _, rows, k, d, theta, thd, tau, thd_all = joints
    s = series_elastic_joints.spring_torques(chain, k, d, theta, thd)
    h = 1e-6

    def stored(t):
        moved = Pair(theta.motor + t * thd.motor, theta.link + t * thd.link)
        return series_elastic_joints.strain_energy(chain, k, moved)

    rate = (stored(h) - stored(-h)) / (2 * h)  # exact but for rounding: the energy is a square
    mu = np.where(chain.motor, chain.mu, 1.0)
    stretch = np.where(chain.motor, thd.motor / mu - thd.link, 0.0)
    put_in = tau @ np.where(chain.motor, thd.motor, thd.link)
    power = torques(tree, chain, rows, s, tau) @ thd_all
    agree(power, put_in - rate - d @ stretch**2, abs(put_in) + abs(rate), 1e-8)
    assert d @ stretch**2 > 0.0


def test_spring_that_holds_the_gear_gives_the_geared_motion(joints):
    """Deflections for which thdd_m = mu thdd_l: the links then move as in chapter 12."""
    tree, chain, pairs, rows, k, _, theta, thd, tau, thd_all = joints
    geared = thd_all.copy()
    for one, motor, link in zip(range(chain.n), *rows):
        if chain.motor[one]:
            geared[motor] = chain.mu[one] * geared[link]
    chain = chain_of(tree, geared, pairs, chain.mu)
    at = Pair(np.where(chain.motor, chain.mu * thd.link, 0.0), thd.link)
    driven = np.flatnonzero(chain.motor)

    def slip(stretch):
        angles = Pair(chain.mu * (theta.link + stretch), theta.link)
        found = series_elastic_joints.forward_dynamics(chain, k, 0.0, angles, at, tau)
        return found, (found.motor / np.where(chain.motor, chain.mu, 1.0) - found.link)[driven]

    zero = slip(np.zeros(chain.n))[1]
    slope = np.stack([slip(unit)[1] - zero for unit in np.eye(chain.n)[driven]], axis=1)
    stretch = np.zeros(chain.n)
    stretch[driven] = np.linalg.solve(slope, -zero)
    found, left = slip(stretch)
    T = np.where(chain.motor, chain.mu, 1.0) * tau
    expected = geared_forward_dynamics.forward_dynamics(chain, T)
    agree(left, 0.0 * left, np.abs(zero).max(), 1e-10)
    agree(found.link, expected, None, 1e-8)  # a solve on a solve, of condition 1e3 each
    assert np.abs(slip(np.zeros(chain.n))[0].link - expected).max() > 1e-3 * np.abs(expected).max()


def test_one_elastic_joint_is_the_link_of_spong():
    """Spong, Example 6.2: J_l about the axis, the motor's J_m, mu = 1, gravity along x."""
    J_m, J_l, m, r, k = 0.1, 0.4, 2.0, 0.3, 80.0
    theta, thd, u = Pair(np.array([0.45]), np.array([0.5])), Pair(*np.array([[-0.2], [0.3]])), 3.0
    M_l = spatial_inertia(m, np.array([r, 0.0, 0.0]), J_l * np.eye(3))
    M_m = spatial_inertia(0.0, np.zeros(3), J_m * np.eye(3))
    bodies = [
        Body(name, None, np.eye(3), np.zeros(3), hinges.pin(), M, (row,), (row,), np.zeros(1))
        for row, (name, M) in enumerate((('motor', M_m), ('link', M_l)))
    ]
    tree = tree_of(bodies, np.array([*theta.motor, *theta.link]), (9.81, 0.0, 0.0))
    motor, link = tree.names.index('motor'), tree.names.index('link')
    rates = np.zeros(2)
    rates[motor], rates[link] = thd.motor[0], thd.link[0]
    chain = chain_of(tree, rates, [(motor, link)], np.ones(1))
    found = series_elastic_joints.forward_dynamics(chain, k, 0.0, theta, thd, np.array([u]))
    arm = spong_arms.elastic_link(J_m, J_l, m, r, k, np.array([theta.link[0], theta.motor[0]]))
    agree([*found.link, *found.motor], np.linalg.solve(arm.D, np.array([0.0, u]) - arm.g))


def test_springs_without_stiffness_are_refused(joints):
    _, chain, _, _, k, d, theta, thd, *_ = joints
    with pytest.raises(ParameterError, match='hinge 1: got stiffness 0.0'):
        series_elastic_joints.spring_torques(chain, 0.0, d, theta, thd)
    with pytest.raises(ParameterError, match='the second not below'):
        series_elastic_joints.spring_torques(chain, k, -1.0, theta, thd)
