# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Angeles, chapter 7: the examples in order, the book's numbers beside ours.

    python doc/tutorials/angeles.py [folder for the figures]

The book gives formulas; both sides are evaluated for one set of numbers. J_i is the book's I_i,
the moment of inertia of link i about its centre of mass. c23 = cos(theta_2 + theta_3), and so on.
"""

import sys
from dataclasses import replace
from math import pi

import numpy as np
from lesson import exit_code, run

from robodyn_ros import Robot
from robodyn_ros.formulations.angeles import (
    angeles_simulation,
    euler_lagrange,
    kane,
    newton_euler,
    noc_forward_dynamics,
    planar,
    statics,
)
from robodyn_ros.formulations.angeles import natural_orthogonal_complement as noc
from robodyn_ros.formulations.angeles.dissipation import Friction
from robodyn_ros.formulations.angeles.minimum_time import S345, minimum_time
from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.posture import arm_at, velocities
from robodyn_ros.formulations.serial_chain import links_at
from robodyn_ros.model.dh import DHRow

G = 9.81

# ------------------------------------------------------------ the planar arm of Fig. 7.1
# Three parallel axes, centres of mass half way along the links, gravity along -Y.
A, M = (a1, a2, a3), (m1, m2, m3) = (0.5, 0.4, 0.3), (3.0, 2.0, 1.0)
J = (J1, J2, J3) = (1 / 16, 2 / 75, 3 / 400)
THETA, THD, THDD = (
    np.array([0.3, -0.7, 1.1]),
    np.array([0.5, -0.2, 0.9]),
    np.array([1, -0.5, 0.25]),
)


def planar_arm(lengths=A, masses=M, inertias=J):
    """The arm as a table of DH parameters; com is measured from the far end of the link."""
    rows = [
        DHRow(a=a, mass=m, com=(-a / 2, 0, 0), inertia=np.diag([0, j, j]))
        for a, m, j in zip(lengths, masses, inertias)
    ]
    return Robot.from_dh(rows, convention='standard', gravity=(0, -G, 0), name='Fig. 7.1')


def symmetric(i11, i12, i13, i22, i23, i33):
    """Matrix of its six distinct entries."""
    return np.array([[i11, i12, i13], [i12, i22, i23], [i13, i23, i33]])


def inertia_7_3_1(theta):
    """I(theta) as the book expands it."""
    c2, c3, c23 = np.cos(theta[1]), np.cos(theta[2]), np.cos(theta[1] + theta[2])
    return symmetric(
        J1
        + J2
        + J3
        + m1 * a1**2 / 4
        + m2 * (a1**2 + a2**2 / 4 + a1 * a2 * c2)
        + m3 * (a1**2 + a2**2 + a3**2 / 4 + 2 * a1 * a2 * c2 + a1 * a3 * c23 + a2 * a3 * c3),
        J2
        + J3
        + (
            m2 * (a2**2 / 2 + a1 * a2 * c2)
            + m3 * (2 * a2**2 + a3**2 / 2 + 2 * a1 * a2 * c2 + a1 * a3 * c23 + 2 * a2 * a3 * c3)
        )
        / 2,
        J3 + m3 / 2 * (a3**2 / 2 + a1 * a3 * c23 + a2 * a3 * c3),
        J2 + J3 + m2 * a2**2 / 4 + m3 * (a2**2 + a3**2 / 4 + a2 * a3 * c3),
        J3 + m3 / 2 * (a3**2 / 2 + a2 * a3 * c3),
        J3 + m3 * a3**2 / 4,
    )


def sine_products(theta):
    """The three brackets of which all Coriolis terms of this arm are made."""
    s2, s3, s23 = np.sin(theta[1]), np.sin(theta[2]), np.sin(theta[1] + theta[2])
    return (
        m2 * a1 * a2 * s2 + m3 * (2 * a1 * a2 * s2 + a1 * a3 * s23),
        m3 * (a1 * a3 * s23 + a2 * a3 * s3),
        m3 * a2 * a3 * s3,
    )


def coriolis_7_6_2(theta, rates):
    """mu, the entries of T^T M Tdot, as Example 7.6.2 has them."""
    h, k, l = sine_products(theta)  # noqa: E741
    d1, d2, d3 = rates
    return (
        np.array(
            [
                [-h * d2 - k * d3, -h * (d1 + d2) - k * d3, -k * (d1 + d2 + d3)],
                [h * d1 - l * d3, -l * d3, -l * (d1 + d2 + d3)],
                [k * d1 + l * d2, l * (d1 + d2), 0.0],
            ]
        )
        / 2
    )


def example_7_3_1(lesson):
    """Example 7.3.1: the Euler-Lagrange equations of a planar robot.

    I qdd + Idot qd - 1/2 [d(I qd)/dq]^T qd + dV/dq = tau, eq. (7.20). The example expands every
    term by hand; here each comes out of the energies of the links (euler_lagrange.py).
    """
    robot = planar_arm()
    d1, d2, d3 = THD
    s3, s23 = np.sin(THETA[2]), np.sin(THETA[1] + THETA[2])
    c2, c3, c23 = np.cos(THETA[1]), np.cos(THETA[2]), np.cos(THETA[1] + THETA[2])
    h, k, l = sine_products(THETA)  # noqa: E741

    _, _, cdot = velocities(arm_at(robot, THETA), THD)
    lesson.compare('|c1dot|^2', a1**2 * d1**2 / 4, cdot[0] @ cdot[0])
    lesson.compare(
        '|c2dot|^2',
        a1**2 * d1**2 + a2**2 / 4 * (d1 + d2) ** 2 + a1 * a2 * c2 * (d1**2 + d1 * d2),
        cdot[1] @ cdot[1],
    )

    def c3dot(factor):
        return (
            a1**2 * d1**2
            + a2**2 * (d1 + d2) ** 2
            + a3**2 / 4 * (d1 + d2 + d3) ** 2
            + 2 * a1 * a2 * c2 * (d1**2 + d1 * d2)
            + a1 * a3 * c23 * d1 * (d1 + d2 + d3)
            + factor * a2 * a3 * c3 * (d1**2 + d2**2 + 2 * d1 * d2 + d1 * d3 + d2 * d3)
        )

    lesson.misprint(
        '|c3dot|^2', 'Angeles, Example 7.3.1, |c3dot|^2', c3dot(2), c3dot(1), cdot[2] @ cdot[2]
    )

    inertia = inertia_7_3_1(THETA)
    lesson.compare('I', inertia, euler_lagrange.mass_matrix(robot, THETA))
    lesson.compare(
        'T = qd.I qd/2  [J]',
        THD @ inertia @ THD / 2,
        euler_lagrange.kinetic_energy(robot, THETA, THD),
    )

    rate = symmetric(
        -h * d2 - k * d3,
        (-h * d2 - m3 * a1 * a3 * s23 * d3 - 2 * l * d3) / 2,
        -m3 * (a1 * a3 * s23 * (d2 + d3) + a2 * a3 * s3 * d3) / 2,
        -l * d3,
        -l * d3 / 2,
        0.0,
    )
    ours = noc.mass_matrix_rate(robot, THETA, THD)
    lesson.compare('Idot', rate, ours)

    iota = ours @ THD
    tail = -l * d2 * d3 - l * d3**2 / 2
    lesson.compare(
        'iota_1', -h * d1 * d2 - k * d1 * d3 - h * d2**2 / 2 - k * d2 * d3 - k * d3**2 / 2, iota[0]
    )
    corrected = -m3 * a3 * (a1 * s23 + 2 * a2 * s3) / 2 * d1 * d3
    lesson.misprint(
        'iota_2',
        'Angeles, Example 7.3.1, iota_2',
        -h * d1 * d2 / 2 - k * d1 * d3 / 2 + tail,
        -h * d1 * d2 / 2 + corrected + tail,
        iota[1],
    )
    lesson.compare(
        'iota_3', -m3 * a1 * a3 * s23 * d1 * d2 / 2 - k * d1 * d3 / 2 - l * d2 * d3 / 2, iota[2]
    )

    gamma = gradient(lambda q: euler_lagrange.momentum(robot, q, THD), THETA).T @ THD
    lesson.compare(
        'gamma_1, gamma_2',
        (0.0, -h * d1**2 - h * d1 * d2 - m3 * a1 * a3 * s23 * d1 * d3),
        gamma[:2],
    )

    def third(square):
        return (
            -k * d1**2
            - m3 * (a1 * a3 * s23 + 2 * a2 * a3 * s3) * d1 * d2
            - k * d1 * d3
            - l * square
            - l * d2 * d3
        )

    lesson.misprint(
        'gamma_3', 'Angeles, Example 7.3.1, gamma_3', third(d3**2), third(d2**2), gamma[2]
    )

    slope = gravity_7_3_1(THETA)
    lesson.compare('dV/dtheta', slope, euler_lagrange.gravity_torque(robot, THETA))
    tau = inertia @ THDD + coriolis_7_6_2(THETA, THD) @ THD + slope
    lesson.compare(
        'tau, Euler-Lagrange', tau, euler_lagrange.inverse_dynamics(robot, THETA, THD, THDD)
    )
    lesson.compare("tau, Kane's equations", tau, kane.inverse_dynamics(robot, THETA, THD, THDD))


def gravity_7_3_1(theta):
    """dV/dtheta of Example 7.3.1."""
    c1, c12, c123 = np.cos(np.cumsum(theta))
    return G * np.array(
        [
            m1 * a1 * c1 / 2
            + m2 * (a1 * c1 + a2 * c12 / 2)
            + m3 * (a1 * c1 + a2 * c12 + a3 * c123 / 2),
            m2 * a2 * c12 / 2 + m3 * (a2 * c12 + a3 * c123 / 2),
            m3 * a3 * c123 / 2,
        ]
    )


def section_7_4(lesson):
    """Section 7.4: recursive inverse dynamics, Algorithms 7.4.1 and 7.4.2, Tables 7.1 to 7.4.

    The same torque without a single derivative: velocities and accelerations outward, forces and
    moments inward. The book's counts are checked by adding up its own rows, for n = 6.
    """
    tau = inertia_7_3_1(THETA) @ THDD + coriolis_7_6_2(THETA, THD) @ THD + gravity_7_3_1(THETA)
    lesson.compare(
        'tau, Newton-Euler', tau, newton_euler.inverse_dynamics(planar_arm(), THETA, THD, THDD)
    )
    n = 6
    rows = np.array([(4, 0), (8, 5), (20, 16), (10, 7), (32, 28)]) * n
    lesson.misprint(
        'Table 7.1, sum',
        'Angeles, Table 7.1',
        rows.sum(axis=0),
        rows.sum(axis=0) + (8 * n, 10 * n),
        (82 * n, 66 * n),
    )
    inward = np.array(
        [
            (3, 3),
            (30, 27),
            (8 * (n - 1), 4 * (n - 1)),
            (3 * (n - 1), 3 * (n - 1)),
            (44 * (n - 1), 37 * (n - 1)),
        ]
    ).sum(axis=0)
    lesson.compare('Table 7.2, sum', (55 * n - 22, 44 * n - 14), inward)
    lesson.compare('(7.43), sum', (137 * n - 22, 110 * n - 14), inward + (82 * n, 66 * n))
    lesson.misprint(
        'Balafoutis, Patel',
        'Angeles, Table 7.4, Balafoutis-Patel',
        (489, 420),
        (489, 421),
        (93 * n - 69, 81 * n - 65),
    )


def example_7_5_1(lesson):
    """Example 7.5.1: a minimum-time trajectory.

    theta = theta_0 + s(t/T) dtheta with the 3-4-5 polynomial. Then tau = f(x)/T^2, and T_i^2 is
    the largest |f_i| over the torque of motor i, without weight. The method is the book's. The
    numbers come from its I and mu above, on a grid of 4000 points. Such a grid misses the largest
    value by a little.
    """
    start, step, limits = (
        np.array([-0.5, 0.4, 0.2]),
        np.array([1.0, -0.8, 0.6]),
        np.array([20, 10, 3.0]),
    )
    x = np.linspace(0.0, 1.0, 4001)
    s, ds, dds = S345(x), S345.deriv()(x), S345.deriv(2)(x)
    f = np.array(
        [
            dds[k] * inertia_7_3_1(start + s[k] * step) @ step
            + ds[k] ** 2 * coriolis_7_6_2(start + s[k] * step, step) @ step
            for k in range(len(x))
        ]
    )
    found = minimum_time(planar_arm().with_gravity((0, 0, 0)), start, step, limits)
    lesson.compare('F_i = max |f_i|', np.abs(f).max(axis=0), found.forces, 1e-6)
    lesson.compare('T_i  [s]', np.sqrt(np.abs(f).max(axis=0) / limits), found.times, 1e-6)
    lesson.compare('T_min  [s]', np.sqrt(np.abs(f).max(axis=0) / limits).max(), found.time, 1e-6)
    lesson.say('In that time one motor just reaches its limit, and none exceeds it.')
    with lesson.figure('angeles_minimum_time') as axes:
        if axes:
            axes.plot(found.time * x, f / found.time**2 / limits)
            axes.set(
                title='Example 7.5.1: torques of the fastest motion',
                xlabel='time [s]',
                ylabel='torque / limit',
            )
            axes.legend(['joint 1', 'joint 2', 'joint 3'])
            axes.grid(alpha=0.3)


def example_7_6_1(lesson):
    """Example 7.6.1: a spatial three-revolute robot.

    Three identical links of mass m and inertia I times the identity, in the posture of Fig. 7.7.
    Every joint turns at the rate p; s = m a^2. A block belongs to link i and joint j. Forces are
    in units of a m p^2/2, moments and torques in units of p^2.
    """
    a, m, inertia, p = 0.5, 2.0, 0.3, 1.5
    s = m * a * a
    table = (
        (0, pi / 2, (-0.5 * a, 0, 0.5 * a)),
        (a, pi / 2, (-0.5 * a, 0, 0.5 * a)),
        (a, 0, (-0.5 * a, 0, 0)),
    )
    robot = Robot.from_dh(
        [
            DHRow(a=a, d=b, alpha=alpha, mass=m, com=com, inertia=inertia * np.eye(3))
            for b, alpha, com in table
        ],
        convention='standard',
        gravity=(0, 0, 0),
        name='Fig. 7.7',
    )
    q, qd, zero = np.array([pi, -pi / 2, pi]), np.full(3, p), np.zeros(3)

    T, Tdot, mass, W = noc.matrices(robot, q, qd)
    block = {(i, j): T[6 * i - 3 : 6 * i, j - 1] for i in (1, 2, 3) for j in range(1, i + 1)}
    for (i, j), book in {
        (1, 1): (-1, -1, 0),
        (2, 1): (-2, -1, 0),
        (2, 2): (-1, 0, -1),
        (3, 1): (-2, 0, 0),
        (3, 2): (-1, 0, -2),
        (3, 3): (0, -1, 0),
    }.items():
        lesson.compare(f't{i}{j}, times 2/a', book, block[i, j] * 2 / a)
    lesson.compare(
        'I',
        s / 4 * np.array([[11, 4, 0], [4, 7, 0], [0, 0, 1]]) + inertia * np.diag([3, 2, 1]),
        noc.mass_matrix(robot, q),
    )

    rates = {(i, j): Tdot[6 * i - 3 : 6 * i, j - 1] * 2 / (a * p) for i, j in block}
    example = 'Angeles, Example 7.6.1,'
    lesson.compare('t11dot', (1, -1, 0), rates[1, 1])
    lesson.misprint('t21dot', f'{example} rates', (0, 1, 0), (1, -3, 0), rates[2, 1])
    lesson.compare('t22dot', (-1, -1, 1), rates[2, 2])
    lesson.compare('t33dot', (1, 0, -1), rates[3, 3])
    P = T.T @ mass @ Tdot / p
    upper = [[-s / 4, 7 * s / 4, -s / 2 - inertia], [-s / 2, 0, s / 4 + inertia]]
    lesson.misprint(
        'T^T M Tdot / p',
        f'{example} T^T M Tdot',
        [*upper, [s / 2, s / 4 - inertia, 0]],
        [*upper, [3 * s / 4, s / 4 - inertia, 0]],
        P,
    )
    lesson.compare(
        'T^T W M T / p I', [[0, 1, -1], [-1, 0, 1], [1, -1, 0]], T.T @ W @ mass @ T / (p * inertia)
    )
    lesson.misprint(
        'Idot / p',
        f'{example} Idot',
        [[-s / 2, 5 * s / 4, -inertia], [5 * s / 4, 0, s + inertia], [-inertia, s / 2, 0]],
        [[-s / 2, 5 * s / 4, s / 4 - inertia], [5 * s / 4, 0, s / 2], [s / 4 - inertia, s / 2, 0]],
        noc.mass_matrix_rate(robot, q, qd) / p,
    )
    torque = noc.coriolis_matrix(robot, q, qd) @ qd / p**2
    printed = np.array([s / 2 - inertia, inertia - s / 4, s - inertia])
    right = printed + [s / 2, 0, 0]
    lesson.misprint('C qd / p^2', f'{example} C qd', printed, right, torque)
    power = qd @ noc.mass_matrix_rate(robot, q, qd) @ qd / 2
    lesson.compare('qd.C qd = qd.Idot qd/2', power, qd @ torque * p**2)
    lesson.say(f'This power settles it: the printed torque would give {qd @ printed * p**2:.4g}.')

    links = links_at(robot, q)
    moving, R = newton_euler.outward(links, qd, zero), links.base_axes()

    def in_base(v):
        return np.einsum('ijk,ik->ij', R, v)

    lesson.compare('omega_i / p', [[0, 0, 1], [0, 1, 1], [1, 1, 1]], in_base(moving.w) / p)
    lesson.compare(
        'omegadot_i / p^2', [[0, 0, 0], [-1, 0, 0], [-1, 1, -1]], in_base(moving.wd) / p**2
    )
    lesson.compare(
        'cdot_i, times 2/ap',
        [[-1, -1, 0], [-3, -1, -1], [-3, -1, -2]],
        in_base(moving.cdot) * 2 / (a * p),
    )
    lesson.compare(
        'cddot_i, 2/ap^2',
        [[1, -1, 0], [0, -4, 1], [0, -4, 0]],
        in_base(moving.cdd) * 2 / (a * p * p),
    )
    loads = newton_euler.joint_wrenches(robot, q, qd, zero)
    lesson.misprint(
        'f1, f2, f3',
        'Angeles, Example 7.6.1, forces',
        [[1, -7, 1], [0, -6, 1], [0, -4, 0]],
        [[1, -9, 1], [0, -8, 1], [0, -4, 0]],
        loads[:, 3:] * 2 / (a * m * p * p),
    )
    tau = newton_euler.inverse_dynamics(robot, q, qd, zero) / p**2
    lesson.misprint('tau / p^2', 'Angeles, Example 7.6.1, forces', printed, right, tau)


def example_7_6_2(lesson):
    """Example 7.6.2: the planar robot again, by the natural orthogonal complement.

    T^T M T and T^T M Tdot in the plane (planar.py), where T^T W M T vanishes. Exercises 7.5 and
    7.15: Idot - 2 C is skew-symmetric.
    """
    robot = planar_arm()
    lesson.compare('I = T^T M T', inertia_7_3_1(THETA), planar.mass_matrix(robot, THETA))
    C = planar.coriolis_matrix(robot, THETA, THD)
    lesson.compare('mu = T^T M Tdot', coriolis_7_6_2(THETA, THD), C)
    h, k, l = sine_products(THETA)  # noqa: E741
    d1, d2, d3 = THD
    lesson.compare(
        'nu = mu thd',
        (
            -h * d1 * d2 - k * d1 * d3 - h * d2**2 / 2 - k * d2 * d3 - k * d3**2 / 2,
            h * d1**2 / 2 - l * d1 * d3 - l * d2 * d3 - l * d3**2 / 2,
            k * d1**2 / 2 + l * d1 * d2 + l * d2**2 / 2,
        ),
        C @ THD,
    )
    c1, c12, c123 = np.cos(np.cumsum(THETA))
    printed = (
        -G
        / 2
        * np.array(
            [
                m1 * a1 * c1
                + 2 * m2 * (a1 * c1 + a2 * c12)
                + 2 * m3 * (a1 * c1 + a2 * c12 + a3 * c123),
                m2 * a2 * c12 + 2 * m3 * (a2 * c12 + a3 * c123),
                m3 * a3 * c123,
            ]
        )
    )
    lesson.misprint(
        'gamma = T^T w^G',
        'Angeles, Example 7.6.2, gravity',
        printed,
        -gravity_7_3_1(THETA),
        -noc.gravity_torque(robot, THETA),
    )
    N = noc.mass_matrix_rate(robot, THETA, THD) - 2 * C
    lesson.compare('Idot - 2 C = -(...)^T', N, -N.T)
    tau = np.array([1.0, 2.0, -1.0])
    bias = coriolis_7_6_2(THETA, THD) @ THD + gravity_7_3_1(THETA)
    qdd = np.linalg.solve(inertia_7_3_1(THETA), tau - bias)
    lesson.compare(
        'thdd, Algorithm 7.6.2', qdd, noc_forward_dynamics.forward_dynamics(robot, THETA, THD, tau)
    )
    lesson.compare(
        'thdd, orthogonal (7.106)',
        qdd,
        noc_forward_dynamics.forward_dynamics_orthogonal(robot, THETA, THD, tau),
    )


def section_7_6_2(lesson):
    """Section 7.6.2: the count of forward dynamics, (7.112) to (7.118), at n = 6."""
    n = 6
    cholesky = n**3 / 6 + n**2 / 2 + n / 3
    steps = np.array(
        [
            (17 * n**2 - 15 * n, 10 * n**2 - 10 * n),
            (3 * n**2 + 3 * n, 2.5 * n**2 + 2.5 * n),
            (cholesky, cholesky),
            (n**2, n**2 - n),
            (137 * n - 22, 110 * n - 14),
        ]
    )
    lesson.say(
        '(7.117) is worth '
        f'{n**3 / 6 + 37 / 2 * n**2 + 367 / 3 * n - 22:.0f} multiplications and '
        f'{n**3 / 6 + 23 / 2 * n**2 + 298 / 3 * n - 14:.0f} additions, (7.118) prints:'
    )
    lesson.misprint(
        'sum of the steps',
        'Angeles, (7.117), (7.118), section 7.6',
        (1450, 1068),
        (1540, 1137),
        steps.sum(axis=0),
    )


def section_7_6_3(lesson):
    """Section 7.6.3: simulation.

    The arm of Fig. 7.1 falls for half a second. The book has no numbers. It names the embedded
    pair RK45 and a stiff method. Both must find one state, and no energy may appear or vanish.
    """
    try:
        import scipy  # noqa: F401  its solvers are the methods that the section names
    except ImportError:
        lesson.say('Left out: scipy is not installed.')
        return
    robot, rest = planar_arm(), np.zeros(3)

    def fall(t, q, qd):
        return robot.forward_dynamics(q, qd, rest)

    pair = angeles_simulation.simulate(fall, THETA, rest, 0.5, 'ode45', 1e-10)
    stiff = angeles_simulation.simulate(fall, THETA, rest, 0.5, 'gear', 1e-8)
    lesson.compare('theta(0.5)', pair.q[-1], stiff.q[-1], 1e-4)
    lesson.compare(
        'E(0.5) = E(0)  [J]',
        sum(robot.energy(THETA, rest)),
        sum(robot.energy(pair.q[-1], pair.qd[-1])),
        1e-8,
    )
    one_step = angeles_simulation.backward_euler(lambda t, y: -1000 * y, 0.0, np.ones(1), 0.1)
    lesson.misprint(
        "(7.121), y' = -1000 y",
        'Angeles, (7.121)',
        (1 - 50) / (1 + 50),
        1 / 101,
        one_step[0],
        1e-6,
    )
    with lesson.figure('angeles_fall') as axes:
        if axes:
            axes.plot(pair.t, pair.q, '.-', ms=3)
            axes.set(
                title='The arm of Fig. 7.1 falls; every dot is a step of RK45',
                xlabel='time [s]',
                ylabel='theta [rad]',
            )
            axes.legend(['joint 1', 'joint 2', 'joint 3'])
            axes.grid(alpha=0.3)


def section_7_8(lesson):
    """Section 7.8: dissipation functions Delta, and the friction delta = -dDelta/d(qd)."""
    beta, coulomb, extra, decay, qd = 0.3, 2.0, 1.5, 10.0, 0.1
    viscous, dry = Friction(viscous=beta), Friction(coulomb=coulomb, extra=extra, decay=decay)
    rate = np.array([qd])
    lesson.compare('(7.129) viscous Delta', beta * qd**2 / 2, viscous.dissipation(rate))
    lesson.compare('(7.132) viscous delta', -beta * qd, viscous.torque(rate)[0])
    lesson.compare(
        '(7.137) slow Delta',
        coulomb * qd + extra / decay * (1 - np.exp(-decay * qd)),
        dry.dissipation(rate),
    )
    lesson.compare(
        '(7.136) slow delta', -(coulomb + extra * np.exp(-decay * qd)), dry.torque(rate)[0]
    )
    lesson.compare('-dDelta/d(qd)', -gradient(dry.dissipation, rate), dry.torque(rate))


def exercises(lesson):
    """Exercises 7.9, 7.11, 7.13 and 7.14: a wrench to balance, an RRP arm, codes to test.

    7.9: the recursion against the transposed Jacobian. 7.13: P of the plane against P of space.
    7.11: inertias I_1, I_2, I_3 times the identity, gravity along +X. The centres of mass of links
    1 and 2 are in O_1, that of link 3 in P. The terms are derived from P = b (c1 s2, s1 s2, -c2).
    'In print' is Algorithm 7.4.2 without the lever b_3 e_3.
    """
    (A_, B_, C_), m, (t1, t2, b) = (0.8, 0.5, 0.2), 3.0, (0.4, 0.9, 0.7)
    table = (('revolute', pi / 2, 5, A_), ('revolute', pi / 2, 4, B_), ('prismatic', 0, m, C_))
    robot = Robot.from_dh(
        [
            DHRow(joint=joint, alpha=alpha, mass=mass, inertia=j * np.eye(3))
            for joint, alpha, mass, j in table
        ],
        convention='standard',
        gravity=(G, 0, 0),
        name='Fig. 7.12',
    )
    q, qd, qdd = np.array([t1, t2, b]), np.array([0.6, -0.3, 0.5]), np.array([0.2, 0.8, -0.4])
    (d1, d2, bd), (s1, s2), (c1, c2) = qd, np.sin((t1, t2)), np.cos((t1, t2))
    D = np.diag([A_ + B_ + C_ + m * b**2 * s2**2, B_ + C_ + m * b**2, m])
    h = m * np.array(
        [
            2 * b * s2**2 * bd * d1 + 2 * b**2 * s2 * c2 * d1 * d2,
            2 * b * bd * d2 - b**2 * s2 * c2 * d1**2,
            -b * (d2**2 + s2**2 * d1**2),
        ]
    )
    g = m * G * np.array([b * s1 * s2, -b * c1 * c2, -c1 * s2])
    lesson.compare('7.11 I', D, noc.mass_matrix(robot, q))
    links = links_at(robot, q)
    moving = newton_euler.outward(links, qd, qdd)
    n, f, _ = newton_euler.inward(replace(links, b=np.zeros(3)), moving, *np.zeros((2, 3)))
    literal = [(links.Q[i] @ x)[2] for i, x in enumerate((n[0], n[1], f[2]))]
    lesson.misprint(
        '7.11 tau',
        'Angeles, Algorithm 7.4.2, sliding joints',
        literal,
        D @ qdd + h + g,
        newton_euler.inverse_dynamics(robot, q, qd, qdd),
    )
    wrench, tip = np.array([3.0, -2.0, 5.0, 0.4, -0.7, 1.1]), robot.model.body_names[-1]
    lesson.compare(
        '7.9 -J^T w',
        -robot.jacobian(q, tip).T @ wrench,
        statics.balancing_torque(robot, q, wrench),
    )
    arm = planar_arm()
    in_plane, in_space = (
        planar.projected_twists(arm, THETA),
        noc_forward_dynamics.factor(arm, THETA),
    )
    lesson.compare('7.13 I = P^T P', in_space.T @ in_space, in_plane.T @ in_plane)
    unit = planar_arm((1, 1, 1), (1, 1, 1), (1, 1, 1))
    lesson.compare(
        '7.14 theta = (0, 0)',
        symmetric(47, 26, 9, 18, 7, 5) / 4,
        noc.mass_matrix(unit, np.zeros(3)),
    )
    lesson.compare(
        '7.14 theta = (90, 0)',
        symmetric(31, 18, 7, 18, 7, 5) / 4,
        noc.mass_matrix(unit, np.array([0, pi / 2, 0])),
    )


EXAMPLES = (
    example_7_3_1,
    section_7_4,
    example_7_5_1,
    example_7_6_1,
    example_7_6_2,
    section_7_6_2,
    section_7_6_3,
    section_7_8,
    exercises,
)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Angeles, chapter 7: dynamics of serial robotic manipulators', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
