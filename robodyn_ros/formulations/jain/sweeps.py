"""Operators applied without being formed: Jain, sections 3.5, 9.2 and 9.3.

    y = A x      gather    y(k) = sum A(k, j) y(j) + x(k) over the children j    (Lem 3.1, 9.1)
    y = A' x     scatter   y(k) = A'(parent, k) y(parent) + x(k)                 (Lem 3.2, 9.2)
    Z = A X B'   Y(k) = sum A(k, j) Y(j) B'(k, j) + X(k)                         (Lem 9.3)
    Z = A' X B   Y(k) = A'(parent, k) Y(parent) B(parent, k) + X(k)              (Lem 9.5)

A is the resolvent (1 - E_A)^-1 of any weights A(parent(k), k) on the edges of a tree, given as one
matrix a body: `tree.phi` for phi, `articulated.psi` for psi. Each costs O(n), a whole Z O(n^2).

Corrections to the print: (9.29) scatters, so k runs from n to 1.
"""

import numpy as np


def gather(tree, x, weights):
    """y = A x, tips to base (Lem 3.1, 9.1). x : n arrays; weights : A(parent(k), k) of all k."""
    y = list(x)
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            y[up] = y[up] + weights[k] @ y[k]
    return np.array(y)


def scatter(tree, x, weights):
    """y = A' x, base to tips (Lem 3.2, 9.2)."""
    y = list(x)
    for k in reversed(range(tree.n)):
        if tree.parent[k] < tree.n:
            y[k] = y[k] + weights[k].T @ y[tree.parent[k]]
    return np.array(y)


def gather_strictly(tree, x, weights):
    """y = (A - 1) x: y(k) = sum A(k, j) (y(j) + x(j)) (Ex 3.7, 9.1)."""
    y = [np.zeros_like(each) for each in x]
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            y[up] = y[up] + weights[k] @ (y[k] + x[k])
    return np.array(y)


def scatter_strictly(tree, x, weights):
    """y = (A - 1)' x: y(k) = A'(parent, k) (y(parent) + x(parent)) (Ex 3.7, 9.1)."""
    y = [np.zeros_like(each) for each in x]
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        if up < tree.n:
            y[k] = weights[k].T @ (y[up] + x[up])
    return np.array(y)


def forward_diagonal(tree, X, A, B):
    """Y(k) (n, 6, 6), the diagonal blocks of A X B' for a block-diagonal X (Lem 9.3)."""
    Y = list(X)
    for k, up in enumerate(tree.parent):
        if up < tree.n:
            Y[up] = Y[up] + A[k] @ Y[k] @ B[k].T
    return np.array(Y)


def forward_lyapunov(tree, X, A, B):
    """Z = A X B' = Y + A~ Y + Y B~' as blocks (n, n, 6, 6) (Lem 9.3, 9.15).

    From Y(k) on the diagonal, block by block along the path to the base; blocks of bodies of which
    neither is the other's ancestor stay zero.
    """
    Y = forward_diagonal(tree, X, A, B)
    Z = np.zeros((tree.n, *Y.shape), Y.dtype)
    for j in range(tree.n):
        Z[j, j] = Y[j]
        for k in tree.path(j):
            up = tree.parent[k]
            if up < tree.n:
                Z[up, j] = A[k] @ Z[k, j]
                Z[j, up] = Z[j, k] @ B[k].T
    return Z


def backward_diagonal(tree, X, A, B):
    """Y(k) (n, 6, 6), the diagonal blocks of A' X B for a block-diagonal X (9.21)."""
    Y = list(X)
    for k in reversed(range(tree.n)):
        up = tree.parent[k]
        if up < tree.n:
            Y[k] = Y[k] + A[k].T @ Y[up] @ B[k]
    return np.array(Y)


def backward_lyapunov(tree, X, A, B):
    """Z = A' X B as blocks (n, n, 6, 6): full where all bodies hang on one base (Lem 9.5, 9.25).

    Z(i, j) grows from its neighbour nearer to the base: Z(i, j) = Z(i, parent(j)) B(parent(j), j),
    or A'(parent(i), i) Z(parent(i), j). It is zero only without a common ancestor.
    """
    Y = backward_diagonal(tree, X, A, B)
    Z = np.zeros((tree.n, *Y.shape), Y.dtype)
    for k in reversed(range(tree.n)):
        Z[k, k] = Y[k]
        up = tree.parent[k]
        if up < tree.n:
            for i in range(k + 1, tree.n):  # k is a descendant of i, or unrelated: never above
                Z[i, k] = Z[i, up] @ B[k]
                Z[k, i] = A[k].T @ Z[up, i]
    return Z


def dense(Z):
    """Blocks (n, n, a, b) as one matrix (n a, n b)."""
    n, m, a, b = Z.shape
    return Z.transpose(0, 2, 1, 3).reshape(n * a, m * b)
