# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Spatial operators of chains and trees: identities of Jain, chapters 3, 4, 7, 9 and 10."""

import numpy as np
import pytest

from robodyn_ros.errors import ShapeError, UnknownNameError
from robodyn_ros.formulations.jain.operators.spatial_operators import SpatialOperators, operators
from robodyn_ros.formulations.jain.operators.sweeps import (
    backward_diagonal,
    dense,
    forward_lyapunov,
    gather,
    gather_strictly,
    scatter,
    scatter_strictly,
)
from support.compare import agree
from support.robots.jain_trees import ROBOTS, TREES, any_tree, configuration, robot_tree, unlike


@pytest.fixture(scope='module')
def every():
    """Operators of every tree, without drives: the systems of the book."""
    return {name: SpatialOperators(any_tree(name)[0].without_rotors()) for name in TREES}


@pytest.fixture(params=TREES)
def ops(request, every):
    """Operators of one tree."""
    return every[request.param]


def zero(operator, scale):
    """Assert that nothing but rounding is left of terms as large as `scale`."""
    agree(np.asarray(operator), np.zeros(operator.shape), np.abs(np.asarray(scale)).max())


def same(one, other):
    agree(np.asarray(one), np.asarray(other))


def test_phi_is_the_resolvent_of_e_phi(ops):
    E, phi, one = ops.E_phi, ops.phi, ops.one
    same((one - E) @ phi, one)  # (3.36)
    assert not np.linalg.matrix_power(E.array, ops.tree.n).any()
    same(ops.phi_tilde, E @ phi)  # (3.40, 3.41)
    same(E @ phi, phi @ E)
    same((one - ops.E_psi) @ ops.psi, one)
    same(ops.psi_tilde, ops.psi @ ops.E_psi)


def test_blocks_of_phi_chain_along_the_path(ops):
    """(3.38, 8.17): phi(i, j) = phi(i, k) phi(k, j) for k between; zero if i is not above j."""
    tree = ops.tree
    for j, name in enumerate(tree.names):
        path = [tree.names[k] for k in tree.path(j)]
        for i in tree.names:
            if i not in path:
                assert not ops.phi[i, name].any()
        top = path[-1]
        for between in path:
            same(ops.phi[top, name], ops.phi[top, between] @ ops.phi[between, name])


def test_sweeps_are_products_with_operators(ops):
    tree, rng = ops.tree, np.random.default_rng(1)
    x = rng.normal(size=(tree.n, 6))
    for A, weights in ((ops.phi, tree.phi), (ops.psi, ops.articulated.psi)):
        for sweep, matrix in (
            (gather, A.array),
            (scatter, A.array.T),
            (gather_strictly, (A - ops.one).array),
            (scatter_strictly, (A - ops.one).array.T),
        ):
            agree(sweep(tree, x, weights).ravel(), matrix @ x.ravel())


def test_mass_matrix_by_operators_is_that_of_the_package():
    for name, robot in ROBOTS.items():
        tree, *_ = robot_tree(name)
        q = configuration(tree)
        ops = operators(robot, q)
        agree(tree.to_ours(ops.mass_matrix.array), robot.mass_matrix(q))
        P = ops.permutation
        agree(P @ ops.mass_matrix.array @ P.T, robot.mass_matrix(q))
        # A solve loses what the condition of the matrix is worth.
        agree(
            tree.to_ours(ops.mass_matrix_inverse.array),
            robot.mass_matrix_inverse(q),
            tolerance=1e-11,
        )


def test_lyapunov_decomposition(ops):
    phi, R, M = ops.phi, ops.R, ops.M
    same(R - ops.E_phi @ R @ ops.E_phi.T, M)  # (4.9, 9.18)
    tilde = ops.phi_tilde
    same(phi @ M @ phi.T, R + tilde @ R + R @ tilde.T)  # (4.10, 9.19)
    same(
        dense(forward_lyapunov(ops.tree, ops.tree.M, ops.tree.phi, ops.tree.phi)), phi @ M @ phi.T
    )
    H = ops.H
    same(ops.mass_matrix, H @ R @ H.T + H @ tilde @ R @ H.T + H @ R @ tilde.T @ H.T)  # (4.19)


def test_mass_matrix_of_4_19_has_its_tilde_on_phi_alone(ops):
    """With the tilde that (4.19) prints on R, what is above the diagonal vanishes with the term.

    A tilde leaves what is off the diagonal, and R has nothing there; (9.17) has one on H, too.
    """
    H, R, tilde = ops.H, ops.R, ops.phi_tilde
    R_tilde = R.same(np.where(np.kron(np.eye(ops.tree.n), np.ones((6, 6))), 0.0, R.array))
    printed = H @ R @ H.T + H @ tilde @ R @ H.T + H @ R_tilde @ tilde.T @ H.T
    unlike(printed, ops.mass_matrix)
    unlike(printed, printed.T)


def test_total_inertia_is_e_r_e_transposed():
    """(4.13) as printed, E* R E, is no product: E is 6 x 6n."""
    tree = any_tree('chain of 3')[0]
    ops = SpatialOperators(tree)
    E = np.zeros((6, 6 * tree.n))
    E[:, -6:] = np.eye(6)
    same(E @ ops.R.array @ E.T, ops.R[tree.names[-1], tree.names[-1]])
    with pytest.raises(ValueError, match='matmul'):
        E.T @ ops.R.array @ E


def test_hinge_projections(ops):
    H, G, tau, bar, P = ops.H, ops.G, ops.tau, ops.tau_bar, ops.P
    same(H @ G, ops.one_hinges)  # (6.14)
    for projection in (tau, bar):
        same(projection @ projection, projection)
    same(tau @ G, G)  # (6.17)
    same(tau.T @ H.T, H.T)
    zero(bar @ G, G)  # (6.18)
    zero(bar.T @ H.T, H.T)
    zero(H @ bar, H)  # (9.38)
    for other in (bar @ P, P @ bar.T, bar @ P @ bar.T):  # (6.25)
        agree(np.asarray(other), ops.P_plus.array, np.abs(P.array).max())
    zero(H @ ops.P_plus, P)  # (6.26)


def test_inertias_in_order(ops):
    """R >= P >= M and P >= P^+ (6.31): P is positive definite where M is, D and the mass matrix
    everywhere.
    """
    for larger, smaller in ((ops.R, ops.P), (ops.P, ops.M), (ops.P, ops.P_plus)):
        gap = np.linalg.eigvalsh((larger - smaller).array)
        assert gap[0] > -1e-12 * np.abs(larger.array).max()
    same(ops.P.T, ops.P)
    for positive in (ops.D, ops.mass_matrix):
        assert np.linalg.eigvalsh(positive.array)[0] > 0.0
    for name in ops.names:
        least = np.linalg.eigvalsh(ops.P[name, name])[0]
        assert least > (0.0 if ops.M[name, name].any() else -1e-12 * np.abs(ops.P.array).max())


def test_riccati_equation(ops):
    M, P, psi, phi = ops.M, ops.P, ops.E_psi, ops.E_phi
    for product in (psi @ P @ psi.T, psi @ P @ phi.T, phi @ P @ psi.T):  # (7.7, 9.36)
        agree(np.asarray(P - product), M.array, np.abs(P.array).max())


def test_phi_and_psi(ops):
    one, phi, psi, H, K = ops.one, ops.phi, ops.psi, ops.H, ops.K
    phi_inverse, psi_inverse = one - ops.E_phi, one - ops.E_psi
    same(psi_inverse - phi_inverse, K @ H)  # (7.10, 9.43)
    same(psi_inverse @ phi, one + K @ H @ phi)  # (7.11)
    same(phi @ psi_inverse, one + phi @ K @ H)
    same(phi_inverse @ psi, one - K @ H @ psi)
    same(psi @ phi_inverse, one - psi @ K @ H)
    L, L_inverse = ops.innovations_factor, ops.inverse_factor
    same(L_inverse @ H @ phi, H @ psi)  # (7.12, 9.45)
    same(phi @ K @ L_inverse, psi @ K)
    same(L @ H @ psi, H @ phi)
    same(psi @ K @ L, phi @ K)
    agree(
        (L @ L_inverse).array,
        ops.one_hinges.array,  # (7.17, 9.50)
        np.abs(L.array).max() * np.abs(L_inverse.array).max(),
    )


def test_decompositions_with_p(ops):
    H, M, P, K, D = ops.H, ops.M, ops.P, ops.K, ops.D
    phi, psi, phi_tilde, psi_tilde = ops.phi, ops.psi, ops.phi_tilde, ops.psi_tilde
    agree((H @ psi @ M @ psi.T @ H.T).array, D.array, np.abs(P.array).max())  # (7.13, 9.46)
    size = np.abs((phi @ M @ phi.T).array).max()
    for left, right in (
        (psi @ M @ psi.T, P + psi_tilde @ P + P @ psi_tilde.T),  # (7.9, 9.42)
        (phi @ M @ psi.T, P + phi_tilde @ P + P @ psi_tilde.T),  # (7.15, 9.41)
        (
            phi @ M @ phi.T,  # (7.16, 9.47)
            P + phi_tilde @ P + P @ phi_tilde.T + phi @ K @ D @ K.T @ phi.T,
        ),
        (
            phi @ M @ phi.T @ H.T,  # (9.48)
            (ops.one + phi @ K @ H) @ P @ phi.T @ H.T,
        ),
    ):
        agree(left.array, right.array, size)
    agree((psi @ P @ H.T).array, (P @ H.T).array, size)  # (10.40)


def test_relations_of_the_unit_factor(ops):
    """(9.38) to (9.40), with A = phi of the tree."""
    H, phi, G = ops.H, ops.phi, ops.G
    same(ops.innovations_factor, H @ phi @ G)
    size = np.abs((H @ phi).array).max() * np.abs(ops.tau.array).max()
    agree((H @ phi @ ops.tau_bar).array, (H @ phi @ ops.E_psi).array, size)
    agree((H @ phi @ ops.tau).array, (H @ phi @ (ops.one - ops.E_psi)).array, size)


def test_factors_and_inverse_of_the_mass_matrix(ops):
    L, D, M = ops.innovations_factor, ops.D, ops.mass_matrix
    same(L @ D @ L.T, M)  # (7.14, 9.49)
    assert not np.triu(L.pattern(), 1).any()
    # Any way to an inverse loses what the condition of the matrix is worth.
    agree(
        (ops.mass_matrix_inverse @ M).array,
        np.eye(ops.tree.N),
        tolerance=1e-15 * np.linalg.cond(M.array) + 1e-12,
    )
    agree(np.linalg.slogdet(L.array)[1], 0.0, 1.0)  # (9.52)
    agree(
        np.linalg.slogdet(M.array)[1],  # (9.53)
        sum(np.linalg.slogdet(each)[1] for each in ops.articulated.D),
        1.0,
        1e-11,
    )


def test_inverse_of_7_18_has_psi_in_both_factors(ops):
    """As printed, the factor on the right has phi."""
    printed = ops.one_hinges - ops.H @ ops.phi @ ops.K
    unlike(ops.inverse_factor.T @ ops.D_inverse @ printed, ops.mass_matrix_inverse)


def test_factors_hold_with_drives_that_have_inertia():
    """Rotor inertia is the filter's measurement noise: the factors stay, H G = 1 does not."""
    tree, *_ = any_tree('rotors')
    ops = SpatialOperators(tree)
    L = ops.innovations_factor
    same(L @ ops.D @ L.T, ops.mass_matrix)
    agree((ops.mass_matrix_inverse @ ops.mass_matrix).array, np.eye(tree.N), tolerance=1e-11)
    assert np.abs((ops.H @ ops.G - ops.one_hinges).array).max() > 1e-3
    H = ops.H
    P = ops.P
    agree((P - ops.E_psi @ P @ ops.E_phi.T).array, ops.M.array, np.abs(P.array).max())
    assert np.abs((H @ ops.tau_bar).array).max() > 1e-3


def test_omega_from_its_kernel(ops):
    """(10.11, 10.14, 10.15, 10.37), and the compliance of any two bodies."""
    Omega, psi, H = ops.Omega, ops.psi, ops.H
    same(Omega, psi.T @ H.T @ ops.D_inverse @ H @ psi)
    phi, inverse = ops.phi, ops.mass_matrix_inverse
    size = np.abs((phi.T @ H.T @ inverse @ H @ phi).array).max()
    agree(Omega.array, (phi.T @ H.T @ inverse @ H @ phi).array, size, 1e-11)
    Ups = ops.Upsilon
    for name in ops.names:
        same(Ups[name, name], Omega[name, name])
    drift = ops.E_psi.T @ Ups @ ops.E_psi
    for name in ops.names:  # (10.14)
        agree(
            (H.T @ ops.D_inverse @ H)[name, name],
            (Ups - drift)[name, name],
            np.abs(Ups.array).max(),
        )
    product = Omega @ ops.M @ Omega
    agree(product.array, Omega.array, tolerance=1e-11)  # (10.37)


def test_backward_diagonal_of_a_constant_is_the_kernel(ops):
    X = [H.T @ np.linalg.solve(D, H) for H, D in zip(ops.tree.H, ops.articulated.D)]
    psi = ops.articulated.psi
    for name, block in zip(ops.names, backward_diagonal(ops.tree, X, psi, psi)):
        same(ops.Upsilon[name, name], block)


def test_blocks_are_found_by_the_names_of_links():
    robot = ROBOTS['sliding_tree']
    q = np.linspace(0.3, 0.9, robot.nv)
    ops = operators(robot, q)
    tree = ops.tree
    assert set(ops.names) == set(robot.model.body_names[1:])
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            np.testing.assert_array_equal(ops.E_phi[tree.names[up], tree.names[k]], tree.phi[k])
        np.testing.assert_array_equal(ops.H[tree.names[k], tree.names[k]], tree.H[k])
    np.testing.assert_array_equal(np.asarray(ops.phi), ops.phi.array)
    np.testing.assert_array_equal(ops.H.T[tree.names[0], tree.names[0]], tree.H[0].T)


@pytest.mark.parametrize(
    'ask, error, sentence',
    [
        (lambda ops: ops.H @ ops.H, ShapeError, 'expected the same blocks'),
        (lambda ops: ops.H.T + ops.phi, ShapeError, 'expected the same blocks'),
        (lambda ops: ops.phi - np.eye(3), ShapeError, 'expected an operator of the same blocks'),
        (lambda ops: ops.phi @ np.ones(3), ShapeError, r'of shape \(3,\); expected 72 rows'),
        (
            lambda ops: ops.phi['hand', 'link1'],
            UnknownNameError,
            "'hand'; expected the block of a",
        ),
        (lambda ops: ops.phi['link1'], UnknownNameError, 'expected the names of two bodies'),
        (lambda ops: ops.gather(np.ones((3, 6))), ShapeError, r'\(3, 6\); expected \(12, 6\)'),
        (lambda ops: ops.scatter(np.ones(72)), ShapeError, r'\(72,\); expected \(12, 6\)'),
        (
            lambda ops: ops.draw(('phi', 'names')),
            UnknownNameError,
            "'names' to draw; expected the",
        ),
        (
            lambda ops: ops.draw('Phi'),
            UnknownNameError,
            "got 'Phi' to draw; expected the name of an",
        ),
    ],
)
def test_operators_refuse_other_calls(every, ask, error, sentence):
    pytest.importorskip('matplotlib')
    with pytest.raises(error, match=sentence):
        ask(every['sliding_tree'])


def test_operators_are_not_written_to(every):
    """They are kept: a change to a block would be in all that is asked for later."""
    ops = every['sliding_tree']
    for array in (ops.phi.array, ops.H.T[ops.names[0], ops.names[0]], np.asarray(ops.M)):
        with pytest.raises(ValueError, match='read-only'):
            array[0, 0] = 1.0
    own = np.array(ops.phi)
    own[0, 0] = 7.0
    assert ops.phi.array[0, 0] == 1.0


def test_operators_say_what_they_are(every):
    ops = every['mixed chain']
    assert repr(ops).startswith('SpatialOperators of 8 bodies with 19 degrees of freedom, tips')
    head, *lines = repr(ops.H @ ops.phi).splitlines()
    assert head == 'BlockMatrix 19 x 48, zero where a dot is'
    assert lines == [
        f'{name} {" ".join(("X" * (k + 1)).ljust(8, "."))}' for k, name in enumerate(ops.names)
    ]


def test_sweeps_stand_beside_the_operators(ops):
    x = np.random.default_rng(2).normal(size=(ops.tree.n, 6))
    for given, matrix in (
        ({}, ops.phi),
        ({'free': True}, ops.psi),
        ({'strictly': True}, ops.phi_tilde),
        ({'free': True, 'strictly': True}, ops.psi_tilde),
    ):
        agree(ops.gather(x, **given).ravel(), matrix @ x.ravel())
        agree(ops.scatter(x, **given).ravel(), matrix.T @ x.ravel())


@pytest.mark.parametrize('q', [np.zeros(13), np.full(14, np.nan), np.zeros(14)])
def test_impossible_coordinates_are_refused(q):
    with pytest.raises(ShapeError, match="robot 'free_base': got"):
        operators(ROBOTS['free_base'], q)


def test_table_names_every_operator_and_counts_its_blocks():
    ops = SpatialOperators(any_tree('mixed tree')[0])
    text = ops.as_table()
    for name in ('E_phi', 'tau_bar', 'Omega', 'mass_matrix_inverse'):
        assert f'\n{name:<20} ' in text
    n = ops.tree.n
    assert f'{"E_phi":<20} {f"{6 * n} x {6 * n}":>9} {f"{n - 1}/{n * n}":>9}' in text
    bodies = ops.bodies_table()
    assert all(name in bodies for name in ops.names)
    assert bodies.count('\n') == n and 'inertial frame' in bodies.splitlines()[-1]


def test_picture_shows_the_digraph_and_every_pattern(every, tmp_path):
    """Patches are as large as blocks; every body is there with its hinge."""
    pytest.importorskip('matplotlib')
    ops = every['mixed tree']
    figure = ops.draw(('phi', 'mass_matrix', 'K', 'Omega'))
    digraph, *patterns = [axes for part in figure.subfigs for axes in part.axes]
    full = ops.mass_matrix.pattern()
    assert patterns[1].get_title() == (
        f"mass_matrix: {full.sum()} of {full.size} blocks\nH phi M phi' H' (4.6)"
    )
    for axes, operator in zip(patterns, (ops.phi, ops.mass_matrix, ops.K, ops.Omega)):
        (mesh,) = axes.collections
        np.testing.assert_array_equal(mesh.get_array().reshape(12, 12), operator.pattern())
        np.testing.assert_array_equal(mesh.get_coordinates()[0, :, 0], operator.columns.edges)
        np.testing.assert_array_equal(mesh.get_coordinates()[:, 0, 1], operator.rows.edges)
    texts = [text.get_text() for text in digraph.texts]
    for k, body in enumerate(ops.tree.bodies):
        assert f'{body.name}\n{body.hinge.name} {body.hinge.nv}' in texts and str(k + 1) in texts
    figure.savefig(tmp_path / 'operators.png', dpi=50)
    assert (tmp_path / 'operators.png').stat().st_size > 10000
