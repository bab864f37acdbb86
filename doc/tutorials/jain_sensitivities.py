# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Jain, chapter 18: rates and derivatives of operators.

    python doc/tutorials/jain_sensitivities.py [folder for the figures]

The book has no numbers. Beside ours stand closed forms of an arm of two links in the plane. An arm
whose middle hinge slides has complex steps there: f'(x) = Im f(x + i h) / h.
"""

import sys

import numpy as np
from lesson import exit_code, run

from robodyn_ros.formulations.complex_step import along, gradient
from robodyn_ros.formulations.jain import composite_bodies, hinges, inverse_dynamics
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import Body, tree_of
from robodyn_ros.formulations.jain.sensitivities import (
    coriolis_torque,
    determinant_gradient,
    kinetic_energy_gradient,
)
from robodyn_ros.formulations.jain.sensitivities.articulated_operator_rates import lambda_operator
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.sensitivities.articulated_sensitivities import (
    inertia_sensitivities,
)
from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.sensitivities.mass_matrix_rate import mass_matrix_rate
from robodyn_ros.formulations.jain.sensitivities.mass_matrix_sensitivity import (
    mass_matrix_sensitivity,
)
from robodyn_ros.formulations.jain.sensitivities.momentum_gradient import (
    coriolis_matrix,
    momentum_gradient,
)
from robodyn_ros.formulations.jain.sensitivities.operator_rates import operator_rates
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import (
    operator_sensitivities,
)
from robodyn_ros.formulations.jain.single_body import spatial_inertia

X, Y, Z = np.eye(3)
L, C, MASS, SPIN = 0.6, 0.25, 2.0, 0.05  # upper length; fore arm: centre, mass, inertia


def body(name, parent, place, hinge, row, centre=C):
    """A slender body of the mass above; its hinge at `place` of the parent."""
    J = np.diag((0.01, SPIN, SPIN)) + MASS * centre**2 * np.diag((0.0, 1.0, 1.0))
    M = spatial_inertia(MASS, centre * X, J)
    return Body(name, parent, np.eye(3), place, hinge, M, (row,), (row,), np.zeros(1))


PLANAR = [
    body('upper', None, 0.0 * X, hinges.pin(Z), 0),
    body('fore', 'upper', L * X, hinges.pin(Z), 1),
]
SKEW = [
    body('upper', None, 0.0 * X, hinges.pin(Y), 0),
    body('ram', 'upper', L * X, hinges.prismatic(0.6 * X + 0.8 * Z), 1),
    body('fore', 'ram', 0.4 * X, hinges.pin(0.6 * Y + 0.8 * Z), 2),
]
Q2, Q3 = np.array([0.4, -0.7]), np.array([0.4, 0.2, -0.7])
QD2, QD3 = np.array([0.5, -1.2]), np.array([0.8, -1.2, 0.5])
PLANE, ARM = tree_of(PLANAR, Q2), tree_of(SKEW, Q3)
THD2, THD3 = QD2[PLANE.dofs], QD3[ARM.dofs]  # tips first


def skew_rate(f):
    """d f(tree)/dt of the skew arm, by a complex step."""
    return along(lambda q: f(tree_of(SKEW, q)), Q3, QD3)


def operators(lesson):
    """Sections 18.2 and 18.3: rates of operators, by operators.

    The axes are those of the inertial observer. A derivative by a coordinate is the rate at a
    unit velocity, and nothing new has to be derived.
    """
    ops, rates = moving_operators(ARM, THD3), operator_rates(moving_operators(ARM, THD3))

    def later(name):
        return skew_rate(lambda tree: getattr(moving_operators(tree, THD3), name).array)

    lesson.compare('d phi/dt, corner', later('phi')[-6:-3, 5], rates.phi.array[-6:-3, 5])
    lesson.compare('d H/dt, tip', later('H')[0, :3], rates.H.array[0, :3])
    lesson.compare('d M/dt, tip', later('M')[0, :3], rates.M.array[0, :3])
    i = 1  # the ram slides; the tip comes first
    slope = gradient(lambda q: moving_operators(tree_of(SKEW, q), THD3).phi.array, Q3)
    lesson.compare(
        'd phi/d ram, corner',
        slope[-6:-3, 5, ARM.dofs[i]],
        operator_sensitivities(ARM, i).phi.array[-6:-3, 5],
    )
    turn, E = ops.Delta_tilde_w, ops.E_phi
    half = ops.H @ ops.phi @ (turn + E @ turn) @ ops.phi @ ops.M @ (ops.H @ ops.phi).T
    lesson.misprint(
        'd M/dt, row 1',
        'Jain, (18.23)',
        (half + half.T).array[0],
        skew_rate(composite_bodies.mass_matrix)[0],
        rates.mass_matrix.array[0],
    )


def planar_mass(q2):
    """M of the arm in the plane, in the order of the robot, as in any textbook."""
    own, cross = SPIN + MASS * C * C, MASS * L * C * np.cos(q2)
    M11 = 2.0 * own + MASS * L * L + 2.0 * cross
    return np.array([[M11, own + cross], [own + cross, own]])


def mass_matrix(lesson):
    """Sections 18.2.3 and 18.4: the mass matrix by time and by coordinates.

    In the plane M depends on the elbow alone, by h = -m l c sin theta_2. Christoffel's matrix C_M
    leaves dM/dt - 2 C_M skew.
    """
    h = -MASS * L * C * np.sin(Q2[1])
    shape, R = np.array([[2.0, 1.0], [1.0, 0.0]]), composite_bodies.composite_inertias(PLANE)
    ours = PLANE.to_ours
    lesson.compare('M', planar_mass(Q2[1]), ours(composite_bodies.mass_matrix(PLANE)))
    lesson.compare('M_1 by the shoulder', 0.0 * shape, ours(mass_matrix_sensitivity(PLANE, R, 1)))
    lesson.compare('M_2 by the elbow', h * shape, ours(mass_matrix_sensitivity(PLANE, R, 0)))
    lesson.compare('dM/dt', h * QD2[1] * shape, ours(mass_matrix_rate(PLANE, THD2)))
    lesson.compare(
        'M_D', np.outer(h * shape @ QD2, (0.0, 1.0)), ours(momentum_gradient(PLANE, THD2))
    )
    C_M = ours(coriolis_matrix(PLANE, THD2))
    lesson.compare('C_M', h * np.array([[QD2[1], QD2[0] + QD2[1]], [-QD2[0], 0.0]]), C_M)
    energy = h * QD2[0] * (QD2[0] + QD2[1])
    routes = kinetic_energy_gradient
    for route in (routes.by_momentum, routes.by_forces, routes.by_articulated_bodies):
        lesson.compare(f'grad KE {route.__name__[:15]}', (0.0, energy), ours(route(PLANE, THD2)))
    torque = inverse_dynamics.bias(ARM, THD3, gravity=False)
    lesson.compare('C, skew arm', torque, coriolis_torque.of_lagrange(ARM, THD3))
    lesson.compare(
        'C by (18.41)', torque, coriolis_torque.by_operators(moving_operators(ARM, THD3))
    )


def articulated_inertias(lesson):
    """Sections 18.5 and 18.6: one gather more gives the rates of P, D, G and psi.

    lambda is the rate of P that the parent sees. theta_i only turns the bodies outboard of hinge
    i. Inboard of it, P changes by what hinge i propagates.
    """
    M, h = planar_mass(Q2[1]), -MASS * L * C * np.sin(Q2[1])
    D_rate = 2.0 * h * QD2[1] * (1.0 - M[0, 1] / M[1, 1])  # of M11 - M12^2 / M22
    rates = articulated_rates(PLANE, articulated(PLANE), THD2)
    lesson.compare('dD/dt, upper arm', D_rate, rates.D[1][0, 0])
    ops, k = moving_operators(ARM, THD3), slice(6, 12)
    lam, W, P = lambda_operator(ops), ops.V_S_tilde_w, ops.P
    lesson.misprint(
        'dP/dt of the ram',
        'Jain, (18.49)',
        np.diag((lam + W @ P + P @ W).array[k, k])[:3],
        np.diag(skew_rate(lambda tree: moving_operators(tree, THD3).P.array)[k, k])[:3],
        np.diag((lam + W @ P - P @ W).array[k, k])[:3],
    )
    art, i = articulated(ARM), 1  # the ram slides
    found = inertia_sensitivities(ARM, art, i)
    slope = gradient(lambda q: articulated(tree_of(SKEW, q)).P[2], Q3)[..., ARM.dofs[i]]
    lesson.misprint(
        'P_i above the ram',
        'Jain, (18.56)',
        (art.psi[i] @ found[i] @ art.psi[i].T)[1, [1, 2, 3]],
        slope[1, [1, 2, 3]],
        found[2][1, [1, 2, 3]],
    )


def determinant(lesson):
    """Section 18.7: the gradient of log det M.

    Molecular dynamics calls its multiple Fixman's force. It is O(n) for all coordinates together.
    The shoulder changes no determinant.
    """

    def slope_at(q2):
        M, h = planar_mass(q2), -MASS * L * C * np.sin(q2)
        return 2.0 * h * (M[1, 1] - M[0, 1]) / np.linalg.det(M)

    right = np.array([0.0, slope_at(Q2[1])])
    for route in ('by_sensitivities', 'of_turning_joints', 'by_compliances'):
        found = getattr(determinant_gradient, route)(PLANE)
        lesson.compare(route, right, PLANE.to_ours(found))
    M = composite_bodies.mass_matrix
    slopes = gradient(lambda q: M(tree_of(SKEW, q)), Q3)[..., ARM.dofs]
    traces = np.trace(np.linalg.solve(M(ARM), slopes.transpose(2, 0, 1)), axis1=1, axis2=2)
    lesson.compare('skew arm', traces, determinant_gradient.by_compliances(ARM))
    with lesson.figure('jain_determinant_gradient') as axes:
        if axes is not None:
            angles = np.linspace(-np.pi, np.pi, 121)
            found = [
                determinant_gradient.by_compliances(tree_of(PLANAR, np.array([0.4, q])))
                for q in angles
            ]
            logs = [np.log(np.linalg.det(planar_mass(q))) for q in angles]
            axes.plot(angles, logs, label='log det M')
            axes.plot(angles, [each[0] for each in found], label='its derivative by the elbow')
            axes.set(xlabel='elbow [rad]', title='Arm of two links in the plane')
            axes.legend()
            axes.grid(visible=True)


EXAMPLES = (operators, mass_matrix, articulated_inertias, determinant)


def main(arguments=None):
    """Run the lesson; return it."""
    return run('Jain, chapter 18: rates and derivatives of operators', EXAMPLES, arguments)


if __name__ == '__main__':
    sys.exit(exit_code(main()))
