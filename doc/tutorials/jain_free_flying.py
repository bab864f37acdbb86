# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapter 17: robots that no base holds.

    python doc/tutorials/jain_free_flying.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of two bodies on a slide, whose masses act
as one reduced mass. For an arm of four links on a free base they are dense solutions with the mass
matrix. Hinges come tips first.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated, biased_residual_forces
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.diagonalised import diagonal_motion
from robodyn_ros.formulations.jain.free_flying import base_invariant, base_switch, dual_sweep
from robodyn_ros.formulations.jain.inverse_dynamics import (
    coriolis_accelerations,
    gyroscopic_forces,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.single_body import spatial_inertia
from robodyn_ros.formulations.jain.tree_kinematics import poses, velocities

X, Y, Z = np.eye(3)
AT_REST = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])  # the base: a quaternion and a position


def base(M):
    """Return a body that nothing holds."""
    row = tuple(range(7)), tuple(range(6)), np.zeros(6)
    return Body('base', None, np.eye(3), 0.0 * X, hinges.free(), M, *row)


def link(name, parent, place, hinge, M, k):
    """Return a body on hinge k of one freedom, at `place` of its parent."""
    return Body(name, parent, np.eye(3), place, hinge, M, (7 + k,), (6 + k,), np.zeros(1))


ONE, TWO, PUSH = 6.0, 2.0, 3.0  # masses [kg], and the force between them [N]
SLIDE = tree_of(
    [
        base(spatial_inertia(ONE, 0.0 * X, 0.5 * np.eye(3))),
        link(
            'slider',
            'base',
            0.0 * X,
            hinges.prismatic(X),
            spatial_inertia(TWO, 0.0 * X, 0.1 * np.eye(3)),
            0,
        ),
    ],
    np.append(AT_REST, 0.0),
)


def rod(mass, length):
    """Return the inertia of a rod along x from its hinge."""
    J = mass * length**2 * np.diag((1e-3, 1.0 / 3.0, 1.0 / 3.0))
    return spatial_inertia(mass, 0.5 * length * X, J)


FLYER = tree_of(
    [
        base(spatial_inertia(12.0, 0.1 * Y, np.diag((1.0, 1.4, 1.2)))),
        link('one', 'base', 0.4 * X, hinges.pin(Z), rod(3.0, 0.7), 0),
        link('two', 'one', 0.7 * X, hinges.pin(0.6 * Y + 0.8 * Z), rod(2.0, 0.6), 1),
        link('three', 'two', 0.6 * X, hinges.prismatic(X), rod(1.0, 0.5), 2),
        link('four', 'three', 0.5 * X, hinges.pin(Y), rod(0.5, 0.3), 3),
    ],
    np.append(AT_REST, (0.3, -0.8, 0.1, 0.6)),
)
THD = np.array([0.9, -0.3, 1.1, -0.7, 0.1, 0.2, -0.3, 0.05, -0.1, 0.2])
T = np.array([0.4, -2.0, 1.5, 3.0, 0.2, -0.1, 0.3, 1.0, -2.0, 0.5])  # with a wrench on the base


def inertias(lesson):
    """Sections 17.1 and 17.4: a body feels what is outboard, and what is inboard.

    P is the articulated inertia of the outboard bodies. S is that of all others, by a sweep from
    the base. So P + S is the operational inertia of every body, without an inverse.
    """
    art = articulated(SLIDE)
    dual = base_invariant.dual(SLIDE, art)
    lesson.compare('D outward, inward', [TWO, ONE], [art.D[0][0, 0], dual.D[0][0, 0]])
    total = [0.6, 0.6, 0.6, TWO, ONE + TWO, ONE + TWO]
    found = base_invariant.operational_inertias(SLIDE)
    lesson.compare('P + S of the slider', total, np.diag(found[0]))
    total[3] = ONE
    lesson.compare('P + S of the base', total, np.diag(found[1]))
    inboard = base_invariant.operational_inertias_inboard(SLIDE)[0]
    lesson.compare('P^+ + S^+, of the base', total, np.diag(inboard))
    ops = SpatialOperators(FLYER)
    J = (ops.phi.T @ ops.H.T).array[FLYER.rows[0]]
    dense = np.linalg.inv(J @ np.linalg.inv(composite_bodies.mass_matrix(FLYER)) @ J.T)
    ours = base_invariant.operational_inertias(FLYER)[0]
    lesson.compare('of the hand of an arm', dense[3:, 3:], ours[3:, 3:])


def dynamics(lesson):
    """Sections 17.1.3 and 17.2: every link finds its acceleration by itself.

    The sweeps of algorithm 17.3 run towards each other. Algorithm 17.2 starts at a tip instead.
    """
    T_slide = np.append(PUSH, np.zeros(6))
    thdd, alpha = base_invariant.forward_dynamics(SLIDE, np.zeros(7), T_slide, gravity=False)
    lesson.compare('thdd = T / mu', PUSH * (1.0 / ONE + 1.0 / TWO), thdd[0])
    lesson.compare('slider, base [m/s2]', [PUSH / TWO, -PUSH / ONE], alpha[:, 3])
    dense = forward_dynamics.dense(FLYER, THD, T, gravity=False)
    for name, way in (('algorithm 17.3', base_invariant), ('algorithm 17.2', dual_sweep)):
        found = way.forward_dynamics(FLYER, THD, T, gravity=False)[0]
        lesson.compare(f'{name}, hinges', dense[:4], found[:4])
        lesson.compare('  and its base', dense[4:], found[4:])
    V = velocities(FLYER, THD)
    a, b = coriolis_accelerations(FLYER, V, THD), gyroscopic_forces(FLYER, V)
    at = base_invariant.residuals(FLYER, articulated(FLYER), a, b, T)
    D = np.concatenate([each[0] for each in at.dual.D[:4]])

    def innovations(z):
        return np.array([T[k] + (FLYER.H[k] @ z[k])[0] for k in range(4)])

    _, alpha = forward_dynamics.articulated_body(FLYER, THD, T, gravity=False)[:2]
    pulled = [dense[k] + (at.dual.G[k].T @ alpha[k])[0] for k in range(4)]
    lesson.misprint(
        'epsilon',
        'Jain, algorithm 17.2, epsilon',
        innovations(at.z_dual),
        D * pulled,
        innovations(at.z_dual_plus),
    )


def switch(lesson):
    """Section 17.3: the hand as the base body.

    The path from the hand to the old base is reversed. Energy and mass matrix are the same in
    other velocities.
    """
    found = base_switch.switched(FLYER, THD, 0, gravity=False)
    V, rates = velocities(FLYER, THD), found.J_RG @ THD
    lesson.compare('V of the hand', V[0], rates[found.model.slices[-1]])
    mass = composite_bodies.mass_matrix(FLYER)
    turned = found.J_RG.T @ composite_bodies.mass_matrix(found.model) @ found.J_RG
    lesson.compare('mass matrix', np.diag(mass), np.diag(turned))
    new = articulated(found.model)
    Upsilon = base_invariant.operational_inertias(FLYER)[0]
    lesson.compare('P of the new base', Upsilon[3:, 3:], new.P[-1][3:, 3:])
    at, s = found.model.names.index('three'), FLYER.slices[0]
    back = found.model.weights[at].T
    lesson.misprint(
        'V inboard of the hand',
        'Jain, (17.16)',
        back @ V[0] - found.model.H[at].T @ THD[s],
        V[1],
        back @ V[0] + found.model.H[at].T @ THD[s],
    )
    T_R = np.linalg.solve(found.J_RG.T, T)
    own = [P @ a + b for P, a, b in zip(new.P, found.model.a, found.model.b)]
    z = biased_residual_forces(found.model, new, T_R, own)[0][-1]
    nu = np.linalg.solve(new.P[-1], T_R[found.model.slices[-1]] - z)
    alpha = forward_dynamics.articulated_body(FLYER, THD, T, gravity=False)[1][0]
    ours = nu + found.model.a[-1]
    lesson.misprint('alpha of the hand', 'Jain, (17.2)', nu + alpha, alpha, ours)


def motion(lesson):
    """Section 17.1: motors move the arm, and the base reacts. The momentum stays."""
    still, dt, seen = 0.0 * THD, 0.01, []
    torques = np.concatenate(([0.3, -0.5, 1.0, 2.0], np.zeros(6)))

    def law(t, tree, thd):
        return torques * np.sin(2.0 * np.pi * t)

    tree, thd, t = FLYER, still, 0.0
    for _ in range(50):
        tree, thd = diagonal_motion.motion(
            tree, thd, lambda s, *now, t=t: law(t + s, *now), dt, 1, gravity=False
        )
        t += dt
        seen.append(poses(tree)[-2][:3, 3])
    size = np.abs(composite_bodies.mass_matrix(tree)[4:, :4] @ thd[:4]).max()
    # Four stages of 10 ms leave the fourth power of the step.
    kept = composite_bodies.momentum(tree, thd) / size
    lesson.compare('1 + momentum / size', np.ones(6), 1.0 + kept, 1e-6)
    with lesson.figure('jain_free_flyer') as axes:
        if axes is not None:
            axes.plot(dt * np.arange(1, 51), 1e3 * np.array(seen), label=['x', 'y', 'z'])
            axes.set(xlabel='t [s]', ylabel='[mm]', title='Base of an arm that moves')
            axes.legend()
            axes.grid(visible=True)


EXAMPLES = (inertias, dynamics, switch, motion)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapter 17: robots that no base holds', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
