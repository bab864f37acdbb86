# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Sections 9.1 to 9.6 of Jain for blocks of any size: random models, dense referees."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.jain import (
    articulated_bodies,
    composite_bodies,
    conventions,
    digraph,
    forward_dynamics,
    inverse_dynamics,
    operational_space_operators,
    tree_kinematics,
)
from robodyn_ros.formulations.jain import hinges as hinges
from robodyn_ros.formulations.jain.body_tree import tree_of
from robodyn_ros.formulations.jain.constraints import direct
from robodyn_ros.formulations.jain.operators import sweeps
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.sko import dynamics, formulation
from robodyn_ros.formulations.jain.sko.sko_model import SkoModel
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.jain_trees import (
    GRAVITY,
    SOLVED,
    any_tree,
    configuration,
    coordinates,
    offsets,
    random_bodies,
)

pytestmark = pytest.mark.sensitive


def random_model(seed, n=8, roots=1):
    """An SKO model of full random weights, blocks of 1 to 7 rows, 1 to 3 freedoms each."""
    rng = np.random.default_rng(seed)
    parent = [n if k >= n - roots else int(rng.integers(k + 1, n)) for k in range(n)]
    sizes = rng.integers(1, 8, n)
    freedoms = [int(rng.integers(1, min(3, m) + 1)) for m in sizes]

    def positive(m):
        root = rng.normal(size=(m, m))
        return root @ root.T + np.eye(m)

    return SkoModel(
        tuple(f'node{k}' for k in range(n)),
        tuple(parent),
        tuple(
            0.5 * rng.normal(size=(sizes[up] if up < n else 6, m)) for up, m in zip(parent, sizes)
        ),
        tuple(rng.normal(size=(r, m)) for r, m in zip(freedoms, sizes)),
        tuple(positive(m) for m in sizes),
        rng.uniform(0.0, 0.3, sum(freedoms)),
        tuple(rng.normal(size=m) for m in sizes),
        tuple(rng.normal(size=m) for m in sizes),
        np.arange(sum(freedoms)),
    )


@pytest.fixture(params=range(5), ids='model {}'.format)
def model(request):
    """A random SKO model, the last two forests."""
    return random_model(request.param, roots=1 if request.param < 3 else 2)


def dense_operators(model):
    """(H, A, M) as plain matrices, A by inversion."""
    H = np.zeros((model.N, sum(model.sizes)))
    M = np.zeros((sum(model.sizes),) * 2)
    E = np.zeros_like(M)
    for k, up in enumerate(model.parent):
        H[model.slices[k], model.rows[k]] = model.H[k]
        M[model.rows[k], model.rows[k]] = model.M[k]
        if up < model.n:
            E[model.rows[up], model.rows[k]] = model.weights[k]
    return H, np.linalg.inv(np.eye(len(E)) - E), M


def test_mass_matrix_and_factors_of_any_sizes(model):
    """Algorithm 9.3 and (9.51) with weights A(l, j), against H A M A' H' by dense matrices."""
    H, A, M = dense_operators(model)
    mass = H @ A @ M @ A.T @ H.T + np.diag(model.rotor)
    agree(composite_bodies.mass_matrix(model), mass)
    ops = SpatialOperators(model)
    agree(ops.mass_matrix.array, mass)
    agree(ops.phi.array, digraph.power_series(ops.E_phi.array), np.abs(A).max())
    D, L = ops.D.array, ops.innovations_factor.array
    agree(L @ D @ L.T, mass)
    agree(ops.mass_matrix_inverse.array @ mass, np.eye(model.N), tolerance=1e-11)
    agree(operational_space_operators.mass_matrix_inverse(model), np.linalg.inv(mass), None, 1e-11)
    art = articulated_bodies.articulated(model)
    agree(forward_dynamics.innovations_factor(model, art), L)


def test_riccati_equation_of_any_sizes(model):
    """(9.31): M = P - E_psi P E_phi', with the inertia of drives in D."""
    ops = SpatialOperators(model)
    P = ops.P.array
    agree(P - ops.E_psi.array @ P @ ops.E_phi.array.T, ops.M.array, np.abs(P).max())
    agree(
        ops.R.array - ops.E_phi.array @ ops.R.array @ ops.E_phi.array.T, ops.M.array, None, 1e-11
    )


def test_sweeps_and_lyapunov_equations_of_any_sizes(model):
    ops, rng = SpatialOperators(model), np.random.default_rng(1)
    A = ops.phi.array
    x = [rng.normal(size=m) for m in model.sizes]
    flat = np.concatenate(x)
    agree(np.concatenate(ops.gather(x)), A @ flat)
    agree(np.concatenate(ops.scatter(x)), A.T @ flat)
    agree(np.concatenate(ops.gather(x, strictly=True)), A @ flat - flat, np.abs(A @ flat).max())
    agree(np.concatenate(ops.scatter(x, strictly=True)), A.T @ flat - flat, np.abs(flat).max())
    psi = ops.psi.array
    agree(np.concatenate(ops.gather(x, free=True)), psi @ flat)
    X, B = ops.M.array, ops.articulated.psi
    agree(sweeps.dense(sweeps.forward_lyapunov(model, model.M, model.weights, B)), A @ X @ psi.T)
    agree(sweeps.dense(sweeps.backward_lyapunov(model, model.M, model.weights, B)), A.T @ X @ psi)


def test_equations_of_motion_of_any_sizes(model):
    """(9.1), (9.3) and algorithms 9.1 and 9.5 against dense matrices."""
    H, A, M = dense_operators(model)
    a, b = np.concatenate(model.a), np.concatenate(model.b)
    thdd = np.random.default_rng(2).normal(size=model.N)
    alpha = A.T @ (H.T @ thdd + a)
    f = A @ (M @ alpha + b)
    T, found_f, found_alpha = dynamics.inverse_dynamics(model, thdd)
    agree(np.concatenate(found_alpha), alpha)
    agree(np.concatenate(found_f), f)
    agree(T, H @ f + model.rotor * thdd)
    agree(dynamics.bias(model), H @ A @ (M @ A.T @ a + b))
    back, same_alpha = dynamics.forward_dynamics(model, T)
    agree(back, thdd, tolerance=1e-10)
    agree(np.concatenate(same_alpha), alpha, tolerance=1e-10)
    agree(np.concatenate(dynamics.velocities(model, thdd)), A.T @ H.T @ thdd)


def test_operational_space_of_any_sizes(model):
    """(10.12), (10.18) and algorithm 7.3 for nodes that see a part of their block."""
    H, A, M = dense_operators(model)
    mass = H @ A @ M @ A.T @ H.T + np.diag(model.rotor)
    rng = np.random.default_rng(3)
    nodes = [
        # a node that moves in one direction only is seen in one: else Lambda would not exist
        operational_space_operators.Pickoff(
            k,
            rng.normal(
                size=(model.sizes[k], min(2, np.linalg.matrix_rank((A.T @ H.T)[model.rows[k]])))
            ),
        )
        for k in (0, model.n // 2, model.n - 1)
    ]
    B = np.hstack(
        [np.eye(sum(model.sizes))[:, model.rows[node.body]] @ node.phi for node in nodes]
    )
    J = B.T @ A.T @ H.T
    assert np.linalg.svd(J, compute_uv=False).min() > 1e-3
    agree(
        operational_space_operators.compliance(model, nodes),
        J @ np.linalg.solve(mass, J.T),
        tolerance=1e-11,
    )
    Omega = A.T @ H.T @ np.linalg.solve(mass, H @ A)
    agree(SpatialOperators(model).Omega.array, Omega, tolerance=1e-11)
    art = articulated_bodies.articulated(model)
    by_parts, *_ = operational_space_operators.kernel_by_parts(model, art)
    for k, own in enumerate(operational_space_operators.kernel(model, art)):
        agree(own, Omega[model.rows[k], model.rows[k]], np.abs(Omega).max(), 1e-11)
        agree(by_parts[k], own, np.abs(Omega).max(), 1e-11)
    T, on_nodes = rng.normal(size=model.N), rng.normal(size=len(J))
    free = dynamics.node_accelerations(model, T, nodes)
    pushed = dynamics.node_accelerations(model, T + J.T @ on_nodes, nodes)
    Lambda = operational_space_operators.inertia(model, nodes)
    agree(Lambda @ (pushed - free), on_nodes, np.abs(Lambda).max() * np.abs(free).max(), 1e-10)
    a, b = np.concatenate(model.a), np.concatenate(model.b)
    thdd = np.linalg.solve(mass, T - H @ A @ (M @ A.T @ a + b))
    agree(free, J @ thdd + B.T @ A.T @ a, tolerance=1e-10)  # (10.2)
    f = [rng.normal(size=m) for m in model.sizes]
    agree(
        forward_dynamics.response(model, f),
        np.linalg.solve(mass, H @ A @ np.concatenate(f)),
        tolerance=1e-10,
    )


def test_sweeps_refuse_vectors_of_other_sizes(model):
    with pytest.raises(ValueError, match='expected one vector each of node0'):
        SpatialOperators(model).gather([np.zeros(9)] * model.n)


def test_models_that_do_not_fit_are_refused():
    model = random_model(0)
    fields = {name: getattr(model, name) for name in model.__dataclass_fields__}
    for name, wrong, words in (
        ('parent', (0, *model.parent[1:]), 'expected a canonical tree'),
        ('weights', (np.zeros((9, 9)), *model.weights[1:]), "node 'node0': got an inertia"),
        ('M', (np.zeros((9, 9)), *model.M[1:]), "node 'node0': got an inertia"),
    ):
        with pytest.raises(ValueError, match=words):
            SkoModel(**(fields | {name: wrong}))


@pytest.mark.parametrize('name', ['mixed tree', 'mixed forest', 'rotors', 'rolling'])
def test_sko_model_of_a_tree_moves_like_the_tree(name):
    """Steps 1 to 4 of section 9.6.1 for rigid links, and for frames away from the hinges."""
    tree, thd, thdd, T = any_tree(name)
    model = formulation.of_tree(tree, thd)
    agree(
        dynamics.inverse_dynamics(model, thdd)[0],
        inverse_dynamics.newton_euler(tree, thd, thdd)[0],
    )
    expected = forward_dynamics.articulated_body(tree, thd, T)[0]
    agree(dynamics.forward_dynamics(model, T)[0], expected, tolerance=SOLVED)
    away = formulation.of_equations(tree, conventions.offset(tree, thd, offsets(tree)))
    agree(composite_bodies.mass_matrix(away), composite_bodies.mass_matrix(tree), None, 1e-11)
    agree(dynamics.bias(away), inverse_dynamics.bias(tree, thd, gravity=False), None, 1e-11)


@pytest.mark.parametrize('name', ['mixed tree', 'mixed forest', 'free base', 'rotors'])
def test_acatastatic_hinges_move_by_themselves(name):
    """A hinge with Delta_V = H' beta + u(t) against the dense split of the whole tree.

    M_ff thdd_f = T_f - C_f - M_fd thdd_d, and the reaction on the driven freedoms.
    """
    tree, thd, thdd, T = any_tree(name)
    driven = np.arange(tree.N)[1::3]
    free = np.setdiff1d(np.arange(tree.N), driven)
    model = formulation.acatastatic(tree, thd, thdd, driven)
    np.testing.assert_array_equal(model.dofs, free)
    M, C = composite_bodies.mass_matrix(tree), inverse_dynamics.bias(tree, thd)
    agree(composite_bodies.mass_matrix(model), M[np.ix_(free, free)])
    rest = T[free] - C[free] - M[np.ix_(free, driven)] @ thdd[driven]
    expected = np.linalg.solve(M[np.ix_(free, free)], rest)
    found, _ = dynamics.forward_dynamics(model, T[free])
    agree(found, expected, tolerance=SOLVED)
    whole = np.array(thdd)
    whole[free] = found
    agree(inverse_dynamics.newton_euler(tree, thd, whole)[0][free], T[free], None, 1e-10)


def rolling_tree(seed=5):
    """A ball on the floor that carries two bodies: at a random state."""
    rng = np.random.default_rng(seed)
    bodies = random_bodies(
        rng, (-1, 0, 1), (lambda: hinges.rolling_ball(0.2), hinges.universal, hinges.pin)
    )
    # The hinge's plane is the floor as it stands in the inertial frame.
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    return bodies, tree, *rng.normal(size=(3, tree.N))


def test_rolling_ball_is_a_node_of_three_velocities():
    """9.6.1: the ball known by its turning alone, and as a rigid link of six."""
    _, tree, thd, thdd, T = rolling_tree()
    six = formulation.of_tree(tree, thd)
    three = formulation.in_freedoms(six, tree.n - 1)
    assert three.sizes == (6, 6, 3) and six.sizes == (6, 6, 6)
    agree(composite_bodies.mass_matrix(three), composite_bodies.mass_matrix(tree))
    agree(dynamics.inverse_dynamics(three, thdd)[0], dynamics.inverse_dynamics(six, thdd)[0])
    expected = forward_dynamics.articulated_body(tree, thd, T)[0]
    agree(dynamics.forward_dynamics(three, T)[0], expected, tolerance=SOLVED)
    agree(
        SpatialOperators(three).mass_matrix_inverse.array,
        np.linalg.inv(composite_bodies.mass_matrix(tree)),
        tolerance=1e-11,
    )
    with pytest.raises(ValueError, match='expected a root: body0'):
        formulation.in_freedoms(six, 0)


def test_rolling_ball_is_a_free_ball_that_does_not_slip():
    """The same ball on a free hinge with v + omega x l = 0, by the dense KKT system (11.6)."""
    bodies, tree, thd, _, T = rolling_tree()
    ball, q = tree.n - 1, configuration(tree)
    R, centre = bodies[0].hinge.placement(q[:6])
    first = replace(bodies[0], hinge=hinges.free(), coordinates=tuple(range(7)))
    rest = [
        replace(
            body,
            coordinates=tuple(c + 1 for c in body.coordinates),
            dofs=tuple(d + 3 for d in body.dofs),
        )
        for body in bodies[1:]
    ]
    loose_bodies = [replace(first, dofs=tuple(range(6)), rotor=np.zeros(6)), *rest]
    loose = tree_of(loose_bodies, np.concatenate((q[:4], centre, q[6:])), GRAVITY)
    V = tree_kinematics.velocities(tree, thd)
    loose_thd = np.concatenate((thd[:-3], V[ball]))
    # In axes of the floor: v + omega x (-r z) = 0, and its rate without acceleration.
    slip = np.hstack((-skew(np.array([0.0, 0.0, -0.2])), np.eye(3)))
    G = np.zeros((3, loose.N))
    G[:, -6:] = slip @ np.kron(np.eye(2), R)
    agree(G @ loose_thd, np.zeros(3), 1.0)
    drift = slip @ np.kron(np.eye(2), R @ skew(V[ball][:3])) @ V[ball]
    # Torques of the ball's three freedoms, as a force on it with the same power.
    applied = np.concatenate((T[:-3], np.linalg.pinv(tree.H[ball]) @ T[-3:]))
    bias = inverse_dynamics.bias(loose, loose_thd)
    thdd, _ = direct.forward_dynamics(
        composite_bodies.mass_matrix(loose), applied - bias, G, -drift
    )
    expected, alpha, _ = forward_dynamics.articulated_body(tree, thd, T)
    agree(thdd[:-6], expected[:-3], tolerance=SOLVED)
    agree(thdd[-6:], alpha[ball], tolerance=SOLVED)
