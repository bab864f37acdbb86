# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 18.2.3 and 18.4 of Jain: rates and derivatives of the mass matrix, Coriolis torques."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain import composite_bodies, inverse_dynamics, tree_kinematics
from robodyn_ros.formulations.jain.sensitivities import (
    coriolis_torque,
    determinant_gradient,
    kinetic_energy_gradient,
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
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import (
    operator_sensitivities,
    unit_velocity,
)
from robodyn_ros.formulations.jain.single_body import kinetic_energy
from support.compare import agree
from support.robots.families import FAMILIES, MIXED
from support.robots.jain_trees import any_tree, configuration, moved, unlike


def mass_matrix_ahead(tree, thd):
    """dM/dt (N, N) along thd, by a complex step."""
    return np.imag(composite_bodies.mass_matrix(moved(tree, thd, 1j * STEP))) / STEP


def gradients(tree):
    """M_i of all freedoms (N, N, N), the last index that of the freedom."""
    R = composite_bodies.composite_inertias(tree)
    return np.stack([mass_matrix_sensitivity(tree, R, i) for i in range(tree.N)], axis=-1)


def holonomic(tree):
    """Whether all velocities are rates of coordinates."""
    return all(body.hinge.nq == body.hinge.nv for body in tree.bodies)


def test_rate_of_the_mass_matrix(system):
    """(18.23) by composite bodies, exactly zero between bodies that do not carry each other."""
    tree, thd, *_ = system
    right = mass_matrix_ahead(tree, thd)
    found = mass_matrix_rate(tree, thd)
    agree(found, right)
    for k, rows in enumerate(tree.slices):
        for j, columns in enumerate(tree.slices):
            if j not in tree.path(k) and k not in tree.path(j):
                assert not found[rows, columns].any()


def test_sensitivities_of_the_mass_matrix(system):
    """(18.36) of every freedom, by complex steps and by operators."""
    tree = system[0]
    R = composite_bodies.composite_inertias(tree)
    scale = np.abs(composite_bodies.mass_matrix(tree)).max()
    for i in range(tree.N):
        unit = unit_velocity(tree, i)
        right, found = mass_matrix_ahead(tree, unit), mass_matrix_sensitivity(tree, R, i)
        agree(found, right, scale)
        agree(found, mass_matrix_rate(tree, unit), scale)
    agree(operator_sensitivities(tree, i).mass_matrix.array, right, scale)


def test_inboard_coordinates_change_no_block(system):
    """M(j, k) does not depend on coordinates of what carries both: exact zeros."""
    tree = system[0]
    R = composite_bodies.composite_inertias(tree)
    for i in (0, tree.N // 2, tree.N - 1):
        found, k = mass_matrix_sensitivity(tree, R, i), tree.owners[i]
        outboard = [j for j in range(tree.n) if j != k and k in tree.path(j)]
        for j in outboard:
            for other in outboard:
                assert not found[tree.slices[j], tree.slices[other]].any()


def test_sensitivities_are_those_of_the_package(named):
    """The same tensor by the compiled route of Robot, and its Christoffel matrix."""
    robot, tree, thd, *_ = named
    q = configuration(tree)
    ours = robot.derivatives.mass_matrix(q)[np.ix_(tree.dofs, tree.dofs, tree.dofs)]
    agree(gradients(tree), ours, np.abs(robot.mass_matrix(q)).max())
    if holonomic(tree):
        found = tree.to_ours(coriolis_matrix(tree, thd))
        agree(found, robot.coriolis_matrix(q, tree.to_ours(thd)))


@pytest.mark.parametrize('name', ['skew_chain', 'sliding_tree', 'rotors', 'mixed_chain'])
def test_rate_of_the_mass_matrix_of_pinocchio(name):
    """Its Coriolis matrix and that matrix's transpose add up to dM/dt.

    log det M by its inverse: central differences of second order leave step^2 = 1e-10 of it.
    """
    case, (tree, thd, *_) = (FAMILIES | MIXED)[name], any_tree(name)
    referee, q, qd = case.pinocchio, configuration(tree), tree.to_ours(thd)
    C = referee.coriolis_matrix(q, qd)
    agree(tree.to_ours(mass_matrix_rate(tree, thd)), C + C.T, np.abs(C).max())
    if holonomic(tree):
        inverse, h = referee.mass_matrix_inverse(q), 1e-5
        right = [
            np.trace(inverse @ (referee.mass_matrix(q + h * e) - referee.mass_matrix(q - h * e)))
            for e in np.eye(tree.N)
        ]
        gradient = determinant_gradient.by_compliances(tree)
        agree(tree.to_ours(gradient), np.array(right) / (2.0 * h), None, 1e-7)


def test_gradient_of_the_momentum(system):
    """(18.37): M_D = [M_i thd], and M_D thd = dM/dt thd (4.31)."""
    tree, thd, *_ = system
    M_D = momentum_gradient(tree, thd)
    columns = np.einsum('jki,k->ji', gradients(tree), thd)
    scale = np.abs(columns).max()
    agree(M_D, columns, scale)
    agree(M_D @ thd, mass_matrix_ahead(tree, thd) @ thd, scale)
    agree(M_D @ thd, mass_matrix_rate(tree, thd) @ thd, scale)


def test_christoffel_matrix_leaves_a_skew_difference(system):
    """C_M thd = C and dM/dt - 2 C_M skew; M_D - M_D'/2 (4.32) gives C, and no skew difference."""
    tree, thd, *_ = system
    if not holonomic(tree):
        with pytest.raises(ModelError, match='rates of coordinates'):
            coriolis_matrix(tree, thd)
        return
    C_M, M_D, rate = (
        of(tree, thd) for of in (coriolis_matrix, momentum_gradient, mass_matrix_ahead)
    )
    C, scale = inverse_dynamics.bias(tree, thd, gravity=False), np.abs(C_M).max()
    agree(C_M @ thd, C, scale)
    agree((M_D - 0.5 * M_D.T) @ thd, C, scale)
    skew = rate - 2.0 * C_M
    agree(skew, -skew.T, scale)
    agree(thd @ (rate @ thd - 2.0 * C), 0.0, scale * np.abs(thd).max() ** 2)
    other = rate - 2.0 * (M_D - 0.5 * M_D.T)
    assert np.abs(other + other.T).max() > 1e-3 * scale


def test_gradient_of_the_kinetic_energy(system):
    """(18.38a) to (18.38c) against complex steps of the energy itself, at constant thd."""
    tree, thd, *_ = system
    right = np.empty(tree.N)
    for i in range(tree.N):
        ahead = moved(tree, unit_velocity(tree, i), 1j * STEP)
        V = tree_kinematics.velocities(ahead, thd)
        right[i] = sum(np.imag(kinetic_energy(M, v)) for M, v in zip(ahead.M, V)) / STEP
    scale = np.abs(right).max()
    routes = kinetic_energy_gradient
    agree(routes.by_momentum(tree, thd), right, scale)
    agree(routes.by_forces(tree, thd), right, scale)
    agree(routes.by_articulated_bodies(tree, thd), right, 10.0 * scale)


def test_printed_forms_of_the_kinetic_energy_gradient():
    """(18.38) as printed, with Delta^w, of turning, sliding and screwing hinges."""
    for name in ('skew_chain', 'sliding_tree', 'chain of 3'):
        tree, thd, *_ = any_tree(name)
        tree = tree.without_rotors()
        ops = moving_operators(tree, thd)
        H, phi, M, V = ops.H, ops.phi, ops.M, np.concatenate(ops.V)
        moving = ops.E_phi @ ops.Delta_bar_v + ops.Delta_tilde_w
        right = kinetic_energy_gradient.by_momentum(tree, thd)
        agree(-(H @ (ops.V_bar - ops.Delta_tilde_w) @ phi @ M @ V), right)
        agree(-(H @ phi @ (ops.V_bar - moving @ phi) @ M @ V), right)
        h = (ops.one + phi @ ops.K @ H) @ ops.P
        agree(-(H @ phi @ (ops.V_bar @ M - moving @ h) @ V), right)


def test_coriolis_torque_by_all_routes(system):
    """(18.39), (18.41) and (4.27): Newton and Euler are Lagrange."""
    tree, thd, *_ = system
    ops = moving_operators(tree, thd)
    C = inverse_dynamics.bias(tree, thd, gravity=False)
    agree(coriolis_torque.of_inertial_derivatives(ops), C)
    agree(coriolis_torque.by_operators(ops), C)
    if holonomic(tree):
        agree(coriolis_torque.of_lagrange(tree, thd), C)
    else:
        unlike(coriolis_torque.of_lagrange(tree, thd), C)
