# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 17 of Jain: free-flyers whose links find their accelerations by themselves."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain import (
    composite_bodies,
    forward_dynamics,
    hinges,
    inverse_dynamics,
)
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.free_flying import base_invariant, dual_sweep
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from support.compare import agree
from support.robots.jain_trees import (
    GRAVITY,
    KINDS,
    any_tree,
    coordinates,
    forces,
    random_bodies,
    unlike,
)

#: Inverses of mass matrices of condition up to 6e4.
SOLVED = 1e-10
FLYERS = {'chain': (-1, 0, 1, 2, 3, 4), 'tree': (-1, 0, 1, 1, 0, 4, 4, 6), 'one': (-1,)}


@pytest.fixture(params=FLYERS)
def flyer(request):
    """(tree, thd, T) of a free-flyer on pins, slides, screws and cylinders."""
    rng = np.random.default_rng(8)
    parents = FLYERS[request.param]
    makers = (hinges.free, *(KINDS[i % 4] for i in range(len(parents) - 1)))
    bodies = random_bodies(rng, parents, makers)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return tree, rng.normal(size=tree.N), 5.0 * rng.normal(size=tree.N)


def test_every_link_finds_its_acceleration(flyer):
    """Algorithm 17.3 against M^-1 (T - C), and lemma 17.1 against algorithm 9.5, every link."""
    tree, thd, T = flyer
    push = forces(tree)
    for gravity in (True, False):
        thdd, alpha = base_invariant.forward_dynamics(tree, thd, T, push, gravity)
        expected = forward_dynamics.dense(tree, thd, T, push, gravity)
        agree(thdd, expected, tolerance=SOLVED)
        agree(
            alpha,
            forward_dynamics.articulated_body(tree, thd, T, push, gravity)[1],
            tolerance=SOLVED,
        )


def test_free_base_of_the_package():
    tree, thd, _, T = any_tree('free base')
    thdd, _ = base_invariant.forward_dynamics(tree, thd, T)
    agree(thdd, forward_dynamics.dense(tree, thd, T), tolerance=SOLVED)


def test_operational_inertia_of_every_link_is_p_plus_s(flyer):
    """(17.50): (J M^-1 J')^-1 = P + S at every body, and P alone only at the base."""
    tree = flyer[0]
    ops = SpatialOperators(tree)
    found = base_invariant.operational_inertias(tree)
    inverse = np.linalg.inv(composite_bodies.mass_matrix(tree))
    J = (ops.phi.T @ ops.H.T).array
    for k, rows in enumerate(tree.rows):
        agree(found[k], np.linalg.inv(J[rows] @ inverse @ J[rows].T), tolerance=SOLVED)
    agree(found[-1], articulated(tree).P[-1])
    if tree.n > 1:
        unlike(articulated(tree).P[0], found[0])


def test_inboard_side_of_every_hinge_has_p_plus_and_s_plus(flyer):
    """(17.50): Upsilon^+^-1 = P^+ + S^+ of the parent, where it carries hinge k."""
    tree = flyer[0]
    ops = SpatialOperators(tree)
    found = base_invariant.operational_inertias_inboard(tree)
    inverse = np.linalg.inv(composite_bodies.mass_matrix(tree))
    J = (ops.phi.T @ ops.H.T).array
    for k, up in enumerate(tree.parent):
        if up == tree.n:
            assert found[k] is None
            continue
        at_hinge = tree.phi[k].T @ J[tree.rows[up]]
        agree(found[k], np.linalg.inv(at_hinge @ inverse @ at_hinge.T), tolerance=SOLVED)
        unlike(base_invariant.operational_inertias(tree)[k], found[k])


def residuals_of(tree, thd, T, push):
    """(Articulated, a, Residuals) of a flyer under forces push (n, 6) on its bodies."""
    V = forward_dynamics.velocities(tree, thd)
    a = forward_dynamics.coriolis_accelerations(tree, V, thd)
    b = inverse_dynamics.gyroscopic_forces(tree, V) - push
    art = articulated(tree)
    return art, a, base_invariant.residuals(tree, art, a, b, T)


def test_force_between_two_bodies_is_opposite_from_both_sides(flyer):
    """(17.9), (17.10): f of Newton and Euler, by P and z outboard, and by S and z_d inboard."""
    tree, thd, T = flyer
    push = forces(tree)
    thdd = forward_dynamics.dense(tree, thd, T, push)
    _, f, alpha = inverse_dynamics.newton_euler(tree, thd, thdd, push)
    felt = alpha + inverse_dynamics.gravity_accelerations(tree)
    art, a, at = residuals_of(tree, thd, T, push)
    scale = np.abs(f).max()
    for k, up in enumerate(tree.parent):
        agree(art.P[k] @ (felt[k] - a[k]) + at.z[k], f[k], scale, SOLVED)
        agree(at.dual.S[k] @ felt[k] + at.z_dual[k], -f[k], scale, SOLVED)
        if up < tree.n:
            plus = tree.phi[k].T @ felt[up]
            agree(art.P_plus[k] @ plus + at.z_plus[k], f[k], scale, SOLVED)
            inboard = at.dual.S_plus[k] @ (plus + a[k]) + at.z_dual_plus[k]
            agree(inboard, -f[k], scale, SOLVED)
            rest = at.z_plus[k] + at.z_dual_plus[k] + at.dual.S_plus[k] @ a[k]
            together = art.P_plus[k] + at.dual.S_plus[k]
            agree(-np.linalg.solve(together, rest), plus, tolerance=SOLVED)


def test_sweep_from_a_tip_to_the_base_is_forward_dynamics(flyer):
    """Algorithm 17.2, run alone, against M^-1 (T - C) and algorithm 9.5."""
    tree, thd, T = flyer
    push = forces(tree)
    for gravity in (True, False):
        thdd, alpha = dual_sweep.forward_dynamics(tree, thd, T, push, gravity)
        agree(thdd, forward_dynamics.dense(tree, thd, T, push, gravity), tolerance=SOLVED)
        expected = forward_dynamics.articulated_body(tree, thd, T, push, gravity)[1]
        agree(alpha, expected, tolerance=SOLVED)


def test_innovations_of_algorithm_17_2_take_z_before_its_correction(flyer):
    """epsilon_d = T + H z_d^+; with z_d, as printed, it is zero at every hinge."""
    tree, thd, T = flyer
    _, _, at = residuals_of(tree.without_rotors(), thd, T, forces(tree))
    for k, H in enumerate(tree.H):
        if tree.parent[k] < tree.n:
            s = tree.slices[k]
            epsilon = T[s] + H @ at.z_dual_plus[k]
            agree(at.epsilon_dual[s], epsilon)
            agree(T[s] + H @ at.z_dual[k], np.zeros(len(H)), np.abs(T).max(), SOLVED)
            unlike(0.0 * epsilon, epsilon)


def test_sweep_of_algorithm_17_2_starts_with_the_acceleration_of_the_tip():
    """(17.11) at the tip, and z_d(n) = -T(n); a start from zero, or without T(n), misses both."""
    rng = np.random.default_rng(8)
    bodies = random_bodies(rng, FLYERS['chain'], (hinges.free, *KINDS, KINDS[0]))
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    thd, T = rng.normal(size=(2, tree.N))
    thdd = forward_dynamics.dense(tree, thd, T, gravity=False)
    agree(dual_sweep.forward_dynamics(tree, thd, T, gravity=False)[0], thdd, tolerance=SOLVED)
    unpushed = np.where(np.arange(tree.N) < tree.slices[-1].start, T, 0.0)
    unlike(dual_sweep.forward_dynamics(tree, thd, unpushed, gravity=False)[0], thdd)
    art, a, at = residuals_of(tree, thd, T, np.zeros((tree.n, 6)))
    s = tree.slices[0]
    nu = np.linalg.solve(at.dual.D[0], at.epsilon_dual[s])
    felt = -np.linalg.solve(at.dual.S[0] + art.P[0], at.z[0] + at.z_dual[0] - art.P[0] @ a[0])
    agree(nu - at.dual.G[0].T @ felt, thdd[s], tolerance=SOLVED)
    unlike(nu, thdd[s])  # of alpha = 0


def test_dual_hinges_pass_on_nothing_along_themselves(flyer):
    """(17.5), (17.6): S H' = 0, and tau of one side times taubar of the other is 0."""
    tree = flyer[0]
    art = articulated(tree)
    other = base_invariant.dual(tree, art)
    for k, H in enumerate(tree.H):
        if tree.parent[k] == tree.n:
            assert not other.S[k].any()
            continue
        tau_dual = -other.G[k] @ H
        scale = np.abs(other.S_plus[k]).max()
        agree(other.S[k] @ H.T, np.zeros_like(H.T), scale)
        agree(tau_dual @ art.taubar[k], np.zeros((6, 6)), 10.0)
        agree(art.tau[k] @ (np.eye(6) - tau_dual), np.zeros((6, 6)), 10.0)


def test_dual_bias_of_17_7_belongs_to_its_own_hinge():
    """a_d(k) = -a(k): carried over from hinge k + 1, as printed, it is another vector."""
    rng = np.random.default_rng(8)
    bodies = random_bodies(rng, FLYERS['chain'], (hinges.free, *KINDS, KINDS[0]))
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    thd, T = rng.normal(size=tree.N), rng.normal(size=tree.N)
    _, alpha = base_invariant.forward_dynamics(tree, thd, T, gravity=False)
    thdd = base_invariant.forward_dynamics(tree, thd, T, gravity=False)[0]
    V = forward_dynamics.velocities(tree, thd)
    a = forward_dynamics.coriolis_accelerations(tree, V, thd)
    k, s = 1, tree.slices[1]
    back = phi_inverse(tree.phi[k]).T

    def inboard(a_dual):
        return back @ (alpha[k] - tree.H[k].T @ thdd[s] + a_dual)

    agree(inboard(-a[k]), alpha[k + 1], tolerance=SOLVED)
    unlike(inboard(-tree.phi[k].T @ a[k + 1]), alpha[k + 1])


def test_dual_is_for_free_flyers():
    with pytest.raises(ModelError, match='expected six'):
        base_invariant.operational_inertias(any_tree('skew_chain')[0])
