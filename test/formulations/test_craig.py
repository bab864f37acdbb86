# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Craig, chapter 6: the iteration, its three forms, solids, and the Euler method."""

from math import pi

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.errors import ParameterError, SingularityError
from robodyn_ros.formulations import simulate
from robodyn_ros.formulations.angeles.dissipation import Friction
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.craig import iterative_newton_euler, solids, viscous_coulomb_friction
from robodyn_ros.model.dh import DHRow
from support.robots.formulation_arms import ALL, DOWN_Y, SERIAL, error, motion, planar

M1, M2, L1, L2 = 4.6, 2.3, 0.5, 0.5
Q, QD, QDD = np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1, -0.5])
X, Y = 0, 1


def two_link():
    """Point masses at the tips, and a frame 'tip' there (section 6.7)."""
    rows = [
        DHRow(mass=M1, com=(L1, 0, 0)),
        DHRow(a=L1, mass=M2, com=(L2, 0, 0)),
        DHRow(a=L2, joint='fixed', link_name='tip'),
    ]
    return Robot.from_dh(rows, gravity=DOWN_Y, name='section 6.7')


def elbow():
    return planar((1, 0.8), (1.5, 1), (0.5, 0.4), (0.12, 0.05))


@pytest.mark.parametrize('name', ALL)
def test_iteration_gives_the_torque_of_the_package(name):
    robot = ALL[name]()
    for q, qd, qdd in motion(robot):
        tau = robot.inverse_dynamics(q, qd, qdd)
        assert error(iterative_newton_euler.inverse_dynamics(robot, q, qd, qdd), tau) < 1e-10
        M, V, G = iterative_newton_euler.state_space(robot, q, qd)
        assert error(M, robot.mass_matrix(q)) < 1e-10
        assert error(M @ qdd + V + G, tau) < 1e-10
        M, B, C, G = iterative_newton_euler.configuration_space(robot, q)
        cross, square = iterative_newton_euler.products(qd)
        assert error(M @ qdd + B @ cross + C @ square + G, tau) < 1e-10


def test_two_link_arm_has_the_printed_state_and_configuration_space_form():
    robot = two_link()
    M, V, G = iterative_newton_euler.state_space(robot, Q, QD)
    np.testing.assert_allclose(M, [[3.17956851538, 1.01478425769], [1.01478425769, 0.575]])
    np.testing.assert_allclose(V, [0.0444510204194, 0.0592680272259])
    np.testing.assert_allclose(G, [38.4283062699, 6.09542046365])
    np.testing.assert_allclose(M @ QDD + V + G, [41.1449336768, 6.88197274857])
    _, B, C, _ = iterative_newton_euler.configuration_space(robot, Q)
    k = M2 * L1 * L2 * np.sin(Q[1])
    np.testing.assert_allclose(B, [[-2 * k], [0]], atol=1e-14)  # 2 x 1
    with pytest.raises(ValueError):
        B @ QD  # as printed, times a vector of two
    np.testing.assert_allclose(C, [[0, -k], [k, 0]], atol=1e-14)


def test_two_link_arm_has_the_cartesian_form_in_base_axes():
    robot = two_link()
    Mx, Vx, Gx = iterative_newton_euler.cartesian(robot, Q, QD, 'tip', [X, Y])
    np.testing.assert_allclose(
        Mx, [[5.53568462249, 5.03928022562], [5.03928022562, 10.1482139501]]
    )
    np.testing.assert_allclose(Vx, [0.486203256805, 0.757216707901])
    np.testing.assert_allclose(Gx, [36.1565830982, 78.8735418143])


def test_two_link_arm_has_the_corrected_cartesian_form_in_the_tip_frame():
    # J as printed lacks + l2 in (2, 1). Vx belongs to components in the moving frame.
    robot = two_link()

    def jacobian(q):
        s2, c2 = np.sin(q[1]), np.cos(q[1])
        return np.array([[L1 * s2, 0], [L1 * c2 + L2, L2]])

    J, Jdot = jacobian(Q), along(jacobian, Q, QD)
    R = robot.pose(Q, 'tip')[:2, :2]
    np.testing.assert_allclose(R.T @ robot.jacobian(Q, 'tip')[[X, Y]], J, atol=1e-15)
    printed = J - [[0, 0], [L2, 0]]
    inverse = np.array([[L2, 0], [-L1 * np.cos(Q[1]) - L2, L1 * np.sin(Q[1])]]) / (
        L1 * L2 * np.sin(Q[1])
    )  # as printed
    np.testing.assert_allclose(J @ inverse, np.eye(2), atol=1e-15)
    assert error(printed @ inverse, np.eye(2)) > 0.1
    Mx, Vx, Gx = iterative_newton_euler.cartesian_form(
        *iterative_newton_euler.state_space(robot, Q, QD), J, Jdot @ QD
    )
    np.testing.assert_allclose(Mx, np.diag([13.3838985726, 2.3]), atol=1e-12)
    np.testing.assert_allclose(Mx[0, 0], M2 + M1 / np.sin(Q[1]) ** 2)
    np.testing.assert_allclose(Vx, [1.04165746858, -0.0592680272259])
    np.testing.assert_allclose(Gx, [85.9052821261, 12.1908409273])
    xdd = J @ QDD + Jdot @ QD
    np.testing.assert_allclose(xdd, [0.230327781145, 0.709727216111])
    F = Mx @ xdd + Vx + Gx
    np.testing.assert_allclose(F, [90.0296232559, 13.7639454971])
    np.testing.assert_allclose(J.T @ F, robot.inverse_dynamics(Q, QD, QDD))


def test_cartesian_form_of_a_spatial_arm():
    robot = SERIAL['6R']()
    frame, axes = robot.frames[-1], list(range(6))
    for q, qd, qdd in motion(robot):
        J = robot.jacobian(q, frame)
        Mx, Vx, Gx = iterative_newton_euler.cartesian(robot, q, qd, frame, axes)
        xdd = J @ qdd + robot.jacobian_bias(q, qd, frame)
        tau = robot.inverse_dynamics(q, qd, qdd)
        assert error(J.T @ (Mx @ xdd + Vx + Gx), tau) < 1e-9
        assert error(np.linalg.inv(Mx), J @ robot.mass_matrix_inverse(q) @ J.T) < 1e-8
        JM, Bx, Cx, G = iterative_newton_euler.cartesian_configuration_space(robot, q, frame, axes)
        cross, square = iterative_newton_euler.products(qd)
        assert error(JM @ xdd + Bx @ cross + Cx @ square + G, tau) < 1e-9
        printed = J.T @ robot.mass_matrix(q)
        assert error(printed @ xdd + Bx @ cross + Cx @ square + G, tau) > 1e-2


def test_cartesian_form_refuses_a_stretched_arm():
    with pytest.raises(SingularityError, match='no inverse here'):
        iterative_newton_euler.cartesian(two_link(), np.array([0.3, 0.0]), QD, 'tip', [X, Y])


def test_outward_pass_has_the_corrected_values_of_section_6_7():
    # Printed g s1 in the second components must be g c1; vd_C2 takes wd_2, not wd_1.
    (_, _, _, F1, N1), (R, _, _, F2, N2) = iterative_newton_euler.outward(
        two_link(), Q, QD, QDD
    ).values()
    s1, c1 = 9.81 * np.sin(Q[0]), 9.81 * np.cos(Q[0])
    vd_C1 = [-L1 * QD[0] ** 2 + s1, L1 * QDD[0] + c1, 0]
    np.testing.assert_allclose(F1 / M1, vd_C1, atol=1e-12)
    assert abs(L1 * QDD[0] + s1 - vd_C1[1]) > 1

    def vd_C2(wd):
        return R.T @ vd_C1 + [-L2 * QD.sum() ** 2, L2 * wd, 0]  # joint 2 is at C1

    np.testing.assert_allclose(F2 / M2, vd_C2(QDD.sum()), atol=1e-12)
    assert error(vd_C2(QDD[0]), F2 / M2) > 1e-2
    np.testing.assert_allclose((N1, N2), 0, atol=1e-15)


def test_rp_arm_has_the_torques_of_example_6_5():
    rows = [
        DHRow(mass=2, com=(0, -0.5, 0), inertia=np.diag([0, 0, 0.05]), theta=pi / 2),
        DHRow(joint='prismatic', alpha=pi / 2, mass=1, inertia=np.diag([0, 0.02, 0])),
    ]
    robot = Robot.from_dh(rows, gravity=DOWN_Y, name='example 6.5')
    q, qd, qdd = np.array([0.6, 0.8]), np.array([0.7, -0.3]), np.array([1, 0.5])
    np.testing.assert_allclose(
        iterative_newton_euler.mass_matrix(robot, q), np.diag([1.21, 1.0]), atol=1e-14
    )
    np.testing.assert_allclose(
        iterative_newton_euler.inverse_dynamics(robot, q, qd, qdd),
        [15.4477762881, 5.64714266401],
        rtol=1e-11,
    )
    still = iterative_newton_euler.inverse_dynamics(
        robot, q, qd * [0, 1], qdd * [0, 1]
    )  # w = 0, as printed
    assert (np.abs(still - [15.4477762881, 5.64714266401]) > 0.1).all()


def test_pendulum_with_the_corrected_sign_has_its_known_period():
    # Printed sign of the weight is wrong: m l^2 thdd + m g l sin th = tau.
    robot = Robot.from_dh([DHRow(mass=1.3, com=(0.7, 0, 0))], gravity=(9.81, 0, 0))
    q, steps, half = np.ones(1), 200, 0.5 * 1.789730921643

    def fall(t, q, qd):
        M, V, G = iterative_newton_euler.state_space(robot, q, qd)
        return np.linalg.solve(M, -V - G)

    at, rate = simulate.turney(fall, q, np.zeros(1), half / steps, steps)
    np.testing.assert_allclose((at[0], rate[0]), (-1.0, 0.0), atol=1e-7)
    away, _ = simulate.turney(
        lambda t, q, qd: 9.81 / 0.7 * np.sin(q), q, np.zeros(1), half / steps, steps
    )
    assert abs(away[0] + 1.0) > 0.1  # as printed it would not swing over
    np.testing.assert_allclose(2 * pi * np.sqrt(0.7 / 9.81), 1.678395802312)


def test_velocity_and_acceleration_in_moving_frames_are_derivatives():
    # (6.10) and (6.15) against derivatives of a motion; as printed (6.10) has more terms.
    def rotation(t):
        c, s = np.cos(0.3 * t + t * t), np.sin(0.3 * t + t * t)
        d, e = np.cos(2 * t), np.sin(2 * t)
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]]) @ np.array(
            [[1, 0, 0], [0, d, -e], [0, e, d]]
        )

    def place(t):
        return np.array([t**3, np.sin(t), t * t])

    def inside(t):
        return np.array([np.cos(t), t * t, 1 - t])

    def d(f, t):
        return along(lambda x: f(x[0]), np.array([t]), [1.0])

    def dd(f, t, h=1e-5):
        return (d(f, t + h) - d(f, t - h)) / (2 * h)

    def rate(t):
        W = d(rotation, t) @ rotation(t).T
        return np.array([W[2, 1], W[0, 2], W[1, 0]])

    t, h = 0.7, 1e-5
    wd = (rate(t + h) - rate(t - h)) / (2 * h)
    got = iterative_newton_euler.point_acceleration(
        dd(place, t), rotation(t), inside(t), d(inside, t), dd(inside, t), rate(t), wd
    )
    np.testing.assert_allclose(got, dd(lambda t: place(t) + rotation(t) @ inside(t), t), atol=1e-7)
    # As printed (6.10) has w x R v_Q once more.
    w = rate(t)
    printed = got + np.cross(w, rotation(t) @ d(inside, t))
    assert error(printed, got) > 0.1
    # (6.12) is for a point fixed in B, and has three of the five terms. The fourth that is
    # printed, R vd_Q, is zero.
    fixed = inside(t)
    at_rest = iterative_newton_euler.point_acceleration(
        dd(place, t), rotation(t), fixed, np.zeros(3), np.zeros(3), w, wd
    )
    np.testing.assert_allclose(at_rest, dd(lambda t: place(t) + rotation(t) @ fixed, t), atol=1e-7)
    assert error(at_rest + rotation(t) @ dd(inside, t), at_rest) > 0.1
    about_z, about_zd = np.array([0, 0, 0.3 + 2 * t]), np.array([0, 0, 2.0])
    R = rotation(t)  # the inner turn is about x, which rotation leaves where the outer one put it
    np.testing.assert_allclose(
        iterative_newton_euler.angular_acceleration(
            about_zd, about_z, R, np.array([2.0, 0, 0]), np.zeros(3)
        ),
        wd,
        atol=1e-8,
    )


def test_solids_have_the_inertias_of_examples_6_1_and_6_2():
    np.testing.assert_allclose(solids.cuboid(3, 0.2, 0.3, 0.4), np.diag([0.0625, 0.05, 0.0325]))
    # Examples 6.1 and 6.2: the corner frame and back; products of inertia enter with a minus.
    corner = solids.about(solids.cuboid(3, 0.2, 0.3, 0.4), 3, (0.1, 0.15, 0.2))
    np.testing.assert_allclose(
        corner, [[0.25, -0.045, -0.06], [-0.045, 0.20, -0.09], [-0.06, -0.09, 0.13]]
    )
    by_integral = 3 * 0.2 * 0.3 / 4  # of x y over the box; printed with a minus
    np.testing.assert_allclose((-corner[0, 1], 3 * 0.1 * 0.15), by_integral)
    assert error(-3 * 0.1 * 0.15, by_integral) > 1


def test_solids_are_the_integrals():
    # Midpoint sums over a fine grid of a box, and of the cylinder, tube and ball cut out of it.
    n = 60
    axis = (np.arange(n) + 0.5) / n - 0.5
    x, y, z = (grid.ravel() for grid in np.meshgrid(axis, axis, 2 * axis, indexing='ij'))
    round_, inner = x * x + y * y < 0.25, x * x + y * y < 0.09

    def integral(mask, x=x, y=y, z=z):
        x, y, z = x[mask], y[mask], z[mask]
        points = np.array([x, y, z])
        return 2.0 * ((x * x + y * y + z * z).mean() * np.eye(3) - points @ points.T / mask.sum())

    everything = np.ones_like(round_)
    np.testing.assert_allclose(
        integral(everything), solids.cuboid(2, 1, 1, 2), rtol=2e-3, atol=1e-12
    )
    np.testing.assert_allclose(integral(round_), solids.cylinder(2, 0.5, 2), rtol=4e-3, atol=1e-12)
    np.testing.assert_allclose(
        integral(round_ & ~inner), solids.tube(2, 0.3, 0.5, 2), rtol=4e-3, atol=1e-12
    )
    ball = x * x + y * y + (z / 2) ** 2 < 0.25
    np.testing.assert_allclose(
        integral(ball, z=z / 2), solids.sphere(2, 0.5), rtol=4e-3, atol=1e-12
    )
    np.testing.assert_allclose(solids.rod(2, 1.5), solids.cylinder(2, 0, 1.5))


def test_solids_assemble_and_turn():
    half = (1.5, (0.05, 0, 0), solids.cuboid(1.5, 0.1, 0.3, 0.4))
    other = (1.5, (-0.05, 0, 0), solids.cuboid(1.5, 0.1, 0.3, 0.4))
    mass, com, inertia = solids.assembled([half, other])
    assert mass == 3.0 and np.abs(com).max() < 1e-16
    np.testing.assert_allclose(inertia, solids.cuboid(3, 0.2, 0.3, 0.4), atol=1e-15)
    R = np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1]])
    np.testing.assert_allclose(
        solids.in_axes(inertia, R), solids.cuboid(3, 0.3, 0.2, 0.4), atol=1e-15
    )


RATES = {  # falling elbow: largest error at t = 0.5 s with 50, 100, .. steps
    simulate.turney: (1.022e-6, 6.26e-8, 3.88e-9, 2.41e-10, 1.51e-11),
    simulate.craig: (0.3152, 0.1551, 0.0769, 0.0383, 0.0191),
}
AT_HALF = (-0.875536667748, 1.347683275942, -3.892511327395, -3.636991961796)


@pytest.mark.parametrize('integrate, order', [(simulate.turney, 4), (simulate.craig, 1)])
def test_integrators_have_their_order(integrate, order):
    robot = elbow()

    def fall(t, q, qd):
        return robot.forward_dynamics(q, qd, np.zeros(2))

    np.testing.assert_allclose(fall(0, Q, QD), [-12.619527163071, 20.711920129500], rtol=1e-12)
    errors = []
    for steps, expected in zip((50, 100, 200, 400, 800), RATES[integrate]):
        got = np.concatenate(integrate(fall, Q, QD, 0.5 / steps, steps))
        errors.append(np.abs(got - AT_HALF).max())
        assert errors[-1] == pytest.approx(expected, rel=2e-2, abs=1.5e-12)
    np.testing.assert_allclose(np.log2(errors[1]) - np.log2(errors[2]), order, atol=0.1)


@pytest.mark.parametrize(
    'integrate, expected',
    [
        (simulate.craig, (0.303369023642, 0.695035596006, 0.273804728369, -0.392880798705)),
        (simulate.turney, (0.303368182027, 0.695040526883, 0.273559914717, -0.391445223817)),
    ],
)
def test_one_step_of_the_falling_elbow_has_the_known_state(integrate, expected):
    robot = elbow()
    got = integrate(lambda t, q, qd: robot.forward_dynamics(q, qd, np.zeros(2)), Q, QD, 0.01, 1)
    np.testing.assert_allclose(np.concatenate(got), expected, rtol=1e-11)


@pytest.mark.parametrize('name', ['SCARA-like', 'tree'])
def test_friction_is_added_to_the_torque_and_taken_from_the_motion(name):
    # tau = M qdd + V + G + F(q, qd), against the package without friction.
    robot = ALL[name]()
    q, qd, qdd = next(motion(robot))
    viscous, dry = np.linspace(0.2, 1.1, robot.nv), np.linspace(1.5, 0.4, robot.nv)

    def uneven(x):
        return dry * (1.0 + 0.3 * np.cos(8.0 * x))

    taken = viscous * qd + uneven(q) * np.sign(qd)
    tau = viscous_coulomb_friction.inverse_dynamics(robot, q, qd, qdd, viscous, uneven)
    assert error(tau, robot.inverse_dynamics(q, qd, qdd) + taken) < 1e-12
    found = viscous_coulomb_friction.forward_dynamics(robot, q, qd, tau, viscous, uneven)
    assert error(found, qdd) < 1e-9
    smooth = viscous_coulomb_friction.inverse_dynamics(robot, q, qd, qdd, viscous, dry)
    assert error(smooth, tau) > 1e-3  # the position counts


def test_constant_friction_is_that_of_angeles_and_brakes():
    qd = np.array([0.4, -0.7, 0.0])
    viscous, dry = np.array([0.1, 0.2, 0.3]), np.array([1.0, 2.0, 3.0])
    F = viscous_coulomb_friction.friction(np.zeros(3), qd, viscous, dry)
    same = Friction(viscous=viscous, coulomb=dry)
    np.testing.assert_allclose(F, -same.torque(qd), rtol=1e-15)
    np.testing.assert_allclose(qd @ F, same.power(qd))
    assert qd @ F > 0.0 and F[2] == 0.0


def test_friction_that_would_drive_is_refused():
    for viscous, dry in ((-0.1, 1.0), (0.1, lambda q: q)):
        with pytest.raises(ParameterError, match='expected none below 0'):
            viscous_coulomb_friction.friction(np.array([-1.0, 1.0]), np.ones(2), viscous, dry)
