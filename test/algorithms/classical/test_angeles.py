# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Worked problems of Angeles, Fundamentals of Robotic Mechanical Systems, chapter 7.

Numbers were computed from the corrected closed forms with twelve digits and more. Where the text
is misprinted, the test says so and shows that the misprint would not pass.
"""

from math import cos, pi, sin

import numpy as np
import pytest

from robodyn_ros import Robot
from robodyn_ros.compile import generic
from robodyn_ros.model.dh import DHRow
from support.calls import run
from support.compare import agree
from support.referees.dense import along
from support.robots import formulation_arms
from support.robots.textbook import Segment, planar, serial

DIGITS = 1e-11  # the printed results carry twelve digits or more


class PlanarThreeLink:
    """Closed forms of examples 7.3.1 and 7.6.2: lengths a, com half-way, gravity along -y."""

    def __init__(self, a, m, inertia, g=9.81):
        self.a, self.m, self.inertia, self.g = a, m, inertia, g
        self.robot = planar(a, m, [0.5 * x for x in a], inertia, (0.0, 0.0, -g))

    def mass_matrix(self, th):
        """Return I, equation of example 7.3.1."""
        (a1, a2, a3), (m1, m2, m3), (i1, i2, i3) = self.a, self.m, self.inertia
        c2, c3, c23 = cos(th[1]), cos(th[2]), cos(th[1] + th[2])
        i11 = (
            i1
            + i2
            + i3
            + m1 * a1**2 / 4
            + m2 * (a1**2 + a2**2 / 4 + a1 * a2 * c2)
            + m3 * (a1**2 + a2**2 + a3**2 / 4 + 2 * a1 * a2 * c2 + a1 * a3 * c23 + a2 * a3 * c3)
        )
        i12 = (
            i2
            + i3
            + 0.5
            * (
                m2 * (a2**2 / 2 + a1 * a2 * c2)
                + m3
                * (2 * a2**2 + a3**2 / 2 + 2 * a1 * a2 * c2 + a1 * a3 * c23 + 2 * a2 * a3 * c3)
            )
        )
        i13 = i3 + 0.5 * m3 * (a3**2 / 2 + a1 * a3 * c23 + a2 * a3 * c3)
        i22 = i2 + i3 + m2 * a2**2 / 4 + m3 * (a2**2 + a3**2 / 4 + a2 * a3 * c3)
        i23 = i3 + 0.5 * m3 * (a3**2 / 2 + a2 * a3 * c3)
        i33 = i3 + m3 * a3**2 / 4
        return np.array([[i11, i12, i13], [i12, i22, i23], [i13, i23, i33]])

    def coriolis_matrix(self, th, d):
        """Return T^T M Tdot, which for a planar arm is the Christoffel matrix too."""
        (a1, a2, a3), (_, m2, m3) = self.a, self.m
        s2, s3, s23 = sin(th[1]), sin(th[2]), sin(th[1] + th[2])
        h = m2 * a1 * a2 * s2 + m3 * (2 * a1 * a2 * s2 + a1 * a3 * s23)
        k, p = m3 * (a1 * a3 * s23 + a2 * a3 * s3), m3 * a2 * a3 * s3
        d1, d2, d3 = d
        return 0.5 * np.array(
            [
                [-h * d2 - k * d3, -h * (d1 + d2) - k * d3, -k * (d1 + d2 + d3)],
                [h * d1 - p * d3, -p * d3, -p * (d1 + d2 + d3)],
                [k * d1 + p * d2, p * (d1 + d2), 0.0],
            ]
        )

    def gravity_torque(self, th, com_term=0.5):
        """Return dV/dtheta; the printed vector of example 7.6.2 has com terms twice too large."""
        (a1, a2, a3), (m1, m2, m3), h = self.a, self.m, com_term
        c1, c12, c123 = cos(th[0]), cos(th[0] + th[1]), cos(sum(th))
        g3 = m3 * a3 * c123 * h
        g2 = m2 * a2 * c12 * h + m3 * a2 * c12 + g3
        return self.g * np.array((0.5 * m1 * a1 * c1 + (m2 + m3) * a1 * c1 + g2, g2, g3))


@pytest.fixture
def o1():
    """Return the planar arm of the worked numbers."""
    return PlanarThreeLink((0.5, 0.4, 0.3), (3.0, 2.0, 1.0), (1 / 16, 2 / 75, 3 / 400))


@pytest.fixture(params=range(5))
def planar_arm(request):
    """Return planar arms with random parameters."""
    rng = np.random.default_rng(request.param)
    return PlanarThreeLink(*rng.uniform(0.2, 2.0, (3, 3)), g=rng.uniform(1.0, 20.0))


def test_planar_three_link_closed_forms(planar_arm):
    """Examples 7.3.1 and 7.6.2, for any lengths, masses and inertias.

    Misprints: the rate of c3, iota_2, gamma_3, and the gravity of 7.6.2.
    """
    rng = np.random.default_rng(0)
    for th, d, _ in rng.uniform(-3.0, 3.0, (5, 3, 3)):
        M, C = planar_arm.mass_matrix(th), planar_arm.coriolis_matrix(th, d)
        agree(planar_arm.robot.mass_matrix(th), M)
        agree(planar_arm.robot.coriolis_matrix(th, d), C, scale=np.abs(M).max() * np.abs(d).sum())
        agree(planar_arm.robot.gravity_torque(th), planar_arm.gravity_torque(th))
        misprint = planar_arm.gravity_torque(th, com_term=1.0)
        assert np.abs(misprint - planar_arm.robot.gravity_torque(th)).max() > 1e-3


def test_planar_three_link_arm_has_the_worked_numbers(o1):
    """Every quantity with numbers, forward and inverse."""
    robot, th = o1.robot, np.array((0.3, -0.7, 1.1))
    d, dd = np.array((0.5, -0.2, 0.9)), np.array((1.0, -0.5, 0.25))
    agree(
        robot.mass_matrix(th),
        np.array(
            [
                [2.1011311001658, 0.72611465070175, 0.12629534183575],
                [0.72611465070175, 0.35109820123774, 0.057215767285535],
                [0.12629534183575, 0.057215767285535, 0.03],
            ]
        ),
        tolerance=DIGITS,
    )
    C = np.array(
        [
            [-0.12010707539354, -0.0058667257825731, -0.099214580732202],
            [-0.16236554705428, -0.048125197443318, -0.064166929924423],
            [0.03064492031768, 0.016041732481106, 0.0],
        ]
    )
    agree(robot.coriolis_matrix(th, d), C, tolerance=DIGITS)
    agree(
        robot.coriolis_matrix(th, d) @ d,
        np.array((-0.14817331519924, -0.12930797097046, 0.012114113662619)),
        tolerance=DIGITS,
    )
    agree(
        robot.gravity_torque(th),
        np.array((29.440616615749, 8.3539519595238, 1.1254652785891)),
        tolerance=DIGITS,
    )
    agree(
        along(lambda q: run(robot, generic.mass_matrix, q=q), th, d),
        np.array(
            [
                [-0.24021415078707, -0.16823227283685, -0.068569660414522],
                [-0.16823227283685, -0.096250394886635, -0.048125197443318],
                [-0.068569660414522, -0.048125197443318, 0.0],
            ]
        ),
        tolerance=DIGITS,
    )
    agree(
        robot.inverse_dynamics(th, d, dd),
        np.array((31.062090910823, 8.7895134804576, 1.2427668504447)),
        tolerance=DIGITS,
    )
    agree(robot.energy(th, d), np.array((0.25573595218999, 4.4146809378644)), tolerance=DIGITS)
    agree(
        robot.forward_dynamics(th, d, (1.0, 2.0, -1.0)),
        np.array((-25.129439848447, 41.516676473369, -44.641889867342)),
        tolerance=DIGITS,
    )


@pytest.mark.parametrize(
    'th2, th3, expected',
    [
        (0.0, 0.0, ((47 / 4, 13 / 2, 9 / 4), (13 / 2, 9 / 2, 7 / 4), (9 / 4, 7 / 4, 5 / 4))),
        (90.0, 0.0, ((31 / 4, 9 / 2, 7 / 4), (9 / 2, 9 / 2, 7 / 4), (7 / 4, 7 / 4, 5 / 4))),
        (
            60.0,
            30.0,
            (
                (3**0.5 / 2 + 33 / 4, 3**0.5 / 2 + 17 / 4, 3**0.5 / 4 + 5 / 4),
                (3**0.5 / 2 + 17 / 4, 3**0.5 / 2 + 7 / 2, 3**0.5 / 4 + 5 / 4),
                (3**0.5 / 4 + 5 / 4, 3**0.5 / 4 + 5 / 4, 5 / 4),
            ),
        ),
    ],
)
def test_planar_three_link_of_exercise_7_14(th2, th3, expected):
    """O1b: all lengths and masses one, I = m a^2."""
    arm = PlanarThreeLink((1.0,) * 3, (1.0,) * 3, (1.0,) * 3)
    agree(arm.robot.mass_matrix((0.4, np.radians(th2), np.radians(th3))), np.array(expected))


class SpatialThreeLink:
    """Example 7.6.1: three revolutes of one posture, every link of mass m and inertia I 1."""

    def __init__(self, a, m, inertia, gravity):
        self.a, self.m, self.inertia = a, m, inertia
        self.robot = serial(
            (
                Segment(
                    'revolute', (0, 0, 1), (0, 0, 0), m, np.array((-1, 1, 0)) * a / 2, inertia
                ),
                Segment(
                    'revolute', (0, 1, 0), (-a, 0, 0), m, np.array((1, 2, -1)) * a / 2, inertia
                ),
                Segment(
                    'revolute', (1, 0, 0), (0, a, -a), m, np.array((2, 0, 1)) * a / 2, inertia
                ),
            ),
            gravity,
        )


@pytest.mark.parametrize('a, m, inertia, p', [(0.5, 2.0, 0.3, 1.5), (1.3, 0.7, 0.9, -0.4)])
def test_spatial_three_link_arm_matches_the_corrected_closed_form(a, m, inertia, p):
    """Example 7.6.1.

    Misprint: the text's first Coriolis torque, A/2 - I, violates the power balance.
    """
    arm = SpatialThreeLink(a, m, inertia, (0.0, 0.0, -9.81))
    q, rates, A = np.zeros(3), np.full(3, p), m * a * a
    agree(
        arm.robot.mass_matrix(q),
        A / 4 * np.array([[11, 4, 0], [4, 7, 0], [0, 0, 1]]) + inertia * np.diag((3.0, 2.0, 1.0)),
    )
    Mdot = along(lambda q: run(arm.robot, generic.mass_matrix, q=q), q, rates)
    agree(
        Mdot,
        p
        * np.array(
            [
                [-A / 2, 5 * A / 4, A / 4 - inertia],
                [5 * A / 4, 0, A / 2],
                [A / 4 - inertia, A / 2, 0],
            ]
        ),
    )
    torque = arm.robot.coriolis_matrix(q, rates) @ rates
    agree(torque, p * p * np.array((A - inertia, inertia - A / 4, A - inertia)))
    agree(rates @ torque, 0.5 * rates @ Mdot @ rates)
    misprinted = np.array((p * p * (A / 2 - inertia), torque[1], torque[2]))
    assert abs(rates @ misprinted - 0.5 * rates @ Mdot @ rates) > 0.1 * abs(p**3) * A
    agree(arm.robot.gravity_torque(q), np.array((0.0, -1.5 * m * a * 9.81, 0.0)))


def test_spatial_three_link_arm_has_the_worked_numbers():
    """Example 7.6.1 with a = 0.5, m = 2, I = 0.3, p = 1.5."""
    robot = SpatialThreeLink(0.5, 2.0, 0.3, (0.0, 0.0, -9.81)).robot
    q, rates = np.zeros(3), np.full(3, 1.5)
    agree(robot.mass_matrix(q), np.array([[2.275, 0.5, 0], [0.5, 1.475, 0], [0, 0, 0.425]]))
    agree(robot.coriolis_matrix(q, rates) @ rates, np.array((0.45, 0.39375, 0.45)))
    agree(robot.inverse_dynamics(q, rates, (1.0, -2.0, 0.5)), np.array((1.725, -16.77125, 0.6625)))


def test_spatial_three_link_from_its_dh_table():
    """Example 7.6.1 from standard Denavit-Hartenberg rows, the com in the distal frame."""
    a, m, inertia = 0.5, 2.0, 0.3 * np.eye(3)
    coms = np.array(((-0.5, 0.0, 0.5), (-0.5, 0.0, 0.5), (-0.5, 0.0, 0.0))) * a
    rows = [
        DHRow(a=a, alpha=np.radians(alpha), d=b, mass=m, com=tuple(com), inertia=inertia)
        for alpha, b, com in zip((90, 90, 0), (0.0, a, a), coms)
    ]
    robot = Robot.from_dh(rows, 'standard')
    q, rates = np.array((pi, -pi / 2, pi)), np.full(3, 1.5)
    agree(robot.mass_matrix(q), np.array([[2.275, 0.5, 0], [0.5, 1.475, 0], [0, 0, 0.425]]))
    agree(robot.coriolis_matrix(q, rates) @ rates, np.array((0.45, 0.39375, 0.45)))
    agree(robot.inverse_dynamics(q, rates, (1.0, -2.0, 0.5)), np.array((1.725, -16.77125, 0.6625)))


def test_sliding_joint_of_exercise_7_11():
    """RRP arm, gravity along x; Algorithm 7.4.2 as printed lacks the lever arm of the slide.

    Taken literally it gives (0.3, 0.56, -23.086...) for the Coriolis-free part of the torques.
    """
    A, B, C, (m1, m2, m3), g = 0.8, 0.5, 0.2, (5.0, 4.0, 3.0), 9.81
    robot = serial(
        (
            Segment('revolute', (0, 0, 1), (0, 0, 0), m1, (0, 0, 0), A),
            Segment('revolute', (0, -1, 0), (0, 0, 0), m2, (0, 0, 0), B),
            Segment('prismatic', (0, 0, -1), (0, 0, 0), m3, (0, 0, 0), C),
        ),
        (g, 0.0, 0.0),
    )
    rng = np.random.default_rng(0)
    for (q1, q2, b), (d1, d2, bd) in rng.uniform(-2.0, 2.0, (10, 2, 3)):
        s1, c1, s2, c2 = sin(q1), cos(q1), sin(q2), cos(q2)
        q, qd = np.array((q1, q2, b)), np.array((d1, d2, bd))
        M = np.diag((A + B + C + m3 * b * b * s2 * s2, B + C + m3 * b * b, m3))
        agree(robot.mass_matrix(q), M)
        agree(
            robot.coriolis_matrix(q, qd) @ qd,
            np.array(
                (
                    2 * m3 * b * s2 * s2 * bd * d1 + 2 * m3 * b * b * s2 * c2 * d1 * d2,
                    2 * m3 * b * bd * d2 - m3 * b * b * s2 * c2 * d1 * d1,
                    -m3 * b * (d2 * d2 + s2 * s2 * d1 * d1),
                )
            ),
            scale=np.abs(M).max() * qd @ qd,
        )
        agree(
            robot.gravity_torque(q),
            m3 * g * np.array((b * s1 * s2, -b * c1 * c2, -c1 * s2)),
            scale=m3 * g * 2.0,
        )
    q, qd, qdd = (0.4, 0.9, 0.7), (0.6, -0.3, 0.5), (0.2, 0.8, -0.4)
    agree(np.diag(robot.mass_matrix(q)), np.array((2.401993539599, 2.17, 3.0)), tolerance=DIGITS)
    agree(
        robot.gravity_torque(q),
        np.array((6.284167494504, -11.794910862999, -21.233505498975)),
        tolerance=DIGITS,
    )
    agree(
        robot.inverse_dynamics(q, qd, qdd),
        np.array((7.28002343895, -10.94659094613, -23.086387890769)),
        tolerance=DIGITS,
    )


def test_sliding_joint_from_its_dh_table():
    """From Table 7.5: a = 0, b = (0, 0, b3), alpha = (90, 90, 0), the com of link 3 at P."""
    rows = [
        DHRow(alpha=pi / 2, mass=5.0, inertia=0.8 * np.eye(3)),
        DHRow(alpha=pi / 2, mass=4.0, inertia=0.5 * np.eye(3)),
        DHRow(joint='prismatic', mass=3.0, inertia=0.2 * np.eye(3)),
    ]
    robot = Robot.from_dh(rows, 'standard', gravity=(9.81, 0.0, 0.0))
    agree(
        robot.inverse_dynamics((0.4, 0.9, 0.7), (0.6, -0.3, 0.5), (0.2, 0.8, -0.4)),
        np.array((7.28002343895, -10.94659094613, -23.086387890769)),
        tolerance=DIGITS,
    )


@pytest.mark.parametrize('s', [1.0, -1.0])
def test_orthogonal_wrist_matches_its_closed_form(s):
    """The wrist of example 7.6: three axes through a point O, inertias J, K, L about O.

    Without its figure, alpha = (90, +-90, 0) is assumed, and the closed forms are derived from it.
    The example's mass of 1 kg at 0.12 m is more than the inertia L allows. 12 kg at 0.01 m have
    the same first moment, and about O nothing else counts.
    """
    J, K, L = (0.05, 0.04, 0.03), (0.02, 0.015, 0.01), (0.006, 0.004, 0.003)
    m, a, g = 12.0, 0.01, 9.81
    rows = [
        DHRow(alpha=pi / 2, inertia=np.diag(J)),
        DHRow(alpha=s * pi / 2, inertia=np.diag(K)),
        DHRow(
            mass=m,
            com=(0.0, 0.0, s * a),
            inertia=np.diag(L) - m * a * a * np.diag((1.0, 1.0, 0.0)),
        ),
    ]
    robot = Robot.from_dh(rows, 'standard')
    d = L[0] - L[1]
    rng = np.random.default_rng(0)
    for q, qd in rng.uniform(-3.0, 3.0, (10, 2, 3)):
        (d4, d5, d6), s5, c5, s6, c6 = qd, sin(q[1]), cos(q[1]), sin(q[2]), cos(q[2])
        across = L[0] * c6**2 + L[1] * s6**2
        D44 = J[1] + K[0] * s5**2 + K[2] * c5**2 + s5**2 * across + L[2] * c5**2
        D45, D46 = s * d * s5 * s6 * c6, -s * L[2] * c5
        D55 = K[1] + L[0] * s6**2 + L[1] * c6**2
        agree(robot.mass_matrix(q), np.array([[D44, D45, D46], [D45, D55, 0.0], [D46, 0.0, L[2]]]))
        E, turn = K[0] - K[2] - L[2] + across, c6**2 - s6**2
        agree(
            robot.coriolis_matrix(q, qd) @ qd,
            np.array(
                (
                    2 * s5 * c5 * E * d4 * d5
                    - 2 * s5**2 * d * s6 * c6 * d4 * d6
                    + s * (d * (c5 * s6 * c6 * d5**2 + s5 * turn * d5 * d6) + L[2] * s5 * d5 * d6),
                    -s5 * c5 * E * d4**2
                    + 2 * d * s6 * c6 * d5 * d6
                    + s * (d * s5 * turn - L[2] * s5) * d4 * d6,
                    s5**2 * d * s6 * c6 * d4**2
                    - d * s6 * c6 * d5**2
                    + s * (L[2] * s5 - d * s5 * turn) * d4 * d5,
                )
            ),
            scale=0.1 * qd @ qd,
        )
        agree(robot.gravity_torque(q), np.array((0.0, m * g * a * s5, 0.0)), scale=m * g * a)
    if s > 0.0:
        q, qd, qdd = (0.3, 0.8, -0.5), (1.0, -2.0, 0.7), (0.5, 0.25, -1.0)
        agree(
            robot.coriolis_matrix(q, qd) @ qd,
            np.array((-0.03090686, -0.00487518, 0.00017908)),
            tolerance=5e-7,
        )
        agree(
            robot.inverse_dynamics(q, qd, qdd),
            np.array((7.58969461e-4, 0.844159516, -3.86597684e-3)),
            tolerance=1e-9,
        )


@pytest.fixture
def six_revolute():
    """Return the six-revolute arm in standard DH rows, com in the distal frame (Turney's rbar).

    The book measures them from the near end (its rho): the two must not be mixed.
    """
    return formulation_arms.six_revolute()


def test_four_formulations_agree_on_a_six_revolute_arm(six_revolute):
    """Inertias of Angeles's exercise 7.3 on an assumed geometry, by four formulations.

    The numbers come from Lagrange's, Newton-Euler's and both of Turney's forms, equal to 1e-12.
    """
    q, qd = (0.1, -0.5, 0.9, 0.3, -0.7, 1.2), np.array((0.5, -0.4, 0.3, 0.9, -0.6, 0.2))
    qdd = (1.0, -0.8, 0.6, -0.4, 0.2, 0.1)
    agree(
        six_revolute.inverse_dynamics(q, qd, qdd),
        np.array(
            (
                13.925037827771,
                111.582762215617,
                5.657670172390,
                -0.208414779055,
                -0.069235079286,
                -0.017645574036,
            )
        ),
    )
    agree(
        six_revolute.coriolis_matrix(q, qd) @ qd,
        np.array(
            (
                -2.768264559776,
                -1.796425602150,
                -0.203558952309,
                -0.036690545771,
                -0.019534545382,
                -0.001966476232,
            )
        ),
    )
    agree(
        six_revolute.gravity_torque(q),
        np.array((0.0, 125.654693924384, 6.253268421878, 0.255240140412, -0.039663818117, 0.0)),
    )
    upper = np.zeros((6, 6))
    upper[np.triu_indices(6)] = (
        17.110758874149,
        0.764599169960,
        0.138577797267,
        -0.285614325972,
        -0.009191668102,
        -0.013312257618,
        17.359731988698,
        1.414226600180,
        0.042667037175,
        0.082398020098,
        -0.002684348751,
        0.987957669381,
        0.020068035837,
        0.081426166391,
        -0.002684348751,
        0.300839167425,
        0.0,
        0.010784274841,
        0.081088342790,
        0.0,
        0.0141,
    )
    M = six_revolute.mass_matrix(q)
    agree(np.triu(M), upper)
    agree(np.linalg.eigvalsh(M)[[0, -1]], np.array((0.013681201681, 18.092853163786)))
    agree(
        six_revolute.forward_dynamics(q, qd, (10.0, -20.0, 5.0, 1.0, -1.0, 0.5)),
        np.array(
            (
                1.121567943409,
                -9.364075708884,
                13.501987448931,
                2.824848713358,
                -15.517968318110,
                35.286576662074,
            )
        ),
    )
