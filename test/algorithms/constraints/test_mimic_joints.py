# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Joints that follow others, against the tree in which nothing follows: M = E^T M_tree E.

The referee is a robot with all joints free, and E by hand. E has a row for each joint, with the
ratios at which it follows. Random trees, joints of every type between, chains of followers, any
order of q.
"""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest

from robodyn_ros.model import build, urdf
from robodyn_ros.model.layout import ROTOR
from robodyn_ros.robot.robot import Robot
from support.compare import agree, solve_tolerance
from support.robots import real_robots
from support.robots.families import GRAVITY, TYPES, describe, states

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]

#: {follower: (leader, multiplier, offset)}, and joints in the order of q, of each robot. Coupled
#: joints have ({leader: multiplier}, offset).
ROBOTS = {
    'fingers': (
        describe('fingers', 6, kinds=('revolute', 'prismatic', 'continuous'), branching=3),
        {'joint5': ('joint4', -1.0, 0.0), 'joint6': ('joint4', 0.5, 0.2)},
        None,
    ),
    'chain of followers': (
        describe('followers', 8, kinds=('revolute', 'prismatic'), rotors=True),
        {
            'joint2': ('joint7', -1.3, 0.4),
            'joint5': ('joint2', 0.7, -0.1),
            'joint4': ('joint3', 2.0, 0.0),
        },
        ('joint8', 'joint3', 'joint6', 'joint1', 'joint7'),
    ),
    'between joints of every type': (
        describe('mimic_types', 12, kinds=TYPES, branching=4, rotors=True),
        {'joint9': ('joint8', 1.5, 0.3), 'joint11': ('joint2', -0.4, 0.0)},
        tuple(f'joint{k}' for k in (1, 2, 3, 4, 5, 6, 7, 8, 10, 12)),
    ),
    'differential': (
        describe('differential', 6, kinds=('revolute', 'prismatic'), branching=3, rotors=True),
        {
            'joint2': ({'joint5': 1.4, 'joint6': -0.7}, 0.3),
            'joint4': ('joint2', -0.6, 0.2),
            'joint3': ({'joint6': 0.8, 'joint4': 1.2, 'joint1': 0.5}, 0.0),
        },
        ('joint6', 'joint1', 'joint5'),
    ),
}


class Tree:
    """A robot with followers, the same with all joints free, and E between them."""

    def __init__(self, description, ways, joints):
        followed = tuple(
            self.following(joint, *ways[joint.name]) if joint.name in ways else joint
            for joint in description.joints
        )
        robot = build.build(replace(description, joints=followed), joints=joints, gravity=GRAVITY)
        self.robot = Robot(robot)
        every = [joint.name for joint in description.joints if joint.type != 'fixed']
        self.free = Robot(build.build(description, joints=every, gravity=GRAVITY))
        n = self.free.nv
        self.E, self.P = np.zeros((n, self.robot.nv)), np.zeros((self.free.nq, self.robot.nq))
        self.shift = np.zeros(self.free.nq)
        for i, name in enumerate(self.free.joint_names):
            for leader, ratio in self.roots(ways, name)[0].items():
                self.E[i, self.robot.joint_names.index(leader)] = ratio
        for i, name in enumerate(self.free.position_names):
            ratios, self.shift[i] = self.roots(ways, name)
            for leader, ratio in ratios.items():
                self.P[i, self.robot.position_names.index(leader)] = ratio
        self.order = [self.robot.all_joint_names.index(name) for name in self.free.joint_names]

    @staticmethod
    def following(joint, leader, *numbers):
        """Return a joint that follows one leader, or a mapping of several."""
        if isinstance(leader, dict):
            return replace(joint, follows=leader, offset=numbers[0])
        return replace(joint, mimic=leader, multiplier=numbers[0], offset=numbers[1])

    @staticmethod
    def roots(ways, name):
        """Return {what a joint follows at last: its ratio}, and its shift."""
        if name not in ways:
            return {name: 1.0}, 0.0
        leaders, *numbers = ways[name]
        if not isinstance(leaders, dict):
            leaders, numbers = {leaders: numbers[0]}, numbers[1:]
        ratios, (shift,) = {}, numbers
        for leader, ratio in leaders.items():
            further, more = Tree.roots(ways, leader)
            shift += ratio * more
            for last, each in further.items():
                ratios[last] = ratios.get(last, 0.0) + ratio * each
        return ratios, shift

    def positions(self, q):
        """Return q of the free robot."""
        return self.P @ q + self.shift

    def states(self):
        """Return (q, qd, qdd) of both robots, at a few states."""
        return [
            ((q, qd, qdd), (self.positions(q), self.E @ qd, self.E @ qdd))
            for q, qd, qdd in states(self.robot)
        ]


@pytest.fixture(params=ROBOTS, scope='module')
def tree(request):
    """Return one robot with followers after the other."""
    return Tree(*ROBOTS[request.param])


def test_a_robot_has_the_coordinates_of_those_that_lead(tree):
    """Names, counts and where followers are."""
    robot = tree.robot
    assert robot.nv == tree.E.shape[1] < tree.free.nv
    assert set(robot.all_joint_names) == set(tree.free.joint_names)
    for (q, qd, qdd), free in tree.states():
        found = robot.expand(q, qd, qdd)
        places = [robot.all_position_names.index(name) for name in tree.free.position_names]
        agree(found[0][places], free[0])
        agree(found[1][tree.order], free[1])
        agree(found[2][tree.order], free[2])


def test_frames_are_where_those_of_all_joints_are(tree):
    """Pose, velocity, Jacobian, its derivative and its bias of every frame."""
    robot, E = tree.robot, tree.E
    for (q, qd, _), (fq, fqd, _) in tree.states():
        for frame in robot.frames[1::3]:
            agree(robot.pose(q, frame), tree.free.pose(fq, frame))
            agree(robot.velocity(q, qd, frame), tree.free.velocity(fq, fqd, frame), 1.0)
            agree(robot.jacobian(q, frame), tree.free.jacobian(fq, frame) @ E, 1.0)
            bias = tree.free.jacobian_bias(fq, fqd, frame)
            agree(robot.jacobian_bias(q, qd, frame), bias, max(1.0, np.abs(bias).max()))
            rate = tree.free.frames.jacobian_derivative(fq, fqd, frame) @ E
            agree(robot.frames.jacobian_derivative(q, qd, frame), rate, 1.0)


def test_inverse_dynamics_is_projected(tree):
    """tau = E^T tau_tree, with and without a wrench; every variant of it."""
    robot, free, E = tree.robot, tree.free, tree.E
    f_ext = {robot.frames[-1]: WRENCH, robot.frames[3]: -0.5 * WRENCH}
    for (q, qd, qdd), (fq, fqd, fqdd) in tree.states():
        expected = E.T @ free.inverse_dynamics(fq, fqd, fqdd)
        size = np.abs(expected).max()
        agree(robot.inverse_dynamics(q, qd, qdd), expected)
        agree(robot.variants.inverse_dynamics_composite(q, qd, qdd), expected)
        for place in ('body', 'offset', 'inertial', 'fixed'):
            agree(robot.variants.inverse_dynamics_in(place, q, qd, qdd), expected)
        agree(
            robot.inverse_dynamics(q, qd, qdd, f_ext),
            E.T @ free.inverse_dynamics(fq, fqd, fqdd, f_ext),
        )
        agree(robot.bias_torque(q, qd), E.T @ free.bias_torque(fq, fqd), size)
        agree(robot.gravity_torque(q), E.T @ free.gravity_torque(fq), size)
        agree(
            robot.task_space.torque_of_wrench(q, f_ext),
            E.T @ free.task_space.torque_of_wrench(fq, f_ext),
            size,
        )
        Y = robot.links.regressor(q, qd, qdd)
        without = expected - E.T @ (free.model.joint_values(ROTOR) * fqdd)
        agree(Y @ robot.links.inertial_parameters(), without, size)


def test_mass_matrix_and_its_factors(tree):
    """M = E^T M_tree E, its inverse, its factors and its products."""
    robot, E = tree.robot, tree.E
    for (q, qd, x), (fq, fqd, _) in tree.states():
        M = E.T @ tree.free.mass_matrix(fq) @ E
        slack = solve_tolerance(M)
        agree(robot.mass_matrix(q), M)
        assert (robot.mass_matrix(q) == robot.mass_matrix(q).T).all()
        agree(robot.mass_operator.diagonal(q), np.diag(M))
        agree(robot.mass_operator.product(q, x), M @ x, np.abs(M).max())
        agree(robot.mass_matrix_inverse(q), np.linalg.inv(M), tolerance=slack)
        agree(robot.mass_operator.solve(q, x), np.linalg.solve(M, x), tolerance=slack)
        factors = robot.mass_operator.factors(q)
        agree(factors.L @ np.diag(factors.D) @ factors.L.T, M)
        triangle = factors.L[np.ix_(factors.order, factors.order)]
        assert (np.tril(triangle, -1) == 0.0).all() and (np.diag(triangle) == 1.0).all()
        agree(robot.mass_operator.joint_inertias(q), factors.D)
        for transposed in (False, True):
            L = factors.L.T if transposed else factors.L
            agree(robot.mass_operator.factor_product(q, x, transposed), L @ x, tolerance=slack)
            agree(
                robot.mass_operator.factor_product(q, x, transposed, True),
                np.linalg.solve(L, x),
                tolerance=slack,
            )
        C = E.T @ tree.free.coriolis_matrix(fq, fqd) @ E
        agree(robot.coriolis_matrix(q, qd), C, np.abs(M).max() * np.abs(qd).sum())
        energies = np.array(tree.free.energy(fq, fqd))
        agree(np.array(robot.energy(q, qd)), energies)


def test_forward_dynamics_inverts_inverse_dynamics(tree):
    """M qdd = tau - h + J^T f by every route, also with some motions given."""
    robot, E, rng = tree.robot, tree.E, np.random.default_rng(3)
    f_ext = {robot.frames[-1]: WRENCH}
    for (q, qd, tau), (fq, fqd, _) in tree.states():
        M = E.T @ tree.free.mass_matrix(fq) @ E
        h = E.T @ tree.free.inverse_dynamics(fq, fqd, 0.0 * fqd, f_ext)
        expected, slack = np.linalg.solve(M, tau - h), solve_tolerance(M)
        agree(robot.forward_dynamics(q, qd, tau, f_ext), expected, tolerance=slack)
        agree(
            robot.variants.forward_dynamics_factored(q, qd, tau, f_ext), expected, tolerance=slack
        )
        agree(robot.variants.forward_dynamics_dense(q, qd, tau, f_ext), expected, tolerance=slack)
        agree(
            robot.task_space.acceleration_of_wrench(q, f_ext),
            np.linalg.solve(M, E.T @ tree.free.task_space.torque_of_wrench(fq, f_ext)),
            tolerance=slack,
        )
        qdd, wrenches = robot.links.forward_dynamics_wrenches(q, qd, tau, f_ext)
        agree(qdd, expected, tolerance=slack)
        assert wrenches.shape == (len(robot.model.body_names) - 1, 6)
        given = rng.uniform(size=robot.nv) < 0.5
        torque, motion = robot.variants.hybrid_dynamics(q, qd, tau, expected, given, f_ext)
        scale = np.abs(expected).max() * np.abs(M).max()
        agree(motion, expected, tolerance=10.0 * slack)
        agree(torque, tau, scale, tolerance=10.0 * slack)


def test_hamilton_rates_are_those_of_lagrange(tree):
    """qd = M^-1 p, and pdot = tau - g + C^T qd is d(M qd)/dt."""
    robot = tree.robot
    for (q, qd, tau), _ in tree.states():
        if robot.nq != robot.nv:
            continue
        M = robot.mass_matrix(q)
        rates = robot.variants.hamilton_rates(q, M @ qd, tau)
        agree(rates[0], qd, tolerance=solve_tolerance(M))
        qdd = robot.forward_dynamics(q, qd, tau)
        C = robot.coriolis_matrix(q, qd)
        slack = 10.0 * solve_tolerance(M)
        agree(rates[1], M @ qdd + (C + C.T) @ qd, np.abs(tau).max() * 10.0, tolerance=slack)


def test_operational_space_inertia_of_frames(tree):
    """Lambda^-1 = J M^-1 J^T, of one frame and of two."""
    robot = tree.robot
    one, two = robot.frames[-1], robot.frames[len(robot.frames) // 2]
    for (q, qd, _), _ in tree.states():
        M, J = robot.mass_matrix(q), robot.jacobian(q, one)
        slack, inverse = solve_tolerance(M), np.linalg.inv(M)
        agree(robot.task_space.compliance(q, one)[1], J @ inverse @ J.T, tolerance=slack)
        both = np.vstack((J, robot.jacobian(q, two)))
        agree(
            robot.task_space.compliance(q, (one, two))[1], both @ inverse @ both.T, tolerance=slack
        )
        found = robot.operational_space_inertia(q, one, damping=0.1)
        agree(found.jacobian, J, 1.0)
        bias = robot.task_space.bias(q, qd, one, damping=0.1)
        assert np.isfinite(bias.total).all()


def test_momentum_and_derivatives_are_those_of_the_free_tree(tree):
    """Centroidal quantities, and derivatives along unit velocities."""
    robot, free, E = tree.robot, tree.free, tree.E
    for (q, qd, qdd), (fq, fqd, fqdd) in tree.states()[:2]:
        agree(robot.centroidal.centre_of_mass(q), free.centroidal.centre_of_mass(fq), 1.0)
        agree(robot.centroidal.momentum(q, qd), free.centroidal.momentum(fq, fqd))
        agree(robot.centroidal.momentum_matrix(q), free.centroidal.momentum_matrix(fq) @ E)
        agree(robot.centroidal.momentum_bias(q, qd), free.centroidal.momentum_bias(fq, fqd))
        agree(robot.centroidal.composite_inertia(q)[2], free.centroidal.composite_inertia(fq)[2])
        for found, expected in zip(
            robot.derivatives.inverse_dynamics(q, qd, qdd),
            free.derivatives.inverse_dynamics(fq, fqd, fqdd),
        ):
            agree(found, E.T @ expected @ E)
        by_q = np.einsum('ia,ijk,jb,kc->abc', E, free.derivatives.mass_matrix(fq), E, E)
        agree(robot.derivatives.mass_matrix(q), by_q)
        traces = np.einsum('ij,ijk->k', np.linalg.inv(robot.mass_matrix(q)), by_q)
        slack = solve_tolerance(robot.mass_matrix(q))
        agree(robot.mass_operator.log_det_gradient(q), traces, 1.0 + np.abs(traces).max(), slack)
        factors, rates = robot.mass_operator.factors(q), robot.mass_operator.factor_rates(q, qd)
        half = rates.L @ np.diag(factors.D) @ factors.L.T
        M_rate = half + half.T + factors.L @ np.diag(rates.D) @ factors.L.T
        agree(M_rate, by_q @ qd, np.abs(by_q @ qd).max() + np.abs(half).max(), slack)
        tau = robot.inverse_dynamics(q, qd, qdd)
        M, slack = robot.mass_matrix(q), 100.0 * solve_tolerance(robot.mass_matrix(q))
        found = robot.derivatives.forward_dynamics(q, qd, tau)
        by = robot.derivatives.inverse_dynamics(q, qd, qdd)
        agree(found[0], -np.linalg.solve(M, by[0]), tolerance=slack)
        agree(found[1], -np.linalg.solve(M, by[1]), tolerance=slack)


def test_moving_along_a_velocity_and_back(tree):
    """integrate and difference, and a batch of states gives the rows of single ones."""
    robot = tree.robot
    (q, qd, qdd), _ = tree.states()[0]
    moved = robot.configuration.integrate(q, qd, 0.3)
    agree(robot.configuration.difference(q, moved), 0.3 * qd)
    rows = [np.stack(each) for each in zip(*(mine for mine, _ in tree.states()))]
    batch = robot.forward_dynamics(*rows, f_ext={robot.frames[-1]: WRENCH})
    for k, state in enumerate(zip(*rows)):
        one = robot.forward_dynamics(*state, f_ext={robot.frames[-1]: WRENCH})
        agree(batch[k], one)
    agree(robot.mass_matrix(rows[0])[1], robot.mass_matrix(rows[0][1]))


#: Robots of their makers whose grippers have joints that follow, none of them locked.
GRIPPERS = (
    'panda_description/panda.urdf',
    'baxter_description/baxter.urdf',
    'pr2_description/pr2.urdf',
    'tiago_pro_description/tiago_pro.urdf',
)


@pytest.mark.parametrize('name', GRIPPERS)
def test_grippers_of_their_makers_against_pinocchio(name):
    """Inverse dynamics and mass matrix with Pinocchio's mimic joints, read by its own parser."""
    path = real_robots.files().get(name)
    if path is None:
        pytest.skip(f'{real_robots.PACKAGE} is not installed, or has no {name} any more')
    floating = [j.name for j in urdf.parse(path).joints if j.type in ('floating', 'planar')]
    robot = Robot.from_urdf(path, locked=dict.fromkeys(floating, 0.0))
    model = pin.buildModelFromUrdf(str(path), mimic=True)
    assert len(robot.all_joint_names) > robot.nv == model.nv
    data, joints = model.createData(), [model.getJointId(each) for each in robot.joint_names]
    order = [model.joints[joint].idx_v for joint in joints]
    for q, qd, qdd in states(robot, 2):
        at = pin.neutral(model)
        for joint, x in zip(joints, q):
            place, size = model.joints[joint].idx_q, model.joints[joint].nq
            at[place : place + size] = x if size == 1 else (np.cos(x), np.sin(x))
        rates = np.zeros((2, model.nv))
        rates[:, order] = qd, qdd
        tau = pin.rnea(model, data, at, *rates)[order]
        M = pin.crba(model, data, at)
        M = (np.triu(M) + np.triu(M, 1).T)[np.ix_(order, order)]
        agree(robot.inverse_dynamics(q, qd, qdd), tau)
        agree(robot.mass_matrix(q), M)
        h = robot.bias_torque(q, qd)
        agree(
            robot.forward_dynamics(q, qd, tau),
            np.linalg.solve(M, tau - h),
            scale=np.abs(qdd).max(),
            tolerance=solve_tolerance(M),
        )


@pytest.mark.parametrize('name', ['fingers', 'chain of followers', 'differential'])
def test_second_derivatives_are_projected(name):
    """Every axis of tensors and Hessians, alone and in a batch; those of accelerations follow."""
    tree = Tree(*ROBOTS[name])
    robot, free, E = tree.robot.derivatives, tree.free.derivatives, tree.E
    f_ext = {tree.robot.frames[-1]: WRENCH}
    weights = np.linspace(-1.0, 2.0, tree.robot.nv)
    own, of_free = ([np.array(each) for each in zip(*rows)] for rows in zip(*tree.states()))
    tensors = robot.inverse_dynamics_second(*own, f_ext)
    hessians = robot.inverse_dynamics_hessian(*own, np.tile(weights, (len(own[0]), 1)), f_ext)
    for row, (state, other) in enumerate(zip(zip(*own), zip(*of_free))):
        expected = free.inverse_dynamics_second(*other, f_ext)
        for found, given in zip(tensors, expected):
            projected = np.einsum('ABC,Aj,Bk,Cl->jkl', given, E, E, E)
            agree(found[row], projected, max(np.abs(given).max(), 1.0))
        for found, given in zip(hessians, tensors):
            size = max(np.abs(given).max(), 1.0) * np.abs(weights).sum()
            index = 'jlk' if found is hessians[3] else 'jkl'
            agree(found[row], np.einsum(f'j,{index}->kl', weights, given[row]), size)
        for found, given in zip(robot.inverse_dynamics_second(*state, f_ext), tensors):
            np.testing.assert_array_equal(found, given[row])
    q, qd, tau = (each[0] for each in own)
    of_sum = robot.forward_dynamics_hessian(q, qd, tau, weights, f_ext)
    for found, given in zip(of_sum, robot.forward_dynamics_second(q, qd, tau, f_ext)):
        tolerance = 4.0 * solve_tolerance(tree.robot.mass_matrix(q))
        agree(found, np.einsum('j,jkl->kl', weights, given), np.abs(given).max(), tolerance)
