# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 3 of Jain: hinges, poses, velocities, Jacobians."""

import numpy as np
import pytest

from robodyn_ros.errors import UnknownNameError
from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain import tree_kinematics
from robodyn_ros.formulations.jain.body_tree import coordinate_rates, tree_of
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.spatial_algebra import inverse_transform, phi, transform
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.families import rotation
from support.robots.jain_trees import (
    BODIES,
    ROBOTS,
    TREES,
    any_tree,
    configuration,
    moved,
    robot_tree,
)

AXIS = np.array((2.0, -1.0, 2.0)) / 3.0


def chain_of_hinges():
    """A universal hinge, a screw and a ball, anywhere on one another."""
    rng = np.random.default_rng(9)
    return hinges.chained(
        [
            (rotation(rng), rng.normal(size=3), part)
            for part in (hinges.universal(), hinges.helical(0.7, AXIS), hinges.spherical())
        ]
    )


HINGES = {
    each.name: each
    for each in (
        hinges.pin(AXIS),
        hinges.prismatic(AXIS),
        hinges.helical(0.13, AXIS),
        hinges.cylindrical(AXIS),
        hinges.universal(),
        hinges.planar(),
        hinges.spherical(),
        hinges.free(),
        hinges.rolling_ball(0.2),
        chain_of_hinges(),
    )
}
X, Y, Z = np.eye(3)
NIL = np.zeros(3)


@pytest.fixture(params=HINGES)
def state(request):
    """A hinge, coordinates that are nowhere zero, and velocities."""
    hinge = HINGES[request.param]
    rng = np.random.default_rng(hinge.nq)
    return hinge, rng.uniform(0.3, 1.1, hinge.nq), rng.uniform(0.3, 1.1, hinge.nv)


def test_trees_are_of_every_kind():
    """What all identities are held to: 3 to 20 bodies, chains, trees and forests, every hinge."""
    trees = [any_tree(name)[0] for name in TREES]
    assert {body.hinge.name for tree in trees for body in tree.bodies} >= set(HINGES) - {
        'universal + helical + spherical'
    }
    assert min(tree.n for tree in trees) == 3 and max(tree.n for tree in trees) == 20
    branched = {any(len(tree.children[k]) > 1 for k in range(tree.n)) for tree in trees}
    assert branched == {False, True} and max(len(tree.children[tree.n]) for tree in trees) > 1


def test_hinge_map_is_the_velocity_of_the_placement(state):
    """(3.7): Delta_V = H' beta is how the body moves on its parent, by differences."""
    hinge, theta, beta = state
    h = 1e-6
    step = h * hinge.rates(theta, beta)
    (R, l), (R1, l1), (R0, l0) = (  # noqa: E741
        hinge.placement(x) for x in (theta, theta + step, theta - step)
    )
    spin = R.T @ (R1 - R0) / (2 * h)
    velocity = np.array([spin[2, 1], spin[0, 2], spin[1, 0], *(R.T @ (l1 - l0) / (2 * h))])
    agree(hinge.map(theta) @ beta, velocity, 1.0, 1e-8)
    assert hinge.map(theta).shape == (6, hinge.nv)
    assert np.linalg.matrix_rank(hinge.map(theta)) == hinge.nv <= hinge.nq  # (3.6)


def test_hinge_by_what_it_forbids(state):
    """Section 3.1: A Delta_V = 0 and Delta_V = H' beta are one hinge; its forces do no work."""
    hinge, theta, beta = state
    H = hinge.map(theta).T
    A = hinges.constraint(H)
    assert A.shape == (6 - hinge.nv, 6)
    for nothing in (A @ (H.T @ beta), A @ A.T - np.eye(6 - hinge.nv)):
        assert np.linalg.norm(nothing) < 1e-12
    assert np.linalg.matrix_rank(np.vstack((H, A))) == 6


def test_rate_of_a_transform_has_its_rotation():
    """(3.2), (3.4): dT/dt = [[S(omega) R, v], [0, 0]]; printed without R."""
    hinge, theta, beta, h = hinges.free(), HINGES['free'].placement, np.ones(6) * 0.7, 1e-6
    q = np.array((0.3, -0.5, 0.4, 0.7, 0.2, 0.6, -0.1))
    step = h * hinge.rates(q, beta)
    R, _ = theta(q)
    rate = [transform(*theta(q + s)) for s in (step, -step)]
    rate = (rate[0] - rate[1]) / (2 * h)
    omega, v = R @ beta[:3], R @ beta[3:]
    printed = np.block([[skew(omega), v[:, None]], [np.zeros((1, 4))]])
    agree(
        printed @ np.block([[R, np.zeros((3, 1))], [np.zeros((1, 3)), np.ones((1, 1))]]),
        rate,
        tolerance=1e-8,
    )
    assert np.abs(printed - rate).max() > 0.1


def test_rate_of_the_hinge_map_is_its_difference(state):
    hinge, theta, beta = state
    h = 1e-6
    step = h * hinge.rates(theta, beta)
    rate = (hinge.map(theta + step) - hinge.map(theta - step)) / (2 * h)
    agree(hinge.map_rate(theta, beta), rate, 1.0, 1e-8)


def test_maps_of_figure_3_2():
    free = np.zeros(7)
    pairs = {
        hinges.pin(): [[*Z, *NIL]],
        hinges.prismatic(): [[*NIL, *Z]],
        hinges.helical(0.3): [[*Z, *(0.3 * Z)]],
        hinges.cylindrical(): [[*Z, *NIL], [*NIL, *Z]],
        hinges.spherical(): np.eye(6)[:3],
        hinges.free(): np.eye(6),
    }
    for hinge, H in pairs.items():
        np.testing.assert_array_equal(hinge.map(free).T, H)


def test_chains_that_have_a_name():
    """Slides, turns and balls in a row are the hinges of several freedoms they are called."""
    here = (np.eye(3), np.zeros(3))
    along = [hinges.prismatic(axis) for axis in (X, Y, Z)]
    theta, beta = np.array((0.4, -0.7, 0.9)), np.array((0.3, 0.8, -0.5))
    for parts, whole in (
        ((*along[:2], hinges.pin()), hinges.planar()),
        ((hinges.pin(X), hinges.pin(Y)), hinges.universal()),
    ):
        chain = hinges.chained([(*here, part) for part in parts])
        x, v = theta[: whole.nq], beta[: whole.nv]
        assert chain.name == whole.name and (chain.nq, chain.nv) == (whole.nq, whole.nv)
        for one, other in zip(chain.placement(x), whole.placement(x)):
            agree(one, other, 1.0)
        agree(chain.map(x), whole.map(x))
        agree(chain.map_rate(x, v), whole.map_rate(x, v))
    free = hinges.chained([(*here, part) for part in (*along, hinges.spherical())])
    assert (free.name, free.nq, free.nv) == ('free', 7, 6)


def test_universal_hinge_seen_from_its_parent():
    """[Sol 3.1]: columns x and (0, cos theta_1, sin theta_1) on the inboard side."""
    hinge, theta = hinges.universal(), np.array([0.7, -0.4])
    R, _ = hinge.placement(theta)
    seen = R @ hinge.map(theta)[:3]
    agree(seen, np.column_stack((X, (0, np.cos(0.7), np.sin(0.7)))))
    assert not hinge.map(theta)[3:].any()


def test_ball_rolls_without_slip():
    """[Sol 3.2]: the material point in contact is at rest, and does not spin up by itself."""
    hinge, beta = HINGES['rolling ball'], np.array([0.6, -0.9, 1.4])
    theta = np.random.default_rng(1).uniform(0.3, 1.1, 6)
    R, _ = hinge.placement(theta)
    V = np.kron(np.eye(2), R) @ hinge.map(theta) @ beta
    agree(V[3:] + np.cross(V[:3], -0.2 * Z), np.zeros(3), 1.0)
    agree(V[:3], beta)
    assert (hinge.nq, hinge.nv) == (6, 3)  # five freedoms of place, one number more for R


@pytest.fixture(params=ROBOTS)
def named(request):
    """A robot, its tree, and (q, qd, thd)."""
    robot = ROBOTS[request.param]
    tree, thd, *_ = robot_tree(request.param)
    return robot, tree, configuration(tree), tree.to_ours(thd), thd


def test_poses_velocities_and_jacobians_are_those_of_the_package(named):
    robot, tree, q, qd, thd = named
    poses = tree_kinematics.poses(tree)
    for name in tree.names:
        node = tree_kinematics.node(tree, robot, name)
        T = poses[node.body] @ np.block([[node.R, node.p[:, None]], [np.zeros(3), np.ones(1)]])
        agree(T, robot.pose(q, name))
        V = tree_kinematics.node_velocities(tree, thd, [node])[0]
        turn = np.kron(np.eye(2), T[:3, :3])
        agree((turn @ V)[[3, 4, 5, 0, 1, 2]], robot.velocity(q, qd, name))
        J = turn @ tree_kinematics.jacobian(tree, [node]) @ tree.permutation().T
        agree(J[[3, 4, 5, 0, 1, 2]], robot.jacobian(q, name))


def test_frames_that_are_no_node_are_refused():
    robot, (tree, *_) = ROBOTS['sliding_tree'], robot_tree('sliding_tree')
    with pytest.raises(UnknownNameError, match='is fixed to the base; expected one on a body'):
        tree_kinematics.node(tree, robot, robot.model.body_names[0])
    with pytest.raises(UnknownNameError, match="has no frame 'hand'"):
        tree_kinematics.node(tree, robot, 'hand')


@pytest.mark.parametrize('name', TREES)
def test_relative_poses_are_products_along_the_path(name):
    """(3.10), against the poses in the inertial frame."""
    tree, *_ = any_tree(name)
    T = tree_kinematics.poses(tree)
    for k in range(tree.n):
        for j in tree.path(k):
            agree(tree_kinematics.relative_pose(tree, j, k), inverse_transform(T[j]) @ T[k], 1.0)
    with pytest.raises(UnknownNameError, match='expected one on the path to its base'):
        tree_kinematics.relative_pose(tree, 0, tree.n - 1)


@pytest.mark.parametrize('name', TREES)
def test_velocities_are_those_of_the_operators(name):
    tree, thd, *_ = any_tree(name)
    ops = SpatialOperators(tree)
    V = tree_kinematics.velocities(tree, thd)
    agree(V.ravel(), (ops.phi.T @ ops.H.T) @ thd)  # (3.39)
    before = np.array(
        [tree.phi[k].T @ V[up] if up < tree.n else np.zeros(6) for k, up in enumerate(tree.parent)]
    )
    agree(before.ravel(), (ops.phi_tilde.T @ ops.H.T) @ thd, np.abs(V).max())  # (3.42)


@pytest.mark.parametrize('name', TREES)
def test_velocities_are_rates_of_poses(name):
    tree, thd, *_ = any_tree(name)
    h = 1e-6
    there, back = (tree_kinematics.poses(moved(tree, thd, s)) for s in (h, -h))
    for k, V in enumerate(tree_kinematics.velocities(tree, thd)):
        T = tree_kinematics.poses(tree)[k]
        rate = np.linalg.solve(T, (there[k] - back[k]) / (2 * h))
        agree(
            [rate[2, 1], rate[0, 2], rate[1, 0], *rate[:3, 3]], V, max(1.0, np.abs(V).max()), 1e-7
        )


@pytest.mark.parametrize('name', TREES)
def test_velocities_transform_to_other_frames(name):
    """(3.21) to (3.26): of frames away from the hinges, and at the inertial origin."""
    tree, thd, *_ = any_tree(name)
    rng = np.random.default_rng(2)
    V = tree_kinematics.velocities(tree, thd)
    offsets = np.array([phi(rng.normal(size=3)) for _ in range(tree.n)])
    agree(
        tree_kinematics.offset_velocities(tree, thd, offsets),
        np.array([off.T @ v for off, v in zip(offsets, V)]),
    )
    agree(
        tree_kinematics.inertial_velocities(tree, thd),
        np.array([np.linalg.solve(x.T, v) for x, v in zip(tree_kinematics.to_inertial(tree), V)]),
    )


def test_moving_base_adds_its_velocity_to_all():
    tree, thd, *_ = any_tree('mixed forest')
    base = np.array((0.3, -0.2, 0.5, 1.0, 2.0, -1.0))
    extra = tree_kinematics.velocities(tree, thd, base) - tree_kinematics.velocities(tree, thd)
    agree(extra, np.array([x.T @ base for x in tree_kinematics.to_inertial(tree)]))


def test_coordinates_are_more_than_velocities():
    tree, thd, *_ = any_tree('mixed tree')
    rates = coordinate_rates(tree, thd)
    assert len(rates) > tree.N == len(thd)
    bodies = BODIES['mixed tree']
    quaternions = [
        body.coordinates[:4] for body in bodies if body.hinge.name in ('spherical', 'free')
    ]
    q = configuration(tree)
    for rows in quaternions:
        agree(q[list(rows)] @ rates[list(rows)], 0.0, 1.0)  # a quaternion keeps its length
    scaled = q.copy()
    scaled[list(quaternions[0])] *= 3.0
    agree(tree_of(bodies, scaled).R, tree_of(bodies, q).R)
