# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""The fast recursions against the forms of the book, on chains, trees and mixed hinges."""

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain import (
    articulated_bodies,
    composite_bodies,
    forward_dynamics,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.single_body import shifted
from robodyn_ros.formulations.jain.spatial_algebra import phi
from support.compare import agree, solve_tolerance
from support.robots.jain_trees import ROBOTS, SOLVED, configuration, moved, robot_tree

#: Angular first in the book, linear first at the face.
LINEAR_FIRST = [3, 4, 5, 0, 1, 2]


@pytest.fixture(params=ROBOTS)
def system(request):
    """A robot, its tree, q, and (thd, thdd, T) in the order of the tree."""
    tree, *rates = robot_tree(request.param)
    return ROBOTS[request.param], tree, configuration(tree), *rates


def in_base_axes(robot, tree, f):
    """Forces on bodies, at their origins in their axes, as wrenches on the links, by name."""
    poses = tree_kinematics.poses(tree)
    result = {}
    for k, name in enumerate(tree.names):
        node = tree_kinematics.node(tree, robot, name)
        at_link = np.linalg.solve(node.phi, f[k])
        R = poses[k, :3, :3] @ node.R
        result[name] = (np.kron(np.eye(2), R) @ at_link)[LINEAR_FIRST]
    return result


def link_rows(robot, tree):
    """Row of every body of the tree among the moving bodies of the model."""
    return [robot.model.body_names.index(name) - 1 for name in tree.names]


def test_joint_wrenches_are_the_forces_between_links(system):
    """(5.4), (5.43) and (7.40)."""
    robot, tree, q, thd, thdd, T = system
    qd, rows = tree.to_ours(thd), link_rows(robot, tree)
    _, f, _ = inverse_dynamics.newton_euler(tree, thd, thdd)
    expected = np.array(list(in_base_axes(robot, tree, f).values()))
    agree(robot.links.joint_wrenches(q, qd, tree.to_ours(thdd))[rows], expected)
    qdd, wrenches = robot.links.forward_dynamics_wrenches(q, qd, tree.to_ours(T))
    found, _, f = forward_dynamics.articulated_body(tree, thd, T)
    agree(qdd, tree.to_ours(found), tolerance=SOLVED)
    agree(wrenches[rows], np.array(list(in_base_axes(robot, tree, f).values())), tolerance=SOLVED)


def test_momentum_and_centre_of_mass(system):
    """(4.13) to (4.17)."""
    robot, tree, q, thd, *_ = system
    qd = tree.to_ours(thd)
    agree(robot.centroidal.centre_of_mass(q), composite_bodies.centre_of_mass(tree))
    agree(
        robot.centroidal.momentum_about_base(q, qd),
        composite_bodies.momentum(tree, thd)[LINEAR_FIRST],
    )
    about = composite_bodies.about_centre_of_mass(tree, thd)[LINEAR_FIRST]
    agree(robot.centroidal.momentum(q, qd), about)
    agree(robot.centroidal.momentum_matrix(q) @ qd, about)
    M_S, com = composite_bodies.system_inertia(tree), composite_bodies.centre_of_mass(tree)
    mass, centre, inertia = robot.centroidal.composite_inertia(q)
    at_centre = shifted(M_S, phi(-com))
    agree(mass, M_S[5, 5])
    agree(centre, com)
    agree(inertia, at_centre[:3, :3], np.abs(M_S).max())
    V_C = phi(com).T @ composite_bodies.centroidal_velocity(tree, thd)
    agree(robot.centroidal.velocity(q, qd), V_C[LINEAR_FIRST], tolerance=solve_tolerance(M_S))


def test_composite_and_articulated_inertias_agree_with_the_robot(system):
    """(4.8) and (6.30): R(k) and P(k) of every link, at its origin in base axes."""
    robot, tree, q, *_ = system
    composite, free = robot.links.inertias(q)
    rows, poses = link_rows(robot, tree), tree_kinematics.poses(tree)
    expected = composite_bodies.composite_inertias(tree), articulated_bodies.articulated(tree).P
    for k, name in enumerate(tree.names):
        node = tree_kinematics.node(tree, robot, name)
        turn = np.kron(np.eye(2), poses[k, :3, :3] @ node.R) @ np.linalg.inv(node.phi)
        for found, inertia in zip((composite, free), expected):
            at_link = (turn @ inertia[k] @ turn.T)[np.ix_(LINEAR_FIRST, LINEAR_FIRST)]
            agree(found[rows[k]], at_link, np.abs(turn @ expected[0][k] @ turn.T).max())
    batch = robot.links.inertias(np.array((q, q)))
    for found, one in zip(batch, (composite, free)):
        agree(found, np.array((one, one)), np.abs(one).max())
    with pytest.raises(ShapeError, match=f'robot {robot.name!r}'):
        robot.links.inertias(q[:-1])


def test_rates_of_articulated_inertias_are_those_of_a_complex_step(system):
    """(18.48), (18.49): P of the readable form at each link in base axes, as the tree moves on."""
    robot, tree, q, thd, *_ = system
    rows, ahead = link_rows(robot, tree), moved(tree, thd, 1j * STEP)
    poses, P = tree_kinematics.poses(ahead), articulated_bodies.articulated(ahead).P
    found = robot.links.articulated_inertia_rates(q, tree.to_ours(thd))
    for k, name in enumerate(tree.names):
        node = tree_kinematics.node(tree, robot, name)
        turn = np.kron(np.eye(2), poses[k, :3, :3] @ node.R) @ np.linalg.inv(node.phi)
        at_link = (turn @ P[k] @ turn.T)[np.ix_(LINEAR_FIRST, LINEAR_FIRST)]
        size = np.abs(at_link).max() * (1.0 + np.abs(thd).sum())
        agree(found[rows[k]], at_link.imag / STEP, size)
    qd = tree.to_ours(thd)
    batch = robot.links.articulated_inertia_rates(np.array((q, q)), np.array((qd, -qd)))
    agree(batch, np.array((found, -found)), np.abs(found).max())


def operators_at_links(robot, tree):
    """phi, psi, M of each body, H and G of each joint, at the links in base axes, by the book.

    A hinge of several freedoms is freed from its last one on: with D = L d L', its gains are G L.
    """
    poses, art = tree_kinematics.poses(tree), articulated_bodies.articulated(tree)
    to_link = [*np.empty((tree.n, 6, 6), poses.dtype), np.eye(6)[LINEAR_FIRST]]
    for k, name in enumerate(tree.names):
        node = tree_kinematics.node(tree, robot, name)
        turn = np.kron(np.eye(2), poses[k, :3, :3] @ node.R) @ np.linalg.inv(node.phi)
        to_link[k] = turn[LINEAR_FIRST]
    phi, psi, M, H, G = [], [], [], [], []
    for k, up in enumerate(tree.parent):
        back, D = np.linalg.inv(to_link[k]), art.D[k]
        phi.append(to_link[up] @ tree.phi[k] @ back)
        psi.append(to_link[up] @ art.psi[k] @ back)
        M.append(to_link[k] @ tree.M[k] @ to_link[k].T)
        H.append(tree.H[k] @ back)
        L = np.eye(len(D), dtype=D.dtype)
        for j in reversed(range(len(D))):
            L[:j, j] = D[:j, j] / D[j, j]
            D = D - np.outer(D[:, j], D[j]) / D[j, j]
        G.append((to_link[k] @ art.G[k] @ L).T)
    joints = tree.to_ours(np.arange(tree.N))
    return [*map(np.array, (phi, psi, M)), *(np.concatenate(rows)[joints] for rows in (H, G))]


def test_operators_of_links_and_their_rates_are_those_of_the_book(system):
    """(1.29), (6.13), (18.10), (18.43): the blocks as the tree moves on, by complex step."""
    robot, tree, q, thd, *_ = system
    qd, rows = tree.to_ours(thd), link_rows(robot, tree)
    ahead = operators_at_links(robot, moved(tree, thd, 1j * STEP))
    for found, part in (
        (robot.links.operators(q), np.real),
        (robot.links.operator_rates(q, qd), lambda x: np.imag(x) / STEP),
    ):
        for name, expected in zip(('phi', 'psi', 'M', 'H', 'G'), ahead):
            mine = getattr(found, name)
            mine = mine if name in 'HG' else mine[rows]
            size = np.abs(expected.real).max() * (1.0 + np.abs(thd).sum())
            agree(mine, part(expected), size)
    batch = robot.links.operator_rates(np.array((q, q)), np.array((qd, -qd)))
    for name, one in vars(found).items():
        agree(getattr(batch, name), np.array((one, -one)), np.abs(one).max())


def test_factors_trace_and_determinant_agree_with_the_robot(system):
    """(4.21), (7.14), (9.53): a hinge of several freedoms has one D by the book, as many here."""
    robot, tree, q, thd, *_ = system
    art = articulated_bodies.articulated(tree)
    log_det = sum(np.linalg.slogdet(D)[1] for D in art.D)
    agree(robot.mass_operator.log_det(q), log_det, max(abs(log_det), 1.0), 1e-11)
    agree(robot.mass_operator.trace(q), composite_bodies.trace(tree))
    M = composite_bodies.mass_matrix(tree)
    agree(robot.mass_operator.product(q, tree.to_ours(thd)), tree.to_ours(M @ thd))
    single = [k for k, H in enumerate(tree.H) if len(H) == 1]
    ours = tree.to_jain(robot.mass_operator.joint_inertias(q))
    agree([ours[tree.slices[k]][0] for k in single], [art.D[k][0, 0] for k in single])
    if len(single) == tree.n:
        innovations = forward_dynamics.innovations_factor(tree, art)
        expected = tree.to_ours(np.linalg.solve(innovations, thd))
        agree(
            robot.mass_operator.factor_product(q, tree.to_ours(thd), inverse=True),
            expected,
            tolerance=solve_tolerance(innovations),
        )


def test_other_routes_to_the_dynamics(system):
    """Algorithm 5.3 and section 7.2."""
    robot, tree, q, thd, thdd, T = system
    qd = tree.to_ours(thd)
    agree(
        robot.variants.inverse_dynamics_composite(q, qd, tree.to_ours(thdd)),
        tree.to_ours(inverse_dynamics.composite_body(tree, thd, thdd)[0]),
    )
    for fast, form in (
        (robot.variants.forward_dynamics_factored, forward_dynamics.triangular),
        (robot.variants.forward_dynamics_dense, forward_dynamics.dense),
    ):
        agree(fast(q, qd, tree.to_ours(T)), tree.to_ours(form(tree, thd, T)), tolerance=SOLVED)


def test_wrenches_on_frames_agree_with_the_robot(system):
    """Algorithms 5.1 and 7.3, of wrenches on the first and the last link."""
    robot, tree, q, *_ = system
    wrench = np.array((3.0, -1.0, 2.0, 0.3, -0.2, 0.5))
    frames = {tree.names[0], tree.names[-1]}
    nodes = [tree_kinematics.node(tree, robot, name) for name in frames]
    f = [
        np.kron(np.eye(2), robot.pose(q, name)[:3, :3].T) @ wrench[LINEAR_FIRST] for name in frames
    ]
    given = dict.fromkeys(frames, wrench)
    agree(
        robot.task_space.torque_of_wrench(q, given),
        tree.to_ours(tree_kinematics.node_torques(tree, f, nodes)),
    )
    agree(
        robot.task_space.acceleration_of_wrench(q, given),
        tree.to_ours(forward_dynamics.response(tree, tree_kinematics.pick_off(tree, f, nodes))),
        tolerance=SOLVED,
    )
