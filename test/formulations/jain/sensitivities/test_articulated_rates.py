# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 18.5 of Jain: rates of articulated-body quantities, against complex steps."""

import dataclasses

import numpy as np
import pytest

from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain.articulated_bodies import Articulated, articulated
from robodyn_ros.formulations.jain.sensitivities.articulated_operator_rates import (
    articulated_operator_rates,
    lambda_operator,
)
from robodyn_ros.formulations.jain.sensitivities.articulated_rates import articulated_rates
from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.tree_kinematics import poses
from support.compare import agree
from support.robots.jain_trees import any_tree, moved, unlike

FIELDS = [field.name for field in dataclasses.fields(Articulated)]


def flat(blocks):
    """All entries of n matrices."""
    return np.concatenate([np.ravel(block) for block in blocks])


@pytest.mark.parametrize('drives', [True, False])
def test_rates_of_articulated_quantities(system, drives):
    """(18.48), (18.50): every field of Articulated, entry by entry, as the tree moves on."""
    tree, thd, *_ = system
    ahead = moved(tree, thd, 1j * STEP)
    if not drives:
        tree, ahead = tree.without_rotors(), ahead.without_rotors()
    art, ahead = articulated(tree), articulated(ahead)
    found = articulated_rates(tree, art, thd).entries
    for field in FIELDS:
        own, other, value = (flat(getattr(each, field)) for each in (found, ahead, art))
        agree(own, np.imag(other) / STEP, max(np.abs(value).max(), np.abs(own).max()))


def test_lambda_is_the_rate_that_the_parent_sees(system):
    """(18.51): lam is the rate of P in axes of the parent, and P^+ has taubar lam taubar'."""
    tree, thd, *_ = system
    ahead = moved(tree, thd, 1j * STEP)
    art, later = articulated(tree), articulated(ahead)
    lam = articulated_rates(tree, art, thd).lam
    turned = [np.kron(np.eye(2), R) for R in ahead.R]
    seen = [np.imag(R @ P @ R.T) / STEP for R, P in zip(turned, later.P)]
    own = [R.real @ each @ R.real.T for R, each in zip(turned, lam)]
    agree(own, seen, np.abs(art.P).max())
    if tree.n > 1:
        unlike(articulated_rates(tree, art, thd).entries.P, lam)


def operators_ahead(tree, thd):
    """MovingOperators at a state, and a complex step ahead."""
    ahead = moved(tree, thd, 1j * STEP)
    if not tree.rotor.any():
        ahead = ahead.without_rotors()
    return moving_operators(tree, thd), moving_operators(ahead, thd)


@pytest.mark.parametrize('drives', [True, False])
def test_rates_of_articulated_operators(system, drives):
    """(18.43), (18.49) in fixed axes, every operator."""
    tree, thd, *_ = system
    tree = tree if drives else tree.without_rotors()
    ops, later = operators_ahead(tree, thd)
    found = articulated_operator_rates(ops)
    for name in found._fields[1:]:
        right = np.imag(getattr(later, name).array) / STEP
        size = max(np.abs(right).max(), np.abs(getattr(later, name).array.real).max())
        agree(getattr(found, name).array, right, size)


def test_lambda_by_the_lyapunov_equation(system):
    """(18.44): one forward Lyapunov equation in fixed axes gives lambda of algorithm 18.1."""
    tree, thd, *_ = system
    ops, art = moving_operators(tree, thd), articulated(tree)
    operator, lam = lambda_operator(ops), articulated_rates(tree, art, thd).lam
    places = poses(tree)[:-1, :3, :3]
    for name, R, own in zip(ops.names, places, lam):
        turn = np.kron(np.eye(2), R)
        agree(operator[name, name], turn @ own @ turn.T, np.abs(art.P).max())


def test_last_term_of_18_49_is_subtracted():
    ops, later = operators_ahead(*any_tree('chain of 3')[:2])
    right = np.imag(later.P.array) / STEP
    lam, W_S, P = lambda_operator(ops), ops.V_S_tilde_w, ops.P
    agree((lam + W_S @ P - P @ W_S).array, right)
    unlike((lam + W_S @ P + P @ W_S).array, right)


def slides_of(name):
    """(MovingOperators at e_i, later ones, right dP/dtheta_i) of a sliding hinge i inside."""
    tree, *_ = any_tree(name)
    tree = tree.without_rotors()
    i = next(k for k, H in enumerate(tree.H) if not H[0, :3].any() and k < tree.n - 1)
    return operators_ahead(tree, np.eye(tree.N)[i])


def test_bars_of_18_54():
    """(18.54f), (18.54g): H^v has a bar where it stands on the left, at a sliding hinge."""
    ops, later = slides_of('sliding_chain')
    lam, E, E_psi, P_plus = lambda_operator(ops), ops.E_phi, ops.E_psi, ops.P_plus
    right = np.imag(later.E_psi.array) / STEP
    gain = ops.tau_bar @ lam @ ops.H.T @ ops.D_inverse @ ops.H
    turned = ops.V_tilde_w @ E_psi - E_psi @ ops.V_S_tilde_w
    agree((turned - E @ (gain - ops.Delta_bar_v @ ops.tau_bar)).array, right, 10.0)
    unlike((turned - E @ (gain - ops.Delta_tilde_v @ ops.tau_bar)).array, right)
    left = lam - E_psi @ lam @ E_psi.T

    def right_of(first):
        carried = E @ (first @ P_plus - P_plus @ ops.Delta_tilde_v) @ E.T
        return (carried + ops.Delta_tilde_w @ ops.P - ops.P @ ops.Delta_tilde_w).array

    agree(right_of(ops.Delta_bar_v), left.array, np.abs(ops.P.array).max())
    unlike(right_of(ops.Delta_tilde_v), left.array)
