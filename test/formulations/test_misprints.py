# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""What the books print, evaluated: it is not what the corrected equation gives."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.angeles import (
    kane,
    moving_base,
    newton_euler,
    noc_forward_dynamics,
    step_halving,
)
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.formulations.angeles import planar as planar_noc
from robodyn_ros.formulations.angeles.euler_lagrange import momentum, potential_energy
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.posture import arm_at, cross, velocities
from robodyn_ros.formulations.serial_chain import Z, links_at
from robodyn_ros.formulations.spong.hamiltonian import lagrangian
from robodyn_ros.formulations.turney import (
    lagrange_4x4,
    luh_walker_paul,
    modified_newton_euler,
    strobing,
)
from robodyn_ros.formulations.turney.strobing import quadratic_coefficients
from support.robots.formulation_arms import (
    ALL,
    SERIAL,
    error,
    motion,
    planar,
    random_arm,
    random_inertial,
    rrp,
    spatial_3r,
)


def base_axes(links, vectors):
    return np.einsum('ijk,ik->ij', links.base_axes(), vectors)


def test_misprints_of_example_7_3_1():
    (a1, a2, a3), m = (0.5, 0.4, 0.3), (3, 2, 1)
    robot = planar((a1, a2, a3), m, (a1 / 2, a2 / 2, a3 / 2), (1 / 16, 2 / 75, 3 / 400))
    q, (d1, d2, d3) = np.array([0.3, -0.7, 1.1]), (0.5, -0.2, 0.9)
    _, _, cdot = velocities(arm_at(robot, q), np.array([d1, d2, d3]))
    s3, s23, c2, c3, c23 = np.sin(1.1), np.sin(0.4), np.cos(0.7), np.cos(1.1), np.cos(0.4)
    d12, d123 = d1 + d2, d1 + d2 + d3

    def square_of_c3dot(factor):
        return (
            a1**2 * d1**2
            + a2**2 * d12**2
            + a3**2 / 4 * d123**2
            + 2 * a1 * a2 * c2 * d1 * d12
            + a1 * a3 * c23 * d1 * d123
            + factor * a2 * a3 * c3 * d12 * d123
        )

    np.testing.assert_allclose(square_of_c3dot(1), cdot[2] @ cdot[2])
    assert error(square_of_c3dot(2), cdot[2] @ cdot[2]) > 1e-2
    iota = quadratic_coefficients(lambda qd: noc.mass_matrix_rate(robot, q, qd) @ qd, 3)
    np.testing.assert_allclose(2 * iota[1, 0, 2], -m[2] * a3 * (a1 * s23 + 2 * a2 * s3) / 2)
    assert error(-m[2] * a3 * (a1 * s23 + a2 * s3) / 2, 2 * iota[1, 0, 2]) > 0.1  # as printed

    def slope(qd):
        return gradient(lambda x: momentum(robot, x, qd), q).T @ qd

    gamma = quadratic_coefficients(slope, 3)
    square = -m[2] * a2 * a3 * s3
    np.testing.assert_allclose((gamma[2, 1, 1], gamma[2, 2, 2]), (square, 0), atol=1e-15)
    assert error(square, gamma[2, 2, 2]) > 0.1  # printed with thd3^2


def test_partial_velocities_of_7_21_are_three_by_n():
    robot = SERIAL['SCARA-like']()
    q, qd, qdd = next(motion(robot))
    arm = arm_at(robot, q)
    Jw, Jv = kane.partial_velocities(arm)
    w, _, cdot = velocities(arm, qd)
    np.testing.assert_allclose(np.hstack((Jw @ qd, Jv @ qd)), np.hstack((w, cdot)), atol=1e-13)
    weight = arm.m[0] * arm.g
    assert (Jv[0].T @ weight).shape == (4,)
    with pytest.raises(ValueError):
        Jv[0].T.T @ weight  # n x 3 as printed, transposed as (7.21a) has it


def test_printed_twist_rates_of_example_7_6_1_are_not_those_of_the_twists():
    a, p = 0.5, 1.5
    T_of, q, qd = noc.twist_shaping_matrix, np.array([np.pi, -np.pi / 2, np.pi]), np.full(3, p)
    robot = spatial_3r(a, 2.0, 0.3)
    by_derivative = along(lambda x: T_of(arm_at(robot, x)), q, qd).reshape(3, 6, 3)
    printed = {(1, 0): (0, 1, 0), (2, 0): (0, -2, 0), (1, 1): (-1, -1, 1)}  # the last is right
    rates = {at: by_derivative[at[0], 3:, at[1]] * 2 / (a * p) for at in printed}
    wrong = {at for at, value in printed.items() if error(value, rates[at]) > 1e-9}
    assert wrong == {(1, 0), (2, 0)}
    for at in wrong:
        np.testing.assert_allclose(rates[at], (1, -3, 0), atol=1e-12)


def test_printed_inertia_rate_of_example_7_6_1_is_not_the_derivative():
    m, a, J, p = 2.0, 0.5, 0.3, 1.5
    s, robot = m * a * a, spatial_3r(a, m, J)
    Idot = (
        along(
            lambda x: noc.mass_matrix(robot, x),
            np.array([np.pi, -np.pi / 2, np.pi]),
            np.full(3, p),
        )
        / p
    )
    printed = np.array([[-s / 2, 5 * s / 4, -J], [5 * s / 4, 0, s + J], [-J, s / 2, 0]])
    off = np.argwhere(np.abs(Idot - printed) > 1e-9).tolist()
    assert off == [[0, 2], [1, 2], [2, 0]] and error(printed, printed.T) > 0.1  # nor symmetric


def test_gravity_vector_of_example_7_6_2():
    a, m, q = np.array([0.5, 0.4, 0.3]), np.array([3, 2, 1]), np.array([0.3, -0.7, 1.1])
    G = noc.gravity_torque(planar(a, m, a / 2, (1 / 16, 2 / 75, 3 / 400)), q)
    x = a * np.cos(np.cumsum(q))

    def rows(half):
        """The first two, with x of a link's own centre of mass at `half` of its length."""
        arms = np.array(
            [
                [x[0] / 2, x[0] + half * x[1], x[0] + x[1] + half * x[2]],
                [0, half * x[1], x[1] + half * x[2]],
            ]
        )
        return 9.81 * arms @ m

    np.testing.assert_allclose(G[:2], rows(0.5), rtol=1e-12)
    assert (np.abs(rows(1) - G[:2]) > 1).all()  # printed with a whole link
    a1_for_a2 = rows(0.5)[1] + 9.81 * m[1] * (a[0] - a[1]) / 2 * np.cos(q[:2].sum())
    assert abs(a1_for_a2 - G[1]) > 0.1


def test_printed_rates_of_example_7_6_1_contradict_each_other():
    # In units of m a^2 p, without inertia. By parts, Idot = T^T M Tdot + its transpose.
    robot, posture = spatial_3r(1.0, 1.0, 0.0), np.array([np.pi, -np.pi / 2, np.pi])
    T, Tdot, M, _ = noc.matrices(robot, posture, np.ones(3))
    right = np.array([[-1, 7, -2], [-2, 0, 1], [3, 1, 0]]) / 4
    np.testing.assert_allclose(T.T @ M @ Tdot, right, atol=1e-12)
    printed = right.copy()
    printed[0, 0], printed[2, 0] = -3 / 4, 1 / 2
    Idot = np.array([[-2, 5, 1], [5, 0, 2], [1, 2, 0]]) / 4
    np.testing.assert_array_equal(right + right.T, Idot)
    wrong = np.argwhere(printed + printed.T != Idot).tolist()
    assert wrong == [[0, 0], [0, 2], [2, 0]]
    assert printed.sum(axis=1).tolist() == [0.5, -0.25, 0.75]  # C qd ends, printed, in 1


def test_moving_base_of_7_89_carries_its_links():
    arm = arm_at(random_arm('RPR', 11), np.full(3, 0.4))
    body = random_inertial(np.random.default_rng(12))
    base = moving_base.Base(body.mass, body.com, body.inertia)
    M, T = moving_base._mass(arm, base), moving_base._twists(arm, base)
    np.testing.assert_allclose(
        (T.T @ M @ T)[3:6, 3:6], (body.mass + arm.m.sum()) * np.eye(3), atol=1e-12
    )
    T[6:, :6] = 0.0  # as printed
    np.testing.assert_allclose((T.T @ M @ T)[3:6, 3:6], body.mass * np.eye(3), atol=1e-12)


def test_slide_goes_along_its_own_axis():
    # Algorithm 7.4.1: the axis, which is Z in F_i, would be that of the next joint if not turned.
    robot = SERIAL['Stanford-like']()
    q, qd, qdd = next(motion(robot))
    links = links_at(robot, q)
    moving = newton_euler.outward(links, qd, qdd)
    w, c, cdot = (base_axes(links, x) for x in (moving.w, moving.c, moving.cdot))
    slide = cdot[2] - cdot[1] - np.cross(w[2], c[2] - c[1])
    own, following = links.base_axes()[1:3] @ Z
    np.testing.assert_allclose(slide, qd[2] * own, atol=1e-12)
    assert error(qd[2] * following, slide) > 0.1
    # Algorithm 7.6.1, and the offset b e that both leave out:
    links = links_at(rrp(), np.array([0.4, 0.9, 0.7]))
    P, printed = (
        noc_forward_dynamics.projected_twists(x) for x in (links, replace(links, b=np.zeros(3)))
    )
    np.testing.assert_allclose(P.T @ P, np.diag([2.401993539599, 2.17, 3.0]), atol=1e-11)
    np.testing.assert_allclose(printed.T @ printed, np.diag([1.5, 0.7, 3.0]), atol=1e-11)


def test_velocity_terms_need_the_rate_of_the_shaping_matrix():
    # Printed T^T M thd is no product at all: 3n columns meet n rates.
    robot = SERIAL['planar']()
    q, qd, _ = next(motion(robot))
    T, Tdot, M, _ = planar_noc.matrices(robot, q, qd)
    assert error(T.T @ M @ Tdot @ qd, robot.coriolis_matrix(q, qd) @ qd) < 1e-10
    with pytest.raises(ValueError):
        T.T @ M @ qd


def test_constraints_between_two_links_start_at_the_second():
    robot = SERIAL['6R']()
    q, qd, _ = next(motion(robot))
    arm = arm_at(robot, q)
    K = noc.constraint_matrix(arm).reshape(arm.n, 6, arm.n, 6).transpose(0, 2, 1, 3)
    w, _, cdot = velocities(arm, qd)
    t = np.hstack((w, cdot))
    coupled = [i for i in range(arm.n) if K[i].any(axis=(1, 2)).sum() == 2]
    assert coupled == list(range(1, arm.n))  # counted from 0: i = 2 .. n of the book
    for i in coupled:
        np.testing.assert_allclose(K[i, i - 1] @ t[i - 1] + K[i, i] @ t[i], 0, atol=1e-13)
    # (7.66a) is the row i = 1: with it K is square, (7.67); printed there would be one row more.
    np.testing.assert_allclose(K[0, 0] @ t[0], 0, atol=1e-13)
    assert not K[0, 1:].any() and 1 + len(coupled) == K.shape[1]


def test_a_fifth_order_runge_kutta_method_has_six_stages():
    # Five stages, as printed, reach the fourth order: one step errs by h^5, not by h^6.
    times = []

    def f(t, y):
        times.append(t)
        return y**2 * np.cos(t)

    errors = [
        abs(step_halving.four_five(f, 0.0, np.array([0.5]), h)[1][0] - 1.0 / (2.0 - np.sin(h)))
        for h in (0.1, 0.05)
    ]
    assert len(times) == 2 * 5 and 4.6 < np.log2(errors[0] / errors[1]) < 5.4
    integrate = pytest.importorskip('scipy.integrate')
    assert (integrate.RK45.order, integrate.RK45.n_stages) == (5, 6)


def test_angular_acceleration_of_3_16_takes_the_rate_of_the_link_before():
    robot = SERIAL['6R']()
    q, qd, qdd = next(motion(robot))
    links = links_at(robot, q)
    w, al, _, _ = luh_walker_paul.turning(links, qd, qdd)
    for i in range(1, links.n):
        right, printed = (
            links.Q[i].T @ (al[i - 1] + cross(rate, Z * qd[i]) + Z * qdd[i])
            for rate in (w[i - 1], w[i])
        )
        np.testing.assert_allclose(right, al[i], atol=1e-12)
        assert error(printed, al[i]) > 1e-3


@pytest.mark.parametrize('name', ALL)
def test_potential_energy_grows_against_gravity(name):
    # Turney's minus, and Spong's g if it points down, make it fall where the arm is lifted.
    robot = ALL[name]()
    q, qd, _ = next(motion(robot))
    slope = gradient(lambda x: potential_energy(robot, x), q)
    G = lagrange_4x4.gravity_torque(robot, q)
    np.testing.assert_allclose(slope, G, atol=1e-10)
    at_rest = gradient(lambda x: lagrangian(robot, x, np.zeros(robot.nv)), q)
    np.testing.assert_allclose(at_rest, -G, atol=1e-10)
    arm = arm_at(robot, q)
    with_g_down = sum(m * (arm.g @ c) for m, c in zip(arm.m, arm.c))
    np.testing.assert_allclose(with_g_down, -potential_energy(robot, q))
    if G.any():
        assert error(-slope, G) > 1.9


def test_moment_of_5_2_ends_in_the_turned_moment_of_the_next_link():
    robot = random_arm('RRR', 13)
    q, qd, qdd = next(motion(robot))
    links = links_at(robot, q)
    w, al, r, slide = luh_walker_paul.turning(links, qd, qdd)
    forces, moments = modified_newton_euler.inertia_wrenches(links, w, al, r, slide)

    def torques(last):
        tau, f, n, R = [], np.zeros(3), np.zeros(3), np.eye(3)
        for i in reversed(range(links.n)):
            n = (
                moments[i]
                + cross(r[i] - links.delta[i], forces[i])
                + cross(r[i], R @ f)
                + last(R, f, n)
            )
            f, R = forces[i] + R @ f, links.Q[i]
            tau.append((R @ n)[2])
        return np.array(tau[::-1]) + links.rotor * qdd

    right = robot.inverse_dynamics(q, qd, qdd)
    assert error(modified_newton_euler.inverse_dynamics(robot, q, qd, qdd), right) < 1e-10
    assert error(torques(lambda R, f, n: R @ n), right) < 1e-10
    for other in (lambda R, f, n: n, lambda R, f, n: R @ f, lambda R, f, n: 0 * n):
        assert error(torques(other), right) > 1e-2


def test_half_the_strobed_torque_is_not_yet_the_symbol():
    robot = SERIAL['6R']()
    q, _, zero = *next(motion(robot))[:2], np.zeros(6)
    light = robot.with_gravity(strobing.NO_GRAVITY)
    c = lagrange_4x4.coriolis_coefficients(robot, q)[:, 0, 1]
    one, other = np.eye(6)[:2]
    both, first, second = (light.inverse_dynamics(q, qd, zero) for qd in (one + other, one, other))
    assert error((both - first - second) / 2, c) < 1e-10
    assert error(strobing.coriolis_coefficients(robot, q)[:, 0, 1], c) < 1e-10
    assert error(both / 2, c) > 1e-2
