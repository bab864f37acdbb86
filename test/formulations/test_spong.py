# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spong, chapter 6: Christoffel form, worked arms, Hamilton, and the properties of section 6.5."""

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.formulations.angeles import euler_lagrange
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.simulate import runge_kutta
from robodyn_ros.formulations.spong import (
    christoffel,
    hamiltonian,
    properties,
    spong_arms,
    spong_newton_euler,
)
from robodyn_ros.formulations.turney import lagrange_4x4
from robodyn_ros.model.dh import DHRow
from support.robots.formulation_arms import ALL, SERIAL, error, motion, planar

ELBOW = {'m': (1.5, 1), 'l': (1, 0.8), 'lc': (0.5, 0.4), 'I': (0.12, 0.05)}
Q, QD, QDD = np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1, -0.5])
BARS = {
    'm': (2, 1.5, 1.2, 1),
    'l1': 0.6,
    'l2': 0.3,
    'lc': (0.3, 0.15, 0.3, 0.25),
    'I': (0.06, 0.012, 0.036, 0.03),
}


def elbow():
    return planar(ELBOW['l'], ELBOW['m'], ELBOW['lc'], ELBOW['I'])


@pytest.mark.parametrize('name', ALL)
def test_christoffel_form_is_that_of_the_package(name):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot, count=2):
        assert (
            error(christoffel.coriolis_matrix(robot, q, qd), robot.coriolis_matrix(q, qd)) < 1e-10
        )
        assert (
            error(
                christoffel.inverse_dynamics(robot, q, qd, qdd), robot.inverse_dynamics(q, qd, qdd)
            )
            < 1e-10
        )
        c = christoffel.symbols(robot, q)
        np.testing.assert_allclose(c, c.transpose(1, 0, 2), atol=1e-12)
        # Turney's D_ijk, coefficient of the rates j and k on joint i, is the symbol [jk, i].
        assert error(c.transpose(2, 0, 1), lagrange_4x4.coriolis_coefficients(robot, q)) < 1e-10


@pytest.mark.parametrize('name', SERIAL)
def test_newton_euler_with_explicit_weight(name):
    robot = SERIAL[name]()
    for q, qd, qdd in motion(robot):
        assert (
            error(
                spong_newton_euler.inverse_dynamics(robot, q, qd, qdd),
                robot.inverse_dynamics(q, qd, qdd),
            )
            < 1e-10
        )


def test_planar_elbow_has_the_known_matrices():
    arm = spong_arms.planar_elbow(**ELBOW, q=Q, qd=QD)
    np.testing.assert_allclose(arm.D, [[2.31687374983, 0.515936874914], [0.515936874914, 0.21]])
    np.testing.assert_allclose(arm.C, [[0.154612244937, 0.051537414979], [0.103074829958, 0]])
    np.testing.assert_allclose(arm.g, [18.5208854253, 2.12014624823])
    np.testing.assert_allclose(arm.torque(QD, QDD), [20.6107131866, 2.57231305512])
    robot = elbow()
    for form in (christoffel, spong_newton_euler):
        np.testing.assert_allclose(
            form.inverse_dynamics(robot, Q, QD, QDD), arm.torque(QD, QDD), rtol=1e-12
        )
    np.testing.assert_allclose(christoffel.coriolis_matrix(robot, Q, QD), arm.C, atol=1e-14)
    np.testing.assert_allclose(euler_lagrange.momentum(robot, Q, QD), [0.61718737, 0.08037475])
    np.testing.assert_allclose(euler_lagrange.kinetic_energy(robot, Q, QD), 0.09932505, rtol=1e-6)


def test_planar_elbow_has_the_known_christoffel_symbols():
    h = -0.4 * np.sin(0.7)
    c = christoffel.symbols(elbow(), Q)
    expected = np.zeros((2, 2, 2))
    expected[0, 1, 0] = expected[1, 0, 0] = expected[1, 1, 0] = h
    expected[0, 0, 1] = -h
    np.testing.assert_allclose(c, expected, atol=1e-14)


def test_planar_elbow_has_the_known_regressor():
    theta = spong_arms.planar_elbow_parameters(**ELBOW)
    np.testing.assert_allclose(theta, [1.705, 0.4, 0.21, 1.75, 0.4])
    Y = spong_arms.planar_elbow_regressor(Q, QD, QDD)
    np.testing.assert_allclose(
        Y,
        [
            [1, 1.2245694034, -0.5, 9.37185095832, 5.30036562057],
            [0, 0.867917017243, 0.5, 0, 5.30036562057],
        ],
        rtol=1e-10,
    )
    np.testing.assert_allclose(Y @ theta, elbow().inverse_dynamics(Q, QD, QDD), rtol=1e-12)


def test_planar_elbow_has_the_known_tip_torque_and_bounds():
    robot = elbow()
    pushed = robot.inverse_dynamics(Q, QD, QDD, f_ext={'link2': np.array([3, -2, 0, 0, 0, 0])})
    np.testing.assert_allclose(pushed, [26.29196084, 5.45632711], rtol=1e-8)
    bounds = properties.inertia_bounds(robot)
    np.testing.assert_allclose(bounds, [0.057939978300, 2.657060021700], rtol=1e-9)


def test_remotely_driven_elbow_has_the_known_matrices():
    p, pd, pdd = np.array([0.3, 1.0]), np.array([0.4, -0.2]), np.array([1, 0.5])
    arm = spong_arms.remotely_driven(**ELBOW, p=p, pd=pd)
    np.testing.assert_allclose(arm.D, [[1.495, 0.305936874914], [0.305936874914, 0.21]])
    np.testing.assert_allclose(arm.C, [[0, 0.051537414979], [0.103074829958, 0]])
    np.testing.assert_allclose(arm.g, [16.4007391771, 2.12014624823])
    np.testing.assert_allclose(arm.torque(pd, pdd), [18.0384001315, 2.57231305512])
    # q = S p: D_p = S^T D_q S, tau_p = S^T tau_q, of the same elbow.
    S = np.array([[1, 0], [-1, 1]])
    robot = elbow()
    np.testing.assert_allclose(S.T @ robot.mass_matrix(S @ p) @ S, arm.D, rtol=1e-12)
    np.testing.assert_allclose(
        S.T @ robot.inverse_dynamics(S @ p, S @ pd, S @ pdd), arm.torque(pd, pdd), rtol=1e-12
    )


def test_five_bar_linkage_has_the_known_matrices():
    q, qd, qdd = np.array([0.4, 1.3]), np.array([0.5, -0.8]), np.array([1, 2])
    arm = spong_arms.five_bar(**BARS, q=q, qd=qd)
    np.testing.assert_allclose(arm.D, [[0.744, -0.0261076186674], [-0.0261076186674, 0.24625]])
    np.testing.assert_allclose(arm.C, [[0, -0.0263197841635], [-0.0164498651022, 0]])
    np.testing.assert_allclose(arm.g, [14.0955490278, 0.87909477545])
    np.testing.assert_allclose(arm.torque(qd, qdd), [14.8083896178, 1.33726222423])
    balanced = {**BARS, 'lc': (0.3, 0.15, 0.3, 0.18)}
    assert abs(spong_arms.five_bar_coupling(balanced['m'], 0.6, 0.3, balanced['lc'])) < 1e-15
    arm = spong_arms.five_bar(**balanced, q=q, qd=qd)
    np.testing.assert_allclose(arm.D, np.diag([0.744, 0.21615]), atol=1e-15)
    np.testing.assert_allclose(arm.C, 0, atol=1e-15)
    np.testing.assert_allclose(arm.torque(qd, qdd), [14.8395490278, 1.49508622107])


def test_five_bar_comes_from_the_energies_of_its_bars():
    # The centres of mass of (6.100) to (6.103), and nothing else of spong_arms.
    lc, l1, l2 = BARS['lc'], BARS['l1'], BARS['l2']
    q, qd = np.array([0.4, 1.3]), np.array([0.5, -0.8])

    def centres(x):
        u, v = (np.array([np.cos(a), np.sin(a)]) for a in x)
        return np.array([lc[0] * u, lc[1] * v, l2 * v + lc[2] * u, l1 * u - lc[3] * v])

    def inertia(x):
        turning = np.diag([BARS['I'][0] + BARS['I'][2], BARS['I'][1] + BARS['I'][3]])
        return turning + sum(m * J.T @ J for m, J in zip(BARS['m'], gradient(centres, x)))

    arm = spong_arms.five_bar(**BARS, q=q, qd=qd)
    np.testing.assert_allclose(inertia(q), arm.D, atol=1e-14)

    def potential(x):
        return 9.81 * np.array(BARS['m']) @ centres(x)[:, 1]

    np.testing.assert_allclose(gradient(potential, q), arm.g, rtol=1e-12)
    N = along(lambda x: spong_arms.five_bar(**BARS, q=x, qd=qd).D, q, qd) - 2 * arm.C
    np.testing.assert_allclose(N, -N.T, atol=1e-15)


def test_cartesian_arm_has_the_known_forces():
    arm = spong_arms.cartesian((2.0, 1.5))
    np.testing.assert_allclose(arm.torque(np.array([0.3, 0.4]), np.array([1, 2])), [37.835, 3.0])
    rows = [
        DHRow(joint='prismatic', alpha=-np.pi / 2, mass=2.0),
        DHRow(joint='prismatic', mass=1.5),
    ]
    robot = Robot.from_dh(rows, convention='standard')
    got = robot.inverse_dynamics(np.array([0.1, 0.2]), np.array([0.3, 0.4]), np.array([1.0, 2.0]))
    np.testing.assert_allclose(got, [3.5 * 10.81, 3.0], rtol=1e-12)


def test_a_lifted_mass_obeys_its_lagrangian():
    # (6.1) to (6.5): d/dt dL/d(yd) - dL/dy = f of L = m yd^2 / 2 - m g y, and a sliding joint.
    m, y, yd, ydd = 2.5, np.array([0.3]), np.array([0.7]), np.array([-1.2])
    arm = spong_arms.vertical_mass(m)

    def lagrangian(x, xd):
        return 0.5 * m * xd[0] ** 2 - m * 9.81 * x[0]

    momentum_rate = gradient(lambda xd: lagrangian(y, xd), ydd)  # linear in the rate
    force = momentum_rate - gradient(lambda x: lagrangian(x, yd), y)
    np.testing.assert_allclose(arm.torque(yd, ydd), force, rtol=1e-14)
    robot = Robot.from_dh([DHRow(joint='prismatic', mass=m)], convention='standard')
    np.testing.assert_allclose(robot.inverse_dynamics(y, yd, ydd), force, rtol=1e-12)


def test_regressors_of_the_worked_arms_are_closed_forms():
    p, pd, pdd = np.array([0.3, 1.0]), np.array([0.4, -0.2]), np.array([1.0, 0.5])
    Y = spong_arms.absolute_regressor(p, pd, pdd)
    arm = spong_arms.remotely_driven(**ELBOW, p=p, pd=pd)
    theta = spong_arms.remotely_driven_parameters(**ELBOW)
    np.testing.assert_allclose(Y @ theta, arm.torque(pd, pdd), rtol=1e-13)
    arm = spong_arms.five_bar(**BARS, q=p, qd=pd)
    theta = spong_arms.five_bar_parameters(**BARS)
    np.testing.assert_allclose(Y @ theta, arm.torque(pd, pdd), rtol=1e-13)
    arm = spong_arms.cartesian((2.0, 1.5))
    Y = spong_arms.cartesian_regressor(pdd)
    theta = spong_arms.cartesian_parameters((2.0, 1.5))
    np.testing.assert_allclose(Y @ theta, arm.torque(pd, pdd), rtol=1e-13)


def test_regressors_of_the_worked_arms_have_no_parameter_too_many():
    # Rows of many motions are independent: each entry of Theta can be found from torques.
    rng = np.random.default_rng(5)
    for count, regressor in (
        (5, lambda p, pd, pdd: spong_arms.absolute_regressor(p, pd, pdd)),
        (2, lambda p, pd, pdd: spong_arms.cartesian_regressor(pdd)),
    ):
        stacked = np.vstack([regressor(*rng.normal(size=(3, 2))) for _ in range(10)])
        assert np.linalg.matrix_rank(stacked) == count == stacked.shape[1]


def test_geared_link_has_the_corrected_damping():
    # Printed r Bm + Bl would give B = 0.25: r^2 Bm + Bl is what the motor's power asks for.
    arm = spong_arms.geared_link(50, 2e-4, 0.35, 4, 0.3, 1e-3, 0.2, q=np.array([0.4]))
    np.testing.assert_allclose((arm.D[0, 0], arm.C[0, 0]), (0.85, 2.7))
    np.testing.assert_allclose(arm.torque(np.array([0.5]), np.array([1.0])), 6.784232725657)
    motor_rate, link_rate = 50 * 0.5, 0.5
    lost = 1e-3 * motor_rate**2 + 0.2 * link_rate**2
    np.testing.assert_allclose(arm.C[0, 0] * link_rate**2, lost)
    assert (50 * 1e-3 + 0.2) * link_rate**2 < lost / 10


def test_geared_link_is_a_robot_with_a_rotor():
    row = DHRow(a=0.3, mass=4, com=(0, 0, 0), inertia=np.diag([0, 0.2, 0.2]), rotor_inertia=0.5)
    robot = Robot.from_dh([row], convention='standard', gravity=(9.81, 0, 0))
    arm = spong_arms.geared_link(50, 2e-4, 0.2 + 4 * 0.3**2, 4, 0.3, 0, 0, q=np.array([0.4]))
    np.testing.assert_allclose(
        robot.inverse_dynamics(np.array([0.4]), np.array([0.5]), np.ones(1)),
        arm.torque(np.array([0.5]), np.ones(1)),
        rtol=1e-12,
    )


ELASTIC = {'motor_inertia': 0.1, 'link_inertia': 0.4, 'mass': 2.0, 'lc': 0.3}


def swung(k, u, duration, dt=5e-4):
    """(energies [J], angles of the link) along a motion of Example 6.2, and the geared link's."""

    def rates(t, y):
        arm = spong_arms.elastic_link(**ELASTIC, stiffness=k, q=y[:2])
        geared = spong_arms.geared_link(1, **ELASTIC, motor_damping=0, link_damping=0, q=y[4:5])
        found = np.linalg.solve(arm.D, np.array([0.0, u]) - arm.g)
        return np.concatenate((y[2:4], found, y[5:], (u - geared.g) / geared.D[0]))

    def energy(y):
        swing = (
            0.5 * ELASTIC['link_inertia'] * y[2] ** 2 + 0.5 * ELASTIC['motor_inertia'] * y[3] ** 2
        )
        lift = ELASTIC['mass'] * 9.81 * ELASTIC['lc'] * (1.0 - np.cos(y[0]))
        return swing + lift + 0.5 * k * (y[0] - y[1]) ** 2 - u * y[1]

    y = np.array([0.5, 0.5, 0.3, 0.3, 0.5, 0.3])
    found = [(energy(y), y[0], y[4])]
    for step in range(round(duration / dt)):
        y = runge_kutta(rates, step * dt, y, dt)
        found.append((energy(y), y[0], y[4]))
    return np.array(found).T


def test_elastic_link_conserves_energy():
    """What the motor's torque puts in is counted: u times its angle."""
    energy, link, geared = swung(80.0, 3.0, 0.5)
    # Runge and Kutta's step of 0.5 ms at 32 rad/s: (0.016)^5 of it, a thousand times
    np.testing.assert_allclose(energy, energy[0], atol=1e-8)
    assert np.abs(link - geared).max() > 1e-2  # it swings on its spring


def test_elastic_link_stiffens_to_the_geared_one():
    """The link's distance from the geared link falls as the compliance 1 / k does."""
    soft, stiff = (
        np.abs(link - geared).max() for _, link, geared in (swung(k, 3.0, 0.2) for k in (1e3, 1e4))
    )
    assert 8.0 < soft / stiff < 12.0 and stiff < 1e-3


def test_elastic_link_hangs_its_weight_on_the_angle_of_the_link():
    q = np.array([0.5, 0.45])
    arm = spong_arms.elastic_link(**ELASTIC, stiffness=80.0, q=q)

    def potential(x):
        return 2.0 * 9.81 * 0.3 * (1 - np.cos(x[0])) + 40.0 * (x[0] - x[1]) ** 2

    np.testing.assert_allclose(arm.g, gradient(potential, q), rtol=1e-12)
    exchanged = spong_arms.elastic_link(**ELASTIC, stiffness=80.0, q=q[::-1]).g[::-1]
    assert error(exchanged, arm.g) > 0.1  # the weight would hang on the motor


@pytest.mark.parametrize('name', ['6R', 'Stanford-like', 'tree', 'two_link'])
def test_hamilton_rates_are_those_of_the_robot(name):
    robot = ALL[name]()
    for q, qd, tau in motion(robot, count=2):
        p = euler_lagrange.momentum(robot, q, qd)
        rate, pdot = hamiltonian.rates(robot, q, p, tau)
        assert error(rate, qd) < 1e-10
        assert (
            error(
                hamiltonian.forward_dynamics(robot, q, qd, tau), robot.forward_dynamics(q, qd, tau)
            )
            < 1e-9
        )
        H, L = hamiltonian.hamiltonian(robot, q, p), hamiltonian.lagrangian(robot, q, qd)
        assert error(H, qd @ p - L) < 1e-10 and error(H, sum(robot.energy(q, qd))) < 1e-10
        slope = gradient(lambda x: hamiltonian.lagrangian(robot, x, qd), q)
        assert error(pdot, slope + tau) < 1e-10
        by_q = gradient(lambda x: hamiltonian.hamiltonian(robot, x, p), q)
        assert error(by_q @ rate + rate @ pdot, qd @ tau) < 1e-9  # dH/dt, in watts


@pytest.mark.parametrize('name', ALL)
def test_properties_hold_on_every_robot(name):
    checks = properties.check(ALL[name](), samples=3)
    assert all(c.holds for c in checks), properties.report(checks)


def test_properties_hold_where_there_is_nothing_to_be_skew():
    pendulum = Robot.from_dh([DHRow(mass=1.3, com=(0.7, 0, 0))], gravity=(9.81, 0, 0))
    checks = properties.check(pendulum, samples=3)
    assert all(c.holds for c in checks), properties.report(checks)


def test_properties_fail_for_another_coriolis_matrix():
    robot = SERIAL['6R']()

    class Other(Robot):
        def coriolis_matrix(self, q, qd, out=None):
            C = super().coriolis_matrix(q, qd)
            u = np.zeros(self.nv)
            u[0] = qd @ qd / qd[0]
            return C + 0.01 * np.outer(np.ones(self.nv), qd - u)  # same C qd

    q, qd, _ = next(motion(robot))
    other = Other(robot.model)
    np.testing.assert_allclose(
        other.coriolis_matrix(q, qd) @ qd, robot.coriolis_matrix(q, qd) @ qd
    )
    assert properties.skew_symmetry(other, q, qd) > 1e-4 > properties.skew_symmetry(robot, q, qd)
    assert not properties.check(other, samples=2)[0].holds
