# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapter 19: velocities that decouple.

    python doc/tutorials/jain_diagonalised.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of a mass on a plane and on a sphere. For
the arm they are Cholesky's factor of the mass matrix, and the robot's own forward dynamics. The
arm has two pins and a slide.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain import inverse_dynamics as inverse
from robodyn_ros.formulations.jain.articulated_bodies import articulated, residual_forces
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.coordinates import Coordinates
from robodyn_ros.formulations.jain.diagonalised import (
    coordinate_maps,
    curvature,
    decoupled_control,
    diagonal_motion,
    innovations_factors,
    normalised_coriolis,
    two_sweep_dynamics,
    unnormalised_coriolis,
)
from robodyn_ros.formulations.jain.single_body import spatial_inertia

X, Y, Z = np.eye(3)


def body(name, parent, place, hinge, mass, centre, row):
    """A body whose mass is a small ball at `centre`; its hinge at `place` of the parent."""
    J = mass * (centre @ centre * np.eye(3) - np.outer(centre, centre)) + 0.01 * mass * np.eye(3)
    M = spatial_inertia(mass, centre, J)
    return Body(name, parent, np.eye(3), place, hinge, M, (row,), (row,), np.zeros(1))


ARM = [
    body('upper', None, 0.0 * X, hinges.pin(Y), 3.0, 0.3 * X, 0),
    body('fore', 'upper', 0.6 * X, hinges.pin(0.6 * Y + 0.8 * Z), 2.0, 0.2 * X, 1),
    body('hand', 'fore', 0.4 * X, hinges.prismatic(0.6 * X + 0.8 * Z), 1.0, 0.1 * X, 2),
]
TREE = tree_of(ARM, np.array([0.4, -0.7, 0.2]))
THD, T = np.array([0.5, -1.2, 0.8]), np.array([6.0, -2.0, 3.0])  # the hand comes first
ART = articulated(TREE)
MOVING = coordinate_maps.velocities_of_rates(TREE, ART, THD)
ETA = coordinate_maps.normalised(TREE, ART, MOVING.xi)


def curved(lesson):
    """Section 19.1: coordinates without Coriolis forces, where the mass matrix is flat.

    A mass on a plane has them in every description, x and y. A mass on a sphere never has: its
    curvature is K = 1/(m l^2).
    """
    m, l = 1.7, 0.6  # noqa: E741  the letter of the book
    point = spatial_inertia(m, 0.0 * X, np.zeros((3, 3)))
    far = spatial_inertia(m, l * X, m * l * l * np.diag((0.0, 1.0, 1.0)))
    still = np.eye(3), np.zeros(3)
    pin = Body('pin', None, *still, hinges.pin(Z), np.zeros((6, 6)), (0,), (0,), np.zeros(1))
    found = []
    for hinge, M in ((hinges.prismatic(X), point), (hinges.pin(Y), far)):
        mass = Body('mass', 'pin', *still, hinge, M, (1,), (1,), np.zeros(1))
        system = Coordinates([pin, mass], np.array([0.3, 0.8]))
        R = curvature.riemann_symbols(system, np.zeros(2))[0, 1, 0, 1]
        found.append(R / np.linalg.det(system.mass_matrix(np.zeros(2))))
    lesson.compare('K of plane, sphere', (0.0, 1.0 / (m * l * l)), found)
    lesson.say('An arm is hardly ever flat: its mass matrix is made diagonal in velocities only.')


def factors(lesson):
    """Sections 19.2 and 19.3: eta = m' thd, with the mass matrix 1 whatever theta.

    Tips first, m is lower triangular: Cholesky's factor, smooth after all. It takes O(n^3), and
    tables 19.1 and 19.2 O(n).
    """
    mass = composite_bodies.mass_matrix(TREE)
    m = np.linalg.cholesky(mass)
    lesson.compare('m, by operators', m, innovations_factors.factor(TREE))
    lesson.compare('eta', m.T @ THD, ETA)
    lesson.compare("eta' eta / 2", 0.5 * THD @ mass @ THD, 0.5 * ETA @ ETA)
    zeta = coordinate_maps.forces_of_torques(TREE, ART, T)
    lesson.compare('zeta', np.linalg.solve(m, T), zeta)
    lesson.compare('T = m zeta', T, coordinate_maps.torques_of_forces(TREE, ART, zeta))


def coriolis(lesson):
    """Section 19.4: Coriolis forces that do no work, without a derivative of the mass matrix."""
    C = normalised_coriolis.coriolis_vector(TREE, ART, MOVING)
    rate = innovations_factors.factor_rate(TREE, THD)
    m = innovations_factors.factor(TREE)
    regular = inverse.bias(TREE, THD, gravity=False)
    lesson.compare('algorithm 19.1', np.linalg.solve(m, regular) - rate.T @ THD, C)
    lesson.compare('(19.29)', innovations_factors.coriolis_vector(TREE, THD), C)
    lesson.compare("1 + eta' C", 1.0, 1.0 + ETA @ C)
    lesson.say(f"Those of thd do work: thd' C = {THD @ regular:.3f} W.")


def sweeps(lesson):
    """Section 19.5: xi, and forward dynamics without a sweep for Coriolis accelerations."""
    C = unnormalised_coriolis.coriolis_vector(TREE, ART, MOVING)
    epsilon = residual_forces(TREE, ART, T)[2]
    D = np.concatenate([np.diag(each) for each in ART.D])
    found = two_sweep_dynamics.xi_rates(TREE, ART, MOVING, T, gravity=False)
    lesson.compare('xi rates: (19.38), 19.3', (epsilon - C) / D, found)
    h = 1e-5
    thdd = forward_dynamics.dense(TREE, THD, T, gravity=False)
    ahead, behind = (
        diagonal_motion.motion(TREE, THD, lambda t, tree, thd: T, each, 1, gravity=False)
        for each in (h, -h)
    )
    # Differences of one step either way leave the square of 10 us, and rounding over it.
    lesson.compare('thdd, by its motion', thdd, (ahead[1] - behind[1]) / (2 * h), 1e-8)
    lesson.misprint(
        'eta of step 4',
        'Jain, algorithm 19.3, step 4',
        MOVING.xi / np.sqrt(D),
        innovations_factors.factor(TREE).T @ THD,
        ETA,
    )


def control(lesson):
    """Section 19.4.3: damping. With C(theta, eta), each eta_i decays by itself."""
    c, dt, curves = np.array([1.0, 4.0, 8.0]), 0.01, []

    def law(t, tree, thd):
        art = articulated(tree)
        moving = coordinate_maps.velocities_of_rates(tree, art, thd)
        damping = decoupled_control.damping_torque(tree, art, moving, c, decoupled=True)
        return damping + inverse.gravity_torque(tree)

    tree, thd = TREE, THD
    for _ in range(50):
        tree, thd = diagonal_motion.motion(tree, thd, law, dt, 1)
        art = articulated(tree)
        xi = coordinate_maps.velocities_of_rates(tree, art, thd).xi
        curves.append(coordinate_maps.normalised(tree, art, xi))
    # Four stages of 10 ms at up to 8/s.
    lesson.compare('eta after 0.5 s', np.exp(-0.5 * c) * ETA, curves[-1], 1e-5)
    with lesson.figure('jain_decoupled_damping') as axes:
        if axes is not None:
            t = dt * np.arange(1, 51)
            lines = axes.plot(t, curves)
            for line, rate in zip(lines, c):
                line.set_label(f'c = {rate:g}/s')
            axes.plot(t, np.exp(-np.outer(t, c)) * ETA, 'k:', linewidth=1)
            axes.set(xlabel='t [s]', ylabel='eta', title='Every eta decays by itself')
            axes.legend()
            axes.grid(visible=True)


EXAMPLES = (curved, factors, coriolis, sweeps, control)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapter 19: velocities that decouple', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
