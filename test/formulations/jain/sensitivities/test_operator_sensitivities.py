# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 18.2.2 and 18.3 of Jain: operators of other body frames, and by one coordinate."""

import numpy as np

from robodyn_ros.formulations.complex_step import H as STEP
from robodyn_ros.formulations.jain.sensitivities.fixed_axes import moving_operators
from robodyn_ros.formulations.jain.sensitivities.offset_rates import (
    offset_operators,
    offset_rates,
    offset_velocities,
)
from robodyn_ros.formulations.jain.sensitivities.operator_rates import operator_rates
from robodyn_ros.formulations.jain.sensitivities.operator_sensitivities import (
    operator_sensitivities,
    phi_sensitivity,
    unit_velocity,
)
from robodyn_ros.formulations.jain.spatial_algebra import angular, bar, linear, phi, tilde
from robodyn_ros.formulations.jain.tree_kinematics import poses
from support.compare import agree
from support.robots.jain_trees import any_tree, moved, unlike


def rate(later):
    """(Derivative of an operator that was taken a complex step ahead, its scale)."""
    array = np.asarray(later)
    found = np.imag(array) / STEP
    return found, max(np.abs(found).max(), np.abs(array.real).max())


def placed(tree):
    """Offsets of body frames (n, 3) in fixed axes, fixed to the bodies."""
    own = np.random.default_rng(9).normal(size=(tree.n, 3))
    return np.array([T[:3, :3] @ each for T, each in zip(poses(tree), own)])


def drawn(tree):
    """Some freedoms of a tree, the first and the last among them."""
    return sorted({0, tree.N // 3, 2 * tree.N // 3, tree.N - 1})


def test_rates_of_operators_of_other_body_frames(system):
    """(18.21), (18.22) against the same operators a complex step ahead."""
    tree, thd, *_ = system
    ahead = moved(tree, thd, 1j * STEP)
    found = offset_rates(moving_operators(tree, thd), placed(tree))
    later = offset_operators(moving_operators(ahead, thd), placed(ahead))
    for own, other in zip(found, later):
        agree(own.array, *rate(other))
    inverse = np.linalg.inv(later.Delta_BO.array.real)
    agree(-inverse @ found.Delta_BO.array @ inverse, -found.Delta_BO.array)


def test_rate_of_one_weight_between_other_frames():
    """(18.18b), (18.18c), (18.18d), of a sliding joint, and of one that turns."""
    tree, thd, *_ = any_tree('sliding_chain')
    ops, l = moving_operators(tree, thd), placed(tree)  # noqa: E741
    operators, rates, V_BO = (
        of(ops, l) for of in (offset_operators, offset_rates, offset_velocities)
    )
    hinge_rates = operator_rates(ops).E_phi
    for k in range(tree.n - 1):
        up = tree.parent[k]
        names, A, out, inward = (
            (tree.names[up], tree.names[k]),
            ops.tree.weights[k],
            phi(l[k]),
            phi(-l[up]),
        )
        weight, right = operators.E_phi[names], rates.E_phi[names]
        V, Delta = ops.V[up], ops.Delta[k]
        W, turn, slide = tilde(angular(V)), tilde(angular(Delta)), bar(linear(Delta))
        size = max(np.abs(right).max(), 1.0)
        b = inward @ hinge_rates[names] @ out + bar(V_BO[up]) @ A @ out - inward @ A @ bar(V_BO[k])
        c = W @ weight - weight @ W + slide + turn @ out - out @ turn
        d = bar(V) @ weight - weight @ bar(V) + slide + bar(Delta) @ out - out @ bar(Delta)
        for form in (b, c, d):
            agree(form, right, size)


def test_sensitivities_of_operators(system):
    """(18.33) to (18.36): complex steps of one coordinate, or along one velocity of a ball."""
    tree = system[0]
    for i in drawn(tree):
        unit = unit_velocity(tree, i)
        ahead = moving_operators(moved(tree, unit, 1j * STEP), unit)
        found, phi_ = operator_sensitivities(tree, i), ahead.phi
        for own, later in (
            (found.E_phi, ahead.E_phi),
            (found.phi, phi_),
            (phi_sensitivity(moving_operators(tree, unit), i), phi_),
            (found.H, ahead.H),
            (found.M, ahead.M),
            (found.H_phi, ahead.H @ phi_),
            (found.phi_M_phi, phi_ @ ahead.M @ phi_.T),
            (found.mass_matrix, ahead.mass_matrix),
        ):
            agree(own.array, *rate(later))


def test_velocities_of_18_31b_are_of_the_parents():
    """H^w_<i, without body i itself, is the derivative of V_S^w and not of V^w."""
    tree, *_ = any_tree('tree of 20')
    i = next(k for k, H in enumerate(tree.H) if H[0, :3].any() and k in tree.parent)
    ops = moving_operators(tree, unit_velocity(tree, i))
    turn = tilde(angular(ops.tree.H[i][0]))
    right = [turn if i in list(tree.path(k))[1:] else 0.0 * turn for k in range(tree.n)]
    own = [[each[name, name] for name in ops.names] for each in (ops.V_S_tilde_w, ops.V_tilde_w)]
    agree(own[0], right)
    unlike(own[1], right)


def form_of_18_33c(ops, i, first, counts):
    """(18.33c) of a chain with `first` in its first term; counts(k, j) : has block the second?"""
    turn, rows, A = tilde(angular(ops.tree.H[i][0])), ops.tree.rows, ops.phi.array
    found = np.zeros_like(A)
    for k, j in np.ndindex(ops.tree.n, ops.tree.n):
        block = A[rows[k], rows[j]]
        if k > i:
            found[rows[k], rows[j]] += A[rows[k], rows[i]] @ first @ A[rows[i], rows[j]]
        if counts(k, j):
            found[rows[k], rows[j]] -= block @ turn
        if k <= i:
            found[rows[k], rows[j]] += turn @ block
    return found


def test_terms_of_18_33c():
    """The first has bar(H'), as a slide shows; the second is of j <= i and not of k >= i."""
    tree, thd, *_ = any_tree('sliding_chain')
    ops = moving_operators(tree, thd)
    slides = [k for k, H in enumerate(tree.H) if not H[0, :3].any() and 0 < k < tree.n - 1]
    turning = next(k for k in range(1, tree.n - 1) if k not in slides)
    for i in (turning, *slides):
        right, h = phi_sensitivity(ops, i).array, ops.tree.H[i][0]
        agree(form_of_18_33c(ops, i, bar(h), lambda k, j: j <= i), right, np.abs(right).max())
        if i in slides:
            unlike(form_of_18_33c(ops, i, tilde(angular(h)), lambda k, j: j <= i), right)
        else:
            unlike(form_of_18_33c(ops, i, bar(h), lambda k, j: k >= i), right)
    assert slides
