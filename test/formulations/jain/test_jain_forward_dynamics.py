# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapters 6 and 7 of Jain, and 9.5: articulated bodies, forward dynamics, estimation."""

from dataclasses import replace

import numpy as np
import pytest

from robodyn_ros.formulations.jain import articulated_bodies as ab
from robodyn_ros.formulations.jain import (
    composite_bodies,
    forward_dynamics,
    inverse_dynamics,
    kalman,
    tree_kinematics,
)
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.operators.sweeps import gather
from robodyn_ros.formulations.jain.single_body import kinetic_energy, shifted
from support.compare import agree
from support.robots.jain_trees import SOLVED, any_tree, configuration, forces, moved, unlike


@pytest.fixture
def bare(system):
    """A tree without drives, which the book does not have, and (thd, T)."""
    tree, thd, _, T = system
    return tree.without_rotors(), thd, T


def test_forward_dynamics_are_those_of_the_package(named):
    robot, tree, thd, _, T = named
    q, qd, tau = configuration(tree), tree.to_ours(thd), tree.to_ours(T)
    expected = robot.forward_dynamics(q, qd, tau)
    for route in (
        forward_dynamics.dense,
        forward_dynamics.triangular,
        lambda *state: forward_dynamics.articulated_body(*state)[0],
    ):
        agree(tree.to_ours(route(tree, thd, T)), expected, tolerance=SOLVED)


def test_three_routes_to_forward_dynamics(system):
    tree, thd, _, T = system
    for f_ext, gravity in ((None, False), (None, True), (forces(tree), True)):
        thdd, _, _ = forward_dynamics.articulated_body(tree, thd, T, f_ext, gravity)
        agree(forward_dynamics.dense(tree, thd, T, f_ext, gravity), thdd, tolerance=SOLVED)
        agree(forward_dynamics.triangular(tree, thd, T, f_ext, gravity), thdd, tolerance=SOLVED)


def test_inverse_dynamics_return_the_torques_of_forward_dynamics(system):
    tree, thd, thdd, T = system
    f_ext = forces(tree)
    found, alpha, f = forward_dynamics.articulated_body(tree, thd, T, f_ext)
    T_back, f_back, alpha_back = inverse_dynamics.newton_euler(tree, thd, found, f_ext)
    size = np.abs(f_back).max()
    agree(T_back, T, size, SOLVED)
    agree(f, f_back, tolerance=SOLVED)  # (7.34, 7.40)
    agree(alpha, alpha_back, tolerance=SOLVED)
    T_forth, _, _ = inverse_dynamics.newton_euler(tree, thd, thdd, f_ext)
    again = forward_dynamics.articulated_body(tree, thd, T_forth, f_ext)[0]
    agree(again, thdd, np.abs(T_forth).max(), SOLVED)


def test_kinetic_energy_stays_without_torques(system):
    """(4.34): with T = 0 and without gravity, its rate is zero."""
    tree, thd, *_ = system
    still = replace(tree, rotor=np.zeros(tree.N))
    thdd = forward_dynamics.articulated_body(still, thd, np.zeros(tree.N), gravity=False)[0]
    step = 1e-6

    def energy(s):
        at = moved(still, thd, s)
        return sum(
            kinetic_energy(M, v)
            for M, v in zip(at.M, tree_kinematics.velocities(at, thd + s * thdd))
        )

    size = np.abs(thd).max() * np.abs(composite_bodies.mass_matrix(still) @ thdd).max()
    agree((energy(step) - energy(-step)) / (2 * step), 0.0, size, 1e-7)


def test_steady_drift_of_the_base_changes_nothing():
    """Remark 5.2: the same joint accelerations on a base that drifts, and of it, but - omega x v.

    The base is free: its acceleration is seen from itself, where a steady drift turns.
    """
    tree, thd, _, T = any_tree('free base')
    base = tree.slices[-1]
    drift = np.array((0.4, -1.3, 0.8))
    drifting = thd.copy()
    drifting[base][3:] += drift
    one = forward_dynamics.articulated_body(tree, thd, T)[0]
    two = forward_dynamics.articulated_body(tree, drifting, T)[0]
    expected = one.copy()
    expected[base][3:] -= np.cross(thd[base][:3], drift)
    agree(two, expected, tolerance=SOLVED)
    unlike(two, one)


def test_gravity_at_the_end_or_from_the_base(system):
    """(7.37) to (7.39): nubar = nu - G' g, or alpha(n + 1) = g and g taken away again.

    From body to body goes alpha^+ + g then, and f = P^+ (alpha^+ + g) + z^+ (7.40).
    """
    tree, thd, _, T = system
    art, a, _, z_plus, nu, *_ = at_zero_gravity(tree, thd, T)
    g = inverse_dynamics.gravity_accelerations(tree)
    felt = np.zeros((tree.n + 1, 6))
    felt[tree.n] = tree.g
    thdd, f = np.zeros(tree.N), np.zeros((tree.n, 6))
    for k in reversed(range(tree.n)):
        plus = tree.phi[k].T @ felt[tree.parent[k]]
        f[k] = art.P_plus[k] @ plus + z_plus[k]
        thdd[tree.slices[k]] = nu[tree.slices[k]] - art.G[k].T @ plus
        felt[k] = plus + tree.H[k].T @ thdd[tree.slices[k]] + a[k]
    expected, alpha, expected_f = forward_dynamics.articulated_body(tree, thd, T)
    size = np.abs(felt).max()
    agree(f, expected_f, tolerance=SOLVED)
    agree(thdd, expected, np.abs(nu).max() + size, SOLVED)
    agree(felt[:-1] - g, alpha, size, SOLVED)


def test_innovations_factor_along_paths_equals_that_of_the_operators(system):
    tree, *_ = system
    L = forward_dynamics.innovations_factor(tree, ab.articulated(tree))
    agree(L, SpatialOperators(tree).innovations_factor.array)


def at_zero_gravity(tree, thd, T):
    """(articulated, a, z, z^+, nu, thdd, alpha, alpha^+) of a tree, without weight."""
    art, V = ab.articulated(tree), tree_kinematics.velocities(tree, thd)
    a = inverse_dynamics.coriolis_accelerations(tree, V, thd)
    own = np.array([P @ x for P, x in zip(art.P, a)])
    own = own + inverse_dynamics.gyroscopic_forces(tree, V)
    z, z_plus, epsilon = ab.biased_residual_forces(tree, art, T, own)
    nu = ab.innovations_scaled(tree, art, epsilon)
    return art, a, z, z_plus, nu, *ab.accelerations(tree, art, nu, a)


def test_vectors_of_the_articulated_body_algorithm(system):
    """(7.30) to (7.34), of trees without drives; as printed, (7.30) and (7.29) are wrong."""
    tree, thd, _, T = system
    tree = tree.without_rotors()
    art, a, z, z_plus, nu, thdd, alpha, alpha_plus = at_zero_gravity(tree, thd, T)
    ops = SpatialOperators(tree)
    K, G, psi, H = (x.array for x in (ops.K, ops.G, ops.psi, ops.H))
    size = np.abs(alpha).max()
    agree(thdd, nu - K.T @ alpha.ravel(), size)
    agree(thdd, nu - G.T @ alpha_plus.ravel(), size)
    agree(alpha.ravel(), psi.T @ (H.T @ nu + a.ravel()))  # (7.30)
    unlike(psi @ (H.T @ nu + a.ravel()), alpha.ravel())
    agree(nu, G.T @ (alpha - a).ravel(), size)  # (7.33)
    f = inverse_dynamics.newton_euler(tree, thd, thdd, gravity=False)[1]
    P = art.P
    agree(np.array([p @ x for p, x in zip(P, alpha - a)]) + z, f, tolerance=SOLVED)
    agree(np.array([p @ x for p, x in zip(art.P_plus, alpha_plus)]) + z_plus, f, tolerance=SOLVED)
    V = tree_kinematics.velocities(tree, thd)
    b = inverse_dynamics.gyroscopic_forces(tree, V)

    def gathered(acceleration):
        own = np.array([p @ x for p, x in zip(P, acceleration)]) + b
        z = np.linalg.solve((ops.one - ops.E_psi).array, (K @ T) + own.ravel())
        return z.reshape(-1, 6)

    agree(gathered(a), z, tolerance=SOLVED)  # (7.21), P a
    unlike(gathered(alpha), z)  # (7.29), P alpha


def test_accelerations_of_a_system_at_rest(bare):
    """Algorithm 6.2 and (6.35), (6.40) to (6.44): articulated bodies without velocity.

    (6.35) prints phi(k + 1), with one body to it: that of the next edge is another matrix.
    """
    tree, _, T = bare
    art, ops = ab.articulated(tree), SpatialOperators(tree)
    z, z_plus, epsilon = ab.residual_forces(tree, art, T)
    size = np.abs(T).max() * np.abs(ops.phi.array).max()
    agree(z.ravel(), (ops.psi @ ops.K).array @ T, size, 1e-11)  # (6.35)
    agree(epsilon, ops.inverse_factor.array @ T, size, 1e-11)
    agree(z_plus, z + np.array([G @ epsilon[s] for G, s in zip(art.G, tree.slices)]))
    for k in range(tree.n):
        below = sum((tree.phi[j] @ z_plus[j] for j in tree.children[k]), np.zeros(6))
        agree(z[k], below, size)
        if len(tree.children[k]) == 1 and np.abs(below).max() > 1e-3:
            unlike(tree.phi[k] @ z_plus[tree.children[k][0]], z[k])
    nu = ab.innovations_scaled(tree, art, epsilon)
    thdd, alpha, alpha_plus = ab.accelerations(tree, art, nu, np.zeros((tree.n, 6)))
    agree(thdd, np.linalg.solve(composite_bodies.mass_matrix(tree), T), tolerance=SOLVED)
    size = np.abs(ops.H.array.T @ nu).max() * np.abs(ops.psi.array).max()
    agree(alpha.ravel(), ops.psi.array.T @ ops.H.array.T @ nu, size, 1e-11)  # (6.43)
    agree(
        nu,
        np.concatenate([G.T @ x for G, x in zip(art.G, alpha)]),
        np.abs(nu).max() + np.abs(alpha).max(),
        1e-11,
    )  # (6.44)
    by_gain = [
        nu[s] - K.T @ alpha[up] for K, s, up in zip(art.K, tree.slices, tree.parent) if up < tree.n
    ]
    agree(
        np.concatenate((*by_gain, [0.0])),
        np.concatenate(
            (*(thdd[s] for s, up in zip(tree.slices, tree.parent) if up < tree.n), [0.0])
        ),
        np.abs(nu).max() + np.abs(alpha).max(),
        1e-11,
    )  # (6.42)


def test_acceleration_of_6_9_is_that_of_the_hinge_on_the_parent(bare):
    """alpha^+ belongs to O_k^+, a point of the parent at the hinge; O_(k + 1) has alpha(k + 1)."""
    tree, _, T = bare
    art = ab.articulated(tree)
    nu = ab.innovations_scaled(tree, art, ab.residual_forces(tree, art, T)[2])
    thdd, alpha, alpha_plus = ab.accelerations(tree, art, nu, np.zeros((tree.n, 6)))
    size = np.abs(alpha).max()
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            R, l = tree.R[k], tree.l[k]  # noqa: E741
            angular = R.T @ alpha[up, :3]
            point = R.T @ (alpha[up, 3:] + np.cross(alpha[up, :3], l))  # at rest (1.18)
            agree(alpha_plus[k], np.concatenate((angular, point)), size)
            if np.abs(alpha[up]).max() > 1e-6 * size:
                unlike(alpha[up], alpha_plus[k])


def test_residual_of_articulated_bodies_ignores_the_rest(bare):
    """Table 6.1: f = P alpha + z whatever the base does; z(i) knows the torques outboard of i."""
    tree, _, T = bare
    art = ab.articulated(tree)
    z, *_ = ab.residual_forces(tree, art, T)
    size = np.abs(z).max() + 1.0
    for k in range(tree.n):
        other = T.copy()
        other[tree.slices[k]] += 2.0
        change = np.abs(ab.residual_forces(tree, art, other)[0] - z).max(axis=1)
        for i in range(tree.n):
            above = i != k and i in tree.path(k)
            assert above or change[i] <= 1e-12 * size
        if tree.parent[k] < tree.n:
            assert change[tree.parent[k]] > 1e-6
    _, f, alpha = inverse_dynamics.newton_euler(tree, 0 * T, T, gravity=False)
    for k in range(tree.n):
        if not tree.children[k]:  # terminal body
            agree(f[k], tree.M[k] @ alpha[k], np.abs(f).max())


def test_response_to_forces_on_nodes(system):
    """Algorithm 7.3 is M^-1 J' f; by (7.43) and (7.44) it would be minus that."""
    tree, thd, _, T = system
    f = forces(tree)
    J_f = inverse_dynamics.hinge_components(tree, gather(tree, f, tree.phi))
    expected = np.linalg.solve(composite_bodies.mass_matrix(tree), J_f)
    found = forward_dynamics.response(tree, f)
    agree(found, expected, tolerance=SOLVED)
    unlike(-found, expected)
    free = forward_dynamics.articulated_body(tree, thd, T)[0]
    pushed = forward_dynamics.articulated_body(tree, thd, T, f)[0]
    agree(pushed - free, expected, np.abs(pushed).max() + np.abs(expected).max(), SOLVED)


def test_gain_of_6_36_has_a_column_for_every_freedom():
    """K(k + 1, k) is in R^6 by the text; of a ball it is 6 x 3."""
    tree, *_ = any_tree('mixed tree')
    art = ab.articulated(tree)
    for body, K in zip(tree.bodies, art.K):
        assert K.shape == (6, body.hinge.nv)
    assert {K.shape[1] for K in art.K} == {1, 2, 3, 6}


def test_inertia_recursions_of_table_7_1_add_the_inertia_of_the_parent():
    """R(k + 1) and P(k + 1) get M(k + 1), not M(k)."""
    tree, *_ = any_tree('skew_chain')
    R, art = composite_bodies.composite_inertias(tree), ab.articulated(tree)
    for inertia, passed in ((R, R), (art.P, art.P_plus)):
        carried = shifted(passed[2], tree.phi[2])
        agree(carried + tree.M[3], inertia[3])
        unlike(carried + tree.M[2], inertia[3])
    agree(art.taubar[2] @ art.P[2] @ art.taubar[2].T, art.P_plus[2], np.abs(art.P[2]).max())
    unlike(art.taubar[2] @ art.P[2] @ art.taubar[2].T, art.P_plus[3])


def test_kalman_filter_is_the_articulated_body_algorithm(system):
    tree, _, _, T = system
    art = ab.articulated(tree)
    z, z_plus, epsilon = ab.residual_forces(tree, art, T)
    for k, found in enumerate(kalman.kalman_filter(*kalman.of_tree(tree, T))):
        size = np.abs(art.P[k]).max()
        agree(found.covariance, art.P[k])
        agree(found.filtered_covariance, art.P_plus[k], size)
        agree(found.gain, art.G[k], tolerance=1e-11)
        agree(found.innovation_covariance, art.D[k], size)
        agree(found.predicted, z[k], np.abs(T).max(), 1e-11)
        agree(found.filtered, z_plus[k], np.abs(T).max(), 1e-11)
        agree(found.innovation, epsilon[tree.slices[k]], np.abs(T).max(), 1e-11)


def test_smoothed_estimate_is_the_force_between_the_links(system):
    """(6.50), by two passes and as a conditional mean; the adjoint is the acceleration."""
    tree, _, _, T = system
    rest, problem = np.zeros(tree.N), kalman.of_tree(tree, T)
    _, alpha, f = forward_dynamics.articulated_body(tree, rest, T, gravity=False)
    agree(kalman.conditional_mean(*problem), f, tolerance=SOLVED)
    parent, F, _, H, *_ = problem
    x, adjoint = kalman.smoothed(parent, F, H, kalman.kalman_filter(*problem))
    agree(x, f, tolerance=SOLVED)
    agree(adjoint, alpha, tolerance=SOLVED)


def test_covariances_of_states_and_of_measurements(system):
    """(6.46) and after: R and phi M phi' of the states, the mass matrix of the outputs."""
    tree, *_ = system
    states, outputs = kalman.covariances(*kalman.of_tree(tree, np.zeros(tree.N))[:-1])
    agree(outputs, composite_bodies.mass_matrix(tree))
    ops = SpatialOperators(tree)
    agree(states, (ops.phi @ ops.M @ ops.phi.T).array)
    for k, R in enumerate(composite_bodies.composite_inertias(tree)):
        agree(states[6 * k : 6 * k + 6, 6 * k : 6 * k + 6], R, np.abs(states).max())


def test_prediction_of_6_49_is_measured_with_h():
    """Printed with H* z, the innovation is no product of the shapes at hand."""
    tree, _, _, T = any_tree('chain of 3')
    art = ab.articulated(tree)
    z, _, epsilon = ab.residual_forces(tree, art, T)
    agree(T[2:] - tree.H[2] @ z[2], epsilon[2:])
    with pytest.raises(ValueError, match='matmul'):
        tree.H[2].T @ z[2]
