# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 12 of Jain: geared links against the tree of links and motors, and chapter 15."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.jain import articulated_bodies, composite_bodies, inverse_dynamics
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.constraints import direct
from robodyn_ros.formulations.jain.embedding.constraint_embedding import Coupling, embed
from robodyn_ros.formulations.jain.gears import geared_forward_dynamics, geared_mass_matrix
from robodyn_ros.formulations.jain.gears.geared_chain import chain_of, geared_model, spanning_model
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics
from support.compare import agree
from support.robots.jain_loops import TURN, grown
from support.robots.jain_trees import GRAVITY, SOLVED, coordinates, unlike


def geared(motors, seed=1):
    """(tree, pairs, mu, X (N, n)) of a chain whose hinges have a motor where `motors` says so."""
    rng = np.random.default_rng(seed)
    plan, n = [], len(motors)
    for i in range(n):  # from base to tip: hinge n is link0
        inboard = f'link{i - 1}' if i else None
        if motors[i]:
            plan.append((f'motor{i}', inboard, TURN))
        plan.append((f'link{i}', inboard, TURN))
    bodies = grown(rng, plan)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    mu = rng.uniform(5.0, 60.0, n) * rng.choice((-1.0, 1.0), n)
    pairs, X = [], np.zeros((tree.N, n))
    for row, i in enumerate(reversed(range(n))):
        link = tree.names.index(f'link{i}')
        motor = tree.names.index(f'motor{i}') if motors[i] else None
        X[tree.slices[link], row] = 1.0
        if motor is not None:
            X[tree.slices[motor], row] = mu[row]
        pairs.append((motor, link))
    return tree, pairs, mu, X


CHAINS = {
    'all geared': (True,) * 6,
    'mixed': (True, False, True, True, False),
    'one': (True,),
    'bare tip': (True, True, False),
}


@pytest.fixture(params=CHAINS)
def system(request):
    """(tree, GearedChain, X, thd_l, T of all N): at a random state."""
    tree, pairs, mu, X = geared(CHAINS[request.param])
    rng = np.random.default_rng(2)
    thd_l, T = rng.normal(size=X.shape[1]), 20.0 * rng.normal(size=tree.N)
    return tree, chain_of(tree, X @ thd_l, pairs, mu), X, thd_l, T


def test_spanning_tree_of_links_and_motors(system):
    """(12.1) to (12.5): without the gear it is the tree, two bodies a node."""
    tree, chain, X, thd_l, T = system
    model = spanning_model(chain)
    assert set(model.sizes) <= {6, 12} and model.N == tree.N
    # Within a pair: motor, then link.
    links = {int(np.flatnonzero(X[:, k] == 1.0)[0]) for k in range(chain.n)}
    order = [
        row
        for k in range(chain.n)
        for row in sorted(np.flatnonzero(X[:, k]).tolist(), key=lambda row: row in links)
    ]
    M = composite_bodies.mass_matrix(tree)
    agree(composite_bodies.mass_matrix(model), M[np.ix_(order, order)])
    C = inverse_dynamics.bias(tree, X @ thd_l)
    agree(dynamics.bias(model), C[order], None, 1e-11)
    thdd, _ = dynamics.forward_dynamics(model, T[order])
    agree(thdd, np.linalg.solve(M, T - C)[order], tolerance=SOLVED)


def test_geared_mass_matrix_by_every_route(system):
    """(12.12) = X' M_tree X = algorithm 12.1 with (12.17) = algorithm 12.2."""
    tree, chain, X, *_ = system
    expected = X.T @ composite_bodies.mass_matrix(tree) @ X
    model = geared_model(chain)
    agree(composite_bodies.mass_matrix(model), expected)
    agree(SpatialOperators(model).mass_matrix.array, expected)
    agree(geared_mass_matrix.mass_matrix(chain), expected)


def test_composite_inertias_have_the_motor_apart(system):
    """(12.18): R_G(k) = diag(M_m, R_l), and R_l from Mc (12.19)."""
    _, chain, *_ = system
    Mc = geared_mass_matrix.constants(chain).Mc
    R_l = np.zeros((6, 6))
    for k, R in enumerate(composite_bodies.composite_inertias(geared_model(chain))):
        R_l = (chain.phi_l[k - 1] @ R_l @ chain.phi_l[k - 1].T if k else R_l) + Mc[k]
        agree(R[-6:, -6:], R_l)
        if chain.motor[k]:
            agree(R[:6, :6], chain.M_m[k])
            assert not R[:6, 6:].any()


def test_geared_forward_dynamics_by_every_route(system):
    """Algorithms 12.4 and 12.5 against M_G^-1 (T - C_G), and KKT with thd_m = mu thd_l."""
    tree, chain, X, thd_l, T = system
    M, C = composite_bodies.mass_matrix(tree), inverse_dynamics.bias(tree, X @ thd_l)
    thdd_l = np.linalg.solve(X.T @ M @ X, X.T @ (T - C))
    agree(geared_forward_dynamics.forward_dynamics(chain, X.T @ T), thdd_l, None, SOLVED)
    agree(dynamics.forward_dynamics(geared_model(chain), X.T @ T)[0], thdd_l, None, SOLVED)
    agree(dynamics.bias(geared_model(chain)), X.T @ C, None, 1e-11)
    motors = np.flatnonzero(chain.motor)
    G = np.zeros((len(motors), tree.N))
    for row, k in enumerate(motors):
        pair = np.flatnonzero(X[:, k])
        motor = pair[X[pair, k] != 1.0][0]
        link = pair[X[pair, k] == 1.0][0]
        G[row, motor], G[row, link] = 1.0, -chain.mu[k]
    thdd, _ = direct.forward_dynamics(M, T - C, G, np.zeros(len(motors)))
    agree(X @ thdd_l, thdd, tolerance=1e-10)


def test_factors_of_the_geared_mass_matrix(system):
    """Lemma 12.2, and (12.26): P_G = diag(M_m, P_l), K_G = [0; K]."""
    _, chain, X, *_ = system
    model = geared_model(chain)
    ops = SpatialOperators(model)
    M = ops.mass_matrix.array
    L = ops.innovations_factor.array
    agree(L @ ops.D.array @ L.T, M)
    agree(ops.inverse_factor.array @ L, np.eye(chain.n), np.abs(L).max())
    agree(ops.mass_matrix_inverse.array @ M, np.eye(chain.n), tolerance=1e-10)
    art, (_, D_m, _) = articulated_bodies.articulated(model), geared_mass_matrix.constants(chain)
    for k in range(chain.n):
        P_l = art.P[k][-6:, -6:]
        agree(art.D[k], [[D_m[k] + chain.H_l[k] @ P_l @ chain.H_l[k]]])
        if chain.motor[k]:
            agree(art.P[k][:6, :6], chain.M_m[k])
            assert not art.P[k][:6, 6:].any()
        if k + 1 < chain.n and chain.motor[k + 1]:
            assert not art.K[k][:6].any()


def test_gears_are_a_special_case_of_constraint_embedding(system):
    """(15.13): X_S = [mu; 1], A_S = 1 gives the same model as chapter 12."""
    tree, chain, X, thd_l, T = system
    couplings, links = [], []
    for k in range(chain.n):
        pair = np.flatnonzero(X[:, k])
        link = int(pair[X[pair, k] == 1.0][0])
        links.append(link)
        for motor in pair[X[pair, k] != 1.0]:
            couplings.append(Coupling((int(motor), link), np.array([[1.0, -chain.mu[k]]])))
    found = embed(tree, X @ thd_l, couplings=couplings, independent=links)
    order = [links.index(dof) for dof in found.model.dofs]
    M = geared_mass_matrix.mass_matrix(chain)
    agree(composite_bodies.mass_matrix(found.model), M[np.ix_(order, order)])
    thdd, _ = dynamics.forward_dynamics(found.model, (X.T @ T)[order])
    expected = geared_forward_dynamics.forward_dynamics(chain, X.T @ T)
    agree(thdd, expected[order], tolerance=SOLVED)
    assert sorted(found.model.sizes) == sorted(geared_model(chain).sizes)


def test_approximation_has_rotors_on_the_diagonal_only():
    """12.3.1: phi_m = 0 in (12.17), links alone with D_m added; it differs by L_m and Mc."""
    tree, pairs, mu, X = geared(CHAINS['all geared'])
    chain = chain_of(tree, X @ np.ones(6), pairs, mu)
    found = geared_mass_matrix.approximate_mass_matrix(chain)
    bare = replace(chain, phi_m=np.zeros_like(chain.phi_m))
    agree(found, composite_bodies.mass_matrix(geared_model(bare)))
    exact = geared_mass_matrix.mass_matrix(chain)
    unlike(found, exact)
    none = replace(chain, mu=np.zeros(6))
    light = replace(bare, mu=np.zeros(6))
    D_m = geared_mass_matrix.constants(chain).D_m
    agree(found, geared_mass_matrix.mass_matrix(light) + np.diag(D_m))
    # mu = 0: motors are masses on the links that carry them.
    locked = X * (X == 1.0)
    agree(
        geared_mass_matrix.mass_matrix(none),
        locked.T @ composite_bodies.mass_matrix(tree) @ locked,
    )


def test_composite_recursion_of_12_14_comes_from_the_link_outboard():
    """Printed Phi_G(k + 1, k) R_G(k - 1): the weight of the next hinge."""
    tree, pairs, mu, X = geared(CHAINS['all geared'])
    chain = chain_of(tree, X @ np.ones(6), pairs, mu)
    model = geared_model(chain)
    right = composite_bodies.composite_inertias(model)
    printed = [model.M[0]]
    for k in range(1, chain.n - 1):
        printed.append(model.weights[k] @ printed[-1] @ model.weights[k].T + model.M[k])
    for k in range(1, chain.n - 1):
        agree(right[k], model.weights[k - 1] @ right[k - 1] @ model.weights[k - 1].T + model.M[k])
        unlike(printed[k], right[k])


def test_second_term_of_12_16_is_lower_triangular():
    """The prose calls it upper: Phi~ R is below the diagonal, R Phi~' above."""
    tree, pairs, mu, X = geared(CHAINS['all geared'])
    ops = SpatialOperators(geared_model(chain_of(tree, X @ np.ones(6), pairs, mu)))
    H = ops.H.array
    second = H @ ops.phi_tilde.array @ ops.R.array @ H.T
    last = H @ ops.R.array @ ops.phi_tilde.array.T @ H.T
    assert not np.triu(second).any() and not np.tril(last).any() and second.any()
    agree(H @ ops.R.array @ H.T + second + last, ops.mass_matrix.array)


def test_axes_of_12_20_are_columns():
    """Printed M_m H_m, with H_m a row: the product cannot be formed."""
    tree, pairs, mu, X = geared(CHAINS['one'])
    chain = chain_of(tree, X @ np.ones(1), pairs, mu)
    H_m = chain.H_m[0][None]  # (1, 6)
    with pytest.raises(ValueError, match='mismatch'):
        chain.M_m[0] @ H_m
    found = geared_mass_matrix.constants(chain)
    agree(found.L_m[0], mu[0] * (chain.phi_m[0] @ chain.M_m[0] @ H_m.T)[:, 0])
    agree(found.D_m[0], (mu[0] ** 2 * H_m @ chain.M_m[0] @ H_m.T)[0, 0])


def test_accelerations_of_12_27_are_those_at_the_hinge_itself():
    """Printed alpha^+(k + 1): that of the next hinge inboard, zero at the last."""
    tree, pairs, mu, X = geared(CHAINS['all geared'])
    rng = np.random.default_rng(4)
    thd_l, T = rng.normal(size=(2, 6))
    model = geared_model(chain_of(tree, X @ thd_l, pairs, mu))
    right, alpha = dynamics.forward_dynamics(model, T)
    art = articulated_bodies.articulated(model)
    own = [P @ a + b for P, a, b in zip(art.P, model.a, model.b)]
    _, _, epsilon = articulated_bodies.biased_residual_forces(model, art, T, own)
    nu = articulated_bodies.innovations_scaled(model, art, epsilon)
    before = [model.weights[k].T @ alpha[k + 1] if k + 1 < 6 else np.zeros(12) for k in range(6)]
    at_hinge = np.array([nu[k] - art.G[k][:, 0] @ before[k] for k in range(6)])
    agree(at_hinge, right, np.abs(nu).max(), 1e-10)
    inboard = [*before[1:], np.zeros(12)]
    printed = np.array([nu[k] - art.G[k][:, 0] @ inboard[k] for k in range(6)])
    unlike(printed, right)


def test_motors_elsewhere_are_refused():
    tree, pairs, mu, X = geared(CHAINS['bare tip'])
    swapped = [pairs[0], (pairs[2][0], pairs[1][1]), (pairs[1][0], pairs[2][1])]
    with pytest.raises(ValueError, match='to carry motor and link'):
        chain_of(tree, np.zeros(tree.N), swapped, mu)
