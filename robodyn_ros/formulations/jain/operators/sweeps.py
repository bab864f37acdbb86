# Copyright 2026 robodyn_ros maintainers
# SPDX-License-Identifier: Apache-2.0
"""Operators applied without being formed: Jain, sections 3.5, 9.2 and 9.3.

    y = A x      gather    y(k) = sum A(k, j) y(j) + x(k) over the children j    (Lem 3.1, 9.1)
    y = A' x     scatter   y(k) = A'(parent, k) y(parent) + x(k)                 (Lem 3.2, 9.2)
    Z = A X B'   Y(k) = sum A(k, j) Y(j) B'(k, j) + X(k)                         (Lem 9.3)
    Z = A' X B   Y(k) = A'(parent, k) Y(parent) B(parent, k) + X(k)              (Lem 9.5)

A is the resolvent (1 - E_A)^-1 of any weights A(parent(k), k) on the edges of a tree. The weights
are one matrix per body: `model.weights` of a Tree or an SkoModel, or `articulated.psi`. Blocks may
be of any size. Results are one array where all blocks have one shape, else lists. Each sweep costs
O(n), a whole Z O(n^2).

Corrections to the print: (9.29) scatters, so k runs from n to 1.
"""

import numpy as np


def stacked(blocks):
    """Return blocks as one array with a leading axis where all have one shape, else as a list."""
    blocks = list(blocks)
    return np.array(blocks) if len({np.shape(block) for block in blocks}) == 1 else blocks


def gather(tree, x, weights):
    """Return y = A x by a sweep from tips to base (Lem 3.1, 9.1).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `x` (sequence of (m_k,) ndarray): vector of each body.
    `weights` (sequence of (m_parent, m_k) ndarray): A(parent(k), k) of each body.
    """
    y = list(x)
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            y[up] = y[up] + weights[k] @ y[k]
    return stacked(y)


def scatter(tree, x, weights):
    """Return y = A' x by a sweep from base to tips (Lem 3.2, 9.2).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `x` (sequence of (m_k,) ndarray): vector of each body.
    `weights` (sequence of (m_parent, m_k) ndarray): A(parent(k), k) of each body.
    """
    y = list(x)
    for k in reversed(range(tree.n)):
        if tree.parent[k] < tree.n:
            y[k] = y[k] + weights[k].T @ y[tree.parent[k]]
    return stacked(y)


def gather_strictly(tree, x, weights):
    """Return y = (A - 1) x: y(k) = sum A(k, j) (y(j) + x(j)) (Ex 3.7, 9.1).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `x` (sequence of (m_k,) ndarray): vector of each body.
    `weights` (sequence of (m_parent, m_k) ndarray): A(parent(k), k) of each body.
    """
    y = [np.zeros_like(each) for each in x]
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            y[up] = y[up] + weights[k] @ (y[k] + x[k])
    return stacked(y)


def scatter_strictly(tree, x, weights):
    """Return y = (A - 1)' x: y(k) = A'(parent, k) (y(parent) + x(parent)) (Ex 3.7, 9.1).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `x` (sequence of (m_k,) ndarray): vector of each body.
    `weights` (sequence of (m_parent, m_k) ndarray): A(parent(k), k) of each body.
    """
    y = [np.zeros_like(each) for each in x]
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        if up < tree.n:
            y[k] = weights[k].T @ (y[up] + x[up])
    return stacked(y)


def forward_diagonal(tree, X, A, B):
    """Return the diagonal blocks Y(k) of A X B' for a block-diagonal X (Lem 9.3).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `X` (sequence of (m_k, m_k) ndarray): diagonal blocks.
    `A` (sequence of (m_parent, m_k) ndarray): weights A(parent(k), k) of each body.
    `B` (sequence of (m_parent, m_k) ndarray): weights B(parent(k), k) of each body.
    """
    Y = list(X)
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            Y[up] = Y[up] + A[k] @ Y[k] @ B[k].T
    return stacked(Y)


def forward_lyapunov(tree, X, A, B):
    """Return Z = A X B' = Y + A~ Y + Y B~' for a block-diagonal X (Lem 9.3, 9.15).

    Computed from Y(k) on the diagonal, along the path of each body. Blocks of bodies of which
    neither is the other's ancestor stay zero.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `X` (sequence of (m_k, m_k) ndarray): diagonal blocks.
    `A` (sequence of (m_parent, m_k) ndarray): weights A(parent(k), k) of each body.
    `B` (sequence of (m_parent, m_k) ndarray): weights B(parent(k), k) of each body.
    """
    Y = forward_diagonal(tree, X, A, B)
    Z = _zeros(Y)
    for j in range(tree.n):
        Z[j][j] = Y[j]
        for k in tree.path(j):
            up = tree.parent[k]
            if up < tree.n:
                Z[up][j] = A[k] @ Z[k][j]
                Z[j][up] = Z[j][k] @ B[k].T
    return _blocks(Z)


def backward_diagonal(tree, X, A, B):
    """Return the diagonal blocks Y(k) of A' X B for a block-diagonal X (9.21).

    `tree` (Tree or SkoModel): bodies at one configuration.
    `X` (sequence of (m_k, m_k) ndarray): diagonal blocks.
    `A` (sequence of (m_parent, m_k) ndarray): weights A(parent(k), k) of each body.
    `B` (sequence of (m_parent, m_k) ndarray): weights B(parent(k), k) of each body.
    """
    Y = list(X)
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        if up < tree.n:
            Y[k] = Y[k] + A[k].T @ Y[up] @ B[k]
    return stacked(Y)


def backward_lyapunov(tree, X, A, B):
    """Return Z = A' X B for a block-diagonal X (Lem 9.5, 9.25).

    Z(i, j) follows from its neighbour nearer to the base. It is Z(i, parent(j)) B(parent(j), j),
    or A'(parent(i), i) Z(parent(i), j). It is zero only without a common ancestor.

    `tree` (Tree or SkoModel): bodies at one configuration.
    `X` (sequence of (m_k, m_k) ndarray): diagonal blocks.
    `A` (sequence of (m_parent, m_k) ndarray): weights A(parent(k), k) of each body.
    `B` (sequence of (m_parent, m_k) ndarray): weights B(parent(k), k) of each body.
    """
    Y = backward_diagonal(tree, X, A, B)
    Z = _zeros(Y)
    for k in reversed(range(tree.n)):
        Z[k][k] = Y[k]
        up = tree.parent[k]
        if up < tree.n:
            for i in range(k + 1, tree.n):  # i > k, so k is no ancestor of i
                Z[i][k] = Z[i][up] @ B[k]
                Z[k][i] = A[k].T @ Z[up][i]
    return _blocks(Z)


def dense(Z):
    """Return blocks Z[i][j] as one matrix.

    `Z` ((n, n, m, m) ndarray or list of lists): the blocks.
    """
    return np.block([list(row) for row in Z])


def _zeros(Y):
    """Return zero blocks (m_i, m_j) for the sizes of the diagonal blocks."""
    kind = np.result_type(*Y)
    return [[np.zeros((len(own), len(other)), kind) for other in Y] for own in Y]


def _blocks(Z):
    """Return nested lists of blocks as one array where all have one shape."""
    alike = len({block.shape for row in Z for block in row}) == 1
    return np.array(Z) if alike else Z
