# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 18.1 and 18.2 of Jain: operators in fixed axes and their rates, by complex steps."""

import numpy as np

from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain import composite_bodies
from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.sensitivities.operator_rates import (
    coriolis_accelerations,
    operator_rates,
    phi_rate,
)
from robodyn_ros.formulations.jain.single_body import inertia_rate
from robodyn_ros.formulations.jain.spatial_algebra import bar, phi_rate_inertial
from support.compare import agree
from support.robots.jain_trees import any_tree, moved, unlike


def ahead(tree, thd):
    """The operators of a tree a complex step ahead."""
    return moving_operators(moved(tree, thd, 1j * STEP), thd)


def rate(later, scale=None):
    """(Derivative of an operator that was taken a complex step ahead, its scale)."""
    array = np.asarray(later)
    found = np.imag(array) / STEP
    return found, max(np.abs(found).max(), np.abs(array.real).max())


def test_fixed_axes_change_no_motion(system):
    """One and the same mass matrix and velocities, and weights that turn nothing."""
    tree, thd, *_ = system
    ops = moving_operators(tree, thd)
    agree(ops.mass_matrix.array, composite_bodies.mass_matrix(tree))
    agree(ops.V, (ops.phi.T @ ops.H.T @ thd).reshape(-1, 6))
    assert all(np.array_equal(A[:3, :3], np.eye(3)) for A in ops.tree.weights)


def test_rates_of_operators(system):
    """(18.12), (18.13), (18.23), (18.24) against the same operators a complex step ahead."""
    tree, thd, *_ = system
    found, later = operator_rates(moving_operators(tree, thd)), ahead(tree, thd)
    expected = {
        'E_phi': later.E_phi,
        'H': later.H,
        'M': later.M,
        'phi': later.phi,
        'H_phi': later.H @ later.phi,
        'phi_M_phi': later.phi @ later.M @ later.phi.T,
        'mass_matrix': later.mass_matrix,
    }
    assert set(expected) == set(found._fields)
    for name, operator in expected.items():
        agree(getattr(found, name), *rate(operator))


def test_rates_of_components(system):
    """Lemma 18.2: (18.10a), (18.10b), (18.10c) and (18.10e), body by body."""
    tree, thd, *_ = system
    ops, later = moving_operators(tree, thd), ahead(tree, thd)
    above = [*ops.V, np.zeros(6)]
    for k, up in enumerate(tree.parent):
        phi, Delta = ops.tree.weights[k], ops.Delta[k]
        expected, scale = rate(later.tree.weights[k])
        agree(phi_rate(phi, above[up], Delta), expected, scale)
        agree(phi_rate_inertial(above[up], ops.V[k]), expected, scale)
        slide = phi_rate(phi, np.zeros(6), Delta)
        agree(bar(above[up]) @ phi - phi @ bar(above[up]) + slide, expected, 10.0 * scale)
        agree(inertia_rate(ops.tree.M[k], ops.V[k]), *rate(later.tree.M[k]))


def test_coriolis_accelerations_by_operators(system):
    """(18.14) against a_J of (5.19), body by body."""
    tree, thd, *_ = system
    ops = moving_operators(tree, thd)
    agree(coriolis_accelerations(ops), np.array(ops.tree.a), np.abs(ops.V).max() ** 2)


def test_identities_of_velocities(system):
    """(18.6a), (18.6b), (18.6c) and exercise 18.1: velocities pass through phi."""
    tree, thd, *_ = system
    ops = moving_operators(tree, thd)
    E, phi, over = (each.array for each in (ops.E_phi, ops.phi, ops.phi_tilde))
    V, V_S = ops.V_bar, ops.V_S_bar
    v, v_S = (V - ops.V_tilde_w).array, (V_S - ops.V_S_tilde_w).array
    scale = np.abs(phi).max() ** 2 * np.abs(V.array).max() * len(phi)
    agree(v @ E, E @ v_S, scale)
    agree(phi @ v - v_S @ phi, phi @ (v - v_S) @ phi, scale)
    agree(phi @ v_S - v_S @ phi, phi @ (v - v_S) @ over, scale)
    V, Delta = V.array, ops.Delta_bar.array
    agree(E @ V - V @ E, E @ Delta, scale)
    agree(phi @ V - V @ phi, over @ Delta @ phi, scale)


def test_exercise_18_9d_has_bars():
    tree, thd, *_ = any_tree('skew_chain')
    ops = moving_operators(tree, thd)
    phi, V, Delta = ops.phi.array, -ops.V_bar.array.T, -ops.Delta_bar.array.T
    unlike(ops.phi_tilde.array @ Delta @ phi, phi @ V - V @ phi)


def test_second_delta_of_18_23_is_the_linear_one():
    tree, thd, *_ = any_tree('sliding_chain')
    ops, (right, _) = moving_operators(tree, thd), rate(ahead(tree, thd).mass_matrix)
    H_phi, turn = ops.H @ ops.phi, ops.Delta_tilde_w
    X = H_phi @ (turn + ops.E_phi @ turn) @ ops.phi @ ops.M @ H_phi.T
    unlike(X + X.T, right)
