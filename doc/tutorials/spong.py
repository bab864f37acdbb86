# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spong, chapter 6: the examples in order, the book's numbers beside ours.

    python doc/tutorials/spong.py [folder for the figures]

The book's formulas are those of spong_arms.py, one function for each arm, in the order of the
chapter. The text at hand has lost its displayed equations; they were restored from its prose.
Beside them stands the result of the package for the same arm. It comes from a table of DH
parameters, from energies, or by Newton-Euler. Both sides are evaluated for one set of numbers.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros import Robot
from robodyn_ros.formulations.angeles import euler_lagrange
from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.craig import solids
from robodyn_ros.formulations.spong import (
    christoffel,
    hamiltonian,
    properties,
    spong_arms,
    spong_newton_euler,
)
from robodyn_ros.identification import Parameters, base_parameters
from robodyn_ros.model.dh import DHRow

G = 9.81
ELBOW = {'m': (1.5, 1), 'l': (1, 0.8), 'lc': (0.5, 0.4), 'I': (0.12, 0.05)}
BARS = {
    'm': (2, 1.5, 1.2, 1),
    'l1': 0.6,
    'l2': 0.3,
    'lc': (0.3, 0.15, 0.3, 0.25),
    'I': (0.06, 0.012, 0.036, 0.03),
}
Q, QD, QDD = np.array([0.3, 0.7]), np.array([0.4, -0.6]), np.array([1, -0.5])


def elbow():
    """The planar elbow manipulator in a vertical plane."""
    rows = [
        DHRow(a=length, mass=m, com=(centre - length, 0, 0), inertia=np.diag([0, j, j]))
        for length, m, centre, j in zip(ELBOW['l'], ELBOW['m'], ELBOW['lc'], ELBOW['I'])
    ]
    return Robot.from_dh(rows, convention='standard', gravity=(0, -G, 0), name='elbow')


def example_6_1(lesson):
    """Example 6.1: a single link behind a gear.

    I qdd + B qd + M g l sin q = u, I = r^2 Jm + Jl, u = r tau_m. As a robot: a rotor inertia
    r^2 Jm at the joint of a link. B is settled by the power that both dampers take.
    """
    r, Jm, Jl, mass, l, Bm, Bl = 50, 2e-4, 0.56, 4.0, 0.3, 1e-3, 0.2  # noqa: E741
    q, qd, qdd = np.array([0.4]), np.array([0.5]), np.array([1.0])
    arm = spong_arms.geared_link(r, Jm, Jl, mass, l, Bm, Bl, q)
    rows = [
        DHRow(
            mass=mass,
            com=(l, 0, 0),
            rotor_inertia=r * r * Jm,
            inertia=(Jl - mass * l * l) * np.eye(3),
        )
    ]
    robot = Robot.from_dh(rows, gravity=(G, 0, 0), name='example 6.1')
    lesson.compare('I = r^2 Jm + Jl', [[r * r * Jm + Jl]], robot.mass_matrix(q))
    power = (Bm * (r * qd[0]) ** 2 + Bl * qd[0] ** 2) / qd[0] ** 2
    lesson.misprint('B', 'Spong, Example 6.1', r * Bm + Bl, r * r * Bm + Bl, power)
    lesson.compare('u', arm.torque(qd, qdd), robot.inverse_dynamics(q, qd, qdd) + power * qd)


def example_6_2(lesson):
    """Example 6.2: a single link behind a spring.

    The prose swaps the names of the two angles. Both sides come from the energies: ours by
    derivatives of K and P, the book's written out.
    """
    Jm, Jl, mass, l, k = 0.1, 0.4, 2.0, 0.3, 80.0  # noqa: E741
    q, qdd = np.array([0.5, 0.45]), np.array([1.0, -2.0])
    arm = spong_arms.elastic_link(Jm, Jl, mass, l, k, q)

    def potential(x):
        return mass * G * l * (1 - np.cos(x[0])) + k * (x[0] - x[1]) ** 2 / 2

    lesson.compare(
        '(0, u)', arm.torque(np.zeros(2), qdd), np.array([Jl, Jm]) * qdd + gradient(potential, q)
    )


def example_6_3(lesson):
    """Example 6.3: a uniform rectangular solid, about its centre.

    Ours is put together of 8 smaller boxes by parallel axes.
    """
    m, a, b, c = 3.0, 0.2, 0.3, 0.4
    parts = [
        (
            m / 8,
            (np.array(corner) - 0.5) * (a, b, c) / 2,
            solids.cuboid(m / 8, a / 2, b / 2, c / 2),
        )
        for corner in np.ndindex(2, 2, 2)
    ]
    lesson.compare(
        'I_xx, I_yy, I_zz',
        m / 12 * np.array([b * b + c * c, a * a + c * c, a * a + b * b]),
        np.diag(solids.assembled(parts)[2]),
    )


def cartesian(lesson):
    """Section 6.4: the two-link Cartesian manipulator; no Coriolis terms."""
    m, qd, qdd = (2.0, 1.5), np.array([0.3, 0.4]), np.array([1.0, 2.0])
    rows = [
        DHRow(joint='prismatic', alpha=-np.pi / 2, mass=m[0]),
        DHRow(joint='prismatic', mass=m[1]),
    ]
    robot = Robot.from_dh(rows, convention='standard', name='Fig. 6.8')
    lesson.compare(
        'f',
        spong_arms.cartesian(m).torque(qd, qdd),
        robot.inverse_dynamics(np.array([0.1, 0.2]), qd, qdd),
    )


def planar_elbow(lesson):
    """Section 6.4: the planar elbow manipulator; Christoffel symbols c_ijk.

    h = -m2 l1 lc2 sin q2: c_121 = c_211 = c_221 = h, c_112 = -h, and all others are zero.
    """
    robot, arm = elbow(), spong_arms.planar_elbow(**ELBOW, q=Q, qd=QD)
    h = -ELBOW['m'][1] * ELBOW['l'][0] * ELBOW['lc'][1] * np.sin(Q[1])
    c = christoffel.symbols(robot, Q)
    lesson.compare('D', arm.D, christoffel.mass_matrix(robot, Q))
    lesson.compare('c_ij1', [[0, h], [h, h]], c[:, :, 0])
    lesson.compare('c_ij2', [[-h, 0], [0, 0]], c[:, :, 1])
    lesson.compare('C', arm.C, robot.coriolis_matrix(Q, QD))
    lesson.compare('g', arm.g, robot.gravity_torque(Q))
    lesson.compare('tau', arm.torque(QD, QDD), robot.inverse_dynamics(Q, QD, QDD))


def remotely_driven(lesson):
    """Section 6.4: the elbow with a remotely driven link.

    p = (q1, q1 + q2), so q = S p; D_p = S^T D_q S, tau_p = S^T tau_q. The Coriolis terms vanish,
    the centrifugal ones stay.
    """
    p, pd, pdd = np.array([0.3, 1.0]), np.array([0.4, -0.2]), np.array([1, 0.5])
    arm, robot = spong_arms.remotely_driven(**ELBOW, p=p, pd=pd), elbow()
    S = np.array([[1, 0], [-1, 1]])
    lesson.compare('D_p', arm.D, S.T @ robot.mass_matrix(S @ p) @ S)
    lesson.compare(
        'tau_p', arm.torque(pd, pdd), S.T @ robot.inverse_dynamics(S @ p, S @ pd, S @ pdd)
    )


def five_bar(lesson):
    """Section 6.4: the five-bar linkage.

    It decouples where m3 l2 lc3 = m4 l1 lc4 (6.108). Ours comes from the centres of mass of its
    bars alone, (6.100) to (6.103), differentiated.
    """
    q, qd = np.array([0.4, 1.3]), np.array([0.5, -0.8])
    l1, l2, m, inertia = BARS['l1'], BARS['l2'], np.array(BARS['m']), BARS['I']
    for name, lc in (('', BARS['lc']), (', balanced', (0.3, 0.15, 0.3, 0.18))):

        def centres(x):
            u, v = (np.array([np.cos(a), np.sin(a)]) for a in x)
            return np.array([lc[0] * u, lc[1] * v, l2 * v + lc[2] * u, l1 * u - lc[3] * v])

        turning = np.diag([inertia[0] + inertia[2], inertia[1] + inertia[3]])
        ours = turning + sum(w * J.T @ J for w, J in zip(m, gradient(centres, q)))
        arm = spong_arms.five_bar(**{**BARS, 'lc': lc}, q=q, qd=qd)
        lesson.compare(f'D{name}', arm.D, ours)
        lesson.compare(f'g{name}', arm.g, gradient(lambda x: G * m @ centres(x)[:, 1], q))


def section_6_5(lesson):
    """Section 6.5: properties of the equations of motion, of the elbow and of any robot."""
    robot = elbow()
    C = robot.coriolis_matrix(Q, QD)
    N = along(lambda x: christoffel.mass_matrix(robot, x), Q, QD) - 2 * C
    lesson.compare('N = Ddot - 2 C = -N^T', N, -N.T)
    print(properties.report(properties.check(robot, samples=5)))
    lengths, masses, centres = ELBOW['l'], ELBOW['m'], ELBOW['lc']

    def bound(sign):
        d22 = masses[1] * centres[1] ** 2 + ELBOW['I'][1]
        d = spong_arms.planar_elbow(**ELBOW, q=np.zeros(2), qd=QD).D  # stretched out
        return (d[0, 0] + d22 + sign * np.hypot(d[0, 0] - d22, 2 * d[0, 1])) / 2

    lesson.say(f'Both bounds (6.120) are met with the arm of {sum(lengths):g} m stretched out:')
    lesson.compare(
        'lambda_m, lambda_M', (bound(-1), bound(1)), properties.inertia_bounds(robot), 1e-8
    )
    passivity_figure(lesson, robot)


def passivity_figure(lesson, robot):
    """(6.115): what the motors put in is never less than -H(0)."""

    def torque(t):
        return np.array([25.0 * np.cos(3 * t), 6.0 * np.sin(5 * t)])

    work, gain = properties.passivity(robot, Q, QD, torque, 500, 1e-3)
    lesson.compare('int qd.tau dt = H(T) - H(0)', gain, work, 1e-8)
    with lesson.figure('spong_passivity') as axes:
        if axes:
            times = np.arange(0, 501, 25)
            pairs = [properties.passivity(robot, Q, QD, torque, k, 1e-3) for k in times]
            axes.plot(times * 1e-3, [w for w, _ in pairs], label='work of the motors')
            axes.plot(times * 1e-3, [g for _, g in pairs], 'k--', label='H(t) - H(0)')
            axes.set(title='Passivity of the planar elbow', xlabel='time [s]', ylabel='[J]')
            axes.legend()
            axes.grid(alpha=0.3)


def linearity(lesson):
    """Section 6.5.3: linearity in the parameters, tau = Y(q, qd, qdd) Theta.

    The elbow has five parameters, three without gravity: the rank of many stacked Y. For any robot
    Y has ten columns a link. Orthogonalising them shows which sums of parameters are identifiable.
    With known lengths, m2 l1 lc2 follows from m2 lc2. The centres of mass may be off the lines of
    the links. Six are left of twenty, four without gravity.
    """
    Y, theta = (
        spong_arms.planar_elbow_regressor(Q, QD, QDD),
        spong_arms.planar_elbow_parameters(**ELBOW),
    )
    lesson.compare('tau = Y Theta', Y @ theta, elbow().inverse_dynamics(Q, QD, QDD))
    states = np.random.default_rng(0).uniform(-2, 2, (20, 3, 2))
    for gravity, count in ((G, 5), (0.0, 3)):
        stacked = np.vstack(
            [spong_arms.planar_elbow_regressor(*state, gravity) for state in states]
        )
        lesson.compare(f'parameters, g = {gravity}', count, np.linalg.matrix_rank(stacked))
    robot = elbow()
    lesson.compare(
        'tau = Y Theta, any robot',
        robot.links.regressor(Q, QD, QDD) @ robot.links.inertial_parameters(),
        robot.inverse_dynamics(Q, QD, QDD),
    )
    light = robot.with_gravity((0.0, 0.0, 0.0))
    for case, name, count in ((robot, 'base parameters', 6), (light, 'the same, g = 0', 4)):
        base = base_parameters(Parameters(case, friction=False))
        lesson.compare(name, count, len(base))
        print('\n'.join(f'    {each}' for each in base.names))


def section_6_6_1(lesson):
    """Section 6.6.1: the planar elbow manipulator once more, by Newton-Euler."""
    lesson.compare(
        'tau',
        spong_arms.planar_elbow(**ELBOW, q=Q, qd=QD).torque(QD, QDD),
        spong_newton_euler.inverse_dynamics(elbow(), Q, QD, QDD),
    )


def problems(lesson):
    """Problems: Hamilton's equations, qd = dH/dp, pdot = -dH/dq + tau, dH/dt = qd.tau."""
    robot, tau = elbow(), np.array([3.0, -1.0])
    D = spong_arms.planar_elbow(**ELBOW, q=Q, qd=QD).D
    p = D @ QD
    lesson.compare('p = D qd', p, euler_lagrange.momentum(robot, Q, QD))
    lesson.compare(
        'H = K + P',
        QD @ D @ QD / 2 + euler_lagrange.potential_energy(robot, Q),
        hamiltonian.hamiltonian(robot, Q, p),
    )
    lesson.compare('qd = dH/dp', QD, hamiltonian.rates(robot, Q, p, tau)[0])
    arm = spong_arms.planar_elbow(**ELBOW, q=Q, qd=QD)
    lesson.compare(
        'qdd',
        np.linalg.solve(arm.D, tau - arm.C @ QD - arm.g),
        hamiltonian.forward_dynamics(robot, Q, QD, tau),
    )


EXAMPLES = (
    example_6_1,
    example_6_2,
    example_6_3,
    cartesian,
    planar_elbow,
    remotely_driven,
    five_bar,
    section_6_5,
    linearity,
    section_6_6_1,
    problems,
)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Spong, chapter 6: dynamics', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
