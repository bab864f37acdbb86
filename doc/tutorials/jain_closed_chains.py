# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapters 11, 12, 14 and 15: loops, gears, aggregation, embedding.

    python doc/tutorials/jain_closed_chains.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of two robots. One is a parallelogram in
the plane: a crank, a coupler that does not turn, and a rocker. The other is an arm of two links
with geared motors.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.jain import composite_bodies, hinges, inverse_dynamics
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.constraints import direct, loop_dynamics, move_squeeze
from robodyn_ros.formulations.jain.constraints.loop_constraints import (
    PLANAR_PIN,
    Loop,
    constraint_jacobian,
    drift,
)
from robodyn_ros.formulations.jain.embedding.aggregation import aggregate
from robodyn_ros.formulations.jain.embedding.constraint_embedding import Coupling, embed
from robodyn_ros.formulations.jain.embedding.subgraphs import aggregation, loop
from robodyn_ros.formulations.jain.gears import geared_mass_matrix
from robodyn_ros.formulations.jain.gears.geared_chain import chain_of
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.sko import dynamics, formulation
from robodyn_ros.formulations.jain.tree_kinematics import Node

X, Y, Z = np.eye(3)
L, A, C, MASS, SPIN, G = 0.4, 0.7, 0.15, 2.0, 0.05, 9.81  # bar, coupler, centres; gravity along -y
ANGLE, RATE, MOTOR, RATIO = 0.8, 1.3, 2.0, 40.0
ROTOR = 3e-4  # [kg m^2] about its axis


def body(name, parent, place, row, spin=SPIN, mass=MASS, centre=C):
    """A slender body that turns about z at `place` of its parent."""
    J = np.diag((spin, spin, spin)) + mass * centre**2 * np.diag((0.0, 1.0, 1.0))
    M = spatial_inertia(mass, centre * X, J)
    return Body(name, parent, np.eye(3), place, hinges.pin(Z), M, (row,), (row,), np.zeros(1))


BARS = [
    body('crank', None, 0.0 * X, 0),
    body('coupler', 'crank', L * X, 1),
    body('rocker', None, A * X, 2),
]


def parallelogram(angle=ANGLE):
    """The spanning tree of the closed parallelogram, and its loop: a pin at the rocker's end."""
    tree = tree_of(BARS, angle * np.array((1.0, -1.0, 1.0)), -G * Y)
    at = tree.names.index
    ends = Node(at('coupler'), np.eye(3), A * X), Node(at('rocker'), np.eye(3), L * X)
    return tree, [Loop(*ends, PLANAR_PIN)]


def by_name(tree, values):
    """Values (3,) of crank, coupler and rocker in the order of the tree, which has tips first."""
    order = ('crank', 'coupler', 'rocker')
    return np.array([values[order.index(name)] for name in tree.names])


def inertia():
    """Inertia seen at the crank: two bars that turn, and a coupler that only translates."""
    return 2.0 * (SPIN + MASS * C * C) + MASS * L * L


def weight(angle=ANGLE):
    """Torque that holds the parallelogram."""
    return MASS * G * (2.0 * C + L) * np.cos(angle)


def closed_form():
    """Acceleration of the crank under the motor's torque; the coupler does not turn."""
    return (MOTOR - weight()) / inertia()


def pull():
    """Force of the rocker on the coupler, by the moments of the coupler and of the rocker."""
    s, c, a = np.sin(ANGLE), np.cos(ANGLE), closed_form()
    lift = MASS * (L * (a * c - RATE**2 * s) + G) * C / A
    along = ((SPIN + MASS * C * C) * a + MASS * G * C * c + L * c * lift) / (L * s)
    return np.array((along, lift))


def state():
    """Tree, loop, velocities and torques of the state of this lesson."""
    tree, loops = parallelogram()
    thd = by_name(tree, RATE * np.array((1.0, -1.0, 1.0)))
    return tree, loops, thd, by_name(tree, np.array((MOTOR, 0.0, 0.0)))


def loops_by_forces(lesson):
    """Chapter 11: a tree, and the forces that keep its loop closed.

    Algorithm 11.2 solves the tree as if the loop were open. The compliance of the two ends then
    gives the force in the pin, and this force gives the correction. The force in the pin of a
    parallelogram has a closed form. The moments of the coupler give the lift, those of the rocker
    the pull.
    """
    tree, loops, thd, T = state()
    found = loop_dynamics.forward_dynamics(tree, thd, T, loops)
    expected = by_name(tree, closed_form() * np.array((1.0, -1.0, 1.0)))
    lesson.compare('accelerations (11.2)', expected, found.thdd)
    lesson.compare('force in the pin', pull(), found.multipliers)
    Gc, M = constraint_jacobian(tree, loops), composite_bodies.mass_matrix(tree)
    bias = inverse_dynamics.bias(tree, thd)
    dense = direct.forward_dynamics(M, T - bias, Gc, -drift(tree, thd, loops))
    lesson.compare('dense system (11.6)', expected, dense[0])
    X_C = by_name(tree, np.array((1.0, -1.0, 1.0)))[:, None]
    lesson.compare('G_c X = 0 (11.32)', [0.0, 0.0], (Gc @ X_C)[:, 0] / np.abs(Gc).max())
    lesson.compare('projected (11.3)', inertia(), (X_C.T @ M @ X_C)[0, 0])
    move, squeeze = move_squeeze.decompose(T, Gc)
    lesson.compare('move + squeeze (11.5)', T, move + squeeze)
    lesson.compare('power of the move', T @ thd, move @ thd)


def gears(lesson):
    """Chapter 12: rotors that spin with a ratio on their mounts.

    The rotor of the elbow sits on the upper arm. The reflected inertia is ratio^2 times its own.
    The exact model adds the effect of the turning mount: ratio times in the coupling.
    """
    arm = [
        body('upper', None, 0.0 * X, 0),
        body('rotor', 'upper', L * X, 1, ROTOR, 0.0, 0.0),
        body('fore', 'upper', L * X, 2),
    ]
    q2, thd_l = -0.7, np.array((0.5, -1.2))
    tree = tree_of(arm, np.array((0.3, RATIO * q2, q2)), -G * Y)
    at = tree.names.index
    rates = dict(zip(('upper', 'rotor', 'fore'), (thd_l[0], RATIO * thd_l[1], thd_l[1])))
    thd = np.array([rates[name] for name in tree.names])
    pairs = [(at('rotor'), at('fore')), (None, at('upper'))]
    chain = chain_of(tree, thd, pairs, np.array((RATIO, 1.0)))
    own, cross = SPIN + MASS * C * C, MASS * L * C * np.cos(q2)
    M22, M12 = own + RATIO**2 * ROTOR, own + cross + RATIO * ROTOR
    M11 = 2.0 * own + MASS * L * L + 2.0 * cross + ROTOR
    exact = np.array(((M22, M12), (M12, M11)))  # tip first
    lesson.compare('M_G, exact (12.2)', exact, geared_mass_matrix.mass_matrix(chain))
    reflected = geared_mass_matrix.approximate_mass_matrix(chain)
    lesson.compare('M_G, reflected', M22, reflected[0, 0])
    lesson.compare('what it leaves out', RATIO * ROTOR, exact[0, 1] - reflected[0, 1])
    gear = Coupling(np.array((at('rotor'), at('fore'))), np.array([[1.0, -RATIO]]), np.zeros(1))
    links = [at('fore'), at('upper')]
    found = embed(tree, thd, couplings=[gear], independent=links)
    lesson.compare('M_r, embedded (15.18)', exact, composite_bodies.mass_matrix(found.model))


def aggregation_of_bodies(lesson):
    """Chapter 14: the bodies of a loop become one node.

    The smallest set that may become a node has both paths from the cut edge to where they meet.
    Aggregation changes the digraph, and neither velocities nor the mass matrix.
    """
    tree, loops, thd, _ = state()
    ends = [node.body for node in (loops[0].x, loops[0].y)]
    S = loop(tree.parent, *ends)
    lesson.compare('bodies of the loop', [0, 1, 2], sorted(S))
    lesson.compare('aggregation adds none', sorted(S), sorted(aggregation(tree.parent, S)))
    model = formulation.of_tree(tree, thd)
    found = aggregate(model, set(S)).model
    lesson.compare('nodes left', 1, found.n)
    lesson.compare(
        'mass matrix', composite_bodies.mass_matrix(model), composite_bodies.mass_matrix(found)
    )


def embedding(lesson):
    """Chapter 15: the loop in its one independent coordinate.

    The aggregate has one velocity, by thd = X thd_R. All algorithms of trees run on it unchanged,
    without multipliers, and the closure does not drift.
    """
    tree, loops, thd, T = state()
    independent = [tree.names.index('crank')]
    found = embed(tree, thd, loops, independent=independent)
    lesson.compare('X (15.5)', by_name(tree, np.array((1.0, -1.0, 1.0))), found.X[:, 0])
    lesson.compare('M_r (15.18)', inertia(), composite_bodies.mass_matrix(found.model)[0, 0])
    lesson.compare('bias (15.15)', weight(), dynamics.bias(found.model)[0])
    thdd, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    lesson.compare('acceleration (15.16)', closed_form(), thdd[0])
    expanded = found.expand(thdd)
    lesson.compare('of all bodies (15.10)', closed_form(), expanded[independent[0]])
    lesson.compare('force in the pin', pull(), found.multipliers(tree, thd, expanded, T))
    with lesson.figure('jain_closed_chains') as axes:
        if axes is not None:
            angles = np.linspace(0.1, np.pi - 0.1, 41)
            held = []
            for angle in angles:
                still, closed = parallelogram(angle)
                own = embed(still, np.zeros(3), closed, independent=independent)
                held.append(dynamics.bias(own.model)[0])
            axes.plot(angles, held, label='by embedding')
            axes.plot(angles, weight(angles), '.', label='closed form')
            axes.set(xlabel='crank [rad]', ylabel='torque [N m]', title='Parallelogram held still')
            axes.legend()
            axes.grid(visible=True)


EXAMPLES = (loops_by_forces, gears, aggregation_of_bodies, embedding)


def main(arguments=None):
    """Run the lesson; return it."""
    title = 'Jain, chapters 11, 12, 14 and 15: loops, gears, aggregation, embedding'
    return run(title, EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
