# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 17 of Jain: free-flyers whose links find their accelerations by themselves."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.free_flying import base_invariant
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from robodyn_ros.formulations.jain.tree import tree_of
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
