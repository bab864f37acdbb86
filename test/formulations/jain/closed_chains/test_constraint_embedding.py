# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 15 of Jain: closed chains in minimal coordinates against the dense KKT system."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.jain import (
    articulated_bodies,
    composite_bodies,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.body_tree import coordinate_rates, tree_of
from robodyn_ros.formulations.jain.constraints import direct, loop_constraints, projected
from robodyn_ros.formulations.jain.embedding import independent
from robodyn_ros.formulations.jain.embedding.aggregation import aggregate
from robodyn_ros.formulations.jain.embedding.constraint_embedding import Coupling, embed, merged
from robodyn_ros.formulations.jain.operational_space_operators import compliance
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics, formulation
from support.compare import agree
from support.robots.jain_loops import SLIDE, SYSTEMS, TURN, at_state, grown
from support.robots.jain_trees import GRAVITY, SOLVED, coordinates, unlike


@pytest.fixture(params=SYSTEMS)
def chain(request):
    """(Closed, tree, thd, T) and the Embedding."""
    system, tree, thd, T = at_state(request.param)
    return system, tree, thd, T, embed(tree, thd, system.loops)


def kkt(tree, thd, T, found):
    """(thdd, lambda) of the dense system (11.6)."""
    return direct.forward_dynamics(
        composite_bodies.mass_matrix(tree),
        T - inverse_dynamics.bias(tree, thd),
        found.G,
        found.acceleration,
    )


def test_embedded_forward_dynamics_are_the_direct_solution(chain):
    """(15.16) to (15.23) against (11.6), with the accelerations of all bodies."""
    _, tree, thd, T, found = chain
    thdd, multipliers = kkt(tree, thd, T, found)
    thdd_R, alpha = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(found.expand(thdd_R), thdd, tolerance=SOLVED)
    agree(thdd_R, thdd[found.model.dofs], np.abs(thdd).max(), SOLVED)
    agree(found.multipliers(tree, thd, thdd, T), multipliers, tolerance=1e-9)
    _, _, expected = inverse_dynamics.newton_euler(tree, thd, thdd)
    felt = expected + inverse_dynamics.gravity_accelerations(tree)
    for k, (index, row) in enumerate(found.where):
        agree(alpha[index][row : row + 6], felt[k], np.abs(felt).max(), 1e-10)


def test_embedded_mass_matrix_is_the_projected_one(chain):
    """(15.8), (15.18): M_r = X' M X by algorithm 9.3, by operators and by its factors; C_r too."""
    _, tree, thd, _, found = chain
    M = composite_bodies.mass_matrix(tree)
    M_r = found.X.T @ M @ found.X
    agree(composite_bodies.mass_matrix(found.model), M_r, None, 1e-11)
    ops = SpatialOperators(found.model)
    agree(ops.mass_matrix.array, M_r, None, 1e-11)
    L, D = ops.innovations_factor.array, ops.D.array
    agree(L @ D @ L.T, M_r, None, 1e-11)
    agree(ops.mass_matrix_inverse.array @ M_r, np.eye(len(M_r)), None, 1e-9)
    C_r = found.X.T @ (inverse_dynamics.bias(tree, thd) + M @ found.drift)
    agree(dynamics.bias(found.model), C_r, np.abs(C_r).max(), 1e-10)


def test_embedded_inverse_dynamics_projects_the_tree_torques(chain):
    """Algorithm 9.1 on the embedded model: X' of the torques of the spanning tree."""
    _, tree, thd, _, found = chain
    thdd_R = np.linspace(0.4, -1.1, found.model.N)
    T = inverse_dynamics.newton_euler(tree, thd, found.expand(thdd_R))[0]
    expected = found.X.T @ T
    agree(dynamics.inverse_dynamics(found.model, thdd_R)[0], expected, np.abs(T).max(), 1e-11)


def test_velocities_of_all_three_models_are_one(chain):
    """Lemma 15.1: V = A' H' thd = A_a' H_a' thd = A_a' H_Ra' thd_R, and G_c X = 0."""
    _, tree, thd, _, found = chain
    agree(found.X @ thd[found.model.dofs], thd)
    agree(found.G @ found.X, np.zeros((len(found.G), found.model.N)), np.abs(found.G).max(), 1e-11)
    V = dynamics.velocities(found.model, thd[found.model.dofs])
    expected = tree_kinematics.velocities(tree, thd)
    for k, (index, row) in enumerate(found.where):
        agree(V[index][row : row + 6], expected[k], np.abs(expected).max(), 1e-11)


def test_joint_inertia_of_an_aggregate_is_its_projection(chain):
    """(15.17): D_S = X_S' (H_S A_S P_S A_S' H_S') X_S, for one node without drives."""
    _, tree, thd, _, found = chain
    tree = tree.without_rotors()
    embedded = embed(tree, thd, chain[0].loops).model
    art = articulated_bodies.articulated(embedded)
    for group in found.groups:
        index = found.where[group[0]][0]
        own = embedded.slices[index]
        columns = [i for k in group for i in range(tree.N)[tree.slices[k]]]
        H_S = aggregate(formulation.of_tree(tree, thd), set(group))
        H_S = H_S.model.H[H_S.place]
        X_S = found.X[columns, own]
        agree(art.D[index], X_S.T @ (H_S @ art.P[index] @ H_S.T) @ X_S, None, 1e-10)


def test_rate_of_the_velocity_map(chain):
    """(15.27): dX_S/dt by complex step of X_S along the motion."""
    system, tree, thd, _, found = chain
    dependent, free = found.dependent, found.model.dofs

    def G_at(q):
        return loop_constraints.constraint_jacobian(system.tree(q), system.loops)

    rates = coordinate_rates(tree, thd)
    rate = along(lambda q: projected.null_space(G_at(q), dependent, free), system.q, rates)
    agree(rate @ thd[free], found.drift, np.abs(rate).max() * np.abs(thd).max(), 1e-10)
    Gdot = along(G_at, system.q, rates)
    X = projected.null_space(found.G, dependent, free)
    agree(independent.map_rate(found.G, Gdot, X, dependent), rate, None, 1e-10)


def test_compliance_of_a_closed_chain(chain):
    """Algorithm 10.2 on the embedded model: Lambda^-1 = J Y_C J' of the constrained arm."""
    _, tree, thd, T, found = chain
    node = tree_kinematics.Node(0, np.eye(3), np.array([0.1, -0.2, 0.3]))
    J = tree_kinematics.jacobian(tree, [node]) @ found.X
    M_r = found.X.T @ composite_bodies.mass_matrix(tree) @ found.X
    expected = J @ np.linalg.solve(M_r, J.T)
    agree(compliance(found.model, [found.pickoff(node)]), expected, None, 1e-10)


def test_subgraphs_of_the_examples_are_minimal():
    """Figures 15.3, 15.6, 15.7: small, split where they can be, one where they share a body."""
    expected = {
        'four-bar, terminal cut': [{'j', 'k', 'l'}],
        'four-bar, internal cut': [{'j', 'k', 'l'}],
        'five-bar': [{'a1', 'a2', 'b1', 'b2'}],
        'two arms with a bar': [{*(f'{s}{i}' for s in 'lr' for i in range(7)), 'bar'}],
        'two loops': [{'j', 'k', 'l'}, {'a', 'b', 'e'}],
        'loops that share a body': [{'a', 'b', 'b2', 'c', 'c2', 'e', 'e2'}],
    }
    for name, groups in expected.items():
        system, tree, thd, _ = at_state(name)
        found = [{tree.names[k] for k in g} for g in embed(tree, thd, system.loops).groups]
        assert sorted(map(sorted, found)) == sorted(map(sorted, groups))


def test_merging_reaches_a_third_subgraph():
    """Two loops whose common sub-graph takes in a body of a third."""
    parent = [4, 3, 4, 5, 5, 6]
    apart = merged(parent, [({0}, [0]), ({1}, [1])])
    assert apart == [({0}, [0]), ({1}, [1])]
    assert merged(parent, [*apart, ({0, 1, 3, 4}, [2])]) == [({0, 1, 3, 4}, [2, 0, 1])]


def test_four_bar_terms_match_the_example():
    """(15.14), (15.15): E_S A_S of both cuts, and B_S with c on k."""
    for name, order, bases in (
        ('four-bar, terminal cut', 'lkj', 'j'),
        ('four-bar, internal cut', 'kjl', 'jl'),
    ):
        system, tree, thd, _ = at_state(name)
        model = formulation.of_tree(tree, thd)
        nodes = [tree.names.index(body) for body in order]
        assert nodes == sorted(nodes)
        step = aggregate(model, set(nodes))
        p, c = tree.names.index('p2'), tree.names.index('c')
        E_A = step.model.weights[step.place]
        phi = dict(zip(tree.names, tree.phi))
        for i, body in enumerate(order):
            if body in bases:
                agree(E_A[:, 6 * i : 6 * i + 6], phi[body])
        if name.endswith('terminal cut'):
            agree(E_A[:, :6], phi['j'] @ phi['k'] @ phi['l'])
            agree(E_A[:, 6:12], phi['j'] @ phi['k'])
        else:
            agree(E_A[:, :6], phi['j'] @ phi['k'])
        assert tree.parent[nodes[order.index('j')]] == p
        B = step.model.weights[step.where[c][0]]
        carrier = order.index('k')  # the body that c hangs on
        agree(B[6 * carrier : 6 * carrier + 6], phi['c'])
        rest = np.delete(B, np.s_[6 * carrier : 6 * carrier + 6], axis=0)
        assert not rest.any()


def test_child_of_15_14_hangs_on_its_own_parent():
    """B_S of (15.14) has phi(j, c) in the slot of k: with c on j, no motion comes out right."""
    system, tree, thd, T = at_state('two loops')
    found = embed(tree, thd, system.loops)
    thdd, _ = kkt(tree, thd, T, found)
    right, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(right, thdd[found.model.dofs], np.abs(thdd).max(), SOLVED)
    (_, j), (_, k), (child, _) = (found.where[tree.names.index(name)] for name in 'jkc')
    B = found.model.weights[child]
    assert not np.delete(B, np.s_[j : j + 6], axis=0).any()
    printed = np.zeros_like(B)
    printed[k : k + 6] = B[j : j + 6]
    weights = list(found.model.weights)
    weights[child] = printed
    wrong = replace(found.model, weights=tuple(weights))
    unlike(dynamics.forward_dynamics(wrong, found.X.T @ T)[0], right)


def test_joint_map_of_15_22_is_that_of_the_aggregate():
    """Printed H_RS without its line: X_S' H_S in place of X_S' H_S A_S moves the wrong way.

    Run with it, the model has other accelerations than the loops allow.
    """
    system, tree, thd, T = at_state('four-bar, terminal cut')
    found = embed(tree, thd, system.loops)
    thdd, _ = kkt(tree, thd, T, found)
    moved, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(moved, thdd[found.model.dofs], np.abs(thdd).max(), SOLVED)
    index = found.where[tree.names.index('j')][0]
    right = found.model.H[index]
    nodes = sorted(found.groups[0])
    printed = np.zeros_like(right)
    for i, k in enumerate(nodes):
        X = found.X[np.ix_(np.arange(tree.N)[tree.slices[k]], [found.model.slices[index].start])]
        printed[:, 6 * i : 6 * i + 6] = X.T @ tree.H[k]
    unlike(printed, right)
    wrong = replace(
        found.model, H=tuple(printed if k == index else H for k, H in enumerate(found.model.H))
    )
    unlike(dynamics.forward_dynamics(wrong, found.X.T @ T)[0], moved)


def test_user_chooses_the_independent_velocities(chain):
    """Any choice that determines the others gives the same motion (15.1)."""
    system, tree, thd, T, found = chain
    thdd, _ = kkt(tree, thd, T, found)
    rng, tried = np.random.default_rng(3), 0
    loop_dofs = [i for k in sum(found.groups, ()) for i in range(tree.N)[tree.slices[k]]]
    count = found.model.N - (tree.N - len(loop_dofs))
    outside = [i for i in range(tree.N) if i not in loop_dofs]
    for _ in range(30):
        chosen = [*outside, *rng.choice(loop_dofs, count, replace=False)]
        try:
            other = embed(tree, thd, system.loops, independent=chosen)
        except ValueError:
            continue
        if np.abs(other.X).max() > 30.0:  # near to a singular choice digits are lost
            continue
        tried += 1
        assert set(other.model.dofs) == set(chosen)
        got, _ = dynamics.forward_dynamics(other.model, other.X.T @ T)
        agree(other.expand(got), thdd, tolerance=1e-9)
    assert tried


def test_choices_that_do_not_fit_are_refused():
    Y = np.array([[1.0, 2.0, 0.0, 1.0], [0.0, 0.0, 1.0, 3.0]])
    with pytest.raises(ValueError, match='expected 2'):
        independent.reduction(Y, np.zeros(2), [0])
    with pytest.raises(ValueError, match='do not determine the others'):
        independent.reduction(Y, np.zeros(2), [2, 3])
    with pytest.raises(ValueError, match='constraints of crank, rod: got 2 constraints of rank 1'):
        independent.reduction(np.ones((2, 2)), np.zeros(2), names=['crank', 'rod'])
    system, tree, thd, _ = at_state('four-bar, terminal cut')
    with pytest.raises(ValueError, match='of l, k, j under 2 constraints; expected 1'):
        embed(tree, thd, system.loops, independent=[])
    assert independent.rank_margin(Y[:, :2]) == 0.0
    assert independent.rank_margin(Y) > 0.1


def test_rank_is_lost_where_a_four_bar_folds():
    """15.5: of a parallelogram laid flat, two motions part; the margin goes to zero there."""

    def margin(angle):
        bar, rocker = np.array([1.0, 0.0]), np.array([np.cos(angle), np.sin(angle)])
        points = [np.zeros(2), rocker, rocker + bar]
        end = bar
        columns = [np.array([-(end - p)[1], (end - p)[0]]) for p in points]
        return independent.rank_margin(np.array(columns).T)

    assert margin(1.0) > 0.1 and margin(1e-3) < 2e-3 and margin(0.0) < 1e-15


def geared_tree(rotor=0.0):
    """A tree with sibling motor and link, a mimic finger on another branch, a differential."""
    rng = np.random.default_rng(21)
    plan = (
        ('base', None, TURN),
        ('motor', 'base', TURN),
        ('link', 'base', TURN),
        ('wrist', 'link', SLIDE),
        ('left', 'wrist', TURN),
        ('pad', 'left', TURN),
        ('right', 'wrist', TURN),
        ('third', 'wrist', TURN),
    )
    bodies = grown(rng, plan, rotor)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return tree, {name: tree.slices[k].start for k, name in enumerate(tree.names)}


@pytest.mark.parametrize('rotor', [0.0, 0.4])
def test_gears_mimic_joints_and_differentials_embed(rotor):
    """15.2, 15.5: a gear, a mimic joint across branches with its pad, a differential of three."""
    tree, dof = geared_tree(rotor)
    couplings = (
        Coupling((dof['motor'], dof['link']), np.array([[1.0, -50.0]])),
        Coupling((dof['pad'], dof['left'], dof['right']), np.array([[1.0, 1.0, 0.0], [0, 1, 1]])),
        Coupling((dof['left'], dof['right'], dof['third']), np.array([[1.0, 0.5, -2.0]]), [0.7]),
    )
    rng = np.random.default_rng(5)
    T = rng.normal(size=tree.N)
    found = embed(tree, np.zeros(tree.N), couplings=couplings)
    thd = found.X @ rng.normal(size=found.model.N)
    found = embed(tree, thd, couplings=couplings)
    assert found.model.N == tree.N - 4 and len(found.groups) == 2
    thdd, multipliers = kkt(tree, thd, T, found)
    got, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(found.expand(got), thdd, tolerance=SOLVED)
    agree(found.multipliers(tree, thd, thdd, T), multipliers, tolerance=1e-9)
    coupled = [dof[name] for name in ('motor', 'link', 'left', 'right', 'third', 'pad')]
    assert not found.model.rotor[np.isin(found.model.dofs, coupled)].any()
    M = composite_bodies.mass_matrix(tree)
    agree(composite_bodies.mass_matrix(found.model), found.X.T @ M @ found.X, None, 1e-11)


def test_nonlinear_couplings_by_complex_step():
    """15.4: theta_S = g(theta_R), X the gradient and its rate along the motion."""

    def g(theta):
        return np.array([np.sin(theta[0]) * theta[1], theta[0], theta[1]])

    theta, thd = np.array([0.7, -0.4]), np.array([1.1, 0.6])
    X, drift = independent.of_coordinates(g, theta, thd)
    s, c = np.sin(0.7), np.cos(0.7)
    agree(X, np.array([[c * -0.4, s], [1.0, 0.0], [0.0, 1.0]]))
    agree(drift, np.array([-s * 1.21 * -0.4 + 2.0 * c * 1.1 * 0.6, 0.0, 0.0]), 1.0, 1e-9)


def test_loops_and_couplings_embed_together():
    """A four-bar whose crank drives a mimic joint beyond it, and one beside."""
    system, tree, thd, T = at_state('four-bar, terminal cut')
    dof = {name: tree.slices[k].start for k, name in enumerate(tree.names)}
    coupling = Coupling((dof['d'], dof['c']), np.array([[1.0, 2.5]]))
    still = embed(tree, np.zeros(tree.N), system.loops, (coupling,))
    thd = still.X @ np.linspace(0.5, -0.8, still.model.N)
    found = embed(tree, thd, system.loops, (coupling,))
    assert found.model.N == tree.N - 3
    thdd, _ = kkt(tree, thd, T, found)
    got, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(found.expand(got), thdd, tolerance=SOLVED)


def test_loops_that_close_on_the_world():
    """15.5: an arm whose tip is held by the world; S is a base body, and its parent no body."""
    rng = np.random.default_rng(31)
    plan = [(f'b{i}', f'b{i - 1}' if i else None, TURN) for i in range(8)]
    bodies = grown(rng, [*plan, ('side', 'b3', SLIDE)])
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    tip = tree_kinematics.Node(tree.names.index('b7'), np.eye(3), np.array([0.2, 0.1, -0.3]))
    held = loop_constraints.Loop(tip, None, loop_constraints.WELD)
    still = embed(tree, np.zeros(tree.N), [held])
    thd, T = still.X @ rng.normal(size=still.model.N), rng.normal(size=tree.N)
    found = embed(tree, thd, [held])
    assert found.groups == (tuple(sorted(tree.path(tip.body))),) and found.model.n == 2
    thdd, multipliers = kkt(tree, thd, T, found)
    got, _ = dynamics.forward_dynamics(found.model, found.X.T @ T)
    agree(found.expand(got), thdd, tolerance=SOLVED)
    agree(found.multipliers(tree, thd, thdd, T), multipliers, tolerance=1e-9)
