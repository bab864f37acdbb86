# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapters 1 to 10: the operators of the book on a robot with two arms.

    python doc/tutorials/jain.py [folder for the figures]

The book has no numbers, so both sides are computed. One is by its operators, written down as
matrices, the other by the fast recursions of the package. The robot is the tree of figure 8.2.
Bodies 1, 3 and 2, 4 are arms, 5 is the head. Body 6 is the chest, 7 a torso that slides up and
down.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros import Robot
from robodyn_ros.formulations.jain import (
    composite_bodies,
    forward_dynamics,
    inverse_dynamics,
    kalman,
    spatial_algebra,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.operators import sweeps
from robodyn_ros.formulations.jain.operators.spatial_operators import operators
from robodyn_ros.model import build
from robodyn_ros.model.description import Inertial, Joint, Link, Placement, RobotDescription

SOLVED = 1e-9  # what a solve leaves: rounding times the condition of the mass matrix
LINKS = (  # link, the one it hangs on, joint, axis, where, mass, centre of mass
    ('torso', 'ground', 'prismatic', (0.1, 0, 1), (0, 0, 0.4), 12.0, (0, 0, 0.2)),
    ('chest', 'torso', 'revolute', (0, 0, 1), (0, 0, 0.4), 9.0, (0, 0, 0.15)),
    ('head', 'chest', 'revolute', (0, 1, 0), (0.05, 0, 0.4), 3.0, (0.02, 0.01, 0.1)),
    ('left_upper', 'chest', 'revolute', (0, 1, 0), (0, 0.25, 0.3), 2.5, (0, 0.02, -0.15)),
    ('right_upper', 'chest', 'revolute', (0, 1, 0), (0, -0.25, 0.3), 2.5, (0, -0.02, -0.15)),
    ('left_fore', 'left_upper', 'revolute', (1, 0, 0), (0, 0, -0.3), 1.5, (0.01, 0, -0.12)),
    ('right_fore', 'right_upper', 'revolute', (1, 0, 0), (0, 0, -0.3), 1.5, (0.01, 0, -0.12)),
)
Q = np.array([0.1, 0.5, -0.3, 0.8, -0.6, 1.1, 0.7])
QD = np.array([0.2, -0.7, 0.9, 1.2, -0.8, 0.6, -1.4])
TAU = np.array([300.0, 4.0, -2.0, 6.0, -5.0, 3.0, 1.0])


def two_armed():
    """The tree of figure 8.2."""
    links, joints = [Link('ground')], []
    for name, parent, kind, axis, origin, mass, com in LINKS:
        spread = mass * np.diag((0.02, 0.018, 0.01))
        links.append(Link(name, Inertial(mass, np.array(com, float), spread)))
        joints.append(
            Joint(
                f'to_{name}',
                kind,
                parent,
                name,
                Placement(translation=np.array(origin, float)),
                np.array(axis, float),
            )
        )
    return Robot(build.build(RobotDescription('two arms', tuple(links), tuple(joints))))


ROBOT = two_armed()
OPS = operators(ROBOT, Q)
TREE = OPS.tree
THD, T = TREE.to_jain(QD), TREE.to_jain(TAU)
RIGHT, LEFT, TORSO = (OPS.names.index(name) for name in ('right_fore', 'left_fore', 'torso'))
FIGURE = [
    OPS.names.index(name)
    for name in (  # bodies 1 .. 7 of figure 8.2
        'right_fore',
        'left_fore',
        'right_upper',
        'left_upper',
        'head',
        'chest',
        'torso',
    )
]
MASS_BLOCKS = [
    [1, 0, 1, 0, 0, 1, 1],
    [0, 1, 0, 1, 0, 1, 1],
    [1, 0, 1, 0, 0, 1, 1],  # 9.3.2
    [0, 1, 0, 1, 0, 1, 1],
    [0, 0, 0, 0, 1, 1, 1],
    [1] * 7,
    [1] * 7,
]


def chapter_1(lesson):
    """Chapter 1: spatial vectors, six numbers at a time.

    Velocities go from body to body by phi', forces back by phi, and the power f' V stays. bar is
    the cross product of forces, minus the transpose of tilde: the book prints hat for it.
    """
    V, f, z = np.random.default_rng(1).normal(size=(3, 6))
    phi = spatial_algebra.phi([0.3, -0.1, 0.5])
    lesson.compare("f(x)' V(x) = f(y)' V(y)", (phi @ f) @ V, f @ (phi.T @ V))
    lesson.compare(
        'phi^-1 = phi(y, x)', np.linalg.inv(phi)[2], spatial_algebra.phi_inverse(phi)[2]
    )
    lesson.misprint(
        'bar(z) f',
        'Jain, (1.26)',
        -spatial_algebra.hat(z).T @ f,
        -spatial_algebra.tilde(z).T @ f,
        spatial_algebra.bar(z) @ f,
    )


def figure_8_2(lesson):
    """Chapters 3 and 8: the digraph and its operators.

    E_phi is the map of the tree: one block for each edge. phi = 1 + E_phi + E_phi^2 + ... has a
    block wherever one body carries another. The mass matrix has one where either carries the
    other; its inverse is full. phi is lower triangular because tips come first. The package
    numbers arm by arm. For the comparison its results are permuted to the numbers of the figure.
    This changes nothing but the order, (8.24).
    """
    print(OPS.bodies_table(), OPS.as_table(), sep='\n\n', end='\n\n')
    figure = np.ix_(FIGURE, FIGURE)
    E, phi = OPS.E_phi.pattern()[figure], OPS.phi.pattern()[figure]
    lesson.compare('parents of 1 .. 6', (3, 4, 6, 6, 6, 7), E.argmax(axis=0)[:6] + 1)
    lesson.compare('bodies carried', (1, 1, 2, 2, 1, 6, 7), phi.sum(axis=1))
    lesson.compare('mass matrix', MASS_BLOCKS, OPS.mass_matrix.pattern()[figure])
    lesson.compare(
        'E^4: no path is so long',
        np.zeros(7),
        np.abs(np.linalg.matrix_power(OPS.E_phi.array, 4)).sum(axis=0)[::6],
    )
    path = OPS.phi['torso', 'chest'] @ OPS.phi['chest', 'head']
    lesson.compare('phi(7,5) = phi(7,6)phi(6,5)', path[0], OPS.phi['torso', 'head'][0])
    if lesson.folder is not None:
        lesson.save('jain_operators', OPS.draw())


def velocities_by_sweep(lesson):
    """Section 3.5: an operator times a vector is a sweep, and costs O(n).

    phi' goes from the base to the tips, phi back. So V = phi' H' thd needs no matrix at all.
    """
    V = tree_kinematics.velocities(TREE, THD)
    lesson.compare(
        "V = phi' H' thd, hand", ((OPS.phi.T @ OPS.H.T) @ THD).reshape(7, 6)[RIGHT], V[RIGHT]
    )
    x = np.random.default_rng(2).normal(size=(7, 6))
    lesson.compare(
        'phi x, gathered', (OPS.phi @ x.ravel())[-6:], sweeps.gather(TREE, x, TREE.phi)[-1]
    )
    at = tree_kinematics.node(TREE, ROBOT, 'right_fore')
    turn = ROBOT.pose(Q, 'right_fore')[:3, :3]
    speed = tree_kinematics.node_velocities(TREE, THD, [at])[0]
    lesson.compare(
        'velocity of the hand', turn @ speed[3:], ROBOT.velocity(Q, QD, 'right_fore')[:3]
    )


def mass(lesson):
    """Chapter 4: the mass matrix is H phi M phi' H'.

    R(k) is the inertia of body k and all bodies that it carries, with locked hinges.
    The matrices R give the momentum of the robot, and the trace of the mass matrix.
    """
    ours = ROBOT.mass_matrix(Q)
    book = TREE.to_ours(OPS.mass_matrix.array)
    lesson.compare('diagonal', np.diag(book), np.diag(ours))
    lesson.compare(
        'composite bodies', composite_bodies.mass_matrix(TREE)[TORSO], OPS.mass_matrix.array[TORSO]
    )
    lesson.compare('trace', composite_bodies.trace(TREE), np.trace(ours))
    h = [
        X @ R @ delta
        for X, R, delta in zip(
            tree_kinematics.to_inertial(TREE),
            composite_bodies.composite_inertias(TREE),
            TREE.hinge_velocity(THD),
        )
    ]
    lesson.misprint(
        'h_S', 'Jain, (4.17)', sum(h[:-1]), sum(h), composite_bodies.momentum(TREE, THD)
    )
    lesson.compare(
        'total mass', sum(row[5] for row in LINKS), composite_bodies.system_inertia(TREE)[5, 5]
    )


def inverse_dynamics_lesson(lesson):
    """Chapter 5: Newton and Euler as two sweeps, and gravity as an acceleration of the ground.

    The acceleration that is added points up. With that of free fall, the torques would push the
    arms down.
    """
    qdd = np.linspace(-1, 1, 7)
    torque, f, _ = inverse_dynamics.newton_euler(TREE, THD, TREE.to_jain(qdd))
    ours = ROBOT.inverse_dynamics(Q, QD, qdd)
    lesson.compare('T', TREE.to_ours(torque), ours)
    lesson.compare(
        'through R',
        TREE.to_ours(inverse_dynamics.composite_body(TREE, THD, TREE.to_jain(qdd))[0]),
        ours,
    )
    lesson.compare(
        'gravity torque',
        TREE.to_ours(inverse_dynamics.gravity_torque(TREE)),
        ROBOT.gravity_torque(Q),
    )
    J_f = TREE.to_ours(
        tree_kinematics.node_torques(
            TREE, [np.ones(6)], [tree_kinematics.node(TREE, ROBOT, 'left_fore')]
        )
    )
    pushed = tree_kinematics.pick_off(
        TREE, [np.ones(6)], [tree_kinematics.node(TREE, ROBOT, 'left_fore')]
    )
    with_push = TREE.to_ours(
        inverse_dynamics.newton_euler(TREE, THD, TREE.to_jain(qdd), pushed)[0]
    )
    lesson.misprint('T of a push', 'Jain, section 5.2.2', ours + J_f, ours - J_f, with_push)


def factors(lesson):
    """Chapters 6 and 7: the mass matrix in square factors, and its inverse without inverting it.

    P(k) is the same inertia with free hinges: less than R(k), more than M(k). With L = 1 + H phi
    K, the mass matrix is L D L', and L^-1 = 1 - H psi K is known, too.
    """
    L, D = OPS.innovations_factor, OPS.D
    lesson.compare("L D L'", OPS.mass_matrix.array[TORSO], (L @ D @ L.T).array[TORSO])
    lesson.compare('L L^-1', np.eye(7)[TORSO], (L @ OPS.inverse_factor).array[TORSO])
    lesson.compare(
        'log det M', np.linalg.slogdet(OPS.mass_matrix.array)[1], np.sum(np.log(np.diag(D.array)))
    )
    right = OPS.mass_matrix_inverse.array
    printed = OPS.one_hinges - OPS.H @ OPS.phi @ OPS.K
    printed = (OPS.inverse_factor.T @ OPS.D_inverse @ printed).array
    ours = ROBOT.mass_matrix_inverse(Q)[np.ix_(TREE.dofs, TREE.dofs)]
    lesson.misprint(
        'M^-1, row 7', 'Jain, (7.18)', printed[TORSO], right[TORSO], ours[TORSO], SOLVED
    )
    felt = [inertia['chest', 'chest'][3, 3] for inertia in (OPS.R, OPS.P, OPS.M)]
    lesson.say(
        'Pushing the chest forward, one feels {:.3g} kg of R, {:.3g} of P, {:.3g} of M.'.format(
            *felt
        )
    )


def forward(lesson):
    """Section 7.2: forward dynamics by O(n^3), O(n^2) and O(n) steps."""
    ours = TREE.to_jain(ROBOT.forward_dynamics(Q, QD, TAU))
    for name, route in (
        ('dense', forward_dynamics.dense),
        ('triangular', forward_dynamics.triangular),
    ):
        lesson.compare(name, route(TREE, THD, T), ours, SOLVED)
    thdd, alpha, f = forward_dynamics.articulated_body(TREE, THD, T)
    lesson.compare('articulated bodies', thdd, ours, SOLVED)
    carried = inverse_dynamics.newton_euler(TREE, THD, thdd)[1]
    lesson.compare('f on the torso, (7.40)', carried[TORSO], f[TORSO], SOLVED)
    push = np.zeros((7, 6))
    push[RIGHT, 5] = 1.0
    ours = forward_dynamics.response(TREE, push)
    right = np.linalg.solve(OPS.mass_matrix.array, OPS.H.array @ OPS.phi.array @ push.ravel())
    lesson.misprint('response to a push', 'Jain, Algorithm 7.3', -right, right, ours, SOLVED)


def estimation(lesson):
    """Section 6.4: the same sweep is a Kalman filter.

    Forces are the states, phi is their transition, M their noise. The torques are the
    measurements. The filter below contains no mechanics. Its covariance is P, its gain is G, and
    its smoothed estimate is the force between the links.
    """
    found = kalman.kalman_filter(*kalman.of_tree(TREE, T))
    for name in ('chest', 'torso'):
        k = OPS.names.index(name)
        lesson.compare(
            f'P of the {name}, diagonal', np.diag(OPS.P[name, name]), np.diag(found[k].covariance)
        )
        lesson.compare(f'G of the {name}', OPS.G[name, name][:, 0], found[k].gain[:, 0], SOLVED)
    smoothed, _ = kalman.smoothed(TREE.parent, TREE.phi, TREE.H, found)
    _, _, f = forward_dynamics.articulated_body(TREE, 0 * T, T, gravity=False)
    lesson.compare('f(7), smoothed', f[TORSO], smoothed[TORSO], SOLVED)


def compliance(lesson):
    """Chapter 10: Omega, the acceleration of one body for a force on another.

    Two hands act on one another through the chest. Their block in Omega is not zero, though their
    block in the mass matrix is. Upsilon gives it without an inverse.
    """
    M, M_inverse = OPS.mass_matrix.array, OPS.mass_matrix_inverse.array
    hands = TREE.dofs[RIGHT], TREE.dofs[LEFT]
    lesson.compare(
        'hands in M, in M^-1',
        (0.0, ROBOT.mass_matrix_inverse(Q)[hands]),
        (M[RIGHT, LEFT], M_inverse[RIGHT, LEFT]),
        SOLVED,
    )
    J = (OPS.phi.T @ OPS.H.T).array.reshape(7, 6, 7)
    lesson.compare(
        "Omega(1, 2) = J1 M^-1 J2'",
        (J[RIGHT] @ M_inverse @ J[LEFT].T)[5],
        OPS.Omega['right_fore', 'left_fore'][5],
        SOLVED,
    )
    rank = [
        np.linalg.matrix_rank(OPS.Upsilon.array[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], tol=1e-9)
        for k in reversed(FIGURE)
    ]
    lesson.compare('rank of Upsilon, 7 to 1', (1, 2, 3, 3, 3, 4, 4), rank)


EXAMPLES = (
    chapter_1,
    figure_8_2,
    velocities_by_sweep,
    mass,
    inverse_dynamics_lesson,
    factors,
    forward,
    estimation,
    compliance,
)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapters 1 to 10: spatial operators', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
