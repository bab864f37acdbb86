# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, sections 7.5 and 7.6: complement, forward dynamics, planar arms, moving base."""

from dataclasses import replace
from math import pi

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles import moving_base, noc_forward_dynamics
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.formulations.angeles import planar as planar_noc
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.posture import arm_at, velocities
from robodyn_ros.model import build
from robodyn_ros.model.description import Joint, Link, Placement, RobotDescription
from support.robots.formulation_arms import (
    ALL,
    SERIAL,
    error,
    motion,
    planar,
    random_arm,
    random_description,
    random_inertial,
    rrp,
    six_revolute,
    spatial_3r,
)

# Oracle 1, Angeles, Examples 7.3.1 and 7.6.2: planar 3R, centres of mass half way.
A, M, INERTIA = (0.5, 0.4, 0.3), (3, 2, 1), (1 / 16, 2 / 75, 3 / 400)
Q, QD, QDD = np.array([0.3, -0.7, 1.1]), np.array([0.5, -0.2, 0.9]), np.array([1, -0.5, 0.25])


def three_r(inertia=INERTIA, a=A, m=M):
    return planar(a, m, np.array(a) / 2, inertia)


def full(upper):
    """Symmetric matrix of its upper triangle."""
    matrix = np.zeros((len(upper), len(upper)))
    for i, row in enumerate(upper):
        matrix[i, i:] = matrix[i:, i] = row
    return matrix


@pytest.mark.parametrize('name', ALL)
def test_all_matrices_are_those_of_the_package(name):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot):
        assert error(noc.mass_matrix(robot, q), robot.mass_matrix(q)) < 1e-10
        assert error(noc.gravity_torque(robot, q), robot.gravity_torque(q)) < 1e-10
        assert (
            error(
                noc.coriolis_matrix(robot, q, qd) @ qd,
                robot.bias_torque(q, qd) - robot.gravity_torque(q),
            )
            < 1e-10
        )
        assert (
            error(noc.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
            < 1e-10
        )


@pytest.mark.parametrize('name', ALL)
def test_shaping_matrix_is_an_orthogonal_complement_of_the_constraints(name):
    robot = ALL[name]()
    for q, qd, _ in motion(robot, count=2):
        arm = arm_at(robot, q)
        K, T = noc.constraint_matrix(arm), noc.twist_shaping_matrix(arm)
        assert np.abs(K @ T).max() < 1e-13
        assert np.linalg.matrix_rank(K) == 5 * arm.n
        w, _, cdot = velocities(arm, qd)
        np.testing.assert_allclose((T @ qd).reshape(-1, 6), np.hstack((w, cdot)), atol=1e-12)


@pytest.mark.parametrize('name', ALL)
def test_rates_are_the_derivatives(name):
    robot = ALL[name]()
    for q, qd, _ in motion(robot, count=2):
        T, Tdot, M, W = noc.matrices(robot, q, qd)
        Mdot = along(lambda x: noc.mass(arm_at(robot, x)), q, qd)
        np.testing.assert_allclose(
            Tdot, along(lambda x: noc.twist_shaping_matrix(arm_at(robot, x)), q, qd), atol=1e-12
        )
        np.testing.assert_allclose(W @ M - M @ W, Mdot, atol=1e-12)
        Idot = along(lambda x: noc.mass_matrix(robot, x), q, qd)
        assert error(noc.mass_matrix_rate(robot, q, qd), Idot) < 1e-11
        N = Idot - 2 * noc.coriolis_matrix(robot, q, qd)
        assert np.abs(N + N.T).max() < 1e-11 * (1 + np.abs(Idot).max())


def test_constraint_wrenches_do_no_work():
    # w^A puts +tau_i e_i on link i and -tau_i e_i on link i-1; the rest is in range(K^T) (7.51).
    robot = SERIAL['6R']()
    for q, qd, qdd in motion(robot):
        arm = arm_at(robot, q)
        tau = noc.inverse_dynamics(robot, q, qd, qdd) - arm.rotor * qdd
        wrench = noc.link_wrenches(robot, q, qd, qdd).reshape(-1, 6)
        for i, up in enumerate(arm.parent):
            wrench[i, :3] -= tau[i] * arm.turns[i]
            if up >= 0:
                wrench[up, :3] += tau[i] * arm.turns[i]
        K = noc.constraint_matrix(arm)
        multipliers = np.linalg.lstsq(K.T, wrench.ravel(), rcond=None)[0]
        np.testing.assert_allclose(K.T @ multipliers, wrench.ravel(), atol=1e-9)
        assert np.abs(noc.twist_shaping_matrix(arm).T @ wrench.ravel()).max() < 1e-9


def test_coriolis_matrix_is_not_that_of_christoffel_in_space():
    robot = SERIAL['6R']()
    q, qd, _ = next(motion(robot))
    assert np.abs(noc.coriolis_matrix(robot, q, qd) - robot.coriolis_matrix(q, qd)).max() > 1e-2


@pytest.mark.parametrize('name', ['planar', 'two_link'])
def test_planar_form_equals_the_spatial_one_and_christoffel(name):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        assert error(planar_noc.mass_matrix(robot, q), robot.mass_matrix(q)) < 1e-10
        assert (
            error(planar_noc.coriolis_matrix(robot, q, qd), robot.coriolis_matrix(q, qd)) < 1e-10
        )
        assert (
            error(
                planar_noc.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)
            )
            < 1e-10
        )


@pytest.mark.parametrize('normal, across', [((0, 0, 1), (0.6, 0.8, 0)), ((1, 2, 2), (2, 1, -2))])
def test_planar_form_with_a_slide_and_a_branch_in_any_plane(normal, across):
    robot = random_arm(
        'RPRR',
        9,
        parents=(0, 1, 2, 1),
        gravity=(3, -9, 0),
        axes=(normal, across, -np.array(normal), normal),
    )
    for q, qd, qdd in motion(robot):
        assert (
            error(
                planar_noc.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)
            )
            < 1e-10
        )
        assert (
            error(planar_noc.coriolis_matrix(robot, q, qd), robot.coriolis_matrix(q, qd)) < 1e-10
        )


def test_planar_form_refuses_a_spatial_arm():
    with pytest.raises(ModelError, match='is not planar'):
        planar_noc.mass_matrix(SERIAL['6R'](), np.zeros(6))


@pytest.mark.parametrize('form', [noc, planar_noc])
def test_planar_arm_has_the_known_mass_matrix(form):
    robot = three_r()
    np.testing.assert_allclose(
        form.mass_matrix(robot, Q),
        full(
            (
                (2.1011311001658, 0.72611465070175, 0.12629534183575),
                (0.35109820123774, 0.057215767285535),
                (0.03,),
            )
        ),
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        form.coriolis_matrix(robot, Q, QD),
        [
            [-0.12010707539354, -0.0058667257825731, -0.099214580732202],
            [-0.16236554705428, -0.048125197443318, -0.064166929924423],
            [0.03064492031768, 0.016041732481106, 0],
        ],
        atol=1e-13,
    )
    np.testing.assert_allclose(
        form.inverse_dynamics(robot, Q, QD, QDD),
        [31.062090910823, 8.7895134804576, 1.2427668504447],
        rtol=1e-12,
    )


def test_planar_arm_has_the_corrected_gravity_rate_and_forward_dynamics():
    # The gravity vector printed in Example 7.6.2 has doubled terms; this one is dV/dq.
    robot = three_r()
    np.testing.assert_allclose(
        noc.gravity_torque(robot, Q),
        [29.440616615749, 8.3539519595238, 1.1254652785891],
        rtol=1e-12,
    )
    np.testing.assert_allclose(
        noc.mass_matrix_rate(robot, Q, QD),
        full(
            (
                (-0.24021415078707, -0.16823227283685, -0.068569660414522),
                (-0.096250394886635, -0.048125197443318),
                (0,),
            )
        ),
        atol=1e-13,
    )
    for forward in (
        noc_forward_dynamics.forward_dynamics,
        noc_forward_dynamics.forward_dynamics_orthogonal,
    ):
        np.testing.assert_allclose(
            forward(robot, Q, QD, np.array([1, 2, -1])),
            [-25.129439848447, 41.516676473369, -44.641889867342],
            rtol=1e-12,
        )


@pytest.mark.parametrize(
    'angles, expected',
    [
        ((0, 0), ((47 / 4, 13 / 2, 9 / 4), (9 / 2, 7 / 4), (5 / 4,))),
        ((90, 0), ((31 / 4, 9 / 2, 7 / 4), (9 / 2, 7 / 4), (5 / 4,))),
        (
            (60, 30),
            (
                (3**0.5 / 2 + 33 / 4, 3**0.5 / 2 + 17 / 4, 3**0.5 / 4 + 5 / 4),
                (3**0.5 / 2 + 7 / 2, 3**0.5 / 4 + 5 / 4),
                (5 / 4,),
            ),
        ),
    ],
)
def test_planar_arm_has_the_mass_matrices_of_exercise_7_14(angles, expected):
    robot = three_r(inertia=(1, 1, 1), a=(1, 1, 1), m=(1, 1, 1))
    q = np.radians([20, *angles])
    np.testing.assert_allclose(noc.mass_matrix(robot, q), full(expected), rtol=1e-12)
    np.testing.assert_allclose(
        noc_forward_dynamics.mass_matrix(robot, q), full(expected), rtol=1e-12
    )


def test_spatial_arm_has_the_corrected_blocks_of_example_7_6_1():
    # Blocks t21dot, t31dot and the entries of the rates are the corrected ones.
    a, m, J, p = 0.5, 2.0, 0.3, 1.5
    q, qd = np.array([pi, -pi / 2, pi]), np.full(3, p)
    robot = spatial_3r(a, m, J)
    square = m * a * a
    T, Tdot, M, W = noc.matrices(robot, q, qd)
    blocks = Tdot.reshape(3, 6, 3).transpose(0, 2, 1)  # [i, j]: of link i, of joint j
    np.testing.assert_allclose(
        blocks[[0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2], 3:] * 2 / (a * p),
        [(1, -1, 0), (1, -3, 0), (-1, -1, 1), (1, -3, 0), (-2, -1, 1), (1, 0, -1)],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        blocks[[0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2], :3] / p,
        [(0, 0, 0), (0, 0, 0), (-1, 0, 0), (0, 0, 0), (-1, 0, 0), (0, 1, -1)],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        noc.mass_matrix(robot, q),
        square / 4 * np.array([[11, 4, 0], [4, 7, 0], [0, 0, 1]]) + J * np.diag([3, 2, 1]),
        atol=1e-12,
    )
    s = square
    np.testing.assert_allclose(
        T.T @ M @ Tdot / p,
        [[-s / 4, 7 * s / 4, -s / 2 - J], [-s / 2, 0, s / 4 + J], [3 * s / 4, s / 4 - J, 0]],
        atol=1e-12,
    )
    np.testing.assert_allclose(
        T.T @ W @ M @ T / (p * J), [[0, 1, -1], [-1, 0, 1], [1, -1, 0]], atol=1e-12
    )
    np.testing.assert_allclose(
        noc.mass_matrix_rate(robot, q, qd) / p,
        [[-s / 2, 5 * s / 4, s / 4 - J], [5 * s / 4, 0, s / 2], [s / 4 - J, s / 2, 0]],
        atol=1e-12,
    )
    torque = noc.coriolis_matrix(robot, q, qd) @ qd
    np.testing.assert_allclose(torque, p * p * np.array([s - J, J - s / 4, s - J]), atol=1e-12)
    printed = p * p * np.array([s / 2 - J, J - s / 4, s - J])
    power = qd @ noc.mass_matrix_rate(robot, q, qd) @ qd / 2
    assert abs(qd @ torque - power) < 1e-12 < 0.5 < abs(qd @ printed - power)


def test_rrp_arm_has_the_matrices_of_example_7_11():
    robot, q, qd = rrp(), np.array([0.4, 0.9, 0.7]), np.array([0.6, -0.3, 0.5])
    np.testing.assert_allclose(
        noc.mass_matrix(robot, q), np.diag([2.401993539599, 2.17, 3.0]), atol=1e-11
    )
    np.testing.assert_allclose(
        noc.coriolis_matrix(robot, q, qd) @ qd,
        [0.515457236526, -0.88768008313, -0.652882391794],
        rtol=1e-10,
    )
    np.testing.assert_allclose(
        noc.gravity_torque(robot, q),
        [6.284167494504, -11.794910862999, -21.233505498975],
        rtol=1e-11,
    )


@pytest.mark.parametrize('name', SERIAL)
def test_forward_dynamics_returns_the_acceleration_of_the_torque(name):
    robot = SERIAL[name]()
    wrench = np.array([3.0, -2.0, 5.0, 0.4, -0.7, 1.1])
    for q, qd, tau in motion(robot):
        expected = robot.forward_dynamics(q, qd, tau)
        assert error(noc_forward_dynamics.forward_dynamics(robot, q, qd, tau), expected) < 1e-10
        assert (
            error(noc_forward_dynamics.forward_dynamics_orthogonal(robot, q, qd, tau), expected)
            < 1e-10
        )
        pushed = noc_forward_dynamics.forward_dynamics(robot, q, qd, tau, tip_wrench=wrench)
        arm = arm_at(robot, q)
        tip = noc.twist_shaping_matrix(arm)[noc.block(arm.outward[-1])]
        assert (
            error(
                robot.mass_matrix(q) @ (pushed - expected),
                tip.T @ np.concatenate((wrench[3:], wrench[:3])),
            )
            < 1e-8
        )


def test_reverse_cholesky_is_lower_and_reproduces_the_matrix():
    robot = SERIAL['6R']()
    q, _, _ = next(motion(robot))
    inertia = robot.mass_matrix(q)
    L = noc_forward_dynamics.reverse_cholesky(inertia)
    assert np.array_equal(L, np.tril(L)) and (np.diag(L) > 0).all()
    np.testing.assert_allclose(L.T @ L, inertia, atol=1e-12)
    with pytest.raises(np.linalg.LinAlgError, match='pivot 0'):
        noc_forward_dynamics.reverse_cholesky(np.diag([-1.0, 1.0]))


def test_reflections_leave_a_triangle_of_the_same_lengths():
    P = noc_forward_dynamics.factor(SERIAL['Stanford-like'](), np.full(6, 0.4))
    R = noc_forward_dynamics.orthogonalised(P)
    assert np.array_equal(R, np.triu(R))
    np.testing.assert_allclose(R.T @ R, P.T @ P, atol=1e-12)
    np.testing.assert_allclose(np.abs(np.diag(R)), np.abs(np.diag(np.linalg.qr(P).R)), rtol=1e-12)


def test_six_revolute_arm_has_the_known_accelerations():
    got = noc_forward_dynamics.forward_dynamics(
        six_revolute(),
        np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2]),
        np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2]),
        np.array([10, -20, 5, 1, -1, 0.5]),
    )
    np.testing.assert_allclose(
        got,
        [
            1.121567943409,
            -9.364075708884,
            13.501987448931,
            2.824848713358,
            -15.517968318110,
            35.286576662074,
        ],
        rtol=1e-10,
    )


def test_moving_base_equals_an_arm_on_six_joints():
    """The same arm, its base carried by three slides and three turns."""
    robot = random_arm('RPR', 11)
    rng = np.random.default_rng(12)
    body = random_inertial(rng)
    axes, names = np.vstack((np.eye(3), np.eye(3))), ['float'] + [f'carrier{i}' for i in range(6)]
    links = [Link(name, body if name == 'carrier5' else None) for name in names]
    joints = [
        Joint(
            f'base{i}',
            'prismatic' if i < 3 else 'revolute',
            names[i],
            names[i + 1],
            Placement(),
            axes[i],
        )
        for i in range(6)
    ]
    arm = random_description('RPR', 11)
    first, *others = arm.joints
    description = RobotDescription(
        'carried', (*links, *arm.links[1:]), (*joints, replace(first, parent='carrier5'), *others)
    )
    whole = Robot(build.build(description, gravity=robot.model.gravity))
    q, qd, qdd = next(motion(whole, seed=3))
    X = whole.pose(q, 'carrier5')
    R = X[:3, :3]
    here = robot.with_gravity(R.T @ robot.model.gravity)  # the arm sees the base's own axes
    base = moving_base.Base(body.mass, body.com, body.inertia)
    frame = np.kron(np.eye(2), R.T)

    def to_com(twist):
        """[omega; cdot_0] in base axes of [v; omega] at the base's origin in world axes."""
        v, w = (frame @ twist)[:3], (frame @ twist)[3:]
        return np.concatenate((w, v + np.cross(w, body.com)))

    J = np.array([to_com(column) for column in whole.jacobian(q, 'carrier5').T]).T
    S = np.block([[J], [np.zeros((3, 6)), np.eye(3)]])
    inertia = moving_base.mass_matrix(here, q[6:], base)
    assert error(S.T @ inertia @ S, whole.mass_matrix(q)) < 1e-10
    total = sum(here.model.constants[:, 12]) + body.mass
    np.testing.assert_allclose(inertia[3:6, 3:6], total * np.eye(3), atol=1e-12)
    twist = J @ qd
    drift = whole.jacobian(q, 'carrier5') @ qdd + whole.jacobian_bias(q, qd, 'carrier5')
    w = twist[:3]
    rate = to_com(drift) + np.concatenate((np.zeros(3), np.cross(w, np.cross(w, body.com))))
    wrench = inertia @ np.concatenate((rate, qdd[6:])) + moving_base.bias(
        here, q[6:], qd[6:], twist, base
    )
    assert error(S.T @ wrench, whole.inverse_dynamics(q, qd, qdd)) < 1e-10
