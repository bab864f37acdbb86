# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worked problems of Craig, Introduction to Robotics, chapter 6; and an elbow that falls."""

from math import cos, pi, sin

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from robodyn_ros import Robot
from robodyn_ros.model.layout import INERTIA
from support.compare import agree
from support.robots.real_robots import OURS
from support.robots.textbook import Segment, planar, serial

DIGITS = 1e-10  # the printed results carry twelve digits
STATE = ((0.3, 0.7), (0.4, -0.6), (1.0, -0.5))
G = 9.81


def point_masses(m=(4.6, 2.3), lengths=(0.5, 0.5)):
    """Return the two-link arm of section 6.7, its masses at the tips."""
    return planar(lengths, m, lengths, (0.0, 0.0))


@pytest.mark.parametrize('seed', range(5))
def test_two_link_arm_closed_forms(seed):
    """M, V, G (6.60-6.62) of two point masses, for any masses and lengths.

    Misprints: the second components of vdot_C1 and F1 have g s1 for g c1.
    """
    rng = np.random.default_rng(seed)
    (m1, m2), (l1, l2) = rng.uniform(0.2, 3.0, (2, 2))
    robot = point_masses((m1, m2), (l1, l2))
    for q, qd, _ in rng.uniform(-3.0, 3.0, (5, 3, 2)):
        c1, c2, s2, c12 = cos(q[0]), cos(q[1]), sin(q[1]), cos(q[0] + q[1])
        m12 = l2**2 * m2 + l1 * l2 * m2 * c2
        M = np.array([[m12 + l1 * l2 * m2 * c2 + l1**2 * (m1 + m2), m12], [m12, l2**2 * m2]])
        V = m2 * l1 * l2 * s2 * np.array((-(qd[1] ** 2) - 2 * qd[0] * qd[1], qd[0] ** 2))
        weight = m2 * l2 * G * c12 + np.array(((m1 + m2) * l1 * G * c1, 0.0))
        agree(robot.mass_matrix(q), M)
        agree(robot.coriolis_matrix(q, qd) @ qd, V, scale=np.abs(M).max() * qd @ qd)
        agree(robot.gravity_torque(q), weight, scale=G * (l1 + l2) * (m1 + m2))


def test_two_link_arm_has_the_worked_numbers():
    """M, V, G and the torques of the worked example."""
    robot, (q, qd, qdd) = point_masses(), STATE
    agree(
        robot.mass_matrix(q),
        np.array([[3.17956851538, 1.01478425769], [1.01478425769, 0.575]]),
        tolerance=DIGITS,
    )
    agree(
        robot.coriolis_matrix(q, qd) @ np.array(qd),
        np.array((0.0444510204194, 0.0592680272259)),
        tolerance=DIGITS,
    )
    agree(robot.gravity_torque(q), np.array((38.4283062699, 6.09542046365)), tolerance=DIGITS)
    agree(
        robot.inverse_dynamics(q, qd, qdd),
        np.array((41.1449336768, 6.88197274857)),
        tolerance=DIGITS,
    )


def test_two_link_arm_in_operational_space():
    """Mx, Vx, Gx of the tip in base axes, and F with J^T F = tau (6.91-6.104)."""
    robot, (q, qd, qdd) = point_masses(), (np.array(x) for x in STATE)
    task = robot.operational_space_inertia(q, 'tip', axes='x z')
    J, bias = task.jacobian, robot.jacobian_bias(q, qd, 'tip')[[0, 2]]
    Vx = np.linalg.solve(J.T, robot.coriolis_matrix(q, qd) @ qd) - task.inertia @ bias
    Gx = np.linalg.solve(J.T, robot.gravity_torque(q))
    agree(
        task.inertia,
        np.array([[5.53568462249, 5.03928022562], [5.03928022562, 10.1482139501]]),
        tolerance=DIGITS,
    )
    agree(Vx, np.array((0.486203256805, 0.757216707901)), tolerance=DIGITS)
    agree(Gx, np.array((36.1565830982, 78.8735418143)), tolerance=DIGITS)
    agree(J.T @ (task.inertia @ (J @ qdd + bias) + Vx + Gx), robot.inverse_dynamics(q, qd, qdd))


def test_two_link_arm_in_its_own_tip_frame():
    """In the frame of the tip (6.103) Mx and Gx rotate with it; Vx has further terms.

    Misprint: J(2,1) lacks + l2, while the printed inverse is right.
    """
    robot, (q, qd, qdd) = point_masses(), (np.array(x) for x in STATE)
    angle, l1, l2 = q.sum(), 0.5, 0.5
    R = np.array([[cos(angle), -sin(angle)], [sin(angle), cos(angle)]])
    task = robot.operational_space_inertia(q, 'tip', axes='x z')
    J = np.array([[l1 * sin(q[1]), 0.0], [l1 * cos(q[1]) + l2, l2]])
    agree(R.T @ task.jacobian, J)
    Mx = R.T @ task.inertia @ R
    agree(Mx, np.diag((13.3838985726, 2.3)), tolerance=DIGITS)
    agree(Mx[0, 0], 2.3 + 4.6 / sin(q[1]) ** 2)
    J_rate = l1 * qd[1] * np.array([[cos(q[1]), 0.0], [-sin(q[1]), 0.0]])
    Vx = np.linalg.solve(J.T, robot.coriolis_matrix(q, qd) @ qd) - Mx @ J_rate @ qd
    Gx = np.linalg.solve(J.T, robot.gravity_torque(q))
    agree(Vx, np.array((1.04165746858, -0.0592680272259)), tolerance=DIGITS)
    agree(Gx, np.array((85.9052821261, 12.1908409273)), tolerance=DIGITS)
    force = Mx @ (J @ qdd + J_rate @ qd) + Vx + Gx
    agree(force, np.array((90.0296232559, 13.7639454971)), tolerance=DIGITS)
    agree(J.T @ force, np.array((41.1449336768, 6.88197274857)), tolerance=DIGITS)


def test_rp_arm_matches_the_closed_form_of_example_6_5():
    """Example 6.5: a revolute link, and one that slides along it (RP)."""
    m1, m2, l1, I1, I2 = 2.0, 1.0, 0.5, 0.05, 0.02
    robot = serial(
        (
            Segment('revolute', (0, -1, 0), (0, 0, 0), m1, (l1, 0, 0), I1),
            Segment('prismatic', (1, 0, 0), (0, 0, 0), m2, (0, 0, 0), I2),
        )
    )
    rng = np.random.default_rng(0)
    for (th, d), (thd, dd) in rng.uniform(-2.0, 2.0, (10, 2, 2)):
        agree(robot.mass_matrix((th, d)), np.diag((m1 * l1**2 + I1 + I2 + m2 * d**2, m2)))
        qd = np.array((thd, dd))
        agree(
            robot.coriolis_matrix((th, d), qd) @ qd,
            np.array((2 * m2 * d * thd * dd, -m2 * d * thd**2)),
            scale=4.0 * qd @ qd,
        )
        agree(
            robot.gravity_torque((th, d)),
            G * np.array(((m1 * l1 + m2 * d) * cos(th), m2 * sin(th))),
            scale=G * 3.0,
        )
    assert robot.mass_matrix((0.6, 0.8))[0, 0] == pytest.approx(1.21, rel=1e-12)
    agree(
        robot.inverse_dynamics((0.6, 0.8), (0.7, -0.3), (1.0, 0.5)),
        np.array((15.4477762881, 5.64714266401)),
        tolerance=DIGITS,
    )


def test_pendulum_swings_with_its_known_period():
    """m l^2 thdd + m g l sin th = 0 (print: another sign) swings from one radian in 1.7897 s."""
    length = 0.7
    pendulum = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), 1.3, (0, 0, -length), 0.0),))
    agree(
        pendulum.inverse_dynamics((0.6,), (0.0,), (0.5,)),
        np.array((1.3 * length * (length * 0.5 + G * sin(0.6)),)),
    )

    def bottom(t, x):
        return x[0]

    bottom.terminal = True
    fall = solve_ivp(
        lambda t, x: (x[1], pendulum.forward_dynamics(x[:1], x[1:], (0.0,))[0]),
        (0.0, 1.0),
        (1.0, 0.0),
        method='DOP853',
        events=bottom,
        rtol=1e-12,
        atol=1e-14,
    )
    assert 4.0 * fall.t[-1] == pytest.approx(1.789730921643, rel=1e-10)
    small = 2.0 * pi * (pendulum.mass_matrix((0.0,))[0, 0] / (1.3 * G * length)) ** 0.5
    assert small == pytest.approx(1.678395802312, rel=1e-12)


@pytest.mark.parametrize(
    'axis, moment', [((1, 0, 0), 0.0625), ((0, 1, 0), 0.05), ((0, 0, 1), 0.0325)]
)
def test_cuboid_has_the_known_inertia_about_its_centre(axis, moment):
    """m/12 (b^2 + c^2, a^2 + c^2, a^2 + b^2) of a cuboid of 3 kg, 0.2 by 0.3 by 0.4 m."""
    a, b, c, m = 0.2, 0.3, 0.4, 3.0
    tensor = m / 12.0 * np.diag((b * b + c * c, a * a + c * c, a * a + b * b))
    robot = serial((Segment('revolute', axis, (0, 0, 0), m, (0, 0, 0), tensor),))
    agree(robot.mass_matrix((0.3,)), np.array([[moment]]))


@pytest.mark.parametrize('axis, moment', [((1, 0, 0), 0.25), ((0, 1, 0), 0.20), ((0, 0, 1), 0.13)])
def test_cuboid_has_the_known_inertia_about_its_corner(axis, moment):
    """Examples 6.1 and 6.2: m/3 (l^2 + h^2), ... about the edges through a corner."""
    w, length, h, m = 0.2, 0.3, 0.4, 3.0
    tensor = m / 12.0 * np.diag((length**2 + h * h, w * w + h * h, length**2 + w * w))
    robot = serial((Segment('revolute', axis, (0, 0, 0), m, (w / 2, length / 2, h / 2), tensor),))
    agree(robot.mass_matrix((0.3,)), np.array([[moment]]))
    if axis == (0, 0, 1):  # the products of inertia, tensor entries negative
        agree(
            robot.model.constants[1, INERTIA : INERTIA + 6],
            np.array((0.25, -0.045, -0.06, 0.20, -0.09, 0.13)),
        )


class FallingElbow:
    """The elbow of two_link.urdf without torque, from x0 = (0.3, 0.7, 0.4, -0.6)."""

    start = np.array((0.3, 0.7, 0.4, -0.6))
    half_second = np.array((-0.875536667748, 1.347683275942, -3.892511327395, -3.636991961796))

    def __init__(self):
        self.robot = Robot.from_urdf(OURS / 'two_link.urdf')

    def rate(self, t, x):
        """Return (qd, qdd)."""
        return np.concatenate((x[2:], self.robot.forward_dynamics(x[:2], x[2:], (0.0, 0.0))))

    def runge_kutta(self, x, dt):
        """Return the state after one step of the classical method (Angeles 7.118)."""
        k1 = self.rate(0, x)
        k2 = self.rate(0, x + 0.5 * dt * k1)
        k3 = self.rate(0, x + 0.5 * dt * k2)
        return x + dt / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + self.rate(0, x + dt * k3))

    def craig(self, x, dt):
        """Return the state after one step of Craig's scheme (6.117): position from the old qd."""
        qdd = self.rate(0, x)[2:]
        return np.concatenate((x[:2] + dt * x[2:] + 0.5 * dt * dt * qdd, x[2:] + dt * qdd))

    def errors(self, step, counts):
        """Return the largest errors at 0.5 s of as many steps as in `counts`."""
        found = []
        for count in counts:
            x = self.start
            for _ in range(count):
                x = step(x, 0.5 / count)
            found.append(np.abs(x - self.half_second).max())
        return found


@pytest.fixture(scope='module')
def falling():
    """Return the falling elbow."""
    return FallingElbow()


def test_falling_elbow_passes_the_known_states(falling):
    """First acceleration, energy, and the states after half a second and a second."""
    robot, x0 = falling.robot, falling.start
    agree(falling.rate(0, x0)[2:], np.array((-12.619527163071, 20.711920129500)))
    E0 = sum(robot.energy(x0[:2], x0[2:]))
    assert E0 == pytest.approx(8.474600342252, rel=1e-12)
    fall = solve_ivp(
        falling.rate, (0.0, 1.0), x0, method='DOP853', rtol=1e-13, atol=1e-13, t_eval=(0.5, 1.0)
    )
    # rounding grows about a hundredfold along the fall; the figures were confirmed to 4e-12
    agree(fall.y[:, 0], falling.half_second, tolerance=1e-11)
    agree(
        fall.y[:, 1],
        np.array((-2.853240031497, 0.431524036017, -5.606654677141, 10.599900389799)),
        tolerance=1e-11,
    )
    for x in fall.y.T:
        assert sum(robot.energy(x[:2], x[2:])) == pytest.approx(E0, rel=1e-11)


def test_falling_elbow_step_by_step(falling):
    """One step of 10 ms, and the errors of the two schemes at half a second."""
    agree(
        falling.craig(falling.start, 0.01),
        np.array((0.303369023642, 0.695035596006, 0.273804728369, -0.392880798705)),
        tolerance=2e-12,
    )
    agree(
        falling.runge_kutta(falling.start, 0.01),
        np.array((0.303368182027, 0.695040526883, 0.273559914717, -0.391445223817)),
        tolerance=2e-12,
    )
    assert falling.errors(falling.runge_kutta, (50, 100, 200, 400)) == pytest.approx(
        [1.022e-6, 6.26e-8, 3.88e-9, 2.41e-10], rel=0.01
    )  # order 4: a sixteenth of the error
    assert falling.errors(falling.craig, (50, 100, 200, 400)) == pytest.approx(
        [0.3152, 0.1551, 0.0769, 0.0383], rel=0.01
    )  # order 1: half of the error
