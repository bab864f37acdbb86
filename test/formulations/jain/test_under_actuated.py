# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 16 of Jain: driven and free hinges, against dense blocks of the mass matrix."""

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError
from robodyn_ros.formulations.jain import (
    articulated_bodies,
    composite_bodies,
    forward_dynamics,
    inverse_dynamics,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.tree_kinematics import Node
from robodyn_ros.formulations.jain.under_actuated import generalized_jacobian
from robodyn_ros.formulations.jain.under_actuated.arms import active_arm, chosen, passive_arm
from robodyn_ros.formulations.jain.under_actuated.hybrid_dynamics import hybrid_dynamics
from robodyn_ros.formulations.jain.under_actuated.mixed_blocks import mixed_blocks
from support.compare import agree
from support.robots.jain_trees import any_tree, forces, nodes_of, unlike

#: Dense solves with mass matrices of condition 1e2 to 6e4.
SOLVED = 1e-10


def drawn(tree, seed=7):
    """Active hinges, some of each kind."""
    active = np.random.default_rng(seed).random(tree.n) < 0.5
    active[0], active[-1] = True, False
    return active


def parts(tree, active):
    """(M_aa, M_ap, M_pp, which freedoms are active), by the composite bodies of the whole tree."""
    M, a = composite_bodies.mass_matrix(tree), chosen(tree, active)
    return M[np.ix_(a, a)], M[np.ix_(a, ~a)], M[np.ix_(~a, ~a)], a


def test_hybrid_dynamics_solve_the_equations_of_motion(system):
    """Algorithm 16.2: M thdd + C = T, with thdd_a and T_p as given."""
    tree, thd, thdd, T = system
    active = drawn(tree)
    a, push = chosen(tree, active), forces(tree)
    motion = hybrid_dynamics(tree, active, thd, thdd[a], T[~a], push)
    expected, _, alpha = inverse_dynamics.newton_euler(tree, thd, motion.thdd, push)
    scale = np.abs(expected).max()
    agree(motion.thdd[a], thdd[a])
    agree(motion.T[~a], T[~a])
    agree(motion.T, expected, scale, SOLVED)
    agree(motion.alpha, alpha, None, SOLVED)


def test_blocks_of_16_4_give_the_mixed_solution(system):
    """(16.4) by dense blocks of the mass matrix against algorithm 16.2."""
    tree, thd, thdd, T = system
    active = drawn(tree)
    M_aa, M_ap, M_pp, a = parts(tree, active)
    C = inverse_dynamics.bias(tree, thd)
    thdd_p = np.linalg.solve(M_pp, T[~a] - C[~a] - M_ap.T @ thdd[a])
    motion = hybrid_dynamics(tree, active, thd, thdd[a], T[~a])
    agree(motion.thdd[~a], thdd_p, tolerance=SOLVED)
    agree(motion.T[a], M_aa @ thdd[a] + M_ap @ thdd_p + C[a], tolerance=SOLVED)


def test_all_active_is_inverse_and_all_passive_forward_dynamics(system):
    tree, thd, thdd, T = system
    every, none = np.ones(tree.n, bool), np.zeros(tree.n, bool)
    expected, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd)
    agree(hybrid_dynamics(tree, every, thd, thdd, ()).T, expected)
    expected, alpha, _ = forward_dynamics.articulated_body(tree, thd, T)
    motion = hybrid_dynamics(tree, none, thd, (), T)
    agree(motion.thdd, expected)
    agree(motion.alpha, alpha)


def test_passive_arm_inertias_lie_between_articulated_and_composite(system):
    """Algorithm 16.1: all active R(k), all passive P(k), and in between P <= P_p <= R."""
    tree = system[0]
    R, P = composite_bodies.composite_inertias(tree), articulated_bodies.articulated(tree).P

    def inertias(active):
        return articulated_bodies.articulated(passive_arm(tree, active)).P

    agree(inertias(np.ones(tree.n, bool)), R)
    agree(inertias(np.zeros(tree.n, bool)), P)
    for low, between, high in zip(P, inertias(drawn(tree)), R):
        for difference in (between - low, high - between):
            assert np.linalg.eigvalsh(difference).min() > -1e-12 * np.abs(high).max()


def test_blocks_of_lemma_16_1_are_schur_complements(system):
    """(16.11) to (16.13) against S_aa = M_aa - M_ap M_pp^-1 M_ap', S_ap = M_ap M_pp^-1."""
    tree = system[0]
    active = drawn(tree)
    M_aa, M_ap, M_pp, _ = parts(tree, active)
    S_aa, S_ap, S_pp, _ = mixed_blocks(tree, active)
    inverse = np.linalg.inv(M_pp)
    agree(S_pp, inverse, tolerance=SOLVED)
    agree(S_ap, M_ap @ inverse, tolerance=SOLVED)
    agree(S_aa, M_aa - M_ap @ inverse @ M_ap.T, np.abs(M_aa).max(), SOLVED)


def test_free_hinges_lower_the_inertia_of_driven_ones(system):
    """S_aa is symmetric, positive definite, and at most M_aa."""
    tree = system[0].without_rotors()
    active = drawn(tree)
    M_aa, M_ap, _, _ = parts(tree, active)
    S_aa, _, _, U = mixed_blocks(tree, active)
    arm = SpatialOperators(active_arm(tree, active))
    out = (arm.phi.T @ arm.H.T).array
    agree(S_aa, out.T @ (U.T @ arm.M.array @ U) @ out, np.abs(M_aa).max(), SOLVED)
    scale = np.abs(M_aa).max()
    assert np.linalg.eigvalsh(0.5 * (S_aa + S_aa.T)).min() > -1e-12 * scale
    assert np.linalg.eigvalsh(M_aa - 0.5 * (S_aa + S_aa.T)).min() > -1e-12 * scale
    unlike(S_aa, M_aa)


def test_generalized_jacobian_has_the_motion_of_free_hinges(system):
    """(16.19) to (16.24): J_G = J_a + J_p J_D = B' (psi' - Omega P) H_a', J_D = -S_ap'."""
    tree = system[0]
    active, nodes = drawn(tree), nodes_of(tree)
    _, M_ap, M_pp, _ = parts(tree, active)
    J_G, J_D = generalized_jacobian.jacobians(tree, active, nodes)
    ops, arm = (SpatialOperators(of(tree, active)) for of in (passive_arm, active_arm))

    def at_nodes(matrix):
        return np.vstack([node.phi.T @ matrix[ops.tree.rows[node.body]] for node in nodes])

    J_a, J_p = (at_nodes((each.phi.T @ each.H.T).array) for each in (arm, ops))
    agree(J_D, -np.linalg.solve(M_pp, M_ap.T), tolerance=SOLVED)
    agree(J_G, J_a + J_p @ J_D, np.abs(J_p).max() * np.abs(J_D).max(), SOLVED)
    direct = (ops.psi.T - ops.Omega @ ops.P) @ arm.H.T
    agree(J_G, at_nodes(direct.array), np.abs(J_p).max() * np.abs(J_D).max(), SOLVED)
    unlike(J_G, J_a)


def test_computed_torque_moves_the_arm_of_the_node_as_commanded():
    """Algorithm 16.4 on an arm with one motor lost: forward dynamics with its torques."""
    tree, thd, _, T = any_tree('skew_chain')
    active = np.ones(tree.n, bool)
    active[1] = False
    driven = chosen(tree, active)
    node = Node(0, np.eye(3), np.array([0.1, -0.2, 0.05]))
    rank = np.linalg.matrix_rank(generalized_jacobian.jacobians(tree, active, [node]).J_G)
    asked = generalized_jacobian.products(
        tree, active, np.random.default_rng(3).normal(size=int(driven.sum())), [node]
    )[0]
    still = hybrid_dynamics(tree, active, thd, np.zeros(int(driven.sum())), T[~driven])
    wanted = asked + node.phi.T @ still.alpha[0]
    motion = generalized_jacobian.computed_torque(tree, active, thd, wanted, T[~driven], [node])
    assert rank == min(6, int(driven.sum()))
    agree(motion.T[~driven], T[~driven])
    _, alpha, _ = forward_dynamics.articulated_body(tree, thd, motion.T)
    agree(node.phi.T @ alpha[0], wanted, None, 1e-9)
    unlike(node.phi.T @ forward_dynamics.articulated_body(tree, thd, T)[1][0], wanted)


def test_redundant_motors_hold_the_free_hinge():
    """(16.25): with motors left over, a position is tracked and the free hinge keeps still."""
    tree, thd, _, T = any_tree('tree of 20')
    active = np.ones(tree.n, bool)
    active[-1] = False
    driven = chosen(tree, active)
    depth = [len(list(tree.path(k))) for k in range(tree.n)]
    node = Node(int(np.argmax(depth)), np.eye(3), np.array([0.1, -0.2, 0.05]))
    found = generalized_jacobian.jacobians(tree, active, [node])
    ask = np.random.default_rng(4).normal(size=int(driven.sum()))
    ask -= np.linalg.pinv(found.J_D) @ (found.J_D @ ask)
    still = hybrid_dynamics(tree, active, thd, np.zeros(int(driven.sum())), T[~driven])
    cancel = np.linalg.pinv(found.J_D) @ still.thdd[~driven]
    wanted = node.phi.T @ still.alpha[node.body] + found.J_G @ (ask - cancel)
    args = tree, active, thd, wanted, T[~driven], [node]
    held = generalized_jacobian.computed_torque(*args, hold=True)
    scale = np.abs(held.thdd).max()
    agree(held.thdd[~driven], np.zeros(int((~driven).sum())), scale, 1e-9)
    agree(node.phi.T @ held.alpha[node.body], wanted, None, 1e-9)
    assert np.abs(generalized_jacobian.computed_torque(*args).thdd[~driven]).max() > 1e-4 * scale


def test_base_jacobian_of_a_free_flyer_keeps_the_momentum_zero():
    """(16.27), (16.28): V(n) = J_D thd_a, and J_D of algorithm 16.3 is the same."""
    tree, thd, _, _ = any_tree('free base')
    tree = tree.without_rotors()
    active = np.arange(tree.n) < tree.n - 1
    driven = chosen(tree, active)
    J_D = generalized_jacobian.base_jacobian(tree)
    base = np.linalg.solve(tree.H[-1].T, J_D @ thd[driven])
    moving = np.where(driven, thd, 0.0)
    moving[~driven] = base
    agree(composite_bodies.momentum(tree, moving)[-6:], np.zeros(6), 1.0, 1e-12)
    node = Node(0, np.eye(3), np.zeros(3))
    found = generalized_jacobian.jacobians(tree, active, [node]).J_D
    agree(tree.H[-1].T @ found, J_D, tolerance=SOLVED)


def test_riccati_equation_of_16_8_has_psi_on_one_side(system):
    """Of an arm with hinges of both kinds: with none active, it would be (7.7) alone."""
    tree = system[0]
    active = drawn(tree)
    assert active.any() and not active.all()
    ops = SpatialOperators(passive_arm(tree, active))
    M, P, E_phi, E_psi = (each.array for each in (ops.M, ops.P, ops.E_phi, ops.E_psi))
    agree(P - E_psi @ P @ E_phi.T, M, np.abs(P).max())
    unlike(P - E_phi @ P @ E_phi.T, M)


def test_torque_of_16_15_takes_the_acceleration_inside_p(system):
    """(16.15c): T_a = H_a [P (alpha - H_a' thdd_a - a) + z], z outside P."""
    tree, thd, thdd, T = system
    tree = tree.without_rotors()
    active = drawn(tree)
    a = chosen(tree, active)
    motion = hybrid_dynamics(tree, active, thd, thdd[a], T[~a], gravity=False)
    P = articulated_bodies.articulated(passive_arm(tree, active)).P
    k, s = 0, tree.slices[0]
    V = forward_dynamics.velocities(tree, thd)
    bias = forward_dynamics.coriolis_accelerations(tree, V, thd)
    plus = motion.alpha[k] - tree.H[k].T @ motion.thdd[s] - bias[k]
    right = tree.H[k] @ (P[k] @ plus + motion.z[k])
    agree(right, motion.T[s], np.abs(motion.T).max())
    unlike(tree.H[k] @ P[k] @ (plus + motion.z[k]), right)


def test_gain_of_16_6_is_taken_over_by_e_phi(system):
    """taubar_p = 1 - G_p H_p and K_p = E_phi G_p; the printed product K_p taubar_p has no size."""
    tree = system[0]
    ops = SpatialOperators(passive_arm(tree, drawn(tree)))
    G, H, K = (each.array for each in (ops.G, ops.H, ops.K))
    agree(ops.tau_bar.array, np.eye(6 * tree.n) - G @ H)
    agree(K, ops.E_phi.array @ G)
    with pytest.raises(ValueError, match='mismatch'):
        K @ ops.tau_bar.array


def test_scatter_of_16_17_starts_below_the_base(system):
    """alpha(n + 1) = 0 gives alpha^+ of the base; alpha^+(n + 1), as printed, has no hinge."""
    tree, thd, thdd, T = system
    active = drawn(tree)
    a = chosen(tree, active)
    motion = hybrid_dynamics(tree, active, thd, thdd[a], T[~a], gravity=False)
    V = forward_dynamics.velocities(tree, thd)
    bias = forward_dynamics.coriolis_accelerations(tree, V, thd)
    alpha = np.vstack((motion.alpha, np.zeros(6)))
    for k, (H, s) in enumerate(zip(tree.H, tree.slices)):
        plus = tree.phi[k].T @ alpha[tree.parent[k]]
        agree(plus + H.T @ motion.thdd[s] + bias[k], alpha[k], np.abs(alpha).max(), SOLVED)
    with pytest.raises(IndexError):
        tree.H[tree.n]


def test_jacobian_of_exercise_16_2_has_both_operators_transposed(system):
    """J_a = B' phi' H_a'; of B phi' H_a', as printed, the first product has no size."""
    tree = system[0]
    active, nodes = drawn(tree), nodes_of(tree)[:1]
    arm = SpatialOperators(active_arm(tree, active))
    B = np.zeros((6 * tree.n, 6))
    B[tree.rows[nodes[0].body]] = nodes[0].phi
    J_a = B.T @ arm.phi.array.T @ arm.H.array.T
    thd = np.where(chosen(tree, active), system[1], 0.0)
    V = forward_dynamics.velocities(tree, thd)
    agree(J_a @ thd[chosen(tree, active)], nodes[0].phi.T @ V[nodes[0].body])
    with pytest.raises(ValueError, match='mismatch'):
        B @ arm.phi.array.T


def test_active_hinges_are_one_bool_a_body():
    tree = any_tree('skew_chain')[0]
    for active in (np.ones(tree.n), np.ones(tree.n + 1, bool)):
        with pytest.raises(ShapeError, match='of bool, one per body'):
            passive_arm(tree, active)
