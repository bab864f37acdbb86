# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worked problems of Spong, Hutchinson and Vidyasagar, Robot Modeling and Control, chapter 6."""

from math import cos, sin

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.model.layout import ROTOR
from support.compare import agree
from support.robots.real_robots import OURS
from support.robots.textbook import Segment, planar, serial

DIGITS = 1e-10  # the printed results carry eleven to twelve digits
ELBOW = {'m': (1.5, 1.0), 'l': (1.0, 0.8), 'lc': (0.5, 0.4), 'I': (0.12, 0.05)}
STATE = ((0.3, 0.7), (0.4, -0.6), (1.0, -0.5))


class Elbow:
    """Closed forms of the planar elbow, section 6.4 (6.78-6.91); gravity along -y."""

    def __init__(self, m, l, lc, I, g=9.81):  # noqa: E741  the book's letters
        self.m, self.l, self.lc, self.I, self.g = m, l, lc, I, g
        self.robot = planar(l, m, lc, I, (0.0, 0.0, -g))

    def mass_matrix(self, q):
        """Return D (6.83)."""
        (m1, m2), (l1, _), (lc1, lc2), (I1, I2) = self.m, self.l, self.lc, self.I
        d11 = m1 * lc1**2 + m2 * (l1**2 + lc2**2 + 2 * l1 * lc2 * cos(q[1])) + I1 + I2
        d12, d22 = m2 * (lc2**2 + l1 * lc2 * cos(q[1])) + I2, m2 * lc2**2 + I2
        return np.array([[d11, d12], [d12, d22]])

    def coriolis_matrix(self, q, qd):
        """Return C of the Christoffel symbols c121 = c211 = c221 = -c112 = h (6.85-6.90)."""
        h = -self.m[1] * self.l[0] * self.lc[1] * sin(q[1])
        return np.array([[h * qd[1], h * (qd[0] + qd[1])], [-h * qd[0], 0.0]])

    def gravity_torque(self, q):
        """Return (phi1, phi2) (6.86-6.87)."""
        (m1, m2), l1, (lc1, lc2) = self.m, self.l[0], self.lc
        g2 = m2 * lc2 * self.g * cos(q[0] + q[1])
        return np.array(((m1 * lc1 + m2 * l1) * self.g * cos(q[0]) + g2, g2))

    def parameters(self):
        """Return Theta of section 6.5.3."""
        (m1, m2), l1, (lc1, lc2), (I1, I2) = self.m, self.l[0], self.lc, self.I
        return np.array(
            (
                m1 * lc1**2 + m2 * (l1**2 + lc2**2) + I1 + I2,
                m2 * l1 * lc2,
                m2 * lc2**2 + I2,
                m1 * lc1 + m2 * l1,
                m2 * lc2,
            )
        )

    def regressor(self, q, qd, qdd):
        """Return Y (6.128); some printings square the wrong rate in its first row."""
        c2, s2 = cos(q[1]), sin(q[1])
        weights = self.g * cos(q[0]), self.g * cos(q[0] + q[1])
        return np.array(
            [
                [
                    qdd[0],
                    c2 * (2 * qdd[0] + qdd[1]) - s2 * (qd[1] ** 2 + 2 * qd[0] * qd[1]),
                    qdd[1],
                    *weights,
                ],
                [0.0, c2 * qdd[0] + s2 * qd[0] ** 2, qdd[0] + qdd[1], 0.0, weights[1]],
            ]
        )


@pytest.fixture(params=range(5))
def elbow(request):
    """Return planar elbows with random parameters."""
    rng = np.random.default_rng(request.param)
    return Elbow(*rng.uniform(0.2, 2.0, (4, 2)), g=rng.uniform(1.0, 20.0))


def test_planar_elbow_matches_its_closed_forms(elbow):
    """D, C, phi and Y Theta of any planar elbow (6.78 to 6.91)."""
    rng = np.random.default_rng(0)
    for q, qd, qdd in rng.uniform(-3.0, 3.0, (10, 3, 2)):
        D, C = elbow.mass_matrix(q), elbow.coriolis_matrix(q, qd)
        agree(elbow.robot.mass_matrix(q), D)
        agree(elbow.robot.coriolis_matrix(q, qd), C, scale=np.abs(D).max() * np.abs(qd).sum())
        agree(
            elbow.robot.gravity_torque(q),
            elbow.gravity_torque(q),
            scale=elbow.g * elbow.parameters().sum(),
        )
        tau = D @ qdd + C @ qd + elbow.gravity_torque(q)
        size = np.abs(elbow.regressor(q, qd, qdd)) @ np.abs(elbow.parameters())
        agree(elbow.robot.inverse_dynamics(q, qd, qdd), tau, scale=size.max())
        agree(elbow.regressor(q, qd, qdd) @ elbow.parameters(), tau, scale=size.max())


@pytest.mark.parametrize(
    'robot',
    [Elbow(**ELBOW).robot, Robot.from_urdf(OURS / 'two_link.urdf')],
    ids=['description', 'two_link.urdf'],
)
def test_planar_elbow_has_the_worked_numbers(robot):
    """The numbers of two descriptions of the same arm."""
    q, qd, qdd = (np.array(x) for x in STATE)
    agree(
        robot.mass_matrix(q),
        np.array([[2.31687374983, 0.515936874914], [0.515936874914, 0.21]]),
        tolerance=DIGITS,
    )
    agree(
        robot.coriolis_matrix(q, qd),
        np.array([[0.154612244937, 0.051537414979], [0.103074829958, 0.0]]),
        tolerance=DIGITS,
    )
    agree(
        robot.coriolis_matrix(q, qd) @ qd,
        np.array((0.0309224489874, 0.0412299319832)),
        tolerance=DIGITS,
    )
    agree(robot.gravity_torque(q), np.array((18.5208854253, 2.12014624823)), tolerance=DIGITS)
    agree(
        robot.inverse_dynamics(q, qd, qdd),
        np.array((20.6107131866, 2.57231305512)),
        tolerance=DIGITS,
    )
    agree(robot.mass_matrix(q) @ qd, np.array((0.61718737, 0.08037475)), tolerance=1e-7)
    assert robot.energy(q, qd)[0] == pytest.approx(0.09932505, abs=5e-9)


def test_elbow_pushed_at_the_tip():
    """A force (3, -2) at the end of link 2 adds -J^T F = (5.68124765, 2.88401405)."""
    robot, (q, qd, qdd) = Elbow(**ELBOW).robot, STATE
    force = np.array((3.0, 0.0, -2.0, 0.0, 0.0, 0.0))
    agree(robot.jacobian(q, 'tip').T @ force, np.array((-5.68124765, -2.88401405)), tolerance=1e-9)
    agree(
        robot.inverse_dynamics(q, qd, qdd, {'tip': force}),
        np.array((26.29196084, 5.45632711)),
        tolerance=1e-9,
    )


def test_planar_elbow_reaches_its_inertia_bounds():
    """0.0579... <= eigenvalues of D(q) <= 2.6570..., both reached at q2 = 0."""
    robot = Elbow(**ELBOW).robot
    low, high = 0.057939978300, 2.657060021700
    agree(
        np.linalg.eigvalsh(robot.mass_matrix((0.0, 0.0))), np.array((low, high)), tolerance=DIGITS
    )
    for q2 in np.linspace(-3.1, 3.1, 41):
        values = np.linalg.eigvalsh(robot.mass_matrix((0.9, q2)))
        assert low <= values[0] and values[1] <= high


def test_remotely_driven_elbow_has_no_coriolis_product(elbow):
    """Absolute angles (6.92-6.99): q = S p, D_p = S^T D S, without Coriolis products."""
    S = np.array([[1.0, 0.0], [-1.0, 1.0]])
    (m1, m2), l1, (lc1, lc2), (I1, I2) = elbow.m, elbow.l[0], elbow.lc, elbow.I
    rng = np.random.default_rng(0)
    for p, pd, pdd in rng.uniform(-3.0, 3.0, (10, 3, 2)):
        difference = p[1] - p[0]
        D = np.array(
            [
                [m1 * lc1**2 + m2 * l1**2 + I1, m2 * l1 * lc2 * cos(difference)],
                [m2 * l1 * lc2 * cos(difference), m2 * lc2**2 + I2],
            ]
        )
        h = m2 * l1 * lc2 * sin(difference)
        C = np.array([[0.0, -h * pd[1]], [h * pd[0], 0.0]])
        phi = elbow.g * np.array(((m1 * lc1 + m2 * l1) * cos(p[0]), m2 * lc2 * cos(p[1])))
        size = np.abs(D).max() * (np.abs(pd).sum() ** 2 + np.abs(pdd).sum()) + np.abs(phi).max()
        agree(S.T @ elbow.robot.mass_matrix(S @ p) @ S, D, scale=4.0 * np.abs(D).max())
        agree(
            S.T @ elbow.robot.inverse_dynamics(S @ p, S @ pd, S @ pdd),
            D @ pdd + C @ pd + phi,
            scale=4.0 * size,
        )


def test_remotely_driven_elbow_has_the_worked_numbers():
    """The motion of the planar elbow in absolute angles."""
    robot, S = Elbow(**ELBOW).robot, np.array([[1.0, 0.0], [-1.0, 1.0]])
    p, pd, pdd = np.array((0.3, 1.0)), np.array((0.4, -0.2)), np.array((1.0, 0.5))
    agree(
        S.T @ robot.mass_matrix(S @ p) @ S,
        np.array([[1.495, 0.305936874914], [0.305936874914, 0.21]]),
        tolerance=DIGITS,
    )
    agree(
        S.T @ robot.gravity_torque(S @ p),
        np.array((16.4007391771, 2.12014624823)),
        tolerance=DIGITS,
    )
    agree(
        S.T @ robot.inverse_dynamics(S @ p, S @ pd, S @ pdd),
        np.array((18.0384001315, 2.57231305512)),
        tolerance=DIGITS,
    )


class FiveBar:
    """The parallelogram linkage of section 6.4 (6.100-6.111) as two open arms with equal angles.

    Bars 1 and 3 stay parallel, and so do 2 and 4. Two open chains 1-4 and 2-3 move with the
    absolute angles of the loop, so that T^T (...) T of their dynamics is that of the linkage.
    """

    def __init__(self, m, l1, l2, lc, I, g=9.81):  # noqa: E741
        self.m, self.l1, self.l2, self.lc, self.I, self.g = m, l1, l2, lc, I, g
        (m1, m2, m3, m4), (lc1, lc2, lc3, lc4), (I1, I2, I3, I4) = m, lc, I
        gravity = (0.0, 0.0, -g)
        self.arms = (
            planar((l1, l2), (m1, m4), (lc1, -lc4), (I1, I4), gravity),
            planar((l2, l1), (m2, m3), (lc2, lc3), (I2, I3), gravity),
        )
        # relative angles of the chains from the absolute ones: (q1, q2 - q1) and (q2, q1 - q2)
        self.maps = (np.array([[1.0, 0.0], [-1.0, 1.0]]), np.array([[0.0, 1.0], [1.0, -1.0]]))

    def sum(self, function):
        """Return the sum over the open chains of T^T (...), the latter in the chain's angles."""
        return sum(T.T @ function(arm, T) for arm, T in zip(self.arms, self.maps))

    def mass_matrix(self, q):
        """Return D of the linkage from the two chains."""
        return self.sum(lambda arm, T: arm.mass_matrix(T @ q) @ T)

    def inverse_dynamics(self, q, qd, qdd):
        """Return tau of the linkage from the two chains."""
        return self.sum(lambda arm, T: arm.inverse_dynamics(T @ q, T @ qd, T @ qdd))


FIVE_BAR = {'m': (2.0, 1.5, 1.2, 1.0), 'l1': 0.6, 'l2': 0.3, 'I': (0.06, 0.012, 0.036, 0.03)}


@pytest.mark.parametrize(
    'lc4, D, gravity, tau',
    [
        (
            0.25,
            ((0.744, -0.0261076186674), (-0.0261076186674, 0.24625)),
            (14.0955490278, 0.87909477545),
            (14.8083896178, 1.33726222423),
        ),
        (
            0.18,
            ((0.744, 0.0), (0.0, 0.21615)),
            (14.0955490278, 1.06278622107),
            (14.8395490278, 1.49508622107),
        ),
    ],
    ids=['as built', 'balanced'],
)
def test_five_bar_linkage_matches_its_closed_form(lc4, D, gravity, tau):
    """D, phi, tau (6.100-6.111); balanced (6.108) D is constant and diagonal, and C zero."""
    bars = FiveBar(lc=(0.3, 0.15, 0.3, lc4), **FIVE_BAR)
    q, qd, qdd = np.array((0.4, 1.3)), np.array((0.5, -0.8)), np.array((1.0, 2.0))
    zero = np.zeros(2)
    agree(bars.mass_matrix(q), np.array(D), tolerance=DIGITS)
    agree(bars.inverse_dynamics(q, zero, zero), np.array(gravity), tolerance=DIGITS)
    agree(bars.inverse_dynamics(q, qd, qdd), np.array(tau), tolerance=DIGITS)
    coriolis = bars.inverse_dynamics(q, qd, zero) - bars.inverse_dynamics(q, zero, zero)
    k = FIVE_BAR['m'][2] * 0.3 * 0.3 - FIVE_BAR['m'][3] * 0.6 * lc4
    agree(coriolis, k * sin(q[1] - q[0]) * np.array((-(qd[1] ** 2), qd[0] ** 2)), scale=14.0)


def test_two_slides_have_no_coriolis_torque():
    """The Cartesian arm (6.69-6.77): D = diag(m1 + m2, m2), no Coriolis torque."""
    m1, m2 = 3.0, 2.0
    robot = serial(
        (
            Segment('prismatic', (0, 0, 1), (0, 0, 0), m1, (0.1, 0.2, 0.3), 0.1),
            Segment('prismatic', (1, 0, 0), (0.4, 0, 0), m2, (0.3, 0.1, 0.2), 0.1),
        )
    )
    q, qd, qdd = (0.3, -0.4), (0.5, 0.6), (0.7, -0.8)
    agree(robot.mass_matrix(q), np.diag((m1 + m2, m2)))
    assert not robot.coriolis_matrix(q, qd).any()
    agree(robot.inverse_dynamics(q, qd, qdd), np.array(((m1 + m2) * (0.7 + 9.81), m2 * -0.8)))


def test_a_gear_multiplies_the_motor_inertia_by_its_ratio_squared():
    """A pendulum on a gear of ratio r; its motor adds r^2 Jm to the inertia (6.1.1).

    u = (r^2 Jm + Jl) thdd + B thd + M g l sin th. Example 6.2 exchanges the motor's and the link's
    angle; the r^2 form is right. Its M l^2 is more than its Jl allows. Ten times the mass at a
    tenth of the distance has the same weight moment.
    """
    r, Jm, Jl, M, length, B = 50.0, 2e-4, 0.35, 40.0, 0.03, 50.0**2 * 1e-3 + 0.2
    centroid = np.diag((Jl, Jl, Jl)) - M * length**2 * np.diag((0.0, 1.0, 0.0))
    link = serial((Segment('revolute', (0, -1, 0), (0, 0, 0), M, (0, 0, -length), centroid),))
    geared = Robot(link.model.with_joint_values(ROTOR, (r * r * Jm,)))
    agree(geared.mass_matrix((0.4,)), np.array([[0.85]]))
    damping = B * 0.5  # friction is not a torque of the mechanism: it comes on top
    agree(geared.inverse_dynamics((0.4,), (0.5,), (1.0,)) + damping, np.array((6.784232725657,)))
    agree(geared.gravity_torque((0.4,)), link.gravity_torque((0.4,)))
