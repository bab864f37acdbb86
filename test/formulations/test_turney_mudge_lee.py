# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turney, Mudge and Lee 1980: 4x4 Lagrange, both Newton-Euler sets, strobing, sensor, schedule."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.angeles import newton_euler
from robodyn_ros.formulations.arm import accelerations, arm_at, links_of, skew, velocities
from robodyn_ros.formulations.count import general_arm, operations
from robodyn_ros.formulations.turney import (
    concurrent_schedule,
    expanded_newton_euler,
    lagrange_4x4,
    lagrange_organised,
    luh_walker_paul,
    modified_newton_euler,
    strobing,
)
from robodyn_ros.model.layout import INERTIA, MASS, ROTOR
from support.robots.formulation_arms import (
    ALL,
    SERIAL,
    TREES,
    error,
    motion,
    random_inertial,
    six_revolute,
)

SETS = (luh_walker_paul, modified_newton_euler)
Q = np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2])
QD = np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2])
QDD = np.array([1, -0.8, 0.6, -0.4, 0.2, 0.1])


@pytest.mark.parametrize('form', SETS)
@pytest.mark.parametrize('name', SERIAL)
def test_newton_euler_sets_give_the_torque_of_the_package(name, form):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        assert (
            error(form.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd))
            < 1e-10
        )


@pytest.mark.parametrize('name', ALL)
def test_lagrange_gives_the_torque_and_matrices_of_the_package(name):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot, count=2):
        assert (
            error(
                lagrange_4x4.inverse_dynamics(robot, q, qd, qdd),
                robot.inverse_dynamics(q, qd, qdd),
            )
            < 1e-10
        )
        assert error(lagrange_4x4.mass_matrix(robot, q), robot.mass_matrix(q)) < 1e-10
        assert error(lagrange_4x4.gravity_torque(robot, q), robot.gravity_torque(q)) < 1e-10
        C = lagrange_4x4.coriolis_coefficients(robot, q) @ qd
        assert error(C, robot.coriolis_matrix(q, qd)) < 1e-10


@pytest.mark.parametrize('form', [*SETS, lagrange_4x4, newton_euler])
def test_4x4_form_gives_the_known_torques(form):
    np.testing.assert_allclose(
        form.inverse_dynamics(six_revolute(), Q, QD, QDD),
        [
            13.925037827771,
            111.582762215617,
            5.657670172390,
            -0.208414779055,
            -0.069235079286,
            -0.017645574036,
        ],
        rtol=1e-10,
    )


def test_4x4_form_gives_the_known_matrices():
    robot = six_revolute()
    D = lagrange_4x4.mass_matrix(robot, Q)
    np.testing.assert_allclose(
        D[0],
        [
            17.110758874149,
            0.764599169960,
            0.138577797267,
            -0.285614325972,
            -0.009191668102,
            -0.013312257618,
        ],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        D[1, 1:],
        [17.359731988698, 1.414226600180, 0.042667037175, 0.082398020098, -0.002684348751],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        D[2, 2:], [0.987957669381, 0.020068035837, 0.081426166391, -0.002684348751], atol=1e-11
    )
    np.testing.assert_allclose(
        np.diag(D)[3:], [0.300839167425, 0.081088342790, 0.0141], atol=1e-11
    )
    np.testing.assert_allclose(
        np.linalg.eigvalsh(D)[[0, -1]], [0.013681201681, 18.092853163786], rtol=1e-9
    )
    np.testing.assert_allclose(
        QD @ lagrange_4x4.coriolis_coefficients(robot, Q) @ QD,
        [
            -2.768264559776,
            -1.796425602150,
            -0.203558952309,
            -0.036690545771,
            -0.019534545382,
            -0.001966476232,
        ],
        atol=1e-11,
    )
    np.testing.assert_allclose(
        lagrange_4x4.gravity_torque(robot, Q),
        [0, 125.654693924384, 6.253268421878, 0.255240140412, -0.039663818117, 0],
        atol=1e-11,
    )


@pytest.mark.parametrize('name', ['6R', 'Stanford-like'])
def test_the_two_sets_are_equal_term_by_term(name):
    # Section 4: what each link contributes through each acceleration and each pair of rates.
    robot = SERIAL[name]()
    q, _, _ = next(motion(robot))
    D_ij, D_ijk, D_i = lagrange_4x4.coefficients(robot, q)
    zero = np.zeros(robot.nv)
    for number, link in enumerate(links_of(robot), start=1):
        constants = robot.model.constants.copy()
        constants[:, ROTOR] = 0.0
        constants[np.arange(len(constants)) != number, MASS : INERTIA + 6] = 0.0
        alone = robot.model.with_constants(constants)
        i = link.joint
        assert error(strobing.mass_matrix(alone, q), D_ij[i]) < 1e-12
        assert error(strobing.coriolis_coefficients(alone, q), D_ijk[i]) < 1e-12
        weight = luh_walker_paul.inverse_dynamics(alone, q, zero, zero)
        assert error(weight, D_i[i]) < 1e-12
        if weight.any():  # without the m that (4.11) lacks
            assert error(weight / link.m, D_i[i]) > 1e-2


@pytest.mark.parametrize('name', ALL)
def test_closed_sums_of_section_4_are_the_recursions_and_lagrange(name):
    # (4.1) to (4.9) are the motions of the links; (4.10) to (4.19) give D_ij, D_ijk and D_i.
    robot = ALL[name]()
    q, qd, qdd = next(motion(robot))
    arm = arm_at(robot, q)
    w, al, a = expanded_newton_euler.motion(robot, q, qd, qdd)
    assert error(w, velocities(arm, qd)[0]) < 1e-12
    for got, expected in zip((al, a + arm.g), accelerations(arm, qd, qdd)):
        assert error(got, expected) < 1e-12
    for got, expected in zip(
        expanded_newton_euler.coefficients(robot, q), lagrange_4x4.coefficients(robot, q)
    ):
        assert error(got, expected) < 1e-12
    torque = expanded_newton_euler.inverse_dynamics(robot, q, qd, qdd)
    assert error(torque, robot.inverse_dynamics(q, qd, qdd)) < 1e-12


@pytest.mark.parametrize('name', SERIAL)
def test_organised_lagrange_gives_the_torque(name):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        got = lagrange_organised.inverse_dynamics(robot, q, qd, qdd)
        assert error(got, robot.inverse_dynamics(q, qd, qdd)) < 1e-12


@pytest.mark.parametrize('n', [2, 6, 9])
def test_plan_of_the_appendix_takes_the_steps_of_table_2(n):
    states = np.random.default_rng(n).uniform(0.5, 1.0, (3, n))
    _, plan = lagrange_organised.planned(general_arm(n), *states)
    spent = {row: (plan.multiplications[row], plan.additions[row]) for row in plan.multiplications}
    table = lagrange_organised.printed(n)
    m, a = spent.pop('bracket')
    assert spent == {row: table[row] for row in spent} and len(spent) == 5
    # Printed in the text: 16 n (n^2 - 1) additions of second derivatives.
    assert spent['second'][1] == 8 * n * (n * n - 1)
    # The brackets of the table have no multiplications by thdd_j, 16 each.
    assert m == table['bracket'][0] + 8 * n * (n + 1)
    # Additions: as executed, each second derivative once; the text takes both orders.
    both = sum(16 * (q + q * q - 1) + 48 for q in range(1, n + 1))
    assert a == both - sum((16 - 1) * q * (q - 1) // 2 for q in range(1, n + 1))
    assert both == 16 * n * (n + 1) * (n + 2) // 3 + 32 * n
    assert table['bracket'][1] == both - 16 * n * (n + 1)
    if n == 6:
        assert tuple(np.sum(list(table.values()), axis=0)) == (5916, 4840)


def test_organised_lagrange_is_of_third_order_and_cheaper():
    counts = []
    for n in (3, 4, 5, 6, 7):
        states = np.full((3, n), 0.7)
        counts.append(operations(lagrange_organised.inverse_dynamics, general_arm(n), *states))
    np.testing.assert_array_equal(np.diff(counts, 4, axis=0), 0)
    whole = operations(lagrange_4x4.inverse_dynamics, general_arm(6), *np.full((3, 6), 0.7))
    assert np.less(counts[3], np.array(whole) / 4).all() and np.less(counts[3], (5916, 4840)).all()


@pytest.mark.parametrize('name', SERIAL)
def test_strobing_by_halves_is_the_whole_mass_matrix(name):
    robot = SERIAL[name]()
    q, _, _ = next(motion(robot))
    assert error(strobing.lower_half(robot, q), robot.mass_matrix(q)) < 1e-12


def test_strobing_by_halves_takes_links_from_j_on():
    # Of n links n + 1 - j: about half of the outward and of the inward recursions, and less.
    q = np.full(8, 0.7)
    half, whole = (
        np.array(operations(strobe, general_arm(8), q))
        for strobe in (strobing.lower_half, lambda robot, q: strobing.mass_matrix(robot, q))
    )
    assert (half < 0.72 * whole).all()
    with pytest.raises(ModelError, match='serial chain'):
        strobing.lower_half(TREES['tree'](), next(motion(TREES['tree']()))[0])


@pytest.mark.parametrize(
    'inverse_dynamics',
    [
        modified_newton_euler.inverse_dynamics,
        lagrange_4x4.inverse_dynamics,
        Robot.inverse_dynamics,
    ],
)
def test_strobing_recovers_inertia_and_christoffel_symbols(inverse_dynamics):
    robot = SERIAL['Stanford-like']()
    for q, qd, tau in motion(robot, count=2):
        assert (
            error(strobing.mass_matrix(robot, q, inverse_dynamics), robot.mass_matrix(q)) < 1e-10
        )
        assert (
            error(
                strobing.coriolis_coefficients(robot, q, inverse_dynamics) @ qd,
                robot.coriolis_matrix(q, qd),
            )
            < 1e-10
        )
        assert (
            error(
                strobing.forward_dynamics(robot, q, qd, tau, inverse_dynamics),
                robot.forward_dynamics(q, qd, tau),
            )
            < 1e-9
        )


@pytest.mark.parametrize('form', SETS)
def test_wrist_sensor_stands_for_an_unknown_load(form):
    # The sensor reads what moves the load; the arm's own model is without it.
    robot = SERIAL['franka_like']()
    frame = robot.model.body_names[-1]
    load = random_inertial(np.random.default_rng(3))
    loaded = robot.with_payload(frame, load.mass, load.com, load.inertia)
    for q, qd, qdd in motion(robot):
        w, drift = robot.velocity(q, qd, frame)[3:], robot.jacobian_bias(q, qd, frame)
        R = robot.pose(q, frame)[:3, :3]
        a = robot.jacobian(q, frame) @ qdd + drift
        w, v, al = R.T @ w, R.T @ (a[:3] - robot.model.gravity), R.T @ a[3:]
        c = load.com
        force = load.mass * (v + np.cross(al, c) + np.cross(w, np.cross(w, c)))
        moment = load.inertia @ al + np.cross(w, load.inertia @ w) + np.cross(c, force)
        got = form.inverse_dynamics(robot, q, qd, qdd, (frame, np.concatenate((force, moment))))
        assert error(got, loaded.inverse_dynamics(q, qd, qdd)) < 1e-10


def test_sensor_must_be_on_the_last_link():
    robot = SERIAL['6R']()
    with pytest.raises(ModelError, match="on link 'link3'; expected 'link6'"):
        luh_walker_paul.inverse_dynamics(robot, Q, QD, QDD, ('link3', np.zeros(6)))


def test_rate_matrix_and_pseudo_inertia_identities():
    # A_i, K_i and the moment of section 5, and (1.27), as corrected.
    rng = np.random.default_rng(1)
    w, al, b = rng.normal(size=(3, 3))
    inertia = random_inertial(rng).inertia
    A, K = modified_newton_euler.rate_matrix(w, al), modified_newton_euler.pseudo_inertia(inertia)
    np.testing.assert_allclose(A @ b, np.cross(w, np.cross(w, b)) + np.cross(al, b), atol=1e-14)
    np.testing.assert_allclose(A[2, 1], w[1] * w[2] + al[0])
    np.testing.assert_allclose(
        modified_newton_euler.axial(A @ K), inertia @ al + np.cross(w, inertia @ w), atol=1e-13
    )
    np.testing.assert_allclose(np.trace(K) * np.eye(3) - K, inertia, atol=1e-14)
    # Not so: the other sign of al_x in A, K about another origin, K of (1.26) in tilted axes.
    other = A.copy()
    other[2, 1] = w[1] * w[2] - al[0]
    assert error(other @ b, A @ b) > 1e-2
    moment = modified_newton_euler.axial(A @ K)
    assert error(modified_newton_euler.axial(A @ (K + np.outer(b, b))), moment) > 1e-2
    np.testing.assert_allclose((A @ K)[1, 2] - (A @ K)[2, 1], -moment[0])  # sign of the prose
    principal = np.diag(np.diag(K))
    assert error(np.trace(principal) * np.eye(3) - principal, inertia) > 1e-2


def test_homogeneous_inertia_is_that_of_points():
    link = links_of(SERIAL['6R']())[2]
    J = lagrange_4x4.homogeneous_inertia(link)
    about_origin = link.I - link.m * skew(link.rho) @ skew(link.rho)
    np.testing.assert_allclose(
        np.trace(J[:3, :3]) * np.eye(3) - J[:3, :3], about_origin, atol=1e-13
    )
    np.testing.assert_allclose(J[3], [*(link.m * link.rho), link.m])


@pytest.mark.parametrize('n', [2, 6, 7, 12])
def test_concurrent_schedule_respects_what_it_needs_and_has_the_published_count(n):
    done = set()
    for stage in concurrent_schedule.schedule(n):
        for name, link in stage.quantities:
            missing = set(concurrent_schedule.needs(name, link, n)) - done
            # Within an inward stage the moments wait for the lever arm of the last link only.
            assert missing <= {('lever', n)} & set(stage.quantities), (name, link)
            assert (name, link) not in done
        done |= set(stage.quantities)
    assert {('f', 1), ('n', 1)} <= done and len(done) == 9 * n
    assert concurrent_schedule.steps(n) == (27 * n + 42, 27 * n + 41)


def test_lagrange_on_a_tree_has_no_coupling_between_branches():
    robot = TREES['tree']()
    q, _, _ = next(motion(robot))
    names = robot.joint_names
    left, right = names.index('joint3'), names.index('joint7')
    assert lagrange_4x4.mass_matrix(robot, q)[left, right] == 0.0
