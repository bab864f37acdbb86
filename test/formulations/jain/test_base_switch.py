# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Section 17.3 of Jain: another link as the base body of a free-flyer."""

import numpy as np
import pytest

from robodyn_ros.errors import ModelError
from robodyn_ros.formulations.jain import composite_bodies, forward_dynamics, hinges
from robodyn_ros.formulations.jain.articulated_bodies import articulated, biased_residual_forces
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.free_flying import base_invariant, base_switch
from robodyn_ros.formulations.jain.inverse_dynamics import gravity_accelerations
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics
from robodyn_ros.formulations.jain.spatial_algebra import phi_inverse
from robodyn_ros.formulations.jain.tree_kinematics import velocities
from support.compare import agree
from support.robots.jain_trees import GRAVITY, KINDS, any_tree, coordinates, random_bodies, unlike

#: Inverses of mass matrices of condition up to 6e4.
SOLVED = 1e-10
FLYERS = {'chain': (-1, 0, 1, 2, 3), 'tree': (-1, 0, 1, 1, 0, 4, 4, 6)}


def flyer(name):
    """(tree, thd, T) of a free-flyer on pins, slides, screws and cylinders."""
    rng = np.random.default_rng(8)
    parents = FLYERS[name]
    makers = (hinges.free, *(KINDS[i % 4] for i in range(len(parents) - 1)))
    bodies = random_bodies(rng, parents, makers)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return tree, rng.normal(size=tree.N), 5.0 * rng.normal(size=tree.N)


@pytest.fixture(
    params=[('chain', 0), ('chain', 2), ('tree', 1), ('tree', 3), ('tree', 7)], ids=str
)
def case(request):
    """(tree, thd, T, k, Switched): tips, links between, and the base itself."""
    name, k = request.param
    tree, thd, T = flyer(name)
    return tree, thd, T, k, base_switch.switched(tree, thd, k)


def rows(tree, bodies):
    """Where the bodies of the nodes stand among stacked vectors of the tree."""
    return np.concatenate([np.arange(tree.rows[j].start, tree.rows[j].stop) for j in bodies])


def test_links_move_as_before_on_another_base(case):
    """(17.30), (17.43): phi_R' H_R' J_RG = phi' H', from a base whose velocity is V(k)."""
    tree, thd, _, k, found = case
    V = velocities(tree, thd)
    rates = found.J_RG @ thd
    agree(rates[found.model.slices[-1]], V[k])
    agree(np.array(dynamics.velocities(found.model, rates)), V[list(found.bodies)])
    new, old = SpatialOperators(found.model), SpatialOperators(tree)
    J = (old.phi.T @ old.H.T).array[rows(tree, found.bodies)]
    agree((new.phi.T @ new.H.T).array @ found.J_RG, J)


def test_maps_between_the_velocities_are_inverse(case):
    """(17.38), (17.39)."""
    tree, _, _, _, found = case
    agree(found.J_GR @ found.J_RG, np.eye(tree.N), tolerance=SOLVED)
    agree(found.J_RG @ found.J_GR, np.eye(tree.N), tolerance=SOLVED)


def test_mass_matrix_of_another_base_is_a_congruence(case):
    """(17.42), (17.45), (17.46)."""
    tree, _, _, _, found = case
    M = composite_bodies.mass_matrix(found.model)
    agree(found.J_RG.T @ M @ found.J_RG, composite_bodies.mass_matrix(tree))


def test_compliance_of_all_links_does_not_know_the_base(case):
    """Lemma 17.3 (17.48); and P of the new base is P + S of the link on the old one (17.50)."""
    tree, _, _, k, found = case

    def compliance(model):
        ops = SpatialOperators(model)
        J = (ops.phi.T @ ops.H.T).array
        return J @ np.linalg.solve(composite_bodies.mass_matrix(model), J.T)

    at = rows(tree, found.bodies)
    agree(compliance(found.model), compliance(tree)[np.ix_(at, at)], tolerance=SOLVED)
    P = articulated(found.model).P[-1]
    agree(P, base_invariant.operational_inertias(tree)[k], tolerance=SOLVED)


def test_forward_dynamics_from_another_base(case):
    """Algorithm 9.5 on the new model: T = J_RG' T_R, and accelerations of all links and hinges."""
    tree, thd, T, k, found = case
    thdd, _ = dynamics.forward_dynamics(found.model, np.linalg.solve(found.J_RG.T, T))
    expected, _ = base_invariant.forward_dynamics(tree, thd, T)
    hinged = slice(0, found.model.slices[-1].start)
    agree(thdd[hinged], expected[found.model.dofs[hinged]], tolerance=SOLVED)
    felt = forward_dynamics.articulated_body(tree, thd, T, gravity=False)[1]
    still = base_switch.switched(tree, thd, k, gravity=False).model
    _, alpha = dynamics.forward_dynamics(still, np.linalg.solve(found.J_RG.T, T))
    agree(np.array(alpha), felt[list(found.bodies)], tolerance=SOLVED)


def test_recursion_of_17_16_subtracts_the_hinge():
    """V(up) = phi'(j, up) [V(j) - H'(j) thd(j)]; with a plus, as printed, it is another motion."""
    tree, thd, _ = flyer('chain')
    model = base_switch.switched(tree, thd, 0).model
    V, s = velocities(tree, thd), tree.slices[0]
    at = model.names.index(tree.names[1])
    inboard = model.weights[at].T @ V[0] + model.H[at].T @ thd[s]
    agree(inboard, V[1])
    unlike(model.weights[at].T @ V[0] - model.H[at].T @ thd[s], V[1])
    agree(model.weights[at], phi_inverse(tree.phi[0]))


def test_resolvents_of_a_chain_and_its_reverse():
    """(17.35): phi~_R' + phi' = phi_R' e_k e_k' phi', of a chain from tip k to base n."""
    tree, thd, _ = flyer('chain')
    found = base_switch.switched(tree, thd, 0)
    at = np.argsort(rows(tree, found.bodies))
    phi_R = SpatialOperators(found.model).phi.array[np.ix_(at, at)]
    phi = SpatialOperators(tree).phi.array
    one = np.eye(len(phi))
    e = one[:, tree.rows[0]]
    agree((phi_R - one).T + phi.T, phi_R.T @ e @ e.T @ phi.T)


def test_base_of_a_free_flyer_passes_nothing_on():
    """(17.1): where H(n) = 1, D = P, G = 1 and taubar = 0."""
    tree, thd, T = flyer('tree')
    found = base_switch.switched(tree, thd, tree.n - 1)
    art = articulated(found.model)
    agree(art.D[-1], art.P[-1])
    agree(art.G[-1], np.eye(6), tolerance=SOLVED)
    agree(art.taubar[-1], np.zeros((6, 6)), 1.0, SOLVED)


def base_of(found, T_R):
    """(nu, z) of the base of a Switched under torques T_R (N,): algorithm 9.5 inwards."""
    model, art = found.model, articulated(found.model)
    own = [P @ a + b for P, a, b in zip(art.P, model.a, model.b)]
    z = biased_residual_forces(model, art, T_R, own)[0][-1]
    return np.linalg.solve(art.P[-1], T_R[model.slices[-1]] - z), z


def test_base_of_17_2_accelerates_with_what_its_bodies_leave(case):
    """alpha(n) = nu + a(n), nu = P^-1 (T - z); nu + alpha(n), as printed, is not alpha(n)."""
    tree, thd, T, k, found = case
    T_R = np.linalg.solve(found.J_RG.T, T)
    nu, z = base_of(found, T_R)
    expected = forward_dynamics.articulated_body(tree, thd, T)[1][k]
    felt = expected + gravity_accelerations(tree)[k]
    agree(nu + found.model.a[-1], felt, tolerance=SOLVED)
    agree(dynamics.forward_dynamics(found.model, T_R)[0][found.model.slices[-1]], nu)
    unlike(nu + felt, felt)
    unlike(np.linalg.solve(articulated(found.model).P[-1], T_R[found.model.slices[-1]]), nu)
    assert np.abs(z).max() > 0.0


def test_velocities_of_17_18_are_those_of_the_link_and_of_the_same_hinges(case):
    """thd_R is [V(k); thd]: as (17.14), V of the new base, not of the old one, in place of it."""
    tree, thd, _, k, found = case
    rates, last = found.J_RG @ thd, found.model.slices[-1]
    agree(rates[last], velocities(tree, thd)[k])
    agree(rates[: last.start], thd[found.model.dofs[: last.start]])
    if tree.parent[k] < tree.n:
        printed = np.append(rates[: last.start], thd[tree.slices[-1]])
        moved = np.array(dynamics.velocities(found.model, printed))
        unlike(moved, velocities(tree, thd)[list(found.bodies)])


def test_fixed_base_cannot_be_switched():
    tree, thd, _, _ = any_tree('skew_chain')
    with pytest.raises(ModelError, match='expected one with six'):
        base_switch.switched(tree, thd, 0)
