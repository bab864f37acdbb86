# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 18.6 and 18.7 of Jain: articulated bodies by coordinates, innovations, log det M."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain import composite_bodies
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.forward_dynamics import innovations_factor
from robodyn_ros.formulations.jain.sensitivities import determinant_gradient, innovations_rates
from robodyn_ros.formulations.jain.sensitivities.articulated_operator_rates import lambda_operator
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.sensitivities.articulated_sensitivities import (
    inertia_sensitivities,
    lambda_sensitivities,
)
from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import unit_velocity
from robodyn_ros.formulations.jain.spatial_algebra import angular, tilde
from robodyn_ros.formulations.jain.tree_kinematics import poses
from support.compare import agree, solve_tolerance
from support.robots.jain_trees import any_tree, moved, unlike


def ahead_of(tree, thd):
    """The tree a complex step ahead, with the drives it has."""
    later = moved(tree, thd, 1j * STEP)
    return later if tree.rotor.any() else later.without_rotors()


def drawn(tree):
    """Some freedoms of a tree, the first and the last among them."""
    return sorted({0, tree.N // 3, 2 * tree.N // 3, tree.N - 1})


def test_lambda_by_one_coordinate(system):
    """(18.55): algorithm 18.1 at e_i, and zero off the path from i to the base."""
    tree = system[0]
    art = articulated(tree)
    for i in range(tree.N):
        right = articulated_rates(tree, art, unit_velocity(tree, i)).lam
        found = np.zeros_like(right)
        for k, lam in lambda_sensitivities(tree, art, i).items():
            found[k] = lam
        agree(found, right, np.abs(art.P).max())


def test_inertias_by_one_coordinate(system):
    """(18.56), (18.57) for the inertial observer, by complex steps in fixed axes."""
    tree = system[0]
    art, size = articulated(tree), np.abs(articulated(tree).P).max()
    turns = [np.kron(np.eye(2), R) for R in poses(tree)[:-1, :3, :3]]
    for i in drawn(tree):
        unit, b = unit_velocity(tree, i), tree.owners[i]
        ahead = ahead_of(tree, unit)
        later = moving_operators(ahead, unit).P
        found, D = inertia_sensitivities(tree, art, i), articulated(ahead).D
        for k, (name, turn) in enumerate(zip(tree.names, turns)):
            right = turn.T @ (np.imag(later[name, name]) / STEP) @ turn
            agree(found[k], right, size)
            if k in list(tree.path(b))[1:]:
                agree(tree.H[k] @ found[k] @ tree.H[k].T, np.imag(D[k]) / STEP, size)


@pytest.mark.parametrize('drives', [True, False])
def test_rates_of_innovations_factors(system, drives):
    """(18.61), (18.63) by paths and by operators, and [1 + H phi K] D of (18.62)."""
    tree, thd, *_ = system
    tree = tree if drives else tree.without_rotors()
    ahead, art, ops = ahead_of(tree, thd), articulated(tree), moving_operators(tree, thd)
    later = articulated(ahead)
    L, rate = innovations_factor(ahead, later), innovations_rates.innovations_factor_rate
    right = np.imag(L) / STEP
    size = max(np.abs(right).max(), np.abs(L.real).max())
    found, inverse = rate(tree, art, thd), innovations_rates.inverse_factor_rate(tree, art, thd)
    agree(found, right, size)
    back = np.linalg.inv(L.real)
    expected = -back @ right @ back
    scale = max(np.abs(expected).max(), np.abs(back).max())
    tolerance = solve_tolerance(L.real)
    agree(inverse, expected, scale, tolerance)
    by_operators, inverse_by_operators = innovations_rates.by_operators(ops)
    agree(by_operators.array, right, size)
    agree(inverse_by_operators.array, expected, scale, tolerance)


def test_sensitivities_of_innovations_factors(system):
    """Exercise 18.14: at unit velocities these are derivatives by coordinates."""
    tree = system[0]
    art = articulated(tree)
    for i in drawn(tree):
        unit = unit_velocity(tree, i)
        ahead = ahead_of(tree, unit)
        L = innovations_factor(ahead, articulated(ahead))
        found = innovations_rates.innovations_factor_rate(tree, art, unit)
        agree(found, np.imag(L) / STEP, np.abs(L.real).max() + np.abs(found).max())


def test_rate_of_18_62():
    """d(L D)/dt = H phi [tilde(Delta^w) (phi - 1) P + E bar(Delta^v) phi P + lam] H'."""
    for name in ('sliding_chain', 'tree of 20'):
        tree, thd, *_ = any_tree(name)
        tree = tree.without_rotors()
        ops, later = (moving_operators(each, thd) for each in (tree, ahead_of(tree, thd)))
        right = np.imag((later.innovations_factor @ later.D).array) / STEP
        turn, slide, E, P = ops.Delta_tilde_w, ops.Delta_bar_v, ops.E_phi, ops.P
        bracket = turn @ ops.phi_tilde @ P + E @ slide @ ops.phi @ P + lambda_operator(ops)
        agree((ops.H @ ops.phi @ bracket @ ops.H.T).array, right)


def of_a_slide(name):
    """(MovingOperators at e_i, those a complex step ahead, tree, i): hinge i slides inside."""
    tree = any_tree(name)[0].without_rotors()
    i = next(k for k, H in enumerate(tree.H) if not H[0, :3].any() and k < tree.n - 1)
    unit = unit_velocity(tree, i)
    return (*(moving_operators(each, unit) for each in (tree, ahead_of(tree, unit))), tree, i)


def test_bars_of_18_64_and_18_65():
    """Of H^v in both, where it stands on the left: a tilde is wrong at a sliding hinge."""
    ops, later, *_ = of_a_slide('sliding_chain')
    lam, H, phi, E = lambda_operator(ops), ops.H, ops.phi, ops.E_phi
    gain = ops.tau_bar @ lam

    def factor(slide):
        bracket = ops.Delta_tilde_w @ ops.phi_tilde @ ops.P + E @ slide @ phi @ ops.P + gain
        return (H @ phi @ bracket @ H.T @ ops.D_inverse).array

    def inverse(slide):
        bracket = ops.Delta_tilde_w @ phi @ ops.K + E @ slide @ phi @ ops.G
        bracket = bracket + gain @ H.T @ ops.D_inverse
        return -(H @ ops.psi @ bracket @ ops.inverse_factor).array

    for form, operator in ((factor, later.innovations_factor), (inverse, later.inverse_factor)):
        right = np.imag(operator.array) / STEP
        agree(form(ops.Delta_bar_v), right, max(np.abs(right).max(), 1.0))
        unlike(form(ops.Delta_tilde_v), right)


def test_first_slide_of_18_55_has_a_bar():
    ops, _, tree, i = of_a_slide('sliding_chain')
    art = articulated(tree)
    right = lambda_sensitivities(tree, art, i)[tree.parent[i]]
    slide, A = tilde(tree.H[i][0]), tree.phi[i]
    for first, same in ((-slide.T, True), (slide, False)):
        lam = A @ (first @ art.P_plus[i] - art.P_plus[i] @ slide) @ A.T
        if same:
            agree(lam, right)
        else:
            unlike(lam, right)


def test_congruence_of_18_56_is_of_turning_hinges():
    """psi(k, i) P_i(i) psi'(k, i) is P_i(k) of a turning i, and zero of one that slides."""
    for name, slides in (('chain of 3', False), ('sliding_chain', True)):
        tree = any_tree(name)[0].without_rotors()
        i = next(k for k, H in enumerate(tree.H) if (not H[0, :3].any()) is slides)
        art = articulated(tree)
        found = inertia_sensitivities(tree, art, i)
        printed = art.psi[i] @ found[i] @ art.psi[i].T
        if slides:
            unlike(printed, found[tree.parent[i]])
        else:
            agree(printed, found[tree.parent[i]])


def gradient_ahead(tree):
    """d log det M (N,) by Tr(M^-1 M_i), dense and by complex steps."""
    M = composite_bodies.mass_matrix(tree)
    units = [unit_velocity(tree, i) for i in range(tree.N)]
    rates = [np.imag(composite_bodies.mass_matrix(ahead_of(tree, e))) / STEP for e in units]
    return np.array([np.trace(np.linalg.solve(M, rate)) for rate in rates]), M


def test_gradient_of_the_determinant(system):
    """(18.66), (18.68): the trace of D^-1 D_i, and compliances, against dense matrices."""
    tree = system[0]
    right, M = gradient_ahead(tree)
    tolerance, scale = solve_tolerance(M), max(np.abs(right).max(), 1.0)
    agree(determinant_gradient.by_sensitivities(tree), right, scale, tolerance)
    agree(determinant_gradient.by_compliances(tree), right, scale, tolerance)
    for k in tree.children[tree.n]:
        if tree.bodies[k].hinge.nv == 1:
            assert determinant_gradient.by_compliances(tree)[tree.slices[k]] == 0.0


def test_rate_of_the_determinant(system):
    """(9.53), (A.29): the gradient along thd is the sum of Tr(D^-1 dD/dt)."""
    tree, thd, *_ = system
    art = articulated(tree)
    D_rate = articulated_rates(tree, art, thd).entries.D
    right = sum(np.trace(np.linalg.solve(D, rate)) for D, rate in zip(art.D, D_rate))
    gradient = determinant_gradient.by_compliances(tree)
    agree(gradient @ thd, right, np.abs(gradient).max() * np.abs(thd).max() * len(thd))


def test_gradient_of_the_determinant_of_turning_joints():
    """(18.67): 2 Tr(P Upsilon tilde(H^w')), and no other joints."""
    for name in ('skew_chain', 'chain of 3'):
        tree, *_ = any_tree(name)
        right, M = gradient_ahead(tree)
        found = determinant_gradient.of_turning_joints(tree)
        agree(found, right, None, solve_tolerance(M))
    with pytest.raises(ModelError, match='expected pins'):
        determinant_gradient.of_turning_joints(any_tree('sliding_chain')[0])


def test_traces_of_18_67_and_18_68_are_of_square_matrices():
    """H^w_=i has a tilde: P Omega H^w_=i, as printed, is a column and has no trace."""
    tree = any_tree('sliding_chain')[0].without_rotors()
    right = determinant_gradient.by_compliances(tree)
    scale = np.abs(right).max()
    for i in range(tree.N):
        ops = moving_operators(tree, unit_velocity(tree, i))
        P_Omega, slide = (ops.P @ ops.Omega).array, (ops.E_phi @ ops.Delta_bar_v).array
        turn = ops.Delta_tilde_w.array
        agree(2.0 * np.trace(P_Omega @ (turn + slide)), right[i], scale)
        column = np.concatenate([angular(Delta) for Delta in ops.Delta])
        with pytest.raises(ValueError, match='two dimensions'):
            np.trace(P_Omega @ column)
