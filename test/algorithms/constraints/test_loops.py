# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Closed loops over independent coordinates against the dense system of the tree with multipliers.

Agreement is to 1e-11 of the largest entry. The multipliers' matrix of the referee has condition
numbers up to 1e4, by which both sides multiply rounding. The mechanisms are those of
support.robots.closed_loops and support.robots.mechanisms.
"""

import numpy as np
import pytest

from robodyn_ros.model.layout import ROTOR
from support.compare import agree
from support.robots.closed_loops import MECHANISMS, Referee
from support.robots.mechanisms import STANDARD

ALL = MECHANISMS | STANDARD
NEAR = 1e-11
WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture(scope='module', params=ALL)
def case(request):
    """A mechanism as a robot, its referee, and states of it."""
    mechanism = ALL[request.param]
    robot, referee = mechanism.robot(), Referee(mechanism)
    rng = np.random.default_rng(5)
    near = robot.model.closed_posture
    states = [
        (near + rng.uniform(-0.15, 0.15, robot.nv), *rng.uniform(-1.5, 1.5, (3, robot.nv)))
        for _ in range(3)
    ]
    return mechanism, robot, referee, states


def of_tree(robot, referee, values):
    """Return values of all joints in the order of the referee's tree."""
    by_name = dict(zip(robot.all_joint_names, values))
    return np.array([by_name[name] for name in referee.tree.joint_names])


def test_loops_close_and_leave_as_many_joints_as_they_should(case):
    """phi = 0, rates along J = 0, and accelerations J qdd + Jdot qd = 0."""
    mechanism, robot, referee, states = case
    assert robot.nv == mechanism.freedoms
    for q, qd, qdd, _ in states:
        theta, rates, accelerations = (
            of_tree(robot, referee, each) for each in robot.expand(q, qd, qdd)
        )
        phi, J, bias = referee.rows(theta, rates)
        assert np.abs(phi).max() < 1e-13
        agree(J @ rates, np.zeros(len(J)), np.abs(J).max() * np.abs(rates).max(), 1e-13)
        agree(J @ accelerations, -bias, np.abs(J).max() * np.abs(accelerations).max(), 1e-12)
        lead = [referee.tree.joint_names.index(name) for name in robot.joint_names]
        np.testing.assert_array_equal(theta[lead], q)


def test_dynamics_are_those_of_the_tree_with_multipliers(case):
    """Forward dynamics, the mass matrix E^T M E, and inverse dynamics there and back."""
    _, robot, referee, states = case
    for q, qd, _, tau in states:
        theta, rates, _ = (of_tree(robot, referee, each) for each in robot.expand(q, qd))
        E = referee.expansion(theta, robot.joint_names)
        M_tree = referee.tree.mass_matrix(theta)
        agree(robot.mass_matrix(q), E.T @ M_tree @ E, tolerance=NEAR)
        lead = [referee.tree.joint_names.index(name) for name in robot.joint_names]
        driven = np.zeros(len(theta))
        driven[lead] = tau
        expected, _ = referee.solve(theta, rates, driven)
        qdd = robot.forward_dynamics(q, qd, tau)
        agree(qdd, expected[lead], tolerance=NEAR)
        agree(of_tree(robot, referee, robot.expand(q, qd, qdd)[2]), expected, tolerance=NEAR)
        agree(robot.inverse_dynamics(q, qd, qdd), tau, np.abs(M_tree).max(), NEAR)
        agree(
            robot.mass_matrix_inverse(q) @ robot.mass_matrix(q), np.eye(robot.nv), tolerance=NEAR
        )


def test_the_closures_pull_with_the_multipliers(case):
    """J^T of the wrenches, on frame B and against A, is J^T lambda of the dense system."""
    mechanism, robot, referee, states = case
    for q, qd, _, tau in states[:2]:
        theta, rates, _ = (of_tree(robot, referee, each) for each in robot.expand(q, qd))
        driven = np.zeros(len(theta))
        driven[[referee.tree.joint_names.index(name) for name in robot.joint_names]] = tau
        _, expected = referee.solve(theta, rates, driven)
        felt = np.zeros(len(theta))
        for name, wrench in robot.constraint_forces(q, qd, tau).items():
            lever = (
                referee.tree.pose(theta, f'{name}_b')[:3, 3]
                - referee.tree.pose(theta, f'{name}_a')[:3, 3]
            )
            back = np.concatenate((wrench[:3], wrench[3:] + np.cross(lever, wrench[:3])))
            felt += referee.tree.jacobian(theta, f'{name}_b').T @ wrench
            felt -= referee.tree.jacobian(theta, f'{name}_a').T @ back
        agree(felt, expected, tolerance=1e-10)  # of a large M qdd, of which it is a difference


def test_link_wrenches_hold_inertia_and_closures(case):
    """Newton and Euler of the open tree, on which closures act as external wrenches.

    With these the joints of the tree need the torques of the motors, and dependent ones none. So
    no wrench of a closure is missing or turned. Without them a link misses a hundredth of the
    largest.
    """
    mechanism, robot, referee, states = case
    tree, frame = referee.tree, mechanism.closures[0].b
    names = [each.name for each in mechanism.followers]
    rows = [tree.model.body_names.index(name) - 1 for name in robot.model.body_names[1:]]
    for q, qd, _, tau in states[:2]:
        qdd, found = robot.links.forward_dynamics_wrenches(q, qd, tau, {frame: WRENCH})
        agree(qdd, robot.forward_dynamics(q, qd, tau, {frame: WRENCH}), tolerance=NEAR)
        state = [of_tree(robot, referee, each) for each in robot.expand(q, qd, qdd)]
        pushes = {frame: WRENCH}
        for name, wrench in robot.constraint_forces(q, qd, tau, {frame: WRENCH}).items():
            A, B = (tree.pose(state[0], f'{name}_{end}')[:3, 3] for end in 'ab')
            pushes[f'{name}_b'] = wrench
            pushes[f'{name}_a'] = -wrench - np.r_[np.zeros(3), np.cross(B - A, wrench[:3])]
        expected = tree.links.joint_wrenches(*state, pushes)[rows]
        agree(found, expected, tolerance=1e-10)  # as the multipliers
        torques = dict(zip(tree.joint_names, tree.inverse_dynamics(*state, pushes)))
        driven = dict.fromkeys(torques, 0.0) | dict(zip(robot.joint_names, tau))
        if not names:
            size = np.abs(expected).max()
            agree(list(torques.values()), [driven[name] for name in torques], size, 1e-10)
        missed = np.abs(tree.links.joint_wrenches(*state, {frame: WRENCH})[rows] - expected)
        assert missed.max() > 0.01 * np.abs(expected).max()
    both = robot.links.joint_wrenches(*(np.stack((x, x)) for x in (q, qd, qdd)), {frame: WRENCH})
    agree(both, np.stack((expected, expected)), tolerance=1e-10)


def test_other_quantities_are_projections(case):
    """Energy, frames, external wrenches and the bias by E; C by its power and its skew part."""
    _, robot, referee, states = case
    (q, qd, qdd, tau), frame = states[0], case[0].closures[0].b
    theta, rates, _ = (of_tree(robot, referee, each) for each in robot.expand(q, qd))
    E, tree = referee.expansion(theta, robot.joint_names), referee.tree
    agree(robot.energy(q, qd), tree.energy(theta, rates), tolerance=NEAR)
    agree(robot.gravity_torque(q), E.T @ tree.gravity_torque(theta), tolerance=NEAR)
    agree(robot.pose(q, frame), tree.pose(theta, frame), tolerance=NEAR)
    J = tree.jacobian(theta, frame) @ E
    agree(robot.jacobian(q, frame), J, tolerance=NEAR)
    agree(robot.velocity(q, qd, frame), J @ qd, tolerance=NEAR)
    accelerated = of_tree(robot, referee, robot.expand(q, qd, 0.0 * qd)[2])
    agree(
        robot.jacobian_bias(q, qd, frame),
        tree.jacobian_bias(theta, rates, frame) + tree.jacobian(theta, frame) @ accelerated,
        tolerance=NEAR,
    )
    pushed = robot.inverse_dynamics(q, qd, qdd, f_ext={frame: WRENCH})
    agree(pushed, robot.inverse_dynamics(q, qd, qdd) - J.T @ WRENCH, tolerance=NEAR)
    C = robot.coriolis_matrix(q, qd)
    agree(C @ qd + robot.gravity_torque(q), robot.bias_torque(q, qd), tolerance=NEAR)
    h = 1e-5  # central differences leave h^2 of third derivatives
    Mdot = (robot.mass_matrix(q + h * qd) - robot.mass_matrix(q - h * qd)) / (2.0 * h)
    agree(C + C.T, Mdot, np.abs(robot.mass_matrix(q)).max(), 1e-7)
    qd_r = qdd  # any other velocity
    Y = robot.links.regressor(q, qd, tau, qd_r)
    rotors = E.T @ np.diag(tree.model.joint_values(ROTOR))  # which no parameter of a body has
    turning = E @ tau + of_tree(robot, referee, rate_of_expansion(robot, q, qd, qd_r))
    agree(
        Y @ robot.links.inertial_parameters(),
        robot.mass_matrix(q) @ tau + C @ qd_r + robot.gravity_torque(q) - rotors @ turning,
        tolerance=NEAR,
    )


def test_the_jacobian_derivative_is_the_slope_of_the_jacobian(case):
    """Of differences along qd; and dJ/dt qd is the bias, whose form of the loops is another one.

    Sixth-order differences of step 5e-4 leave 1e-10 of the largest entry. Without dE/dt the slope
    is missed by more than a thousandth of it, but in parallelograms, whose E is constant.
    """
    mechanism, robot, referee, states = case
    frame, missed = mechanism.closures[0].b, 0.0
    for q, qd, _, _ in states:
        Jdot = robot.frames.jacobian_derivative(q, qd, frame)
        slope = slopes(lambda t: robot.jacobian(q + t[0] * qd, frame), np.zeros(1))[..., 0]
        size = max(np.abs(slope).max(), np.abs(robot.jacobian(q, frame)).max())
        agree(Jdot, slope, size, 1e-8)
        agree(Jdot @ qd, robot.jacobian_bias(q, qd, frame), size, NEAR)
        slow = robot.frames.jacobian_derivative(q, 1e-8 * qd, frame)
        agree(slow, 1e-8 * Jdot, 1e-8 * size, NEAR)
        theta, rates, _ = (of_tree(robot, referee, each) for each in robot.expand(q, qd))
        E = referee.expansion(theta, robot.joint_names)
        of_tree_alone = referee.tree.frames.jacobian_derivative(theta, rates, frame) @ E
        missed = max(missed, np.abs(of_tree_alone - slope).max() / size)
    bent = np.abs(robot.expand(q, qd, 0.0 * qd)[2]).max()
    assert missed > 1e-3 if bent > 1e-3 else missed < 1e-9
    np.testing.assert_array_equal(robot.frames.jacobian_derivative(q, 0.0 * qd, frame), 0.0)


def test_task_space_and_momentum_are_projections(case):
    """J M^-1 J^T, Lambda of what moves, and the momentum of all bodies by M and A of the tree."""
    _, robot, referee, states = case
    (q, qd, _, _), frame = states[1], case[0].closures[0].b
    theta, rates, _ = (of_tree(robot, referee, each) for each in robot.expand(q, qd))
    E, tree = referee.expansion(theta, robot.joint_names), referee.tree
    J = tree.jacobian(theta, frame) @ E
    compliance = J @ np.linalg.solve(E.T @ tree.mass_matrix(theta) @ E, J.T)
    agree(robot.task_space.compliance(q, frame)[1], compliance, tolerance=1e-10)
    k = int(np.diag(compliance)[:3].argmax())
    if compliance[k, k] > NEAR:  # else the closures pin the frame
        found = robot.operational_space_inertia(q, frame, axes='xyz'[k])
        agree(found.inertia, 1.0 / compliance[k : k + 1, k : k + 1], tolerance=1e-10)
    A = tree.centroidal.momentum_matrix(theta) @ E
    agree(robot.centroidal.momentum_matrix(q), A, tolerance=NEAR)
    agree(robot.centroidal.momentum(q, qd), A @ qd, tolerance=NEAR)
    of_centre = tree.centroidal.centre_of_mass_jacobian(theta) @ E
    agree(robot.centroidal.centre_of_mass_jacobian(q), of_centre, tolerance=NEAR)
    agree(
        robot.centroidal.centre_of_mass(q), tree.centroidal.centre_of_mass(theta), tolerance=NEAR
    )


def rate_of_expansion(robot, q, a, b):
    """Return dE/dt b along a, of all joints, by its symmetry."""
    forms = [robot.expand(q, each, 0.0 * a)[2] for each in (a + b, a - b)]
    return 0.25 * (forms[0] - forms[1])


def slopes(function, x, h=5e-4):
    """Return the derivatives along each entry of x by differences of sixth order."""
    columns = []
    for step in h * np.eye(len(x)):
        one, two, three = (function(x + k * step) - function(x - k * step) for k in (1, 2, 3))
        columns.append((45.0 * one - 9.0 * two + three) / (60.0 * h))
    return np.stack(columns, axis=-1)


def agree_with_slopes(got, function, x, tolerance):
    """Assert that derivatives are those of differences, some of which are zero.

    Differences then leave the rounding of the function over their step.
    """
    expected = slopes(function, x)
    size = max(np.abs(expected).max(), 1e-3 * np.abs(function(x)).max())
    agree(got, expected, size, tolerance)


def test_second_derivatives_are_those_of_differences(case):
    """Of first derivatives, with a wrench that moves with its link.

    Differences err by the rounding of first derivatives over the step, below 1e-8. Tensors times
    multipliers are the Hessians, a batch is its rows, and those of forward dynamics follow.
    """
    _, robot, _, states = case
    if robot.model.quaternions.any():
        pytest.skip('differences of the positions of a quaternion are no velocities')
    q, qd, qdd, tau = states[0]
    of, frame = robot.derivatives, robot.frames[-1]

    def first(x, rates):
        turn = robot.pose(x, frame)[:3, :3] @ robot.pose(q, frame)[:3, :3].T
        moved = np.concatenate((turn @ WRENCH[:3], turn @ WRENCH[3:]))
        return of.inverse_dynamics(x, rates, qdd, {frame: moved})

    f_ext = {frame: WRENCH}
    tensors = of.inverse_dynamics_second(q, qd, qdd, f_ext)
    small = 1e-3 * max(np.abs(each).max() for each in (*tensors, *first(q, qd)))
    for found, function, x in (
        (tensors[0], lambda x: first(x, qd)[0], q),
        (tensors[1], lambda x: first(q, x)[0], qd),
        (tensors[2], lambda x: first(q, x)[1], qd),
    ):
        expected = slopes(function, x)
        agree(found, expected, max(np.abs(expected).max(), small), 1e-8)
    agree(tensors[3], of.mass_matrix(q), tolerance=NEAR)
    weights = np.linspace(-1.0, 2.0, robot.nv)
    for k, hessian in enumerate(of.inverse_dynamics_hessian(q, qd, qdd, weights, f_ext)):
        index = 'jlk' if k == 3 else 'jkl'
        size = np.abs(tensors[k]).max() + 1e-3 * np.abs(tensors[0]).max()
        agree(hessian, np.einsum(f'j,{index}->kl', weights, tensors[k]), size)
    rows = (np.array([x, 0.5 * x]) for x in (qd, qdd))
    together = of.inverse_dynamics_second(np.array([q, q]), *rows, f_ext)
    for both, one in zip(together, tensors):
        np.testing.assert_array_equal(both[0], one)
    by_q_q, by_q_qd, *_ = of.forward_dynamics_second(q, qd, tau)
    agree_with_slopes(by_q_q, lambda x: of.forward_dynamics(x, qd, tau)[0], q, 1e-7)
    agree_with_slopes(by_q_qd, lambda x: of.forward_dynamics(q, x, tau)[0], qd, 1e-7)


def test_derivatives_are_those_of_differences(case):
    """With what E adds by its slope; differences err by rounding over the step, below 1e-9."""
    _, robot, _, states = case
    if robot.model.quaternions.any():
        pytest.skip('differences of the positions of a quaternion are no velocities')
    q, qd, qdd, tau = states[0]
    by_q, by_qd, by_qdd = robot.derivatives.inverse_dynamics(q, qd, qdd)
    agree_with_slopes(by_q, lambda x: robot.inverse_dynamics(x, qd, qdd), q, 1e-9)
    agree_with_slopes(by_qd, lambda x: robot.inverse_dynamics(q, x, qdd), qd, 1e-9)
    agree(by_qdd, robot.mass_matrix(q), tolerance=NEAR)
    agree_with_slopes(robot.derivatives.mass_matrix(q), robot.mass_matrix, q, 1e-9)
    gradient, out = robot.mass_operator.log_det_gradient(q), np.empty((2, robot.nv))
    agree_with_slopes(gradient, robot.mass_operator.log_det, q, 1e-9)
    assert robot.mass_operator.log_det_gradient(np.array([q, q]), out=out) is out
    agree(out, np.array([gradient, gradient]))
    rates = robot.mass_operator.factor_rates(
        np.broadcast_to(q, (robot.nv, robot.nq)), np.eye(robot.nv)
    )
    for found, name in ((rates.L, 'L'), (rates.D, 'D')):
        agree_with_slopes(
            np.moveaxis(found, 0, -1),
            lambda x, name=name: getattr(robot.mass_operator.factors(x), name),
            q,
            1e-9,
        )
    of_qdd = robot.derivatives.forward_dynamics(q, qd, tau)
    agree_with_slopes(of_qdd[0], lambda x: robot.forward_dynamics(x, qd, tau), q, 1e-8)
    agree_with_slopes(of_qdd[1], lambda x: robot.forward_dynamics(q, x, tau), qd, 1e-8)
    agree(of_qdd[2], robot.mass_matrix_inverse(q), tolerance=1e-10)
