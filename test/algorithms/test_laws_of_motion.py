# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Laws of any mechanism, each between two independent recursions."""

import numpy as np
import pytest

from robodyn_ros.algorithms.mass_matrix.mass_matrix_inverse_world_frame import motions
from robodyn_ros.compile import generic
from support.calls import run
from support.compare import agree, solve_tolerance
from support.referees.dense import along, gradient, tangent
from support.robots.families import FAMILIES, states

WRENCH = np.array((3.0, -2.0, 5.0, 0.4, -0.7, 0.3))  # [N, N m]


@pytest.fixture
def case(any_case):
    """Return one robot after the other, with as many coordinates as velocities or more."""
    return any_case


def rates(case, q, qd):
    """Return dq/dt of a motion: qd itself but for quaternions."""
    return tangent(case.dense.types, q) @ qd


def test_power_input_equals_energy_rate(case):
    """qd . tau = d/dt (T + V), along a motion with acceleration (Spong 6.115; Angeles P6)."""
    robot = case.robot
    for q, qd, qdd in states(robot):
        tau = robot.inverse_dynamics(q, qd, qdd)
        both = np.concatenate((q, qd))
        rate = along(
            lambda x: run(robot, generic.energy, q=x[: robot.nq], qd=x[robot.nq :]),
            both,
            np.concatenate((rates(case, q, qd), qdd)),
        )
        agree(qd @ tau, rate.sum(), scale=np.abs(qd) @ np.abs(tau))


def test_kinetic_energy_is_half_qd_m_qd(case):
    """T = qd^T M qd / 2 (Jain 4.5)."""
    for q, qd, _ in states(case.robot):
        agree(case.robot.energy(q, qd)[0], 0.5 * qd @ case.robot.mass_matrix(q) @ qd)


def test_mass_matrix_columns_are_unit_acceleration_torques(case):
    """M e_j = tau(q, 0, e_j) without gravity: strobing (Turney, Mudge and Lee, section 3)."""
    robot = case.robot.with_gravity((0.0, 0.0, 0.0))
    for q, _, _ in states(robot):
        columns = [robot.inverse_dynamics(q, np.zeros(robot.nv), e) for e in np.eye(robot.nv)]
        agree(robot.mass_matrix(q), np.array(columns).T)


def test_mass_matrix_is_symmetric_and_positive_definite(case):
    """M = M^T to the last bit, and every eigenvalue is positive (Spong 6.53)."""
    for q, _, _ in states(case.robot):
        M = case.robot.mass_matrix(q)
        assert np.array_equal(M, M.T)
        assert np.linalg.eigvalsh(M)[0] > 0.0


def test_forward_inverts_inverse(case):
    """Accelerations give torques that give the accelerations back, with a wrench or without."""
    robot = case.robot
    for f_ext in (None, {case.tip: WRENCH}):
        for q, qd, qdd in states(robot):
            tau = robot.inverse_dynamics(q, qd, qdd, f_ext)
            size = magnitude(robot, q, qd, qdd, f_ext)
            got = robot.forward_dynamics(q, qd, tau, f_ext)
            # torques, not accelerations: those of a light finger behind a heavy arm are ill-posed
            agree(robot.mass_matrix(q) @ (got - qdd), np.zeros(robot.nv), scale=size)


def test_inverse_inverts_forward(case):
    """Torques give accelerations that need just those torques."""
    robot = case.robot
    for f_ext in (None, {case.tip: WRENCH}):
        for q, qd, tau in states(robot):
            qdd = robot.forward_dynamics(q, qd, tau, f_ext)
            agree(
                robot.inverse_dynamics(q, qd, qdd, f_ext),
                tau,
                scale=magnitude(robot, q, qd, qdd, f_ext),
            )


def test_solve_and_inverse_are_those_of_the_mass_matrix(case):
    """M (M^-1 b) = b, and M^-1 is symmetric to the last bit."""
    robot = case.robot
    for q, b, _ in states(robot):
        M, inverse = robot.mass_matrix(q), robot.mass_matrix_inverse(q)
        x = robot.mass_operator.solve(q, b)
        agree(M @ x, b, scale=np.abs(M).max() * np.abs(x).sum())
        agree(inverse @ b, x, tolerance=solve_tolerance(M))
        assert np.array_equal(inverse, inverse.T)


def test_determinant_of_the_mass_matrix_is_the_product_of_the_pivots(case):
    """log det M = sum log D (Jain 2011, equation 9.53)."""
    robot = case.robot
    for q, b, _ in states(robot):
        robot.mass_operator.solve(q, b)
        bodies = len(robot.model.topology)
        pivots = robot._work[1:bodies]['d_inverse']
        agree(
            -np.log(pivots).sum(),
            np.linalg.slogdet(robot.mass_matrix(q))[1],
            scale=np.abs(np.log(pivots)).sum() + robot.nv,
        )


def test_gravity_torque_is_potential_gradient(case):
    """g = dV/dq, by complex step through the text of the energy, along each velocity."""
    robot = case.robot
    for q, qd, _ in states(robot):
        expected = gradient(lambda x: run(robot, generic.energy, q=x, qd=qd)[1], q)
        agree(robot.gravity_torque(q), tangent(case.dense.types, q).T @ expected)


def test_gravity_torque_is_the_bias_at_rest(case):
    """h(q, 0) = g(q), to the last bits."""
    for q, qd, _ in states(case.robot):
        agree(case.robot.bias_torque(q, 0.0 * qd), case.robot.gravity_torque(q))


def test_mdot_minus_2c_is_skew(case):
    """Mdot - 2 C = -(Mdot - 2 C)^T, with Mdot by complex step (Spong, Prop. 6.1)."""
    robot = case.robot
    for q, qd, _ in states(robot):
        Mdot = along(lambda x: run(robot, generic.mass_matrix, q=x), q, rates(case, q, qd))
        N = Mdot - 2.0 * robot.coriolis_matrix(q, qd)
        agree(N + N.T, np.zeros_like(N), scale=rate_size(robot, q, qd))


def test_c_qd_is_the_coriolis_torque(case):
    """C qd = tau(q, qd, 0) without gravity."""
    robot = case.robot.with_gravity((0.0, 0.0, 0.0))
    for q, qd, _ in states(robot):
        agree(
            robot.coriolis_matrix(q, qd) @ qd,
            robot.bias_torque(q, qd),
            scale=rate_size(robot, q, qd) * np.abs(qd).max(),
        )


def test_coriolis_matrix_is_that_of_the_christoffel_symbols(case):
    """C_kj = sum_i (dM_kj/dq_i + dM_ki/dq_j - dM_ij/dq_k) qd_i / 2 (Spong 6.67)."""
    robot = case.robot
    if robot.nq != robot.nv:
        pytest.skip('angular velocities are the rates of no coordinates')
    for q, qd, _ in states(robot):
        d = gradient(lambda x: run(robot, generic.mass_matrix, q=x), q)
        expected = 0.5 * (
            np.einsum('ikj,i->kj', d, qd)
            + np.einsum('jki,i->kj', d, qd)
            - np.einsum('kij,i->kj', d, qd)
        )
        agree(robot.coriolis_matrix(q, qd), expected, scale=rate_size(robot, q, qd))


def test_coriolis_terms_grow_with_the_rates(case):
    """C(q, a qd) = a C(q, qd), and Jdot qd grows with a^2, however slow the motion."""
    robot, slow = case.robot, 2.0**-20
    for q, qd, _ in states(robot):
        C, bias = robot.coriolis_matrix(q, qd), robot.jacobian_bias(q, qd, case.tip)
        assert np.array_equal(robot.coriolis_matrix(q, slow * qd), slow * C)
        assert np.array_equal(robot.jacobian_bias(q, slow * qd, case.tip), slow * slow * bias)


def test_external_wrench_enters_as_jacobian_transpose(case):
    """tau(f) - tau(0) = -J^T f, on every frame in turn (Jain 5.36)."""
    robot = case.robot
    q, qd, qdd = states(robot)[0]
    free = robot.inverse_dynamics(q, qd, qdd)
    for frame in robot.frames:
        J = robot.jacobian(q, frame)
        agree(
            robot.inverse_dynamics(q, qd, qdd, {frame: WRENCH}) - free,
            -J.T @ WRENCH,
            scale=np.abs(free).max() + np.abs(WRENCH).sum(),
        )


def test_wrenches_add_up(case):
    """Wrenches on several frames act as the sum of what each does alone."""
    robot = case.robot
    q, qd, qdd = states(robot)[0]
    free = robot.inverse_dynamics(q, qd, qdd)
    f_ext = {frame: WRENCH * k for k, frame in enumerate(robot.frames, start=1)}
    expected = free - sum(robot.jacobian(q, frame).T @ wrench for frame, wrench in f_ext.items())
    agree(
        robot.inverse_dynamics(q, qd, qdd, f_ext),
        expected,
        scale=np.abs(free).max() + sum(np.abs(wrench).sum() for wrench in f_ext.values()),
    )


def test_velocity_is_jacobian_times_rates_and_rate_of_the_pose(case):
    """[v; omega] = J qd, v = dp/dt and [omega] = dR/dt R^T, on every frame."""
    robot = case.robot
    q, qd, _ = states(robot)[0]
    for frame in robot.frames:
        V, R = robot.velocity(q, qd, frame), robot.pose(q, frame)[:3, :3]
        body, placement = robot._placement(frame)
        rate = along(
            lambda x: run(robot, generic.pose, q=x, body=body, frame=placement),
            q,
            rates(case, q, qd),
        )
        spin = rate[:3, :3] @ R.T
        scale = np.abs(qd).sum()
        agree(V, robot.jacobian(q, frame) @ qd, scale)
        agree(V, np.array([*rate[:3, 3], spin[2, 1], spin[0, 2], spin[1, 0]]), scale)
        agree(spin + spin.T, np.zeros((3, 3)), scale)


def test_jacobian_bias_is_the_rate_of_the_jacobian(case):
    """Jdot qd, with Jdot by complex step through the text of the Jacobian."""
    robot = case.robot
    for q, qd, _ in states(robot):
        body, placement = robot._placement(case.tip)
        Jdot = along(
            lambda x: run(robot, generic.jacobian, q=x, body=body, frame=placement),
            q,
            rates(case, q, qd),
        )
        agree(robot.jacobian_bias(q, qd, case.tip), Jdot @ qd, scale=qd @ qd)


def test_added_diagonal_adds_to_the_mass_matrix(case):
    """(M + diag) qdd = tau - h: the implicit step of a damped joint, in all three kernels."""
    robot, model = case.robot, case.robot.model
    for q, qd, tau in states(robot):
        added = np.abs(tau)
        M = robot.mass_matrix(q) + np.diag(added)
        rest = tau - robot.bias_torque(q, qd)
        qdd, x, inverse = np.empty(robot.nv), np.empty(robot.nv), np.empty_like(M)
        no_wrench = np.zeros((len(model.topology), 6))
        assert generic.forward_dynamics(*robot._weighted, q, qd, tau, no_wrench, added, qdd) == 0
        assert generic.mass_solve(*robot._body, q, added, rest, x) == 0
        assert (
            generic.mass_matrix_inverse(
                *robot._body, q, added, np.empty(motions(robot.nv)), inverse
            )
            == 0
        )
        agree(M @ qdd, rest, scale=np.abs(M).max() * np.abs(qdd).sum() + np.abs(tau).max())
        agree(M @ x, rest, scale=np.abs(M).max() * np.abs(x).sum())
        agree(M @ inverse, np.eye(robot.nv), scale=np.abs(M).max() * np.abs(inverse).max())


def test_first_joint_changes_nothing():
    """M and C do not depend on q1, nor g if axis 1 is along gravity (Angeles, Example 7.3.1)."""
    case = FAMILIES['skew_chain']
    first = case.description.joints[0]
    along_axis = first.placement.rotation @ (first.axis / np.linalg.norm(first.axis))
    robot = case.robot.with_gravity(9.81 * along_axis)
    for q, qd, _ in states(robot):
        turned = q + np.eye(robot.nv)[0]
        agree(robot.mass_matrix(turned), robot.mass_matrix(q))
        agree(robot.coriolis_matrix(turned, qd), robot.coriolis_matrix(q, qd))
        agree(robot.gravity_torque(turned), robot.gravity_torque(q))


def magnitude(robot, q, qd, qdd, f_ext=None):
    """Return the size of the terms that add up to the torques of a motion."""
    inertial = np.abs(robot.mass_matrix(q)) @ np.abs(qdd)
    return np.max(
        inertial
        + np.abs(robot.bias_torque(q, qd))
        + np.abs(robot.inverse_dynamics(q, qd, qdd, f_ext))
    )


def rate_size(robot, q, qd):
    """Return the size of the terms that add up to an entry of C."""
    return np.abs(robot.mass_matrix(q)).max() * np.abs(qd).sum()
