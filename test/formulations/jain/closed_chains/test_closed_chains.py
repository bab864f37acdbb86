# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 11 of Jain: every route to constrained motion against the dense KKT system."""

import numpy as np
import pytest

from robodyn_ros.formulations.complex_step import along
from robodyn_ros.formulations.jain import (
    composite_bodies,
    forward_dynamics,
    inverse_dynamics,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.body_tree import coordinate_rates, tree_of
from robodyn_ros.formulations.jain.constraints import (
    augmented,
    bilateral,
    direct,
    dual_arm,
    equivalence,
    loop_constraints,
    loop_dynamics,
    move_squeeze,
    projected,
)
from robodyn_ros.formulations.jain.constraints.loop_constraints import WELD, Loop
from robodyn_ros.formulations.jain.operational_space_operators import compliance
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.tree_kinematics import Node
from support.compare import agree
from support.robots.families import rotation
from support.robots.jain_loops import SYSTEMS, TURN, at_state, grown
from support.robots.jain_trees import GRAVITY, SOLVED, coordinates, unlike


@pytest.fixture(params=SYSTEMS)
def chain(request):
    """(Closed, tree, thd, T) and the pieces of (11.6): M, T - C, Pfaffian."""
    system, tree, thd, T = at_state(request.param)
    return (
        system,
        tree,
        thd,
        T,
        composite_bodies.mass_matrix(tree),
        T - inverse_dynamics.bias(tree, thd),
        loop_constraints.pfaffian(tree, thd, system.loops),
    )


def near(got, expected, M):
    """Agreement to what the condition of the mass matrix leaves: at most 1e-11."""
    agree(got, expected, tolerance=SOLVED)


def test_loops_are_closed_and_velocities_keep_them_closed(chain):
    system, tree, thd, *_, pfaffian = chain
    for loop in system.loops:
        agree(loop.Q @ loop_constraints.gap(tree, loop), np.zeros(len(loop.Q)), 1.0)
    agree(pfaffian.G @ thd, np.zeros(len(pfaffian.G)), 1.0)
    assert pfaffian.catastatic


def test_constraint_jacobian_is_the_gradient_of_the_gap(chain):
    """(11.4), (11.18): G_c thd is the rate of the gap, by complex step, where loops are closed."""
    system, tree, _, _, _, _, pfaffian = chain
    for direction in np.eye(tree.N):
        rates = coordinate_rates(tree, direction)

        def gaps(q):
            moved = system.tree(q)
            return np.concatenate(
                [loop.Q @ loop_constraints.gap(moved, loop) for loop in system.loops]
            )

        agree(along(gaps, system.q, rates), pfaffian.G @ direction, 1.0)


def test_drift_is_the_rate_of_the_constraint_jacobian(chain):
    """(11.19): Gdot_c thd by complex step of G_c, for velocities that open the loops too."""
    system, tree, thd, T, *_ = chain
    for rate in (thd, T):
        Gdot = along(
            lambda q: loop_constraints.constraint_jacobian(system.tree(q), system.loops),
            system.q,
            coordinate_rates(tree, rate),
        )
        agree(loop_constraints.drift(tree, rate, system.loops), Gdot @ rate, None, 1e-11)


def test_all_routes_are_the_direct_solution(chain):
    """(11.6) = (11.8) = algorithm 11.2 = (11.36) = (11.43), accelerations and multipliers."""
    system, tree, thd, T, M, force, pfaffian = chain
    G, right = pfaffian.G, pfaffian.acceleration
    thdd, multipliers = direct.forward_dynamics(M, force, G, right)
    solve = np.linalg.inv(M).__matmul__
    correction = augmented.forward_dynamics(solve, force, G, right)
    loops = loop_dynamics.forward_dynamics(tree, thd, T, system.loops)
    reduced, same = equivalence.reduced(M, force, G, right)
    for found, forces in (
        (correction.thdd, correction.multipliers),
        (loops.thdd, loops.multipliers),
        (reduced, same),
    ):
        agree(found, thdd, tolerance=SOLVED)
        agree(forces, multipliers, tolerance=SOLVED)
    agree(projected.forward_dynamics(M, force, G, right).thdd, thdd, tolerance=SOLVED)
    agree(loops.free, correction.free, tolerance=SOLVED)
    scale = np.abs(G).max() * np.abs(thdd).max()
    agree(direct.residual(G, loops.thdd, right), np.zeros(len(G)), scale, SOLVED)
    assert np.abs(direct.residual(G, loops.free, right)).max() > 1e-3 * np.abs(right).max()


def test_driven_loops_are_acatastatic(chain):
    """U(t) in (11.17): the gap opens as prescribed."""
    system, tree, thd, T, M, force, pfaffian = chain
    rate = np.linspace(-0.7, 0.9, len(pfaffian.G))
    driven = loop_constraints.pfaffian(tree, thd, system.loops, 0.3, rate)
    assert not driven.catastatic
    thdd, _ = direct.forward_dynamics(M, force, driven.G, driven.acceleration)
    agree(
        loop_dynamics.forward_dynamics(tree, thd, T, system.loops, rate).thdd, thdd, None, SOLVED
    )
    agree(driven.G @ thdd - driven.acceleration, np.zeros(len(rate)), np.abs(thdd).max(), SOLVED)


def test_compliance_of_loops_needs_no_jacobian(chain):
    """G_c M^-1 G_c' = Q Lambda^-1 Q', and M^-1 G_c' by operators (11.21)."""
    system, tree, _, _, M, _, pfaffian = chain
    Q = loop_constraints.constraint_map(tree, system.loops)
    nodes = loop_constraints.nodes_of(system.loops)
    response = np.linalg.solve(M, pfaffian.G.T)
    agree(Q @ compliance(tree, nodes) @ Q.T, pfaffian.G @ response, tolerance=SOLVED)
    ops = SpatialOperators(tree)
    for column, expected in zip(Q, response.T):
        forces = tree_kinematics.pick_off(tree, column.reshape(-1, 6), nodes).ravel()
        swept = ops.inverse_factor.array.T @ ops.D_inverse.array
        agree(
            swept @ ops.H.array @ ops.psi.array @ forces, expected, np.abs(response).max(), 1e-11
        )


def test_constrained_map_is_symmetric_positive_of_rank_n_minus_n_c(chain):
    """Exercise 11.1: symmetric, positive, of rank N - n_c, Y_C G_c' = 0, = X M_r^-1 X'."""
    system, tree, _, _, M, force, pfaffian = chain
    G = pfaffian.G
    Y = augmented.constrained_map(M, G)
    size = np.abs(np.linalg.inv(M)).max()
    agree(Y, Y.T, size)
    agree(Y @ G.T, np.zeros((tree.N, len(G))), size * np.abs(G).max(), 1e-11)
    values = np.linalg.eigvalsh(Y)
    assert values.min() > -1e-10 * values.max()
    assert (values > 1e-9 * values.max()).sum() == tree.N - len(G)
    dependent, independent = projected.dependent_first(G)
    X = projected.null_space(G, dependent, independent)
    agree(X @ np.linalg.solve(X.T @ M @ X, X.T), Y, size, 1e-11)
    agree(loop_dynamics.constrained_map(tree, system.loops), Y, size, 1e-11)
    agree(loop_dynamics.constrained_map(tree, ()), np.linalg.inv(M), size, 1e-11)
    agree(augmented.constrained_map(M, np.zeros((0, tree.N))), np.linalg.inv(M), size, 1e-11)
    particular = np.linalg.solve(M, G.T) @ np.linalg.solve(
        G @ np.linalg.solve(M, G.T), pfaffian.acceleration
    )
    thdd, _ = direct.forward_dynamics(M, force, G, pfaffian.acceleration)
    agree(Y @ force + particular, thdd, tolerance=SOLVED)  # (11.10)


def test_constrained_map_of_11_22_has_c_and_not_b(chain):
    """Printed, the outer factors are b, and the inner inverse (b' D^-1 b)^-1."""
    system, tree, _, _, M, _, pfaffian = chain
    ops = SpatialOperators(tree)
    Q = loop_constraints.constraint_map(tree, system.loops)
    nodes = loop_constraints.nodes_of(system.loops)
    Bt = np.array([tree_kinematics.pick_off(tree, row.reshape(-1, 6), nodes).ravel() for row in Q])
    b = ops.H.array @ ops.psi.array @ Bt.T
    root = np.linalg.cholesky(ops.D_inverse.array)
    D_inverse, factor = ops.D_inverse.array, ops.inverse_factor.array
    Y = augmented.constrained_map(M, pfaffian.G)

    def form(outer):
        middle = np.eye(tree.N) - outer @ np.linalg.solve(b.T @ D_inverse @ b, outer.T)
        return factor.T @ root @ middle @ root.T @ factor

    agree(form(root.T @ b), Y, np.abs(np.linalg.inv(M)).max(), 1e-11)
    unlike(form(b), Y)


def test_omega_of_lemma_11_2_has_its_h_beside_d(chain):
    """Printed D^-1 psi H: sizes do not meet, D is N x N and psi is 6n x 6n."""
    _, tree, *_ = chain
    ops = SpatialOperators(tree)
    assert ops.D_inverse.shape[1] != ops.psi.shape[0]
    with pytest.raises(ValueError, match='expected the same blocks'):
        ops.psi.T @ ops.H.T @ ops.D_inverse @ ops.psi @ ops.H


def test_forces_of_algorithm_11_2_have_the_sign_of_lambda(chain):
    """With f_c = -Q' lambda in algorithm 7.3 as printed, the gap opens twice as fast."""
    system, tree, thd, T, *_, pfaffian = chain
    found = loop_dynamics.forward_dynamics(tree, thd, T, system.loops)
    Q, nodes = (
        loop_constraints.constraint_map(tree, system.loops),
        loop_constraints.nodes_of(system.loops),
    )
    forces = tree_kinematics.pick_off(tree, -(Q.T @ found.multipliers).reshape(-1, 6), nodes)
    printed = found.free + forward_dynamics.response(tree, forces)
    opening = direct.residual(pfaffian.G, printed, pfaffian.acceleration)
    free = direct.residual(pfaffian.G, found.free, pfaffian.acceleration)
    agree(opening, 2.0 * free, tolerance=1e-9)


def test_right_side_of_11_6_is_the_rate_without_accelerations(chain):
    """With U, or dU/dt alone, in place of dU/dt - Gdot_c thd the loops do not stay closed."""
    _, _, _, _, M, force, pfaffian = chain
    for wrong in (pfaffian.U, np.zeros(len(pfaffian.G))):
        thdd, _ = direct.forward_dynamics(M, force, pfaffian.G, wrong)
        unlike(thdd, direct.forward_dynamics(M, force, pfaffian.G, pfaffian.acceleration)[0])


def test_squeeze_torques_move_nothing_and_move_torques_are_smallest(chain):
    """(11.14), (11.15), exercise 11.2: squeeze torques move nothing, move torques are smallest."""
    system, tree, thd, T, M, _, pfaffian = chain
    rng, G = np.random.default_rng(1), pfaffian.G
    root = rng.normal(size=(tree.N, tree.N))
    weight = root @ root.T + np.eye(tree.N)
    Y = augmented.constrained_map(M, G)
    for W in (None, weight):
        X = G if W is None else G @ W
        P = move_squeeze.projection(G, X)
        agree(P @ P, P, max(1.0, np.abs(P).max() ** 2), 1e-11)
        move, squeeze = move_squeeze.decompose(T, G, W)
        agree(move + squeeze, T)
        agree(Y @ move, Y @ T, np.abs(Y).max() * np.abs(T).max() * tree.N, 1e-11)
        W = np.eye(tree.N) if W is None else W
        norm = move @ W @ move
        for _ in range(5):
            other = move + G.T @ rng.normal(size=len(G))
            assert other @ W @ other > norm
        both = [
            loop_dynamics.forward_dynamics(tree, thd, torque, system.loops).thdd
            for torque in (T, move)
        ]
        agree(*both, tolerance=1e-10)


def test_equivalence_of_augmented_and_projected(chain):
    """(11.37) to (11.43): G_c P = [G_r, 0], M~22 = M_r, y_2 = thdd_r, particular solution."""
    _, tree, _, _, M, force, pfaffian = chain
    G, right, n_c = pfaffian.G, pfaffian.acceleration, len(pfaffian.G)
    parts = equivalence.partitioned(M, force, G)
    expected = np.hstack((parts.G_r, np.zeros((n_c, tree.N - n_c))))
    agree(G @ parts.P, expected, tolerance=1e-11)
    found = projected.forward_dynamics(M, force, G, right)
    agree(parts.M[n_c:, n_c:], found.M_r, tolerance=1e-11)
    thdd, multipliers = direct.forward_dynamics(M, force, G, right)
    y = np.linalg.solve(parts.P, thdd)
    agree(y[n_c:], found.independent, tolerance=1e-10)
    rows = parts.M @ y - np.concatenate((parts.G_r.T @ multipliers, np.zeros(tree.N - n_c)))
    agree(rows, parts.force, np.abs(parts.M).max() * np.abs(y).max(), 1e-10)
    agree(parts.G_r @ y[:n_c], right, None, 1e-10)
    forced = parts.P @ np.concatenate((np.linalg.solve(parts.G_r, right), np.zeros(tree.N - n_c)))
    dependent, _ = projected.dependent_first(G)
    agree(forced, projected.particular(G, right, dependent), tolerance=1e-11)


def test_rows_that_depend_on_each_other_are_refused():
    G = np.array([[1.0, 2.0, 3.0], [2.0, 4.0, 6.0]])
    with pytest.raises(ValueError, match='got 2 constraints of rank 1'):
        projected.dependent_first(G)


def test_a_node_that_stands_still_in_the_world():
    """Qrel V_x = 0: a tip welded to the inertial frame carries what its arm leaves over."""
    rng = np.random.default_rng(11)
    plan = [(f'b{i}', f'b{i - 1}' if i else None, TURN) for i in range(9)]
    bodies = grown(rng, plan)
    tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
    loop = Loop(Node(0, rotation(rng), rng.normal(size=3)), None, WELD)
    thd, T = rng.normal(size=(2, tree.N))
    G = loop_constraints.constraint_jacobian(tree, [loop])
    thd -= np.linalg.pinv(G) @ G @ thd
    pfaffian = loop_constraints.pfaffian(tree, thd, [loop])
    thdd, multipliers = direct.forward_dynamics(
        composite_bodies.mass_matrix(tree),
        T - inverse_dynamics.bias(tree, thd),
        G,
        pfaffian.acceleration,
    )
    found = loop_dynamics.forward_dynamics(tree, thd, T, [loop])
    agree(found.thdd, thdd, tolerance=SOLVED)
    agree(found.multipliers, multipliers, tolerance=SOLVED)


def two_arms():
    """Two arms whose tips are one frame of the world, at velocities that agree there."""
    rng = np.random.default_rng(12)
    arms = []
    for n in (7, 8):
        bodies = grown(rng, [(f'b{i}', f'b{i - 1}' if i else None, TURN) for i in range(n)])
        tree = tree_of(bodies, coordinates(rng, bodies), GRAVITY)
        arms.append([tree, rng.normal(size=n), rng.normal(size=n)])
    one, other = (tree_kinematics.poses(tree)[0] for tree, *_ in arms)
    nodes = [Node(0, rotation(rng), rng.normal(size=3)), None]
    # Only the axes have to agree: the place of a base does not change its arm's equations.
    nodes[1] = Node(0, other[:3, :3].T @ one[:3, :3] @ nodes[0].R, rng.normal(size=3))
    J = [tree_kinematics.jacobian(tree, [node]) for (tree, *_), node in zip(arms, nodes)]
    arms[1][1] += np.linalg.pinv(J[1]) @ (J[0] @ arms[0][1] - J[1] @ arms[1][1])
    return [(*arm, node) for arm, node in zip(arms, nodes)], J


def test_dual_arm_dynamics_solve_the_kkt_system():
    """(11.23) to (11.30) against the KKT system of both arms; printed, the order is exchanged."""
    arms, J = two_arms()
    found = dual_arm.forward_dynamics(arms)
    sizes = [tree.N for tree, *_ in arms]
    M = np.zeros((sum(sizes),) * 2)
    M[: sizes[0], : sizes[0]], M[sizes[0] :, sizes[0] :] = (
        composite_bodies.mass_matrix(tree) for tree, *_ in arms
    )
    force = np.concatenate([T - inverse_dynamics.bias(tree, thd) for tree, thd, T, _ in arms])
    drift = []
    for tree, thd, _, node in arms:
        V = tree_kinematics.velocities(tree, thd)
        a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
        drift.append(node.phi.T @ tree_kinematics.scatter(tree, a, tree.phi)[node.body])
    thdd, multipliers = direct.forward_dynamics(
        M, force, np.hstack((J[0], -J[1])), drift[1] - drift[0]
    )
    agree(np.concatenate([arm.thdd for arm in found]), thdd, tolerance=SOLVED)
    agree(found[0].multipliers, multipliers, tolerance=SOLVED)
    agree(found[1].multipliers, -multipliers, tolerance=SOLVED)


def test_free_accelerations_of_11_30_stand_in_the_order_of_q():
    """Printed [alpha_2f; alpha_1f]: the force comes out with the other sign."""
    arms, _ = two_arms()
    right = dual_arm.forward_dynamics(arms)[0].multipliers
    Q = np.hstack((np.eye(6), -np.eye(6)))
    alpha = [
        node.phi.T @ forward_dynamics.articulated_body(tree, thd, T)[1][node.body]
        for tree, thd, T, node in arms
    ]
    together = sum(compliance(tree, [node]) for tree, _, _, node in arms)
    agree(-np.linalg.solve(together, Q @ np.concatenate(alpha)), right, tolerance=SOLVED)
    agree(-np.linalg.solve(together, Q @ np.concatenate(alpha[::-1])), -right, tolerance=SOLVED)


def test_holonomic_constraints_by_complex_step():
    """(11.2) to (11.6): a point on a circle whose radius grows, rheonomic and acatastatic."""

    def d(theta, t):
        return np.array(
            [theta[0] ** 2 + theta[1] ** 2 - (1.0 + 0.3 * t) ** 2, theta[2] - theta[0]]
        )

    theta, t, thd = np.array([0.6, 0.9, 0.6]), 0.4, np.array([0.5, -0.7, 0.5])
    found = bilateral.holonomic(d, theta, t, thd)
    agree(found.G, np.array([[1.2, 1.8, 0.0], [-1.0, 0.0, 1.0]]))
    agree(found.U, np.array([2.0 * 1.12 * 0.3, 0.0]))
    agree(found.acceleration, np.array([2.0 * 0.09 - 2.0 * (0.25 + 0.49), 0.0]), None, 1e-9)
    assert not found.catastatic
    still = bilateral.holonomic(lambda theta, t: d(theta, 0.0), theta, t, thd)
    assert still.catastatic
    assert bilateral.freedoms(7, 6, 3) == (4, 3)
    assert bilateral.freedoms(7, 6, 3, holonomic=False) == (7, 3)
