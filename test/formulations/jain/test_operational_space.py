# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Chapter 10 of Jain: Omega, Upsilon, Lambda, projections, and what is misprinted there."""

import numpy as np
import pytest

from robodyn_ros.formulations.jain import operational_space_operators as osd
from robodyn_ros.formulations.jain.articulated_bodies import articulated
from robodyn_ros.formulations.jain.body_tree import tree_at, tree_of
from robodyn_ros.formulations.jain.composite_bodies import mass_matrix
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators
from robodyn_ros.formulations.jain.tree_kinematics import Node, jacobian, node
from support.compare import agree
from support.robots.families import FAMILIES
from support.robots.jain_trees import (
    BODIES,
    ROBOTS,
    SOLVED,
    TREES,
    any_tree,
    configuration,
    coordinates,
    nodes_of,
    robot_tree,
    unlike,
)

CHAINS = ('chain of 3', 'skew_chain', 'sliding_chain', 'mixed chain')


@pytest.fixture(params=TREES)
def ops(request):
    """Operators of a tree, without drives: the systems of the book."""
    return SpatialOperators(any_tree(request.param)[0].without_rotors())


def same(one, other, tolerance=SOLVED):
    agree(np.asarray(one), np.asarray(other), tolerance=tolerance)


def zero(operator, scale, tolerance=SOLVED):
    """Assert that nothing but rounding is left of terms as large as `scale`."""
    agree(
        np.asarray(operator),
        np.zeros(operator.shape),
        np.abs(np.asarray(scale)).max(),
        tolerance=tolerance,
    )


# Omega and Upsilon


def test_compliance_needs_neither_mass_matrix_nor_jacobian(system):
    """J M^-1 J' = B' Omega B (10.6, 10.12, 10.18), elements of Omega one by one (10.17)."""
    tree, *_ = system
    nodes = nodes_of(tree)
    J = jacobian(tree, nodes)
    same(osd.compliance(tree, nodes), J @ np.linalg.solve(mass_matrix(tree), J.T))


def test_elements_of_omega(ops):
    """Algorithm 10.1 against psi' H' D^-1 H psi: any pair of bodies, related or not (10.11)."""
    tree, art = ops.tree, ops.articulated
    Upsilon = osd.kernel(tree, art)
    found = np.block(
        [[osd.element(tree, art, Upsilon, i, j) for j in range(tree.n)] for i in range(tree.n)]
    )
    dense = (ops.psi.T @ ops.H.T @ ops.D_inverse @ ops.H @ ops.psi).array
    same(found, dense)
    same(ops.Omega, dense)
    same(found, found.T)
    assert np.linalg.eigvalsh(dense).min() > -1e-12 * np.abs(dense).max()


def test_upsilon_is_the_diagonal_of_omega(ops):
    """(10.14 to 10.16), and Algorithm 10.3 without the triple product (10.22)."""
    tree, art = ops.tree, ops.articulated
    Upsilon, L, U = osd.kernel_by_parts(tree, art)
    for k, name in enumerate(tree.names):
        same(Upsilon[k], ops.Omega[name, name])
    same(Upsilon, osd.kernel(tree, art))
    dense = (ops.E_psi.T @ ops.Upsilon @ ops.E_psi).array
    diagonal = np.where(np.kron(np.eye(tree.n), np.ones((6, 6))), dense, 0.0)
    same((ops.H.T @ ops.D_inverse @ ops.H).array, ops.Upsilon.array - diagonal)
    inverse = np.linalg.inv((ops.H @ ops.phi @ ops.M @ ops.phi.T @ ops.H.T).array)
    for k in range(tree.n):
        same(L[k], inverse[tree.slices[k], tree.slices[k]])
        same(
            U[k] @ tree.H[k].T,
            L[k] @ (tree.H[k] @ tree.H[k].T)
            - art.G[k].T @ carried(tree, Upsilon, k) @ tree.H[k].T,
        )


def carried(tree, Upsilon, k):
    """Upsilon^+(k) = phi'(up, k) Upsilon(up) phi(up, k) (10.20)."""
    up = tree.parent[k]
    return tree.phi[k].T @ Upsilon[up] @ tree.phi[k] if up < tree.n else np.zeros((6, 6))


def test_omega_of_a_chain_is_three_disjoint_parts():
    """Lemma 10.2 (10.25, 10.26, 10.28); of a tree, the blocks of unrelated bodies are missing."""
    for name in CHAINS:
        ops = SpatialOperators(any_tree(name)[0].without_rotors())
        three = ops.Upsilon + ops.psi_tilde.T @ ops.Upsilon + ops.Upsilon @ ops.psi_tilde
        same(ops.Omega, three)
        same(ops.H.T @ ops.D_inverse @ ops.H, ops.Upsilon - ops.E_psi.T @ ops.Upsilon @ ops.E_psi)
    ops = SpatialOperators(any_tree('tree of 20')[0])
    three = ops.Upsilon + ops.psi_tilde.T @ ops.Upsilon + ops.Upsilon @ ops.psi_tilde
    unlike(three.array, ops.Omega.array, 1e-3)


def test_upsilon_of_10_27_scatters_from_the_base():
    """Printed `for k = 1 .. n`: Upsilon(k + 1) is not there yet when Upsilon(k) wants it."""
    tree, *_ = any_tree('skew_chain')
    art = articulated(tree)
    hinges = [H.T @ np.linalg.solve(D, H) for H, D in zip(tree.H, art.D)]

    def kernel(order):
        Upsilon = np.zeros((tree.n + 1, 6, 6))
        for k in order:
            Upsilon[k] = art.psi[k].T @ Upsilon[k + 1] @ art.psi[k] + hinges[k]
        return Upsilon[:-1]

    agree(kernel(reversed(range(tree.n))), osd.kernel(tree, art))
    unlike(kernel(range(tree.n)), osd.kernel(tree, art))


def test_rank_of_upsilon_counts_the_hinges_up_to_six():
    """Remark 10.1: 1, 2, 3, 4, 5, 6, 6 from base to tip of a chain of skew axes."""
    tree, *_ = any_tree('skew_chain')
    Upsilon = osd.kernel(tree, articulated(tree))
    ranks = [np.linalg.matrix_rank(each, tol=1e-9 * np.abs(each).max()) for each in Upsilon[::-1]]
    assert ranks == [1, 2, 3, 4, 5, 6, 6]


@pytest.mark.parametrize('name', ['free base', 'mixed chain'])
def test_upsilon_of_a_free_base_is_the_inverse_of_p(name):
    """Remark 10.2: H(n) = 1, Upsilon(n) = P(n)^-1, and every Upsilon(k) is invertible."""
    tree, *_ = any_tree(name)
    art = articulated(tree)
    Upsilon = osd.kernel(tree, art)
    same(Upsilon[-1], np.linalg.inv(art.P[-1]))
    assert all(np.linalg.matrix_rank(each) == 6 for each in Upsilon)


def test_a_free_body_is_its_own_inertia():
    """One body without hinges to others: Lambda at its frame is its spatial inertia."""
    rng = np.random.default_rng(1)
    bodies = BODIES['free base'][:1]
    tree = tree_of(bodies, coordinates(rng, bodies))
    same(osd.inertia(tree, [Node(0, np.eye(3), np.zeros(3))]), tree.M[0])


@pytest.mark.parametrize('name', ['skew_chain', 'mixed tree'])
def test_a_macro_manipulator_only_adds_compliance(name):
    """(10.23, 10.24): the same arm on a base that is moved, for every place it may be cut."""
    tree, *_ = any_tree(name)
    art = articulated(tree)
    Upsilon = osd.kernel(tree, art)
    tip = int(np.argmax([len(list(tree.path(k))) for k in range(tree.n)]))
    path = list(tree.path(tip))
    assert len(path) > 3
    for attach in path[1:]:
        held = np.zeros((6, 6))  # the micro manipulator alone: Upsilon from a base that holds
        for k in reversed(path[: path.index(attach)]):
            held = art.psi[k].T @ held @ art.psi[k] + tree.H[k].T @ np.linalg.solve(
                art.D[k], tree.H[k]
            )
        psi = osd.path_product(tree, art.psi, attach, tip)
        same(osd.on_a_macro_manipulator(held, psi, Upsilon[attach]), Upsilon[tip])
        assert np.linalg.eigvalsh(Upsilon[tip] - held).min() > -1e-9 * np.abs(Upsilon[tip]).max()
        printed = held + psi.T @ Upsilon[attach] @ psi.T  # the last line of [Sol 10.1]
        unlike(printed, Upsilon[tip])


def test_lambda_is_the_mass_matrix_where_the_jacobian_is_square():
    """Lambda = J^-' M J^-1 (section 10.1)."""
    robot = FAMILIES['sliding_chain'].robot
    tree = tree_at(robot, np.linspace(0.3, 1.2, 6))
    nodes = [node(tree, robot, FAMILIES['sliding_chain'].tip)]
    J = jacobian(tree, nodes)
    assert J.shape == (6, 6)
    same(
        osd.inertia(tree, nodes), np.linalg.solve(J.T, np.linalg.solve(J.T, mass_matrix(tree).T).T)
    )


@pytest.mark.parametrize('name', ROBOTS)
def test_compliance_is_that_of_the_package(name):
    """The recursion of several frames, turned into the nodes' axes and order."""
    robot, (tree, *_) = ROBOTS[name], robot_tree(name)
    q = configuration(tree)
    frames = [tree.names[0], tree.names[-1]]
    if frames[0] == frames[1]:
        frames.pop()
    _, compliance = robot.task_space.compliance(q, frames)
    turn = np.zeros((6 * len(frames),) * 2)
    for k, frame in enumerate(frames):
        R = robot.pose(q, frame)[:3, :3]
        turn[6 * k : 6 * k + 3, 6 * k + 3 : 6 * k + 6] = turn[
            6 * k + 3 : 6 * k + 6, 6 * k : 6 * k + 3
        ] = R.T
    same(
        osd.compliance(tree, [node(tree, robot, frame) for frame in frames]),
        turn @ compliance @ turn.T,
    )


def test_conditions_of_10_17_separate_related_bodies_from_others():
    """Its last row is for unrelated bodies: `i` not above `j`, and `j` not above `i`.

    The printed second half repeats the first. Then the row also holds for a body and its carrier,
    whose block is in the row before it.
    """
    tree, *_ = any_tree('mixed tree')
    art = articulated(tree)
    Upsilon = osd.kernel(tree, art)
    above = [set(tree.path(tree.parent[k])) for k in range(tree.n)]  # a body is not above itself
    unrelated = twice = 0
    for i in range(tree.n):
        for j in range(tree.n):
            rows = (
                i == j,
                i in above[j],
                j in above[i],
                i != j and i not in above[j] and j not in above[i],
            )
            assert sum(rows) == 1
            if rows[3]:  # Omega(i, k) psi(k, j), k the closest common ancestor
                k = min(above[i] & above[j])
                same(
                    osd.element(tree, art, Upsilon, i, j),
                    osd.element(tree, art, Upsilon, i, k) @ osd.path_product(tree, art.psi, k, j),
                )
            unrelated += rows[3]
            twice += j in above[i] and (i != j and i not in above[j])  # the printed last row
    assert unrelated > 10 and twice > 10


@pytest.mark.parametrize('name', ROBOTS)
def test_null_space_of_upsilon_is_where_the_body_cannot_go(name):
    """Remark 10.1: rank of Upsilon(k) = rank of the body's Jacobian, and their null spaces."""
    tree, *_ = robot_tree(name)
    Upsilon = osd.kernel(tree, articulated(tree))
    for k in range(tree.n):
        J = jacobian(tree, [Node(k, np.eye(3), np.zeros(3))])
        sides, values, _ = np.linalg.svd(J)
        rank = int((values > 1e-9 * values[0]).sum())
        assert rank == np.linalg.matrix_rank(Upsilon[k], tol=1e-11 * np.abs(Upsilon[k]).max())
        lost = np.eye(6) - sides[:, :rank] @ sides[:, :rank].T
        zero(Upsilon[k] @ lost, Upsilon[k])


# The inverse of the mass matrix


def test_inverse_of_the_mass_matrix_by_the_kernel(ops):
    """(10.29, 10.30), and Algorithm 10.4, on any tree."""
    inverse = np.linalg.inv(mass_matrix(ops.tree))
    same(osd.inverse_decomposition(ops), inverse)
    same(osd.mass_matrix_inverse(ops.tree), inverse)


@pytest.mark.parametrize('name', CHAINS)
def test_algorithm_10_4_as_printed_inverts_a_chain(name):
    """(10.33) word by word: outboard from every body of a chain."""
    tree, *_ = any_tree(name)
    art = articulated(tree)
    _, L, U = osd.kernel_by_parts(tree, art)
    inverse = np.zeros((tree.N, tree.N))
    for k in reversed(range(tree.n)):
        own = tree.slices[k]
        inverse[own, own] = L[k]
        X = U[k] @ tree.phi[k - 1]
        for j in reversed(range(k)):
            inverse[own, tree.slices[j]] = -X @ art.G[j]
            inverse[tree.slices[j], own] = inverse[own, tree.slices[j]].T
            X = (X + inverse[own, tree.slices[j]] @ tree.H[j]) @ tree.phi[j - 1]
    same(inverse, np.linalg.inv(mass_matrix(tree)))


def test_second_term_of_solution_10_2_has_u_transposed():
    """Printed K' psi' U: U is N x 6n like H, and K' psi' has 6n columns.

    The product exists where N = 6n only, where all hinges are free and U is symmetric.
    """
    ops = SpatialOperators(any_tree('mixed chain')[0])
    U = np.zeros(ops.H.shape)
    for k, block in enumerate(osd.kernel_by_parts(ops.tree, ops.articulated)[2]):
        U[ops.tree.slices[k], 6 * k : 6 * k + 6] = block
    second = ops.K.array.T @ ops.psi.array.T @ U.T
    L = ops.mass_matrix_inverse.array + second + second.T  # of a chain, R is zero
    for row in ops.names:
        for column in ops.names:
            own = L[ops.hinges[row], ops.hinges[column]]
            if row != column:
                agree(own, np.zeros(own.shape), np.abs(L).max(), SOLVED)
    with pytest.raises(ValueError, match='matmul'):
        ops.K.array.T @ ops.psi.array.T @ U


def test_third_case_of_10_32_is_transposed():
    """Printed M^-1(k, j) = M^-1(j, k) for k < j: blocks of several freedoms do not agree."""
    tree, *_ = any_tree('mixed chain')
    inverse = osd.mass_matrix_inverse(tree)
    differing = 0
    for j in range(tree.n):
        for k in range(j):
            block = inverse[tree.slices[k], tree.slices[j]]
            same(block, inverse[tree.slices[j], tree.slices[k]].T)
            printed = inverse[tree.slices[j], tree.slices[k]]
            if len(tree.H[j]) > 1 or len(tree.H[k]) > 1:
                assert (
                    printed.shape != block.shape
                    or np.abs(printed - block).max() > 1e-6 * np.abs(block).max()
                )
                differing += 1
    assert differing > 3


# Projections


def test_projections_of_10_34(ops):
    """Lemmas 10.3 and 10.4, every line (10.35 to 10.39)."""
    kept, rest = osd.projections(ops)
    Omega, M, P, H = ops.Omega, ops.M, ops.P, ops.H
    phi, psi = ops.phi, ops.psi
    same(Omega @ M @ Omega, Omega)  # (10.37)
    same(kept @ kept, kept)  # (10.35)
    same(rest @ rest, rest)
    same(kept @ Omega, Omega)  # (10.36)
    zero(rest @ Omega, Omega)
    zero(rest.T @ M @ kept, M)
    same(kept.T @ M @ kept, M @ kept)
    same(rest.T @ M @ rest, M @ rest)
    right = psi.T - Omega @ P
    same(kept @ phi.T, phi.T - right)  # (10.38a)
    same(kept @ phi.T, phi.T @ H.T @ (ops.K.T @ right + ops.D_inverse @ H @ psi @ P))
    same(kept @ psi.T, Omega @ P)  # (10.38b)
    left = psi - P @ Omega
    same(left @ M @ phi.T, left @ P + P @ ops.psi_tilde.T)  # (10.38c)
    same(left @ M @ phi.T, psi @ M @ psi.T - P @ Omega @ P)
    same(rest @ phi.T, right)  # (10.39a)
    same(rest @ psi.T, right)
    zero(rest @ phi.T @ H.T, phi)  # (10.39b)
    zero(rest @ psi.T @ H.T, psi)
