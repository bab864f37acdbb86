# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapter 13: an arm whose links bend.

    python doc/tutorials/jain_flexible.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of Euler and Bernoulli's beam, and dense
solutions with the mass matrix. A third referee is Spong's elastic joint. The arm has two uniform
beams on hinges.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.jain import articulated_bodies, composite_bodies, hinges
from robodyn_ros.formulations.jain.flexible import (
    flexible_articulated,
    flexible_forward_dynamics,
    flexible_inverse_dynamics,
    flexible_mass_matrix,
)
from robodyn_ros.formulations.jain.flexible.beam import Beam, natural_frequencies, uniform_beam
from robodyn_ros.formulations.jain.flexible.flexible_tree import (
    FlexibleBody,
    flexible_tree,
    kinetic_energy,
    potential_energy,
    sko_model,
)
from robodyn_ros.formulations.jain.flexible.modal_body import fixed
from robodyn_ros.formulations.jain.sko import dynamics
from robodyn_ros.formulations.simulate import runge_kutta
from robodyn_ros.model.extended.beam_modes import bending_roots, bending_shape

UPPER = Beam(length=1.2, mass=2.4, EI_z=90.0, EI_y=60.0)
FORE = Beam(length=0.9, mass=1.1, EI_z=40.0, EI_y=30.0)
ONE, TWO = uniform_beam(UPPER, 2, 2, loaded_tip=True), uniform_beam(FORE, 2, 1)
GROUND = fixed(np.zeros(3))
ARM = [
    FlexibleBody('upper', None, GROUND, hinges.pin(), ONE.root, ONE.body),
    FlexibleBody('fore', 'upper', ONE.tip, hinges.pin((0, 1, 0)), TWO.root, TWO.body),
]
Q = np.array([0.02, 0.03, -0.04, 0.05, 0.4, 0.01, -0.02, 0.03, -0.7])  # eta, theta; eta, theta
TREE = flexible_tree(ARM, Q)
RATE = np.linspace(-0.8, 0.9, 9)
T = np.zeros(9)
T[[3, 8]] = 6.0, -4.0  # motors at the hinges: the fore arm comes first, as the tip does


def modes(lesson):
    """Sections 13.2 and 13.2.1: a beam by its modes.

    u = Pi eta. With its frame at the clamped end, the modes are those of a cantilever. The modal
    integrals are M_0, of the undeformed beam, and what deformation adds to them.
    """
    x = bending_roots(3)
    lesson.compare('roots, cos cosh = -1', (1.8751040687, 4.6940911330, 7.8547574382), x)
    link = uniform_beam(UPPER, 3)
    M = link.body.M_0
    lesson.compare('M^ff', UPPER.mass * np.ones(3), np.diag(M)[:3])
    lesson.compare('M^fr, 2 L / x^2', 2 * UPPER.mass * UPPER.length / x**2, M[:3, 5])
    lesson.compare('M^rr, m L^2 / 3', UPPER.mass * UPPER.length**2 / 3, M[5, 5])
    found = np.sqrt(np.diag(link.body.stiffness) / np.diag(M)[:3])
    lesson.compare('frequencies [rad/s]', natural_frequencies(UPPER, 3), found)
    with lesson.figure('jain_beam_modes') as axes:
        if axes is not None:
            s = np.linspace(0.0, 1.0, 200)
            for r, root in enumerate(x, 1):
                axes.plot(UPPER.length * s, bending_shape(root, s)[0], label=f'mode {r}')
            axes.set(xlabel='x [m]', ylabel='w', title='Modes of a clamped beam')
            axes.legend()
            axes.grid(visible=True)


def equations(lesson):
    """Sections 13.3 to 13.5: one SKO model, blocks of n_md + 6.

    Phi_fl goes from body to body in six numbers, however many modes there are. The algorithms of
    rigid trees hold: 9.3 is 13.2, and 9.1 is 13.1.
    """
    M = flexible_mass_matrix.mass_matrix(TREE)
    lesson.compare('M, row 4: a hinge', composite_bodies.mass_matrix(TREE)[3], M[3])
    lesson.compare("rate' M rate / 2", 0.5 * RATE @ M @ RATE, kinetic_energy(TREE, RATE))
    found, f, _ = flexible_inverse_dynamics.inverse_dynamics(TREE, RATE, RATE)
    C = dynamics.bias(sko_model(TREE, RATE))
    lesson.compare('T = M acceleration + C', M @ RATE + C, found)
    rest = 0.0 * RATE
    strain, _, _ = flexible_inverse_dynamics.inverse_dynamics(TREE, rest, rest, gravity=False)
    eta = TREE.eta[0]
    lesson.misprint(
        'force of strain',
        'Jain, (13.47) to (13.50), (13.63)',
        np.zeros(3),
        ARM[1].modal.stiffness @ eta,
        TREE.parts(strain, 0)[0],
    )
    lesson.say('Motors reach the hinges only: accelerations that ask for more cannot be had.')


def forward(lesson):
    """Sections 13.6 and 13.7: modes are eliminated first, then the hinge.

    The update of exercise 13.1 makes the cost quadratic in the modes, if bodies keep their mass
    matrix. The text inverts Gamma, which has no inverse.
    """
    M, C = flexible_mass_matrix.mass_matrix(TREE), dynamics.bias(sko_model(TREE, RATE))
    dense = np.linalg.solve(M, T - C)
    standard, _ = dynamics.forward_dynamics(sko_model(TREE, RATE), T)
    found, _ = flexible_forward_dynamics.forward_dynamics(TREE, RATE, T)
    lesson.compare('algorithm 13.4', dense, standard)
    lesson.compare('algorithm 13.7', dense, found)
    stages = flexible_articulated.two_stages(TREE)
    whole = articulated_bodies.articulated(TREE)
    lesson.compare(
        'det D = det D_m det D_cr',
        np.linalg.det(whole.D[1]),
        np.linalg.det(stages.D_m[1]) * np.linalg.det(stages.D_cr[1]),
    )
    frozen = [
        FlexibleBody(b.name, b.parent, b.mount, b.hinge, b.root, b.modal.frozen()) for b in ARM
    ]
    tree = flexible_tree(frozen, Q)
    L = flexible_articulated.modal_inverses(tree)
    full, quick = (flexible_articulated.simplified(tree, each) for each in (None, L))
    lesson.misprint(
        'D_m^-1, diagonal',
        'Jain, (13.70)',
        np.diag(L[1]),  # an infinite Gamma^-1 leaves L alone
        np.diag(full.D_m_inverse[1]),
        np.diag(quick.D_m_inverse[1]),
    )


def motion(lesson):
    """Section 13.7.2: the arm falls, its links ring, its energy stays.

    Without damping and motors, the sum of strain, potential and kinetic energy is constant.
    """

    def rates(_, y):
        tree = flexible_tree(ARM, y[:9])
        own = y[9:][tree.dofs]
        found, _ = flexible_forward_dynamics.forward_dynamics(tree, own, np.zeros(9))
        acceleration = np.empty(9)
        acceleration[tree.dofs] = found
        return np.concatenate((y[9:], acceleration))

    def energy(y):
        tree = flexible_tree(ARM, y[:9])
        return kinetic_energy(tree, y[9:][tree.dofs]) + potential_energy(tree)

    y, dt, tips = np.concatenate((Q, np.zeros(9))), 2.5e-4, []
    before = energy(y)
    for k in range(300):
        y = runge_kutta(rates, k * dt, y, dt)
        tips.append(y[2])
    # Four stages of 0.25 ms at up to 1 kHz leave 1e-6 of what is exchanged.
    lesson.compare('energy after 75 ms [J]', before, energy(y), 1e-6)
    with lesson.figure('jain_flexible_arm') as axes:
        if axes is not None:
            axes.plot(dt * np.arange(1, 301), 1e3 * np.array(tips))
            axes.set(
                xlabel='t [s]', ylabel='[mm]', title='Upper arm: displacement of its tip along z'
            )
            axes.grid(visible=True)


EXAMPLES = (modes, equations, forward, motion)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapter 13: links that bend', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
