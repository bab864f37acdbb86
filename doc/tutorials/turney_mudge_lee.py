# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Turney, Mudge and Lee (1980): the sections of the report in order.

    python doc/tutorials/turney_mudge_lee.py [folder for the figures]

The report proves that two formulations are one, and has no numbers but operation counts. So 'the
book' is a claim: the left side of an identity, or a published count. 'Ours' is the result of the
other formulation, or of the code. The arm has six revolute joints and the masses of a medium-sized
industrial arm.
"""

import sys
from math import pi

import numpy as np
from lesson import exit_code, run

from robodyn_ros import Robot
from robodyn_ros.formulations import simulate
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.posture import arm_at, links_of, skew
from robodyn_ros.formulations.turney import (
    concurrent_schedule,
    lagrange_4x4,
    luh_walker_paul,
    modified_newton_euler,
    strobing,
)
from robodyn_ros.model.dh import DHRow
from robodyn_ros.model.layout import INERTIA, MASS

Q = np.array([0.1, -0.5, 0.9, 0.3, -0.7, 1.2])
QD = np.array([0.5, -0.4, 0.3, 0.9, -0.6, 0.2])
QDD = np.array([1, -0.8, 0.6, -0.4, 0.2, 0.1])
N = 6


def arm():
    """Standard DH table; centres of mass from the far end of each link, as the report has them."""
    rows = zip(
        (0, 0.4318, 0.0203, 0, 0, 0),
        (0, 0.15, 0, 0.4318, 0, 0.0563),
        (pi / 2, 0, pi / 2, -pi / 2, pi / 2, 0),
        (10.521, 15.781, 8.767, 1.052, 1.052, 0.351),
        (
            (0, -0.054, 0),
            (0.140, 0, 0),
            (0, -0.197, 0),
            (0, 0, -0.057),
            (0, -0.007, 0),
            (0, 0, -0.019),
        ),
        (
            (1.6120, 0.5091, 1.6120),
            (0.4898, 8.0783, 8.2672),
            (3.3768, 0.3009, 3.3768),
            (0.1810, 0.1810, 0.1273),
            (0.0735, 0.0735, 0.1273),
            (0.0071, 0.0071, 0.0141),
        ),
    )
    return Robot.from_dh(
        [
            DHRow(a=a, d=b, alpha=alpha, mass=m, com=com, inertia=np.diag(inertia))
            for a, b, alpha, m, com, inertia in rows
        ],
        convention='standard',
        name='six-revolute arm',
    )


def section_1(lesson):
    """Section 1: derivatives of transformations, (1.5) to (1.28).

    dT_0^q/dth_j = T_0^(j-1) Q T_(j-1)^q; 'ours' is the derivative taken of T itself.
    """
    robot = arm()
    at = arm_at(robot, Q)
    first, second = lagrange_4x4.derivatives(at)

    def tip(q):
        return lagrange_4x4.transforms(arm_at(robot, q))[-1][:3]

    e = np.eye(N)
    lesson.compare('dT_0^6/dth_2, columns', first[5, 1][:3, 1:], along(tip, Q, e[1])[:, 1:])
    h = 1e-5
    slope = (along(tip, Q + h * e[2], e[1]) - along(tip, Q - h * e[2], e[1])) / (2 * h)
    lesson.compare('d2T_0^6/dth_2 dth_3', second[5, 1, 2][:3, 1:], slope[:, 1:], 1e-8)
    link = links_of(robot)[2]
    K = modified_newton_euler.pseudo_inertia(link.I)
    lesson.misprint(
        'I from J (1.27)', 'Turney, (1.27), (1.26)', -K, np.trace(K) * np.eye(3) - K, link.I
    )


def sections_2_and_3(lesson):
    """Sections 2 and 3: Lagrange (2.11), Newton-Euler (3.15) to (3.21)."""
    robot, zero = arm(), np.zeros(N)
    D, h, g = (terms.sum(axis=0) for terms in lagrange_4x4.coefficients(robot, Q))
    light = robot.with_gravity((0, 0, 0))
    lesson.compare('D_ij thdd_j', D @ QDD, luh_walker_paul.inverse_dynamics(light, Q, zero, QDD))
    lesson.compare(
        'D_ijk thd_j thd_k', QD @ h @ QD, luh_walker_paul.inverse_dynamics(light, Q, QD, zero)
    )
    lesson.compare('D_i', g, luh_walker_paul.inverse_dynamics(robot, Q, zero, zero))
    lesson.compare(
        'tau', D @ QDD + QD @ h @ QD + g, luh_walker_paul.inverse_dynamics(robot, Q, QD, QDD)
    )
    lesson.compare(
        "tau, the package's kernel", D @ QDD + QD @ h @ QD + g, robot.inverse_dynamics(Q, QD, QDD)
    )


def strobing_and_sensor(lesson):
    """End of section 3: inertia and Coriolis terms by strobing; a wrist sensor.

    C^i_jk follows from torques at the rates e_j + e_k, e_j and e_k. The report omits that the last
    two are subtracted, and that the rest is halved. The sensor's reading is the initial value of
    f_(n+1) and n_(n+1). With it, a model without the 2 kg at the end effector gives the torque of
    one with them.
    """
    robot = arm()
    lesson.compare(
        'M by strobing',
        lagrange_4x4.mass_matrix(robot, Q)[:3, :3],
        strobing.mass_matrix(robot, Q)[:3, :3],
    )
    h, e = lagrange_4x4.coriolis_coefficients(robot, Q), np.eye(N)
    light = robot.with_gravity((0, 0, 0))
    literal = modified_newton_euler.inverse_dynamics(light, Q, e[1] + e[2], np.zeros(N))
    lesson.misprint(
        'C^i_23',
        'Turney, section 3',
        literal,
        h[:, 1, 2],
        strobing.coriolis_coefficients(robot, Q)[:, 1, 2],
    )
    frame, mass, com = robot.model.body_names[-1], 2.0, np.array([0, 0.02, 0.1])
    loaded = robot.with_payload(frame, mass, com, np.zeros((3, 3)))
    R, J = robot.pose(Q, frame)[:3, :3], robot.jacobian(Q, frame)
    twist, rate = J @ QD, J @ QDD + robot.jacobian_bias(Q, QD, frame)
    w, wd, a = R.T @ twist[3:], R.T @ rate[3:], R.T @ (rate[:3] - robot.model.gravity)
    force = mass * (a + np.cross(wd, com) + np.cross(w, np.cross(w, com)))
    reading = np.concatenate((force, np.cross(com, force)))
    lesson.compare(
        'tau with a load',
        loaded.inverse_dynamics(Q, QD, QDD),
        luh_walker_paul.inverse_dynamics(robot, Q, QD, QDD, (frame, reading)),
    )


def section_4(lesson):
    """Section 4: the connection, term by term.

    One formulation has sum Tr(T_(0,j) J_q T_(0,i)^T) as the contribution of link q to D_ij. In the
    other it is the torque of an arm without mass but in that link.
    """
    robot, joint = arm(), 3
    contributions, _, _ = lagrange_4x4.coefficients(robot, Q)
    constants = robot.model.constants.copy()
    constants[np.arange(len(constants)) != joint + 1, MASS : INERTIA + 6] = 0.0
    alone = robot.model.with_constants(constants)
    lesson.compare(
        'D_ij of link 4', contributions[joint][:4, :3], strobing.mass_matrix(alone, Q)[:4, :3]
    )


def section_5(lesson):
    """Section 5: the modified Newton-Euler set, A_i and K_i, (5.1) and (5.2)."""
    rng = np.random.default_rng(1)
    w, al, b = rng.normal(size=(3, 3))
    A = modified_newton_euler.rate_matrix(w, al)
    lesson.compare('w x (w x b) + al x b', np.cross(w, np.cross(w, b)) + np.cross(al, b), A @ b)
    lesson.misprint(
        'A_i (3, 2)',
        'Turney, section 5, A_i',
        w[1] * w[2] + al[2],
        w[1] * w[2] + al[0],
        (np.outer(w, w) + skew(al))[2, 1],
    )
    inertia = links_of(arm())[1].I
    moment = inertia @ al + np.cross(w, inertia @ w)
    K = modified_newton_euler.pseudo_inertia(inertia)
    P = A @ K
    lesson.misprint(
        'x of I al + w x I w',
        'Turney, (5.2)',
        P[1, 2] - P[2, 1],
        moment[0],
        modified_newton_euler.moment(A, K)[0],
    )
    lesson.compare(
        'tau',
        luh_walker_paul.inverse_dynamics(arm(), Q, QD, QDD),
        modified_newton_euler.inverse_dynamics(arm(), Q, QD, QDD),
    )


def section_6(lesson):
    """Section 6 and appendix: computational complexity, Tables 1 to 5, at n = 6.

    'The book' is the formula of Table 1, 'ours' the sum of the rows of Tables 2, 3 and 4.
    """
    n = N
    lagrange = (81 / 6 * n**3 + 165 / 2 * n**2 + 5 * n, 40 / 3 * n**3 + 58 * n**2 - 64 / 3 * n)
    derivatives = np.array([(32 * n * (n - 1), 24 * n * (n - 1))] * 2)

    def total(second, bracket):
        rows = [
            (32 / 3 * n * (n * n - 1), second),
            (17 / 6 * n**3 + 17 / 2 * n**2 + 209 / 3 * n, bracket),
            (8 * n * n + 8 * n, 8 * n * n + 7 * n),
            (2 * n * n + 2 * n, 2 * n * n + n),
        ]
        return derivatives.sum(axis=0) + np.sum(rows, axis=0)

    bracket = 16 / 3 * n**3 + 80 / 3 * n
    lesson.misprint(
        'Lagrange, M and A',
        'Turney, appendix',
        total(16 * n * (n * n - 1), bracket),
        lagrange,
        total(8 * n * (n * n - 1), bracket),
    )
    lesson.say(
        'The brackets of the appendix add up to (16/3)n(n + 1)(n + 2) + 32n, so that '
        f'{16 * n * (n + 1)} additions are missing in Table 1 as well.'
    )
    table_3 = n * np.array(
        [
            (9, 7),
            (9, 9),
            (6, 9),
            (18, 15),
            (9, 9),
            (12, 9),
            (9, 6),
            (15, 9),
            (6, 3),
            (6, 3),
            (9, 6),
            (0, 15),
        ]
    ).sum(axis=0) - (12, 9)
    lesson.compare('Newton-Euler', (108 * n - 12, 100 * n - 9), table_3)
    table_4 = n * np.array(
        [
            (9, 7),
            (9, 9),
            (6, 9),
            (18, 15),
            (12, 9),
            (9, 9),
            (6, 3),
            (6, 3),
            (6, 3),
            (9, 6),
            (0, 15),
        ]
    ).sum(axis=0) - (18 + 9, 15 + 9)
    lesson.compare('modified Newton-Euler', (90 * n - 27, 88 * n - 24), table_4)
    steps, processors = concurrent_schedule.shortest(n, concurrent_schedule.printed_steps_of)
    lesson.say(
        f'Table 5 has {27 * n + 42} and {27 * n + 41} steps for n = {n}. With the operations '
        f'of Table 4 list scheduling finds {steps[0]} and {steps[1]}, on {max(processors)} '
        'processors.'
    )
    with lesson.figure('turney_counts') as axes:
        if axes:
            joints = np.arange(2, 13)
            lagrange = 81 / 6 * joints**3 + 165 / 2 * joints**2 + 5 * joints
            for label, count in (
                ('Lagrange', lagrange),
                ('Newton-Euler', 108 * joints - 12),
                ('modified Newton-Euler', 90 * joints - 27),
                ('the same, concurrently', 27 * joints + 42),
            ):
                axes.semilogy(joints, count, 'o-', label=label)
            axes.set(title='Table 1: multiplications of one inverse dynamics', xlabel='joints')
            axes.legend()
            axes.grid(alpha=0.3, which='both')


def section_7(lesson):
    """Section 7: simulation by strobing, elimination without pivoting and Runge-Kutta.

    The arm falls for a tenth of a second in 20 steps, and loses no energy. 'Ours' is the package's
    O(n) forward dynamics.
    """
    robot, zero = arm(), np.zeros(N)
    tau = np.array([10, -20, 5, 1, -1, 0.5])
    lesson.compare(
        'thdd',
        strobing.forward_dynamics(robot, Q, QD, tau),
        robot.forward_dynamics(Q, QD, tau),
        1e-9,
    )
    book = simulate.turney(
        lambda t, q, qd: strobing.forward_dynamics(robot, q, qd, zero), Q, QD, 0.005, 20
    )
    ours = simulate.turney(lambda t, q, qd: robot.forward_dynamics(q, qd, zero), Q, QD, 0.005, 20)
    lesson.compare('theta(0.1)', book[0], ours[0])
    lesson.compare('E(0.1) = E(0)  [J]', sum(robot.energy(Q, QD)), sum(robot.energy(*ours)), 1e-7)


EXAMPLES = (
    section_1,
    sections_2_and_3,
    strobing_and_sensor,
    section_4,
    section_5,
    section_6,
    section_7,
)


def main(arguments=None):
    """Run the lesson; return it."""
    return run(
        'Turney, Mudge and Lee: equivalence of two formulations for robot arm dynamics',
        EXAMPLES,
        arguments,
    )


if __name__ == '__main__':
    sys.exit(exit_code(main()))
