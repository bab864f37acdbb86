# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Craig, chapter 6: the examples of the notes in order, their numbers beside ours.

    python doc/tutorials/craig.py [folder for the figures]

The notes give formulas, some only in part. What they leave to the reader is worked out here. Both
sides are evaluated for one set of numbers. Frames are those of modified DH parameters, gravity is
along -Y.
"""

import sys
from math import pi

import numpy as np
from lesson import exit_code, run

from robodyn_ros import Robot
from robodyn_ros.formulations import simulate
from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.craig import iterative_newton_euler, solids
from robodyn_ros.model.dh import DHRow

G = 9.81
M1, M2, L1, L2 = 4.6, 2.3, 0.5, 0.5
Q, QD, QDD = np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1, -0.5])
(S1, S2, S12), (C1, C2, C12) = np.sin((0.3, 0.7, 1.0)), np.cos((0.3, 0.7, 1.0))
X, Y = 0, 1


def two_link():
    """Section 6.7: two links with point masses at their ends, and a frame 'tip' there."""
    rows = [
        DHRow(mass=M1, com=(L1, 0, 0)),
        DHRow(a=L1, mass=M2, com=(L2, 0, 0)),
        DHRow(a=L2, joint='fixed', link_name='tip'),
    ]
    return Robot.from_dh(rows, gravity=(0, -G, 0), name='section 6.7')


def acceleration_of_a_point(lesson):
    """Equations (6.10), (6.12): the acceleration of a point in a moving frame.

    The frame turns about z with the angle t^2 while the point slides along its x by 0.2 sin 3t.
    The book's side is the second derivative of the position, by differences.
    """

    def position(t):
        return 0.2 * np.sin(3 * t) * np.array([np.cos(t * t), np.sin(t * t), 0])

    t, h = 0.7, 1e-4
    c, s = np.cos(t * t), np.sin(t * t)
    R = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    x, z = np.array([0.2, 0, 0]), np.array([0, 0, 1.0])
    Qp, v, vd = np.sin(3 * t) * x, 3 * np.cos(3 * t) * x, -9 * np.sin(3 * t) * x
    w, wd = 2 * t * z, 2 * z
    exact = (position(t + h) - 2 * position(t) + position(t - h)) / h**2
    ours = iterative_newton_euler.point_acceleration(np.zeros(3), R, Qp, v, vd, w, wd)
    place = 'Craig, (6.10), (6.12)'
    lesson.misprint('(6.10) in A', place, ours + np.cross(w, R @ v), exact, ours, 1e-6)

    def rate(t):  # of a frame that turns about the moving x, at 0.5
        return np.array([0.5 * np.cos(t * t), 0.5 * np.sin(t * t), 2 * t])

    lesson.compare(
        '(6.15) about z, then x',
        (rate(t + h) - rate(t - h)) / (2 * h),
        iterative_newton_euler.angular_acceleration(wd, w, R, np.array([0.5, 0, 0]), np.zeros(3)),
        1e-6,
    )


def example_6_1(lesson):
    """Examples 6.1 and 6.2: inertia tensor of a cuboid about a corner, and about its centre."""
    m, w, l, h = 3.0, 0.2, 0.3, 0.4  # noqa: E741
    centre = solids.cuboid(m, w, l, h)
    corner = solids.about(centre, m, (w / 2, l / 2, h / 2))
    lesson.compare(
        'I_xx, I_yy, I_zz',
        m / 3 * np.array([l * l + h * h, w * w + h * h, l * l + w * w]),
        np.diag(corner),
    )
    lesson.compare(
        'I_xy, I_xz, I_yz', m / 4 * np.array([w * l, h * w, h * l]), -corner[[0, 0, 1], [1, 2, 2]]
    )
    lesson.compare('C_I_zz, C_I_xy', (m / 12 * (w * w + l * l), 0.0), (centre[2, 2], centre[0, 1]))
    product = m * w * l / 4
    lesson.misprint(
        'I_xy, from C_I_xy', 'Craig, parallel axes', 0.0 - product, product, -corner[0, 1]
    )


def section_6_7(lesson):
    """Section 6.7: two links by the iterative Newton-Euler equations (6.45) to (6.53)."""
    robot = two_link()
    lesson.compare(
        '1vdot1, weight alone',
        (G * S1, G * C1, 0),
        iterative_newton_euler.outward(robot, Q, np.zeros(2), np.zeros(2))[0][3] / M1,
    )
    _, _, _, F, N = iterative_newton_euler.outward(robot, Q, QD, QDD)[0]
    along_x = -L1 * QD[0] ** 2 + G * S1
    lesson.misprint(
        '1F1 / m1',
        'Craig, section 6.7',
        (along_x, L1 * QDD[0] + G * S1, 0),
        (along_x, L1 * QDD[0] + G * C1, 0),
        F / M1,
    )
    lesson.compare('1N1', np.zeros(3), N)
    M, V, weight = equations_of_two_links()
    lesson.compare(
        'tau', M @ QDD + V + weight, iterative_newton_euler.inverse_dynamics(robot, Q, QD, QDD)
    )


def equations_of_two_links():
    """Return M, V and G of the book for this arm, (6.60) to (6.62); the notes have them not."""
    coupling = M2 * L1 * L2
    M = np.array(
        [
            [L2**2 * M2 + 2 * coupling * C2 + L1**2 * (M1 + M2), L2**2 * M2 + coupling * C2],
            [L2**2 * M2 + coupling * C2, L2**2 * M2],
        ]
    )
    V = coupling * S2 * np.array([-(QD[1] ** 2) - 2 * QD[0] * QD[1], QD[0] ** 2])
    far = M2 * L2 * G * C12
    return M, V, np.array([far + (M1 + M2) * L1 * G * C1, far])


def state_space(lesson):
    """Equations (6.59), (6.63): state space, and configuration space.

    B multiplies thd1 thd2, C the squares; both depend on the posture alone.
    """
    robot = two_link()
    for name, book, ours in zip(
        ('M', 'V', 'G'), equations_of_two_links(), iterative_newton_euler.state_space(robot, Q, QD)
    ):
        lesson.compare(name, book, ours)
    _, B, C, _ = iterative_newton_euler.configuration_space(robot, Q)
    k = M2 * L1 * L2 * S2
    lesson.compare('B', [[-2 * k], [0]], B)
    lesson.compare('C', [[0, -k], [k, 0]], C)
    cross, square = iterative_newton_euler.products(QD)
    lesson.compare('V = B [qd qd] + C [qd^2]', equations_of_two_links()[1], B @ cross + C @ square)
    lesson.say('B has one column for the single product thd1 thd2; the notes multiply it by two.')


def pendulum(lesson):
    """The pendulum, by the Lagrangian.

    m l^2 thdd + m g l sin th = 0. Released at 1 rad, it comes back after 1.789730921643 s. The
    complete elliptic integral gives this period, 4 sqrt(l/g) K(sin 0.5).
    """
    m, l, angle = 1.3, 0.7, 0.6  # noqa: E741
    robot = Robot.from_dh([DHRow(mass=m, com=(l, 0, 0))], gravity=(G, 0, 0), name='pendulum')

    def fall(t, q, qd):
        return robot.forward_dynamics(q, qd, np.zeros(1))

    lesson.misprint(
        'thdd',
        'Craig, pendulum',
        G / l * np.sin(angle),
        -G / l * np.sin(angle),
        fall(0, np.array([angle]), np.zeros(1))[0],
    )
    a, b = 1.0, np.cos(0.5)  # the arithmetic-geometric mean gives K
    for _ in range(6):
        a, b = (a + b) / 2, np.sqrt(a * b)
    period = 2 * pi / a * np.sqrt(l / G)
    lesson.compare('period  [s]', 1.789730921643, period)
    q, qd = simulate.turney(fall, np.ones(1), np.zeros(1), period / 400, 400)
    lesson.compare('angle, a period later', 1.0, q[0], 1e-7)
    with lesson.figure('craig_pendulum') as axes:
        if axes:
            t, path, rate = np.arange(401) * period / 200, [np.ones(1)], np.zeros(1)
            for _ in t[1:]:
                q, rate = simulate.turney(fall, path[-1], rate, t[1], 1)
                path.append(q)
            axes.plot(t, path, label='from 1 rad')
            axes.plot(t, np.cos(np.sqrt(G / l) * t), '--', label='small angles')
            axes.set(
                title='The pendulum is slower than its small-angle period',
                xlabel='time [s]',
                ylabel='theta [rad]',
            )
            axes.legend()
            axes.grid(alpha=0.3)


def example_6_5(lesson):
    """Example 6.5: an RP manipulator, by the Lagrangian."""
    m1, m2, l1, izz1, izz2 = 2.0, 1.0, 0.5, 0.05, 0.02
    rows = [
        DHRow(mass=m1, com=(0, -l1, 0), inertia=np.diag([0, 0, izz1]), theta=pi / 2),
        DHRow(joint='prismatic', alpha=pi / 2, mass=m2, inertia=np.diag([0, izz2, 0])),
    ]
    robot = Robot.from_dh(rows, gravity=(0, -G, 0), name='example 6.5')
    (th, d), (thd, dd), (thdd, ddd) = q, qd, qdd = np.array([[0.6, 0.8], [0.7, -0.3], [1, 0.5]])
    M, V, weight = iterative_newton_euler.state_space(robot, q, qd)
    m11 = m1 * l1**2 + izz1 + izz2 + m2 * d**2
    lesson.compare('M', np.diag([m11, m2]), M)
    coriolis, centrifugal = 2 * m2 * thd * d * dd, -m2 * d * thd**2
    lesson.say('By its note for sliding joints, w = 0, V_2 would vanish:')
    lesson.misprint('V', 'Craig, sliding joint', (coriolis, 0.0), (coriolis, centrifugal), V)
    lesson.compare('G', (G * (m1 * l1 + m2 * d) * np.cos(th), G * m2 * np.sin(th)), weight)
    tau = (
        m11 * thdd + coriolis + G * (m1 * l1 + m2 * d) * np.cos(th),
        m2 * ddd + centrifugal + G * m2 * np.sin(th),
    )
    lesson.compare('tau', tau, iterative_newton_euler.inverse_dynamics(robot, q, qd, qdd))


def example_6_6(lesson):
    """Example 6.6: the Cartesian equations of the two links, in frame {3} at the tip.

    Mx = J^-T M J^-1 and so on, (6.99). J as printed lacks + l2; its printed inverse is right. Mx
    grows without bound where sin theta_2 = 0.
    """
    robot = two_link()

    def jacobian(q):
        return np.array([[L1 * np.sin(q[1]), 0], [L1 * np.cos(q[1]) + L2, L2]])

    J, Jdot = jacobian(Q), along(jacobian, Q, QD)
    R = robot.pose(Q, 'tip')[:2, :2]
    lesson.misprint(
        'J',
        'Craig, J of two links',
        [[L1 * S2, 0], [L1 * C2, L2]],
        J,
        R.T @ robot.jacobian(Q, 'tip')[[X, Y]],
    )
    lesson.compare(
        'J^-1',
        np.array([[L2, 0], [-L1 * C2 - L2, L1 * S2]]) / (L1 * L2 * S2),
        np.linalg.inv(R.T @ robot.jacobian(Q, 'tip')[[X, Y]]),
    )
    lesson.compare('Jdot', [[L1 * C2 * QD[1], 0], [-L1 * S2 * QD[1], 0]], Jdot)
    Mx, Vx, Gx = iterative_newton_euler.cartesian_form(
        *iterative_newton_euler.state_space(robot, Q, QD), J, Jdot @ QD
    )
    (d1, d2) = QD
    lesson.compare('Mx', np.diag([M2 + M1 / S2**2, M2]), Mx)
    lesson.compare(
        'Vx',
        (
            -(M2 * L1 * C2 + M2 * L2) * d1**2
            - M2 * L2 * d2**2
            - (2 * M2 * L2 + M2 * L1 * C2 + M1 * L1 * C2 / S2**2) * d1 * d2,
            M2 * L1 * S2 * d1**2 + M2 * L1 * S2 * d1 * d2,
        ),
        Vx,
    )
    lesson.compare('Gx', (M1 * G * C1 / S2 + M2 * G * S12, M2 * G * C12), Gx)
    tau = robot.inverse_dynamics(Q, QD, QDD)
    xdd = J @ QDD + Jdot @ QD
    M, _, weight = iterative_newton_euler.state_space(robot, Q, QD)
    lesson.compare('tau = J^T F  (6.104)', tau, J.T @ (Mx @ xdd + Vx + Gx))
    rest = J.T @ Vx + weight
    lesson.misprint(
        'tau  (6.105)', 'Craig, (6.105)', J.T @ M @ xdd + rest, J.T @ Mx @ xdd + rest, tau
    )
    with lesson.figure('craig_cartesian_mass') as axes:
        if axes:
            angle = np.linspace(0.1, pi - 0.1, 200)
            axes.semilogy(np.degrees(angle), M2 + M1 / np.sin(angle) ** 2, label='along link 2')
            axes.semilogy(np.degrees(angle), np.full(200, M2), label='across link 2')
            axes.set(
                title='Example 6.6: mass felt at the tip', xlabel='theta_2 [deg]', ylabel='Mx [kg]'
            )
            axes.legend()
            axes.grid(alpha=0.3)


def dynamic_simulation(lesson):
    """Equations (6.115) to (6.117): simulation.

    thetad += thetadd dt, theta += thetad dt + thetadd dt^2/2, with the old rate. The two links
    fall for half a second; the reference is Runge-Kutta with 4000 steps. Halving the step halves
    the error: the scheme is of first order, for all its dt^2.
    """
    robot = two_link()

    def fall(t, q, qd):
        return robot.forward_dynamics(q, qd, np.zeros(2))

    q1, qd1 = Q + QD * 0.01 + 0.5 * fall(0, Q, QD) * 1e-4, QD + fall(0, Q, QD) * 0.01
    one = simulate.craig(fall, Q, QD, 0.01, 1)
    lesson.compare('one step of 10 ms', np.concatenate((q1, qd1)), np.concatenate(one))
    exact = np.concatenate(simulate.turney(fall, Q, QD, 0.5 / 4000, 4000))
    counts = (400, 800, 1600, 3200)
    errors = [
        np.abs(np.concatenate(simulate.craig(fall, Q, QD, 0.5 / n, n)) - exact).max()
        for n in counts
    ]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    lesson.say('error with ' + ', '.join(f'{n} steps: {e:.3g}' for n, e in zip(counts, errors)))
    lesson.compare('order', (1.0, 1.0, 1.0), orders, 0.05)
    with lesson.figure('craig_order') as axes:
        if axes:
            steps = (25, 50, 100, 200)
            four = [
                np.abs(np.concatenate(simulate.turney(fall, Q, QD, 0.5 / n, n)) - exact).max()
                for n in steps
            ]
            axes.loglog(0.5 / np.array(counts), errors, 'o-', label='(6.116), (6.117)')
            axes.loglog(0.5 / np.array(steps), four, 'o-', label='Runge-Kutta')
            axes.set(
                title='Error of a simulation after half a second',
                xlabel='step [s]',
                ylabel='error [rad, rad/s]',
            )
            axes.legend()
            axes.grid(alpha=0.3, which='both')


EXAMPLES = (
    acceleration_of_a_point,
    example_6_1,
    section_6_7,
    state_space,
    pendulum,
    example_6_5,
    example_6_6,
    dynamic_simulation,
)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Craig, chapter 6: manipulator dynamics', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
