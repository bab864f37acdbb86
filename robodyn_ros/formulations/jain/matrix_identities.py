# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Identities of block matrices, of inverses and of their rates: Jain, appendix A.

    [A, B; C, D] = [1, B D^-1; 0, 1] [A - B D^-1 C, 0; 0, D] [1, 0; D^-1 C, 1]           (A.3)
    [A, B; C, D] [x_1; x_2] + [c_1; c_2] = [b_1; b_2],  Q b_2 = 0,  x_2 = Q' lambda + gamma
        (A - Z C) x_1 + c_1 + B gamma - Z (c_2 + D gamma) = b_1,  Z = B Q' (Q D Q')^-1 Q  (A.16)
    [A + X R Y']^-1 = A^-1 - A^-1 X R [1 + Y' A^-1 X R]^-1 Y' A^-1                       (A.19)
    d(A^-1)/dt = -A^-1 (dA/dt) A^-1,   d log det A / dt = Tr(A^-1 dA/dt)           (A.28, A.29)

(A.19) is written without R^-1 here, which need not exist, as in (13.70). A.1 is `arm.skew`, and
the resolvent of (A.20) is `digraph.power_series`.

Correction to the print: (A.29) has A^-1, not its transpose.
"""

from typing import NamedTuple

import numpy as np


class Blocks(NamedTuple):
    """The matrix [A, B; C, D] with square A and D.

    `A`: upper left block.
    `B`: upper right block.
    `C`: lower left block.
    `D`: lower right block.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray

    @property
    def whole(self):
        """The matrix of the blocks."""
        return np.block([[self.A, self.B], [self.C, self.D]])


def schur_complement(blocks):
    """Return A - B D^-1 C, where D has an inverse.

    `blocks` (Blocks): A, B, C and D.
    """
    return blocks.A - blocks.B @ np.linalg.solve(blocks.D, blocks.C)


def factors(blocks):
    """Return the three factors of (A.3).

    `blocks` (Blocks): A, B, C and D.
    """
    A, B, C, D = blocks
    return (
        Blocks(np.eye(len(A)), np.linalg.solve(D.T, B.T).T, 0.0 * C, np.eye(len(D))).whole,
        Blocks(schur_complement(blocks), 0.0 * B, 0.0 * C, D).whole,
        Blocks(np.eye(len(A)), 0.0 * B, np.linalg.solve(D, C), np.eye(len(D))).whole,
    )


def solve_by_d(blocks, b_1, b_2):
    """Solve [A, B; C, D] [x_1; x_2] = [b_1; b_2], where D has an inverse (A.6).

    `blocks` (Blocks): A, B, C and D.
    `b_1` (n_1,): first part of the right side.
    `b_2` (n_2,): second part of the right side.
    Returns `x_1` (n_1,): first part of the solution.
    Returns `x_2` (n_2,): second part of the solution.
    """
    y = np.linalg.solve(blocks.D, b_2)
    x_1 = np.linalg.solve(schur_complement(blocks), b_1 - blocks.B @ y)
    return x_1, y - np.linalg.solve(blocks.D, blocks.C @ x_1)


def solve_by_a(blocks, b_1, b_2):
    """Solve [A, B; C, D] [x_1; x_2] = [b_1; b_2], where A has an inverse (A.10).

    `blocks` (Blocks): A, B, C and D.
    `b_1` (n_1,): first part of the right side.
    `b_2` (n_2,): second part of the right side.
    Returns `x_1` (n_1,): first part of the solution.
    Returns `x_2` (n_2,): second part of the solution.
    """
    A, B, C, D = blocks
    x_2, x_1 = solve_by_d(Blocks(D, C, B, A), b_2, b_1)
    return x_1, x_2


def solve_constrained(blocks, c_1, c_2, b_1, Q, gamma):
    """Solve (A.14) with Q b_2 = 0 and x_2 = Q' lambda + gamma (A.16).

    With gamma = 0 it is (A.15). With c_1 = 0 and c_2 = 0 too, it is (A.13).

    `blocks` (Blocks): A, B, C and D.
    `c_1` (n_1,): first part of the constant term.
    `c_2` (n_2,): second part of the constant term.
    `b_1` (n_1,): first part of the right side.
    `Q` (n_c, n_2): constraint matrix of full row rank.
    `gamma` (n_2,): prescribed part of x_2.
    Returns `x_1` (n_1,): first part of the solution.
    Returns `x_2` (n_2,): second part of the solution.
    Returns `multipliers` (n_c,): lambda.
    """
    A, B, C, D = blocks
    Z = np.linalg.solve(Q @ D.T @ Q.T, Q @ B.T).T @ Q
    rest = c_2 + D @ gamma
    x_1 = np.linalg.solve(A - Z @ C, b_1 - (c_1 + B @ gamma - Z @ rest))
    multipliers = -np.linalg.solve(Q @ D @ Q.T, Q @ (rest + C @ x_1))
    return x_1, Q.T @ multipliers + gamma, multipliers


def updated_inverse(A_inverse, X, R, Y):
    """Return [A + X R Y']^-1 from A^-1, in O(n^2 m) (A.19).

    `A_inverse` (n, n): A^-1.
    `X` (n, m): left factor of the update.
    `R` (m, m): middle factor, which may be singular.
    `Y` (n, m): right factor.
    """
    AX, YA = A_inverse @ X, Y.T @ A_inverse
    return A_inverse - AX @ R @ np.linalg.solve(np.eye(len(R)) + Y.T @ AX @ R, YA)


def inverse_rate(A, A_rate):
    """Return d(A^-1)/dt = -A^-1 (dA/dt) A^-1 (A.28).

    `A_rate` (n, n): dA/dt.
    """
    return -np.linalg.solve(A, np.linalg.solve(A.T, A_rate.T).T)


def log_det_rate(A, A_rate):
    """Return d log det A / dt = Tr(A^-1 dA/dt) (A.29).

    `A_rate` (n, n): dA/dt.
    """
    return np.trace(np.linalg.solve(A, A_rate))
