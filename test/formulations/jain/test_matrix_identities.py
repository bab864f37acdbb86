# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Appendix A of Jain: identities, by solving the whole, by powers and by complex step."""

import numpy as np
import pytest

from robodyn_ros.formulations.complex_step import gradient
from robodyn_ros.formulations.jain import matrix_identities
from robodyn_ros.formulations.jain.digraph import power_series
from robodyn_ros.formulations.jain.matrix_identities import Blocks
from robodyn_ros.formulations.posture import skew
from support.compare import agree
from support.robots.jain_trees import unlike


@pytest.fixture(params=range(2))
def rng(request):
    return np.random.default_rng(request.param)


def drawn(rng, n=4, m=5):
    """Blocks without symmetry, diagonals large enough for a condition of 1e2."""
    A, D = rng.normal(size=(n, n)) + 5.0 * np.eye(n), rng.normal(size=(m, m)) + 5.0 * np.eye(m)
    return Blocks(A, rng.normal(size=(n, m)), rng.normal(size=(m, n)), D)


def test_cross_products_of_three_vectors(rng):
    """(A.1), and exercise A.1: the norm of S(s) is that of s."""
    p, q, r = rng.normal(size=(3, 3))
    P, Q, R = map(skew, (p, q, r))
    agree(P @ p, np.zeros(3), 1.0)
    agree(P.T, -P)
    agree(P @ q, -Q @ p)
    agree(skew(P @ q), P @ Q - Q @ P)
    agree(P @ Q, np.outer(q, p) - (p @ q) * np.eye(3))
    agree(P @ Q @ r + R @ P @ q + Q @ R @ p, np.zeros(3), 1.0)
    agree(P @ Q @ Q @ p, -Q @ P @ P @ q)
    agree([p @ Q @ r, r @ P @ q], [q @ R @ p] * 2)
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    turn *= np.linalg.det(turn)
    agree(skew(turn @ p), turn @ P @ turn.T)
    agree(np.linalg.norm(P, 2), np.linalg.norm(p))


def test_block_factors_solve_block_systems(rng):
    """(A.3) to (A.11)."""
    blocks = drawn(rng)
    b_1, b_2 = rng.normal(size=4), rng.normal(size=5)
    upper, middle, lower = matrix_identities.factors(blocks)
    agree(upper @ middle @ lower, blocks.whole)
    assert not upper[4:, :4].any() and not lower[:4, 4:].any() and not middle[:4, 4:].any()
    agree(np.linalg.det(blocks.whole), np.linalg.det(middle), tolerance=1e-11)
    expected = np.linalg.solve(blocks.whole, np.concatenate((b_1, b_2)))
    agree(np.concatenate(matrix_identities.solve_by_d(blocks, b_1, b_2)), expected)
    agree(np.concatenate(matrix_identities.solve_by_a(blocks, b_1, b_2)), expected)
    square = drawn(rng, 4, 4)
    empty = square._replace(D=np.zeros((4, 4)))
    b_2 = rng.normal(size=4)
    x_1, x_2 = matrix_identities.solve_by_a(empty, b_1, b_2)
    agree(x_1, np.linalg.solve(empty.C, b_2), None, 1e-11)  # (A.11)
    agree(x_2, np.linalg.solve(empty.B, b_1 - empty.A @ x_1), None, 1e-10)


def test_block_solutions_satisfy_their_constraints(rng):
    """(A.12) to (A.16): what is given holds, and fewer terms are the cases before."""
    blocks = drawn(rng)
    Q, gamma = rng.normal(size=(2, 5)), rng.normal(size=5)
    c_1, b_1, c_2 = rng.normal(size=4), rng.normal(size=4), rng.normal(size=5)
    x_1, x_2, multipliers = matrix_identities.solve_constrained(blocks, c_1, c_2, b_1, Q, gamma)
    left = blocks.whole @ np.concatenate((x_1, x_2)) + np.concatenate((c_1, c_2))
    agree(left[:4], b_1, tolerance=1e-11)
    agree(Q @ left[4:], np.zeros(2), np.abs(left).max(), 1e-11)
    agree(x_2 - gamma, Q.T @ multipliers)
    none = np.zeros(5)
    plain, _, found = matrix_identities.solve_constrained(blocks, 0 * c_1, none, b_1, Q, none)
    KKT = np.block([[blocks.A, blocks.B @ Q.T], [Q @ blocks.C, Q @ blocks.D @ Q.T]])
    agree(np.concatenate((plain, found)), np.linalg.solve(KKT, np.r_[b_1, 0.0, 0.0]))
    unlike(plain, x_1)


def test_inverses_of_sums_and_resolvents(rng):
    """(A.17) to (A.20); R of (A.19) singular, so that its printed inverse does not exist."""
    A, X, Y = drawn(rng).A, rng.normal(size=(4, 2)), rng.normal(size=(4, 2))
    R = np.outer([1.0, 2.0], [0.5, -1.0])
    found = matrix_identities.updated_inverse(np.linalg.inv(A), X, R, Y)
    agree(found @ (A + X @ R @ Y.T), np.eye(4), tolerance=1e-11)
    one = np.eye(4)
    agree(  # (A.18) is (A.19) of A = R = 1
        matrix_identities.updated_inverse(one, X, np.eye(2), Y),
        one - X @ np.linalg.inv(np.eye(2) + Y.T @ X) @ Y.T,
        None,
        1e-10,
    )
    small = 0.1 * A
    W = np.linalg.inv(one - small)
    agree(small @ W, W - one, None, 1e-11)
    U = np.tril(rng.normal(size=(6, 6)), -1)
    agree(power_series(U), np.linalg.inv(np.eye(6) - U), None, 1e-11)


def test_rates_of_inverses_and_determinants(rng):
    """(A.28), (A.29), by complex step."""
    A, A_rate = drawn(rng).A, rng.normal(size=(4, 4))
    moved = np.linalg.inv(A + 1e-30j * A_rate)
    agree(matrix_identities.inverse_rate(A, A_rate), moved.imag / 1e-30)
    expected = np.linalg.det(A + 1e-30j * A_rate).imag / 1e-30 / np.linalg.det(A)
    agree(matrix_identities.log_det_rate(A, A_rate), expected)


def test_trace_of_a_29_has_the_inverse_and_not_its_transpose(rng):
    A, A_rate = drawn(rng).A, rng.normal(size=(4, 4))
    unlike(np.trace(np.linalg.solve(A.T, A_rate)), matrix_identities.log_det_rate(A, A_rate))
    S = A + A.T
    agree(np.trace(np.linalg.solve(S.T, A_rate)), matrix_identities.log_det_rate(S, A_rate))


def test_gradients_of_products_and_chains(rng):
    """(A.24) to (A.26): `complex_step.gradient` has a row for each entry of f."""
    x, S = rng.normal(size=3), rng.normal(size=(2, 3))

    def f(x):
        return np.array([np.sin(x[0] * x[1]), x[2] ** 2])

    def g(x):
        return x[0] * x[2]

    product = gradient(lambda x: f(x) * g(x), x)
    agree(product, gradient(f, x) * g(x) + np.outer(f(x), gradient(g, x)))
    outer = gradient(lambda y: np.array([y[0] * y[1], y[1] ** 3]), S @ f3(x))
    whole = gradient(lambda x: np.prod(S @ f3(x)), x)
    agree(whole, (outer @ S @ gradient(f3, x))[0])


def f3(x):
    """A smooth function of three numbers."""
    return np.array([x[0] * x[1], np.cos(x[2]), x[0] + x[2]])
